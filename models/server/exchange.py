"""An exchange with a server: replies to prompts, asked for again where it leaves some out.

What is learned of the server on the way is kept for the next exchange: whether it draws several
replies at once, whether its model thinks first and whether that can be turned off, and which model
it is.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from models.protocols import GenerationRequest, Piece, TokenCount
from models.server.errors import Refused, ServerFailed
from models.server.kinds import Served, WireRequest, path_and_body
from models.server.link import Link
from models.server.replies import AllThoughts, Replies

if TYPE_CHECKING:
    from collections.abc import Generator as Steps

UNKNOWN = (400, 422, 500)
"""Statuses with which servers refuse a member that they do not know."""


class Exchange:
    """What a server is asked, and what it replied."""

    def __init__(self, link: Link, served: Served, size: Callable[[str], int]) -> None:
        """`size` returns about how many tokens a prompt has."""
        self._link = link
        self._served = served
        self._size = size
        self.usage = TokenCount()
        """Running totals."""
        self._thinks = served.thinks
        self._silences = not served.grammars
        """Whether it is asked not to think, where its model does."""
        self._offers_n = True
        self._models: set[str] = set()
        self._salt = secrets.token_hex(8)
        self._fresh = True

    def forget(self) -> None:
        """Use nothing from now on that the server has kept, where it offers that."""
        self._salt = secrets.token_hex(8)
        self._fresh = True

    def pieces(
        self, asked: GenerationRequest, shown: GenerationRequest, repeated: Sequence[str]
    ) -> Iterator[Piece]:
        """Yield the replies to `asked`, cut and checked as `shown` wants them.

        `repeated` are, for each prompt, words that its replies may repeat. A model that spent a
        whole reply on thoughts, before anything was shown, is asked again with room for them.
        Raises `ServerFailed` and `ContextExceeded`.
        """
        thinks, replies = self._thinks, Replies(repeated, shown)
        sent = WireRequest(
            # Thoughts may hold a stop string; then it is looked for here, behind them.
            replace(asked, stop=() if thinks else asked.stop),
            salt=self._salt,
            fresh=self._fresh,
            thinks=thinks,
            silent=thinks and self._silences,
        )
        self._fresh = False
        try:
            yield from self._replies(sent, replies)
        except AllThoughts:
            if thinks or replies.shown:
                raise
            yield from self.pieces(asked, shown, repeated)

    def _replies(self, sent: WireRequest, replies: Replies) -> Iterator[Piece]:
        """Ask for all replies at once where the server has `n`, else for one after another."""
        prompts, n, here = sent.wanted.prompts, sent.wanted.n, self._link.address.url
        together = n if self._offers_n else 1
        firsts = range(0, n, together)
        jobs = [(number, first, together) for number in range(len(prompts)) for first in firsts]
        try:
            yield from self._of(jobs, sent, replies)
            if together > 1 and (missing := replies.not_begun()):
                self._offers_n = False
                again = [(number, index, 1) for number, index in missing]
                yield from self._of(again, sent, replies)
            self._check(prompts, replies)
        except AllThoughts:
            raise
        except ServerFailed:
            if replies.begun or not self._served.hides_refusals:
                raise
            yield from self._of(jobs, replace(sent, stream=False), replies)
            replies.check_ended(here)
        finally:
            self._thinks = self._thinks or replies.thought
            for number, prompt in enumerate(prompts):
                replies.add_usage(number, self.usage, partial(self._size, prompt))

    def _check(self, prompts: Sequence[str], replies: Replies) -> None:
        """Refuse what is not whole, of another model, or a reply to a cut prompt."""
        here = self._link.address.url
        replies.check_ended(here)
        self._models = self._models or set(sorted(replies.models)[:1])
        if replies.models - self._models:
            raise ServerFailed(
                f"The server at {here} replied with {', '.join(sorted(replies.models))} in place "
                f"of {', '.join(self._models)}.",
                remedy="Ask again; nothing else should change its model meanwhile.",
            )
        if self._served.cuts:
            replies.check_whole(prompts, here)

    def _of(
        self, jobs: Sequence[tuple[int, int, int]], sent: WireRequest, replies: Replies
    ) -> Iterator[Piece]:
        """Yield the pieces of jobs: a prompt's number, its first reply's index, how many."""
        requests = [
            path_and_body(self._served, number, sent, n=count, first=first)
            for number, first, count in jobs
        ]
        path, bodies = requests[0][0], [body for _, body in requests]
        try:
            events = self._link.events(path, bodies, self._served.slots, sent.wanted.stopped)
            with closing(cast("Steps[tuple[int, dict[str, Any]], None, None]", events)):
                for at, event in events:
                    number, first, _ = jobs[at]
                    yield from replies.take(number, first, event, self._link.address.url)
                    if replies.all_ended:
                        return
        except Refused as refused:
            unknown = refused.status in UNKNOWN and not replies.begun
            if unknown and sent.silent:
                self._silences = False
                yield from self._of(jobs, replace(sent, silent=False), replies)
            elif not (unknown and any(count > 1 for _, _, count in jobs)):
                # else it may not know `n`; missing replies are asked for again, one by one
                raise self._link.error(refused, bodies[0]) from refused
