"""The styles of a Word document that number paragraphs or hide runs."""

from __future__ import annotations

import re
from functools import cached_property

from ingest.containers.xmltree import Element, parse
from ingest.office.ooxml import Package, W

OFF = frozenset({"0", "false", "off", "none"})
"""Values that mean off."""

_NUMBERS = f"{W}pPr/{W}numPr"
_HIDES = f"{W}rPr/{W}vanish"


class Styles:
    """Styles that all parts of a document share."""

    def __init__(self, package: Package, folder: str) -> None:
        """Read nothing yet; `folder` is that of the main part."""
        self._package = package
        self._name = f"{folder}/styles.xml"

    @cached_property
    def root(self) -> Element | None:
        """The styles that number or hide; to parse all of them takes longer than most documents."""
        data = self._package.content(self._name) or b""
        if b":numPr" not in data and b":vanish" not in data:
            return None
        wanted = [
            style[style.rfind(b"<w:style ") :]
            for style in data.split(b"</w:style>")[:-1]
            if b":numPr" in style or b":vanish" in style
        ]
        opening = re.search(rb"<w:styles\b[^>]*>", data)
        if not wanted or opening is None:
            return None
        return parse(opening[0] + b"</w:style>".join([*wanted, b"</w:styles>"]))

    @cached_property
    def numbered(self) -> frozenset[str]:
        """Styles that number paragraphs."""
        styles = () if self.root is None else self.root
        return frozenset(
            style.get(f"{W}styleId") or "" for style in styles if style.find(_NUMBERS) is not None
        )

    @cached_property
    def vanished(self) -> frozenset[str]:
        """Styles that hide characters."""
        if self.root is None:
            return frozenset()
        return frozenset(
            style.get(f"{W}styleId") or ""
            for style in self.root.iterfind(f"{W}style")
            if (mark := style.find(_HIDES)) is not None and mark.get(f"{W}val") not in OFF
        )
