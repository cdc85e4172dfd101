"""Rich text: one pass over its tokens, with hidden and deleted text left out and counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.layout.blocks import Layout, shown_target
from ingest.office.word.rtf_words import ASIDE, CODECS, ENDS, SIGNS, SKIPPED
from ingest.origin import Origin
from ingest.sieve import Read, Scope

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,9})? ?|((?:\\'[0-9a-fA-F]{2})+)|\\([^a-zA-Z])|([{}])|[^\\{}\r\n]+",
    re.S,
)
_BRACE = re.compile(r"\\bin(\d{1,9}) ?|\\[^b]|[{}]", re.S)
_TARGET = re.compile(r'\s*HYPERLINK\s+"([^"]{1,200})"')


@dataclass(slots=True)
class _Group:
    """The state up to the next closing brace."""

    codec: str
    fallback: int = 1
    """Fallback characters after each Unicode character, for old programs."""
    is_hidden: bool = False
    is_fonts: bool = False
    target: str = ""
    """Target of the link whose text the group is."""
    begin: int = 0
    """Pieces of the paragraph before the group."""
    aside: str = ""
    """What the group is, where it is written apart."""
    outer: list[str] = field(default_factory=list)
    """The paragraph around it."""

    def inner(self, begin: int) -> _Group:
        """Return a group within this one, with the same state."""
        return _Group(self.codec, self.fallback, self.is_hidden, self.is_fonts, "", begin)


def rtf_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the text in `data`; raises UnreadableError when there is none."""
    reader = _TokenReader(data.decode("latin-1"))
    reader.read()
    yield from reader.layout.reads(origin)


