"""What a waiting person sees: one status line, the draft while it is written, and above them the
best sources and a provisional answer.

All is talk, so it goes to stderr, and only to a terminal that can take a line back.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Mapping
from datetime import tzinfo
from types import TracebackType
from typing import TextIO

from app.output.draft import Board, DraftView
from app.output.plain import one_line
from app.output.provisional import FirstReading
from app.output.query.follow_up import understood_lines
from app.output.query.inferred import filters_text
from app.output.report import best_lines
from app.output.stages import STAGES, begins_writing, expected_text
from engine.events import (
    Answered,
    Event,
    Expected,
    Narrowed,
    Provisional,
    Ranked,
    Reading,
    Rewritten,
    Sampled,
    Stage,
    Token,
    Understood,
)
from engine.values import Answer

REFRESH_SECONDS = 0.1
CLOCK_SECONDS = 1.0
ESTIMATE_AFTER = 1.0
"""Seconds of reading before the rest is estimated."""
QUIET_SECONDS = 3
"""Without news for this long, the line says how long."""


def can_redraw(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Say whether the stream is a terminal on which a line can be taken back."""
    return stream.isatty() and environ.get("TERM", "") not in ("", "dumb")


class StatusLine:
    """One line on stderr that is rewritten in place; silent where that is not possible.

    While nothing happens a thread counts the seconds: a look-ahead takes minutes on a slow
    machine and has no event before it ends.
    """

    def __init__(self, stream: TextIO | None = None, *, enabled: bool | None = None) -> None:
        """Write to `stream` (stderr), if enabled (when it is a capable terminal)."""
        self._stream = stream or sys.stderr
        self._enabled = can_redraw(self._stream, os.environ) if enabled is None else enabled
        self._lock = threading.Lock()
        self._text: str | None = None
        self._since = 0.0
        self._stopped: threading.Event | None = None

    def __enter__(self) -> StatusLine:
        """Return itself; the line is cleared at the end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave no half line behind."""
        self.clear()

    def show(self, text: str, *, now: bool = True) -> None:
        """Replace the line; with `now=False` at most ten times a second."""
        if not self._enabled or (not now and time.monotonic() < self._since + REFRESH_SECONDS):
            return
        with self._lock:
            self._text, self._since = text, time.monotonic()
            self._draw(text)
        if self._stopped is None:
            self._stopped = threading.Event()
            threading.Thread(target=self._count, args=(self._stopped,), daemon=True).start()

    def clear(self) -> None:
        """Take the line back."""
        if self._stopped is None:
            return
        self._stopped.set()
        self._stopped = None
        with self._lock:
            self._text = None
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _count(self, stopped: threading.Event) -> None:
        while not stopped.wait(CLOCK_SECONDS):
            with self._lock:
                waited = int(time.monotonic() - self._since)
                if self._text is not None and not stopped.is_set() and waited >= QUIET_SECONDS:
                    self._draw(f"{self._text} ({waited} s)")

    def _draw(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r\x1b[K{one_line(text)[:width]}")
        self._stream.flush()


def status_of(event: Event) -> str | None:
    """Return the status line for an event, or None when it changes nothing."""
    if isinstance(event, Stage) and event.state == "started":
        return f"{STAGES[event.name]} …"
    if isinstance(event, Reading):
        skipped = f", {event.skipped:,} skipped" if event.skipped else ""
        megabytes = f"{event.bytes / 1e6:,.1f} of {event.total_bytes / 1e6:,.1f} MB"
        left = f"; about {seconds_left(event):.0f} s left" if seconds_left(event) else ""
        best = f"; best so far: {event.best.item.title}" if event.best else ""
        return f"Reading: {event.done:,} of {event.total:,} files, {megabytes}{left}{skipped}{best}"
    if isinstance(event, Rewritten):
        return "; ".join(understood_lines(event.standalone, event.asked)) or None
    if isinstance(event, Narrowed | Understood) and event.query.dropped:
        return f"Nothing with {filters_text(event.query.dropped)}: looking without it"
    if isinstance(event, Sampled):
        return f"Looking ahead: sample {event.index + 1} is complete"
    return None


def seconds_left(event: Reading) -> float | None:
    """Return how long reading will go on, by the sizes; None before that can be told."""
    if event.seconds < ESTIMATE_AFTER or not event.bytes or event.bytes >= event.total_bytes:
        return None
    return max(1.0, event.seconds * (event.total_bytes - event.bytes) / event.bytes)


class Watcher:
    """Feeds events to the status line and, if there are any, to the draft and what stays above."""

    def __init__(
        self,
        status: StatusLine,
        draft: DraftView | None = None,
        board: Board | None = None,
        zone: tzinfo | None = None,
    ) -> None:
        """Draw on these; times are shown in this zone."""
        self._status = status
        self._draft = draft
        self._board = board
        self._zone = zone
        self._drafting = False
        self._anew = False
        self._has_best = False
        self._first = FirstReading()
        self._answer: Answer | None = None
        self._text = ""
        self._expected = ""
        self._ends: float | None = None

    def show(self, event: Event) -> None:
        """Draw one event."""
        if isinstance(event, Expected):
            self._expected = expected_text(event)
            self._ends = None if event.seconds is None else time.monotonic() + event.seconds
        if begins_writing(event):
            self._anew = self._drafting
        if self._draft:
            self._first.note(event)
        if isinstance(event, Answered):
            self._answer = event.answer
        elif isinstance(event, Ranked):
            self._show_best(event)
        elif isinstance(event, Provisional) and self._draft:
            self._show_first(self._draft)
        elif isinstance(event, Token) and self._draft:
            self._write(self._draft, event.text)
        elif not self._drafting and (text := self._status_of(event)):
            self._status.show(text, now=not isinstance(event, Reading))

    def _write(self, draft: DraftView, text: str) -> None:
        if not self._drafting:
            self._status.clear()
        if self._anew:
            draft.erase("Written anew:")
        self._drafting, self._anew = True, False
        draft.write(text)

    def _show_best(self, event: Ranked) -> None:
        """Show what recall found while models work, once."""
        shown = best_lines(event, self._zone)
        if self._board is None or self._drafting or self._has_best or not shown:
            return
        self._has_best = True
        self._status.clear()
        self._board.put_cut(shown)
        if self._text:
            self._status.show(self._text)

    def _show_first(self, draft: DraftView) -> None:
        """Let the provisional answer stand where the draft was; another draft comes below it."""
        self._anew = self._drafting
        if self._board is None:
            return
        self._status.clear()
        if not draft.erase("Looking further:"):
            self._board.leave()
        self._drafting = self._anew = False
        self._board.put([self._first.line()])

    def _status_of(self, event: Event) -> str | None:
        """Return the status line with what is still to come, None when nothing changes."""
        text = status_of(event)
        if text is None and not isinstance(event, Expected):
            return None
        self._text = text or self._text
        return f"{self._text}{self._left()}"

    def _left(self) -> str:
        if self._ends is None:
            return f" ({self._expected})" if self._expected else ""
        left = self._ends - time.monotonic()
        return f" (about {left:.0f} s left)" if left >= 1 else ""

    def say(self, text: str) -> None:
        """Show what models are doing, unless the draft has the screen."""
        if not self._drafting:
            self._status.show(text)

    def finish(self) -> None:
        """Take everything back; say what became of a provisional answer."""
        self._status.clear()
        is_whole = self._draft.erase() if self._draft else True
        if self._board is None:
            return
        if is_whole:
            self._board.take_back()
        else:
            self._board.leave()
        if self._first:
            self._board.say(self._first.outcome(self._answer))
            self._first = FirstReading()


def watch(*, stream_draft: bool, zone: tzinfo | None = None) -> Watcher:
    """Return a watcher for this process's terminal. The draft needs both outputs on one."""
    status = StatusLine()
    if not can_redraw(sys.stderr, os.environ):
        return Watcher(status)
    size = shutil.get_terminal_size()
    colour = not os.environ.get("NO_COLOR")
    board = Board(sys.stderr, colour=False, columns=size.columns, rows=size.lines)
    draft = DraftView(sys.stderr, colour=colour, columns=size.columns, rows=size.lines)
    is_streamed = stream_draft and sys.stdout.isatty()
    return Watcher(status, draft if is_streamed else None, board, zone)
