"""Splits a MIME message into the text of its body and its attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.mail.flowed import unflowed
from ingest.mail.mime import REPORTS, Part, parse
from ingest.mail.seals import PKCS7, Seal, open_seal, without_armour
from ingest.text.clean import clean, clean_line, decode

DEPTH = 20
"""How deep nested MIME parts are followed."""
PARTS = 1000
"""Parts of one message that are read."""
TEXT = 20 << 20
"""Bytes of one body that are read."""
# Signatures of text that is read anyway; they hold no text themselves.
_SEALS = frozenset(
    {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
)
_BODY = frozenset({"text/plain", "text/html", "text/enriched", "text/x-amp-html"})
_CODED = re.compile(
    rb"^begin [0-7]{3,4} ([^\r\n]{1,255})\r?\n(?:[ -`]{1,90}\r?\n){0,1000000}?[ `]?\r?\n?end\b",
    re.MULTILINE,
)
"""A uuencoded file within a text."""
_CODED_FIELDS = {
    "content-type": "application/octet-stream",
    "content-transfer-encoding": "x-uuencode",
}
_LIKE_ASCII = frozenset(
    {None, "us-ascii", "ascii", "utf-8", "iso-8859-1", "iso-8859-15", "windows-1252"}
)
_SHIFTS = ((b"\0", b"\0"), (b"\x1b", b"\x1b"), (b"~", b"~{"), (b"+", b"+A"))
"""What introduces non-ASCII text that looks like ASCII, in character sets that mails may not
declare."""
_STUB = 400
"""Characters that a plain version without the message has at most."""
# "This message is best read in HTML.", "View it in your browser: https://…"
_SENDS_ELSEWHERE = re.compile(
    r"\bhtml\b|\bbrowser\b|\bnavigat(?:eu|o)r\b|\bview\b.*\bonline\b", re.IGNORECASE
)
_REPORT_LIMIT = 256 << 10
_FOLD = re.compile(r"\r?\n[ \t]+")


class BodyText:
    """One part of a body, decoded once, on demand."""

    __slots__ = ("_found", "part")

    def __init__(self, part: Part) -> None:
        """Take the part, still encoded."""
        self.part = part
        self._found: tuple[str, int, bool] | None = None

    @property
    def text(self) -> str:
        """The text without blank lines around it; empty when it is all white space."""
        return (self._found or self._find())[0]

    @property
    def hidden(self) -> int:
        """How many hidden characters the text lost."""
        return (self._found or self._find())[1]

    @property
    def is_armoured(self) -> bool:
        """Whether part of it is encrypted with PGP, and left out."""
        return (self._found or self._find())[2]

    def _find(self) -> tuple[str, int, bool]:
        kind, data = self.part.kind, self.part.payload()
        locked = False
        if kind in REPORTS:
            text, hidden = "\n".join(_report_lines(data[:_REPORT_LIMIT])), 0
        else:
            text = _decoded(data[:TEXT], self.part.content.charset)
            if kind == "text/plain" or kind.startswith("multipart/"):
                if "-----BEGIN PGP " in text:
                    text, locked = without_armour(text)
                text, hidden = clean(text)
                if self.part.content.is_flowed:
                    text = unflowed(text, drops_space=self.part.content.drops_space)
            else:
                from ingest.html.text import html_text

                text, hidden = html_text(text)
        self._found = text.strip("\n") if text.strip() else "", hidden, locked
        return self._found


@dataclass(slots=True)
class Contents:
    """The content of a message."""

    body: list[BodyText] = field(default_factory=list)
    attachments: list[tuple[str, Part]] = field(default_factory=list)
    """Each with its part number, as in IMAP: "2", or "2.1" within part 2."""
    is_plain: bool = False
    """Whether the body was written as plain text, not as HTML."""
    parts: int = 0
    """Parts that were read."""
    refused: int = 0
    """Parts beyond the limits."""
    is_cut: bool = False
    """Whether the end of a multipart is missing."""
    sealed: list[Seal] = field(default_factory=list)
    """Why some parts are not read."""

    @property
    def has_text(self) -> bool:
        """Whether there is a body of more than white space."""
        return any(words.text for words in self.body)

    @property
    def text(self) -> str:
        """The body, its parts one below the other."""
        texts = [words.text for words in self.body if words.text]
        return texts[0] if len(texts) == 1 else "\n\n".join(texts)

    @property
    def seal(self) -> Seal | None:
        """Why part of the body is not read."""
        if any(words.is_armoured for words in self.body):
            return Seal.ENCRYPTED
        return self.sealed[0] if self.sealed else None

    @property
    def is_overlong(self) -> bool:
        """Whether the body is read in part only."""
        return any(words.part.size > TEXT for words in self.body)

    @property
    def hidden(self) -> int:
        """How many hidden characters the body lost."""
        return sum(words.hidden for words in self.body)


def take_apart(message: Part, number: str = "") -> Contents:
    """Return the content of `message`, whose parts are numbered below `number`."""
    contents = Contents()
    _walk(message, number, 0, contents)
    return contents


def _walk(part: Part, number: str, depth: int, into: Contents) -> None:
    kind = part.kind
    if kind == "multipart/encrypted":
        into.sealed.append(Seal.ENCRYPTED)
    elif kind.startswith("multipart/"):
        if depth >= DEPTH:
            into.refused += 1
            return
        children = _children(part, number, into)
        if not children:
            # Its boundary is nowhere to be seen: what there is may still be a text.
            into.body.append(BodyText(part))
            into.is_plain = True
        elif kind == "multipart/alternative":
            _walk_alternatives(children, depth, into)
        else:
            for index, child in children:
                _walk(child, index, depth + 1, into)
    elif kind in REPORTS:
        into.body.append(BodyText(part))
    elif kind in _SEALS:
        return
    elif kind in PKCS7:
        _unseal(part, number, depth, into)
    elif _is_body(part, kind):
        if kind == "text/plain" and part.data.find(b"\nbegin ", part.start, part.end) >= 0:
            part = _without_coded_files(part, number, into)
        into.body.append(BodyText(part))
        into.is_plain = into.is_plain or kind == "text/plain"
    else:
        into.attachments.append((number or "1", part))


def _unseal(part: Part, number: str, depth: int, into: Contents) -> None:
    """Walk the signed content; all other S/MIME needs a key."""
    found = open_seal(part.payload()) if depth < DEPTH and part.size <= TEXT else Seal.UNREADABLE
    if isinstance(found, Seal):
        into.sealed.append(found)
    else:
        _walk(parse(found, 0, len(found)), number, depth + 1, into)


def _children(part: Part, number: str, into: Contents) -> list[tuple[str, Part]]:
    """Return the parts within with their numbers, no more than the limit allows."""
    inner, refused = part.children()
    allowed = max(0, PARTS - into.parts)
    into.refused += refused + max(0, len(inner) - allowed)
    into.parts += len(inner)
    into.is_cut = into.is_cut or part.is_cut
    prefix = f"{number}." if number else ""
    return [(f"{prefix}{i}", child) for i, child in enumerate(inner[:allowed], 1)]


def _walk_alternatives(children: list[tuple[str, Part]], depth: int, into: Contents) -> None:
    """Take the plain version of a body, else the richest version with text.

    A plain version that only sends its reader to the other one is none.
    """
    versions = []
    for index, child in children:
        version = Contents(parts=into.parts)
        _walk(child, index, depth + 1, version)
        into.attachments += version.attachments
        into.refused += version.refused
        into.parts = version.parts
        into.is_cut = into.is_cut or version.is_cut
        into.sealed += version.sealed
        versions.append(version)
    plain = next((one for one in versions if one.is_plain and one.has_text), None)
    chosen = plain
    if plain is None or _is_stub(plain.text):
        rich = next((one for one in reversed(versions) if one.has_text), None)
        is_told = rich is not None and (plain is None or len(rich.text) > len(plain.text))
        chosen = rich if is_told else plain
    if chosen is not None:
        into.body += chosen.body
        into.is_plain = chosen.is_plain


def _is_stub(text: str) -> bool:
    return len(text) <= _STUB and _SENDS_ELSEWHERE.search(text) is not None


def _without_coded_files(part: Part, number: str, into: Contents) -> Part:
    """Return a text without its uuencoded files, which become attachments."""
    data, kept, at = part.payload(), [], 0
    for found in _CODED.finditer(data):
        kept.append(data[at : found.start()])
        at = found.end()
        fields = {**_CODED_FIELDS, "content-disposition": f'attachment; filename="{_name(found)}"'}
        index = f"{number or '1'}.{len(kept)}"
        into.attachments.append((index, Part(data, fields, found.start(), at, "text/plain")))
    if not kept:
        return part
    text = b"".join([*kept, data[at:]])
    fields = {name: value for name, value in part.fields.items() if name == "content-type"}
    return Part(text, fields, 0, len(text), "text/plain")


def _name(found: re.Match[bytes]) -> str:
    return found[1].decode("utf-8", "surrogateescape").replace('"', "").strip()


def _is_body(part: Part, kind: str) -> bool:
    if kind not in _BODY:
        return False
    return not part.name and part.disposition != "attachment"


def _decoded(data: bytes, charset: str | None) -> str:
    """Return the text of a body. Most bodies are plain ASCII, and by any of these names."""
    if charset in _LIKE_ASCII and data.isascii():
        for sign, shift in _SHIFTS:
            # One byte is found ten times faster than two.
            if sign in data and shift in data:
                break
        else:
            return data.decode("ascii")
    return decode(data, charset or "us-ascii")


def _report_lines(data: bytes) -> Iterator[str]:
    """Yield the fields of a report on a delivery."""
    unfolded = _FOLD.sub(" ", decode(data))
    return filter(None, map(clean_line, unfolded.split("\n")))
