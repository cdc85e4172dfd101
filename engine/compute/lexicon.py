"""What words of a question mean to a plan: kinds, fields, operations. No word means an answer.

Each row is a word's meaning wherever it stands; how the words are put together is left to
`engine.compute.question_plan`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.plan import Field, Unit
from ingest.item import Kind


@dataclass(frozen=True, slots=True)
class Noun:
    """What a noun stands for."""

    field: Field
    kind: Kind | None = None


def _verbs(words: str, kind: Kind) -> dict[str, Kind]:
    return dict.fromkeys(words.split(), kind)


def _nouns(words: str, field: Field, kind: Kind | None = None) -> dict[str, Noun]:
    return dict.fromkeys(words.split(), Noun(field, kind))


NOUNS: Mapping[str, Noun] = {
    **_nouns("mail mails email emails message messages reply replies response", "item", Kind.MAIL),
    **_nouns("responses posting postings newsletter newsletters", "item", Kind.MAIL),
    **_nouns("thread threads conversation conversations discussion", "thread", Kind.MAIL),
    **_nouns("discussions exchange", "thread", Kind.MAIL),
    **_nouns("event events meeting meetings appointment appointments", "item", Kind.EVENT),
    **_nouns("session sessions talk talks holiday holidays lecture lectures", "item", Kind.EVENT),
    **_nouns("workshop workshops call calls entry entries lesson lessons", "item", Kind.EVENT),
    **_nouns("task tasks todo todos deadline deadlines", "item", Kind.TASK),
    **_nouns("document documents file files", "item", Kind.DOCUMENT),
    **_nouns("contact contacts", "item", Kind.CONTACT),
    **_nouns("attachment attachments", "attachment", Kind.MAIL),
    **_nouns("person people sender senders author authors writer writers", "sender"),
    **_nouns("address addresses correspondent correspondents participant", "sender"),
    **_nouns("participants contributor contributors poster posters everyone", "sender"),
    **_nouns("everybody who whose whom", "sender"),
    **_nouns("recipient recipients addressee addressees", "recipient", Kind.MAIL),
    **_nouns("speaker speakers presenter presenters lecturer", "speaker", Kind.EVENT),
    **_nouns("organiser organizer organisers organizers host hosts", "sender", Kind.EVENT),
    **_nouns("room rooms location locations place places venue venues hall", "place", Kind.EVENT),
    **_nouns("where", "place", Kind.EVENT),
    **_nouns("subject subjects title titles headline heading", "title"),
    **_nouns("day days date dates when", "date"),
    **_nouns("time hour o'clock", "start"),
    **_nouns("week weeks", "week"),
    **_nouns("month months", "month"),
    **_nouns("year years", "year"),
    **_nouns("weekday weekdays", "weekday"),
    **_nouns("length duration", "duration", Kind.EVENT),
    **_nouns("country countries calendar calendars", "calendar"),
}
"""Singular and plural. "hours" and "minutes" are units."""
UNITS: Mapping[str, Unit] = {
    "minute": "minutes",
    "minutes": "minutes",
    "hour": "hours",
    "hours": "hours",
    "day": "days",
    "days": "days",
    "week": "weeks",
    "weeks": "weeks",
}
VERBS: Mapping[str, Kind] = {
    **_verbs("send sends sent write writes wrote written mail mailed emailed", Kind.MAIL),
    **_verbs("post posted reply replied respond responded forward forwarded", Kind.MAIL),
    **_verbs("receive received hear heard answer answered get got", Kind.MAIL),
    **_verbs("meet met attend attended held hold happen happens happened", Kind.EVENT),
    **_verbs("start starts started begin begins began celebrate celebrated", Kind.EVENT),
    **_verbs("observe observed fall falls scheduled present presented presents", Kind.EVENT),
    **_verbs("taking takes see saw seen visit visited", Kind.EVENT),
}
"""What is done with mail, and with events."""

FIRST = r"\b(?:first|earliest|oldest)\b"
LAST = r"\b(?:last|latest|newest|most recent(?:ly)?|final)\b"
MOST = r"\b(?:most(?! recent)|busiest|more often|(?:highest|largest|greatest) number)\b"
LEAST = r"\b(?:least|fewest|quietest|less often|(?:lowest|smallest) number)\b"
LONGEST, SHORTEST = r"\blongest\b", r"\bshortest\b"
LARGEST = r"\b(?:largest|highest|biggest|greatest|most expensive)\b"
SMALLEST = r"\b(?:smallest|lowest|cheapest)\b"
SUM = r"\b(?:sum|total|altogether|add(?:s|ed)? up)\b"
HOW_MUCH = r"\bhow much\b(?! e?mail)|\b(?:largest|highest|biggest|smallest|lowest) (?:amount|sum)\b"
AVERAGE = r"\b(?:average|mean)\b"
COUNT = (
    r"\bhow (?:many|often)\b|\bhow much (?=e?mail)|\bnumber of\b|\bcount\b|\btally\b"
    r"|\bhow many times\b"
)
LONG = (
    r"\bhow long\b|\blength\b|\bduration\b|\bhow many (?:minutes|hours)\b|\bfor how (?:long|many)"
)
RECEIVES = (
    r"\bwho (?:else |also |all )?(?:has |have |had )?(?:receive[sd]?|gets?|got)\b|\bto whom\b"
    r"|\bwhom? (?:was|were|is|are|did|do|does|has|have)\b.*"
    r"\b(?:sent|send|addressed|written|write|mailed|mail|emailed|email|forwarded|forward)\b.* to\b"
    r"(?! (?:me|us)\b)"
    r"|\bwhom (?:did|do|have) i (?:mail|email|answer)"
    r"|\bwho(?:'s|(?: (?:else|is|are|was|were|will|did|does|has))*)(?: be)? attend\w*"
)
"""Who got a mail or attends an event, where "who" alone means who wrote or gives it."""
IN_TOUCH = r"\b(?:contact|touch) (?:with|to)\b|\bcontacted\b"
"""What mails and meetings are alike."""
BOTH = r"\bboth\b|\bin common\b|\bshare[ds]?\b|\bas well as\b|\bcoincid\w+|\boverlap\w*\b"
APART = r"\b(?:between|difference|apart|pass(?:ed)?|elapsed?|after|before|until|till|from|lie)\b"
DIFFERENT = r"\b(?:different|distinct|unique|separate|individual)\b"
EACH = re.compile(
    r"\b(?:per|each|every|by(?: each| every)?) ([a-z]+)"
    r"|\b(daily|weekly|monthly|yearly)\b"
)
ADVERBS: Mapping[str, Field] = {
    "daily": "date",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
}
ABOUT = re.compile(
    r"\b(?:about|mention(?:s|ing|ed)?|regarding|concerning|contain(?:s|ing)?)\b(?: the word)? "
    r"((?:<quote\d+>|[a-z0-9'-]+)(?: [a-z0-9'-]+){0,4})$"
)
"""What a mail is about: words at the end of a question."""
ASKING = frozenset(
    {"which", "what", "who", "whose", "whom", "when", "where", "list", "name", "show", "give"}
    | {"tell", "find"}
)

_NEUTRAL = """
    according tell give gives gave given find look show list name please let know want wonder
    prefix prefixes included including counted counting count number
    many much often titled entitled called named listed located marked exist exists there
    mailbox inbox archive schedule agenda diary calendar both common share shares shared well
    also appear appears appeared together take takes took taken taking part go goes went long
    comes came come word words used use uses line different distinct unique separate least most
    more fewer fewest less times altogether total sum average mean utc gmt lasting last lasts
    lasted ends end re fwd fw follow due around say says said me mine my our i we public bank
    national within occur occurs occurred recorded anyone everyone everybody ever just already
    recently exactly one other difference apart pass passed elapsed lie lies first earliest
    oldest latest newest recent final initial busiest longest shortest largest highest biggest
    smallest lowest greatest minutes hours minute per each every daily weekly monthly yearly do
    does did add up adds happening attending thing something wish has have had
    dated else finish finishes finished over
