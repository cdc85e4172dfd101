"""How sure an answer is, wherever it is shown, printed, kept or exported."""

from __future__ import annotations

import io
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.backend.messages import Happened
from app.backend.pipes import Sender, received
from app.cli import main
from app.history.conversations import open_history
from app.history.creation import begin_history
from app.history.export.formats import (
    conversation_object,
    conversation_of,
    markdown,
    read_conversation,
)
from app.history.printout import turn_text
from app.history.storage import key as history_key
from app.history.storage.files import HistoryFiles
from app.output.certainty import shown_reasons
from app.output.objects import answer_object
from app.output.report import JUDGED_BY, NEAREST, answer_text, citation_line
from app.output.trail import Trail
from app.plain_loop import PlainLoop, Terminal
from app.screens.answers.comparison import CompareScreen
from app.screens.app import AskanceApp
from app.settings.current import Current
from app.widgets.answer.mark import MARKS
from app.widgets.conversation.past_turn import Past, PastTurn
from app.widgets.conversation.turn import Told
from engine.conversation import Conversation
from engine.events import Answered, Provisional
from engine.values import Answer, Argument
from tests.support.screen_text import text_of
from tests.support.toy_chat import asked, config_over, running, shown, turn, until
from tests.support.toy_talk import Reciter, answer_to

QUESTION = "When does it land?"
FOR = "the source holds it word for word"
AGAINST = "a second reading gives another \x1b[2Janswer"
SURE = replace(answer_to(QUESTION, "In May [1]."), certainty="sure", confidence=0.91)
UNSURE = replace(
    SURE,
    certainty="unsure",
    confidence=0.46,
    reasons=(Argument(AGAINST, speaks_for=False), Argument(FOR, speaks_for=True)),
)
NONE = replace(
    answer_to(QUESTION, "I found nothing in what was read that answers this."),
    grounded="none",
    certainty="none",
    confidence=0.1,
    reasons=UNSURE.reasons,
    citations=(),
)
HEADING = "Unsure (0.46 likely right): check it against its sources."
PLUS = f"+ {FOR}"
FURTHER = "f looks further: it asks again at thorough effort."
MINUS = "- a second reading gives another �[2Janswer"
MEMBERS = {
    "certainty": "unsure",
    "confidence": 0.46,
    "reasons": {"for": [FOR], "against": [AGAINST]},
}


