"""Conversations in the chat: kept when that is on, found, gone on with, branched, temporary."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from app.backend.messages import Request
from app.history.conversations import open_history
from app.history.creation import begin_history
from app.history.errors import HistoryBusy
from app.history.storage import key as history_key
from app.history.storage.files import HistoryFiles
from app.keys import Action
from app.screens.app import AskanceApp
from app.screens.chat.screen import ChatScreen
from app.screens.dialogs.confirmation import ConfirmScreen
from app.screens.dialogs.find import FindScreen
from app.screens.dialogs.password import PasswordScreen
from app.screens.lists.history import HistoryScreen
from app.settings.config import Config
from app.widgets.answer.citations import Citations
from app.widgets.conversation.asked import Asked
from app.widgets.conversation.past_turn import Past, PastTurn
from app.widgets.conversation.turns import Turns
from app.widgets.input.prompt import Prompt
from app.widgets.row_list import RowList
from engine.conversation import Conversation
from tests.support.screen_text import assert_snapshot, settled, text_of
from tests.support.toy_chat import asked, chat, config_over, line, running, until
from tests.support.toy_conversations import cited, conversation
from tests.support.toy_talk import Parrot

PASSPHRASE = "correct horse battery"
BOATS = conversation(("Who owns the boats?", "Kim owns them [1].", [cited(1, "Kim Lund")]))
RENT = replace(
    conversation(
        ("What is the rent?", "It is 900 euros [1].", [cited(1, "Dana Okafor")]),
        ("And the deposit?", "Two months of rent [1].", [cited(1, "Dana Okafor")]),
    ),
    id="0123456789abcdef",
)


Kept = Callable[[], list[Conversation]]


@pytest.fixture(autouse=True)
def quick_derivation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(history_key.SCRYPT, "n", 1 << 10)


@pytest.fixture
def files(home: Path) -> HistoryFiles:
    return HistoryFiles.of(os.environ)


@pytest.fixture
def kept(files: HistoryFiles) -> Kept:
    """Begin a history with two conversations, and return what reads all that is in it."""
    with begin_history(files, lambda prompt: PASSPHRASE) as history:
        history.keep(BOATS)
        history.keep(RENT)

    def read() -> list[Conversation]:
        with open_history(files, lambda prompt: PASSPHRASE) as history:
            return [history.conversation(row.id) for row in history.listed()]

    return read


def config_with(*, history: bool) -> Config:
    return config_over(Path("/note.txt"), ASKANCE_HISTORY_ENABLED="true" if history else "false")


def app_with(*, history: bool) -> AskanceApp:
    return AskanceApp(config_with(history=history), Parrot())


def path_asked(app: AskanceApp) -> list[str]:
    """Return what was said before the last question, as the engine was given it."""
    before = cast("Parrot", app._engine).asked[-1].conversation
    assert before is not None
    return [turn.asked for turn in before.path]


def place_focused(app: AskanceApp) -> int | None:
    assert isinstance(app.focused, Asked)
    return app.focused.place


def rows(app: App[None]) -> list[str]:
    return [row.text for row in app.screen.query_one(RowList).rows]


def turns(app: AskanceApp) -> list[Asked]:
    return list(chat(app).query(Asked))


def questions(app: AskanceApp) -> list[str]:
    return [str(one.asked).partition("\n")[0] for one in turns(app)]


async def unlocked(pilot: Pilot[None], passphrase: str = PASSPHRASE) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, PasswordScreen))
    pilot.app.screen.query_one(Input).value = passphrase
    await pilot.press("enter")
    await pilot.pause()


async def listed(pilot: Pilot[None]) -> None:
    """Open the list of conversations and see them."""
    await pilot.press("ctrl+r")
    await unlocked(pilot)
    await until(pilot, lambda: isinstance(pilot.app.screen, HistoryScreen) and rows(pilot.app))


async def test_with_history_off_nothing_is_opened_asked_or_written(
    files: HistoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the history was opened")

    monkeypatch.setattr("app.history.conversations.open_history", refuse)
    app = app_with(history=False)
    async with running(app) as pilot:
        await asked(pilot, "Who?")
        await asked(pilot, "And when?")
        await pilot.press("f9")
        assert "temporary" not in line(app, "title")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "History is off" in text_of(app))
        assert "askance history on" in text_of(app)
        await pilot.press("escape")
    assert not files.folder.exists()


async def test_answers_are_kept_once_the_passphrase_is_right(kept: Kept) -> None:
    app = app_with(history=True)
    async with running(app) as pilot:
        assert "kept, encrypted" in line(app, "title")
        await asked(pilot, "Who flies?")
        await unlocked(pilot, "no, not this one")
        await until(pilot, lambda: "That is not the passphrase" in text_of(app))
        await unlocked(pilot)
        await until(pilot, lambda: app.screen is chat(app))
        await asked(pilot, "And when?")
        await until(pilot, lambda: [len(one.turns) for one in kept()] == [2, 2, 1])
    assert kept()[0].turns[1].asked == "And when?"
    assert "zeppelin" in kept()[0].turns[1].cited[0].quote


async def test_a_passphrase_that_is_not_given_costs_no_answer(kept: Kept) -> None:
    app = app_with(history=True)
    async with running(app, toasts=True) as pilot:
        await asked(pilot, "Who flies?")
        await until(pilot, lambda: isinstance(app.screen, PasswordScreen))
        await pilot.press("escape")
        await until(pilot, lambda: "in memory only" in text_of(app))
        await asked(pilot, "And when?")
        assert questions(app) == ["> Who flies?", "> And when?"]
        assert isinstance(app.screen, ChatScreen)
        await listed(pilot)
        await pilot.press("escape")
        await asked(pilot, "Why?")
        await until(pilot, lambda: [len(one.turns) for one in kept()] == [3, 2, 1])


async def test_to_leave_while_the_passphrase_is_asked_ends_at_once(kept: Kept) -> None:
    app = app_with(history=True)
    async with running(app) as pilot:
        await asked(pilot, "Who flies?")
        await until(pilot, lambda: isinstance(app.screen, PasswordScreen))
    assert len(kept()) == 2


async def test_a_temporary_conversation_is_not_kept(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise HistoryBusy("Another Askance has been writing.", remedy="Let it finish.")

    app = app_with(history=True)
    async with running(app) as pilot:
        await pilot.press("alt+n")
        await pilot.pause()
        assert "temporary: not kept" in line(app, "title")
        await asked(pilot, "Who flies?")
        assert isinstance(app.screen, ChatScreen)
        await pilot.press("ctrl+n")
        await asked(pilot, "Why?")
        await unlocked(pilot)
        await until(pilot, lambda: len(kept()) == 3)
        with monkeypatch.context() as patched:
            patched.setattr("app.history.archive.remove_kept", busy)
            await pilot.press("f9")
            await until(pilot, lambda: "Another Askance" in told(app))
            assert "is still there" in told(app)
            assert "temporary: not kept" in line(app, "title")
        await pilot.press("f9")
        await until(pilot, lambda: "is kept, encrypted" in told(app))
        await pilot.press("f9")
        await until(pilot, lambda: "the history holds nothing" in told(app))
        assert len(kept()) == 2
        assert "temporary: not kept" in line(app, "title")
        await asked(pilot, "Where?")
        assert questions(app) == ["> Why?", "> Where?"]
    assert "Who flies?" not in str(kept())
    assert "Why?" not in str(kept())


async def test_a_kept_conversation_is_found_and_gone_on_with(kept: Kept) -> None:
    app = app_with(history=True)
    async with running(app, (100, 30)) as pilot:
        await listed(pilot)
        assert "What is the rent?  (2 questions)" in rows(app)[0]
        assert "Who owns the boats?  (1 question)" in rows(app)[1]
        await pilot.press("slash", *"deposit")
        await until(pilot, lambda: len(rows(app)) == 1 and "And the deposit?" in rows(app)[0])
        await pilot.press(*"zzz")
        await until(pilot, lambda: rows(app) == ["Nothing holds all these words."])
        await pilot.press("escape")
        await until(pilot, lambda: len(rows(app)) == 2)
        await pilot.press("slash", *"deposit", "down", "enter")
        await until(pilot, lambda: app.screen is chat(app))
        await until(pilot, lambda: isinstance(app.focused, PastTurn))
        assert questions(app) == ["> What is the rent?", "> And the deposit?"]
        assert "Lease, Dana Okafor, 2026-09-10, /mail/Inbox" in text_of(app)
        assert place_focused(app) == 1
        await pilot.press("escape")
        assert chat(app).query_one(Prompt).has_focus
        await pilot.press("escape")
        assert place_focused(app) == 1
        await asked(pilot, "Since when?")
        assert path_asked(app) == ["What is the rent?", "And the deposit?"]
        await until(pilot, lambda: [len(one.turns) for one in kept()] == [3, 1])
        turn = next(iter(chat(app).query(PastTurn)))
        turn.focus()
        await pilot.press("e")
        assert chat(app).query_one(Prompt).text == "What is the rent?"
        await pilot.press("enter")
        await until(pilot, lambda: len(questions(app)) == 4)
        assert path_asked(app) == []


async def test_a_kept_conversation_is_exported_and_removed(kept: Kept, home: Path) -> None:
    app = app_with(history=True)
    async with running(app, (100, 30), toasts=True) as pilot:
        await listed(pilot)
        await pilot.press("e")
        await until(pilot, lambda: "Write questions" in text_of(app))
        app.screen.query_one(Input).value = str(home / "rent.md")
        await pilot.press("enter")
        await until(pilot, lambda: (home / "rent.md").exists() and "Wrote" in text_of(app))
        assert "It is 900 euros" in (home / "rent.md").read_text()
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("n", "d")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        assert len(kept()) == 2
        await pilot.press("y")
        await until(pilot, lambda: len(rows(app)) == 1)
    assert [one.title for one in kept()] == ["Who owns the boats?"]


async def test_a_damaged_history_is_told_and_the_conversation_goes_on(
    files: HistoryFiles, kept: Kept
) -> None:
    files.database.write_bytes(b"x" * 8192)
    app = app_with(history=True)
    async with running(app, toasts=True) as pilot:
        await asked(pilot, "Who flies?")
        await unlocked(pilot)
        await until(pilot, lambda: "Your history is damaged" in text_of(app))
        await asked(pilot, "And when?")
        assert questions(app) == ["> Who flies?", "> And when?"]


async def test_no_failure_to_keep_an_answer_takes_it_away(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("app.history.conversations.History.keep", broken)
    app = app_with(history=True)
    async with running(app) as pilot:
        await asked(pilot, "Who flies?")
        await unlocked(pilot)
        await until(pilot, lambda: "in memory only (ZeroDivisionError)" in told(app))
        assert questions(app) == ["> Who flies?"]
    assert len(kept()) == 2


async def test_words_are_found_in_the_conversation_under_way() -> None:
    app = app_with(history=False)
    async with running(app) as pilot:
        await pilot.press("ctrl+f")
        assert isinstance(app.screen, ChatScreen)
        for question in ("Who flies?", "Where is the oar?", "When?"):
            await asked(pilot, question)
        await pilot.press("ctrl+f")
        await until(pilot, lambda: isinstance(app.screen, FindScreen))
        await pilot.press(*"oar")
        await until(pilot, lambda: len(rows(app)) == 2)
        assert rows(app)[0] == "2. question: Where is the oar?"
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is chat(app))
        assert place_focused(app) == 1


async def test_what_else_was_asked_at_a_place_is_reached_by_key() -> None:
    app = app_with(history=False)
    async with running(app, (80, 40)) as pilot:
        for question in ("Who flies?", "When?"):
            await asked(pilot, question)
        turns(app)[0].focus()
        await pilot.press("e")
        chat(app).query_one(Prompt).fill("Who sails?")
        await pilot.press("enter")
        await until(pilot, lambda: len(questions(app)) == 3)
        await until(pilot, lambda: "2 of 2 asked here; [ and ]" in text_of(app))
        aside = [one.has_class("aside") for one in turns(app)]
        assert aside == [True, True, False]
        await asked(pilot, "Where?")
        assert path_asked(app) == ["Who sails?"]
        turns(app)[2].focus()
        await pilot.press("[")
        await until(pilot, lambda: app.focused is turns(app)[0])
        aside = [one.has_class("aside") for one in turns(app)]
        assert aside == [False, False, True, True]
        await asked(pilot, "Why?")
        assert path_asked(app) == ["Who flies?", "When?"]


def action(app: AskanceApp, name: str) -> Action:
    return next(one for one in app.actions if one.id == name)


def told(app: AskanceApp) -> str:
    """Return the newest notice."""
    return [one.message for one in app._notifications][-1] if app._notifications else ""


async def test_palette_and_help_do_on_an_answer_of_earlier_what_its_keys_do(monkeypatch) -> None:
    monkeypatch.setattr("app.widgets.conversation.turns.WHOLE", 1)
    app = app_with(history=False)
    copied: list[str] = []
    app.copy_to_clipboard = copied.append
    async with running(app, (80, 24)) as pilot:
        for question in ("Who flies?", "When?"):
            await asked(pilot, question)
        app.call_later(app.do, action(app, "edit"))
        await until(pilot, lambda: told(app).endswith("this works on answers; tab goes there."))
        turns(app)[0].focus()
        await pilot.pause()
        assert isinstance(app.focused, PastTurn)
        app.call_later(app.do, action(app, "copy"))
        await until(pilot, lambda: copied == ["You asked: Who flies? [1]"])
        app.call_later(app.do, action(app, "why"))
        await until(pilot, lambda: told(app) == "Show how the answer came about: not here.")
        await pilot.press("f1", "slash", *"change the question", "enter", "enter")
        await until(pilot, lambda: chat(app).query_one(Prompt).text == "Who flies?")
        assert app.screen is chat(app)
        turns(app)[1].query_one(Citations).focus()
        await pilot.pause()
        app.call_later(app.do, action(app, "edit"))
        await until(pilot, lambda: chat(app).query_one(Prompt).text == "When?")


async def test_arrows_move_by_a_line_in_what_is_longer_than_the_screen() -> None:
    app = app_with(history=False)
    async with running(app, (80, 24)) as pilot:
        for question in ("Short?", "\n".join(f"line {number}" for number in range(60))):
            await asked(pilot, question)
        view = chat(app).query_one(Turns)
        turns(app)[1].focus()
        await until(pilot, lambda: view.scroll_offset.y > 0)
        view.scroll_end(animate=False)
        await pilot.pause()
        end = view.scroll_offset.y
        await pilot.press("up", "up")
        await until(pilot, lambda: view.scroll_offset.y == end - 2)
        assert place_focused(app) == 1
        await pilot.press("down", "k")
        await until(pilot, lambda: place_focused(app) == 0)
        await pilot.press("down")
        await until(pilot, lambda: place_focused(app) == 1)


@pytest.mark.parametrize("size", [(80, 24), (140, 40)], ids=str)
async def test_how_list_and_search_look(kept: Kept, size: tuple[int, int]) -> None:
    assert len(kept()) == 2
    name = f"{size[0]}x{size[1]}"
    app = app_with(history=True)
    async with running(app, size) as pilot:
        await listed(pilot)
        await settled(pilot)
        assert_snapshot(f"history-{name}", app, MOMENT=r"\d{4}-\d\d-\d\d \d\d:\d\d")
        await pilot.press("escape")
        for question in ("Who flies?", "Where is the oar?"):
            await asked(pilot, question)
        await pilot.press("ctrl+f", *"oar")
        await until(pilot, lambda: len(rows(app)) == 2)
        await settled(pilot)
        assert_snapshot(f"find-{name}", app)


async def test_of_many_questions_the_earlier_ones_come_back_by_key(monkeypatch) -> None:
    monkeypatch.setattr("app.widgets.conversation.turns.WHOLE", 1)
    monkeypatch.setattr("app.widgets.conversation.turns.SHOWN", 2)
    app = app_with(history=False)
    async with running(app, (80, 48)) as pilot:
        for question in ("First?", "Second?", "Third?", "Fourth?"):
            await asked(pilot, question)
        assert questions(app) == ["> Third?", "> Fourth?"]
        assert "2 earlier questions: k on the first one" in text_of(app)
        turns(app)[0].focus()
        await pilot.press("k")
        await until(pilot, lambda: place_focused(app) == 1)
        assert questions(app) == ["> Second?", "> Third?", "> Fourth?"]
        assert "1 earlier question:" in text_of(app)
        await pilot.press("ctrl+f", *"first")
        await until(pilot, lambda: bool(rows(app)))
        await pilot.press("down", "enter")
        await until(pilot, lambda: len(turns(app)) == 4)
        await until(pilot, lambda: place_focused(app) == 0)
        assert not any(one.has_class("aside") for one in turns(app))
        assert "earlier question" not in text_of(app)
        await asked(pilot, "Fifth?")
        assert questions(app) == ["> Fourth?", "> Fifth?"]
        assert path_asked(app) == ["First?", "Second?", "Third?", "Fourth?"]


async def test_what_was_folded_keeps_its_branches_and_its_look(monkeypatch) -> None:
    app = app_with(history=False)
    async with running(app, (80, 40)) as pilot:
        await asked(pilot, "Who **flies**?")
        turns(app)[0].focus()
        await pilot.press("e")
        chat(app).query_one(Prompt).fill("Who sails?")
        await pilot.press("enter")
        await until(pilot, lambda: len(questions(app)) == 2)
        await until(pilot, lambda: "1 of 2 asked here; [ and ]" in text_of(app))
        monkeypatch.setattr("app.widgets.conversation.turns.WHOLE", 1)
        await chat(app).query_one(Turns)._fold()
        await pilot.pause()
        assert "1 of 2 asked here; [ and ]" in text_of(app)
        folded = turns(app)[0]
        assert isinstance(folded, PastTurn)
        assert "You asked: Who flies?" in text_of(app)
        folded.focus()
        await pilot.press("]")
        await until(pilot, lambda: app.focused is turns(app)[1])


def test_of_a_long_past_answer_the_beginning_is_shown() -> None:
    whole = "\n".join(f"- line {number}" for number in range(1_000))
    past = PastTurn(Past(Request(0, "How long?"), Request(0, "How long?"), whole, [], None))
    drawn = past.render().plain
    assert drawn.endswith("line 199\n… (800 lines more; y copies all)")
    assert past.copied == whole
