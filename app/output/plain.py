"""Text that cannot steer a terminal. Readers clean file contents; names come from anywhere."""

from __future__ import annotations

import re
import shutil
import textwrap
from pathlib import Path
from typing import TextIO

# C0 and C1 controls, DEL, line and paragraph separators, bidirectional marks and overrides,
# lone surrogates (undecodable bytes of a file name).
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
PATH_SHOWN = 28
"""Letters of a path beside other facts."""
_UNSAFE_BLOCK = re.compile(_UNSAFE.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))


def one_line(text: str) -> str:
    """Return `text` on one line: blanks folded, anything a terminal would obey shown as `�`."""
    return _UNSAFE.sub("�", " ".join(text.split()))


def lines(text: str) -> str:
    """Return `text` with its line breaks, tabs as blanks, without what a terminal would obey."""
    return _UNSAFE_BLOCK.sub("�", text.replace("\r\n", "\n").replace("\t", "    "))


def short_path(path: Path, room: int = PATH_SHOWN) -> str:
    """Return a path with `~` for the home folder, its middle left out where it is long."""
    if path.is_relative_to(Path.home()):
        path = "~" / path.relative_to(Path.home())
    shown = one_line(str(path))
    if len(shown) <= room:
        return shown
    begin = max(room - len(path.name) - 2, room // 3)
    return f"{shown[:begin]}…{shown[begin + 1 - room :]}"


def counted(count: int, noun: str) -> str:
    """Return `1 file`, `4,212 files`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def folded(text: str, stream: TextIO) -> str:
    """Break long lines at blanks if the stream is a terminal; what is indented stays so."""
    if not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(_folded_line(line, width) for line in text.split("\n"))


def _folded_line(line: str, width: int) -> str:
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.fill(
        line,
        width,
        initial_indent="",
        subsequent_indent=indent,
        drop_whitespace=True,
        break_long_words=False,  # a path stays one word, to be clicked or copied
        break_on_hyphens=False,
    )


def escape_json(dumped: str) -> str:
    r"""Write what a terminal would obey as `\uXXXX` in JSON text, which means the same there.

    `json.dumps` escapes the C0 controls only. Line breaks between members are kept.
    """
    return _UNSAFE_BLOCK.sub(lambda match: f"\\u{ord(match[0]):04x}", dumped)