def said_in_lines(answer: Answer, *lines: str) -> list[str]:
    """Return what `--plain` says of a question, and of further lines."""
    said: list[str] = []
    terminal = Terminal(said.append, lambda prompt: "", lambda words: 0)
    current = Current(config_over(Path("/note.txt")))
    PlainLoop(Reciter(Answered(answer)), current, terminal).run(iter([QUESTION, *lines]))
    return said


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Ask, and get this answer; return the exit code and what was printed."""

    def told(answer: Answer, *flags: str) -> tuple[int, str]:
        monkeypatch.setattr("app.commands.ask.open_engine", lambda: Reciter(Answered(answer)))
        code = main(["ask", QUESTION, str(tmp_path), *flags])
        return code, capsys.readouterr().out

    return told


def test_an_unsure_answer_is_marked_and_says_why() -> None:
    text = answer_text(UNSURE, None).splitlines()
    assert text[:6] == [HEADING, "In May [1].", "", f"  {PLUS}", f"  {MINUS}", ""]


def test_a_yes_of_the_models_own_is_above_what_it_was_judged_by(ask: Any) -> None:
    [citation] = UNSURE.citations
    nearest = (replace(citation, support=False),)
    own = replace(UNSURE, text="Yes, it lands in May.", grounded="partial", citations=nearest)
    text = answer_text(own, None).splitlines()
    assert text[1] == "Yes, it lands in May."
    assert text[6:8] == [JUDGED_BY, f"[1] {citation_line(citation, None)}"]
    assert NEAREST not in text
    code, printed = ask(own, "--json")
    assert code == 0
    assert [one["support"] for one in json.loads(printed)["citations"]] == [False]


def test_without_a_probability_the_mark_stands_alone() -> None:
    text = answer_text(replace(UNSURE, confidence=None), None)
    assert text.startswith("Unsure: check it against its sources.\n")


@pytest.mark.parametrize("answer", [replace(SURE, reasons=UNSURE.reasons), NONE])
def test_other_answers_are_shown_without_a_mark_and_without_reasons(answer: Answer) -> None:
    text = answer_text(answer, None)
    assert text.startswith(answer.text)
    assert "nsure" not in text
    assert FOR not in text


@pytest.mark.parametrize(("certainty", "said"), [("sure", ["compared: A: 1; B: 2"]), ("none", [])])
def test_what_was_compared_is_shown_with_a_sure_answer_too(certainty, said) -> None:
    compared = Argument("compared: A: 1;\nB: 2", speaks_for=True)
    answer = replace(SURE, certainty=certainty, reasons=(compared, *UNSURE.reasons))
    assert shown_reasons(answer) == said
    assert ("  compared: A: 1; B: 2\n" in answer_text(answer, None)) is bool(said)


@pytest.mark.parametrize("answer", [SURE, UNSURE, NONE])
def test_explain_says_how_sure_every_answer_is_and_why(answer: Answer) -> None:
    shown = Trail().text(answer).splitlines()
    place = shown.index(f"  certainty: {answer.certainty}, {answer.confidence:.2f} likely right")
    reasons = [f"    {PLUS}", f"    {MINUS}"] if answer.reasons else []
    assert shown[place + 1 :][: len(reasons)] == reasons


def test_a_computed_answer_is_sure_without_a_number() -> None:
    assert "  certainty: sure" in Trail().text(replace(SURE, confidence=None)).splitlines()


def test_those_who_hear_it_hear_words_for_signs() -> None:
    said = said_in_lines(UNSURE, "/why")
    assert said.index(HEADING) < said.index("In May [1].")
    assert said.count(f"For: {FOR}") == 2
    assert said.count("Against: a second reading gives another �[2Janswer") == 2
    assert not any(line.startswith(("+", "-")) for line in said)


@pytest.mark.parametrize(
    ("answer", "code"), [(SURE, 0), (UNSURE, 0), (NONE, 3)], ids=["sure", "unsure", "none"]
)
def test_ask_ends_with_3_only_without_an_answer(ask: Any, answer: Answer, code: int) -> None:
    assert ask(answer)[0] == code
    ended, out = ask(answer, "--json")
    assert (ended, json.loads(out)["certainty"]) == (code, answer.certainty)


def test_ask_marks_an_unsure_answer_and_explains_it(ask: Any) -> None:
    out = ask(UNSURE, "--explain")[1]
    assert out.startswith(f"{HEADING}\nIn May [1].\n")
    assert out.count(PLUS) == 2


def test_json_says_how_sure_it_is_and_why(ask: Any) -> None:
    found = json.loads(ask(UNSURE, "--json")[1])
    assert MEMBERS.items() <= found.items()
    assert found["grounded"] == "grounded"
    assert answer_object(SURE)["reasons"] == {"for": [], "against": []}


def test_strict_reaches_the_engine_with_every_strategy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    engine = Reciter(Answered(SURE))
    monkeypatch.setattr("app.commands.ask.open_engine", lambda: engine)
    assert main(["ask", QUESTION, str(tmp_path), "--strict", "--strategy", "vanilla"]) == 0
    assert engine.asked[0].settings is not None
    assert engine.asked[0].settings.strict


def test_it_comes_through_the_pipes() -> None:
    stream = io.BytesIO()
    events = [Provisional("In May.", 0.46), Answered(UNSURE)]
    for event in events:
        Sender(stream).send(Happened(1, event))
    stream.seek(0)
    assert [reply.event for reply in received(stream)] == events


def test_an_export_keeps_it_and_shows_it() -> None:
    talk = Conversation().answered(UNSURE)
    found = conversation_object(talk)
    [kept] = found["turns"]  # type: ignore[misc]
    assert MEMBERS.items() <= kept.items()
    again = conversation_of(json.loads(json.dumps(found))).turns[0]
    assert (again.certainty, again.confidence) == ("unsure", 0.46)
    assert set(again.reasons) == set(UNSURE.reasons)
    page = markdown(talk)
    assert f"*{HEADING}*" in page
    assert f"- For: {FOR}\n- Against: a second reading" in page
    assert "Unsure" not in markdown(Conversation().answered(SURE))


def test_an_export_that_says_nonsense_of_it_is_refused() -> None:
    found = json.loads(json.dumps(conversation_object(Conversation().answered(UNSURE))))
    found["turns"][0]["certainty"] = "quite"
    with pytest.raises(ValueError, match="quite"):
        conversation_of(found)


def test_what_ask_printed_is_followed_up_as_unsure(tmp_path: Path, ask: Any) -> None:
    path = tmp_path / "answer.json"
    path.write_text(ask(UNSURE, "--json")[1])
    assert read_conversation(path).turns[0].certainty == "unsure"


def test_what_older_versions_exported_does_not_say() -> None:
    for path in (Path(__file__).parent / "config_versions").glob("0.1.0/*.json"):
        for one in read_conversation(path).turns:
            assert (one.certainty, one.confidence, one.reasons) == (None, None, ())
            assert "nsure" not in turn_text(one, "")


def test_the_history_keeps_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(history_key.SCRYPT, "n", 1 << 10)
    files, passphrase = HistoryFiles.of(os.environ), "correct horse battery"
    with begin_history(files, lambda prompt: passphrase) as history:
        kept = history.keep(Conversation().answered(UNSURE))
        longer = history.keep(kept.answered(SURE))
    assert longer.id == kept.id
    with open_history(files, lambda prompt: passphrase) as history:
        turns = history.conversation(kept.id).turns
    assert [one.certainty for one in turns] == ["unsure", "sure"]
    shown = turn_text(turns[0], "").splitlines()
    assert shown.index(HEADING) + 1 == shown.index("In May [1].")
    assert f"  {PLUS}" in shown


@pytest.mark.parametrize(
    ("answer", "marked"),
    [(SURE, "✓ Sure (0.91 likely right)"), (UNSURE, f"? {HEADING}"), (NONE, "✗ No answer")],
    ids=["sure", "unsure", "none"],
)
async def test_the_screen_marks_an_answer_by_a_sign_a_word_and_a_colour(answer, marked) -> None:
    app = AskanceApp(config_over(Path("/note.txt")), Reciter(Answered(answer)))
    async with running(app) as pilot:
        await asked(pilot, QUESTION)
        assert shown(app, "mark") == marked
        lines = text_of(app).splitlines()
        place = next(place for place, line in enumerate(lines) if marked in line)
        assert answer.text in lines[place + 2]
        reasons = [PLUS, MINUS] if answer is UNSURE else []
        further = [FURTHER] if answer is NONE else []
        why = shown(app, "grounded").splitlines()
        assert (why[: len(reasons)], why[len(reasons) + 1 :]) == (reasons, further)
        past = turn(app).folded()
        assert (past.mark.plain, past.reasons) == (marked, reasons)


def test_no_two_certainties_share_a_sign_a_word_or_a_colour() -> None:
    assert [len(set(column)) for column in zip(*MARKS.values(), strict=True)] == [3, 3, 3]
    assert {judged.certainty for judged in (SURE, UNSURE, NONE)} == set(MARKS)


async def test_answers_of_earlier_and_those_compared_are_marked() -> None:
    app = AskanceApp(config_over(Path("/note.txt")), Reciter(Answered(SURE)))
    talk = Conversation().answered(UNSURE)
    async with running(app) as pilot:
        drawn = PastTurn(Past.kept(talk, talk.turns[0], None)).render().plain.splitlines()
        assert drawn[1:5] == [f"? {HEADING}", "In May [1].", PLUS, MINUS]
        await asked(pilot, QUESTION)
        other = Told(turn(app).request)
        other.note(Answered(UNSURE))
        app.push_screen(CompareScreen(turn(app).told, other, None))
        await until(pilot, lambda: HEADING[:20] in text_of(app))
        assert PLUS[:20] in text_of(app)
