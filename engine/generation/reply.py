"""The generator's reply, and how sure it is."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from engine.checking import abstention
from engine.checking.draft_sentences import MARKER
from engine.confidence.calibration import Calibration
from engine.confidence.signals import Signals, of_words
from engine.events import Steps, Token
from engine.generation.draft import Draft
from engine.generation.literal import as_written, with_beginning
from engine.language.addresses import written_out
from engine.language.tokens import words
from engine.prompts.tasks import Task
from engine.prompts.templates import section
from engine.stages import is_past
from engine.values import Passage
from models.protocols import (
    Beginnings,
    Constraint,
    GenerationRequest,
    Generator,
    OtherBeginnings,
)

REPEATED_WORDS = 5
"""Fewest words of a sentence that may not be said twice."""

_END = re.compile(rf"[.!?]+(?=\s|$)(?:\s*{MARKER.pattern})*\s*|\n+")
"""The end of a sentence, with the citations behind it."""
# "Who wrote it, and when?", "Where is it? And in which room?"
_INTERROGATIVE = re.compile(
    r"(?:^|[?;:] (?:and )?|,? (?:and|or|but) )(?:(?:at|by|for|from|in|of|on|to|with) )?"
    r"(?:who|whom|whose|what|when|where|which|why|how)\b",
    re.IGNORECASE,
)
"""Begins a question or a part of one, unlike the "which" of "the firm, which moved"."""
# "What was the rent in May and in June?", "How high are Wengen and Davos?"
_PAIR = re.compile(
    r"\b(in|at|on|for|from|of|to|by|with|during) [^?,]{1,60}? and \1 \w"
    r"|\bhow (?:big|deep|far|fast|heavy|high|hot|large|old|tall|wide)(?: up)? (?:are|were) "
    r"[^?,]{1,60}? and \w",
    re.IGNORECASE,
)
"""With an interrogative: asks for one thing of two."""
# "Did Ann sign it?", "So is the office open"
_AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must|am)"
    r"(?:n['\u2019]t)? "
)
_YES_OR_NO = re.compile(rf"^\W*(?:(?:and|so|but),? )?{_AUXILIARY}", re.IGNORECASE)
# "While Ann is away, is the office open"; not "When is Ann away, and is the office open"
_AFTER_A_CLAUSE = re.compile(
    r"^\W*(?:according to|after|although|among|as|at|before|by|during|for|from|given|going|if|in|of"
    r"|on|once|per|since|though|under|unless|when|while|with|within)\b"
    rf"(?! {_AUXILIARY})(?:(?!\b(?:how|what|which|who|whom|whose|why)\b)[^?])*, {_AUXILIARY}",
    re.IGNORECASE,
)
# "Could you please tell me what …", "Do you know by when …"; not "Could you check whether …"
_REQUEST = re.compile(
    r"^\W*(?:(?:can|could|will|would) you|do you(?: happen to)?)"
    r"(?: (?:just|kindly|please|quickly))?"
    r" (?:explain|find|give|know|look|recall|remember|remind|say|show|tell)\b"
    r"(?: (?!if|that|whether)\w+){0,4}?"
    r" (?:how|what|when|where|which|who|whom|whose|why)\b",
    re.IGNORECASE,
)
_SENTENCE_OR_DASH = re.compile(r"[.!] |--| [\u2013\u2014] ")
"""Before the question itself: "The lease ends in May. Is it signed?"."""
_CHOICE = re.compile(r"\bor\b", re.IGNORECASE)
"""A question with "or" asks which of two."""
_RELATIVE_TO_NOW = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|next|last|latest|recently|currently|coming"
    r"|upcoming|ago|soon|this (?:morning|afternoon|evening|week|weekend|month|quarter|year))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class GeneratorQuestion:
    """A question as it is put to the generator."""

    task: Task
    text: str
    today: date
    deadline: float | None = None
    """`time.monotonic` at which a reply is broken off; None: no limit."""
    remark: str = ""
    """An additional remark in a personal prompt, with a blank behind it."""
    fence: str = ""
    """What stands around each passage; empty: one made of the passages."""

    def prompt(
        self,
        model: Generator,
        passages: Sequence[Passage],
        part: str = "answer",
        how: str | None = None,
        **fields: str,
    ) -> str:
        """Return the prompt for an answer; `how` says in which form, else what suits it."""
        how = how or section("question", form_asked(self.text))
        today = self.remark + _today(self.text, self.today)
        values = {"today": today, "how": how} | fields
        return self.task.prompt(model, part, self.text, passages, self.fence, **values)

    def late(self) -> bool:
        """Say whether the deadline has passed."""
        return is_past(self.deadline)


def write(
    model: Generator,
    asked: GeneratorQuestion,
    prompt: str,
    *,
    max_tokens: int | None = None,
    stop: tuple[str, ...] | None = None,
    constraint: Constraint | None = None,
    adapted: bool = False,
) -> Steps[Draft]:
    """Yield the tokens of the likeliest reply to a prompt; return it, unjudged.

    It ends at the limit and stop strings, by default the task's, and at the deadline. An `adapted`
    one reads passages with the model's reading adapter.
    """
    text, ended, logprobs = "", False, list[float]()
    pieces = model.sample(
        GenerationRequest(
            (prompt,),
            max_tokens=max_tokens or asked.task.answer_tokens,
            stop=asked.task.stop if stop is None else stop,
            constraint=constraint,
            logprobs=True,
            adapted=adapted,
        )
    )
    for piece in pieces:
        text += piece.text
        logprobs += piece.logprobs
        ended = piece.finished == "stop"
        if piece.text:
            yield Token(piece.text)
        free = constraint is None or isinstance(constraint, Beginnings | OtherBeginnings)
        if free and (said := _before_a_repetition(text)) is not None:
            return Draft(said, logprobs=tuple(logprobs))
        if asked.late() and not piece.finished:
            break
    return Draft(text.strip(), ended=ended, logprobs=tuple(logprobs))


def finish(
    asked: GeneratorQuestion,
    passages: Sequence[Passage],
    written: Draft,
    calibration: Calibration,
    margin: float = 0.0,
    *,
    compared: float = 0.0,
) -> Draft:
    """Return a personal answer with its confidence, in the spelling of the passages.

    A reply which says that the passages hold no answer has none. `margin` is how far the best
    passage is ahead; `compared` is the signal of a reply whose statements the program compares.
    """
    written = replace(written, text=written_out(written.text, [one.text for one in passages]))
    text = with_beginning(as_written(written.text, passages), asked.text, passages)
    told = replace(written, text=text, evidence=tuple(passages))
    if abstention.denies(written.text, passages):
        return told
    known = signals_of(asked.text, passages, written)
    adapted = float(written.denied is not None)
    signals = replace(
        known, margin=margin, compared=compared, adapted=adapted, denied=written.denied
    )
    return replace(told, signals=signals, confidence=calibration.confidence(signals))


def signals_of(question: str, passages: Sequence[Passage], written: Draft) -> Signals:
    """Return what speaks for a reply and against it, but for the margin of its passages."""
    known = of_words(question, written.text, passages)
    if not (said := written.logprobs):
        return known
    likely = math.exp(sum(said) / len(said))
    return replace(known, likely=likely, least_likely=math.exp(min(said)))


def unshown(steps: Steps[Draft]) -> Draft:
    """Run to the end without showing what is written."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            written: Draft = stop.value
            return written


