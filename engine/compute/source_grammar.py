"""Which items a question is about: their kind, people, days, titles, calendars and shelf.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from engine.compute import diary
from engine.compute import lexicon as w
from engine.compute.fields import PREFIX
from engine.compute.named_question import NamedQuestion, Quoted, tags_in
from engine.language.tokens import FUNCTION_WORDS
from engine.plan import Source, Status
from ingest.item import Kind, Shelf

# "<name0>", "what's", "2001"
TOKEN = re.compile(r"<[a-z]+\d+>|[a-z][a-z'-]*|\d+")
# "in the trash", "from my spam folder", "in drafts"
SHELVES = {
    Shelf.TRASH: r"\b(?:in|from) (?:the |my )?(?:trash|bin|deleted (?:items|mail))\b",
    Shelf.SPAM: r"\b(?:in|from) (?:the |my )?(?:spam|junk)(?: folder)?\b",
    Shelf.DRAFTS: r"\b(?:in|from) (?:the |my )?drafts?(?: folder)?\b",
}
# "which mails did i send", "did i ever write"
_I_WROTE = re.compile(
    r"\b(?:did|have|do) i\b(?: (?!have)\w+)??"
    r" (?:send|sent|write|wrote|mail|email|post|reply|replied|answer|respond|forward)"
)
# "meet <name0> and ", "between <name0> and "
_WITH = re.compile(r"\b(?:with|meet|met|see|saw|and|visit\w*|between) (?:<name\d+> (?:and )?)*$")
# "sent to <name0> or "
_TO = re.compile(r"\bto (?:<name\d+> (?:and |or )?)*$")
# "the thread <quote0>", "under the subject line <quote0>"
_LABEL = re.compile(
    r"\b(?:subject|title|thread|conversation|discussion|titled|called|under|session|talk|room)"
    r"(?: line)? (?=<quote\d+>)"
)
"""Words before a quote that only say what it is."""
# "ignoring any prefix", "including all replies"
_REPLIES = re.compile(
    r"\bignoring (?:any |the |all )?(?:re\b|fwd?\b|prefix|<quote).*$"
    r"|\bincluding (?:any |the |all )?(?:replies|answers)\b.*$"
)
"""Says that replies belong to a thread, which they do anyway."""
# "according to the <calendar0> calendar"
CONTEXT = re.compile(
    r"\baccording to (?:[\w']+ )*?(?:<calendar\d+>|calendar|schedule)(?: \w+){0,2}"
)
"""Says only where to look."""


class SourceGrammar:
    """Reads which items one question names. `ValueGrammar` reads what it asks of them."""

    def __init__(self, found: NamedQuestion) -> None:
        """Read a question whose names have become tags."""
        self.found = found
        self.text = _REPLIES.sub("", found.text)
        self.asking = _LABEL.sub("", self.text)
        """The text without labels of quotes."""
        self.is_of_diary = diary.asks_for_entries(self.text)
        self.about: tuple[str, ...] = ()
        self._read_about()
        self.quotes = {tag: one for tag, one in found.quotes.items() if tag in self.text}
        self.quoted = list(self.quotes.values())

    def has(self, pattern: str) -> bool:
        """Say whether the question holds a pattern."""
        return bool(re.search(pattern, self.asking))

    def source(self) -> Source:
        """Return the items that the question names, as the source of a plan."""
        kind = self._kind()
        dates = list(self.found.dates.values())
        source = Source(
            kind,
            senders=tuple(self._people("from", kind)),
            recipients=tuple(self._people("to", kind)),
            people=tuple(self._people("with", kind)),
            texts=self.about,
            calendars=tuple(dict.fromkeys(name for names in self.calendars() for name in names)),
            since=max((d.first for d in dates if d.first), default=None),
            until=min((d.last for d in dates if d.last), default=None),
            shelf=next((s for s, where in SHELVES.items() if re.search(where, self.text)), None),
        )
        if kind is Kind.EVENT and re.search(w.CANCELLED, self.text):
            source = replace(source, status="cancelled")
        if kind is Kind.MAIL and re.search(w.ATTACHED, self.text):
            source = replace(source, has="attachment")
        if kind is Kind.TASK:
            source = replace(source, status=self._status())
        for tag, quoted in self.quotes.items():
            source = self._with_quote(source, tag, quoted)
        return source

    def _status(self) -> Status | None:
        """Return whether open or done tasks are meant. What is next or overdue is open."""
        if re.search(diary.DONE, self.text):
            return "done"
        still = rf"{diary.OPEN}|{diary.OVERDUE}|{diary.NEXT}"
        return "open" if re.search(still, self.text) else None

    def calendars(self) -> list[tuple[str, ...]]:
        """Return the names that each mentioned calendar may have, none twice."""
        named = [tuple(one.name for one in called) for called in self.found.calendars.values()]
        return list(dict.fromkeys(named))

    def _with_quote(self, source: Source, tag: str, quoted: Quoted) -> Source:
        within_title = re.search(
            rf"{tag} in (?:the|their|its) (?:subject|title)|(?:subject|title)s? "
            rf"(?:contain|hold|mention|includ)\w* (?:the word )?{tag}",
            self.text,
        )
        if within_title:
            return replace(source, titles=(*source.titles, quoted.text))
        if quoted.is_place and not (quoted.is_event and source.kind is not Kind.EVENT):
            return replace(source, places=(*source.places, quoted.text))
        if source.kind is Kind.MAIL and quoted.is_thread and not self._is_one_mail(quoted):
            return replace(source, threads=(*source.threads, _without_prefix(quoted.text)))
        if quoted.is_subject or quoted.is_event:
            return replace(source, subjects=(*source.subjects, quoted.text))
        if quoted.in_title:
            return replace(source, titles=(*source.titles, quoted.text))
        return replace(source, texts=(*source.texts, quoted.text))

    def _is_one_mail(self, quoted: Quoted) -> bool:
        """Say whether a quote means the mails with exactly this subject, and not their thread."""
        counted = self.has(rf"{w.COUNT}|{w.LONG}|{w.FIRST}|{w.LAST}|{w.MOST}")
        thread = re.search(r"\b(?:thread|conversation|discussion|exchange)", self.text)
        return quoted.is_subject and not counted and not thread

    @property
    def joins(self) -> bool:
        """Whether the question is about both mails and events: "meet or mail", "in touch with"."""
        if not self.found.people:
            return False
        kinds = [{w.VERBS.get(one), _kind_of(one)} for one in TOKEN.findall(self.text)]
        words = TOKEN.findall(self.text)
        return bool(re.search(w.IN_TOUCH, self.text)) or any(
            word in ("and", "or") and {Kind.MAIL, Kind.EVENT} <= before ^ after
            for before, word, after in zip(kinds, words[1:], kinds[2:], strict=False)
        )

    def _kind(self) -> Kind | None:
        """Return the kind that is asked about. Messages are those of chats where there is no mail,
        or where a chat is named."""
        found = self._named_kind()
        if found is not Kind.MAIL or Kind.MESSAGE not in self.found.kinds:
            return found
        is_chat = Kind.MAIL not in self.found.kinds or re.search(w.CHAT, self.text)
        return Kind.MESSAGE if is_chat else found

    def _named_kind(self) -> Kind | None:
        """Return the kind of the nouns, else of what is named, else of the verbs."""
        if self.joins:
            return None
        if self.is_of_diary:
            return Kind.EVENT
        tokens = TOKEN.findall(CONTEXT.sub("", self.text))
        nouns = [noun.kind for one in tokens if (noun := w.NOUNS.get(one)) and noun.kind]
        if Kind.MAIL in nouns and not self.found.calendars:
            return Kind.MAIL
        if nouns:
            return nouns[0]
        if self.found.calendars:
            return Kind.EVENT
        threads = any(one.is_thread for one in self.quoted)
        if any(one.is_event or one.is_place for one in self.quoted) and not threads:
            return Kind.EVENT
        if parts := [one.kind for one in self.quoted if one.kind]:
            return parts[0]
        verbs = [w.VERBS[one] for one in tokens if one in w.VERBS]
        if verbs:
            return verbs[0]
        if threads or re.search(r"\bemail", self.text):
            return Kind.MAIL
        if any(one.in_title for one in self.quoted) or diary.CALENDAR.search(self.text):
            return Kind.EVENT
        due = re.search(diary.DUE, self.text) and not self.has(rf"{w.SUM}|{w.HOW_MUCH}")
        return Kind.TASK if due else None

    def _people(self, role: str, kind: Kind | None) -> Iterable[str]:
        for tag in tags_in(self.text, "name"):
            before = self.text[: self.text.index(tag)]
            if (
                kind is Kind.EVENT
                or self.joins
                or (_WITH.search(before) and not re.search("<name", before))
            ):
                found = "with" if kind is not Kind.MAIL else "from"
            else:
                found = "to" if _TO.search(before) else "from"
            if found == role:
                yield self.found.people[tag]
        if role == "from" and kind is Kind.MAIL and _I_WROTE.search(self.text):
            yield "me"

    def _read_about(self) -> None:
        match = w.ABOUT.search(self.asking)
        if match and not match[1].startswith("<"):
            about = re.sub(rf" (?:{w.BEGAN}|{w.ENDED})$", "", match[1])
            self.about = (" ".join(x for x in about.split() if x not in FUNCTION_WORDS),)
            said = match[0][: len(match[0]) - len(match[1]) + len(about)]
            self.asking = self.asking.replace(said, "")
            self.text = self.text.replace(said, "")


def _kind_of(word: str) -> Kind | None:
    noun = w.NOUNS.get(word)
    return noun.kind if noun else None


def _without_prefix(subject: str) -> str:
    return PREFIX.sub("", subject).strip()