"""
CHANGING = frozenset(
    {"not", "no", "nor", "than", "other", "only", "ignoring", "ignored", "including", "included"}
)
"""Words that say nothing by themselves and turn round, or narrow, what the others ask for."""
NEUTRAL = frozenset(_NEUTRAL.split()) - CHANGING
"""Words that a computed question may have besides those above, and that change nothing."""
BEYOND = re.compile(
    r"\bat (?:least|most) (?=\d)|\b(?:before|after|until|till|since)\b(?! (?:the )?<date)"
    r"|\b(?:to|and|or) me\b(?= (?:and|or) <name)|(?<=<name\d> )(?:and|or) me\b"
    r"|\b(?:an?|any|every|each) (?=<date)|\babout\b(?! (?:the |my )?<)"
    r"|\bwhom? (?:did|do|have) i (?:meet|met|see|seen)\b|\bwith$|\bwho (?:met|meets|saw|sees)\b"
    r"|^(?:did|have|has) \S+ (?:finish(?:ed)?|completed?|done)\b|\bon (?:the|that|this) e?mail\b"
)
"""What no plan says: what compares, another time than a date, any Sunday, me among others, what a
text is about within a question, whom I met, who am in every meeting myself."""
ATTACHED = r"\battachments?\b"
BEGAN, ENDED = r"\b(?:start(?:s|ed)?|beg[ai]ns?)\b", r"\b(?:ends?|ended)\b"
"""When a thread did: its first and its last mail."""
CONTENT = re.compile(
    r"\bwhat (?:do|does|did|has|have|had|was|is|were|are)\b.*\b(?:says?|said|writes?|written|wrote"
    r"|tell|told|repl(?:y|ies|ied)|answer(?:s|ed)?|mention\w*|contain\w*|wants?|ask(?:s|ed)?)\b"
    r"(?!.*\babout$)|\bwhat(?:'s| is| was| are| were) in\b"
)
"""What asks for the words of a mail; what it is about, its subject says."""
READ_OUT = re.compile(r"^(?:please )?(?:show|read|give|tell)(?: me)?(?: out)? ")
CANCELLED = r"\b(?:cancell?ed|called off)\b"
STATED = re.compile(r"\b(?:my|the|all|our|these) (\d{1,4}) ([a-z]+)")
"""How many items there are, as in "my 13 card statements"."""
TO_ME = re.compile(
    r"\b(?:mail|e?mailed|email|wr[io]tes?|written|sends?|sent|replied|responded|forwarded)"
    r" (?:to )?me\b|\bto me\b"
)
