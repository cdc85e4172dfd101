"""A walk through the screen, key by key: run by a test with scripted models, by hand in tmux.

First steps → add mailbox and calendar → ask → open a citation → follow up → see why → change the
effort → an aggregate question with its table → export → forget → quit.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "app" / "sample" / "data"
QUESTION = "When does the lease of Boathouse 3 end?"
FOLLOW_UP = "And when does it begin?"
AGGREGATE = "How many mails per week did Ingrid Halloran send?"


@dataclass(frozen=True)
class Step:
    """What a person does, and what is then to be seen."""

    name: str
    does: tuple[str, ...]
    """Keys by Textual's names; what begins with a blank is typed."""
    sees: str
    """Words on the screen, however it is broken into lines."""
    ends: bool = False
    """Whether a question has to be answered before."""


SETTINGS = {"ASKANCE_ANSWER_EFFORT": "quick", "ASKANCE_ANSWER_STRATEGY": "conditional"}
"""`conditional` computes what can be counted, whatever model answers."""

CLEAR = ("end", "ctrl+u")
WALK = (
    Step("first steps", (), "1 of 3: where are your things?"),
    Step("add a mailbox", ("end", "up", "up", "enter"), "right arrow completes it"),
    Step("its path", (*CLEAR, " ~/boats/mail", "enter"), "[x] ~/boats/mail"),
    Step("add a calendar", ("end", "up", "up", "enter"), "right arrow completes it"),
    Step("its path", (*CLEAR, " ~/boats/calendars", "enter"), "[x] ~/boats/calendars"),
    Step("go on", ("end", "enter"), "2 of 3: which models?"),
    Step("go on without fetching", ("end", "enter"), "3 of 3: ask"),
    Step("to the chat", ("home", "enter"), "Askance 2 sources"),
    Step("ask", (f" {QUESTION}", "enter"), "Took", ends=True),
    Step("to the sources", ("escape", "enter"), "o Open"),
    Step("open a citation", ("enter",), "From: "),
    Step("go back", ("escape",), "Took"),
    Step("to the prompt", ("escape",), "Took"),
    Step("follow up", (f" {FOLLOW_UP}", "enter"), f"> {FOLLOW_UP} Understood as:", ends=True),
    Step("see why", ("ctrl+t",), f"Question: {FOLLOW_UP}"),
    Step("what was ranked", (), "Ranked by"),
    Step("go back", ("escape",), "Took"),
    Step("answer it otherwise", ("escape", "c"), "Answer it once more, with another:"),
    Step("change the effort", ("home", "enter"), "Tokens read:"),
    Step("go back", ("escape",), "Took"),
    Step("to the prompt", ("escape",), "Took"),
    Step(
        "an aggregate question",
        (f" {AGGREGATE}", "enter"),
        "Computed",
        ends=True,
    ),
    Step("its table", ("escape", "t"), "as computed"),
    Step("sort it", ("s", "s"), "by value"),
    Step("go back", ("escape",), "Took"),
    Step("export", ("ctrl+s",), "Write questions, answers and quotes"),
    Step("its path", (*CLEAR, " ~/walk.md", "enter"), "Wrote"),
    Step("forget", ("ctrl+l",), "Forgot"),
)
LEAVE = "ctrl+q"


def prepare(home: Path) -> None:
    """Put a mailbox and calendars where the walk names them."""
    shutil.copytree(SAMPLE / "mail", home / "boats" / "mail")
    shutil.copytree(SAMPLE / "calendars", home / "boats" / "calendars")


def is_seen(step: Step, screen: str) -> bool:
    """Say whether the words are there, line breaks and boxes aside."""
    waits = any(line.rstrip(" │┃█▌").endswith("…") for line in screen.splitlines())
    words = "".join(char if char not in "│┃█▌▏╭╮╰╯─" else " " for char in screen).split()
    return step.sees in " ".join(words) and not (step.ends and waits)
