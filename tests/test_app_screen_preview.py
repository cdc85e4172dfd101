"""The preview of a source: scrolled to its quote, which stands out, and its two keys."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from rich.segment import Segment
from textual.app import App
from textual.containers import VerticalScroll

from app.screens.answers.preview import PreviewScreen
from app.screens.app import AskanceApp
from app.settings.config import load_config
from app.widgets.answer.source import card
from engine.values import Citation, Passage
from ingest.item import Item, Kind, Locator, People
from tests.support.screen_text import NoEngine, settled, text_of

LINES = 200
QUOTED = 120
WORDS = [f"This is line {number} of a long mail." for number in range(LINES)]
TEXT = "\n".join(WORDS)
MAIL = Item(Kind.MAIL, "long", None, People(), TEXT, Locator(Path("/mail/long.eml")))


def cited(number: int) -> Citation:
    """Return a citation of one line within a passage of five."""
    begin, end = TEXT.index(WORDS[number]), TEXT.index(WORDS[number]) + len(WORDS[number])
    passage = Passage(MAIL, TEXT.index(WORDS[number - 2]), TEXT.index(WORDS[number + 3]))
    return Citation(1, passage, begin, end, "model", support=True)


def segments(app: App[None]) -> Iterator[Segment]:
    for line in app.screen._compositor.render_strips():
        yield from line


async def test_a_long_mail_is_scrolled_to_its_quote_which_stands_out(home: Path) -> None:
    app = AskanceApp(load_config(os.environ), NoEngine())
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(PreviewScreen(cited(QUOTED), None))
        await settled(pilot)
        source = app.screen.query_one("#source", VerticalScroll)
        assert source.scroll_offset.y > QUOTED
        assert WORDS[QUOTED] in text_of(app).splitlines()[1]
        standing_out = [one.text for one in segments(app) if one.style and one.style.reverse]
        assert [text.strip() for text in standing_out if "line" in text] == [WORDS[QUOTED]]
        underlined = "".join(one.text for one in segments(app) if one.style and one.style.underline)
        assert WORDS[QUOTED + 2] in underlined
        assert WORDS[QUOTED + 3] not in underlined
        await pilot.press("pageup", "pageup")
        await pilot.pause()
        assert WORDS[QUOTED] not in text_of(app)


async def test_preview_keys_open_the_source_and_copy_the_citation(home: Path, monkeypatch) -> None:
    opened: list[Citation] = []
    copied: list[str] = []
    monkeypatch.setattr("app.widgets.answer.source.open_source", opened.append)
    app = AskanceApp(load_config(os.environ), NoEngine())
    app.copy_to_clipboard = copied.append
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(PreviewScreen(cited(QUOTED), None))
        await pilot.pause()
        await pilot.press("o", "y")
        assert opened == [cited(QUOTED)]
        assert copied[0].startswith('Mail "long"')
        assert copied[0].endswith(f"\n> {WORDS[QUOTED]}\n")
        await pilot.press("enter")
        await pilot.pause()
        assert not isinstance(app.screen, PreviewScreen)


def test_a_source_says_how_many_pages_it_has_or_which_one_it_is() -> None:
    for pages, said in (((0,), "1 page"), ((0, 40), "2 pages"), ((0, 0, 0), "Page 3")):
        document = Item(Kind.DOCUMENT, "plan", None, People(), TEXT, MAIL.locator, pages=pages)
        assert said in card(document, None)
