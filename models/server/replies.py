"""From a server's events to pieces of text: several replies, each in its own order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from models.decoding.text_stream import TextStream, Thoughts
from models.errors import ContextExceeded
from models.protocols import Beginnings, Choices, GenerationRequest, Piece, TokenCount
from models.server.errors import ServerFailed
from models.server.prompts import least_tokens

Top = list[tuple[str, float]]
"""Likely tokens at one place with their log-probabilities."""
EVEN = math.log(0.5)
LEAST = 1e-9
CUT_FROM = 1000
"""Tokens of a prompt from which a server's own count shows that it was cut. Some count only what
was not in their cache, and a short rest says nothing."""


@dataclass(slots=True)
class Reply:
    """One reply as far as it has come."""

    stream: TextStream
    primed: str
    """Words of the prompt that the reply may repeat at its beginning; empty: none."""
    begun: bool = False
    ended: bool = False
    tokens: int = 0
    hidden: int = 0
    logprobs: list[float] = field(default_factory=list)
    """Log-probabilities of tokens that no piece was yielded for."""
    text: str = ""

    def feed(self, text: str) -> str:
        """Take a bit of text; return the part that is certain."""
        if self.primed:
            self.text += text
            begun = self.text.lstrip()
            if self.primed.startswith(begun):
                return ""
            text = begun.removeprefix(self.primed)
            self.primed = self.text = ""
        certain = self.stream.feed(text.encode("utf-8", "replace"))
        self.text += certain
        return certain

    def end(self, reason: Literal["stop", "length"]) -> str:
        """Finish; return what was held back."""
        held, self.primed = ("", "") if not self.primed else (self.text, "")
        rest = self.feed(held) + self.stream.end(reason)
        self.text += rest
        return rest


class Replies:
    """All replies to some prompts, `n` to each."""

    def __init__(self, primed: Sequence[str], request: GenerationRequest) -> None:
        """`primed`: for each prompt the words that its replies may repeat."""
        self._n = request.n
        self._watch = request.watch
        self._constraint = request.constraint
        self._logprobs = request.logprobs
        self._most = request.max_tokens
        self.shown = False
        """Whether any text has come."""
        self._replies = [
            Reply(TextStream(request.stop, Thoughts(thinking=False)), words)
            for words in primed
            for _ in range(request.n)
        ]
        self._watched: set[int] = set()
        self._usages: dict[int, list[Mapping[str, Any]]] = {}
        self.models: set[str] = set()
        """What the server calls the model that replied."""

    @property
    def begun(self) -> bool:
        """Whether anything of any reply has come."""
        return any(reply.begun for reply in self._replies)

    @property
    def all_ended(self) -> bool:
        """Whether every reply is complete and every prompt's count of tokens there."""
        counted = len(self._usages) * self._n >= len(self._replies)
        return counted and all(reply.ended for reply in self._replies)

    @property
    def thought(self) -> bool:
        """Whether a reply had hidden thoughts."""
        return any(reply.hidden for reply in self._replies)

    def not_begun(self) -> list[tuple[int, int]]:
        """Return prompt and index of each reply that the server left out."""
        return [divmod(at, self._n) for at, one in enumerate(self._replies) if not one.begun]

    def take(
        self, number: int, first: int, event: Mapping[str, Any], server: str
    ) -> Iterator[Piece]:
        """Yield the pieces in an event about prompt `number`, its replies from `first` on.

        Raises `ServerFailed`.
        """
        if "error" in event:
            raise ServerFailed(
                f"The server at {server} broke off in the middle of a reply.",
                remedy="Ask again; its own log says more.",
            )
        if isinstance(event.get("model"), str) and event["model"]:
            self.models.add(event["model"])
        if isinstance(event.get("usage"), dict):
            timings = event.get("timings")
            usage = {**(timings if isinstance(timings, dict) else {}), **event["usage"]}
            self._usages.setdefault(number, []).append(usage)
        for choice in event.get("choices") or ():
            index = first + choice.get("index", 0)
            if not 0 <= index < self._n:
                continue
            yield from self._choice(number, index, choice, server)

    def _choice(
        self, number: int, index: int, choice: Mapping[str, Any], server: str
    ) -> Iterator[Piece]:
        at = number * self._n + index
        reply, reason = self._replies[at], choice.get("finish_reason")
        delta = choice.get("delta") or choice.get("message") or {}
        text = choice.get("text") or delta.get("content") or ""
        thought = bool(delta.get("reasoning_content") or delta.get("reasoning"))
        reply.begun = True
        if reply.ended:
            return
        tokens = _tokens_of(choice.get("logprobs"))
        if text and not thought and reply.tokens - reply.hidden >= self._most:
            text, tokens, reason = "", [], "length"  # room that was for thoughts
        shown = reply.feed(text)
        if self._watch and number not in self._watched and (tokens or text or reason):
            if thought or reply.hidden or reply.stream.thinking:
                raise _without_logprobs(server)  # they are those of a thought
            self._watched.add(number)
            watched = self._likelihoods(tokens, text, server)
            yield Piece(number * self._n, "", watched=watched)
        drawn = max(len(tokens), bool(text) or thought)
        reply.tokens += drawn
        if self._logprobs:
            reply.logprobs += [logprob for logprob, _ in tokens]
        reply.hidden += drawn if thought or reply.stream.thinking else 0
        if reason and not reply.stream.finished:
            shown += reply.end(_finish(reason, server))
        reply.ended = reply.stream.finished is not None
        self.shown = self.shown or bool(shown)
        if reason == "length" and reply.hidden and not reply.text.strip():
            raise AllThoughts(
                f"The model at {server} spent its whole reply on thoughts.",
                remedy="Turn its thinking off there, or choose a model that does not think first.",
            )
        if reply.ended:
            self._check_form(reply, server)
        if shown or reply.ended:
            logprobs = tuple(reply.logprobs)
            reply.logprobs = []
            yield Piece(at, shown, reply.stream.finished, logprobs=logprobs)

    def _likelihoods(
        self, tokens: Sequence[tuple[float, Top]], text: str, server: str
    ) -> tuple[float, ...]:
        if tokens and tokens[0][1]:
            return tuple(likelihood_of(word, tokens[0][1]) for word in self._watch)
        if text:
            raise _without_logprobs(server)
        return (EVEN,) * len(self._watch)  # it ended before its first word

    def _check_form(self, reply: Reply, server: str) -> None:
        form = self._constraint
        if isinstance(form, Choices):
            kept = reply.text in form.texts
        elif isinstance(form, Beginnings):
            kept = any(
                reply.text.startswith(text) or (reply.text and text.startswith(reply.text))
                for text in form.texts
            )
        else:
            return
        if not kept:
            raise ServerFailed(
                f"The server at {server} did not hold its reply to the form asked for.",
                remedy="Use llama-server or vLLM, or a model on this machine.",
            )

    def check_ended(self, server: str) -> None:
        """Raise `ServerFailed` when a reply is not whole."""
        if not all(reply.ended for reply in self._replies):
            raise ServerFailed(
                f"The server at {server} broke off in the middle of a reply.",
                remedy="Ask again; its own log may say more.",
            )

    def check_whole(self, prompts: Sequence[str], server: str) -> None:
        """Raise `ContextExceeded` where the server read less of a prompt than it has."""
        for number, prompt in enumerate(prompts):
            usages = self._usages.get(number, [])
            read = max((_number(one.get("prompt_tokens")) for one in usages), default=0)
            if CUT_FROM <= read < (least := least_tokens(prompt)):
                raise ContextExceeded(
                    f"The server at {server} read {read} tokens of a prompt that has {least} or "
                    "more: it cut the rest, so its reply is none.",
                    remedy="Give the model a larger context there, or set `context` under "
                    f"[server] to {read}.",
                )

    def add_usage(self, number: int, total: TokenCount, size: Callable[[], int]) -> None:
        """Add one prompt's tokens: as the server counted them, else as `size` and the events do."""
        replies = self._replies[number * self._n : (number + 1) * self._n]
        usages = self._usages.get(number, [])
        if not usages and not any(reply.begun for reply in replies):
            return
        first = usages[0] if usages else {}
        prompt = _number(first.get("prompt_tokens")) or size()
        details = first.get("prompt_tokens_details") or {}
        cached = _number(details.get("cached_tokens")) or _number(first.get("cache_n"))
        written = sum(_number(usage.get("completion_tokens")) for usage in usages)
        total.calls += 1
        total.prompt += prompt
        total.computed += max(0, prompt - cached)
        total.generated += max(written, sum(reply.tokens for reply in replies))
        total.hidden += sum(reply.hidden for reply in replies)


