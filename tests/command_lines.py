"""Command lines of every command, for suites that run all of them.

SOURCES stands for the planted files, FILE for rows of questions. `SHORT` ones are run by
`make test`, the others by `make prove`.
"""

from __future__ import annotations

QUESTION = "What is the pass phrase of Orla Penhaligon?"

SHORT = {
    "ask --explain --json": ("ask", QUESTION, "SOURCES", "--json", "--explain"),
    "sources": ("sources", "add", "SOURCES"),
    "screen": ("screen", "SOURCES", QUESTION),
}
LONG = {
    "ask": ("ask", QUESTION, "SOURCES"),
    "eval": ("eval", "FILE", "--strategy", "vanilla"),
    "forget": ("forget", "--json"),
    "search": ("search", "pass phrase", "SOURCES"),
    "ask, computed": ("ask", "How many mails are from Orla Penhaligon?", "SOURCES"),
    "sources list": ("sources", "list", "--json"),
    "sources check": ("sources", "check"),
    "sources rm": ("sources", "rm", "SOURCES"),
    "models": ("models", "list", "--json"),
    "models verify": ("models", "verify"),
    "config": ("config", "show"),
    "config validate": ("config", "validate"),
    "doctor": ("doctor", "--json"),
    "doctor --privacy": ("doctor", "--privacy"),
    "completions": ("completions", "bash"),
    "secrets": ("secrets", "list"),
    "history": ("history", "list"),
    "demo": ("demo",),
    "usage": ("ask", QUESTION, "SOURCES", "--no-such-flag"),
}
ALL = SHORT | LONG
