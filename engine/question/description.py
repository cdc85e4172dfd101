"""Who or what is asked about by a description: "the number of the man who mended the boiler".

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.language.tokens import FUNCTION_WORDS, words

_DETAIL = (
    r"(?:(?:tele)?phone|mobile|cell(?:phone)?|landline|fax|(?:(?<=^)|(?<=the ))number|e-?mail"
    r"|contact|address|birthday|date of birth)"
)
"""An order or an invoice has a number too."""
# "the phone number of the man who …", "mobile for our landlord"
_DETAIL_OF = re.compile(
    rf"\b{_DETAIL}s?\b(?: (?:numbers?|address(?:es)?|details))? (?:of|for) (?P<who>[^?]+)",
    re.IGNORECASE,
)
# "how do I reach the woman who …"
_REACH = re.compile(
    r"\bhow (?:do|can|could) (?:i|we) (?:reach|contact|call|phone|ring|e-?mail) (?P<who>[^?]+)",
    re.IGNORECASE,
)
# "what is our landlord's phone number", "the plumber's number"
_POSSESSIVE = re.compile(
    r"^(?:(?:what|when)(?:'s| is) )?(?P<who>(?:the|my|our) [^'?,]+)'s?"
    rf" (?:(?:work|home|private|e-?mail) )?{_DETAIL}\b",
    re.IGNORECASE,
)
# "the man", "our landlord", "Lena's mum", "whoever"
_DESCRIBED = re.compile(
    r"(?:(?i:the|my|our|an?) |[^\W\d_a-z][\w-]*['\u2019]s )(?=[a-z])(?P<what>[^,]+)|(?i:whoever\b)"
)
# "the man who", "whoever": what follows says itself what is to be looked for
_ANYBODY = re.compile(
    r"(?:(?:the|an?) (?:man|woman|person|guy|lady|one|people) (?:who|that)|whoever) (?=\w)",
    re.IGNORECASE,
)
_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_BEHIND = re.compile(r"\b(?:of|for|on|in|at|from|to|with|by|about|that|and|or)\b", re.IGNORECASE)
_PERSON = re.compile(
    r"(?!order|letter|paper|number|computer|printer|water|dinner)\w{2,}(?:er|or|ist|ian|ant|lord|lady)"
    r"|man|woman|guy|person|mum|mom|dad|wife|husband|boss|colleague|friend|neighbou?r|agent|client"
    r"|vet|nurse|notary|chef|coach|guide|host|priest|aunt|uncle|cousin|niece|nephew|son"
    r"|firm|company|garage|workshop|shop",
    re.IGNORECASE,
)
# "the yearly fee of the boat that we lifted", "the owner of the firm which sold it"
_THING_OF = re.compile(
    r"(?<!\bone )(?<!\bany )(?<!\ball )(?<!\bsome )(?<!\bmost )(?<!\bwhich )(?<!\bname )"
    r"\b(?:of|for|at|in|by|on|from)"
    r" (?P<who>the (?P<noun>[^\W\d_A-Z]\w*(?: [^\W\d_A-Z]\w*)??)"
    r" (?:that|which|who|where|we|i|I|he|she|they) [^,?]{1,200})\??$"
)
# "the town where it began was founded by what family": the description ends before the question
_ASKS = re.compile(r"\b(?:what|which|how|did|does|do)\b", re.IGNORECASE)
# "the sofa that we ordered": what it cost stands where that is told
_TRADED = re.compile(
    r"\b(?:book|bought|buy|got|hired?|offer|order|paid|pay|purchase|quote|rent|sold|want)(?:s|d|ed)?\b",
    re.IGNORECASE,
)
_UNNAMED_WORDS = """
    letter mail email message text note document file report paper list chat thread invoice order
    meeting event call day time week month year way reason
"""
_UNNAMED = frozenset(_UNNAMED_WORDS.split())
"""Nouns of what has no name to ask for."""
MOST_WORDS = 5
"""Of a reply that may be the name of a thing."""
_CAPITAL = r"[^\W\d_a-z][\w'\u2019-]*\.?"
_PARTICLES = r"(?:(?:d[aeo]s?|di|del|la|van|von|der|den|ter|bin|al) ){0,2}"
# "Ana Lopes", "Dr. J. van der Berg"
_NAME = re.compile(rf"{_CAPITAL}(?: {_PARTICLES}{_CAPITAL})*")


@dataclass(frozen=True, slots=True)
class Description:
    """Somebody or something that is described in a question, and that it asks about."""

    question: str
    start: int
    """Code point offset of the description in the question, and behind it its end."""
    end: int
    is_thing: bool = False

    @property
    def text(self) -> str:
        """Return the description: "the man who mended the boiler"."""
        return self.question[self.start : self.end]

    @property
    def who(self) -> str:
        """Return the question for the name: "Who mended the boiler?"."""
        if self.is_thing:
            return f"What is the name of {self.text}?"
        anybody = _ANYBODY.match(self.text)
        return f"Who {self.text[anybody.end() :]}?" if anybody else f"Who is {self.text}?"

    def asked_of(self, name: str) -> str:
        """Return the question with a name in place of the description."""
        return self.question[: self.start] + name + self.question[self.end :]


def description_of(question: str) -> Description | None:
    """Return the description of whose details are asked for; None where there is none.

    A name is none. A thing is described by a clause: "the boat that we lifted".
    """
    for form in (_DETAIL_OF, _REACH, _POSSESSIVE):
        if found := form.search(question):
            text = found["who"].rstrip(" .!")
            if _is_of_a_person(text):
                return Description(question, found.start("who"), found.start("who") + len(text))
    return _of_a_thing(question)


def _of_a_thing(question: str) -> Description | None:
    found = _THING_OF.search(question)
    if found is None or _ASKS.search(found["who"]) or _TRADED.search(found["who"]):
        return None
    noun = found["noun"].split()
    # "the fee would we owe"; a letter is looked for by what the question says of it
    if not FUNCTION_WORDS.isdisjoint(noun) or not _UNNAMED.isdisjoint(noun):
        return None
    text = found["who"].rstrip(" .!")
    is_thing = _PERSON.fullmatch(noun[-1]) is None
    return Description(question, found.start("who"), found.start("who") + len(text), is_thing)


def named_in(reply: str, question: str) -> str | None:
    """Return the first name in a reply to "who?" that the question does not have; None without."""
    known = {*words(question), *FUNCTION_WORDS}
    for found in _NAME.finditer(reply):
        first, _, rest = found[0].partition(" ")
        name = rest if first.casefold() in FUNCTION_WORDS else found[0]
        if not known.issuperset(words(name)):
            return name.rstrip(".")
    return None


def called_in(reply: str, question: str) -> str | None:
    """Return a reply that may be the name of a thing: short, with a word of its own."""
    name = " ".join(reply.split()).rstrip(".")
    told = words(name)
    if not told or len(name.split()) > MOST_WORDS or told[0] in ("yes", "no"):
        return None
    return name if not {*words(question), *FUNCTION_WORDS}.issuperset(told) else None


def _is_of_a_person(text: str) -> bool:
    described = _DESCRIBED.match(text)
    if described is None:
        return False
    if described["what"] is None or _WHO.search(text):
        return True
    named = _BEHIND.split(described["what"], maxsplit=1)[0].split()
    return bool(named) and _PERSON.fullmatch(named[-1]) is not None
