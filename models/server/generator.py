"""A `Generator` over an OpenAI-compatible server: llama-server, Ollama, LM Studio, vLLM, others.

Text leaves the process here, so nothing imports this module unless the settings name a server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from models.decoding.generator import whole_choices
from models.errors import ContextExceeded, RuntimeFailed
from models.protocols import (
    Beginnings,
    Choices,
    GenerationRequest,
    Message,
    OtherBeginnings,
    Piece,
    Stopped,
    TokenCount,
)
from models.server.address import Address
from models.server.errors import ServerFailed
from models.server.exchange import Exchange
from models.server.forms import FRAME_TOKENS, HeldReplies, Named
from models.server.kinds import (
    Served,
    counted_tokens,
    primed_by_request,
    rendered,
    served_by,
)
from models.server.link import Link
from models.server.prompts import estimated_tokens, parts_of
from models.server.replies import Unlikely
from models.stopping import stopped_by

MAX_REPLIES = 64
"""More than `MOST_REPLIES`: many are drawn where a server names no likelihoods."""
ASSUMED_CONTEXT = 4096
"""Tokens, for a server that does not say: the least that a server of today has by default."""


def connect(
    address: Address,
    *,
    model: str | None = None,
    context: int | None = None,
    say: Callable[[str], object] = lambda text: None,
) -> ServerGenerator:
    """Ask the server for its model. Raises `ServerFailed` and `ModelUnknown`.

    `model` is needed where it lists several, `context` (tokens) where it does not say. `say` is
    told when it takes longer than usual, and why.
    """
    link = Link(address, say)
    try:
        return ServerGenerator(link, served_by(link, model, context))
    except BaseException:
        link.close()
        raise


class ServerGenerator:
    """A model at a server, which manages weights and kept prompts itself."""

    def __init__(self, link: Link, served: Served) -> None:
        """Use `connect`."""
        self._link = link
        self.served = served
        self._exchange = Exchange(link, served, self._known_size)
        self._counts: dict[str, int] = {}
        self._closed = False
        self._gives_logprobs = True

    @property
    def id(self) -> str:
        """The model and the host it is at."""
        name = self.served.model.rsplit("/", 1)[-1] if self._is_path else self.served.model
        return f"{name}@{self._link.address.host}"

    @property
    def about(self) -> str:
        """What was found out about it, for people."""
        said = self.served
        room = f"{said.context} tokens" if said.context else "context unknown"
        counted = "counted there" if self.counts_exactly else "estimated here, rather too many"
        return f"{self.id} ({said.kind}, {room}, tokens {counted})"

    @property
    def _is_path(self) -> bool:
        return self.served.model.endswith(".gguf")

    @property
    def context(self) -> int:
        """Tokens of prompt and one reply together; assumed where the server does not say."""
        return self.served.context or ASSUMED_CONTEXT

    @property
    def usage(self) -> TokenCount:
        """Running totals since connecting."""
        return self._exchange.usage

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @property
    def counts_exactly(self) -> bool:
        """Whether `count` asks the server, or estimates, rather too many than too few.

        Another machine gets only the text of prompts, not every text considered for one.
        """
        return self.served.tokenizes and self._link.address.loopback

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`, an estimate unless `counts_exactly`."""
        self._check_open()
        return self._counted(text) if self.counts_exactly else estimated_tokens(text)

    def _counted(self, text: str) -> int:
        if text not in self._counts:
            self._counts[text] = counted_tokens(self._link, self.served, text)
        return self._counts[text]

    def render(self, messages: Sequence[Message], primed: str = "") -> str:
        """Return a prompt for `sample`: a text, or messages for the server to render.

        Template markers inside a message are broken apart. A server that cannot go on with a
        reply is asked to begin with `primed`.
        """
        self._check_open()
        return rendered(self._link, self.served, messages, primed)

    def sample(self, request: GenerationRequest) -> Iterator[Piece]:
        """Decode replies to several prompts at once.

        Raises `ContextExceeded` before any work where the server counts tokens, else when it
        refuses; `ServerFailed` also for what the server does not offer; `ValueError` for a reply
        that is to begin otherwise than with some texts.
        """
        if isinstance(request.constraint, OtherBeginnings):
            raise ValueError("a server cannot keep a reply from beginning with a text")
        if not 1 <= request.n <= MAX_REPLIES:
            raise ValueError(f"n must be 1 to {MAX_REPLIES}, not {request.n}")
        self._check_open()
        for prompt in request.prompts:
            self._check_room(prompt, request.max_tokens)
        request = replace(request, stopped=stopped_by(request.stopped))
        asked = replace(request, max_tokens=whole_choices(request.constraint, request.max_tokens))
        if not self.served.grammars and request.constraint is not None:
            if isinstance(request.constraint, Choices | Beginnings):
                return self._held.replies(request, request.constraint)
            # Who asks reads what comes, and checks it.
            asked, request = (replace(one, constraint=None) for one in (asked, request))
        by_token = bool(request.watch or request.constraint)
        repeated = [self._repeated(prompt, by_token=by_token) for prompt in request.prompts]
        return self._exchange.pieces(asked, request, repeated)

    def _repeated(self, prompt: str, *, by_token: bool) -> str:
        """Return the words that a reply may repeat, since the server cannot continue them."""
        primed = primed_by_request(self.served, prompt)
        if primed and by_token:
            raise ServerFailed(
                f"The server at {self._link.address.url} cannot go on with a reply already begun.",
                remedy="Use llama-server or vLLM, or a model on this machine.",
            )
        return primed

    def _whole(
        self, prompt: str, form: Named | None, request: GenerationRequest, index: int
    ) -> str:
        drawn = replace(request.sampling, seed=request.sampling.seed + index)
        plain = GenerationRequest(
            (prompt,),
            max_tokens=request.max_tokens + FRAME_TOKENS,
            sampling=drawn,
            stopped=request.stopped,
        )
        asked = replace(plain, constraint=form)
        return "".join(piece.text for piece in self._exchange.pieces(asked, plain, [""]))

    @cached_property
    def _held(self) -> HeldReplies:
        return HeldReplies(self._whole, self.render([Message("user", "Is water wet?")]))

    def next_token_logprobs(
        self,
        prompt: str,
        choices: Sequence[str],
        *,
        stopped: Stopped | None = None,
        adapted: bool = False,
    ) -> list[float]:
        """Return the log-probability of each choice's first token right after `prompt`.

        A token that is not among the server's likeliest gets the largest value possible for it.
        Where a server gives no log-probabilities, the choice that it replies with is likely and the
        others are not; all are alike where it replies with none.
        """
        begun = primed_by_request(self.served, prompt)
        if self._gives_logprobs and not begun:
            request = GenerationRequest(
                (prompt,), max_tokens=1, watch=tuple(choices), stopped=stopped
            )
            try:
                return list(next(p.watched for p in self.sample(request) if p.watched))
            except Unlikely:  # nor does one whose model thinks first say what it would begin with
                self._gives_logprobs = False
        return self._held.likelihoods(prompt, choices, stopped)

    def keep(self, beginning: str) -> None:
        """Do nothing, since the server manages what it keeps."""

    def forget(self) -> None:
        """Have the server answer as if nothing had been asked before, where it offers that."""
        self._counts.clear()
        self._exchange.forget()

    def close(self) -> None:
        """Close the connections. Further calls are errors."""
        self._closed = True
        self._link.close()

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeFailed(f"{self.id} is not connected any more.", remedy="Ask again.")

    def _size(self, prompt: str) -> int:
        """Return the tokens of a prompt, as exactly as they can be known."""
        return self._counted(prompt) if self.served.tokenizes else estimated_tokens(prompt)

    def _known_size(self, prompt: str) -> int:
        return self._counts.get(prompt) or estimated_tokens(prompt)

    def _check_room(self, prompt: str, reply: int) -> None:
        """Refuse what is known not to fit; an estimate refuses nothing."""
        if self.served.context is None or parts_of(prompt) is not None:
            return
        size = self._size(prompt)
        if size + reply > self.served.context:
            raise ContextExceeded(
                f"The prompt has {size} tokens and its reply needs {reply}; "
                f"{self.id} has room for {self.served.context}.",
                remedy="Lower --max-context or use a smaller --effort.",
            )