class _TokenReader:
    """Goes through the tokens once."""

    def __init__(self, source: str) -> None:
        self.layout = Layout()
        self._source = source
        self._group = _Group("cp1252")
        self._groups: list[_Group] = []
        self._raw: list[str] = []
        """Bytes to be decoded with the codec of the group."""
        self._line: list[str] = []
        self._cells: list[str] = []
        self._is_cell = False
        self._after: list[str] = []
        self._margins: set[str] = set()
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._own_codec = "cp1252"
        self._due = 0
        """Fallback characters to skip, after a Unicode character."""
        self._target = ""
        self._notes = 0

    def read(self) -> None:
        """Append the whole text to the layout."""
        at, source = 0, self._source
        is_optional = False
        while (token := _TOKEN.search(source, at)) is not None:
            at = token.end()
            word, brace, sign = token[1], token[5], token[4]
            if word:
                at = self._word(word, token[2], at, is_optional=is_optional)
                is_optional = False
            elif brace == "{":
                self._flush()
                self._groups.append(self._group)
                self._group = self._group.inner(len(self._line))
            elif brace == "}":
                self._close()
            elif sign:
                is_optional = sign == "*"
                self._sign(sign)
            else:
                self._text(_bytes(token[3]) if token[3] else token[0])
        if self._cells:
            self._end_cell(is_row=True)
        self._end_paragraph()

    def _word(self, word: str, number: str | None, at: int, *, is_optional: bool) -> int:
        """Apply a control word; return where to continue."""
        group = self._group
        if word == "u" and number:
            self._flush()
            self._line.append("" if group.is_hidden else chr(int(number) & 0xFFFF))
            self.layout.hidden += group.is_hidden
            self._due = group.fallback
        elif word in SIGNS:
            self._flush()
            self._line.append(SIGNS[word])
        elif word in ENDS:
            self._end_paragraph()
        elif word in ASIDE:
            self._flush()
            group.aside, group.outer, self._line = ASIDE[word], self._line, []
        elif SKIPPED.fullmatch(word) or (
            is_optional and word not in ("shpinst", "shptxt", "fldinst")
        ):
            return self._end_of_group(at)
        elif word == "bin":
            return at + int(number or 0)
        else:
            self._setting(word, int(number) if number else None)
        return at

    def _setting(self, word: str, number: int | None) -> None:
        group = self._group
        if word == "f" and number is not None:
            self._flush()
            self._font = number
            if not group.is_fonts:
                group.codec = self._fonts.get(number, self._own_codec)
        elif word == "plain":
            self._flush()
            group.is_hidden = False
        elif word in ("v", "deleted"):
            self._flush()
            group.is_hidden = number != 0
        elif word == "uc":
            group.fallback = min(max(number or 0, 0), 8)
        elif word == "fonttbl":
            group.is_fonts = True
        elif word == "fcharset" and group.is_fonts and number in CODECS:
            self._fonts[self._font] = CODECS[number]
        elif word in ("pard", "intbl"):
            self._is_cell = word == "intbl"
        elif word in ("cell", "row"):
            self._flush()
            self._end_cell(is_row=word == "row")
        elif word == "ansicpg" and number and 400 < number < 1300:
            self._own_codec = group.codec = f"cp{number}"
        elif word == "fldrslt":
            group.target, self._target = self._target, ""
        elif word == "mac":
            self._own_codec = group.codec = "mac-roman"

    def _sign(self, sign: str) -> None:
        if sign in "~_":
            self._text(" " if sign == "~" else "-")
        elif sign in "\\{}":
            self._text(sign)
        elif sign in "\r\n":
            self._end_paragraph()

    def _text(self, text: str) -> None:
        if self._due:
            due = self._due
            self._due = max(0, due - len(text))
            text = text[due:]
        group = self._group
        if group.is_fonts:
            return
        if group.is_hidden:
            self.layout.hidden += len("".join(text.split()))
        else:
            self._raw.append(text)

    def _flush(self) -> None:
        """Decode the characters read so far, before anything else follows them."""
        if not self._raw:
            return
        text = "".join(self._raw)
        self._raw.clear()
        if not text.isascii():
            data = text.encode("latin-1")
            try:
                text = data.decode(self._group.codec, "replace")
            except LookupError:
                text = data.decode("cp1252", "replace")
        self._line.append(text)

    def _taken(self) -> str:
        """Return the paragraph so far, and begin the next one."""
        self._flush()
        text = "".join(self._line)
        self._line.clear()
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return text

    def _end_paragraph(self) -> None:
        if self._group.aside or self._is_cell or any(group.aside for group in self._groups[-8:]):
            self._flush()
            self._line.append("\n")
            return
        self.layout.add(self._taken())
        self._add_after()

    def _end_cell(self, *, is_row: bool) -> None:
        if not is_row:
            self._cells.append(" ".join(self._taken().split()))
            return
        cells, self._cells = self._cells, []
        self.layout.add_row(cells)
        self._add_after()

    def _add_after(self) -> None:
        after, self._after = self._after, []
        for block in after:
            self.layout.add(block)

    def _close(self) -> None:
        """End a group; content that is written apart goes to its place."""
        self._flush()
        self._due = 0
        group = self._group
        if self._groups:
            self._group = self._groups.pop()
        if group.target:
            self._line.append(shown_target(group.target, "".join(self._line[group.begin :])))
        if not group.aside:
            return
        text = self._taken()
        self._line = group.outer
        words = " ".join(text.split())
        if group.aside == "code":
            link = _TARGET.match(text)
            self._target = link[1] if link else ""
        elif group.aside == "note" and words:
            self._notes += 1
            self._line.append(f" [note {self._notes}]")
            self._after.append(f"Note {self._notes}: {words}")
        elif group.aside == "comment" and words:
            self._after.append(f"[Comment: {words}]")
        elif group.aside == "box":
            self._after.append(text)
        elif group.aside == "margin" and words and words not in self._margins:
            self._margins.add(words)
            self.layout.add(words)

    def _end_of_group(self, at: int) -> int:
        """Return where the group ends, without reading it."""
        depth = 1
        while (token := _BRACE.search(self._source, at)) is not None:
            at = token.end()
            if token[0] == "{":
                depth += 1
            elif token[0] == "}":
                depth -= 1
                if not depth:
                    return token.start()
            elif token[1]:
                at += int(token[1])
        return len(self._source)


def _bytes(escapes: str) -> str:
    """Return numbers as bytes, one character each."""
    return bytes.fromhex(escapes.replace("\\'", "")).decode("latin-1")
