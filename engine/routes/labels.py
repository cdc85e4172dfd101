"""Which of four kinds of work a question needs (TTRAG section 3.3).

What the words of the question settle is settled without a model: a key, a word for summarising,
or a plan in which every word has its part. For the rest the look-ahead model chooses among four
labels, by the log-probability of a letter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from engine.compute.question_plan import PlanReading
from engine.prompts.templates import render, section
from models.protocols import Generator

Label = Literal["question", "key_value", "summary", "aggregate"]
LABELS: tuple[Label, ...] = get_args(Label)
LETTERS = "ABCD"
MARGIN = 1.0
"""Log-probability by which another label must beat "question", mean over the letters."""

# "'theme'", "user_id", "db.host", "maxSize"
_NAME = (
    r"""["'`\u201c][^"'`\u201d]+["'`\u201d]|\w*(?:_|[A-Za-z]\d)\w*"""
    r"|[A-Za-z]\w*[.:/-][\w.:/-]*\w|[a-z]+[A-Z]\w*"
)
"""Names a key: it is quoted, or spelled as no word of a sentence is."""
# "the setting max_size", "stored under the key theme?"
_KEY = re.compile(
    r"\b(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=\w*\d)[0-9a-f]{16,})\b"
    r"|\b(?i:key|field|setting|variable|property|parameter|option) (?i:(?:named|called) )?"
    rf"(?:{_NAME})"
    r"|\b(?i:stored under|value (?:of|for|under)) (?i:the )?(?i:key) \w+\W*$"
    r"|(?<![\w.@/-])[A-Za-z]\w*_\w+(?![\w@/-]|\.\w)",
)
# "what is the value", "holds", "says for"
_VALUE = re.compile(
    r"\b(?:values?|stored|written|holds?|set|equals?|look up)\b|\bsays? for\b|=", re.IGNORECASE
)
# "Who set"
_OF_SOMETHING_ELSE = re.compile(
    r"\W*(?:who\w*|when|where|why|how|did|do|does|is|are|was|were|has|have|had)\b", re.IGNORECASE
)
"""Begins a question about a key that does not ask for its value."""

# "“the plan”"
_QUOTED = re.compile(r'"[^"]*"|\u201c[^\u201d]*\u201d')
# "invoices"
_AMOUNTS = (
    r"amounts?|sums?|totals?|costs?|prices?|figures?|numbers|bills?|invoices?|statements?"
    r"|expenses?|fees?|payments?|hours|minutes"
)
# "summarise", "boil it down"; not "sum up the invoices"
_CONDENSE = rf"summari[sz]e|recap|condense|outline|sum up(?!.*\b(?:{_AMOUNTS})\b)|boil .*\bdown\b"
# "recap", "main points"
_CONDENSED = (
    r"summar(?:y|ies)|overview|recap|digest|gist|synopsis|outline"
    r"|(?:main|key|essential) points?|highlights"
)
# "short overview of", "main points"
_SUMMARIES = (
    r"(?:(?:very|short|brief|quick|concise|good|one|\w+-(?:sentence|line|paragraph)) )*"
    rf"(?:{_CONDENSED})(?=\W*$|[,:]| (?:of|on|about|for|from|in|with|please)\b)"
)
"""Has no verb behind it: "the summary that Kim sent" is a thing and not a request."""
# "please ", "could you briefly "
_BIDDING = (
    r"(?:^|[.,;:!?-] |\b(?:please|(?:can|could|would|will) you|(?:like|want|need) you to) )"
    r"(?:please |now |just |briefly )*"
)
# "please summarise the", "give me a recap", "what did I miss"
_SUMMARY = re.compile(
    rf"{_BIDDING}(?:{_CONDENSE})\b"
    rf"|{_BIDDING}(?:give|show|tell|write|make|get|list|draft|prepare|provide) (?:me |us )?"
    rf"(?:(?:an?|the|some|your) )?{_SUMMARIES}"
    rf"|\bi(?:'d|\u2019d| would)? (?:need|want|like)(?: to have)? (?:an?|the|some) {_SUMMARIES}"
    rf"|\b(?:can|could|may) (?:i|we) (?:have|get) (?:an?|the|some) {_SUMMARIES}"
    rf"|^(?:an? )?{_SUMMARIES}"
    rf"|\bwhat(?:'s|\u2019s| is| are| was| were) the {_SUMMARIES}"
    r"(?=\W*$| (?:of|in)\b)"
    r"|\btl;?dr\b|\bin a nutshell\b|\b(?:catch|fill) (?:me|us) (?:up|in)\b"
    r"|\bbring (?:me|us) up to (?:speed|date)\b|^what (?:did|have) (?:i|we) miss(?:ed)?\b"
    r"|^what(?:'s|\u2019s| has| have) been (?:going on|happening|said)\b",
    re.IGNORECASE,
)
"""Asks to condense something, or for a summary of it."""


@dataclass(frozen=True, slots=True)
class Classified:
    """A label, and how it was found."""

    label: Label
    by: Literal["words", "plan", "model"]
    scores: Mapping[Label, float] = field(default_factory=dict)
    """Of the model: mean log-probability of each label."""


def by_words(question: str, read: PlanReading | None = None) -> Classified | None:
    """Return the label that the question's words settle, or None."""
    if _asks_for_a_key(question):
        return Classified("key_value", "words")
    if _SUMMARY.search(_QUOTED.sub('""', question)):
        return Classified("summary", "words")
    if read is not None and read.sure:
        return Classified("aggregate", "plan")
    return None


def _asks_for_a_key(question: str) -> bool:
    if _OF_SOMETHING_ELSE.match(question):
        return False
    return bool(_KEY.search(question) and _VALUE.search(question))


def by_model(model: Generator, question: str, margin: float = MARGIN) -> Classified:
    """Return the label that the model finds likeliest; "question" where it is not sure."""
    scores = likelihoods(model, question)
    best = max(LABELS, key=lambda label: scores[label])
    sure = scores[best] - scores["question"] >= margin
    return Classified(best if sure else "question", "model", scores)


def likelihoods(model: Generator, question: str) -> dict[Label, float]:
    """Return the log-probability of each label, mean over the orders in which they are listed."""
    sums: dict[Label, float] = dict.fromkeys(LABELS, 0.0)
    for turn in range(len(LABELS)):
        order = (*LABELS[turn:], *LABELS[:turn])
        labels = [
            section("classify", label.replace("_", " "), letter=letter).strip()
            for label, letter in zip(order, LETTERS, strict=True)
        ]
        prompt = render(model, "classify", question=question, labels="\n".join(labels))
        said = model.next_token_logprobs(prompt, LETTERS)
        for label, logprob in zip(order, said, strict=True):
            sums[label] += logprob / len(LABELS)
    return sums
