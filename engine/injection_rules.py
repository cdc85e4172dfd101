"""The rules by which `engine.injection` tells an order to a model from words to a person.

They match folded text: lower case, no accents, lookalikes as ASCII. Few words between people read
only like an order, so most rules are marks that count together: see `Rule.weight`.
"""

from __future__ import annotations

import re

from engine import injection_languages
from engine.injection_marks import (
    ADDS,
    DICTATES,
    HIDES,
    IMITATES,
    SETS_ASIDE,
    SOURCES,
    TO_MODEL,
    Rule,
    compiled,
)

_MODEL = (
    r"(?:(?:ai|language|large language) models?|(?:ai|a\.i\.|llm|chat-?bot|gpt|virtual assistant"
    r"|(?:ai|digital|automated|reading|summari[sz]ing) assistant"
    r"|(?:ai|llm) (?:system|agent|tool|reader|summari[sz]er|bot)"
    r"|automated (?:reader|tool|summari[sz]er))s?)"
)
_ITSELF = (
    r"(?=\W{0,2}(?:[,.;:!?)\n\-\u2013\u2014]|$)| (?:that|which|who|and|you|please|must|should"
    r"|then|(?:reading|processing|summari[sz]ing) (?:this|these|it))\b)"
)
"""A model is addressed, not its students, teams or conferences."""
_EARLIER = (
    r"(?:previous|prior|preceding|earlier|above|foregoing|existing|original|other|former|system"
    r"|past|initial)"
)
_ORDERS = (
    r"(?:instructions?|prompts?|directives?|guidelines?|guidance|rules|commands"
    r"|programming|constraints|restrictions|safeguards|training)\b"
)
_UNLIMITED = r"(?! (?:on|of|about|for|from|regarding|concerning|in|to|at) )"
"""The orders of a court, or on parking, are not those of a model."""
_SET = r"(?:ignore|disregard|forget|override|bypass|discard|overrule)"
_DETERMINERS = r"(?:(?:all|any|every|each|of|the|your|my|these|those) )"
_REPLY = r"(?:answer|reply|respond|output|print|say|state|return|write|repeat)"
_ANSWERS = r"(?:answers?|repl(?:y|ies)|responses?|output|summary)"
_REPLIES = (
    *("answer", "antwort", "repl", "respon", "output", "print", "say", "state", "return", "write"),
)
_THE_USER = r"(?:the |your )?(?:user|human|reader|person asking|person|account holder)"

