"""The parts of an OpenDocument file: its content, its automatic styles, its flags."""

from __future__ import annotations

import re

from ingest.containers.xmltree import Element, parse
from ingest.containers.zips import Zip
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.layout.blocks import Layout
from ingest.office.sealed import encrypted

BASE = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
OFFICE, TEXT, TABLE, STYLE = BASE % "office", BASE % "text", BASE % "table", BASE % "style"
_MARGIN = re.compile(rb"<style:(?:header|footer)[ >]")
"""Headers and footers: where there are none, the styles are not parsed."""


class OdfFile:
    """The content of a document and the styles that matter to it."""

    def __init__(self, data: bytes) -> None:
        """Parse the parts. Raises UnreadableError when they cannot be read."""
        if data.startswith(b"PK"):
            archive = Zip(data)
            manifest = archive.get("META-INF/manifest.xml") or b""
            if b"encryption-data" in manifest:
                raise encrypted()
            content = archive.get("content.xml")
            if content is None:
                raise UnreadableError(Reason.CORRUPT, "Its content is missing; save it again.")
            styles = archive.get("styles.xml") or b""
            self.roots = [parse(content)]
            if _MARGIN.search(styles):
                self.roots.append(parse(styles))
            self.has_macros = any(name.startswith("basic/") for name in archive.names())
        else:
            self.roots = [parse(data)]
            self.has_macros = self.roots[0].find(f"{OFFICE}scripts/{OFFICE}script") is not None
        body = self.roots[0].find(f"{OFFICE}body")
        self.body = self.roots[0] if body is None else body
        self.flags = ["macros"] if self.has_macros else []
        self._styles = {
            style.get(f"{STYLE}name"): style
            for root in self.roots[:1]
            for style in root.iterfind(f"{OFFICE}automatic-styles/{STYLE}style")
        }
        self.vanished = frozenset(
            name
            for name, style in self._styles.items()
            if (look := style.find(f"{STYLE}text-properties")) is not None
            and look.get(f"{TEXT}display") == "none"
        )

    def property(self, style: str | None, kind: str, name: str) -> str | None:
        """Return one property of an automatic style."""
        node = self._styles.get(style)
        look = None if node is None else node.find(f"{STYLE}{kind}-properties")
        return None if look is None else look.get(name)

    def is_hidden(self, table: Element) -> bool:
        """Say whether a sheet is not shown."""
        style = table.get(f"{TABLE}style-name")
        return self.property(style, "table", f"{TABLE}display") == "false"

    def layout(self) -> Layout:
        """Return an empty layout with the flags of the file."""
        layout = Layout()
        for flag in self.flags:
            layout.flag(flag)
        return layout
