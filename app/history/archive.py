"""The history beside a screen: opened when it is first needed, in a thread that may wait.

A keyring may take 20 seconds, a person with a passphrase longer. The thread does one thing after
the other, so that what is kept and then removed is removed.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from app.history.conversations import History
from app.history.errors import HistoryError, HistoryOff, KeyClosed, WrongKey
from app.history.keeper import IN_MEMORY, Keeper, Say, keeper_of, remove_kept
from app.settings.config import Config
from engine.conversation import Conversation

Result = TypeVar("Result")
Passphrase = Future[str | None]
"""What a person types, None where nothing is typed."""
AskPassphrase = Callable[[str, Passphrase], object]
"""Shows the prompt somewhere, and has the future answered there."""


class Archive:
    """Opens nothing before it is asked to, and nothing at all while history is off."""

    def __init__(self, ask: AskPassphrase, say: Say) -> None:
        """Both are called in the thread; `say` is told what went wrong."""
        self._ask = ask
        self._say = say
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="history")
        self._keeper: Keeper | None = None
        self._asked: Passphrase | None = None
        self._is_closing = False
        self._lock = Lock()

    def open(self, config: Config) -> None:
        """Open it while there is time."""
        self._thread.submit(self._ready, config)

    def keep(self, config: Config, conversation: Conversation) -> Future[Conversation]:
        """Keep what is new of a conversation; the future has it as it is kept."""
        return self._thread.submit(lambda: self._ready(config).keep(conversation))

    def _ready(self, config: Config) -> Keeper:
        if self._keeper is None:
            try:
                self._keeper = self._opened(config)
            except HistoryError as error:
                # A history that stays closed is not asked for again at every answer.
                self._keeper = Keeper()
                self._say(f"{error} {IN_MEMORY}")
        return self._keeper

    def forget(self, conversation: Conversation) -> Future[bool]:
        """Remove what the history has of a conversation; the future has whether it is gone."""
        return self._thread.submit(self._forget, conversation)

    def _forget(self, conversation: Conversation) -> bool:
        if self._keeper is None or self._keeper.history is None:
            return True  # nothing was kept since this program began
        try:
            remove_kept(self._keeper.history, conversation)
        except HistoryError as error:
            self._say(f"{error} What was kept of this conversation is still there.")
            return False
        return True

    def do(self, config: Config, work: Callable[[History], Result]) -> Future[Result]:
        """Do something with the history; the future has what came of it, or `HistoryError`.

        A history that stayed closed before is tried again.
        """
        return self._thread.submit(lambda: work(self._history(config)))

    def _history(self, config: Config) -> History:
        if self._keeper is None or self._keeper.history is None:
            self._keeper = self._opened(config)
        if self._keeper.history is None:
            raise HistoryOff(
                "History is off: no conversation is kept.",
                remedy="To keep them: askance history on",
            )
        return self._keeper.history

    def _opened(self, config: Config) -> Keeper:
        """Open it, asking for the passphrase until it is right. Raises `HistoryError`."""
        wrong = ""
        while True:
            asked: list[str] = []
            try:
                return keeper_of(config, self._asker(wrong, asked), self._say, needed=True)
            except WrongKey as error:
                if not asked:
                    raise
                wrong = f"{error.message} "

    def _asker(self, before: str, asked: list[str]) -> Callable[[str], str]:
        def ask(prompt: str) -> str:
            asked.append(prompt)
            return self._typed(f"{before}{prompt}")

        return ask

    def _typed(self, prompt: str) -> str:
        """Wait for a person. Raises `KeyClosed` where nothing is typed, or the program ends."""
        with self._lock:
            self._asked = Future()
            if self._is_closing:
                self._asked.set_result(None)
        if not self._asked.done():
            self._ask(prompt, self._asked)
        if typed := self._asked.result():
            return typed
        raise KeyClosed(
            "Your history stays closed: no passphrase was typed.",
            remedy="The list of conversations asks for it again.",
        )

    def close(self) -> None:
        """Wait for nobody any more; what is being kept is kept, then the key is wiped."""
        with self._lock:
            self._is_closing = True
            if self._asked is not None and not self._asked.done():
                self._asked.set_result(None)
        self._thread.submit(self._wipe)
        self._thread.shutdown(wait=False)

    def _wipe(self) -> None:
        if self._keeper is not None:
            self._keeper.close()
