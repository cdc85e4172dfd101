"""One conversation under way: always in memory, and in the history where that is on.

A history that cannot be opened or written never costs an answer: it is said, once, and the
conversation goes on in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.history.errors import HistoryError
from app.settings.config import Config
from engine.conversation import Conversation
from engine.values import Answer

if TYPE_CHECKING:
    from app.history.conversations import History
    from app.history.storage.key import Ask

Say = Callable[[str], object]

IN_MEMORY = "This conversation is in memory only."


class Keeper:
    """A conversation and where it is kept. A context that closes the history at its end."""

    def __init__(
        self,
        history: History | None = None,
        *,
        temporary: bool = False,
        say: Say = lambda text: None,
    ) -> None:
        """Begin a conversation. Without a history, or `temporary`, memory is all it has.

        `say` is told what went wrong.
        """
        self.conversation = Conversation()
        self.temporary = temporary
        self._history = history
        self._say = say

    @property
    def history(self) -> History | None:
        """The history, where it is on and open."""
        return self._history

    def go_on_with(self, conversation: Conversation) -> None:
        """Go on with a conversation from elsewhere: the history, or an exported file."""
        self.conversation = conversation

    def answered(self, answer: Answer, asked: str | None = None) -> None:
        """Add an answer; `asked` is what was typed, where that was not what was answered."""
        self.conversation = self.keep(self.conversation.answered(answer, asked))

    def keep(self, conversation: Conversation) -> Conversation:
        """Write what is new of a conversation, and return it as it is kept."""
        if self._history is None or self.temporary:
            return conversation
        try:
            return self._history.keep(conversation)
        except HistoryError as error:
            self._say(f"{error} {IN_MEMORY}")
            return conversation

    def close(self) -> None:
        """Wipe the key of the history."""
        if self._history is not None:
            self._history.close()

    def __enter__(self) -> Keeper:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Wipe the key of the history."""
        self.close()


def remove_kept(history: History, conversation: Conversation) -> None:
    """Remove what the history has of a conversation, if anything. Raises `HistoryError`."""
    if any(row.id == conversation.id for row in history.listed()):
        history.remove([conversation.id])


def keeper_of(
    config: Config, ask: Ask, say: Say, *, temporary: bool = False, needed: bool = False
) -> Keeper:
    """Return a keeper by the settings. With `needed` a history that stays closed is an error.

    Raises `HistoryError` then; else what is wrong is said, and memory is all there is.
    """
    history = None
    if config.values.history.enabled and (needed or not temporary):
        from app.history.conversations import (
            open_history,  # SQLCipher; nobody waits for it while it is off
        )
        from app.history.storage.files import HistoryFiles

        try:
            files = HistoryFiles.of(os.environ)
            history = open_history(files, ask, config.values.history.days)
        except HistoryError as error:
            if needed:
                raise
            say(f"{error} {IN_MEMORY}")
    return Keeper(history, temporary=temporary, say=say)
