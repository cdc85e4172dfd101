"""The conversation under way: what the next question follows, and whether it is kept."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.message import Message
from textual.screen import Screen

from app.settings.current import Current

if TYPE_CHECKING:
    from app.history.archive import Archive, Passphrase
    from engine.conversation import Conversation
    from engine.values import Answer


@dataclass
class PassphraseWanted(Message):
    """The history asks for its passphrase; a thread waits for it."""

    prompt: str
    typed: Passphrase


class Conversing:
    """Always in memory; in the history too while that is on and the conversation not temporary."""

    def __init__(self, screen: Screen[None], current: Current) -> None:
        """Begin a conversation; `screen` is told what the history asks and what fails."""
        self._whole: Conversation | None = None
        self.at: int | None = None
        """The turn that the next typed question follows."""
        self.temporary = False
        self._screen = screen
        self._current = current
        self._archive: Archive | None = None

    @property
    def whole(self) -> Conversation:
        """All that was said, in all its branches."""
        if self._whole is None:
            from engine.conversation import Conversation  # no first picture waits for it

            self._whole = Conversation()
        return self._whole

    @property
    def archive(self) -> Archive:
        """The history; nothing is opened by looking at it."""
        if self._archive is None:
            from app.history.archive import Archive  # no first picture waits for it

            app, post = self._screen.app, self._screen.post_message
            self._archive = Archive(
                lambda prompt, typed: post(PassphraseWanted(prompt, typed)),
                lambda text: app.notify(text, severity="warning", markup=False),
            )
        return self._archive

    @property
    def is_history_on(self) -> bool:
        """Whether the settings have conversations kept."""
        return bool(self._current.config.values.history.enabled)

    @property
    def keeps(self) -> bool:
        """Whether the next answer is to be kept."""
        return self.is_history_on and not self.temporary

    @property
    def before(self) -> Conversation:
        """What was said before the next typed question."""
        return self.whole.moved_to(self.at)

    @property
    def line(self) -> str:
        """What the title says of it; empty while history is off and nothing else was said."""
        if self.temporary:
            return "temporary: not kept"
        return "kept, encrypted" if self.keeps else ""

    def prepare(self) -> None:
        """Open the history while a question is answered; the person is there now."""
        if self.keeps:
            self.archive.open(self._current.config)

    def begin(self, *, temporary: bool = False) -> None:
        """Begin anew: nothing of this conversation is meant by the next question."""
        self._whole, self.at, self.temporary = None, None, temporary

    def go_on_with(self, conversation: Conversation) -> None:
        """Go on with a kept conversation."""
        self._whole, self.at, self.temporary = conversation, conversation.at, False

    def answered(self, answer: Answer, question: str, before: Conversation) -> int:
        """Go on from an answer, where its question stood; return the place of the new turn."""
        self._whole = self.whole.moved_to(before.at).answered(answer, question)
        place = len(self.whole.turns) - 1
        self.at = place
        return place

    def branch(self, place: int, step: int) -> int:
        """Go on from what else was asked at a place, and return the place of that."""
        others = [turn.id for turn in self.whole.alternatives(place)]
        other = others[(others.index(place) + step) % len(others)]
        self.at = self.whole.newest_below(other)
        self._whole = self.whole.moved_to(self.at)
        return other

    async def keep(self) -> None:
        """Keep what is new, where that is wanted."""
        if not (self.keeps and self.whole.turns):
            return
        given = self.whole
        # What is being kept is kept to the end, even when the program ends meanwhile.
        future = asyncio.wrap_future(self.archive.keep(self._current.config, given))
        await asyncio.wait([future])
        if error := future.exception():  # whatever it is, answers stay on the screen
            said = f"This conversation is in memory only ({type(error).__name__})."
            self._screen.notify(said, severity="error", markup=False)
            return
        kept = future.result()
        if self.whole.id == given.id:
            self._whole = replace(self.whole, id=kept.id)

    async def forget_kept(self) -> bool:
        """Remove what is kept of it, and return whether nothing is left."""
        return await asyncio.shield(asyncio.wrap_future(self.archive.forget(self.whole)))

    def close(self) -> None:
        """Wipe the key of the history, if it was opened."""
        if self._archive is not None:
            self._archive.close()


def answer_once(waiting: Passphrase, typed: str | None) -> None:
    """Hand over what was typed, unless nobody waits for it any more."""
    if not waiting.done():
        waiting.set_result(typed)
