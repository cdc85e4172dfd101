"""What each stage of a question has come to, on one line."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.output.report import size_text
from engine.events import (
    Drafted,
    Event,
    Expected,
    FollowedUp,
    Reading,
    Sampled,
    Stage,
    StageName,
    Token,
    Voted,
)

if TYPE_CHECKING:
    from models.roles import Loading

STAGES: Mapping[StageName, str] = {
    "follow_up": "Putting the follow-up into a whole question",
    "understand": "Understanding the question",
    "read": "Reading",
    "recall": "Scoring passages",
    "lookahead": "Looking ahead",
    "select": "Selecting evidence",
    "ask": "Asking further",
    "vote": "Comparing readings",
    "write": "Writing",
    "cite": "Checking citations",
}
"""What a stage does, for people."""
NAMES = {"lookahead": "look ahead", "follow_up": "follow up", "ask": "sub-questions"}


def expected_text(event: Expected) -> str:
    """Return `about 2,300 tokens to read, 34 s`; without a speed the tokens alone."""
    seconds = "" if event.seconds is None else f", {event.seconds:.0f} s"
    return f"about {event.tokens:,} tokens to read{seconds}"


def loading_text(loading: Loading) -> str:
    """Say that a model was loaded, and at what cost."""
    instead = f", in place of {loading.instead_of}: both do not fit" if loading.instead_of else ""
    return f"{loading.model_id} loaded in {loading.seconds:.1f} s{instead}"


def begins_writing(event: Event) -> bool:
    """Say whether tokens that follow are an answer from its first word on."""
    return isinstance(event, Stage) and event.name == "write" and event.state == "started"


BAR = 10
"""Signs of a bar."""


def bar(share: float) -> str:
    """Return `▰▰▰▱▱▱▱▱▱▱` for a share of 0 to 1."""
    full = round(BAR * min(1.0, max(0.0, share)))
    return "▰" * full + "▱" * (BAR - full)


@dataclass(slots=True)
class _Stage:
    seconds: float = 0.0
    """Of the times that it is done with."""
    since: float | None = None
    """When it began; None when it is not running."""
    detail: str = ""
    share: float | None = None
    """How far it is, 0 to 1; None where nobody knows."""


class Stages:
    """Collects events and shows them as `read 3,912 of 4,212 1.2 s · recall 0.1 s · …`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with no stage."""
        self._clock = clock
        self._stages: dict[str, _Stage] = {}
        self._expected = ""
        self._ends: tuple[float, float] | None = None
        """When the answer was begun, and when it is expected."""
        self._samples = self._drafts = self._words = self._asked = 0

    def note(self, event: Event) -> None:
        """Take in an event."""
        match event:
            case Stage():
                self._note_stage(event)
            case Reading():
                self._at("read").detail = _read(event)
                self._at("read").share = _share(event)
            case Sampled():
                self._samples += 1
                self._at("lookahead").detail = f"{self._samples}"
            case Drafted():
                self._drafts += 1
                self._at("vote").detail = f"{self._drafts} readings"
            case Voted():
                self._at("vote").detail = f"{event.votes}/{event.of}"
            case FollowedUp():
                self._asked += 1
                self._at("ask").detail = f"{self._asked}"
            case Expected():
                self._expected = expected_text(event)
                if event.seconds:
                    now = self._clock()
                    begun = self._ends[0] if self._ends else now
                    self._ends = begun, now + event.seconds
            case Token():
                self._expected = ""
                self._words += event.text.count(" ")
                self._at("write").detail = f"{self._words} words"

    def _at(self, name: str) -> _Stage:
        return self._stages.setdefault(name, _Stage())

    def _note_stage(self, event: Stage) -> None:
        stage = self._at(event.name)
        if event.state == "started":
            stage.since = self._clock()
            self._words = 0 if begins_writing(event) else self._words
        else:
            stage.seconds += event.seconds
            stage.since = None

    def end(self) -> None:
        """No stage runs any more."""
        for stage in self._stages.values():
            stage.since = None
        self._expected = ""

    def now(self) -> str:
        """Return what runs, how far it is and how long it will take: `Reading ▰▰▱… 12 of 40 …`."""
        running = {name: one for name, one in self._stages.items() if one.since is not None}
        if not running:
            return "…"
        name, stage = list(running.items())[-1]
        seconds = self._clock() - (stage.since or 0.0)
        share, left = stage.share, ""
        if name != "read" and self._ends is not None:
            begun, ends = self._ends
            share = (self._clock() - begun) / max(0.1, ends - begun)
            left = f"about {max(1.0, ends - self._clock()):.0f} s left"
        parts = [STAGES.get(name, name), "" if share is None else bar(share), stage.detail]  # type: ignore[call-overload]
        return " ".join(filter(None, [*parts, left or f"{seconds:.0f} s", "…"]))

    def line(self) -> str:
        """Return the stages in the order in which they began; `…` marks those that run."""
        shown = [self._shown(name, stage) for name, stage in self._stages.items()]
        return " · ".join([*shown, *filter(None, [self._expected])])

    def _shown(self, name: str, stage: _Stage) -> str:
        running = self._clock() - stage.since if stage.since is not None else 0.0
        seconds = stage.seconds + running
        parts = [NAMES.get(name, name), stage.detail]
        if seconds >= 0.05 or stage.since is not None:
            parts.append(f"{seconds:.1f} s")
        return " ".join(filter(None, parts)) + (" …" if stage.since is not None else "")


def _share(event: Reading) -> float | None:
    done, total = (
        (event.scans_done, event.scans) if event.scans else (event.bytes, event.total_bytes)
    )
    return done / total if total else None


def _read(event: Reading) -> str:
    if event.scans:
        return f"scans {event.scans_done:,} of {event.scans:,}"
    if event.total > 1:
        return f"{event.done:,} of {event.total:,}"
    return f"{size_text(event.bytes)} of {size_text(event.total_bytes)}"
