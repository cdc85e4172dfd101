"""A question from standard input, where `-` stands for it."""

from __future__ import annotations

import sys

from app.errors import UsageError

STANDARD_INPUT = "-"
_MOST = 64 << 10
"""Bytes of a question; a file of a person's is a source, not a question."""


def question_from(typed: str) -> str:
    """Return the question, read from standard input for `-`. Raises `UsageError`."""
    if typed != STANDARD_INPUT:
        return typed
    read = sys.stdin.buffer.read(_MOST + 1)
    if len(read) > _MOST:
        raise UsageError(
            f"What came through standard input is longer than {_MOST >> 10} KB: no question.",
            remedy="Save it, and name the file behind the question.",
        )
    try:
        question = read.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise UsageError(
            "What came through standard input is not UTF-8.",
            remedy="Send the question as UTF-8 text.",
        ) from error
    if not question:
        raise UsageError(
            "Nothing came through standard input.",
            remedy="Send the question: echo QUESTION | askance … - [PATH]...",
        )
    return question
