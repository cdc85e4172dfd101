"""`models calibrate`: a generator's confidence fitted on scripted answers, and where it goes."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from app.backend.messages import Request
from app.cli import main
from app.commands import model_calibration
from app.local_models.loader import fitted_path, fitted_weights, known_models
from app.privacy.traces import traces
from app.sources.sample_files import calibration_questions, sample_folder
from engine.answer_parts import ModelIds, Usage
from engine.confidence.calibration import DEFAULT, INTERCEPT, Calibration
from engine.evaluation.calibrate import LEAST_ANSWERS, fitted, outcome_of
from engine.evaluation.questions import Question, load_questions
from engine.events import Answered, Event
from engine.values import Answer, Coverage
from models.errors import CatalogueInvalid, ModelError
from models.store.catalogue import parse_catalogue
from models.store.fitted import Fitted, load_fitted, with_fitted, write_fitted

SHA = hashlib.sha256(b"weights").hexdigest()
OTHER_SHA = hashlib.sha256(b"others").hexdigest()
ROWS = "".join(
    f"""
[[model]]
id = "{name}"
title = "{name.capitalize()}"
roles = {roles}
format = "gguf"
file = "toy.gguf"
{bound}
licence = "Apache-2.0"
context = 4096
parameters = 1
quantisation = "Q4_0"
verified = {verified}
[[model.source]]
kind = "hub"
repo = "a/b"
{'revision = "' + "a" * 40 + '"' if verified == "true" else ""}
file = "f.gguf"
"""
    for name, roles, verified, bound in (
        ("writer", '["generator", "lookahead"]', "true", f'size = 7\nsha256 = "{SHA}"'),
        ("glancer", '["lookahead"]', "true", f'size = 7\nsha256 = "{SHA}"'),
        ("unseen", '["generator"]', "false", ""),
    )
)
QUESTIONS = {one.text: one for one in load_questions(calibration_questions())}
Reply = Callable[[Question], Answer]


def answer(text: str, signals: dict[str, float | None] | None = None, grounded: str = "grounded"):
    return Answer(
        *("q", text, grounded, (), Coverage(), None, Usage(), {}, "x", ModelIds()),
        signals=signals,
    )


def honest(question: Question) -> Answer:
    """Be right, and surer, in two of three questions with an answer; never see that none is."""
    at = list(QUESTIONS).index(question.text)
    right = not question.unanswerable and at % 3 > 0
    text = f"{question.answers[0]}. [1]" if right else "Nobody knows. [1]"
    return answer(text, {"least_likely": 2.0 * right - at % 2, "likely": None})


@pytest.fixture(autouse=True)
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = parse_catalogue(ROWS, "toy.toml")
    monkeypatch.setattr("app.local_models.loader.load_catalogue", lambda: toy)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[Reply], list[Request]]:
    def scripted(reply: Reply) -> list[Request]:
        asked: list[Request] = []

        class Client(nullcontext[Any]):
            def __enter__(self) -> Client:
                return self

            def events(self, request: Request) -> Iterator[Event]:
                asked.append(request)
                yield Answered(reply(QUESTIONS[request.question]))

        monkeypatch.setattr(model_calibration, "open_engine", lambda: None)
        monkeypatch.setattr(model_calibration, "EngineClient", Client)
        return asked

    return scripted


def calibrated(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["models", "calibrate", "writer", "--json", *options]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["calibration"]
    return found


def test_the_fit_is_written_for_the_person_alone_and_wins(script, capsys):
    asked = script(honest)
    found = calibrated(capsys)
    path = fitted_path(os.environ)
    assert found["written"] == str(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [request.question for request in asked] == list(QUESTIONS)
    for request in asked:
        assert (request.generator, request.sources) == ("writer", (sample_folder(),))
        assert request.settings is not None
        assert (request.settings.least_confidence, request.settings.effort) == (0.0, "balanced")
    assert found["questions"] == found["answers"] == len(QUESTIONS)
    assert 0 < found["right"] < 1
    assert found["after"]["calibration_error"] < found["before"]["calibration_error"]
    assert found["after"]["brier"] < found["before"]["brier"]
    assert found["weights"]["least_likely"] > 0
    scaled, by = found["weights"], DEFAULT.weights  # what is fitted is one scale and the intercept
    ratios = [one["likely"] / one["least_likely"] for one in (scaled, by)]
    assert ratios[0] == pytest.approx(ratios[1])
    own = fitted_weights(known_models(os.environ)[0].row("writer"))
    assert own is not None
    assert (own.weights, own.typical) == (found["weights"], found["typical"])
    again = calibrated(capsys)
    assert again == found  # it builds on what ships, not on itself


def test_people_read_the_figures_before_and_after(script, capsys):
    script(honest)
    assert main(["models", "calibrate", "writer"]) == 0
    out = capsys.readouterr().out
    assert f"writer: {len(QUESTIONS)} of {len(QUESTIONS)} questions were answered" in out
    for figure in ("before  after", "calibration error", "risk-coverage", "Brier score", "AUC"):
        assert figure in out
    assert f"Written to {fitted_path(os.environ)}. Answers of this model use it from now on." in out


def test_the_rows_own_weights_are_what_is_scaled(script, capsys, monkeypatch):
    table = "[model.confidence]\nintercept = 0\nheld = 1\n[model.confidence.typical]\nheld = 0.5\n"
    toy = parse_catalogue(ROWS + table, "toy.toml")
    monkeypatch.setattr("app.local_models.loader.load_catalogue", lambda: toy)
    monkeypatch.setattr(model_calibration, "refuse_unbound", lambda row: None)
    script(lambda question: answer(honest(question).text, {"held": 1.0}))
    assert main(["models", "calibrate", "unseen", "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["calibration"]
    assert found["weights"].keys() == {INTERCEPT, "held"}
    assert found["typical"] == {"held": 0.5}


def test_a_dry_run_writes_nothing_and_another_file_leaves_ones_own(script, capsys, tmp_path):
    script(honest)
    assert calibrated(capsys, "--dry-run")["written"] is None
    assert not fitted_path(os.environ).exists()
    out = tmp_path / "weights.toml"
    assert calibrated(capsys, "--out", str(out))["written"] == str(out)
    assert not fitted_path(os.environ).exists()
    assert load_fitted(out)["writer"].answers == len(QUESTIONS)


def test_weights_that_do_not_do_better_are_not_taken(script, capsys, monkeypatch, tmp_path):
    """The catalogue's are right already: log odds of 2 where 28 of 32 are, -2 where 3 of 22 are."""
    table = "[model.confidence]\nintercept = 0\nleast_likely = 1\n"
    toy = parse_catalogue(ROWS.replace("[[model.source]]", f"{table}[[model.source]]", 1), "toy")
    monkeypatch.setattr("app.local_models.loader.load_catalogue", lambda: toy)
    answerable = [one.id for one in QUESTIONS.values() if not one.unanswerable]

    def known(question: Question) -> Answer:
        if question.unanswerable:
            return answer("Nothing was found.", grounded="none")
        at = answerable.index(question.id)
        right = (at % 8 > 0) == (at < 32)
        text = question.answers[0] if right else "Nobody."
        return answer(text, {"least_likely": 2.0 if at < 32 else -2.0})

    script(known)
    assert main(["models", "calibrate", "writer"]) == 0
    assert "the weights that there are do better" in capsys.readouterr().out
    assert not fitted_path(os.environ).exists()
    out = tmp_path / "weights.toml"
    assert calibrated(capsys, "--out", str(out))["written"] == str(out)


