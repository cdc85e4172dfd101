"""Splits a mailbox into messages and reads each, the newest first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.containers.envelopes import begins_message
from ingest.files import File
from ingest.item import Reason, Skipped
from ingest.mail.leap import find_leaping
from ingest.mail.message import Phase, RawMessage, mail_items
from ingest.recognise import HEAD
from ingest.sieve import Read, Scope

BLOCK = 1 << 20
"""Bytes read at a time: few enough to stay in the cache of the processor."""
MESSAGE_LIMIT = 128 << 20
"""Bytes of the largest message that is read."""
_LOOK_AHEAD = 2048
"""Bytes at the beginning of a message that suffice to recognise it."""
_LOOK_BACK = 3
_FIRST_LOOK = 64 << 10
"""Bytes that are searched first for the next message; most begin there."""
# Marks a message even if the line before it is not empty.
_CERTAIN = re.compile(
    rb"From [^ \r\n]+ +[A-Z][a-z]{2} [A-Z][a-z]{2} +\d\d? +\d\d:\d\d[^\r\n]*\r?\n"
    rb"(?:Return-Path|Received|Delivered-To|From|To|Subject|Date|Message-ID|MIME-Version|Content-"
    rb"[A-Za-z-]+|X-[!-9;-~]+|Status):",
    re.IGNORECASE,
)
_ESCAPED = re.compile(rb"\n>(>*From )")


def read_mbox(file: File, scope: Scope) -> Iterator[Read]:
    """Yield the mails of an mbox, from the last to the first; attachments are put off."""
    yield from read_range(file, scope, 0, file.size)


def read_range(
    file: File, scope: Scope, begin: int, end: int, skip: frozenset[int] = frozenset()
) -> Iterator[Read]:
    """Yield the mails of an mbox that begin in `begin` up to `end`, from the last to the first.

    Where messages begin does not depend on the range. Before each, `file.mark` becomes its
    offset; those at an offset in `skip` are left alone.
    """
    for start, stop, block, base in _messages(file, begin, end):
        file.mark = start
        if start in skip:
            continue
        if stop - start > MESSAGE_LIMIT:
            remedy = f"The message is larger than {MESSAGE_LIMIT >> 20} MB."
            yield Skipped(file.path, Reason.TOO_LARGE, remedy, f"message at byte {start}")
            continue
        if stop > base + len(block):
            block, base = file.at(start, stop - start), start
        yield from _mail(block, base, (start, stop), file, scope, Phase.FIRST)


def read_message(file: File, scope: Scope) -> Iterator[Read]:
    """Yield the mail in a file of its own (.eml, Maildir); attachments are put off."""
    yield from mail_items(RawMessage.of(file.whole(MESSAGE_LIMIT)), file.path, scope)


def read_later(file: File, scope: Scope, offset: int) -> Iterator[Read]:
    """Yield what was put off of the message at `offset`, or of a file with one message."""
    file.mark = offset
    if not (offset or begins_message(file.at(0, HEAD).removeprefix(b"\xef\xbb\xbf"))):
        content = RawMessage.of(file.whole(MESSAGE_LIMIT))
        yield from mail_items(content, file.path, scope, Phase.LATER)
        return
    stop = _next_start(file, offset + 1, offset + MESSAGE_LIMIT)
    block = file.at(offset, stop - offset)
    yield from _mail(block, offset, (offset, stop), file, scope, Phase.LATER)


def _mail(
    block: bytes, base: int, span: tuple[int, int], file: File, scope: Scope, phase: Phase
) -> Iterator[Read]:
    """Yield what this phase wants of the message at `span`; `block` begins at `base`."""
    start, stop = span[0] - base, min(span[1] - base, len(block))
    if span[0] == 0 and not block[start:stop].strip():
        # Blank lines before the first message.
        return
    begin = block.find(b"\n", start, stop) + 1 or stop
    separator, last = block[start:begin], span[1] >= file.size
    if find_leaping(block, b">From ", b" ", begin, stop) >= 0:
        block = _ESCAPED.sub(rb"\n\1", block[begin:stop])
        begin, stop = 0, len(block)
    message = RawMessage(block, begin, stop, span[0], separator, last)
    yield from mail_items(message, file.path, scope, phase)


def _messages(file: File, begin: int, end: int) -> Iterator[tuple[int, int, bytes, int]]:
    """Yield start and end of the messages that begin in a range, with a block and where it lies.

    A message may end beyond its block.
    """
    end = min(end, file.size)
    stop = -1
    for window in range(begin + (max(end - begin, 1) - 1) // BLOCK * BLOCK, begin - 1, -BLOCK):
        base = max(0, window - _LOOK_BACK)
        until = min(window + BLOCK, end)
        block = file.at(base, until + _LOOK_AHEAD - base)
        for start in reversed(list(starts_in(block, base, window, until))):
            if stop < 0:
                stop = _next_start(file, end, start + MESSAGE_LIMIT)
            yield start, stop, block, base
            stop = start


def _next_start(file: File, begin: int, give_up: int) -> int:
    """Return where the first message from `begin` starts, or a place beyond `give_up`."""
    window, step = begin, _FIRST_LOOK
    while window < file.size:
        if window > give_up:
            return window
        base = max(0, window - _LOOK_BACK)
        until = min(window + step, file.size)
        block = file.at(base, until + _LOOK_AHEAD - base)
        start = next(starts_in(block, base, window, until), None)
        if start is not None:
            return start
        window, step = until, min(4 * step, BLOCK)
    return file.size


def starts_in(block: bytes, base: int, begin: int, end: int) -> Iterator[int]:
    """Yield where messages start from `begin` to `end`; `block` lies at `base`, somewhat larger.

    A message starts at a line `From ` with a date and a header field below, as `recognise` has it.
    """
    if begin == 0 < end:
        yield 0
    newline, bound = max(begin - base, 1) - 1, end - base + len(b"From ") - 1
    while (newline := find_leaping(block, b"\nFrom ", b" ", newline, bound)) >= 0:
        start = newline + 1
        if begins_message(block, start):
            is_apart = block[max(0, newline - 2) : newline].rstrip(b"\r").endswith(b"\n")
            if is_apart or _CERTAIN.match(block, start, start + _LOOK_AHEAD):
                yield base + start
        newline = start
