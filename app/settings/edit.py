"""Small edits of config.toml that keep the person's comments and order.

An edit touches the one value it is about. The result is parsed and compared with what was
meant before it replaces the file; a file of a shape that these edits do not know is refused,
never rewritten. Several instances may edit at once: each waits for the one before.
"""

from __future__ import annotations

import contextlib
import copy
import fcntl
import json
import os
import re
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from app.errors import ConfigError, ConfigNotWritten
from app.settings.config import parse, read_text

Scalar = str | bool | int | float
"""What a value may be, besides a list of texts."""

_OPAQUE = re.compile(r"""#[^\n]*|"(?:\\.|[^"\\\n])*"|'[^'\n]*'""")
"""Comments and one-line strings: brackets and commas inside them mean nothing."""
_BARE = re.compile(r"[^\s#,]+")
"""A number, true or false."""


def set_value(path: Path, section: str, key: str, value: Scalar | Sequence[str]) -> None:
    """Set `[section] key`. Raises `ConfigError` and `ConfigNotWritten`."""
    with _alone(path):
        text = read_text(path)
        meant = _copy_of(text, path)
        meant.setdefault(section, {})[key] = value if isinstance(value, Scalar) else list(value)
        span = _value_span(text, section, key)
        if span is None:
            edited = _with_new_key(text, section, f"{key} = {_literal(value)}")
        else:
            edited = text[: span[0]] + _literal(value) + text[span[1] :]
        _replace(path, edited, meant)


def unset(path: Path, section: str, key: str) -> None:
    """Take `[section] key` out; a comment beside it stays. Raises as `set_value` does."""
    with _alone(path):
        text = read_text(path)
        meant = _copy_of(text, path)
        span = _value_span(text, section, key)
        if span is None:
            if key in meant.get(section, {}):
                raise _by_hand(path)
            return
        del meant[section][key]
        begin = text.rfind("\n", 0, span[0]) + 1
        end = len(text) - len(text[span[1] :].lstrip(" \t"))
        if text[end : end + 1] == "\n":
            end += 1
        _replace(path, text[:begin] + text[end:], meant)


def add_to_list(path: Path, section: str, key: str, added: str) -> None:
    """Append a text to the list `[section] key` if it lacks it. Raises as `set_value` does."""
    with _alone(path):
        text = read_text(path)
        meant = _copy_of(text, path)
        listed = meant.setdefault(section, {}).setdefault(key, [])
        if added in listed:  # another instance was quicker
            return
        listed.append(added)
        span = _value_span(text, section, key)
        if span is None:
            edited = _with_new_key(text, section, f"{key} = [\n    {_literal(added)},\n]")
        else:
            edited = _with_element(text, span, added)
        _replace(path, edited, meant)


def remove_from_list(path: Path, section: str, key: str, removed: str) -> None:
    """Take a text out of the list `[section] key` if it is there. Raises as `set_value` does."""
    with _alone(path):
        text = read_text(path)
        meant = _copy_of(text, path)
        if removed not in meant.get(section, {}).get(key, []):
            return
        meant[section][key].remove(removed)
        span = _value_span(text, section, key) or (0, 0)
        for token in _OPAQUE.finditer(text, *span):
            if token[0][0] in "\"'" and tomllib.loads(f"t = {token[0]}")["t"] == removed:
                # The comma after it and the blanks before it go too; a comment stays.
                after = re.compile(r"[ \t]*,[ \t]*").match(text, token.end())
                before = len(text[: token.start()].rstrip(" \t"))
                end = after.end() if after else token.end()
                if text[before - 1] == "\n" and text[end : end + 1] == "\n":
                    end += 1
                _replace(path, text[:before] + text[end:], meant)
                return
        raise _by_hand(path)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let no other instance edit the file meanwhile. Raises `ConfigNotWritten`.

    The folder is what is locked, so that nothing is left in it; the kernel lets go of it when its
    holder dies.
    """
    folder = path.resolve().parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise _not_written(path, error) from error
    try:
        with contextlib.suppress(OSError):  # some network file systems lock no folders
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _copy_of(text: str, path: Path) -> dict[str, dict[str, Any]]:
    return copy.deepcopy(parse(text, path))  # type: ignore[arg-type]


def _literal(value: Scalar | Sequence[str]) -> str:
    if isinstance(value, Scalar):  # JSON writes true, numbers and texts as TOML does
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(map(_literal, value))}]"


def _masked(text: str) -> str:
    return _OPAQUE.sub(lambda match: "~" * len(match[0]), text)


def _header_end(text: str, section: str) -> int | None:
    """Return where the line after `[section]` begins, or None without such a line."""
    found = re.search(rf"^[ \t]*\[[ \t]*{section}[ \t]*\][^\n]*(\n|\Z)", text, re.MULTILINE)
    return found.end() if found else None


def _value_span(text: str, section: str, key: str) -> tuple[int, int] | None:
    """Return start and end of the value of `key`, or None when the section lacks it."""
    begin = _header_end(text, section)
    if begin is None:
        return None
    following = re.compile(r"^[ \t]*\[", re.MULTILINE).search(_masked(text), begin)
    limit = following.start() if following else len(text)
    assigned = re.compile(rf"^[ \t]*{key}[ \t]*=[ \t]*", re.MULTILINE).search(text, begin, limit)
    if assigned is None:
        return None
    start = assigned.end()
    if text[start] == "[":
        closing = _masked(text).find("]", start)
        return start, closing + 1
    token = _OPAQUE.match(text, start) or _BARE.match(text, start)
    return start, token.end() if token else start


def _with_new_key(text: str, section: str, line: str) -> str:
    begin = _header_end(text, section)
    if begin is None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[{section}]\n{line}\n"
    gap = "" if text[:begin].endswith("\n") else "\n"
    return f"{text[:begin]}{gap}{line}\n{text[begin:]}"


def _with_element(text: str, span: tuple[int, int], added: str) -> str:
    """Insert before the closing bracket, after the last element and its comma."""
    inside = _OPAQUE.sub(
        lambda match: (" " if match[0][0] == "#" else "~") * len(match[0]),
        text[span[0] + 1 : span[1] - 1],
    )
    kept = inside.rstrip()
    at = span[0] + 1 + len(kept)
    comma = "" if not kept or kept.endswith(",") else ","
    if "\n" in inside:
        return f"{text[:at]}{comma}\n    {_literal(added)},{text[at:]}"
    return f"{text[:at]}{comma}{' ' if kept else ''}{_literal(added)}{text[at:]}"


def _replace(path: Path, text: str, meant: object) -> None:
    """Write atomically, mode 0600, if the text means what was meant."""
    try:
        if tomllib.loads(text) != meant:
            raise _by_hand(path)
    except tomllib.TOMLDecodeError as error:
        raise _by_hand(path) from error
    try:
        target = path.resolve()  # a link into a folder of dotfiles stays a link
        handle, name = tempfile.mkstemp(prefix=".config-", dir=target.parent)  # mode 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _not_written(path, error) from error


def _not_written(path: Path, error: OSError) -> ConfigNotWritten:
    return ConfigNotWritten(
        f"{path} could not be written: {error.strerror}. It is as it was.",
        remedy="Make room or correct the folder's permissions, then try again.",
        path=path,
    )


def _by_hand(path: Path) -> ConfigError:
    return ConfigError(
        f"{path} has a form that cannot be edited without losing something of yours.",
        remedy="Change the setting by hand; `askance config validate` checks it.",
        path=path,
    )
