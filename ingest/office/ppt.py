"""PowerPoint presentations of 1997 to 2003: a tree of records, of which the latest edit counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import unpack_from

from ingest.containers.ole import Ole
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.layout.blocks import Layout
from ingest.office.sealed import encrypted
from ingest.origin import Origin
from ingest.sieve import Read, Scope

_SEALED = 0xF3D1C4DF
_SLIDE_INFO, _NOTES_ATOM, _PERSIST = 0x03F9, 0x03F1, 0x03F3
_LIST, _CHARS, _BYTES, _STRING, _COMMENT = 0x0FF0, 0x0FA0, 0x0FA8, 0x0FBA, 0x2EE0
_VBA, _TAGGED = 0x0400, 0x138B
"""Whether there are macros; and what later versions added, comments among it."""
_SLIDES, _NOTES = 0, 2
_HIDDEN = 4
_EDITS, _DEPTH, _PAGES = 1000, 40, 5000


@dataclass(slots=True)
class _Slide:
    """A slide, or the notes of one."""

    place: int | None
    """Where its record begins."""
    number: int
    """The identifier by which notes refer to it."""
    texts: list[str] = field(default_factory=list)


def ppt_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the presentation in `data`; raises UnreadableError when there is none."""
    ole = Ole(data)
    content = ole.stream("PowerPoint Document")
    user = ole.stream("Current User") or b""
    if not content:
        raise UnreadableError(Reason.EMPTY, "It holds no slides.")
    if len(user) >= 16 and unpack_from("<I", user, 12)[0] == _SEALED:
        raise encrypted()
    layout = Layout()
    places, document = _directory(content, user)
    if _has_macros(content, document):
        layout.flag("macros")
    slides = _listed(content, document, places, _SLIDES)
    notes = _notes(content, _listed(content, document, places, _NOTES))
    for number, slide in enumerate(slides[:_PAGES]):
        if number:
            layout.begin_page()
        _lay_out(content, slide, notes.get(slide.number, ""), layout)
    if not slides:
        for text in _texts(content, 0, len(content)):
            layout.add(text)
    yield from layout.reads(origin, paged=bool(slides), nothing="Its slides hold no text.")


def _directory(content: bytes, user: bytes) -> tuple[dict[int, int], int | None]:
    """Return where each numbered record lies, and where the document does, by the newest edit."""
    places: dict[int, int] = {}
    document: int | None = None
    edit = unpack_from("<I", user, 16)[0] if len(user) >= 20 else 0
    seen: set[int] = set()
    while edit and edit + 32 <= len(content) and edit not in seen and len(seen) < _EDITS:
        seen.add(edit)
        before, directory, number = unpack_from("<III", content, edit + 16)
        document = number if document is None else document
        for key, place in _entries(content, directory):
            places.setdefault(key, place)
        edit = before
    return places, places.get(document) if document is not None else None


def _entries(content: bytes, at: int) -> Iterator[tuple[int, int]]:
    if at + 8 > len(content):
        return
    end = min(at + 8 + int(unpack_from("<I", content, at + 4)[0]), len(content))
    at += 8
    while at + 4 <= end:
        head = unpack_from("<I", content, at)[0]
        first, count = head & 0xFFFFF, head >> 20
        at += 4
        for number in range(min(count, (end - at) // 4)):
            yield first + number, unpack_from("<I", content, at + 4 * number)[0]
        at += 4 * count


def _records(
    content: bytes, at: int, end: int, depth: int = 0
) -> Iterator[tuple[int, int, int, int]]:
    """Yield type, instance, begin and end of each record and of those within."""
    while at + 8 <= end:
        head, kind, size = unpack_from("<HHI", content, at)
        begin, stop = at + 8, min(at + 8 + size, end)
        yield kind, head >> 4, begin, stop
        if (head & 15 == 15 or kind == _TAGGED) and depth < _DEPTH:
            yield from _records(content, begin, stop, depth + 1)
        at = begin + size


def _within(content: bytes, place: int | None) -> tuple[int, int]:
    """Return begin and end of what the record at a place holds."""
    if place is None or place + 8 > len(content):
        return 0, 0
    size = unpack_from("<I", content, place + 4)[0]
    return place + 8, min(place + 8 + size, len(content))


def _listed(
    content: bytes, document: int | None, places: dict[int, int], wanted: int
) -> list[_Slide]:
    """Return the slides, or the notes, in their order with the texts of their outline."""
    found: list[_Slide] = []
    for kind, instance, begin, end in _records(content, *_within(content, document)):
        if kind != _LIST or instance != wanted:
            continue
        for inner, _, first, last in _records(content, begin, end):
            if inner == _PERSIST and last - first >= 16:
                key, _, _, number = unpack_from("<IIII", content, first)
                found.append(_Slide(places.get(key), number))
            elif found and inner in (_CHARS, _BYTES):
                found[-1].texts.append(_text(content, inner, first, last))
    return found


def _has_macros(content: bytes, document: int | None) -> bool:
    return any(
        kind == _VBA and end - begin >= 8 and unpack_from("<I", content, begin + 4)[0] == 1
        for kind, _, begin, end in _records(content, *_within(content, document))
    )


def _notes(content: bytes, listed: list[_Slide]) -> dict[int, str]:
    """Return what is noted, by the number of the slide."""
    notes: dict[int, str] = {}
    for one in listed:
        begin, end = _within(content, one.place)
        number = 0
        for kind, _, first, last in _records(content, begin, end):
            if kind == _NOTES_ATOM and last - first >= 4:
                number = unpack_from("<I", content, first)[0]
        texts = [*one.texts, *_texts(content, begin, end)]
        notes[number] = "\n".join(text for text in texts if text.strip() not in ("", "*"))
    return notes


def _lay_out(content: bytes, slide: _Slide, notes: str, layout: Layout) -> None:
    begin, end = _within(content, slide.place)
    texts = [*slide.texts, *_texts(content, begin, end)]
    comments = []
    for kind, _, first, last in _records(content, begin, end):
        if kind == _SLIDE_INFO and last - first >= 12 and content[first + 10] & _HIDDEN:
            layout.flag("hidden slide")
            layout.hidden += len("".join("".join(texts).split()))
            return
        if kind == _COMMENT:
            comments.append(_comment(content, first, last))
    for text in texts:
        layout.add(text if text.strip() != "*" else "")
    layout.add(f"Notes: {notes}" if notes else "")
    for comment in comments:
        layout.add(comment)


def _comment(content: bytes, begin: int, end: int) -> str:
    said = {
        instance: content[first:last].decode("utf-16-le", "replace")
        for kind, instance, first, last in _records(content, begin, end)
        if kind == _STRING
    }
    by = f" by {said[0]}" if said.get(0) else ""
    return f"[Comment{by}: {' '.join(said[1].split())}]" if said.get(1) else ""


def _texts(content: bytes, begin: int, end: int) -> Iterator[str]:
    for kind, _, first, last in _records(content, begin, end):
        if kind in (_CHARS, _BYTES):
            yield _text(content, kind, first, last)


def _text(content: bytes, kind: int, begin: int, end: int) -> str:
    codec = "utf-16-le" if kind == _CHARS else "cp1252"
    return content[begin:end].decode(codec, "replace").replace("\x0b", "\n").replace("\r", "\n")