def form_asked(question: str) -> str:
    """Return the section of the prompt that says in which form a question is answered.

    A bare "yes" names nothing that a source could support, so its reason is asked for as well.
    """
    if asks_several(question):
        return "several"
    return "verdict" if _asks_yes_or_no(question.rpartition(": ")[2]) else "one"


def _asks_yes_or_no(question: str) -> bool:
    if _CHOICE.search(question) or _REQUEST.search(question):
        return False
    if _YES_OR_NO.search(question) or _AFTER_A_CLAUSE.search(question):
        return True
    last = _SENTENCE_OR_DASH.split(question)[-1]
    return not _INTERROGATIVE.search(question) and bool(_YES_OR_NO.search(last))


def asks_several(question: str) -> bool:
    """Say whether a question asks more than one thing.

    Only then are sentences asked for, one for each. A single question is answered in a few words:
    small models answer it worse when they are told of several.
    """
    asked = len(_INTERROGATIVE.findall(question))
    return asked > 1 or (asked == 1 and _PAIR.search(question) is not None)


def _today(question: str, today: date) -> str:
    """Return a line with today's date where the question depends on it.

    Elsewhere small models take the date for an answer. A question of several parts often asks when,
    so it gets the date too.
    """
    if not (_RELATIVE_TO_NOW.search(question) or asks_several(question)):
        return ""
    return section("question", "today", date=today.strftime("%A %Y-%m-%d"))


def _before_a_repetition(text: str) -> str | None:
    """Return the text before a sentence that was just repeated; None without a repetition.

    Small models that have said all they know repeat it, up to the limit.
    """
    ends = [end.end() for end in _END.finditer(text)]
    if len(ends) < 2:
        return None
    last = text[ends[-2] : ends[-1]]
    said = words(MARKER.sub("", last))
    earlier = (text[begin:end] for begin, end in zip([0, *ends], ends[:-1], strict=False))
    if len(said) < REPEATED_WORDS or said not in (words(MARKER.sub("", one)) for one in earlier):
        return None
    return text[: ends[-2]].strip()
