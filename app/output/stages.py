"""What each stage of a question has come to, on one line."""

from __future__ import annotations

import time
from collections.abc import Callable
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
    Token,
    Voted,
)

if TYPE_CHECKING:
    from models.roles import Loading

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


@dataclass(slots=True)
class _Stage:
    seconds: float = 0.0
    """Of the times that it is done with."""
    since: float | None = None
    """When it began; None when it is not running."""
    detail: str = ""


class Stages:
    """Collects events and shows them as `read 3,912 of 4,212 1.2 s · recall 0.1 s · …`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with no stage."""
        self._clock = clock
        self._stages: dict[str, _Stage] = {}
        self._expected = ""
        self._samples = self._drafts = self._words = self._asked = 0

    def note(self, event: Event) -> None:
        """Take in an event."""
        match event:
            case Stage():
                self._note_stage(event)
            case Reading():
                self._at("read").detail = _read(event)
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


def _read(event: Reading) -> str:
    if event.scans:
        return f"scans {event.scans_done:,} of {event.scans:,}"
    if event.total > 1:
        return f"{event.done:,} of {event.total:,}"
    return f"{size_text(event.bytes)} of {size_text(event.total_bytes)}"
