"""A walk through the screen, key by key: run by a test with scripted models, by hand in tmux.

First steps → add mailbox and calendar → ask → open a citation → follow up → see why → change the
effort → an aggregate question with its table → export → forget → quit.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "app" / "sample" / "data"
QUESTION = "When does the lease end?"
FOLLOW_UP = "When do I meet Dana Okafor about it?"
MEANT = "Understood as: When do I meet Dana Okafor about the lease?"
AGGREGATE = "How many mails per month were sent?"
COUNTED = "Computed by the plan: count mail by month"


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
    shown: bool = False
    """Whether the page about the walk shows the screen after it."""


SETTINGS = {"ASKANCE_ANSWER_EFFORT": "quick", "ASKANCE_ANSWER_STRATEGY": "conditional"}
"""`conditional` computes what can be counted, and looks ahead for the rest."""

WALK = (
    Step("First steps", (), "Try it on sample files first", shown=True),
    Step("Name another path", ("end", "up", "up", "up", "enter"), "right arrow completes it"),
    Step("Add a mailbox", (" ~/boats/mail", "enter"), "[x] ~/boats/mail"),
    Step("Name another path", ("end", "up", "up", "up", "enter"), "right arrow completes it"),
    Step("Add calendars", (" ~/boats/calendars", "enter"), "[x] ~/boats/calendars"),
    Step("Models", ("end", "enter"), "2 of 3: which models?", shown=True),
    Step("Go on without fetching", ("end", "enter"), "3 of 3: ask"),
    Step("Go to the chat", ("end", "up", "enter"), "Askance 2 sources"),
    Step("Ask", (f" {QUESTION}", "enter"), "Took", ends=True, shown=True),
    Step("Go to the answer", ("escape",), "w Why"),
    Step("Go to its sources", ("enter",), "⏎ Preview"),
    Step("Open a citation", ("enter",), "o Open y Copy", shown=True),
    Step("Go back", ("escape",), "⏎ Preview"),
    Step("See why", ("w",), "Ranked by", shown=True),
    Step("Go back", ("escape",), "⏎ Preview"),
    Step("Go to the prompt", ("escape",), "⏎ Ask"),
    Step("Follow up", (f" {FOLLOW_UP}", "enter"), MEANT, ends=True, shown=True),
    Step("See how that was computed", ("ctrl+t",), f"Question: {FOLLOW_UP}", shown=True),
    Step("Go back", ("escape",), "⏎ Ask"),
    Step("Go to the answer", ("escape",), "w Why"),
    Step("Answer it otherwise", ("c",), "Answer it once more, with another:"),
    Step("Change the effort", ("home", "enter"), "Tokens read:", shown=True),
    Step("Go back", ("escape",), "w Why"),
    Step("Go to the prompt", ("escape",), "⏎ Ask"),
    Step("A question to count", (f" {AGGREGATE}", "enter"), COUNTED, ends=True, shown=True),
    Step("Go to the answer", ("escape",), "t Table"),
    Step("Its table and chart", ("t",), "as computed", shown=True),
    Step("Sort it", ("s", "s", "S"), "by value, reversed"),
    Step("Go back", ("escape",), "t Table"),
    Step("Export", ("ctrl+s",), "Write questions, answers and quotes"),
    Step("Take the name that is offered", ("enter",), "Wrote", shown=True),
    Step("Forget", ("ctrl+l",), "Forgot", shown=True),
)
"""Keys that a change of the focus lies between are steps of their own: they would overtake it."""
LEAVE = "ctrl+q"


@contextmanager
def own_home() -> Iterator[Path]:
    """Yield a home with both, whose path is always the same: it is to be seen on the screens."""
    home = Path(tempfile.gettempdir(), "ann")
    home.mkdir(mode=0o700)  # what is there already is somebody's
    try:
        prepare(home)
        yield home
    finally:
        shutil.rmtree(home)


def exported(home: Path) -> Path:
    """Return the file that was written."""
    (path,) = home.glob("askance-*.md")
    return path


def prepare(home: Path) -> None:
    """Put a mailbox and calendars where the walk names them."""
    shutil.copytree(SAMPLE / "mail", home / "boats" / "mail")
    shutil.copytree(SAMPLE / "calendars", home / "boats" / "calendars")


def is_seen(step: Step, screen: str) -> bool:
    """Say whether the words are there, line breaks and boxes aside."""
    waits = any(line.rstrip(" │┃█▌").endswith("…") for line in screen.splitlines())
    words = "".join(char if char not in "│┃█▌▏╭╮╰╯─" else " " for char in screen).split()
    return step.sees in " ".join(words) and not (step.ends and waits)
