"""Takes MIME messages apart lazily: finds where each part lies and decodes only what is asked for.

What a message means, damaged ones included, is what the standard library's `email` with its
`compat32` policy takes it to mean; tests compare the two.
"""

from __future__ import annotations

import re
from itertools import chain

from ingest.mail.content_fields import ContentField, content_field
from ingest.mail.headers import LIMIT, Headers
from ingest.mail.leap import find_leaping
from ingest.mail.transfer import decode_transfer
from ingest.text.clean import clean_line

PARTS = 1000
"""Parts of one multipart that are read."""
_FIELD = re.compile(r"([!-9;-~]+):([^\n]*(?:\n[ \t][^\n]*)*)\n")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)?")
_IS_FIELD = re.compile(rb"From |[!-9;-~]*:|[\t ]")
_BOUNDARY_END = re.compile(rb"(--)?[ \t]*(?:\r\n|\r|\n|\Z)")
MAILS = frozenset({"message/rfc822", "message/global", "message/news"})
"""Types of parts that are messages."""
REPORTS = frozenset(
    {"message/delivery-status", "message/disposition-notification", "message/feedback-report"}
)
"""Types of parts that are header fields alone."""


class Part:
    """A message or a part of one: where it lies, and what its header fields say."""

    __slots__ = ("_children", "_content", "data", "default", "end", "fields", "is_cut", "start")

    def __init__(
        self, data: bytes, fields: dict[str, str], start: int, end: int, default: str
    ) -> None:
        """Take the part whose body is `data[start:end]`; `default` is its type without a field."""
        self.data = data
        self.fields = fields
        """Raw and unfolded, by name in lower case, white space around included.

        Of a repeated field the first counts.
        """
        self.start = start
        self.end = end
        self.default = default
        self.is_cut = False
        """Whether the end of a multipart is missing, as far as its children were asked for."""
        self._content: ContentField | None = None
        self._children: tuple[list[Part], int] | None = None

    @property
    def content(self) -> ContentField:
        """The parsed content type field."""
        if self._content is None:
            field = self.fields.get("content-type")
            default = ContentField(self.default, None, None, "", "")
            self._content = default if field is None else content_field(field[:LIMIT])
        return self._content

    @property
    def kind(self) -> str:
        """The type, such as "text/plain"."""
        kind = self.content.kind
        return kind if kind.count("/") == 1 else "text/plain"

    @property
    def disposition(self) -> str:
        """How the part is to be shown: "attachment", "inline"; empty when it does not say."""
        field = self.fields.get("content-disposition")
        return "" if field is None else content_field(field[:LIMIT]).kind

    @property
    def name(self) -> str:
        """The file name of the part, without folders; may be empty."""
        field = self.fields.get("content-disposition")
        named = "" if field is None else content_field(field[:LIMIT]).filename
        named = named or self.content.name
        return named and clean_line(named).replace("\\", "/").rpartition("/")[2][:255]

    @property
    def size(self) -> int:
        """Bytes of the encoded body."""
        return self.end - self.start

    @property
    def is_empty(self) -> bool:
        """Whether the body is nothing but white space."""
        return not self.data[self.start : self.end].strip()

    def headers(self) -> Headers:
        """Return the header fields; each is decoded on demand."""
        return Headers(self.fields)

    def children(self) -> tuple[list[Part], int]:
        """Return the parts within, and how many more there are beyond the limit."""
        if self._children is None:
            self._children = self._split()
        return self._children

    def raw(self) -> bytes:
        """Return the encoded body."""
        return self.data[self.start : self.end]

    def payload(self) -> bytes:
        """Return the body, decoded as far as possible."""
        encoding = self.fields.get("content-transfer-encoding")
        return self.raw() if encoding is None else decode_transfer(self.raw(), encoding)

    def _split(self) -> tuple[list[Part], int]:
        kind = self.kind
        if kind in MAILS:
            encoding = self.fields.get("content-transfer-encoding", "").strip().lower()
            if encoding in {"base64", "quoted-printable"}:
                data = self.payload()
                return [parse(data, 0, len(data))], 0
            return [parse(self.data, self.start, self.end)], 0
        boundary = self.content.boundary
        if not kind.startswith("multipart/") or not boundary:
            return [], 0
        spans, refused, closed = _spans(self.data, self.start, self.end, boundary)
        self.is_cut = not closed
        default = "message/rfc822" if kind == "multipart/digest" else "text/plain"
        return [parse(self.data, *span, default) for span in spans], refused


