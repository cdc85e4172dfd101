"""The lines that calendars and address cards are made of: `NAME;PARAMETER=…:value`."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import lru_cache
from quopri import decodestring
from typing import NamedTuple

from ingest.text.clean import clean_line, decode

# A quoted parameter may hold the colon that otherwise begins the value.
_QUOTED = re.compile(r'((?:"[^"]*"|\\.|[^:"\\])*):(.*)', re.DOTALL)
_PARAMETER = re.compile(r';?([^=;"]+)(=(?:"[^"]*"|\\.|[^;"\\])*)?', re.DOTALL)
_ITEM = re.compile(r'"[^"]*"|(?:\\.|[^,"\\])+', re.DOTALL)
# A broken encoder writes this after a line that it says goes on.
_PROPERTY = re.compile(r"(?:[\w-]+\.)?[A-Z][A-Z-]+(?:;[^:]{0,200})?:")
_BLANK = re.compile(r"\n{2,}")
_CARET = re.compile(r"\^([n'^])")
_ESCAPE = re.compile(r"\\([\\,;:\"nN])")
_CUT_LETTER = re.compile(rb"\r?\n[ \t](?=[\x80-\xbf])")
_LONGEST = 4096
"""Characters of a line's parameters that are looked at."""
_PARTS = 1000
"""Into how many parts a value is split; a longer one stays whole."""
_PRINTABLE = "QUOTED-PRINTABLE"


def whole_letters(data: bytes) -> bytes:
    """Return folded lines with those joined that were folded within a letter of UTF-8."""
    return _CUT_LETTER.sub(b"", data)


class Line(NamedTuple):
    """One content line, unfolded, its value still as written."""

    name: str
    """In upper case, without the group."""
    parameters: str
    """All parameters, as they follow the name; may be empty."""
    value: str
    group: str = ""
    """What joins lines of a card: `item1` of `item1.TEL`."""

    @property
    def options(self) -> dict[str, list[str]]:
        """The parameters by upper-case name; a bare `HOME` is a type, as in vCard 2.1."""
        return _options(self.parameters[:_LONGEST])

    def option(self, name: str) -> str:
        """Return the first value of a parameter, or empty."""
        if not self.parameters:
            return ""
        values = _options(self.parameters[:_LONGEST]).get(name)
        return values[0] if values else ""

    @property
    def decoded(self) -> str:
        """The value, decoded, with its escapes still in it."""
        if _PRINTABLE not in self.parameters.upper():
            return self.value
        return decode(decodestring(self.value.encode("utf-8", "replace")), self.option("CHARSET"))

    @property
    def text(self) -> str:
        """The value as its author wrote it; may have several lines."""
        return plain(self.decoded)

    @property
    def values(self) -> list[str]:
        """The values between commas."""
        return [plain(value) for value in split(self.decoded, ",")]


def content_lines(text: str, wanted: Container[str], is_old: bool = False) -> Iterator[Line]:
    r"""Yield the lines in `text`, whose line breaks are \n, that have a `wanted` name.

    In an `is_old` text, of version 2.1, unfolding keeps the space that begins a fold.
    """
    for row in _unfolded(text, is_old):
        head, colon, value = row.partition(":")
        name, _, parameters = head.partition(";")
        name, group = name.upper(), ""
        if name not in wanted:
            group, _, name = name.strip().rpartition(".")
            if name not in wanted:
                continue
        if parameters and (parameters.count('"') % 2 or parameters.endswith("\\")):
            found = _QUOTED.match(row, row.index(";") + 1)
            parameters, value = found.groups() if found else (parameters, value)
        if colon:
            yield Line(name, parameters, value, group)


def _unfolded(text: str, is_old: bool) -> list[str]:
    """Return the logical lines of `text`."""
    if "\n\n" in text:
        text = _BLANK.sub("\n", text)
    if not is_old and _PRINTABLE not in text.upper():
        return text.replace("\n ", "").replace("\n\t", "").split("\n")
    rows: list[list[str]] = []
    goes_on = is_encoded = False
    for row in text.split("\n"):
        if goes_on and not _PROPERTY.match(row):
            rows[-1] += [row.removesuffix("=")] if row.endswith("=") else [row]
            goes_on = row.endswith("=")
        elif row[:1] in (" ", "\t") and rows:
            rows[-1].append(row if is_old and not is_encoded else row[1:])
        else:
            is_encoded = _PRINTABLE in row.partition(":")[0].upper()
            goes_on = is_encoded and row.endswith("=")
            rows.append([row.removesuffix("=") if goes_on else row])
    return ["".join(row) for row in rows]


@lru_cache(maxsize=1024)
def _options(parameters: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in _PARAMETER.findall(parameters):
        key, items = (name.strip().upper(), value[1:]) if value else ("TYPE", name)
        values = [_option(item) for item in _ITEM.findall(items)]
        found.setdefault(key, []).extend(values)
    return found


def split(value: str, separator: str) -> list[str]:
    r"""Return the parts of a value between separators that no `\` escapes; still escaped."""
    if value.count(separator) > _PARTS:
        return [value]
    if "\\" not in value:
        return value.split(separator)
    parts = [""]
    for piece in re.split(rf"(\\.|{separator})", value, flags=re.DOTALL):
        if piece == separator:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def plain(value: str) -> str:
    """Return a text value without its escapes."""
    if "\\" not in value:
        return value
    return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


def _option(value: str) -> str:
    """Return the value of a parameter without quotes and escapes."""
    value = plain(value.strip('" '))
    if "^" in value:
        signs = {"n": "\n", "'": '"', "^": "^"}
        value = _CARET.sub(lambda found: signs[found[1]], value)
    return clean_line(value)
