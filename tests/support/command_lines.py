"""Command lines of every command, for suites that run all of them.

Upper-case words stand for something of the test: SOURCES for the planted files, QUESTION for what
is asked, FILE for rows of questions, YAML for a person's own, MODEL for a model's file, OUT for a
folder to which a person has things written. THEN stands between commands that run in one process,
with one keyring. `SHORT` ones are run by `make test`, the others by `make prove`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from app.cli import askance
from tests.support.planted import sentence_of, stem_of
from tests.support.toy_models import gguf

QUESTION = "What is the pass phrase of Orla Penhaligon?"
Line = tuple[str, ...]
_ASK: Line = ("ask", "QUESTION", "SOURCES")
_KEPT: Line = ("history", "on", "THEN", *_ASK, "THEN")
_EVAL: Line = ("eval", "FILE", "--strategy", "vanilla", "--out", "OUT/run.jsonl")
_SMALL = "smollm2-135m-instruct-q4_1"

SHORT: dict[str, Line] = {
    "ask --explain --json": ("ask", "QUESTION", "SOURCES", "--json", "--explain"),
    "history": (*_KEPT, "history", "show", "last"),
    "screen": ("screen", "SOURCES", "QUESTION"),
}
LONG: dict[str, Line] = {
    "ask": _ASK,
    "ask, computed": ("ask", "How many mails are from Orla Penhaligon?", "SOURCES"),
    "ask, usage": (*_ASK, "--no-such-flag"),
    "ask, its conversation kept": (*_KEPT, *_ASK, "--continue"),
    "search": ("search", "QUESTION", "SOURCES"),
    "plain": ("--source", "SOURCES", "--plain"),
    "screens": ("screens", "SOURCES", "QUESTION"),
    "eval": ("eval", "FILE", "--strategy", "vanilla"),
    "eval run": ("eval", "run", "FILE", "--strategy", "vanilla"),
    "eval mine": ("eval", "mine", "YAML", "SOURCES", "--strategy", "vanilla"),
    "eval import": ("eval", "import", "locomo", "FILE", "--out", "OUT/set"),
    "eval report": (*_EVAL, "THEN", "eval", "report", "OUT/run.jsonl"),
    "sources add": ("sources", "add", "SOURCES"),
    "sources list": ("sources", "add", "SOURCES", "THEN", "sources", "list", "--json"),
    "sources check": ("sources", "add", "SOURCES", "THEN", "sources", "check"),
    "sources rm": ("sources", "add", "SOURCES", "THEN", "sources", "rm", "SOURCES"),
    "models list": ("models", "list", "--json"),
    "models found": ("models", "list", "--found"),
    "models pull": ("models", "pull", _SMALL),
    "models add": ("models", "add", "MODEL", "--id", "mine"),
    "models estimate": ("models", "estimate", _SMALL),
    "models recommend": ("models", "recommend"),
    "models speed": ("models", "speed", _SMALL),
    "models calibrate": ("models", "calibrate", _SMALL),
    "models use": ("models", "use", "generator", _SMALL),
    "models verify": ("models", "verify"),
    "models rm": ("models", "rm", _SMALL, "--yes"),
    "config path": ("config", "path"),
    "config show": ("config", "show"),
    "config validate": ("config", "validate"),
    "doctor": ("doctor", "--json"),
    "doctor --privacy": ("doctor", "--privacy"),
    "completions": ("completions", "bash"),
    "secrets list": ("secrets", "list"),
    "secrets set": ("secrets", "set", "passwords", "THEN", "secrets", "list"),
    "secrets rm": ("secrets", "set", "huggingface", "THEN", "secrets", "rm", "huggingface"),
    "history on": ("history", "on", "--passphrase"),
    "history off": (*_KEPT, "history", "off"),
    "history path": ("history", "path"),
    "history list": (*_KEPT, "history", "list"),
    "history search": (*_KEPT, "history", "search", "Orla"),
    "history export": (*_KEPT, "history", "export", "last", "--to", "OUT/talk.md"),
    "history rm": (*_KEPT, "history", "rm", "last", "--yes"),
    "history rm --all": (*_KEPT, "history", "rm", "--all", "--yes"),
    "forget": ("forget", "--json"),
    "forget --everything": (*_KEPT, "forget", "--everything", "--yes"),
    "strategies": ("strategies", "fb_rag"),
    "help": ("help", "filters"),
    "mcp": ("mcp", "SOURCES", "QUESTION"),
    "demo": ("demo",),
}
ALL = SHORT | LONG
ENDS = {
    "ask, usage": 2,
    "eval import": 2,
    "models pull": 4,
    "models speed": 4,
    "models calibrate": 2,
    "doctor": 4,
    "secrets list": 1,
    "demo": 1,
}
"""Exit codes that are not 0, of the last command: there is no network, model or keyring."""
FETCHES = frozenset({"models pull"})
"""What is there to reach the network."""
AT_A_TERMINAL = frozenset({"plain", "secrets set", "secrets rm", "history on"})
"""Lines at which something is typed."""
SCREENS = frozenset({"screen", "screens"})
"""Lines that are for the child of the suites: the program has no such command."""


def filled(line: Line, folder: Path, sources: Path, word: str) -> list[str]:
    """Return a line with words of this test, and write the files that it names into `folder`.

    What is asked holds the stem of the planted word: no file may hold that either.
    """
    question = f"{QUESTION} {stem_of(word)}"
    context = [{"title": "note", "text": sentence_of(word)}]
    row = {"id": "1", "question": question, "answers": [word], "context": context}
    (folder / "rows.jsonl").write_text(json.dumps(row) + "\n")
    (folder / "own.yaml").write_text(f"- question: {question}\n  answer: {word}\n")
    (folder / "toy.gguf").write_bytes(gguf())
    (folder / "out").mkdir(exist_ok=True)
    stands = {"SOURCES": sources, "FILE": folder / "rows.jsonl", "YAML": folder / "own.yaml"}
    stands |= {"MODEL": folder / "toy.gguf", "OUT": folder / "out"}
    named = {name: str(path) for name, path in stands.items()} | {"QUESTION": question}
    return [_filled(word, named) for word in line]


def _filled(word: str, named: dict[str, str]) -> str:
    first, slash, rest = word.partition("/")
    return named[first] + slash + rest if first in named else word


def leaves(group: click.Group = askance, above: Line = ()) -> Iterator[Line]:
    """Yield every command that does something, as it is typed, and what `askance` does alone."""
    if group is askance:
        yield from [("--plain",), ()]
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from leaves(command, (*above, name))
        else:
            yield (*above, name)


def commands_of(line: Sequence[str]) -> list[list[str]]:
    """Return the commands that a line runs one after the other."""
    found: list[list[str]] = [[]]
    for word in line:
        if word == "THEN":
            found.append([])
        else:
            found[-1].append(word)
    return found


def leaves_of(line: Line) -> set[Line]:
    """Return which of `leaves` a line runs."""
    if line[0] in SCREENS:
        return {()}
    known = set(leaves())
    return {_leaf_of(command, known) for command in commands_of(line)}


def _leaf_of(command: list[str], known: set[Line]) -> Line:
    if "--plain" in command:
        return ("--plain",)
    begins = [leaf for leaf in known if leaf and tuple(command[: len(leaf)]) == leaf]
    return begins[0] if begins else (command[0], "run")  # `eval` alone
