"""What Word, PowerPoint and Excel files share: a zip of XML parts that refer to each other."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass

from ingest.containers.xmltree import Element, parse
from ingest.containers.zips import MEMBER_LIMIT, Zip
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.layout.blocks import shown_target

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
"""The element that shows a diagram; not a namespace, as the others are."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A reference from one part."""

    kind: str
    """Last word of its type: "slide", "hyperlink", "comments"."""
    target: str
    """Name of a part, or an address outside the file."""
    is_external: bool


class Package:
    """The parts of one file."""

    def __init__(self, data: bytes) -> None:
        """Read the directory. Raises UnreadableError when it is damaged."""
        self._zip = Zip(data)
        self.names = self._zip.names()
        self.has_macros = any(name.endswith("vbaproject.bin") for name in self.names)

    def main(self, usual: str) -> str:
        """Return the name of the main part: `usual`, or what the package says."""
        if usual in self.names:
            return usual
        for relation in self.relations("").values():
            if relation.kind == "officeDocument":
                return relation.target
        raise UnreadableError(Reason.CORRUPT, "Its main part is missing; save it again.")

    def content(self, name: str) -> bytes | None:
        """Return the part of this name, None when there is none."""
        return self._zip.get(name)

    def beginning(self, name: str) -> bytes | None:
        """Return the part of this name, only the first of it when it is very large."""
        return self._zip.get(name, whole=False)

    def is_whole(self, name: str) -> bool:
        """Say whether `beginning` returns all of a part."""
        return self._zip.size(name) <= MEMBER_LIMIT

    def part(self, name: str) -> Element | None:
        """Return the root of the XML part of this name, None when there is none."""
        data = self._zip.get(name)
        return None if not data else parse(data)

    def relations(self, name: str) -> dict[str, Relation]:
        """Return what the part of this name refers to, by the identifiers it uses."""
        folder, base = posixpath.split(name)
        root = self.part(posixpath.join(folder, "_rels", f"{base}.rels"))
        return {} if root is None else dict(_relations(root, folder))

    def following(self, relations: dict[str, Relation], *kinds: str) -> list[str]:
        """Return the names of the parts of these kinds, in the order in which they are declared."""
        return [
            relation.target
            for relation in relations.values()
            if relation.kind in kinds and not relation.is_external
        ]


def _relations(root: Element, folder: str) -> Iterable[tuple[str, Relation]]:
    for node in root:
        target = node.get("Target") or ""
        is_external = node.get("TargetMode") == "External"
        if not is_external:
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        kind = (node.get("Type") or "").rpartition("/")[2]
        yield node.get("Id") or "", Relation(kind, target, is_external)


def link_of(relation: Relation | None, said: str) -> str:
    """Return the target of a link to write after its text; empty where the text says it."""
    if relation is None or not relation.is_external:
        return ""
    return shown_target(relation.target, said)


def chart_text(root: Element) -> str:
    """Return the words in a chart: titles, names of series and categories, each once."""
    said: dict[str, None] = {}
    for node in root.iter(f"{A}t", f"{CHART}strCache"):
        values = [node.text] if node.tag == f"{A}t" else (v.text for v in node.iter(f"{CHART}v"))
        said.update(dict.fromkeys(value.strip() for value in values if value and value.strip()))
    return "\n".join(said)


def drawn_text(root: Element) -> str:
    """Return the words in a diagram, a line per paragraph."""
    lines = (
        "".join(node.text or "" for node in paragraph.iter(f"{A}t"))
        for paragraph in root.iter(f"{A}p")
    )
    return "\n".join(line.strip() for line in lines if line.strip())
