"""Follow-up questions on the command line: `--continue`, `--follow-up-to` and `--temporary`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

import click

from app.commands.confirming import ask_passphrase
from app.errors import UsageError
from app.history.errors import HistoryOff
from app.history.exporting import cited_object, read_conversation
from app.history.keeping import Keeper, keeper_of
from app.history.kept import LATEST
from app.settings.config import Config
from app.shown.plain import one_line
from app.shown.understood import understood_lines
from engine.conversation import Conversation, Standalone
from engine.events import Event, Rewritten
from engine.following.standalone import follow_up
from engine.settings import Settings
from engine.values import Answer
from models.roles import ModelSet

Command = TypeVar("Command", bound=Callable[..., Any])


def follow_up_options(command: Command) -> Command:
    """Add the flags of a conversation: `talk_of` takes them, `Talk.put_anew` takes `as_typed`."""
    options = [
        click.option(
            "--continue",
            "-c",
            "continued",
            is_flag=True,
            help="Follow up the last conversation of the history.",
        ),
        click.option(
            "--follow-up-to",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Follow up a file that `ask --json` or `history export --json` wrote.",
        ),
        click.option(
            "--as-typed",
            is_flag=True,
            help="Put nothing into a follow-up from what was said before.",
        ),
        click.option("--temporary", is_flag=True, help="Keep this question out of the history."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


class Talk(AbstractContextManager["Talk"]):
    """One question on the command line, and the conversation it belongs to."""

    def __init__(self, keeper: Keeper) -> None:
        """Take what keeps the conversation, already where the question follows."""
        self.keeper = keeper
        self.put: Standalone | None = None
        self._asked = ""

    def put_anew(
        self,
        question: str,
        models: ModelSet,
        settings: Settings,
        listeners: Sequence[Callable[[Event], object]],
        *,
        as_typed: bool = False,
    ) -> Standalone:
        """Return the question as one of its own. A first question is that already."""
        self._asked = question
        before = Conversation() if as_typed else self.keeper.conversation
        events: Iterator[Event] = follow_up(question, before, models, settings.today)
        for event in events:
            for listener in listeners:
                listener(event)
            if isinstance(event, Rewritten):
                self.put = event.standalone
        if self.put is None:
            raise RuntimeError("A follow-up ended without a question.")
        return self.put

    def answered(self, answer: Answer, asked: str) -> None:
        """Keep the answer, if it is to be kept."""
        self.keeper.answered(answer, asked)

    def line(self) -> str:
        """Return what to say of a question that was put anew, or an empty line."""
        if self.put is None:
            return ""
        shown = understood_lines(self.put, self._asked)
        if shown and not self.put.sure:
            shown.append("where that is wrong, ask it in full, --as-typed")
        return "; ".join(shown)

    def shown(self, asked: str) -> dict[str, object]:
        """Return the member of `ask --json`; nothing for a first question."""
        if self.put is None or self.keeper.conversation.last is None:
            return {}
        return {"follow_up": standalone_object(asked, self.put)}

    def __exit__(self, *_: object) -> None:
        """Close the history."""
        self.keeper.close()


def standalone_object(asked: str, put: Standalone) -> dict[str, object]:
    """Return how a follow-up was understood."""
    return {
        "asked": asked,
        "question": put.text,
        "scope": [cited_object(cited) for cited in put.scope],
        "reason": put.reason,
        "sure": put.sure,
        "choices": list(put.choices),
    }


def talk_of(config: Config, *, continued: bool, follow_up_to: Path | None, temporary: bool) -> Talk:
    """Return the conversation that a question belongs to.

    Raises `HistoryOff` and what opening it raises where it is to be continued, and
    `ConversationUnreadable`.
    """
    if continued and follow_up_to is not None:
        raise UsageError(
            "--continue and --follow-up-to name two conversations.", remedy="Give one of them."
        )
    if continued and not config.values["history.enabled"]:
        raise HistoryOff(
            "There is no conversation to continue: history is off.",
            remedy="Turn it on: askance history on. Or follow up an answer in a file: "
            "askance ask QUESTION --follow-up-to FILE.json",
        )
    keeper = keeper_of(config, ask_passphrase, _say, temporary=temporary, needed=continued)
    if follow_up_to is not None:
        keeper.go_on_with(read_conversation(follow_up_to))
    if continued and keeper.history is not None:
        keeper.go_on_with(keeper.history.conversation(LATEST))
    return Talk(keeper)


def _say(text: str) -> None:
    click.echo(one_line(text), err=True)
