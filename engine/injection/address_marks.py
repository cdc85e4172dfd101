"""Marks of text that speaks to a model: sets its orders aside, names it, imitates its chats.

Rules match folded text: lower case, no accents, lookalikes as ASCII. Few words between people read
only like an order, so most rules are marks that count together: see `Rule.weight`.
"""

from __future__ import annotations

import re

from engine.injection.marks import IMITATES, SETS_ASIDE, TO_MODEL, Rule, compiled

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
"""Not before words that make it a topic: a model's students, teams or conferences."""
_EARLIER = (
    r"(?:previous|prior|preceding|earlier|above|foregoing|existing|original|other|former|system"
    r"|past|initial)"
)
_ORDERS = (
    r"(?:instructions?|prompts?|directives?|guidelines?|guidance|rules|commands"
    r"|programming|constraints|restrictions|safeguards|training)\b"
)
_UNLIMITED = r"(?! (?:on|of|about|for|from|regarding|concerning|in|to|at) )"
"""Whose orders these are not: those of a court, or on parking."""
_SET = r"(?:ignore|disregard|forget|override|bypass|discard|overrule)"
_DETERMINERS = r"(?:(?:all|any|every|each|of|the|your|my|these|those) )"

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
)
