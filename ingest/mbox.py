"""Cuts a mailbox into messages, block by block, and reads each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.files import File
from ingest.item import Reason, Skipped
from ingest.mail import mail_items
from ingest.recognise import ENVELOPE
from ingest.sieve import Read, Scope

BLOCK = 8 << 20
MESSAGE_LIMIT = 128 << 20
"""Bytes of the largest message that is read."""
_LOOK_AHEAD = 2048
# What marks a message even where the line before it is not empty.
_CERTAIN = re.compile(
    rb"From [^ \r\n]+ +[A-Z][a-z]{2} [A-Z][a-z]{2} +\d\d? +\d\d:\d\d[^\r\n]*\r?\n"
    rb"(?:Return-Path|Received|Delivered-To|From|To|Subject|Date|Message-ID|MIME-Version|Content-"
    rb"[A-Za-z-]+|X-[!-9;-~]+|Status):",
    re.IGNORECASE,
)
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)


def read_mbox(file: File, scope: Scope) -> Iterator[Read]:
    """Yield the mails of an mbox and what is attached to them."""
    for offset, message, last in split(file):
        if message is None:
            remedy = f"The message is larger than {MESSAGE_LIMIT >> 20} MB."
            yield Skipped(file.path, Reason.TOO_LARGE, remedy, f"message at byte {offset}")
            continue
        envelope, _, content = message.partition(b"\n")
        if b"\n>" in content:
            content = _ESCAPED.sub(rb"\1", content)
        yield from mail_items(content, file.path, scope, offset, envelope, last=last)


def read_message(file: File, scope: Scope) -> Iterator[Read]:
    """Yield the mail in a file of its own (.eml, Maildir) and what is attached to it."""
    yield from mail_items(file.whole(MESSAGE_LIMIT), file.path, scope, last=True)


def split(file: File) -> Iterator[tuple[int, bytes | None, bool]]:
    """Yield each message with its byte offset and whether it is the last; None when too large.

    A message begins at a line `From ` with a date and a header field below, as `recognise` has it.
    """
    buffer, base, start, search, dropping = b"", 0, 0, 0, False
    while True:
        ended = base + len(buffer) >= file.size
        cut = _next_start(buffer, search, ended)
        if cut is not None:
            if not dropping:
                yield base + start, buffer[start:cut], False
            start, search, dropping = cut, cut + 1, False
            continue
        block = b"" if ended else file.at(base + len(buffer), BLOCK)
        if not block:
            break
        if len(buffer) - start > MESSAGE_LIMIT and not dropping:
            yield base + start, None, False
            dropping = True
        searched = max(start, len(buffer) - _LOOK_AHEAD - 1)
        start = searched if dropping else start
        buffer, base, search, start = buffer[start:] + block, base + start, searched - start, 0
    if start < len(buffer) and not dropping:
        yield base + start, buffer[start:], True


def _next_start(buffer: bytes, search: int, ended: bool) -> int | None:
    """Return where the next message begins; None when it does not begin in what is here."""
    while True:
        newline = buffer.find(b"\nFrom ", search)
        if newline < 0 or not (ended or newline < len(buffer) - _LOOK_AHEAD):
            return None
        start = newline + 1
        if ENVELOPE.match(buffer, start):
            blank = buffer[max(0, newline - 2) : newline].rstrip(b"\r").endswith(b"\n")
            if blank or _CERTAIN.match(buffer, start):
                return start
        search = start