def parse(data: bytes, start: int, end: int, default: str = "text/plain") -> Part:
    """Return the message or part in `data[start:end]`."""
    fields, body = read_fields(data, start, end)
    return Part(data, fields, body, end, default)


def read_fields(data: bytes, start: int, end: int) -> tuple[dict[str, str], int]:
    """Return the header fields at `start`, raw, and where the body begins."""
    if data.startswith(b"\n", start, end):
        return {}, start + 1
    stop, body = _blank_line(data, start, end)
    if stop < 0:
        return _awkward_fields(data, start, end)
    text = data[start : stop + 1].decode("ascii", "surrogateescape")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    pairs = _FIELD.findall(text)
    # Anything else between the fields, or a lone CR in them, takes a closer look.
    if sum(map(len, chain.from_iterable(pairs))) + 2 * len(pairs) != len(text) or "\r" in text:
        return _awkward_fields(data, start, end)
    pairs.reverse()
    return {name.lower(): value.replace("\n", "") for name, value in pairs}, body


def _blank_line(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Return where the line before the first blank one ends, and where the line after it begins.

    What the first line ends in is looked for first: the other may be nowhere in many megabytes.
    """
    newline = data.find(b"\n", start, end)
    if data[newline - 1 : newline] != b"\r":
        stop = data.find(b"\n\n", start, end)
        dos = data.find(b"\n\r\n", start, end if stop < 0 else stop)
    else:
        dos = data.find(b"\n\r\n", start, end)
        stop = data.find(b"\n\n", start, end if dos < 0 else min(end, dos + 4))
        dos = dos if stop < 0 else -1
    return (stop, stop + 2) if dos < 0 else (dos, dos + 3)


def _awkward_fields(data: bytes, start: int, end: int) -> tuple[dict[str, str], int]:
    """Read header fields line by line, as the library does: the first line that is none ends them.

    A line ends at a lone CR, too. The line that only an mbox has is no field.
    """
    fields: dict[str, str] = {}
    name, lines, at = "", [], start
    while at < end and _IS_FIELD.match(data, at, end):
        begin, at = at, _end_of_line(data, at, end)
        line = data[begin:at]
        if line[0] in b" \t":
            lines.append(line)
            continue
        _keep(fields, name, lines)
        name = ""
        if not line.startswith(b"From "):
            field, _, value = line.partition(b":")
            name, lines = field.decode("ascii").lower(), [value]
        elif begin > start and not (at < end and _IS_FIELD.match(data, at, end)):
            return fields, begin
    _keep(fields, name, lines)
    is_blank = at < end and data[at] in b"\r\n"
    return fields, _end_of_line(data, at, end) if is_blank else at


def _end_of_line(data: bytes, start: int, end: int) -> int:
    line = _LINE.match(data, start, end)
    return line.end() if line else end


def _keep(fields: dict[str, str], name: str, lines: list[bytes]) -> None:
    if name:
        value = b"".join(lines).replace(b"\r", b"").replace(b"\n", b"")
        fields.setdefault(name, value.decode("ascii", "surrogateescape"))


def _spans(
    data: bytes, start: int, end: int, boundary: bytes
) -> tuple[list[tuple[int, int]], int, bool]:
    """Return where the parts between boundaries lie, how many are left out, whether they end."""
    needle = b"--" + boundary
    spans: list[tuple[int, int]] = []
    begun, at = -1, start
    while (hit := find_leaping(data, needle, b"-", at, end)) >= 0:
        at = hit + len(needle)
        line = _BOUNDARY_END.match(data, at, end)
        if line is None or (hit > start and data[hit - 1] not in b"\r\n"):
            continue
        if len(spans) == PARTS:
            return spans, 1 + data.count(needle, begun, end), True
        # Of several boundaries in a row all but the first count for nothing, an end included.
        if begun not in (-1, hit):
            spans.append((begun, _before_newline(data, begun, hit)))
        if line[1] and begun != hit:
            return spans, 0, begun >= 0
        begun = at = line.end()
    if begun >= 0:
        is_ended = end > begun and data[end - 1] in b"\r\n"
        spans.append((begun, _before_newline(data, begun, end) if is_ended else end))
    return spans, 0, False


def _before_newline(data: bytes, start: int, stop: int) -> int:
    if data[stop - 1] == 0x0A:
        stop -= 1
        return stop - 1 if stop > start and data[stop - 1] == 0x0D else stop
    return stop - 1
