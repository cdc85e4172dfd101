"""Tells what a mail repeats of earlier mail from what its author wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

Span = tuple[int, int]

_SCANNED = 1 << 20
"""Characters of a body that are searched."""
_QUOTED = re.compile(r"(?: ?>[^\n]*(?:\n|\Z))+")
_RULED = (
    r"[-_]*+ ?+"
    r"(?i:Original Message|Forwarded |Originalnachricht|Weitergeleitete Nachricht"
    r"|Ursprüngliche (?:Nachricht|Mail)|Message (?:d.origine|original|transféré)"
    r"|Mensaje (?:original|reenviado)|Messaggio (?:originale|inoltrato)|Mensagem original"
    r"|(?:Oorspronkelijk|Doorgestuurd) bericht|Ursprungligt meddelande|Oprindelig meddelelse"
    r"|Opprinnelig melding|Wiadomość oryginalna|Исходное сообщение|原始邮件|原始郵件)"
)
_RULES = [
    (f"\n{mark}", re.compile(rf"\n{mark}{_RULED}"), re.compile(rf" ?{mark}{_RULED}"))
    for mark in ("--", "__")
]
"""The beginning of a rule below the first line; a whole rule; a rule on the first line."""
_SUBJECTS: tuple[str, ...] = (
    "Subject",
    "Betreff",
    "Objet",
    "Asunto",
    "Oggetto",
    "Assunto",
    "Onderwerp",
    "Ämne",
)
_SUBJECTS += ("Emne", "Temat", "Тема", "主题", "主旨", "件名")
# The header block that Outlook and others write above what they quote, its last line apart.
_COPIED = re.compile(
    r"[ \t]*[*_]{0,2}(?:From|Von|De|Da|Van|Från|Fra|Od|От|发件人|寄件者|差出人)"
    r"[*_]{0,2}[ \t]?[:\uff1a][ \t]*[^\s][^\n]*\n(?:[^\n:\uff1a]{1,24}[:\uff1a][^\n]*\n){1,5}?\Z",
    re.IGNORECASE,
)
_COPIED_LENGTH = 4000
# Few lines have a colon near their beginning: only these are looked at closely.
_SUBJECT, _ANY_SUBJECT = (
    re.compile(
        rf"\n(?=[^\n{colons}]{{0,16}}[{colons}])"
        rf"[^\n]{{0,4}}?({'|'.join(_SUBJECTS)})[ *_]{{0,3}}[{colons}]"
    )
    for colons in (":", ":\uff1a")
)
"""With the usual colon; and with the Chinese one too, which takes twice as long."""
_PLACES = 200
"""How many words that may introduce a quotation are followed up."""
_END, _ANY_END = (re.compile(rf"[{colons}][ \t]*(?:\n|\Z)") for colons in (":", ":\uff1a"))
# "On Tue, 17 Nov 2026 at 09:02, Ana Ruiz <ana@example.org> wrote:", on up to three lines.
_WROTE = re.compile(
    r"[ \t]*(?:On|Am|Le|El|Em|Il|Op|Den|Dne|W dniu)\b[^\n]{0,300}(?:\n[^\n]{1,200}){0,2}?"
    r"(?:wrote|writes|schrieb|a écrit|escribió|escreveu|ha scritto|schreef|skrev|napsal|napisał)"
    r"[^\n]{0,100}[:\uff1a][ \t]*(?:\n|\Z)"
)
_VERBS: tuple[str, ...] = (
    "wrote",
    "schrieb",
    "a écrit",
    "escribió",
    "escreveu",
    "ha scritto",
    "schreef",
    "skrev",
)
_VERBS += ("writes", "napsal", "napisał")


def quoted_spans(body: str) -> tuple[Span, ...]:
    """Return the spans of `body` that repeat earlier mail, in order.

    Lines quoted with ">" are spans of their own, with the line above that says who wrote them.
    All text below a rule, a copied header block or such a line without quotes is history.
    """
    scanned = body if len(body) <= _SCANNED else body[:_SCANNED]
    introductions = list(_introductions(scanned))
    spans = _quoted_lines(scanned)
    beginnings = [start for start in (_rule(scanned), _copied(scanned)) if start >= 0]
    for start, stop in introductions:
        rest = scanned[stop : stop + 200].lstrip()
        if not rest.startswith(">"):
            if rest:
                beginnings.append(start)
            continue
        following = next((n for n, span in enumerate(spans) if span[0] >= stop), None)
        if following is not None:
            spans[following] = (start, spans[following][1])
    if not beginnings:
        return tuple(spans)
    history = min(beginnings)
    return (*((a, min(b, history)) for a, b in spans if a < history), (history, len(body)))


def _quoted_lines(body: str) -> list[Span]:
    if ">" not in body:
        return []
    spans = []
    at = 0 if body.startswith((">", " >")) else -1
    spaced = "\n >" in body
    at = at if at == 0 else _next(body, 0, spaced)
    while at >= 0:
        quoted = _QUOTED.match(body, at)
        if quoted is not None:
            spans.append(quoted.span())
        at = _next(body, max(at, quoted.end() - 1 if quoted else at), spaced)
    return spans


def _next(body: str, at: int, spaced: bool) -> int:
    """Return where the next quoted line begins, -1 without one."""
    hits = [body.find("\n>", at)]
    if spaced:
        hits.append(body.find("\n >", at))
    return min((hit + 1 for hit in hits if hit >= 0), default=-1)


def _rule(body: str) -> int:
    """Return where a line like "-----Original Message-----" begins, -1 without one."""
    for begins, lower, first in _RULES:
        if first.match(body):
            return 0
        rule = lower.search(body) if begins in body else None
        if rule is not None:
            return rule.start() + 1
    return -1


def _copied(body: str) -> int:
    """Return where a copied header block begins, -1 without one."""
    subject = _ANY_SUBJECT if "\uff1a" in body else _SUBJECT
    found = islice(subject.finditer(body), _PLACES)
    lines = [(match[1], match.start() + 1) for match in found]
    for _, line in sorted(lines, key=lambda one: _SUBJECTS.index(one[0])):
        start = _block_above(body, line)
        if start >= 0:
            return start
    return -1


def _block_above(body: str, stop: int) -> int:
    """Return where the header block begins whose subject is at `stop`, at most six lines up."""
    start = stop
    for _ in range(6):
        if start == 0 or stop - start > _COPIED_LENGTH:
            return -1
        start = body.rfind("\n", 0, start - 1) + 1
        if _COPIED.fullmatch(body, start, stop):
            return start
    return -1


def _introductions(body: str) -> Iterator[Span]:
    """Yield the lines that say who wrote what follows."""
    for verb in _verbs_above_colons(body):
        for at in _places(body, verb):
            start = at
            for _ in range(3):
                start = body.rfind("\n", 0, start - 1) + 1 if start else 0
                line = _WROTE.match(body, start)
                if line is not None and line.end() > at:
                    yield line.span()
                    break


def _verbs_above_colons(body: str) -> list[str]:
    """Return the verbs in lines that end in a colon, and in the two above each."""
    above = []
    ends = _ANY_END if "\uff1a" in body else _END
    for end in ends.finditer(body):
        start = end.start()
        for _ in range(3):
            start = body.rfind("\n", 0, max(start, 0))
        above.append(body[start + 1 : end.start()])
    text = "\n".join(above)
    return [verb for verb in _VERBS if verb in text] if text else []


def _places(body: str, words: str) -> Iterator[int]:
    """Yield where `words` occur, no more often than a mail can need."""
    at = body.find(words)
    for _ in range(_PLACES):
        if at < 0:
            return
        yield at
        at = body.find(words, at + 1)
