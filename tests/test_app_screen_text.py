"""What the chat draws, without a screen: Markdown, chips, completions, stages, agenda, export."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from app.errors import NotExported
from app.history.export.file import export, fault_of
from app.history.export.formats import read_conversation
from app.output.plain import short_path
from app.output.query.chips import chips, typed_chips, without
from app.output.query.offers import Command, Known, completions, offers
from app.output.stages import Stages
from app.screens.answers.agenda import agenda_rows
from app.screens.answers.evidence import bar
from app.widgets.answer.markdown import cut, styled
from app.widgets.answer.text import AnswerText
from engine.answer_parts import ModelIds, Usage
from engine.conversation import Conversation
from engine.events import Reading, Sampled, Stage, Token, Voted
from engine.values import Answer, Coverage, Inferred, Passage, Query
from ingest.item import Item, Kind, Locator, People


@pytest.mark.parametrize(
    ("markdown", "seen"),
    [
        ("**The lease** ends *soon* [1].", "The lease ends soon [1]."),
        ("[here](https://x.example) ![i](x.png)", "[here](https://x.example) ![i](x.png)"),
        ("<https://x.example> <b>bold</b>", "<https://x.example> <b>bold</b>"),
        ("a\x1b[2Jb\x9b31m \u202edesrever", "a�[2Jb�31m �desrever"),
        ("[1]: https://x.example\n\nand [1]", "[1]: https://x.example\n\nand [1]"),
        ("one\ntwo", "one\ntwo"),
        ("- a\n  - b\n- c", "• a\n  • b\n• c"),
        ("9. a\n10. b", "9. a\n10. b"),
        ("> said\n> so", "│ said\n│ so"),
        ("# Head\n\ntext", "Head\n\ntext"),
        ("```\n# no head\n```", "  # no head"),
        ("| a | bb |\n|---|---|\n| ccc | d |", "a    bb\nccc  d"),
        ("| 日本 | b |\n|---|---|\n| e\u0301 | d |", "日本  b\ne\u0301     d"),
        ("[bold]no markup[/bold]", "[bold]no markup[/bold]"),
        ("שלום [1] 日本 e\u0301", "שלום [1] 日本 e\u0301"),
    ],
)
def test_markdown_is_styled_and_makes_no_links(markdown: str, seen: str) -> None:
    content = styled(markdown)
    assert content.plain == seen
    assert not any("link" in str(span.style) for span in content.spans)


def test_long_markdown_is_cut_outside_fences_and_nothing_is_lost() -> None:
    text = "\n".join(f"line {n}" for n in range(100)) + "\n```\n" + "code\n" * 90 + "```\nend"
    blocks = cut(text)
    assert "\n".join(blocks) == text
    assert all(block.count("```") % 2 == 0 for block in blocks)
    assert len(blocks[0].split("\n")) == 60


def test_chips_and_the_question_without_one() -> None:
    typed = 'lease from:ann -draft since:"last week"'
    assert [chip.label for chip in typed_chips(typed)] == [
        "from:ann",
        "-draft",
        'since:"last week"',
    ]
    kim = Inferred("from", "Kim Lee", "Kim")
    may = Inferred("since", "2026-05-01", "in May")
    shown = chips("What did Kim say in May?", Query("x", inferred=(kim, may)))
    assert without("What did Kim say in May?", shown, shown[1]) == (
        'What did Kim say in May? from:"Kim Lee"',
        False,
    )
    first = typed_chips(typed)[0]
    assert without(typed, typed_chips(typed), first) == ('lease -draft since:"last week"', True)


@pytest.mark.parametrize(
    ("word", "offered"),
    [
        ("kind:", ["kind:mail", "kind:document", "kind:event", "kind:task", "kind:contact"]),
        ("-kind:e", ["-kind:event", "-kind:document"]),
        ("from:le", ['from:"Lee Marsh"', 'from:"Kim Lee"']),
        ("since:", ["since:today", "since:yesterday", 'since:"last week"', 'since:"last month"']),
        ("kin", ["kind:"]),
        ("ki", []),
        ("kind:mail", []),
        ("http://x", []),
    ],
)
def test_completions(word: str, offered: list[str]) -> None:
    assert completions(word, ("Kim Lee", "Lee Marsh", "Bob"))[: max(len(offered), 1)] == offered


def test_what_a_slash_and_an_at_sign_offer() -> None:
    commands = tuple(
        Command(name, does, lambda: None)
        for name, does in (
            ("sources add", "Add a source by its path"),
            ("sources", "Choose what is read"),
            ("theme", "Change the colours"),
        )
    )
    known = Known(("Kim Lee", "Bob"), (Path("/x/My Work"), Path("/x/mail.mbox")), commands)

    def offered(typed: str) -> list[str]:
        return [one.text for one in offers(typed, typed.rsplit(" ", 1)[-1], known)]

    assert offered("/") == ["/sources add", "/sources", "/theme"]
    assert offered("/so") == ["/sources add", "/sources"]
    assert offered("/sources") == ["/sources", "/sources add"]
    assert offered("/sources ") == ["/sources", "/sources add"]
    assert offered("/add") == ["/sources add"]
    assert offered("/colour") == ["/theme"]
    assert offered("/co") == []
    assert offered("/etc/hosts says") == []
    assert offered("what did @ki") == ['from:"Kim Lee"', 'to:"Kim Lee"']
    assert offered("@") == [
        'in:"My Work"',
        "in:mail.mbox",
        'from:"Kim Lee"',
        'to:"Kim Lee"',
        "from:Bob",
        "to:Bob",
    ]
    assert offered("ann@ki") == []


def test_stages_count_and_time() -> None:
    now = [0.0]
    stages = Stages(clock=lambda: now[0])
    stages.note(Stage("read", "started"))
    stages.note(Reading(done=3912, total=4212, bytes=1, total_bytes=2, skipped=0))
    now[0] = 1.26
    assert stages.line() == "read 3,912 of 4,212 1.3 s …"
    stages.note(Stage("read", "done", 1.3))
    stages.note(Stage("lookahead", "started"))
    for index in range(5):
        stages.note(Sampled(index, "r", "a"))
    stages.note(Stage("lookahead", "done", 2.0))
    stages.note(Voted(4, 5, [[1.0]]))
    stages.note(Token("three short words"))
    assert stages.line() == (
        "read 3,912 of 4,212 1.3 s · look ahead 5 2.0 s · vote 4/5 · write 2 words"
    )


@pytest.mark.parametrize(
    ("share", "drawn"), [(0.0, "  "), (1.0, "██"), (0.5, "█ "), (0.25, "▌ "), (7.0, "██")]
)
def test_bars(share: float, drawn: str) -> None:
    assert bar(share, 2) == drawn


def test_an_agenda_has_a_heading_a_day() -> None:
    begin = datetime(2026, 11, 23, 9, tzinfo=UTC)
    events = [
        Item(
            Kind.EVENT,
            title,
            begin + timedelta(hours=hours),
            People(),
            title,
            Locator(Path("/c.ics"), uid=title, occurrence=occurrence),
            until=begin + timedelta(hours=hours + 1),
        )
        for title, hours, occurrence in (("Call", 0, None), ("Fair", 24, "2026-11-24"))
    ]
    rows = list(agenda_rows([Passage(event, 0, 4) for event in events], UTC))
    assert [row.text for row in rows] == [
        "Monday 2026-11-23",
        "  09:00 - 10:00      Call",
        "Tuesday 2026-11-24",
        "  all day            Fair",
    ]


def test_an_export_is_a_new_file_of_its_owner(tmp_path: Path) -> None:
    answer = Answer(
        "When?", "Soon.", "none", (), Coverage(), None, Usage(), {}, "fb_rag", ModelIds()
    )
    said = Conversation().answered(answer)
    path = export(said, str(tmp_path / "a.json"), UTC)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_conversation(path).turns[0].answer == "Soon."
    assert "there already" in fault_of(str(path))
    assert "no folder" in fault_of(str(tmp_path / "no" / "a.md"))
    assert fault_of(str(tmp_path / "a.txt")).startswith("End it with")
    with pytest.raises(NotExported, match="cannot be written"):
        export(said, str(path), UTC)


class Written(App[None]):
    """An answer and nothing else."""

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield AnswerText()


async def test_a_long_answer_is_drawn_anew_only_at_its_end() -> None:
    app = Written()
    async with app.run_test(size=(80, 24)) as pilot:
        text = app.query_one(AnswerText)
        await text.append("".join(f"- line {number}\n" for number in range(400)))
        await pilot.pause()
        first = list(text.query(Static))[:-1]
        drawn = [block.visual for block in first]
        await text.append("- **the last** line [1]")
        await pilot.pause()
        assert [block.visual for block in list(text.query(Static))[: len(first)]] == drawn
        assert str(list(text.query(Static))[-1].visual).endswith("• the last line [1]")
        await text.show("Soon [1].")
        assert [str(block.visual) for block in text.query(Static)] == ["Soon [1]."]
        assert text.text == "Soon [1]."


def test_long_paths_lose_their_middle_and_keep_their_name(home: Path) -> None:
    assert short_path(Path("/srv/mail/Inbox.mbox")) == "/srv/mail/Inbox.mbox"
    assert short_path(home / "mail" / "Inbox.mbox") == "~/mail/Inbox.mbox"
    long = short_path(Path("/srv/archive/of/many/years/of/mail/Inbox.mbox"))
    assert long == "/srv/archive/of/…/Inbox.mbox"
    named = short_path(Path("/srv") / ("year-" * 20 + "end.pdf"))
    assert len(named) == len(long)
    assert named.endswith("-end.pdf")
