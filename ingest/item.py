"""What reading yields: items, and what was skipped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path

from ingest.text.accents import unaccented


class Kind(StrEnum):
    """What an item is to the person who owns it."""

    MAIL = "mail"
    DOCUMENT = "document"
    EVENT = "event"
    TASK = "task"
    CONTACT = "contact"
    MESSAGE = "message"
    """A stretch of a chat, of which each turn is a message."""


class Reason(StrEnum):
    """Why something was not read. The words are part of the `--json` contract."""

    MISSING = "missing"
    PERMISSION = "permission"
    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    WORKER_DIED = "worker_died"
    SCANNED = "scanned"
    EMPTY = "empty"
    LATER = "later"
    LOOP = "loop"
    NOT_A_FILE = "not_a_file"


class Shelf(StrEnum):
    """Where a mail program keeps mail that is not, or not yet, correspondence."""

    TRASH = "trash"
    SPAM = "spam"
    DRAFTS = "drafts"


_NAME_PART = re.compile(r"[^\W\d_][\w.'’ -]*")  # noqa: RUF001
_INITIAL = re.compile(r"[^\W\d_]\.?(?:[^\W\d_]\.)*")
_SUFFIXES = frozenset(
    {"jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "esq", "phd", "md", "inc", "inc.", "ltd"}
)


def spoken_order(name: str) -> str:
    """Return `Lee, Ann` as Ann Lee, and any other name as it is."""
    last, comma, first = name.partition(",")
    first, last = first.strip(), last.strip()
    turned = (
        comma
        and first.lower() not in _SUFFIXES
        and len(name.split()) <= 5
        and _NAME_PART.fullmatch(last)
        and _NAME_PART.fullmatch(first)
    )
    return f"{first} {last}" if turned else name


@dataclass(frozen=True, slots=True)
class Person:
    """One party to a mail or an event."""

    name: str
    """Display name, or empty."""
    address: str
    """E-mail address as written, or empty."""

    def matches(self, part: str) -> bool:
        """Say whether `part` occurs in the address or in a form of the name.

        Case and accents do not count.
        """
        wanted = unaccented(part)
        forms = (self.name, self.spoken, self.without_initials, self.address)
        return any(wanted in unaccented(one) for one in forms)

    @property
    def spoken(self) -> str:
        """The name in spoken order: Ann Lee for `Lee, Ann`."""
        return spoken_order(self.name)

    @property
    def without_initials(self) -> str:
        """The name without middle initials: Ann Lee for `Ann B. Lee`, else empty."""
        first, *middle = self.spoken.split() or [""]
        initials = len(middle) > 1 and all(map(_INITIAL.fullmatch, middle[:-1]))
        return f"{first} {middle[-1]}" if initials else ""

    def __str__(self) -> str:
        """Return `Name <address>`, `"Last, First" <address>`, or the one of them there is."""
        name = f'"{self.name}"' if "," in self.name else self.name
        if name and self.address:
            return f"{name} <{self.address}>"
        return name or self.address


@dataclass(frozen=True, slots=True)
class People:
    """Who an item is from and to."""

    sender: tuple[Person, ...] = ()
    """Authors of a mail (From), or the organiser of an event."""
    to: tuple[Person, ...] = ()
    cc: tuple[Person, ...] = ()
    attendees: tuple[Person, ...] = ()

    @property
    def recipients(self) -> tuple[Person, ...]:
        """Everyone the item is addressed to: `--to` looks here."""
        return self.to + self.cc + self.attendees


@dataclass(frozen=True, slots=True)
class Locator:
    """A path, and what finds the place in it again. Keys that do not apply are None."""

    path: Path
    """Absolute path of the file (the mbox, the PDF, the calendar)."""
    page: int | None = None
    """1-based page; on an `Item`, None: the pages of its text are in `Item.pages`."""
    line: int | None = None
    """1-based line in the file: of a record, or where the item's text begins."""
    message_id: str | None = None
    """Message-ID with its angle brackets; `sha256:…` of the header block when there is none."""
    part: str | None = None
    """MIME part number of an attachment, such as "2" or "2.1"; None for the message itself."""
    offset: int | None = None
    """Byte offset of the message in its mbox."""
    uid: str | None = None
    """UID of an event, task or contact."""
    occurrence: str | None = None
    """RFC 3339 start of this occurrence (date alone when all day)."""
    member: str | None = None
    """Name within an archive, or the file name of an attachment."""
    sheet: str | None = None

    def of_part(self, part: str, member: str) -> Locator:
        """Return the place of an attachment of this message, by its number and name."""
        return Locator(  # five times as fast as `replace`
            self.path,
            self.page,
            self.line,
            self.message_id,
            part,
            self.offset,
            self.uid,
            self.occurrence,
            member,
            self.sheet,
        )


