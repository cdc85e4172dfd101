"""What words of a question mean to a plan: kinds, fields and operations.

A word means the same wherever it occurs. The grammars of this room put the words together. The
comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.plan import Field, Unit
from ingest.item import Kind


@dataclass(frozen=True, slots=True)
class Noun:
    """What a noun means: a field of items, and the kind of item that has it."""

    field: Field
    kind: Kind | None = None


def _verbs(words: str, kind: Kind) -> dict[str, Kind]:
    return dict.fromkeys(words.split(), kind)


def _nouns(words: str, field: Field, kind: Kind | None = None) -> dict[str, Noun]:
    return dict.fromkeys(words.split(), Noun(field, kind))


# "in the chat with Kim", "on WhatsApp"
CHAT = r"\b(?:chats?|whatsapp|telegram|slack|discord|texts|texted)\b"

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
    **_nouns("chat chats texts whatsapp telegram slack discord", "item", Kind.MESSAGE),
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
"""Both singular and plural. "hours" and "minutes" are in `UNITS`."""
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
"""What people do with mail, and with events."""

# "the first mail", "the oldest entry"
FIRST = r"\b(?:first|earliest|oldest)\b"
# "her latest reply", "the most recent mail"; not "the final time", which was settled on
LAST = (
    r"\b(?:last|latest|newest|(?:more|most) recent(?:ly)?"
    r"|final(?! (?:time|date|day|hour|room|place|venue|price|cost|sum|total|version|figure)s?\b))\b"
)
# "the most mails", "the busiest week", "the highest number of"; not "the most recent"
MOST = r"\b(?:most(?! recent)|busiest|more often|(?:highest|largest|greatest) number)\b"
# "the fewest mails", "the quietest month"
LEAST = r"\b(?:least|fewest|quietest|less often|(?:lowest|smallest) number)\b"
# "the longest meeting", "the shortest talk"
LONGEST, SHORTEST = r"\blongest\b", r"\bshortest\b"
# "the highest bill", "the most expensive order"
LARGEST = r"\b(?:largest|highest|biggest|greatest|most expensive)\b"
# "the cheapest flight"
SMALLEST = r"\b(?:smallest|lowest|cheapest)\b"
# "what is the total", "do they add up to"
SUM = r"\b(?:sum|total|altogether|add(?:s|ed)? up)\b"
# "how much did i pay", "the largest amount"; not "how much mail"
HOW_MUCH = r"\bhow much\b(?! e?mail)|\b(?:largest|highest|biggest|smallest|lowest) (?:amount|sum)\b"
# "the average length"
AVERAGE = r"\b(?:average|mean)\b"
# "how many mails", "how much email", "the number of"
COUNT = (
    r"\bhow (?:many|often)\b|\bhow much (?=e?mail)|\bnumber of\b|\bcount\b|\btally\b"
    r"|\bhow many times\b"
)
# "how long was", "how many minutes", "for how many days"
LONG = (
    r"\bhow long\b|\blength\b|\bduration\b|\bhow many (?:minutes|hours)\b|\bfor how (?:long|many)"
)
# "who else got the mail", "to whom", "who was it sent to", "who is attending"
RECEIVES = (
    r"\bwho (?:else |also |all )?(?:has |have |had )?(?:receive[sd]?|gets?|got)\b|\bto whom\b"
    r"|\bwhom? (?:was|were|is|are|did|do|does|has|have)\b.*"
    r"\b(?:sent|send|addressed|written|write|mailed|mail|emailed|email|forwarded|forward)\b.* to\b"
    r"(?! (?:me|us)\b)"
    r"|\bwhom (?:did|do|have) i (?:mail|email|answer)"
    r"|\bwho (?:is|are|was|were) (?:the |its )?(?:\w+ )?(?:recipient|addressee)s?\b"
    r"|\bwho(?:'s|(?: (?:else|is|are|was|were|will|did|does|has))*)(?: be)? attend\w*"
)
"""Asks who got a mail or attends an event; "who" alone asks who wrote or gives it."""
# "the main recipient"
MAIN = r"\b(?:main|primary|principal) (?:recipient|addressee)\b"
# "in touch with Kim", "contacted"
IN_TOUCH = r"\b(?:contact|touch) (?:with|to)\b|\bcontacted\b"
"""A contact is a mail or a meeting."""
# "on both days", "in common", "shared by", "overlap"
BOTH = r"\bboth\b|\bin common\b|\bshare[ds]?\b|\bas well as\b|\bcoincid\w+|\boverlap\w*\b"
# "between the two talks", "how many days apart", "passed until"
APART = r"\b(?:between|difference|apart|pass(?:ed)?|elapsed?|after|before|until|till|from|lie)\b"
# "how many different people"
DIFFERENT = r"\b(?:different|distinct|unique|separate|individual)\b"
# "per month", "for each sender", "by week", "daily"
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
# "about the roof", "mentioning <quote0>", "that contain the word lease"
ABOUT = re.compile(
    r"\b(?:about|mention(?:s|ing|ed)?|regarding|concerning|contain(?:s|ing)?)\b(?: the word)? "
    r"((?:<quote\d+>|[a-z0-9'-]+)(?: [a-z0-9'-]+){0,4})$"
)
"""What a mail is about. The words end the question."""
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
    put dated else finish finishes finished over main primary principal
"""
CHANGING = frozenset(
    {"not", "no", "nor", "than", "other", "only", "ignoring", "ignored", "including", "included"}
)
"""Words that reverse or narrow what the other words ask for. A plan cannot leave them out."""
NEUTRAL = frozenset(_NEUTRAL.split()) - CHANGING
"""Other words that a computed question may have. They change nothing in a plan."""
BEYOND = re.compile(
    r"\bat (?:least|most) (?=\d)"  # "at least 3 replies"
    r"|\b(?:before|after|until|till|since)\b(?! (?:the )?<date)"  # "after the meeting"
    r"|\b(?:to|and|or) me\b(?= (?:and|or) <name)|(?<=<name\d> )(?:and|or) me\b"  # "Kim and me"
    r"|\b(?:an?|any|every|each) (?=<date)"  # "on any Sunday"
    r"|\babout\b(?! (?:the |my )?<)"  # "the mail about lunch that Kim sent"
    # I am in each of my meetings, so that "whom" would be me.
    r"|\bwhom? (?:did|do|have) i (?:meet|met|see|seen)\b|\bwith$"  # "who did I meet with"
    r"|\bwho (?:met|meets|saw|sees)\b"  # "who met Kim"
    r"|^(?:did|have|has) \S+ (?:finish(?:ed)?|completed?|done)\b"  # "has Kim finished"
    r"|\bon (?:the|that|this) e?mail\b"  # "who is on the email"
    r"|\b(?:when|where|who|what time)\b.* and (?:when|where|who|what time)\b"  # "when and where"
    r"|\b(?:day|date|time|hour) and (?:the )?(?:room|place|venue|location|address|hall)\b"
    r"|\b(?:room|place|venue|location|address|hall) and (?:the )?(?:day|date|time|hour)\b"
)
"""What no plan can say. A question with such words is left to retrieval."""
# "with an attachment"
ATTACHED = r"\battachments?\b"
# "when did the thread start", "when did it end"
BEGAN, ENDED = r"\b(?:start(?:s|ed)?|beg[ai]ns?)\b", r"\b(?:ends?|ended)\b"
"""A thread starts with its first mail and ends with its last."""
# "what did Kim say", "what does the mail contain", "what is in"; not "what is it about"
CONTENT = re.compile(
    r"\bwhat (?:do|does|did|has|have|had|was|is|were|are)\b.*\b(?:says?|said|writes?|written|wrote"
    r"|tell|told|repl(?:y|ies|ied)|answer(?:s|ed)?|mention\w*|contain\w*|wants?|ask(?:s|ed)?)\b"
    r"(?!.*\babout$)|\bwhat(?:'s| is| was| are| were) in\b"
)
"""Asks for the words of a mail. What a mail is about, its subject says."""
# "read out the last mail", "please show me"
READ_OUT = re.compile(r"^(?:please )?(?:show|read|give|tell)(?: me)?(?: out)? ")
# "which talks were cancelled", "called off"
CANCELLED = r"\b(?:cancell?ed|called off)\b"
# "my 13 card statements"
STATED = re.compile(r"\b(?:my|the|all|our|these) (\d{1,4}) ([a-z]+)")
"""How many items there are, as the person says."""
# "who mailed me", "sent to me"
TO_ME = re.compile(
    r"\b(?:mail|e?mailed|email|wr[io]tes?|written|sends?|sent|replied|responded|forwarded)"
    r" (?:to )?me\b|\bto me\b"
)
