"""From the bytes of a file, an attachment or an archive member to the items in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

from ingest.damage import DAMAGED
from ingest.files import UnreadableError
from ingest.foreign import claimed, not_loaded
from ingest.item import Item, Kind, Reason
from ingest.origin import Origin
from ingest.recognise import (
    DOCUMENT,
    HEAD,
    Format,
    describe_unsupported,
    is_picture,
    kinds_of,
    refine,
)
from ingest.sieve import LeftOut, Read, Scope

Reader = Callable[[bytes, Origin, Scope], Iterator[Read]]
"""Yields what the bytes hold; may raise UnreadableError, or what `DAMAGED` lists."""


@dataclass(frozen=True, slots=True)
class _Row:
    module: str
    function: str
    limit: int
    """Megabytes of the largest file that is read."""
    is_titled: bool = False
    """Whether the format gives its documents titles."""
    is_dated: bool = False
    """Whether the format gives its documents dates, or whether they have none."""

    def load(self) -> Reader:
        reader: Reader = getattr(import_module(self.module), self.function)
        return reader


_READERS = {
    Format.CALENDAR: _Row("ingest.calendars.calendar", "calendar_items", 128, is_titled=True),
    Format.CARDS: _Row("ingest.calendars.contacts", "contact_items", 128, is_titled=True),
    Format.OUTLOOK: _Row("ingest.outlook.msg", "outlook_items", 256, is_titled=True),
    Format.PST: _Row("ingest.outlook.pst", "pst_items", 256, is_titled=True),
    Format.TNEF: _Row("ingest.outlook.tnef", "tnef_items", 256),
    Format.PDF: _Row("ingest.pdf.document", "pdf_items", 512, is_titled=True),
    Format.LATEX: _Row("ingest.documents.latex", "latex_items", 64),
    Format.NOTEBOOK: _Row("ingest.documents.notebook", "notebook_items", 128),
    Format.EVERNOTE: _Row(
        "ingest.notes.evernote", "evernote_items", 512, is_titled=True, is_dated=True
    ),
    Format.JOPLIN: _Row("ingest.notes.joplin", "joplin_items", 64, is_titled=True, is_dated=True),
    Format.KEEP: _Row("ingest.notes.keep", "keep_items", 64, is_titled=True, is_dated=True),
    Format.KEEP_PAGE: _Row("ingest.notes.keep", "keep_page_items", 64, is_titled=True),
    Format.WEBARCHIVE: _Row("ingest.notes.pages", "webarchive_items", 256, is_titled=True),
    Format.BOOKMARKS: _Row("ingest.notes.pages", "bookmark_items", 64),
    Format.RTF: _Row("ingest.office.word.rtf", "rtf_items", 128),
    Format.EPUB: _Row("ingest.documents.epub", "epub_items", 256, is_titled=True),
    Format.DOCX: _Row("ingest.office.word.docx", "docx_items", 512),
    Format.PPTX: _Row("ingest.office.pptx", "pptx_items", 512),
    Format.XLSX: _Row("ingest.office.sheets.xlsx", "xlsx_items", 512, is_titled=True),
    Format.DOC: _Row("ingest.office.word.doc", "doc_items", 256),
    Format.PPT: _Row("ingest.office.ppt", "ppt_items", 512),
    Format.XLS: _Row("ingest.office.sheets.xls", "sheet_items", 256, is_titled=True),
    Format.ODT: _Row("ingest.office.opendocument", "text_items", 256),
    Format.ODP: _Row("ingest.office.opendocument", "slide_items", 256),
    Format.ODS: _Row("ingest.office.opendocument", "sheet_items", 256, is_titled=True),
    Format.SEALED: _Row("ingest.office.sealed", "sealed_items", 512),
    Format.ARCHIVE: _Row("ingest.archives", "zip_items", 1024),
    Format.TAR: _Row("ingest.archives", "tar_items", 1024),
    Format.PACKED: _Row("ingest.archives", "packed_items", 512),
    Format.ZIP: _Row("ingest.archives", "zip_items", 1024),
    Format.OLE: _Row("ingest.office.sealed", "sealed_items", 512),
    Format.HTML: _Row("ingest.html.text", "html_items", 64, is_titled=True),
    Format.LINES: _Row(
        "ingest.documents.records", "line_items", 256, is_titled=True, is_dated=True
    ),
    Format.CHAT: _Row("ingest.chats.chat", "chat_items", 256, is_titled=True, is_dated=True),
    Format.JSON: _Row("ingest.documents.records", "json_items", 256),
    Format.TABLE: _Row("ingest.documents.records", "table_items", 256),
    Format.TEXT: _Row("ingest.documents.records", "text_items", 256),
    Format.PICTURE: _Row("ingest.scans.pictures", "picture_items", 256),
    Format.DATABASE: _Row(
        "ingest.databases.database", "database_items", 256, is_titled=True, is_dated=True
    ),
    Format.FOREIGN: _Row("ingest.foreign", "foreign_items", 256, is_titled=True),
}
"""Modules are imported when the first file of their format is met."""
_PICTURES = _Row("ingest.office.pictures", "pictures_within", 512)
_WITH_PICTURES = frozenset(
    {Format.DOCX, Format.PPTX, Format.XLSX, Format.ODT, Format.ODP, Format.ODS, Format.EPUB}
)


def limit_of(form: Format) -> int:
    """Return the bytes of the largest file of this format that is read."""
    return _READERS[form].limit << 20


def told(form: Format, head: bytes, name: str, scope: Scope) -> Format:
    """Return the format, where it hangs on what is installed or asked for."""
    if form is Format.UNSUPPORTED and scope.budget.scans and is_picture(head):
        return Format.PICTURE
    return claimed(form, head, name)


def items_in(data: bytes, origin: Origin, scope: Scope, form: Format) -> Iterator[Read]:
    """Yield the items in `data` that pass the filters, and what of it is skipped and why."""
    kinds = kinds_of(form)
    try:
        form = told(refine(form, data), data[:HEAD], origin.title, scope)
        kinds = kinds_of(form)
        yield from _items(data, origin, scope, form)
    except UnreadableError as error:
        missed = kinds if data.strip() else frozenset()  # of an empty file nothing is missed
        yield origin.skipped(error.reason, error.remedy, kinds=missed)
    except DAMAGED as error:
        remedy = f"It could not be read ({type(error).__name__}); save it again."
        yield origin.skipped(Reason.CORRUPT, remedy, kinds=kinds)


def _items(data: bytes, origin: Origin, scope: Scope, form: Format) -> Iterator[Read]:
    kinds = kinds_of(form)
    if form is Format.UNSUPPORTED:
        remedy, kinds = describe_unsupported(data[:HEAD])
        skipped = origin.skipped(Reason.UNSUPPORTED, remedy + not_loaded(), kinds=kinds)
        yield skipped if not kinds or scope.wants_any(kinds) else LeftOut()
        return
    if form is Format.EMPTY or not data.strip():
        raise UnreadableError(Reason.EMPTY, "The file is empty.")
    row = _READERS[form]
    if _left_out(origin, scope, kinds, row):
        yield LeftOut()
        return
    if len(data) > limit_of(form):
        raise UnreadableError(Reason.TOO_LARGE, f"It is larger than {row.limit} MB; split it.")
    holds_pictures = form in _WITH_PICTURES and bool(scope.budget.scans)
    if not holds_pictures or (scope.scans is None and scope.page is None):
        for read in row.load()(data, origin, scope):
            yield LeftOut() if isinstance(read, Item) and _misnamed(read, origin, scope) else read
    if holds_pictures:
        yield from _PICTURES.load()(data, origin, scope)


def _left_out(origin: Origin, scope: Scope, kinds: frozenset[Kind], row: _Row) -> bool:
    """Say whether no item of a document can pass. Entries have dates and titles of their own."""
    if kinds != DOCUMENT:
        return not scope.wants_any(kinds)
    titles = () if row.is_titled and not origin.subjects else origin.titles
    dated = row.is_dated or scope.admits_date(origin.when)
    return not (scope.wants_any(kinds) and dated and (not titles or scope.admits_titles(*titles)))


def _misnamed(item: Item, origin: Origin, scope: Scope) -> bool:
    """Say whether a document has none of the titles asked for; an attachment has its mail's."""
    if item.kind is not Kind.DOCUMENT or origin.subjects:
        return False
    return not scope.admits_titles(item.title)
