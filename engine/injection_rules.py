"""The rules by which `engine.injection` tells an order to a model from words to a person.

They match folded text: lower case, lookalikes as ASCII. A rule that fires in mail between people
costs them a part of it, so each asks for more than one word that such orders have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u04bb"
    "\u03bf\u03b1\u03b5\u03b9\u03c1\u03bd\u0131\u0261\u2010\u2011\u2019",
    "aeopcyxijsdqhoaeipvig--'",
)
"""Cyrillic, Greek and Latin letters that look like letters of ASCII."""
DIGITS_AS_LETTERS = str.maketrans("013457@$", "oieastas")

_GAP = r"[\W_]{1,4}"
_MODEL = (
    r"(?:ai|a\.i\.|llm|large language model|language model|chat-?bot|virtual assistant|gpt"
    r"|(?:ai|digital|automated|reading|summari[sz]ing) assistant|assistant model)s?"
)
_EARLIER = (
    r"(?:previous|prior|preceding|earlier|above|foregoing|existing|original|other|former|system)"
)
_REPLY = r"(?:answer|reply|respond|output|print|say|state|return|write|repeat)"
_ANSWERS = r"(?:answers?|repl(?:y|ies)|responses?|output|summary)"


def _compiled(*patterns: str) -> re.Pattern[str]:
    """Compile alternatives in which a blank stands for anything between two words."""
    return re.compile("|".join(patterns).replace(" ", _GAP))


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of order and what gives it away."""

    says: str
    """What it found, as the end of "text that …"."""
    needs: tuple[str, ...]
    """A text with none of these cannot match; looking for them first is ten times as fast."""
    pattern: re.Pattern[str]
    frames: bool = False
    """Whether it begins something that only its author knows the end of."""


