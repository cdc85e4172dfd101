"""What is shown meanwhile: the best matches of recall, and a first reading that may not last."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.app import App, ComposeResult

from app.backend.messages import Ended, Failure, Request
from app.cli import main
from app.output.draft import Board, DraftView
from app.output.progress import StatusLine, Watcher, watch
from app.output.provisional import CONFIRMED, STANDS, FirstReading
from app.plain_loop import PlainLoop, Terminal
from app.settings.current import Current
from app.widgets.conversation.turn import Told, TurnView
from engine.events import Answered, Event, Provisional, Ranked, Reading, Stage, Token
from engine.values import Answer, Passage
from ingest.item import Person
from tests.support.builders import mail, passage
from tests.support.keyed_app import KeyedApp
from tests.support.screen_text import text_of
from tests.support.toy_chat import config_over
from tests.support.toy_talk import Reciter, answer_to

QUESTION = "When does it end?"
FIRST = "On Monday [2]"
FIRST_LINE = "So far: On Monday [2] (0.46 likely right); looking further …"
WAS = f"It was: {FIRST}"
SAME = answer_to(QUESTION, "On Monday. [1]")
OTHER = answer_to(QUESTION, "On Tuesday. [1]")
NOTHING = replace(answer_to(QUESTION, "I found nothing."), grounded="none", citations=())
WRITES = Stage("write", "started")
WHEN = datetime(2026, 3, 2, 9, tzinfo=UTC)
READ_TWICE: tuple[Event, ...] = (WRITES, Token("On Monday"), Provisional(FIRST, 0.46), WRITES)
OUTCOMES = [
    pytest.param("On Monday.", SAME, CONFIRMED, id="confirmed"),
    pytest.param("Not found.", SAME, STANDS, id="stands"),
    pytest.param("On Tuesday", OTHER, f"Replaced after looking further. {WAS}", id="replaced"),
    pytest.param("Not found.", NOTHING, f"Withdrawn after looking further. {WAS}", id="withdrawn"),
    pytest.param("On", None, f"Not checked any further. {WAS}", id="cancelled"),
]


def found(count: int = 5) -> Ranked:
    """Return what recall ranked: items of several passages each, and one of a hostile title."""
    people = [Person("Ann Lee", "ann@x.example"), Person("", "bo\x1b[2J@x.example")]
    letters = [mail(f"Lease {n}", people[n % 2], WHEN) for n in range(count)]
    passages = [Passage(item, at, at + 2) for item in letters for at in (0, 3)]
    return Ranked("recall", passages, [1.0] * len(passages))


class Screen(io.StringIO):
    """A terminal of 80 columns and 24 rows: what is left on it of what was written."""

    def __init__(self) -> None:
        super().__init__()
        look = {"columns": 80, "rows": 24}
        self.board = Board(self, colour=False, **look)
        self.draft = DraftView(self, colour=False, **look)

    def left(self) -> list[str]:
        """Return its rows as a terminal shows them."""
        rows, row, column = [""], 0, 0
        text = self.getvalue()
        while text:
            if text.startswith("\x1b["):
                end = next(i for i, char in enumerate(text[2:], 2) if char.isalpha())
                if text[end] == "A":
                    row -= int(text[2:end])
                else:
                    assert text[end] in "JK", text[:9]
                    rows[row] = rows[row][:column]
                    del rows[row + 1 if text[end] == "J" else len(rows) :]
                text = text[end + 1 :]
                continue
            if text[0] == "\r":
                column = 0
            elif text[0] == "\n":
                row, column = row + 1, 0
                rows += [""] * (row + 1 - len(rows))
            else:
                rows[row] = f"{rows[row][:column].ljust(column)}{text[0]}{rows[row][column + 1 :]}"
                column += 1
            text = text[1:]
        return [line.rstrip() for line in rows if line.strip()]


def watcher_of(screen: Screen, *, streams: bool = True) -> Watcher:
    status = StatusLine(screen, enabled=False)
    return Watcher(status, screen.draft if streams else None, screen.board, UTC)


def show(watcher: Watcher, *events: Event) -> None:
    for event in events:
        watcher.show(event)


@pytest.mark.parametrize(("later", "answer", "said"), OUTCOMES)
def test_what_becomes_of_a_first_reading_is_said(
    later: str, answer: Answer | None, said: str
) -> None:
    first = FirstReading()
    for event in (*READ_TWICE, *map(Token, later.split(" ")[:1])):
        first.note(event)
    first.note(Token(later[len(later.split(" ")[0]) :]))
    assert first
    assert first.line() == FIRST_LINE
    assert first.outcome(answer) == said


def test_only_what_is_written_after_it_confirms_it() -> None:
    first = FirstReading()
    for event in (Token("On "), Token("Monday"), Provisional(FIRST, 0.46), Token("On Monday")):
        first.note(event)
    assert first.outcome(SAME) == CONFIRMED
    first.note(Provisional(FIRST, 0.46))
    assert first.outcome(SAME) == STANDS


def test_a_sign_that_matters_makes_another_answer() -> None:
    first = FirstReading()
    first.note(Provisional("5 °C [1]", None))
    assert first.line() == "So far: 5 °C [1]; looking further …"
    assert first.outcome(answer_to(QUESTION, "-5 °C")).startswith("Replaced")


@pytest.mark.parametrize(("later", "answer", "said"), OUTCOMES)
def test_on_a_terminal_it_stays_above_the_later_reading(
    later: str, answer: Answer | None, said: str
) -> None:
    screen = Screen()
    watcher = watcher_of(screen)
    show(watcher, *READ_TWICE[:2])
    assert screen.left() == ["On Monday"]
    show(watcher, *READ_TWICE[2:])
    assert screen.left() == [FIRST_LINE]
    show(watcher, Token(later))
    assert screen.left() == [FIRST_LINE, later]
    if answer is not None:
        show(watcher, Answered(answer))
    watcher.finish()
    watcher.finish()  # once more, as the command does
    assert screen.left() == [said]


def test_a_long_one_is_broken_at_blanks_and_taken_back() -> None:
    screen = Screen()
    watcher = watcher_of(screen)
    show(watcher, WRITES, Provisional("wordy " * 30, None))
    assert {line.strip("wordy ") for line in screen.left()[1:-1]} == {""}
    assert all(len(line) < 80 for line in screen.left())
    assert screen.left()[-1].endswith("looking further …")
    show(watcher, Token("On "), Answered(OTHER))
    watcher.finish()
    assert "looking further …" not in "".join(screen.left())


def test_without_a_stream_nothing_of_it_is_shown() -> None:
    screen = Screen()
    watcher = watcher_of(screen, streams=False)
    show(watcher, *READ_TWICE, Answered(OTHER))
    watcher.finish()
    assert screen.getvalue() == ""


def test_the_best_matches_are_shown_once_and_taken_back() -> None:
    screen = Screen()
    watcher = watcher_of(screen)
    show(watcher, Ranked("lookahead", found().passages, found().scores))
    assert screen.left() == []
    show(watcher, found(), found(2))
    best = [
        "Best matches so far, by words alone:",
        '  Mail "Lease 0" - Ann Lee, Mon 2026-03-02 09:00',
        '  Mail "Lease 1" - bo�[2J@x.example, Mon 2026-03-02 09:00',
        '  Mail "Lease 2" - Ann Lee, Mon 2026-03-02 09:00',
    ]
    assert screen.left() == best
    show(watcher, *READ_TWICE, Token("On Tuesday"))
    assert screen.left() == [*best, FIRST_LINE, "On Tuesday"]
    show(watcher, Answered(OTHER))
    watcher.finish()
    assert screen.left() == [f"Replaced after looking further. {WAS}"]


def test_the_status_line_goes_on_below_them() -> None:
    screen = Screen()
    watcher = Watcher(StatusLine(screen, enabled=True), screen.draft, screen.board, UTC)
    show(watcher, Stage("recall", "started"), found(1), Stage("lookahead", "started"))
    assert screen.left()[1:] == [
        '  Mail "Lease 0" - Ann Lee, Mon 2026-03-02 09:00',
        "Looking ahead …",
    ]
    show(watcher, *READ_TWICE)
    assert screen.left()[2:] == [FIRST_LINE, "Writing …"]
    watcher.finish()
    assert screen.left() == [f"Not checked any further. {WAS}"]


def test_a_long_title_takes_one_row() -> None:
    screen = Screen()
    watcher = watcher_of(screen)
    show(watcher, Ranked("recall", [passage("text", "日本" * 90)], [1.0]))
    assert len(screen.getvalue().split("\n")) == 3
    watcher.finish()
    assert screen.left() == []


def test_a_draft_that_scrolled_away_keeps_what_is_above_it() -> None:
    screen = Screen()
    watcher = watcher_of(screen)
    show(watcher, found(), WRITES, Token("word\n" * 40))
    watcher.finish()
    assert screen.left()[0] == "Best matches so far, by words alone:"
    assert screen.left()[-1] == "(End of the draft. Checked answer:)"


@pytest.mark.parametrize("flags", [(), ("--no-stream",), ("--json",)], ids=str)
def test_ask_shows_it_to_a_terminal_that_streams(
    flags: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    err, out = io.StringIO(), io.StringIO()
    for stream in (err, out):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    engine = Reciter(found(), *READ_TWICE, Token("On Monday"), Answered(SAME))
    monkeypatch.setattr("app.commands.ask.open_engine", lambda: engine)
    assert main(["ask", QUESTION, str(tmp_path), *flags]) == 0
    assert (FIRST_LINE in err.getvalue()) == (not flags)
    assert err.getvalue().endswith(f"{CONFIRMED}\n\n") == (not flags)
    assert "Best matches so far" in err.getvalue()
    assert "reading" not in out.getvalue()


def test_nothing_is_drawn_where_nothing_can_be_taken_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    watcher = watch(stream_draft=True)
    show(watcher, found(), *READ_TWICE, Answered(OTHER))
    watcher.finish()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("later", "answer", "said"), OUTCOMES)
def test_in_lines_it_is_said_and_what_became_of_it(
    later: str, answer: Answer | None, said: str
) -> None:
    lines: list[str] = []
    terminal = Terminal(lines.append, lambda prompt: "", lambda words: 0)
    events = [*READ_TWICE, Token(later), *([Answered(answer)] if answer else [])]
    failure = None if answer else Failure("memory", "No room.", "Close something.")
    engine = Reciter(*events, failure=failure)
    loop = PlainLoop(engine, Current(config_over(Path("/note.txt"))), terminal)
    loop.run(iter([QUESTION]))
    place = lines.index(said)
    assert lines.index(FIRST_LINE) < place
    assert lines[place + 1] == (answer.text if answer else "No room.")
    assert lines.count(said) == 1
    assert any(line.startswith("Not checked") for line in lines) == (answer is None)


class _Shown(KeyedApp):
    def compose(self) -> ComposeResult:
        yield TurnView(Told(Request(1, QUESTION)), UTC, "config.toml")


async def drawn(app: App[None], events: Sequence[Event]) -> TurnView:
    turn = app.query_one(TurnView)
    for event in events:
        turn.draw(event)
        await turn.flush()
    return turn


@pytest.mark.parametrize(("later", "answer", "said"), OUTCOMES)
async def test_on_the_screen_it_stands_above_the_later_reading(
    later: str, answer: Answer | None, said: str
) -> None:
    app = _Shown()
    async with app.run_test(size=(100, 24)) as pilot:
        await drawn(app, READ_TWICE)
        await pilot.pause()
        assert text_of(app).count("On Monday") == 1
        assert FIRST_LINE in text_of(app)
        turn = await drawn(app, [Token(later)])
        await pilot.pause()
        assert FIRST_LINE in text_of(app)
        assert turn.body.text == later
        assert turn.body.display
        if answer is not None:
            turn.draw(Answered(answer))
        await turn.end(Ended(1, cancelled=answer is None))
        await pilot.pause()
        assert said in text_of(app)
        assert "looking further …" not in text_of(app)
        assert turn.body.text == (answer.text if answer else later)
        assert turn.body.display


async def test_on_the_screen_the_best_so_far_is_shown_while_reading_goes_on() -> None:
    app = _Shown()
    async with app.run_test(size=(60, 24)) as pilot:
        first, _, second = found().passages[:3]
        await drawn(app, [Reading(1, 9, 1, 9, 0), Reading(2, 9, 2, 9, 0, best=first)])
        await pilot.pause()
        assert "Found so far, by words alone:" in text_of(app)
        assert "✉ Lease 0" in text_of(app)
        await drawn(app, [Reading(3, 9, 3, 9, 0, best=second)])
        await pilot.pause()
        assert "✉ Lease 1" in text_of(app)
        assert "✉ Lease 0" not in text_of(app)
        await drawn(app, [found(), Reading(9, 9, 9, 9, 0, best=second)])
        await pilot.pause()
        assert "so far" not in text_of(app)
        assert "✉ Lease 3" in text_of(app)


async def test_on_the_screen_the_best_matches_stand_until_there_is_an_answer() -> None:
    app = _Shown()
    async with app.run_test(size=(60, 24)) as pilot:
        turn = await drawn(app, [found(), found(2)])
        await pilot.pause()
        shown = [line.strip(" █") for line in text_of(app).splitlines()]
        assert shown[shown.index("Found by words alone:") + 1] == "✉ Lease 0"
        assert [line for line in shown if line.startswith("✉")] == [
            "✉ Lease 0",
            "✉ Lease 1",
            "✉ Lease 2",
            "✉ Lease 3",
        ]
        await drawn(app, [Answered(OTHER)])
        await turn.end(Ended(1))
        await pilot.pause()
        assert "✉" not in text_of(app)