def test_a_file_of_another_kind_is_refused_before_anything_is_asked(script, capsys, tmp_path):
    asked = script(honest)
    other = tmp_path / "letter.txt"
    other.write_text("Dear Ann,")
    assert main(["models", "calibrate", "writer", "--out", str(other)]) == 4
    assert "letter.txt" in capsys.readouterr().err
    assert not asked
    assert other.read_text() == "Dear Ann,"


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (lambda question: answer("Nothing was found.", {"likely": -1.0}, "none"), "Only 0 answers"),
        (lambda question: answer("31"), "Only 0 answers"),
        (lambda question: answer("Nobody knows.", {"likely": -1.0}), "0 of 74 answers are right"),
    ],
)
def test_too_few_answers_or_none_that_is_right_are_refused(script, capsys, reply, says):
    script(reply)
    assert main(["models", "calibrate", "writer"]) == 2
    assert says in capsys.readouterr().err
    assert not fitted_path(os.environ).exists()


def test_where_all_are_right_nothing_is_fitted(script, capsys):
    def right(question: Question) -> Answer:
        if question.unanswerable:
            return answer("Nothing was found.", grounded="none")
        return answer(question.answers[0], {"likely": -1.0})

    script(right)
    assert main(["models", "calibrate", "writer"]) == 2
    assert "54 of 54 answers are right" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model_id", "code", "says"),
    [
        ("nobody", 4, "There is no model 'nobody'"),
        ("glancer", 2, "cannot be the generator"),
        ("unseen", 4, "has not been pulled"),
    ],
)
def test_a_model_that_is_no_generator_here_is_refused(script, capsys, model_id, code, says):
    asked = script(honest)
    assert main(["models", "calibrate", model_id]) == code
    assert says in capsys.readouterr().err
    assert not asked


