"""What a question says about the items that hold its answer, by its grammar.

Only words that describe a mail or an event count: "mails from Ann sent last week", "did Ann send
me", "Ann's last e-mail", "my meetings on Tuesday". A day on which something happened does not tell
when somebody wrote of it, so it counts for nothing. Nor does text in quotation marks.

The rules read the tagged text of `engine.question.analysis`. The comment at a pattern quotes
phrases that it matches.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Literal

from engine.language.dates import Direction, Span, parse_span
from engine.question.acquaintances import Acquaintances, Names, name_at
from engine.question.analysis import Analysis
from engine.values import Inferred, InferredField

ME = "me"

NAME, DATE, QUOTE = r"<name\d+>", r"<date\d+>", r"<quote\d+>"
# " very last", " most recent"
AGE = (
    "(?: (?:very|last|latest|first|second|third|recent|most|earliest|newest|old|new|other"
    "|previous))*"
)
# "e-mails", "message"; not "mail server"
MAIL = (
    r"\b(?:e-?mails?|mails?|messages?)\b"
    r"(?![ -]?(?:address|account|client|server|list|box|id\b|format|provider|password|program))"
)
# "emailed", "forward"
SEND = "(?:send|sent|e-?mail(?:ed)?|forward(?:ed)?)"
# "wrote", "reply"
WRITE = "(?:write|wrote|written|reply|replied)"
# " ever"
OFTEN = "(?: (?:ever|also|last|first|just|recently|already))?"
# " to me"
TO_US = "(?: to)? (?:me|us)"
# " on <date0>", " within the <date0>"
WHEN = rf"(?: (?:in|on|during|from|within|over|of|for|at))?(?: the)? {DATE}"
# "called", "with the subject line"
TITLED = "titled|entitled|called|named|about|(?:with|under) the (?:subject|title)(?: line)?"
# "<name0>, <name1> and <name2>"
NAMES = rf"{NAME}(?:(?:,|,? and|,? or) {NAME})*"
# "got"
GET = "(?:receive|received|get|got|have)"
# "received in"
ARRIVED = "(?:sent|received|written|dated|arriving|coming|came|arrived)(?: in)?"
MODIFIER = "[,(]?" + "|[,(]?".join(
    [
        rf"(?: (?:{TITLED}))? {QUOTE}",  # " titled <quote0>"
        r"(?: in (?:the|my) (?:mailbox|inbox|archive))",  # " in my inbox"
        # " that were sent"
        rf"(?: (?:that|which|who))?(?: (?:was|were|is|are|has|have|had|been))* {ARRIVED}",
        rf" (?:from|by) {NAMES}(?!')",  # " by <name0> or <name1>"
        rf"(?: addressed)? to (?:{NAME}|me)(?!')",  # " addressed to me"
        # " that <name0> ever sent me"
        rf"(?: (?:that|which))?(?: (?:did|has|have|had))? (?:{NAME}|I|we){OFTEN}"
        rf" (?:{SEND}|{WRITE}|{GET})(?:{TO_US})?",
        rf"{WHEN}(?!')",
    ]
)
"""What may follow the word for a mail and still describe the mail."""

MAIL_PHRASES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "<name0>'s last mail", "<date0> message", "my e-mails to <name0>"
        rf"(?:{NAME}'s|{DATE}(?:'s)?|my){AGE} {MAIL}(?:{MODIFIER})*",
        # "my last reply to <name0>"
        rf"my{AGE} (?:reply|replies)(?:{MODIFIER})*",
        # "<name0> say in one of her mails"
        rf"(?:{NAME}|I)(?: [\w-]+){{1,4}} in (?:an?|her|his|their|my|one of (?:her|his|my))"
        rf"{AGE} {MAIL}(?:{MODIFIER})*",
        # "<name0> send me an e-mail on <date0>"
        rf"(?:{NAME}|I){OFTEN} {SEND}(?:(?:{TO_US}|(?: to)? {NAME})?(?: an?{AGE} {MAIL})?"
        rf"(?:{MODIFIER})*)",
        # "<name0> ever wrote to me"
        rf"(?:{NAME}|I){OFTEN} {WRITE}(?: an?{AGE} {MAIL})?(?:{TO_US}| to {NAME})(?:{MODIFIER})*",
        rf"hea(?:r|rd) from {NAME}(?:{WHEN})?",  # "heard from <name0> in <date0>"
        rf"{MAIL}(?:{MODIFIER})*",  # "mails from <name0> sent <date0>"
    )
)
"""Phrases that describe a mail. Earlier ones take their words from later ones."""

# "by <name0>", "<name0>'s", "I ever sent", "<name0> say in one", "my reply"
SENDER = re.compile(
    rf"(?:from|by) ({NAMES})|({NAME})'s|({NAME}|\bI\b){OFTEN}"
    rf" (?:{SEND}|{WRITE})|({NAME}|\bI\b)(?: [\w-]+)+ in (?:an?|her|his|their|my|one)\b"
    rf"|\b(my){AGE} (?:reply|replies|{MAIL}(?=.* to ))",
    re.IGNORECASE,
)
# "write <name0>", "to <name0>", "addressed to me"
RECIPIENT = re.compile(rf"(?:{SEND}|{WRITE}|\bto) ({NAME})|addressed to (me)\b", re.IGNORECASE)
# "which of my last mails", "list all e-mails"
ASKED_FOR = re.compile(
    rf"\b(?:which|what|how many|list|show|find|any|all|every|each)(?: me)?(?: of)?(?: the| my)?"
    rf"{AGE} ((?:e-?)?mails?)\b",
    re.IGNORECASE,
)
# "except the", "replied to that", "before my"
OTHER_MAIL = re.compile(
    r"\b(?:except|besides|than|without|excluding|apart from|instead of|not|before|after|since|until"
    r"|repl(?:y|ies|ied)(?: to)?|answer(?:s|ed)?(?: to)?|respon\w+(?: to)?|react\w*(?: to)?"
    r"|forward\w*)(?: (?:the|an?|any|my|that|this))*$",
    re.IGNORECASE,
)
"""Before the phrase for a mail: the question is about another mail."""
# " and Bob", ", <name0>", " from Zoe"; not " and when"
UNKNOWN = re.compile(
    r",? (?:and|or) (?!(?:wh|how|did|do|does|is|was|are)\w*\b)|, (?:<name|[A-Z][a-z])"
    r"| (?:from|by|to) (?:<name|[A-Z][a-z])"
)
"""After the phrase for a mail: the question says more of it than these rules understand."""

# "not", "didn't"
NOT = re.compile(r"\bnot\b|n't\b", re.IGNORECASE)
# "Ann and", "Bob,"
ONE_OF_SEVERAL = re.compile(r"(?:,|\band|\bor)$", re.IGNORECASE)
"""Before a phrase that begins with a person: other people belong to it."""

# "e-mail", "wrote", "mentioned"
ABOUT_MAIL = re.compile(
    rf"{MAIL}|\b(?:{SEND}|{WRITE}|say|said|tell|told|asks?|asked|mention\w*|promised?)\b",
    re.IGNORECASE,
)
# "appointments"
EVENTS = "(?:meetings?|appointments?|events?|calls?)"
# "on my calendar"
CALENDAR = "(?:in|on) (?:my|our) (?:calendar|agenda|diary|schedule)"
# " with <name0>", " with Dr. Lund"
WITH = r"(?: with (?:<name\d+>|[\w.'-]+)(?: [A-Z][\w.'-]+)*)?"
EVENT_PHRASES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "my next meeting with <name0>", "how many calls do I have on <date0>"
        rf"\b(?:my|our|have any|have an?|which|what|how many) (?:next |upcoming |other )?{EVENTS}"
        rf"(?: (?:do|did) (?:I|we) have)?{WITH}{WHEN}",
        rf"\bappointments?{WITH}{WHEN}",  # "appointment on <date0>"
        # "what do I have on <date0>"
        rf"\bwhat (?:do|did) (?:I|we) have(?: on| planned| scheduled)?{WHEN}",
        # "do I have anything planned <date0>"
        rf"\b(?:do|did) (?:I|we) have anything(?: on| planned| scheduled)?{WHEN}",
        rf"\b(?:am|are|was|were) (?:I|we) (?:free|busy|available){WHEN}",  # "am I free <date0>"
        rf"\b{CALENDAR}(?:{WHEN})?",  # "in my calendar for <date0>"
        rf"{WHEN},? {CALENDAR}",  # " on <date0> in my calendar"
    )
)
# "what do I have"
WHOLE_DAY = re.compile(r"(?:what )?do (?:I|we) have\b", re.IGNORECASE)
"""Begins a phrase that asks for the tasks due on a day as well as for its events."""
# "did", "visited"
PAST_TENSE = re.compile(
    r"\b(?:did|was|were|had|been|met|saw|seen|visited|attended|happened|took)\b", re.IGNORECASE
)
"""Says that the day lies in the past."""
FAR_FROM_TODAY = date(1950, 6, 15)
"""A date that means the same days on this day is not relative to today."""
# "from Zoe "
SURNAME = re.compile(r"(?<=[\w,] )[A-Z][\w.-]* $")
"""Before a name: the first name of somebody who is not known."""


def analysed(question: str, today: date, known: Acquaintances) -> Analysis:
    """Return a question with its quotes, its dates and the people in it that are known."""
    names = {**known.recipients, **known.senders}
    read = Analysis(question, today, known).with_quotes().with_dates("future")
    return read.with_names(lambda text, position: _name_end(text, position, names))


def _name_end(text: str, position: int, names: Names) -> int | None:
    """Return where the name at a position ends, unless it is within a word or a longer name."""
    within = position and text[position - 1].isalnum()
    found = None if within else name_at(text, position, names)
    if found is None or ("@" not in found.name and SURNAME.search(text[:position])):
        return None
    return found.end


def clues(read: Analysis) -> list[Inferred]:
    """Return the filters that the question itself states, none twice."""
    return list(dict.fromkeys(_event_clues(read) or _mail_clues(read)))


def _event_clues(read: Analysis) -> list[Inferred]:
    match = next(filter(None, (rule.search(read.tagged) for rule in EVENT_PHRASES)), None)
    if match is None or ABOUT_MAIL.search(read.tagged):
        return []
    direction: Direction = "past" if PAST_TENSE.search(read.tagged) else "future"
    words = re.sub(NAME, lambda tag: read.by_tag[tag[0]].words, re.sub(WHEN, "", match[0]))
    due = direction == "future" and WHOLE_DAY.match(match[0])
    kinds = [Inferred("kind", one, words.strip(" ,")) for one in ("event", *(["task"] * bool(due)))]
    return [*kinds, *_dates(match[0], read, direction)]


def _mail_clues(read: Analysis) -> list[Inferred]:
    phrases, sure = _mail_phrases(read.tagged)
    stated = [found for phrase in phrases if (found := _of_phrase(phrase, read))]
    if (
        NOT.search(read.tagged)
        or not sure
        or any(set(found) != set(stated[0]) for found in stated[1:])
    ):
        stated = []  # two mails are described, and one filter would hide one of them
    asked = ASKED_FOR.search(read.tagged)
    kinds = [Inferred("kind", "mail", asked[1])] if asked and "attach" not in read.tagged else []
    return [*(stated[0] if stated else []), *kinds]


def _mail_phrases(text: str) -> tuple[list[str], bool]:
    """Return the phrases that describe mail, and whether all that they name is known."""
    phrases, sure = [], True
    for rule in MAIL_PHRASES:
        for match in list(rule.finditer(text)):
            before = text[: match.start()].rstrip()
            if not OTHER_MAIL.search(before):
                phrases.append(match[0])
                several = match[0].startswith("<name") and ONE_OF_SEVERAL.search(before)
                sure = sure and not several and not UNKNOWN.match(text, match.end())
            text = f"{text[: match.start()]}{' ' * len(match[0])}{text[match.end() :]}"
    return phrases, sure


def _of_phrase(phrase: str, read: Analysis) -> list[Inferred]:
    found = []
    for match in SENDER.finditer(phrase):
        for name in re.findall(NAME, match[0]):
            found += _person("from", read.by_tag[name].words, read.known)
        if mine := re.search(r"\b(?:I|my)\b", match[0], re.IGNORECASE):
            found.append(Inferred("from", ME, mine[0]))
    for match in RECIPIENT.finditer(phrase):
        own = [Inferred("to", ME, ME)] if match[2] else []
        found += own or _person("to", read.by_tag[match[1]].words, read.known)
    return [*found, *_dates(phrase, read, "past")]


def _person(role: Literal["from", "to"], words: str, known: Acquaintances) -> list[Inferred]:
    names = known.senders if role == "from" else known.recipients
    return [Inferred(role, words, words)] if "@" in words or words.casefold() in names else []


def _dates(phrase: str, read: Analysis, direction: Direction) -> list[Inferred]:
    """Return first and last day of the phrase's date; two dates are none."""
    tags = re.findall(DATE, phrase)
    return dated(read.by_tag[tags[0]].words, read.today, direction) if len(tags) == 1 else []


def dated(words: str, today: date, direction: Direction) -> list[Inferred]:
    """Return first and last day of the words of a date, as far as it has them."""
    span = parse_span(words, today, direction)
    if span is None:
        return []
    if direction == "past" and parse_span(words, FAR_FROM_TODAY) == span:
        span = _a_day_wider(span)
    ends: list[tuple[InferredField, date | None]] = [("since", span.first), ("until", span.last)]
    return [Inferred(end, day.isoformat(), words) for end, day in ends if day]


def _a_day_wider(span: Span) -> Span:
    """Return the span with a day more at its ends: a mail shows the date of its writer's zone."""
    one_day = timedelta(days=1)
    first = span.first - one_day if span.first and span.first > date.min else span.first
    last = span.last + one_day if span.last and span.last < date.max else span.last
    return Span(first, last)
