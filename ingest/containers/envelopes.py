"""Recognises the line that precedes each message in an mbox."""

from __future__ import annotations

import re

# The line that git puts before a patch looks like an envelope line, but is not.
_PATCH = re.compile(rb"From [0-9a-f]{40} Mon Sep 17 00:00:00 2001")
_FIELD = re.compile(rb"[!-9;-~]+:|>From ")
_TIME, _YEAR = re.compile(rb"\d:\d\d"), re.compile(rb"\d{4}")
_LENGTH = 1000
"""Bytes of the longest envelope line, and of the name of the field below it."""


def begins_message(data: bytes, at: int = 0) -> bool:
    """Say whether an envelope line begins at `at`, with a header field below it."""
    end = data.find(b"\n", at, at + _LENGTH)
    if end < 0 or not data.startswith(b"From ", at):
        return False
    if not _FIELD.match(data, end + 1, end + _LENGTH) or _PATCH.match(data, at):
        return False
    line = data[at + 5 : end].removesuffix(b"\r")
    time = _TIME.search(line)
    dated = time is not None and _YEAR.search(line, time.end()) is not None
    return b"\r" not in line and (dated or b" " not in line.rstrip(b" "))
