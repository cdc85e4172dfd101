"""The screen, driven by Textual's pilot: real engine, real files, scripted models."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from app.config import Config, load_config
from app.errors import SettingWrong
from app.screens.askance import AskanceApp
from app.screens.asking import Asker
from app.screens.preview import PreviewScreen
from app.screens.question import QuestionScreen
from engine.answer import answer
from engine.events import Event, Token
from engine.memory import Memory
from engine.settings import Settings
from models.errors import ModelMissing
from models.protocols import Piece
from models.roles import ModelSet

QUESTION = "When does the lease of the boathouse end?"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "lease.txt").write_text(
        "About the house\n\nThe lease of the boathouse [bold]ends[/bold] on 31 December 2026.\n"
    )
    return folder


@pytest.fixture
def config(source: Path) -> Config:
    return load_config({"ASKANCE_SOURCES_PATHS": str(source)})


def asker_over(config: Config, models: ModelSet) -> Asker:
    def answers(question: str, models: ModelSet, infer: bool) -> Iterator[Event]:
        return answer(question, config.sources, models, Settings(infer=infer))

    return Asker(lambda show: models, answers)


def shown(app: AskanceApp, name: str) -> str:
    return str(app.screen.query_one(f"#{name}", Static).visual)


async def typed(pilot: Pilot[None], question: str) -> None:
    app = pilot.app
    app.screen.query_one("#prompt", Input).value = question
    await pilot.press("enter")


async def settled(pilot: Pilot[None]) -> None:
    for _ in range(200):
        await pilot.pause(0.02)
        screen = pilot.app.screen
        if isinstance(screen, QuestionScreen) and not screen.busy:
            return
    raise AssertionError("still answering")


async def test_answer_citations_and_coverage(config, fake_models):
    models = fake_models(generator=["The lease ends on 31 December 2026 [1]."])
    app = AskanceApp(config, asker_over(config, models))
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, QUESTION)
        await settled(pilot)
        assert shown(app, "asked") == QUESTION
        assert "31 December 2026. [1]" in shown(app, "answer")
        assert shown(app, "grounded").startswith("grounded")
        assert shown(app, "coverage").startswith("Read 1 document")
        assert shown(app, "progress").startswith("Took")
        assert app.screen.query_one("#citations", OptionList).option_count >= 1
        assert app.screen.query_one("#prompt", Input).has_focus


async def test_enter_on_a_citation_shows_the_source_as_plain_text(config, fake_models):
    models = fake_models(generator=["The lease ends on 31 December 2026 [1]."])
    app = AskanceApp(config, asker_over(config, models))
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, QUESTION)
        await settled(pilot)
        app.screen.query_one("#citations", OptionList).focus()
        await pilot.press("home", "enter")
        await pilot.pause()
        assert isinstance(app.screen, PreviewScreen)
        text = shown(app, "before") + shown(app, "from-quote")
        assert "[bold]ends[/bold]" in text
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, QuestionScreen)


async def test_escape_cancels_and_the_next_question_works(config, fake_models):
    models = fake_models()
    release = threading.Event()
    closed: list[bool] = []

    def slowly(question: str, models: ModelSet, infer: bool) -> Iterator[Event]:
        try:
            for _ in range(500):
                yield Token("word ")
                release.wait(0.02)
        finally:
            closed.append(True)

    app = AskanceApp(config, Asker(lambda show: models, slowly))
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, QUESTION)
        await pilot.pause(0.1)
        assert app.screen.query_one("#answer").has_class("draft")
        await typed(pilot, "Another?")
        await pilot.press("escape")
        await settled(pilot)
        assert closed == [True]
        assert "Cancelled" in shown(app, "progress")
        assert "not checked" in shown(app, "grounded")
        await typed(pilot, "And now?")
        await pilot.pause(0.1)
        assert shown(app, "asked") == "And now?"
        await pilot.press("escape")
        await settled(pilot)


async def test_errors_are_shown_with_their_remedy(config):
    def missing(show: Callable[[str], object]) -> ModelSet:
        raise ModelMissing("The model is not here.", remedy="Run `askance models pull`.")

    app = AskanceApp(config, Asker(missing, lambda q, m, infer: iter(())))
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, QUESTION)
        await settled(pilot)
        assert shown(app, "answer") == "The model is not here."
        assert shown(app, "grounded") == "Run `askance models pull`."


async def test_quit_while_answering_ends_the_thread(config, fake_models):
    ended = threading.Event()

    def slowly(question: str, models: ModelSet, infer: bool) -> Iterator[Event]:
        try:
            while True:
                yield Token("word ")
                threading.Event().wait(0.01)
        finally:
            ended.set()

    app = AskanceApp(config, Asker(lambda show: fake_models(), slowly))
    async with app.run_test() as pilot:
        await typed(pilot, QUESTION)
        await pilot.pause(0.05)
        await pilot.press("ctrl+q")
    assert ended.wait(2)


async def test_first_screen_says_what_to_do_without_sources(fake_models):
    config = load_config({})
    app = AskanceApp(config, asker_over(config, fake_models()))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "askance sources add PATH" in shown(app, "answer")
        await pilot.press("f1")
        await pilot.pause()
        assert app.screen.query("HelpPanel")
        await pilot.press("f1")
        await pilot.pause()
        assert not app.screen.query("HelpPanel")


@pytest.mark.parametrize("variable", [{"ASKANCE_INTERFACE_THEME": "no such theme"}])
def test_unknown_theme_is_refused(variable, fake_models):
    config = load_config(variable)
    with pytest.raises(SettingWrong, match="no such theme"):
        AskanceApp(config, asker_over(config, fake_models()))


async def test_escape_stops_a_model_between_two_tokens(config, fake_models, fake_generator):
    class Endless(fake_generator):
        closed_early = False

        def sample(self, prompt, **options):
            try:
                while True:
                    threading.Event().wait(0.01)
                    yield Piece(0, "word ")
            finally:
                self.closed_early = True

    endless = Endless()
    models = ModelSet("small", "large", lambda model_id: endless)
    app = AskanceApp(config, asker_over(config, models))
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, QUESTION)
        while shown(app, "progress").split(" ")[0] != "Looking":
            await pilot.pause(0.02)
        await pilot.press("escape")
        await settled(pilot)
        assert "Cancelled" in shown(app, "progress")
        assert endless.closed_early


async def test_a_defect_shows_no_values(config, fake_models):
    app = AskanceApp(config, asker_over(config, fake_models()))
    async with app.run_test(size=(80, 24)):
        try:
            mail = "the secret of the mail"
            raise RuntimeError(len(mail))
        except RuntimeError:
            app._fatal_error()
        shown = "".join(str(renderable) for renderable in app._exit_renderables)
    assert "RuntimeError" in shown
    assert "secret of the mail" not in shown.replace('mail = "the secret of the mail"', "")


async def test_inferred_filters_are_shown_and_a_key_asks_without_them(source, config, fake_models):
    (source / "ann.eml").write_text(
        "From: Ann <ann@x.example>\nDate: Tue, 17 Nov 2026 10:00:00 +0000\nSubject: lease\n\n"
        "The lease of the boathouse ends soon.\n"
    )
    app = AskanceApp(config, asker_over(config, fake_models(generator=["It ends soon [1]."])))
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "What does the mail from ann@x.example say about the lease?")
        await settled(pilot)
        assert shown(app, "filters").startswith("Filters (inferred): from ann@x.example; ctrl+n")
        assert shown(app, "coverage").startswith("Read 1 mail (")
        await pilot.press("ctrl+n")
        await settled(pilot)
        assert shown(app, "filters") == ""
        assert shown(app, "coverage").startswith("Read 1 mail, 1 document (")
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert not app.screen.busy


async def test_typed_filters_are_shown(source, config, fake_models):
    app = AskanceApp(config, asker_over(config, fake_models()))
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "When does the lease end? kind:document -zeppelin")
        await settled(pilot)
        assert shown(app, "filters") == 'Filters: kind document, without "zeppelin"'
        assert shown(app, "coverage").startswith("Read 1 document (")


async def test_what_changed_since_the_answer_is_told_and_asked_again(config, fake_models):
    models = fake_models(generator=["The lease ends on 31 December 2026 [1]."] * 2)
    app = AskanceApp(config, asker_over(config, models))
    async with app.run_test() as pilot:
        await typed(pilot, QUESTION)
        await settled(pilot)
        screen = app.screen
        assert isinstance(screen, QuestionScreen)
        screen._note_change(config.sources[0] / "new.txt")
        screen._tick()
        assert "Changed since: 1 file; ctrl+r" in shown(app, "progress")
        await pilot.press("ctrl+r")
        await settled(pilot)
        assert shown(app, "asked") == QUESTION
        assert shown(app, "progress").startswith("Took")


async def test_a_password_is_kept_until_it_is_forgotten(config, fake_models):
    memory = Memory()
    app = AskanceApp(config, asker_over(config, fake_models()), memory)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+o")
        await pilot.press(*"secret", "enter")
        await pilot.pause()
        assert memory.session.passwords == ("secret",)
        await pilot.press("ctrl+l")
        assert memory.session.passwords == ()


async def test_escape_leaves_the_password_out(config, fake_models):
    memory = Memory()
    app = AskanceApp(config, asker_over(config, fake_models()), memory)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+o")
        await pilot.press(*"secret", "escape")
        await pilot.pause()
        assert isinstance(app.screen, QuestionScreen)
        assert memory.session.passwords == ()