_SETS_ASIDE = "tells its reader to set instructions aside"
_IMITATES = "imitates the marks of a conversation with a model"
_ADDS = "asks for a link, an address or a secret to be put into an answer"
RULES = (
    Rule(
        _SETS_ASIDE,
        ("ignore", "disregard", "forget", "overrid", "bypass", "overrul", "discard"),
        _compiled(
            r"\b(?:ignore|disregard|forget|override|bypass|discard|overrule)"
            r" (?:(?:all|any|every|each|of|the|your|my|these|those) ){0,4}"
            rf"{_EARLIER} (?:\w+ )?(?:instructions?|prompts?|directives?|guidelines|rules|orders"
            r"|commands|programming|constraints|passages?|sources|context)\b",
            r"\b(?:ignore|disregard|override|bypass) (?:(?:all|any|every|of|the|your|those) ){1,4}"
            r"(?:instructions?|system prompt|prompts?|directives?|programming|safeguards)\b",
            r"\b(?:ignore|disregard|forget) (?:all|everything|anything|whatever) (?:that )?"
            r"(?:you (?:were|have been|ve been) (?:told|given|taught)|was (?:said|written)|came"
            r"|above|before)\b",
        ),
    ),
    Rule(
        _SETS_ASIDE,
        ("ignor", "negeer", "vergiss", "oubli", "olvida", "dimentica", "esque"),
        _compiled(
            r"\b(?:ignor\w{1,5}|negeer|vergiss|oublie[zr]?|olvida|dimentica|esque\u00e7a)"
            r" (?:\w+ ){1,4}(?:anweisungen|instruktionen|instructions pr|consignes|instrucciones"
            r"|istruzioni|instru\u00e7\u00f5es|instructies|instruktioner)",
        ),
    ),
    Rule(
        _SETS_ASIDE,
        ("\u0438\u0433\u043d", "\u5ffd", "\u89c6", "\u8996"),
        re.compile(
            "\u0438\u0433\u043d\u043e\u0440\u0438\u0440\u0443\u0439".translate(LOOKALIKES)
            + "|(?:\u5ffd\u7565|\u65e0\u89c6|\u7121\u8996|\u5ffd\u89c6)[^\u3002\n]{0,12}"
            "(?:\u6307\u4ee4|\u6307\u793a|\u8aac\u660e|\u63d0\u793a|\u8bf4\u660e)"
            "|(?:\u6307\u793a|\u547d\u4ee4|\u6307\u4ee4)\u3092\u7121\u8996"
        ),
    ),
    Rule(
        "speaks to a model, not to a person",
        ("ai", "a.i", "llm", "model", "bot", "gpt", "assistant", "you are", "mode "),
        _compiled(
            rf"\b(?:if|when|since|as|because) you (?:are|re) (?:an? |the )?{_MODEL}\b",
            r"\b(?:note|message|attention|memo|instructions?|notice|hello|dear|hey|hi|reminder)"
            rf" (?:(?:to|for) )?(?:(?:the|any|all|every|your|you|of) ){{0,2}}{_MODEL}\b",
            rf"(?:^|[\n.!?]\W{{0,3}})(?!ai\W?:){_MODEL}\W?:",  # AI is a Swiss canton, too
            rf"\b{_MODEL} (?:that |which |who )?(?:is |are )?(?:now )?"
            r"(?:reading|processing|summari[sz]ing|indexing|answering|must|shall)\b",
            r"\byou are (?:now|no longer) (?:in |an? |the )?"
            rf"(?:{_MODEL}|assistant|developer mode|dan|unrestricted|jailbroken|pirate|bound by)\b",
            r"\b(?:developer|debug|god|dan|jailbreak) mode"
            r" (?:is |has been )?(?:on|enabled|activated|active)\b",
            r"\b(?:act|behave|roleplay|pretend) (?:as|like|to be)"
            rf" (?:if |though )?(?:you (?:are|were) )?(?:an? |the )?(?:{_MODEL}|unrestricted)\b",
        ),
    ),
    Rule(
        _IMITATES,
        (
            *("<|", "inst]", "<<sys", "_of_turn", "###", "system", "new instruction", "new task"),
            *("end of", "assistant:", "</", '"role"'),
        ),
        re.compile(
            r"<\|[a-z_]{2,24}\|>|\[/?inst\]|<</?sys>>|</?(?:start|end)_of_turn>|</?system>"
            r"|###\W{0,3}(?:instructions?|system|response|assistant|new task)\b"
            r"|\b(?:begin|start|end|new|updated|hidden)[\W_]{1,3}(?:of[\W_])?(?:the[\W_])?"
            r"system[\W_](?:prompt|message|instructions?)|\bnew[\W_](?:instructions?|task)\W{0,3}:"
            r"|\bend[\W_]of[\W_](?:the[\W_])?(?:passages|untrusted|evidence|retrieved)\b"
            r"|\n(?:user|human):[^\n]*\n+(?:assistant|ai|model):"
            r"|</[0-9a-f]{6}>|\"role\"\s*:\s*\"(?:system|assistant)\""
        ),
        frames=True,
    ),
    Rule(
        _IMITATES,
        ("system", "assistant", "developer"),
        re.compile(
            r"(?:^|\n|[.!?>\]*:]\W{1,3}|[\"'(])\W{0,4}(?:system|assistant|developer)[ _-]"
            r"(?:prompt|message|override|notice|instructions?|update|note)\W{0,3}:(?!:)"
            r"|(?:^|\n|[.!?>\]*:]\W{1,3}|[\"'(])\W{0,4}(?:system|assistant|developer)\W{0,3}:\W{1,4}"
            r"(?:you|ignore|disregard|answer|reply|respond|forget|from now|always|never|new"
            r"|the user|override|act)\b"
        ),
    ),
    Rule(
        "dictates what to answer",
        (
            "answer",
            "repl",
            "respon",
            "output",
            "print",
            "say",
            "state",
            "return",
            "write",
            "repeat",
        ),
        _compiled(
            rf"\b{_REPLY} (?:back )?(?:(?:only|exactly|just|solely|always|simply|instead) )?"
            r"(?:to (?:any|every|all|each|the) (?:\w+ )?questions? )?(?:with )?(?:(?:only"
            r"|exactly|just"
            r"|solely|nothing but) )?the (?:single |exact )?(?:word|words|phrase)\b"
            r"(?! (?:subject|remove|unsubscribe|subscribe|help|stop))",
            rf"\b{_REPLY} (?:with )?(?:only|exactly|nothing but|solely|verbatim)"
            r"(?=[\W_]*['\"\u201c\u00ab\u2018:])",
            rf"\b(?:your|every|each|any) (?:\w+ )?{_ANSWERS} (?:must|should|shall|has to"
            rf"|have to|is to"
            r"|needs to) (?:now |always |only |then )?(?:be|begin|start|end|say|contain|include"
            r"|consist|read|state|carry)\b",
            r"\b(?:when|if|whenever|no matter what) (?:you (?:are|re) )?(?:the user |the person )?"
            rf"(?:is )?ask(?:ed|s) (?:\w+ ){{0,8}}{_REPLY}\b",
            r"\bthe (?:correct|final|official|only correct|only) answer"
            r" (?:to (?:any|every|all|the|this|that|your) (?:\w+ ){0,2}questions? )?is\b"
            r"(?=[\W_]*['\"\u201c\u00ab\u2018:]| (?:\w+ ){0,3}(?:now|always|whatever))",
            rf"\b{_REPLY} (?:to )?(?:any|every|all|each) (?:\w+ )?(?:questions?|queries)"
            r" (?:with|by|in|as|using)\b",
            rf"\b(?:end|begin|start|finish|prefix) (?:your|every|each|all) {_ANSWERS}\b",
            rf"\b(?:do not|don't) {_REPLY} (?:anything|something) else\b|\brepeat after me\b",
            r"\binstead (?:answer|respond|reply|output|print|say|write)"
            r" (?:with|only|exactly|that the)\b",
            r"\b(?:do not|don't|never) answer (?:(?:the|any|this|that|user's|person's|other"
            r"|their) )"
            r"{1,3}questions?\b",
        ),
    ),
    Rule(
        _ADDS,
        ("answer", "repl", "respon", "output", "summary", "prompt", "verbatim"),
        _compiled(
            r"\b(?:add|append|include|insert|embed|render|put|place|display) (?:\w+ ){0,8}"
            r"(?:to|in|into|at the end of|with|under|inside) (?:your|every|each)"
            rf" (?:\w+ )?{_ANSWERS}\b",
            r"\b(?:reveal|repeat|print|output|show|leak|disclose|recite|quote|send|include|copy)"
            r" (?:\w+ ){0,4}(?:your|the|its) (?:(?:full|entire|hidden|initial|exact|own|whole) )?"
            r"(?:system (?:prompt|message|instructions)|initial prompt|instructions verbatim)\b",
        ),
    ),
    Rule(
        _ADDS,
        ("url", "link", "image", "address", "endpoint", "webhook", "!["),
        _compiled(
            r"\b(?:render|load|fetch|open|visit|call|request) (?:\w+ ){0,6}(?:url|link|image"
            r"|address"
            r"|endpoint|webhook) (?:\w+ ){0,6}(?:with|containing|followed by) (?:\w+ ){0,4}"
            r"(?:question|answer|conversation|passwords?|summary)\b",
            r"!\[[^\]\n]{0,80}\]\([a-z]{2,8}:[^)\s]{4,300}[?{=][^)\s]{0,300}\)",
        ),
    ),
    Rule(
        "speaks of passages, markers or citations",
        ("passage", "source", "cite", "treat", "trust", "evidence", "end of", "mark "),
        _compiled(
            r"\b(?:passages?|sources?|excerpts?) (?:number )?\[?\d{1,2}\]? (?:is|are)"
            r" (?:false|fake|forged|outdated|wrong|obsolete|untrusted|unreliable|superseded)\b",
            r"\b(?:cite|quote|treat|trust|rank|mark) (?:only )?(?:this|it|the following)"
            r" (?:(?:passage|mail|document|message|text|note|event|file|source) )?"
            r"(?:only|as (?:verified|trusted|grounded|authoritative|system|highest|supported"
            r"|evidence|instructions?|the only|your only|passage)|for every|for all)\b",
            r"\b(?:do not|don't|never) (?:use|trust|cite|read|consider|quote|believe)"
            r" (?:(?:the|any|all) )?(?:an)?(?:other|remaining|rest of the|following|previous"
            r"|earlier) (?:passages?|sources?)\b",
            r"\b(?:answer|according) (?:only )?(?:from|to) passage \d",
        ),
    ),
    Rule(
        "asks to keep something from the person",
        ("the user", "the human", "person asking", "account holder"),
        _compiled(
            r"\b(?:do not|don't|never|without|must not|should not) (?:tell(?:ing)?|inform(?:ing)?"
            r"|warn(?:ing)?|alert(?:ing)?|notify(?:ing)?|reveal(?:ing)?"
            r"|mention(?:ing)?) (?:\w+ ){0,5}"
            r"(?:the )?(?:user|human|person asking|account holder)\b",
            r"\bthe (?:user|human|person asking) (?:must|should|need|may)(?: not|n't)"
            r" (?:know|see|notice|be told|learn|find out)\b",
        ),
    ),
)