RULES = (
    Rule(
        SETS_ASIDE,
        2,
        ("ignore", "disregard", "forget", "overrid", "bypass", "overrul", "discard"),
        compiled(
            rf"\b{_SET} {_DETERMINERS}{{0,3}}(?:all|any|every) {_DETERMINERS}{{0,2}}"
            rf"(?:{_EARLIER} ){{0,2}}{_ORDERS}{_UNLIMITED}",
        ),
    ),
    Rule(
        SETS_ASIDE,
        1,
        ("ignore", "disregard", "forget", "overrid", "bypass", "overrul", "discard"),
        compiled(
            rf"\b{_SET} {_DETERMINERS}{{0,4}}{_EARLIER} (?:\w+ )?"
            rf"(?:passages?|sources|context|orders{_UNLIMITED}|{_ORDERS})",
            rf"\b{_SET} {_DETERMINERS}{{0,3}}your {_DETERMINERS}{{0,2}}{_ORDERS}",
            rf"\b{_SET} {_DETERMINERS}{{0,3}}{_ORDERS} (?:that )?"
            r"you (?:were|have been|ve been|got)\b",
            rf"\b{_SET} (?:the )?(?:above|context|passages|question)\b(?! \w+ing\b)",
            rf"\b{_SET} (?:all |the )?(?:previous|prior|foregoing)(?=\s?[.,;:]| and\b)",
            rf"\b{_SET} what the (?:documents?|passages?|mails?|sources?) says?\b",
            rf"\b{_SET} (?:all|everything|anything|whatever|what|all the things)"
            r" (?:that |which )?(?:you (?:were|was|have been|ve been) (?:\w+ )?"
            r"(?:told|given|taught|instructed|asked)|was (?:said|written)|came|above|before)\b",
        ),
    ),
    Rule(
        SETS_ASIDE,
        1,
        ("instruct", "guideline", "rules", "prompt", "directive", "obey only"),
        compiled(
            rf"\b{_EARLIER} {_ORDERS} (?:no longer|do not|don't) (?:apply|hold|count)\b",
            r"\byour (?:\w+ )?(?:instructions|guidelines|rules|directives|prompt)"
            r" (?:have|has|were|are) (?:been |now )?(?:updated|changed|replaced|revoked|void)\b",
            r"(?:^|[\n.!?,;:>\"'(]\W{0,3}|\b(?:and|please|then) )"
            r"(?:do not|don't|never|stop) (?:follow|obey|heed)(?:ing)? "
            rf"(?:{_DETERMINERS}|{_EARLIER} ){{1,4}}{_ORDERS}{_UNLIMITED}",
            r"\bobey only this (?:note|mail|message|text|document)\b",
            r"\b(?:pay no attention to|set aside|put aside|drop) (?:all|any|every|anything"
            r"|everything|what|whatever) (?:\w+ ){0,4}(?:instruct\w*|guidelines?|rules?|told)\b",
        ),
    ),
    Rule(
        TO_MODEL,
        2,
        ("ai", "a.i", "llm", "model", "bot", "gpt", "assistant", "copilot", "automated"),
        compiled(
            rf"\b(?:if|when|since|as|because) you (?:are|re) (?:an? |the )?{_MODEL}\b{_ITSELF}",
            rf"(?:^|[\n.!?;:>\"'(]\W{{0,3}})as an? {_MODEL} you\b",
            r"\b(?:note|message|attention|memo|instructions?|notice|hello|dear|hey|hi|reminder)"
            rf" (?:(?:to|for) )?(?:(?:the|any|all|every|your|you|of) ){{0,2}}(?:{_MODEL}|chatgpt"
            rf"|copilot)\b{_ITSELF}",
            r"(?:^|[\n.!?>\"'(]\W{0,3})(?:hey )?"
            rf"(?:{_MODEL}|chatgpt|gpt-?\d\w*|copilot|assistant)\W{{0,2}}[:,]\W{{1,3}}(?:please )?"
            r"(?:you (?:must|should|are|will|shall)|ignore|disregard|answer|repl[iy]|respond"
            r"|send|tell|say|state|output|report|write|do not|don't|never|forget)\b",
        ),
    ),
    Rule(
        TO_MODEL,
        1,
        ("ai", "llm", "model", "bot", "gpt", "assistant", "automated", "you are", "dan", "this"),
        compiled(
            rf"\b{_MODEL} (?:that |which |who )?(?:is |are )?(?:now )?"
            r"(?:read(?:s|ing)?|process(?:es|ing)?|summari[sz](?:es?|ing)|index(?:es|ing)?"
            r"|handl(?:es?|ing)|see(?:s|ing)?|analy[sz](?:es?|ing)) (?:this|it|these)\b",
            rf"\b{_MODEL} (?:must|shall|should|ha(?:s|ve) to) (?:now |only |always )?"
            r"(?:answer|reply|respond|say|state|tell|inform|report|ignore|write)\b",
            rf"\b(?:summari[sz]es?|reads?|processes) (?:this|it) (?:with|by|using) "
            rf"(?:an? )?{_MODEL}",
            r"(?:^|\n|[.!?>\]]\W{1,3})\W{0,3}attention\W{1,3}(?:ai|assistants?|bots?)\b\W{0,2}[!:]",
            r"\bsummari[sz]ing this (?:e-?mail|mail|message|text|document|page|note)\b",
            r"(?<!\w)@(?:assistant|ai|bot|chatgpt)\b(?!\.\w)|\byou are (?:dan|chatgpt|gpt-?\d)\b",
            r"\b(?:dan|jailbreak|god) mode (?:is |has been )?(?:on|enabled|activated|active)\b",
            r"\b(?:act|behave|roleplay|pretend) (?:as|like|to be)"
            rf" (?:if |though )?(?:you (?:are|were) )?(?:an? |the )?(?:{_MODEL}\b{_ITSELF}"
            r"|unrestricted\b)",
            r"\byou are (?:now|no longer) (?:in |an? |the )?(?:(?!an |the )\w+ )?"
            rf"(?:(?:{_MODEL}|assistant)\b{_ITSELF}|(?:dan|unrestricted|jailbroken)\b)"
            r"|\byou are no longer bound by\b",
        ),
    ),
    Rule(
        TO_MODEL,
        0,
        ("you", "du bist", "tu es", "eres", "mode", " act"),
        compiled(
            r"\b(?:you are|you re) (?:now|no longer|henceforth|from (?:now|here) on)\b"
            r"|\bfrom (?:now|here|this point) on you (?:are|only)\b|\bact as an?\b",
            r"\byou have an? (?:new|different) (?:goal|task|role|job)\b",
            r"\b(?:developer|debug) mode (?:is |has been )?(?:on|enabled|activated|active)\b",
            r"\bdu bist (?:jetzt|nun|ab sofort)\b|\btu es (?:maintenant|désormais)\b"
            r"|\b(?:ahora|a partir de ahora) eres\b",
            r"\byour (?:only|new|sole|real) (?:job|task|goal|purpose|duty|role)\b",
        ),
    ),
    Rule(
        IMITATES,
        2,
        ("<|", "inst]", "<<sys", "_of_turn", "###", "</"),
        re.compile(
            r"<\|(?:im_start|start_header_id)\|>\W{0,3}(?:system|user|assistant|model)\b"
            r"[^\0]{0,2000}?(?:<\|(?:im_end|eot_id)\|>|\n[ \t]*\n|\Z)"
            r"|<\|(?:system|user|assistant)\|>[^\0]{0,2000}?(?:\n[ \t]*\n|\Z)"
            r"|\[inst\][^\0]{0,2000}?(?:\[\W?inst\]|\n[ \t]*\n|\Z)"
            r"|<<sys>>[^\0]{0,2000}?<</sys>>"
            r"|<start_of_turn>[^\0]{0,2000}?(?:<end_of_turn>|\n[ \t]*\n|\Z)"
            r"|###\W{0,3}instructions?\W{0,2}:[^\0]{0,2000}?###\W{0,3}response\W{0,2}:\s*[^\n]*"
            r"|</[0-9a-f]{6}>"
        ),
    ),
    Rule(
        IMITATES,
        1,
        ("system", "assistant", "developer", "end of", "user:", "human:", '"role"', "] ", "instr"),
        re.compile(
            r"<system>[^\0]{0,2000}?</system>|\"role\"\s*:\s*\"(?:system|assistant)\""
            r"|\bend[\W_]of[\W_](?:the[\W_])?(?:passages|context|documents|evidence|untrusted text)"
            r"\W*(?:[.\n:]|\Z)"
            r"|(?:^|\n)(?:user|human):[^\n]*\?[ \t]*\n+(?:assistant|ai|model):"
            r"|(?:^|\n|[.!?>\]*:]\W{1,3}|[\"'(\[])\W{0,4}(?:system|assistant|developer)"
            r"[ _-](?:prompt|override|instructions?)\W{0,3}[:\]](?!:)"
            r"|(?:^|\n|[.!?>\]*:]\W{1,3}|[\"'(\[])\W{0,4}(?:system|assistant|developer)\W{0,3}[:\]]"
            r"\W{1,4}(?:you (?:must|are|will|shall|should|now|answer|only)|ignore|disregard|answer"
            r"|reply|respond|say|forget)\b"
            r"|(?:^|\n)\[\d\] (?:mail|document|note|event|task|contact) \"[^\"\n]{0,80}\" from "
            r"|\bsystem[ _-]override\b\W{0,3}[:\]]|\[system\]\("
            r"|<instructions?>[^\0]{0,2000}?</instructions?>"
            r"|###\W{0,3}instructions?:\W{0,3}(?:say|answer|reply|respond|output|ignore)\b"
        ),
    ),
    Rule(
        IMITATES,
        0,
        ("system", "assistant", "new instruction", "new task", "###"),
        re.compile(
            r"\bnew[\W_](?:instructions?|task)[^:.\n]{0,24}:|###\W{0,3}(?:instructions?|system)\b"
            r"|\b(?:note|instructions?)[\W_](?:to|for)[\W_](?:the[\W_])?assistants?\W{0,2}:"
            r"|(?:^|\n)\W{0,4}(?:system|assistant)[ _-](?:message|notice|update|note)\W{0,3}:"
        ),
    ),
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
    *injection_languages.RULES,
)