@dataclass(frozen=True, slots=True)
class Copy:
    """Another place where the same mail was found."""

    locator: Locator
    owners: tuple[str, ...]
    """As `Item.owners`."""
    shelf: Shelf | None


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """One message in a stretch of a chat."""

    start: int
    """Offset into the item's text; it ends where the next one begins."""
    sender: Person
    when: datetime | None


@dataclass(frozen=True, slots=True)
class Item:
    """One mail, document, event, task, contact or stretch of a chat, as read just now."""

    kind: Kind
    title: str
    """Subject, file or record title, or event summary; may be empty."""
    when: datetime | None
    """Aware moment the item is dated by: sent, starts, due; None when unknown."""
    people: People
    text: str
    """Normalised text. A mail's begins with its headers, an event's is one line a field."""
    locator: Locator
    until: datetime | None = None
    """Aware end of an event (exclusive), else None."""
    pages: tuple[int, ...] = ()
    """Offsets into `text` at which each page begins; empty when there are no pages."""
    records: tuple[int, ...] = ()
    """Offsets into `text` at which each record (row, JSON member) begins; a record is a passage."""
    lined: bool = False
    """Whether newlines in `text` are newlines of the file: the line of a place in the text is then
    `locator.line` plus the newlines before it. False where they come from within a record."""
    hidden_removed: int = 0
    """Characters of hidden text (zero-width, bidirectional, invisible) taken out."""
    attachments: tuple[str, ...] = ()
    """Names of a mail's attachments ("part 2" without one); pictures shown in its text are left
    out."""
    owners: tuple[str, ...] = ()
    """Whose mailbox a mail shows it to be: the address it was delivered to, or in a Sent folder
    the address it was sent from."""
    shelf: Shelf | None = None
    """Set for a mail that lies in Trash, Spam or Drafts, by its folder, flags or labels."""
    body: int = 0
    """Offset into `text` at which a mail's own words begin, behind its header fields."""
    copies: list[Copy] = field(default_factory=list, compare=False)
    """Where else the same mail lies; grows during reading."""
    flags: tuple[str, ...] = ()
    """What a person should know of a document: "macros", "hidden sheet", "white text"."""
    turns: tuple[ChatTurn, ...] = ()
    """The messages of a chat."""

    def each(self) -> Iterator[Item]:
        """Yield each message of a chat as an item of its own; of anything else the item itself."""
        if not self.turns:
            yield self
        ends = [turn.start for turn in self.turns[1:]] + [len(self.text)]
        for turn, end in zip(self.turns, ends, strict=False):
            yield replace(
                self,
                text=self.text[turn.start : end],
                when=turn.when,
                until=None,
                people=People((turn.sender,), self.people.to),
                turns=(),
            )

    @property
    def quoted(self) -> tuple[tuple[int, int], ...]:
        """Spans of a mail's `text` that repeat earlier mail: quoted lines, history below a reply.

        Found on demand: most mails are never asked.
        """
        if self.kind is not Kind.MAIL:
            return ()
        from ingest.text.quotes import quoted_spans

        spans = quoted_spans(self.text[self.body :])
        return tuple((self.body + begin, self.body + end) for begin, end in spans)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was found and not read."""

    path: Path
    reason: Reason
    remedy: str
    """What the person can do, one sentence."""
    member: str | None = None
    """Message, page or archive member; None for the whole file."""
    kinds: frozenset[Kind] = frozenset(Kind)
    """What it could have held; a skipped calendar is no gap for `--kind mail`."""


@dataclass(frozen=True, slots=True)
class Without:
    """What an item must not match: one match leaves it out."""

    senders: tuple[str, ...] = ()
    recipients: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    path_patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filters:
    """What to leave out. Different fields are AND, several values of one are OR.

    What is attached to a mail follows it: it has the mail's people, date and subject. A mail or
    an invitation within has people and date of its own, and its own title counts too.
    """

    since: date | None = None
    """First calendar day, inclusive, in the local zone."""
    until: date | None = None
    """Last calendar day, inclusive, in the local zone."""
    senders: tuple[str, ...] = ()
    """Case-folded substrings of a sender's name or address."""
    recipients: tuple[str, ...] = ()
    kinds: frozenset[Kind] = frozenset()
    """Empty means every kind."""
    paths: tuple[Path, ...] = ()
    """Only below these; empty means everywhere in the sources."""
    subjects: tuple[str, ...] = ()
    """Case-folded substrings of the title: a subject, a file's name, an event's summary."""
    folders: tuple[str, ...] = ()
    """Names of a folder, mailbox file or calendar the item lies in, as `ingest.places` has them."""
    path_patterns: tuple[str, ...] = ()
    """Case-folded substrings of the file's path, or globs where there is a `*` or `?`."""
    attachments: bool | None = None
    """True: only mails with attachments, and these; False: only what has none; None: all."""
    without: Without = Without()
    """What no item may match."""