def likelihood_of(text: str, top: Top) -> float:
    """Return the log-probability of the token that `text` begins with.

    A token that is not among the likeliest gets the largest value possible: no more than the
    least of theirs, and than what they leave over.
    """
    for spelt in (str, str.lstrip):
        found = [(len(spelt(token)), p) for token, p in top if _begins(text, spelt(token))]
        if found:
            return max(found)[1]
    left = 1 - sum(math.exp(logprob) for _, logprob in top)
    return min(min(logprob for _, logprob in top), math.log(max(left, LEAST)))


def _begins(text: str, token: str) -> bool:
    return bool(token) and text.startswith(token)


def _tokens_of(logprobs: object) -> list[tuple[float, Top]]:
    """Return the tokens of one event: each one's log-probability, and the likeliest there.

    Chat completions and llama-server list objects; older text completions parallel lists.
    """
    if not isinstance(logprobs, dict):
        return []
    if isinstance(logprobs.get("content"), list):
        return [
            (
                float(one.get("logprob") or 0.0),
                [(str(t["token"]), float(t["logprob"])) for t in one.get("top_logprobs") or ()],
            )
            for one in logprobs["content"]
        ]
    drawn = logprobs.get("token_logprobs") or []
    tops = logprobs.get("top_logprobs") or [{}] * len(drawn)
    return [
        (float(one or 0.0), [(str(token), float(p)) for token, p in (top or {}).items()])
        for one, top in zip(drawn, tops, strict=False)
    ]


def _finish(reason: object, server: str) -> Literal["stop", "length"]:
    if reason == "length":
        return "length"
    if reason in ("stop", "eos"):
        return "stop"
    raise ServerFailed(
        f'The server at {server} ended a reply as "{str(reason)[:40]}".',
        remedy="Ask again; its own log may say more.",
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


class AllThoughts(ServerFailed):
    """A reply that ended, for want of room, before its thoughts did."""


class Unlikely(ServerFailed):
    """A reply without the log-probabilities that were asked for."""


def _without_logprobs(server: str) -> Unlikely:
    return Unlikely(
        f"The server at {server} gives no log-probabilities.",
        remedy="Turn them on there, or use another server or a model on this machine.",
    )