def test_a_servers_model_is_refused(script, capsys, monkeypatch):
    asked = script(honest)
    monkeypatch.setenv("ASKANCE_SERVER_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("ASKANCE_MODELS_RUNTIME", "server")
    assert main(["models", "calibrate", "writer"]) == 2
    assert "server's model is not calibrated" in capsys.readouterr().err
    assert not asked


def test_the_help_tells_the_number_of_questions(capsys):
    assert main(["models", "calibrate", "--help"]) == 0
    assert f"asks {len(QUESTIONS)} questions" in " ".join(capsys.readouterr().out.split())


def test_an_answer_is_right_by_its_words_and_never_where_there_is_none():
    answerable = next(one for one in QUESTIONS.values() if not one.unanswerable)
    signals: dict[str, float | None] = {"likely": -1.0, "least_likely": None}
    right = outcome_of(answerable, answer(f"{answerable.answers[0]} [1].", signals))
    assert right is not None
    assert right[1]
    assert (right[0].likely, right[0].least_likely) == (-1.0, None)
    unanswerable = next(one for one in QUESTIONS.values() if one.unanswerable)
    wrong = outcome_of(unanswerable, answer("It is 5. [1]", signals))
    assert wrong is not None
    assert not wrong[1]


def test_the_figures_after_come_from_the_other_answers():
    """Without a signal the share of right ones is fitted; without a right answer, it is less."""
    answers = [outcome_of(one, honest(one)) for one in QUESTIONS.values()]
    outcomes = [one for one in answers if one is not None][:LEAST_ANSWERS]
    blind = Calibration({INTERCEPT: 3.0})
    found = fitted(outcomes, blind)
    assert found.before.auc == 0.5
    assert found.after.auc == 0.5
    others = (found.before.right * LEAST_ANSWERS - 1) / (LEAST_ANSWERS - 1)
    others_of_wrong = found.before.right * LEAST_ANSWERS / (LEAST_ANSWERS - 1)
    share = found.before.right
    expected = share * (1 - others) ** 2 + (1 - share) * others_of_wrong**2
    assert found.after.brier == pytest.approx(expected)
    assert found.after.brier < found.before.brier
    assert found.calibration.weights.keys() == {INTERCEPT}


def test_what_was_fitted_is_among_the_traces_of_the_program():
    path = fitted_path(os.environ)
    write_fitted(path, Fitted("one", SHA, 40, {INTERCEPT: 1.0}, {}))
    path.with_name("confidence.toml.new").touch()
    found = {Path(trace.name).name for trace in traces(os.environ).found}
    assert found == {"confidence.toml", "confidence.toml.new"}


def test_fits_of_several_models_stand_side_by_side(tmp_path):
    path = tmp_path / "askance" / "confidence.toml"
    assert load_fitted(path) == {}
    one = Fitted("one", SHA, 40, {INTERCEPT: -0.5, "likely": 1e-7}, {"likely": -1.25})
    two = Fitted("two", SHA, 41, {INTERCEPT: 1.0}, {})
    for fit in (one, two, one):
        write_fitted(path, fit)
    assert load_fitted(path) == {"one": one, "two": two}


def test_a_fit_counts_for_the_file_that_it_was_made_for_alone():
    toy = parse_catalogue(ROWS, "toy.toml")
    weights = {INTERCEPT: 1.0}
    of = {sha: {"writer": Fitted("writer", sha, 40, weights, {})} for sha in (SHA, OTHER_SHA)}
    assert with_fitted(toy, of[SHA]).row("writer").confidence == weights
    assert with_fitted(toy, of[OTHER_SHA]).row("writer").confidence == {}
    assert with_fitted(toy, {"gone": Fitted("gone", SHA, 40, weights, {})}) == toy


GOOD = f"""[[model]]
id = "one"
sha256 = "{SHA}"
answers = 40
[model.confidence]
intercept = 1
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD.replace("answers", "questions"), "lacks the key 'answers'"),
        (GOOD + GOOD, "two models with the id 'one'"),
        (GOOD.replace("intercept", "held"), "lacks the key 'intercept'"),
        (GOOD.partition("[model.")[0], "lacks the key 'confidence'"),
        ("mood = 1\n" + GOOD, "not known: mood"),
    ],
)
def test_a_file_of_fits_that_is_not_as_written_is_refused(tmp_path, text, says):
    path = tmp_path / "confidence.toml"
    path.write_text(text)
    with pytest.raises(CatalogueInvalid, match=r"confidence\.toml") as caught:
        load_fitted(path)
    assert says in caught.value.message


def test_a_file_of_fits_that_cannot_be_read_or_written_says_so(tmp_path: Path):
    broken = tmp_path / "confidence.toml"
    broken.write_bytes(b"\xff")
    with pytest.raises(ModelError, match="cannot be read"):
        load_fitted(broken)
    with pytest.raises(ModelError, match="cannot be"):
        write_fitted(broken / "below.toml", Fitted("one", SHA, 40, {INTERCEPT: 1.0}, {}))
