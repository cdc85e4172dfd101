"""Follow-up questions on the command line: `--continue`, `--follow-up-to` and `--temporary`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

import click

from app.commands.shared.confirmation import ask_passphrase
from app.errors import UsageError
from app.history.errors import HistoryOff
from app.history.keeper import Keeper, keeper_of
from app.output.plain import one_line
from app.output.query.follow_up import understood_lines
from app.settings.config import Config
from engine.conversation import Conversation, Standalone
from engine.events import Rewritten
from engine.values import Answer

Command = TypeVar("Command", bound=Callable[..., Any])


def follow_up_options(command: Command) -> Command:
    """Add the flags of a conversation: `talk_of` takes them, but for `as_typed`."""
    options = [
        click.option(
            "--continue",
            "-c",
            "continued",
            is_flag=True,
            help="Continue the last conversation in the history.",
        ),
        click.option(
            "--follow-up-to",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Continue from a file written by `ask --json` or `history export --json`.",
        ),
        click.option(
            "--as-typed",
            is_flag=True,
            help="Ask a follow-up exactly as typed, without adding earlier context.",
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

    @property
    def before(self) -> Conversation | None:
        """What the question follows; None for a first one."""
        return self.keeper.conversation if self.keeper.conversation.last else None

    def put_anew(self, event: Rewritten) -> str:
        """Note what a follow-up was understood as, and return what to say of it, if anything."""
        self.put = event.standalone
        shown = understood_lines(self.put, event.asked)
        if shown and not self.put.sure:
            shown.append("where that is wrong, ask it in full, --as-typed")
        return "; ".join(shown)

    def answered(self, answer: Answer, asked: str) -> None:
        """Keep the answer, if it is to be kept."""
        self.keeper.answered(answer, asked)

    def shown(self, asked: str) -> dict[str, object]:
        """Return the member of `ask --json`; nothing for a first question."""
        if self.put is None:
            return {}
        return {"follow_up": standalone_object(asked, self.put)}

    def __exit__(self, *_: object) -> None:
        """Close the history."""
        self.keeper.close()


def standalone_object(asked: str, put: Standalone) -> dict[str, object]:
    """Return how a follow-up was understood."""
    from app.history.export.formats import cited_object

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
    if continued and not config.values.history.enabled:
        raise HistoryOff(
            "There is no conversation to continue: history is off.",
            remedy="Turn it on: askance history on. Or follow up an answer in a file: "
            "askance ask QUESTION --follow-up-to FILE.json",
        )
    keeper = keeper_of(config, ask_passphrase, _say, temporary=temporary, needed=continued)
    if follow_up_to is not None:
        from app.history.export.formats import read_conversation

        keeper.go_on_with(read_conversation(follow_up_to))
    if continued and keeper.history is not None:
        from app.history.conversations import LATEST

        keeper.go_on_with(keeper.history.conversation(LATEST))
    return Talk(keeper)


def _say(text: str) -> None:
    click.echo(one_line(text), err=True)
