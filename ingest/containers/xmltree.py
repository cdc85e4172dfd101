"""Parses XML of strangers with lxml: no entities, no document types, nothing fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from lxml import etree

from ingest.files import UnreadableError
from ingest.item import Reason

Element = Any
"""An lxml element; the library has no types."""

_SAFE = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
_WIDE_DOCTYPE = "<!DOCTYPE".encode("utf-16-le")
_CALL = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
# What saves as "strict" names the same elements by other addresses.
_STRICT = b"http://purl.oclc.org/ooxml/"
_STRICT_NAME = re.compile(_STRICT + rb"(\w+)/(\w+)")
_USUAL_NAME = rb"http://schemas.openxmlformats.org/\1/2006/\2"


def parse(data: bytes) -> Element:
    """Return the root of a document. Raises UnreadableError where it is broken or unsafe."""
    data = _checked(data)
    try:
        root = etree.fromstring(data, etree.XMLParser(**_SAFE))
    except etree.XMLSyntaxError as error:
        raise _broken() from error
    # In an encoding that hides it from a look at the bytes.
    if root.getroottree().docinfo.doctype:
        raise _unsafe()
    return root


def each(data: bytes, *tags: str) -> Iterator[Element]:
    """Yield the elements called `tags` of a large document, each gone when the next is asked for.

    They must lie side by side. Raises UnreadableError where the document is broken or unsafe.
    """
    data = _checked(data)
    try:
        for _, element in etree.iterparse(BytesIO(data), tag=tags, **_SAFE):
            yield element
            element.clear()
            parent = element.getparent()
            while parent is not None and parent[0] is not element:
                del parent[0]
    except etree.XMLSyntaxError as error:
        raise _broken() from error


def _checked(data: bytes) -> bytes:
    if b"<!" in data and _CALL.search(data):
        raise _unsafe()
    if b"\0" in data[:4] and _WIDE_DOCTYPE in data:
        raise _unsafe()
    return _STRICT_NAME.sub(_USUAL_NAME, data) if _STRICT in data else data


def _unsafe() -> UnreadableError:
    return UnreadableError(Reason.CORRUPT, "It declares entities, which no such file needs.")


def _broken() -> UnreadableError:
    return UnreadableError(Reason.CORRUPT, "Its markup is broken; save it again.")
