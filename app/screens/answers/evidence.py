"""How an answer came about: all that `--explain` prints, with bars, while it comes about too."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Footer, Static

from app.output.plain import one_line
from app.output.report import timings_line
from app.output.trail import PassageNumbers, event_lines, outcome_lines
from app.screens.answers.base import ShowingScreen
from app.screens.answers.preview import preview_of
from app.widgets.conversation.turn import Told
from app.widgets.row_list import ListPane, ListRow, RowList
from engine.events import Compressed, Ranked
from engine.values import Passage

BAR = 8
"""Cells of the longest bar."""
EIGHTHS = " ▏▎▍▌▋▊▉█"
REFRESH_SECONDS = 0.5


def bar(share: float, width: int = BAR) -> str:
    """Return a bar for a share from 0 to 1, in eighths of a cell."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    whole, rest = divmod(eighths, 8)
    return (("█" * whole) + (EIGHTHS[rest] if rest else "")).ljust(width)


class EvidenceScreen(ShowingScreen[None]):
    """A list of everything that was found, sampled and voted; Enter opens a passage."""

    SCOPE = "evidence"
    DEFAULT_CSS = """
    EvidenceScreen { align: center middle; background: $background; }
    EvidenceScreen #stages { height: auto; padding: 0 1; background: $panel; text-style: bold; }
    """

    def __init__(self, told: Told, zone: tzinfo | None) -> None:
        """Show what was told about one question; more may come."""
        super().__init__()
        self._told = told
        self._zone = zone
        self._pane = ListPane()
        self._passages: dict[str, Passage] = {}
        self._drawn: object = None

    def compose(self) -> ComposeResult:
        """Lay out the stages above the list."""
        yield Static("", id="stages")
        yield self._pane
        yield Footer()

    def on_mount(self) -> None:
        """Draw, and again while there is news."""
        self._pane.row_list.focus()
        self._draw()
        self.set_interval(REFRESH_SECONDS, self._draw)

    def _draw(self) -> None:
        told = self._told
        stages = one_line(told.stages.line()) or "Starting"
        self.query_one("#stages", Static).update(Content(f"Evidence   {stages}"))
        now = (len(told.trail.events), told.ended)
        if now != self._drawn:
            self._drawn = now
            self._pane.row_list.show(list(self._rows()))

    def _rows(self) -> Iterator[ListRow]:
        self._passages.clear()
        told, numbers = self._told, PassageNumbers()
        yield ListRow("question", f"Question: {one_line(told.request.question)}", "heading")
        for number, event in enumerate(told.trail.events):
            if isinstance(event, Ranked):
                yield from self._ranked(number, event, numbers)
            elif isinstance(event, Compressed):
                yield from self._compressed(number, event)
            else:
                for line, text in enumerate(event_lines(event, numbers)):
                    yield ListRow(f"{number}.{line}", text)
        if told.answer is not None:
            yield ListRow("strategy", f"Strategy: {told.answer.strategy}", "heading")
            for line, text in enumerate(outcome_lines(told.answer, told.trail.loadings)):
                yield ListRow(f"outcome.{line}", text, "muted")
            yield ListRow("timings", f"  {timings_line(told.answer.timings)}", "muted")
        elif not told.trail.events:
            gone = told.ended is not None
            yield ListRow("none", "  Nothing is kept of it." if gone else "  Nothing yet.", "muted")

    def _ranked(self, number: int, event: Ranked, numbers: PassageNumbers) -> Iterator[ListRow]:
        parts = " · ".join(["score", *event.parts])
        yield ListRow(f"{number}", f"Ranked by {event.stage} ({parts}), best first", "heading")
        columns = [event.scores, *event.parts.values()]
        most = [max((abs(value) for value in column), default=0.0) or 1.0 for column in columns]
        for rank, passage in enumerate(event.passages):
            values = "  ".join(
                f"{column[rank]:7.3f} {bar(column[rank] / top)}"
                for column, top in zip(columns, most, strict=True)
            )
            name = numbers.of(passage)
            yield self._passage(f"{number}.{rank}", f"{name:>5} {values}", passage)

    def _compressed(self, number: int, event: Compressed) -> Iterator[ListRow]:
        of = f"{sum(event.kept):,} of {len(event.kept):,} sentences"
        yield ListRow(f"{number}", f"Kept by {event.by}: {of}", "heading")
        most = max((abs(score) for score in event.scores), default=0.0) or 1.0
        for place, (sentence, score, kept) in enumerate(
            zip(event.sentences, event.scores, event.kept, strict=True)
        ):
            mark = "+" if kept else " "
            head = f"  {mark} {score:7.3f} {bar(score / most)}"
            look = "plain" if kept else "muted"
            text = f"{head}  {one_line(sentence.text)}"
            self._passages[f"{number}.{place}"] = sentence
            yield ListRow(f"{number}.{place}", text, look)  # type: ignore[arg-type]

    def _passage(self, key: str, head: str, passage: Passage) -> ListRow:
        self._passages[key] = passage
        title = one_line(passage.item.title) or "without title"
        return ListRow(key, f"{head}  {passage.item.kind.value} {title}")

    @on(RowList.RowSelected)
    def preview(self, selected: RowList.RowSelected) -> None:
        """Open a passage at its place."""
        if passage := self._passages.get(selected.row.key):
            self.app.push_screen(preview_of(passage, self._zone))
