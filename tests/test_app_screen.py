"""The chat, driven by Textual's pilot: real engine, real files, scripted models."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.backend.answerer import Answerer
from app.backend.composition import answers
from app.backend.messages import Changed, Request, TextKept, Unlock
from app.errors import SettingWrong
from app.screens.answers.comparison import CompareScreen, VariantScreen
from app.screens.answers.coverage import CoverageScreen
from app.screens.answers.evidence import EvidenceScreen
from app.screens.answers.preview import PreviewScreen
from app.screens.app import AskanceApp
from app.screens.chat.reply import Replied
from app.screens.chat.screen import ChatScreen
from app.screens.dialogs.password import PasswordScreen
from app.screens.lists.sources import SourcesScreen
from app.settings.config import Config
from app.widgets.conversation.past_turn import PastTurn
from app.widgets.input.chips import ChipBar
from app.widgets.input.prompt import Prompt
from app.widgets.row_list import RowList
from engine.events import Event, Ranked, Token
from engine.retrieval.memory import Memory
from engine.values import Citation
from models.errors import ModelMissing
from models.protocols import Piece
from models.roles import ModelSet
from models.stopping import until_stopped
from tests.support.screen_text import text_of
from tests.support.toy_chat import (
    QUESTION,
    REPLY,
    app_over,
    asked,
    chat,
    config_over,
    line,
    reading_processes,
    running,
    settled,
    shown,
    source,
    sources,
    toy_memory,
    turn,
    typed,
    until,
)

__all__ = ["reading_processes", "source"]

ANN = (
    "From: Ann <ann@x.example>\nDate: Tue, 17 Nov 2026 10:00:00 +0000\nSubject: lease\n\n"
    "The lease of the boathouse ends soon.\n"
)


@pytest.fixture
def config(source: Path) -> Config:
    return config_over(source, ASKANCE_ANSWER_STRATEGY="fb_rag")  # every stage runs


def screens(app: AskanceApp) -> type:
    return type(app.screen)


async def test_answer_sources_coverage_and_what_is_done_with_them(config, fake_models, monkeypatch):
    opened: list[Citation] = []
    monkeypatch.setattr("app.widgets.answer.source.open_source", opened.append)
    app = app_over(config, fake_models(generator=[REPLY]))
    copied: list[str] = []
    app.copy_to_clipboard = copied.append
    async with running(app, (80, 24)) as pilot:
        await asked(pilot)
        assert shown(app, "asked") == f"> {QUESTION}"
        assert "31 December 2026. [1]" in shown(app, "answer")
        assert shown(app, "grounded").startswith("grounded")
        assert shown(app, "coverage").startswith("Read 1 document")
        assert re.search(r"Took [\d.]+ s; w: how$", shown(app, "coverage"))
        assert not chat(app).query_one("#stages").display
        assert sources(app)[0].startswith('[1] Document "lease.txt"')
        assert chat(app).query_one(Prompt).has_focus

        await pilot.press("escape", "enter", "enter")
        await until(pilot, lambda: screens(app) is PreviewScreen)
        assert "[bold]ends[/bold]" in text_of(app)
        await pilot.press("escape", "y", "up", "o")
        await pilot.pause()
        assert [one.passage.item.locator.path for one in opened] == [
            config.sources[0] / "lease.txt"
        ]
        assert copied[0].startswith('Document "lease.txt"')
        assert "> The lease of the boathouse [bold]ends[/bold] on 31 December 2026." in copied[0]

        await pilot.press("w")
        await until(pilot, lambda: screens(app) is EvidenceScreen)

        def said() -> str:
            return "\n".join(row.text for row in app.screen.query_one(RowList).rows)

        await until(pilot, lambda: "effective context" in said())
        evidence = said()
        assert "Ranked by select (score · backward · forward)" in evidence
        assert "Strategy: fb_rag" in evidence
        assert "look-ahead sample 3: Reason. Answer." in evidence
        assert re.search(r"Took [\d.]+ s: .*recall", evidence)
        assert "look ahead 3" in text_of(app)
        assert "█" in evidence
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: screens(app) is PreviewScreen)
        await pilot.press("escape", "escape", "v")
        await until(pilot, lambda: screens(app) is CoverageScreen)
        assert "Nothing was skipped" in text_of(app)
        await pilot.press("escape")
        turn(app).focus()
        await pilot.press("y")
        assert copied[-1] == "The lease ends on 31 December 2026. [1]"


async def test_asked_again_edited_and_compared(config, fake_models):
    app = app_over(config, fake_models(generator=[REPLY]))
    async with running(app, (120, 40)) as pilot:
        await asked(pilot)
        await pilot.press("ctrl+g")
        await settled(pilot)
        assert len(chat(app).query("TurnView")) == 2
        turn(app).focus()
        await pilot.press("e")
        prompt = chat(app).query_one(Prompt)
        assert prompt.text == QUESTION
        await pilot.press("backspace", *" now?", "enter")
        await settled(pilot)
        assert shown(app, "asked").startswith(f"> {QUESTION[:-1]} now?\n3 of 3")
        turn(app).focus()
        await pilot.press("c")
        await until(pilot, lambda: screens(app) is VariantScreen)
        await pilot.press("home", "enter")
        await until(pilot, lambda: screens(app) is CompareScreen)
        both = text_of(app)
        assert ", quick" in both
        assert both.count("31 December 2026. [1]") >= 2
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert app.screen.has_class("narrow")
        await pilot.press("escape")
        await until(pilot, lambda: screens(app) is ChatScreen)
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert not chat(app).query("TurnView")


async def test_of_old_turns_only_the_words_are_kept(config, fake_models, monkeypatch):
    monkeypatch.setattr("app.widgets.conversation.turns.WHOLE", 1)
    app = app_over(config, fake_models(generator=[REPLY]))
    async with running(app, (80, 40)) as pilot:
        await asked(pilot)
        await asked(pilot, f"{QUESTION} Now?")
        assert len(chat(app).query("TurnView")) == 1
        folded = chat(app).query_one(PastTurn)
        question, _, words = str(folded.render()).partition("\n")
        assert question == f"> {QUESTION}"
        assert re.match(r"✓ Sure .*\nThe lease ends on 31 December 2026. \[1\]\n\[1\] Doc", words)
        assert shown(app, "asked") == f"> {QUESTION} Now?"
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert not chat(app).query(PastTurn)


async def test_a_follow_up_is_understood_by_what_was_said(config, fake_models):
    app = app_over(config, fake_models(generator=[REPLY]))
    async with running(app, (80, 24)) as pilot:
        await asked(pilot)
        await asked(pilot, "And in 2027?")
        assert "Understood as:" in shown(app, "facts")
        assert "boathouse" in shown(app, "facts")


async def test_escape_cancels_at_once_and_the_next_question_works(config, fake_models):
    release = threading.Event()
    closed: list[bool] = []

    def slowly(request: Request, models: ModelSet, memory: Memory) -> Iterator[Event]:
        try:
            for _ in range(500):
                yield Token("word ")
                release.wait(0.02)
        finally:
            closed.append(True)

    app = app_over(config, fake_models(), slowly)
    async with running(app, (80, 24)) as pilot:
        await typed(pilot, QUESTION)
        await until(pilot, lambda: turn(app).body.has_class("draft"))
        await typed(pilot, "Another?")
        assert chat(app).query_one(Prompt).text == "Another?"
        await pilot.press("escape")
        await pilot.pause()
        assert not chat(app).busy
        assert "not checked" in shown(app, "grounded")
        draft = shown(app, "answer")
        await pilot.press("enter")
        await until(pilot, lambda: turn(app).body.has_class("draft"))
        assert closed == [True]
        assert shown(app, "asked") == "> Another?"
        assert shown(app, "answer", 0) == draft
        await pilot.press("escape")
        await settled(pilot)


async def test_escape_stops_a_model_between_two_tokens(config, fake_generator):
    class Endless(fake_generator):
        closed_early = False

        def sample(self, request):
            return until_stopped(self._words())

        def _words(self):
            try:
                while True:
                    threading.Event().wait(0.01)
                    yield Piece(0, "word ")
            finally:
                self.closed_early = True

    endless = Endless()
    app = app_over(config, ModelSet("small", "large", lambda model_id: endless))
    async with running(app, (80, 24)) as pilot:
        await typed(pilot, QUESTION)
        await until(pilot, lambda: "Looking ahead" in line(app, "stages"))
        await pilot.press("escape")
        await settled(pilot)
        assert "Cancelled" in shown(app, "grounded")
        await until(pilot, lambda: endless.closed_early)


async def test_what_was_found_stays_where_a_model_turns_out_to_be_missing(config, fake_models):
    def missing(request: Request, models: ModelSet, memory: Memory) -> Iterator[Event]:
        for event in answers(request, models, memory):
            yield event
            if isinstance(event, Ranked):
                raise ModelMissing("The model is not here.", remedy="Run `askance models pull`.")

    app = app_over(config, fake_models(), missing)
    async with running(app, (80, 24)) as pilot:
        await asked(pilot)
        assert shown(app, "answer") == "The model is not here."
        assert "lease.txt" in shown(app, "best")


async def test_errors_are_shown_with_their_remedy_and_keep_the_conversation(config, fake_models):
    missing = [False, True]

    def open_models(request: Request, show: Callable[[str], object]) -> ModelSet:
        if missing.pop():
            raise ModelMissing("The model is not here.", remedy="Run `askance models pull`.")
        return fake_models()

    def nothing(request: Request, models: ModelSet, memory: Memory) -> Iterator[Event]:
        yield from ()

    engine = Answerer(open_models, nothing, toy_memory())
    app = AskanceApp(config, engine)
    async with running(app, (80, 24)) as pilot:
        await asked(pilot)
        assert shown(app, "answer") == "The model is not here."
        assert shown(app, "grounded") == "Run `askance models pull`."
        await pilot.press("ctrl+g")
        await settled(pilot)
        assert shown(app, "answer", 0) == "The model is not here."


async def test_quit_while_answering_ends_the_thread(config, fake_models):
    ended = threading.Event()

    def slowly(request: Request, models: ModelSet, memory: Memory) -> Iterator[Event]:
        try:
            while True:
                yield Token("word ")
                threading.Event().wait(0.01)
        finally:
            ended.set()

    app = app_over(config, fake_models(), slowly)
    async with running(app) as pilot:
        await typed(pilot, QUESTION)
        await until(pilot, lambda: turn(app).body.has_class("draft"))
        await pilot.press("ctrl+q")
    assert ended.is_set()


async def test_the_chat_says_what_to_do_without_sources_and_without_room(fake_models):
    app = app_over(config_over(), fake_models())
    async with running(app, (80, 24)) as pilot:
        assert "Press f3 to choose what is read" in text_of(app)
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert "40x10 is too small" in " ".join(text_of(app).split())
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "Press f3 to choose what is read" in text_of(app)


@pytest.mark.parametrize("small", [(40, 10), (80, 11)])
async def test_the_focus_comes_back_with_the_room(config, fake_models, small):
    app = app_over(config, fake_models(generator=[REPLY]))
    async with running(app, (80, 24)) as pilot:
        await asked(pilot)
        for size in (small, (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        await pilot.press(*"hi")
        assert chat(app).query_one(Prompt).text == "hi"
        turn(app).focus()
        for size in (small, (45, 9), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert app.focused is turn(app)


def test_unknown_theme_is_refused(source, fake_models):
    config = config_over(source, ASKANCE_INTERFACE_THEME="no such theme")
    with pytest.raises(SettingWrong, match="no such theme"):
        app_over(config, fake_models())


async def test_a_defect_shows_no_values(config, fake_models):
    app = app_over(config, fake_models())
    async with running(app, (80, 24)):
        try:
            mail = "the secret of the mail"
            raise RuntimeError(len(mail))
        except RuntimeError:
            app._fatal_error()
        said = "".join(str(renderable) for renderable in app._exit_renderables)
    assert "RuntimeError" in said
    assert "secret of the mail" not in said.replace('mail = "the secret of the mail"', "")


async def test_chips_show_filters_and_a_key_removes_one(source, config, fake_models):
    (source / "ann.eml").write_text(ANN)
    app = app_over(config, fake_models(generator=["It ends soon [1]."]))
    async with running(app, (80, 24)) as pilot:
        await asked(pilot, "What does the mail from ann@x.example say about the lease?")
        assert shown(app, "facts").startswith("Filters (inferred): from ann@x.example; x asks")
        assert [chip.label for chip in chat(app).query_one(ChipBar).chips] == [
            "from: ann@x.example"
        ]
        assert "from: ann@x.example (inferred)" in text_of(app)
        assert shown(app, "coverage").startswith("Read 1 mail (")
        chat(app).query_one(ChipBar).focus()
        await pilot.press("delete")
        await settled(pilot)
        assert shown(app, "facts") == ""
        assert shown(app, "coverage").startswith("Read 1 mail, 1 document (")
        turn(app, 0).focus()
        await pilot.press("x")
        await settled(pilot)
        assert len(chat(app).query("TurnView")) == 3

        await typed_only(pilot, "lease kind:document -zeppelin")
        assert [chip.label for chip in chat(app).query_one(ChipBar).chips] == [
            "kind:document",
            "-zeppelin",
        ]
        chat(app).query_one(ChipBar).focus()
        await pilot.press("right", "backspace")
        await pilot.pause()
        assert chat(app).query_one(Prompt).text == "lease kind:document"
        await pilot.press("escape", "enter")
        await settled(pilot)
        assert shown(app, "facts").splitlines()[-1] == "Filters: kind document"


async def typed_only(pilot, text: str) -> None:
    chat(pilot.app).query_one(Prompt).fill(text)
    await pilot.pause()


async def test_operators_are_completed_while_typing(source, config, fake_models):
    (source / "ann.eml").write_text(ANN)
    app = app_over(config, fake_models(generator=["It ends soon [1]."]))
    async with running(app, (80, 24)) as pilot:
        prompt = chat(app).query_one(Prompt)
        await pilot.press(*"lease kind:d")
        await pilot.pause()
        assert "kind:document" in text_of(app).splitlines()[-3]
        await pilot.press("tab")
        await pilot.pause()
        assert prompt.text == "lease kind:document "
        await pilot.press(*"since:")
        await pilot.pause()
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        assert prompt.text == 'lease kind:document since:"last week" '
        await pilot.press(*"from:")
        await pilot.pause()
        assert not prompt.is_completing
        prompt.fill("What about the lease?")
        await pilot.press("enter")
        await settled(pilot)
        await pilot.press(*"lease from:")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert prompt.text == "lease from:Ann "
        await pilot.press(*"kin")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert not prompt.is_completing
        assert prompt.text == "lease from:Ann kin"


async def test_a_slash_does_what_keys_do_and_an_at_sign_names(config, fake_models):
    app = app_over(config, fake_models(generator=[REPLY, REPLY]))
    async with running(app, (80, 24), toasts=True) as pilot:
        prompt = chat(app).query_one(Prompt)
        await pilot.press("/")
        await pilot.pause()
        assert "Show keys and commands" in text_of(app)
        await pilot.press(*"sou", "enter")
        await until(pilot, lambda: screens(app) is SourcesScreen)
        await pilot.press("escape")
        await until(pilot, lambda: screens(app) is ChatScreen)
        assert prompt.text == ""
        await pilot.press(*"/effo", "tab")
        await pilot.pause()
        assert prompt.text == "/effort quick"
        await pilot.press("enter")
        await pilot.pause()
        assert app.current.config.values.answer.effort == "quick"
        assert "effort quick" in text_of(app).splitlines()[0]
        await pilot.press(*"/nonsense", "enter")
        await pilot.pause()
        assert prompt.text == "/nonsense"
        assert "no command /nonsense" in text_of(app)
        prompt.fill("")
        await pilot.press(*"lease @", "enter")
        await pilot.pause()
        assert prompt.text == f"lease in:{config.sources[0].name} "
        await pilot.press("enter")
        await settled(pilot)
        assert shown(app, "asked").startswith("> lease in:")


async def test_a_question_of_several_lines_and_a_paste_of_100_kb(config, fake_models):
    app = app_over(config, fake_models(generator=[REPLY]))
    async with running(app, (80, 24)) as pilot:
        prompt = chat(app).query_one(Prompt)
        await pilot.press(*"When ends", "ctrl+j", *"the lease?", "enter")
        await settled(pilot)
        assert shown(app, "asked") == "> When ends\nthe lease?"
        await pilot.press("up")
        assert prompt.text == "When ends\nthe lease?"
        await pilot.press("down", "down")
        assert prompt.text == ""
        prompt.insert("lease of the boathouse " * 4500)
        await pilot.pause()
        assert prompt.size.height == 8
        await pilot.press("enter")
        await settled(pilot)
        assert "lease of the boathouse" in shown(app, "asked")


async def test_what_changed_since_the_answer_is_told(config, fake_models):
    app = app_over(config, fake_models(generator=[REPLY]))
    async with running(app, (80, 24)) as pilot:
        await asked(pilot)
        chat(app).post_message(Replied(Changed(config.sources[0] / "new.txt")))
        await until(pilot, lambda: "Changed since: 1 file; ctrl+g" in line(app, "stages"))
        chat(app).post_message(Replied(TextKept(12_300_000)))
        await until(pilot, lambda: "12.3 MB in memory" in line(app, "title"))
        assert app.seen.changed_below(config.sources[0]) == 1


async def test_a_password_is_kept_until_it_is_forgotten(config, fake_models):
    app = app_over(config, fake_models())
    session = app._engine._memory.session
    async with running(app) as pilot:
        await pilot.press("ctrl+o")
        await pilot.press(*"secret", "enter")
        await until(pilot, lambda: session.passwords == ("secret",))
        await pilot.press("ctrl+o", *"other", "escape")
        await until(pilot, lambda: not isinstance(app.screen, PasswordScreen))
        assert session.passwords == ("secret",)
        await pilot.press("ctrl+l")
        await until(pilot, lambda: session.passwords == ())
    assert "secret" not in repr(Unlock("secret"))


async def test_the_ledger_offers_the_remedy_that_fits(source, config, fake_models):
    (source / "locked.zip").write_bytes(encrypted_zip())
    (source / "strange.bin").write_bytes(b"\x00\x01\x02" * 50)
    app = app_over(config, fake_models(generator=[REPLY]))
    async with running(app, (80, 24)) as pilot:
        await asked(pilot)
        turn(app).focus()
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, CoverageScreen))
        assert "encrypted: 1" in text_of(app)
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.screen, PasswordScreen))
        await pilot.press(*"sesame", "enter")
        await pilot.pause()
        turn(app).focus()
        await pilot.press("v", "b", "r")
        await settled(pilot)
        assert "encrypted" not in shown(app, "coverage")


def encrypted_zip() -> bytes:
    import io

    import pyzipper

    whole = io.BytesIO()
    with pyzipper.AESZipFile(whole, "w", encryption=pyzipper.WZ_AES) as archive:
        archive.setpassword(b"sesame")
        archive.writestr("note.txt", "The boathouse has a new roof.")
    return whole.getvalue()
