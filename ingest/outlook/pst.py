"""Outlook mailboxes (.pst, .ost), read by libpff, which is the extra `[pst]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from ingest.damage import DAMAGED
from ingest.files import UnreadableError
from ingest.item import Item, Locator, People, Reason, Skipped
from ingest.mail.mime import Part
from ingest.mail.shelves import shelf_named
from ingest.origin import Origin
from ingest.outlook.mapi import MapiMessage, Properties, attached_message, attachment
from ingest.outlook.msg import mapi_items
from ingest.sieve import Read, Scope
from ingest.text.clean import clean_line

_REMEDY = "Outlook mailboxes need an extra part; install askance[pst]."
_DAMAGED = "It is damaged or still open in Outlook; close Outlook, or export it again."
_FOLDERS = 50
"""How deep folders are entered."""
_ATTACHMENTS = 1000
_DEPTH = 8
_LARGEST = 128 << 20


class PstSource(Protocol):
    """What a mailbox is read from."""

    path: Path
    size: int
    mark: int

    def at(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`."""


def read_pst(file: PstSource, scope: Scope) -> Iterator[Read]:
    """Yield the mails of an Outlook mailbox and what is attached to them.

    Raises UnreadableError when libpff is not installed or cannot open it.
    """
    try:
        import pypff
    except ImportError as error:
        raise UnreadableError(Reason.UNSUPPORTED, _REMEDY) from error
    mailbox = pypff.file()
    try:
        mailbox.open_file_object(_FileObject(file))
    except DAMAGED as error:
        raise UnreadableError(Reason.CORRUPT, _DAMAGED) from error
    try:
        yield from _folder(mailbox.get_root_folder(), (), file, scope)
    finally:
        mailbox.close()


def pst_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the content of a mailbox that is an attachment or lies in an archive."""
    yield from read_pst(_MailboxInMemory(data, origin.locator.path), scope)


def _folder(folder: Any, above: tuple[str, ...], file: PstSource, scope: Scope) -> Iterator[Read]:
    """Yield the content of a folder, the newest first, then that of the folders in it."""
    name = clean_line(folder.name or "")
    place = (*above, name) if name else above
    for number in range(folder.number_of_sub_messages - 1, -1, -1):
        try:
            message = folder.get_sub_message(number)
            file.mark = message.identifier
            yield from _message(message, place, file, scope)
        except DAMAGED:
            member = f"{'/'.join(place)}, message {number + 1}"
            yield Skipped(file.path, Reason.CORRUPT, _DAMAGED, member)
    if len(place) >= _FOLDERS:
        return
    for number in range(folder.number_of_sub_folders):
        yield from _folder(folder.get_sub_folder(number), place, file, scope)


def _message(message: Any, place: tuple[str, ...], file: PstSource, scope: Scope) -> Iterator[Read]:
    locator = Locator(file.path, member="/".join(place) or None, offset=message.identifier)
    shelf = next(filter(None, map(shelf_named, reversed(place))), None)
    for read in mapi_items(_message_of(message, 0), Origin("", None, People(), locator), scope):
        yield replace(read, shelf=shelf) if isinstance(read, Item) and shelf else read


def _message_of(message: Any, depth: int) -> MapiMessage:
    known = _properties(message)
    attachments = [
        _attachment(message.get_attachment(number), known.charset, depth)
        for number in range(min(message.number_of_attachments, _ATTACHMENTS))
    ]
    people = message.recipients
    listed = (
        [_record(people.get_record_set(n)) for n in range(people.number_of_record_sets)]
        if people
        else []
    )
    recipients = [Properties(values, known.charset) for values in listed]
    return MapiMessage(known, recipients, attachments, lambda: message.rtf_body or b"")


def _attachment(attached: Any, charset: str, depth: int) -> Part:
    known = _properties(attached, charset)
    inner = attached.number_of_sub_items and attached.get_sub_item(0)
    if inner and depth < _DEPTH and hasattr(inner, "get_transport_headers"):
        return attached_message(known, _message_of(inner, depth + 1))
    size = attached.size or 0

    def load() -> bytes:
        attached.seek_offset(0)
        data: bytes = attached.read_buffer(min(size, _LARGEST))
        return data

    return attachment(known, load, size)


def _properties(item: Any, charset: str = "") -> Properties:
    values: dict[int, tuple[int, bytes]] = {}
    for number in range(item.number_of_record_sets):
        values = {**_record(item.get_record_set(number)), **values}
    return Properties(values, charset)


def _record(record: Any) -> dict[int, tuple[int, bytes]]:
    entries = [record.get_entry(number) for number in range(record.number_of_entries)]
    return {
        entry.entry_type: (entry.value_type, entry.data or b"")
        for entry in entries
        if entry.entry_type is not None and entry.value_type not in (None, 0x000D)
    }


class _MailboxInMemory:
    """A mailbox in memory."""

    def __init__(self, data: bytes, path: Path) -> None:
        self.path = path
        self.size = len(data)
        self.mark = 0
        self._data = data

    def at(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]


class _FileObject:
    """A file in the form that libpff wants."""

    def __init__(self, file: PstSource) -> None:
        self._file = file
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        size = self._file.size - self._at if size < 0 else size
        data = self._file.at(self._at, size)
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._file.size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def get_size(self) -> int:
        return self._file.size
