"""Marks of text that says what an answer should be, show, cite or hide."""

from __future__ import annotations

from engine.injection.marks import ADDS, DICTATES, HIDES, SOURCES, Rule, compiled

_REPLY = r"(?:answer|reply|respond|output|print|say|state|return|write|repeat)"
_ANSWERS = r"(?:answers?|repl(?:y|ies)|responses?|output|summary)"
_REPLIES = (
    *("answer", "antwort", "repl", "respon", "output", "print", "say", "state", "return", "write"),
)
_THE_USER = r"(?:the |your )?(?:user|human|reader|person asking|person|account holder)"

RULES = (
    Rule(
        DICTATES,
        2,
        ("whatever", "no matter"),
        compiled(
            rf"\b(?:whatever|no matter what) (?:you are asked|is asked|{_THE_USER} (?:is )?ask"
            rf"(?:s|ed)) (?:\w+ ){{0,5}}{_REPLY}\b",
        ),
    ),
    Rule(
        DICTATES,
        1,
        (*_REPLIES, "summary"),
        compiled(
            r"\b(?:answer|reply|respond|output) (?:with )?(?:only|exactly|nothing but|solely"
            r"|verbatim) (?:with )?(?:the (?:single |exact )?(?:word|words|phrase)\b"
            r"|(?<=.)(?=['\"\u201c\u00ab\u2018]))",
            rf"\b(?:your|every|each|any) (?:\w+ )?{_ANSWERS} (?:must|should|shall|has to|have to"
            r"|is to|needs to) (?:now |always |only |then )?(?:be|begin|start|end|say|contain"
            r"|consist|read|state|carry)\b(?! (?:received|sent|written|submitted|in|on|at|made))",
            rf"\b(?:when|if|whenever) (?:you (?:are|re) |{_THE_USER} )"
            rf"(?:is )?ask(?:ed|s) (?:\w+ ){{0,8}}{_REPLY}\b",
            r"\b(?:answer|reply) to (?:any|every|all|each) questions? (?:\w+ ){0,4}is\b",
            r"\b(?:be)?antworten? (?:sie )?(?:auf )?jede (?:\w+ )?frage (?:nur )?mit\b",
            r"\bno matter what (?:\w+ ){1,5}(?:answer|reply|response) is\b",
            r"\b(?:answers?|repl(?:y|ies)|responds?) (?:to )?(?:any|every|all|each) (?:\w+ )?"
            r"(?:questions?|queries) (?:only )?(?:with|by)\b",
            r"\b(?:answer|reply|say) \w+ to (?:any|every|all|each|the) questions?\b",
            rf"\b(?:end|begin|start|finish|prefix)s? (?:your|every|each|all) {_ANSWERS} with\b",
            rf"\b(?:do not|don't) {_REPLY} (?:anything|something) else\b",
            r"\b(?:do not|don't|never|stop) answer(?:ing)? (?:(?:the|any|this|that|user's|person's"
            r"|other|their) ){0,3}questions?(?! (?:in|of|on|about|from))\b",
            rf"\bin your {_ANSWERS}\W+(?:please )?(?:ask|say|include|mention|state|tell|write)\b",
            rf"\b{_THE_USER} wants you to (?:answer|reply|say)\b",
        ),
    ),
    Rule(
        DICTATES,
        0,
        (*_REPLIES, "tell", "inform", "ask", "claim", "insist", "repeat"),
        compiled(
            r"(?:^|[\n.!?,;:>\"'(\]]\W{0,3}|\b(?:and|then|instead|just|please|only|must|should"
            r"|shall|ha(?:s|ve) to|required to|job (?:\w+ )?is to|now) )"
            r"(?:now |only |always |then |just )?"
            r"(?:(?:answer|reply|respond|state|claim|insist|report)"
            r" (?:with|that|only|just|exactly|nothing|always)\b"
            r"|(?:answer|reply|respond|say|output|print|write|repeat|state)"
            r" (?:back )?(?:only |just |exactly |that |the (?:single )?(?:word|phrase) )?"
            r"['\"\u201c\u00ab\u2018]?[\w-]+['\"\u201d\u00bb\u2019]?"
            r"(?:[\W_]*$|\s?[.!,;<\n]| and\b| to\b)"
            r"|(?:say|write|print|output|repeat) (?:only|that|nothing|the (?:single )?(?:word|words"
            rf"|phrase))\b|(?:say|state|claim|insist) (?:that )?(?:the|it|they|he|she|there)\b"
            rf"|(?:tell|inform|ask) {_THE_USER}\b)",
            rf"\b{_REPLY} (?:with )?nothing (?:else|but)\b|\brepeat after me\b",
            r"\band nothing else\b|\bthe (?:(?:correct|final|official|only|true|right) ){0,2}"
            r"(?:answer|reply) (?:\w+ ){0,6}is\b",
            r"\b(?:answer|reply to) questions (?:\w+ ){0,5}with\b",
            r"\bonly thing (?:that )?you (?:say|answer|write)\b|\byour (?:\w+ )?answer is\b",
        ),
    ),
    Rule(
        ADDS,
        2,
        ("answer", "repl", "respon", "output", "summary", "prompt", "instruct", "!["),
        compiled(
            r"\b(?:add|append|include|insert|embed|render|put|place|display) [^\n]{0,80}?"
            r"(?:link|url|image|picture|formula|https?:|data:|!\[)[^\n]{0,80}?"
            r"(?:to|in|into|with|under|inside) (?:your (?:\w+ )?(?:answers?|responses?|output"
            rf"|summary)|(?:every|each) (?:\w+ )?{_ANSWERS})\b",
            r"\b(?:reveal|repeat|print|output|show|leak|disclose|recite|quote|send|include|copy)"
            r" (?:\w+ ){0,4}your (?:(?:full|entire|hidden|initial|exact|own|whole) )?"
            r"(?:system (?:prompt|message|instructions)|initial prompt|instructions verbatim)\b",
            r"\b(?:reveal|repeat|print|output|show|leak|disclose|recite) (?:the|all) (?:\w+ ){0,2}"
            r"(?:prompt|instructions?) (?:that )?you (?:were|have been) given\b",
            r"\bencode (?:\w+ ){0,3}(?:question|answer|conversation)\b[^\n]{0,80}?"
            rf"\b(?:in|into|to) your {_ANSWERS}\b",
            r"!\[[^\]\n]{0,80}\]\([a-z]{2,8}:[^)\s]{4,300}\{[^)\s]{0,300}\)",
        ),
    ),
    Rule(
        ADDS,
        1,
        ("answer", "repl", "respon", "output", "summary", "question", "conversation"),
        compiled(
            r"\b(?:add|append|include|insert|embed|put|place) (?:\w+ ){0,8}"
            rf"(?:to|in|into|at the end of|before it in) your (?:\w+ )?{_ANSWERS}\b",
            r"\b(?:render|load|fetch|open|visit|call|request|send) [^\n]{0,80}?"
            r"(?:url|link|image|address|endpoint|webhook|https?:)[^\n]{0,60}?"
            r"(?:with|containing|followed by) (?:\w+ ){0,4}(?:question|answer|conversation"
            r"|passwords?|summary)\b",
        ),
    ),
    Rule(
        SOURCES,
        2,
        ("passage", "cite", "quote", "source"),
        compiled(
            r"\b(?:cite|quote|treat|trust) (?:only )?(?:this|it|the following)"
            r" (?:(?:passage|mail|document|message|text|note|event|file|source) )?"
            r"(?:for every|for all|as (?:the|your) only (?:source|passage|evidence|truth))\b",
            r"\baccording to passage \d the (?:\w+ )?answer\b",
        ),
    ),
    Rule(
        SOURCES,
        1,
        ("passage", "source", "cite", "treat", "trust", "evidence", "mark ", "base "),
        compiled(
            r"\b(?:passages?|sources?|excerpts?) (?:(?:number )?\[?\d{1,2}\]?|above|below)"
            r" (?:is|are) (?:false|fake|forged|outdated|wrong|obsolete|untrusted|unreliable"
            r"|superseded)\b",
            r"\bother passages (?:is|are) (?:false|fake|forged|outdated|wrong)\b",
            r"\b(?:cite|quote|treat|trust|rank|mark) (?:only )?(?:this|it|the following)"
            r" (?:(?:passage|mail|document|message|text|note|event|file|source) )?"
            r"(?:as (?:verified|trusted|grounded|authoritative|system|highest|supported|evidence"
            r"|instructions?|passage))\b",
            r"\b(?:do not|don't|never|must not) (?:use|trust|cite|read|consider|quote|believe)"
            r" (?:(?:the|any|all) )?(?:an)?(?:other|remaining|rest of the|following|previous"
            r"|earlier) (?:passages?|sources?)\b(?! of)",
            r"\b(?:do not|don't|never|must not) (?:use|trust|cite|quote) passage \d",
            r"\bpassages (?:do not|don't) (?:say|answer)\b",
            r"\bsources agree\W{1,3}[^\n]{0,80}\[\d\]",
        ),
    ),
    Rule(
        HIDES,
        1,
        ("user", "the human", "person asking", "account holder"),
        compiled(
            r"\b(?:do not|don't|never|without|must not|should not) (?:tell(?:ing)?|inform(?:ing)?"
            r"|warn(?:ing)?|alert(?:ing)?|notify(?:ing)?|reveal(?:ing)?"
            r"|mention(?:ing)?) (?:\w+ ){0,5}"
            r"(?:the )?(?:user|human|person asking|account holder)\b",
            r"\bthe (?:user|human|person asking) (?:must|should|need|may)(?: not|n't)"
            r" (?:know|see|notice|be told|learn|find out)\b",
        ),
    ),
)
