"""Worked examples: made of solved questions, kept, and never of a question that is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.errors import DataError
from engine.evaluation.choice import Choice
from engine.evaluation.questions import Question, load_questions
from engine.evaluation.runner import Scored, evaluate, solve
from engine.evaluation.worked_examples import refuse_no_examples, worked_examples
from engine.prompts.examples import Example
from engine.settings import Settings
from models.errors import ContextExceeded
from models.protocols import GenerationRequest, Piece
from models.roles import ModelSet

SOLVED = [
    "Follow up: Which lease?",
    "Intermediate answer: the boathouse's",
    "So the final answer is: x",
    "June",
]
SOLVER = Settings(strategy="iterdrag:k=1,m=0")
ASKED = "When does the lease end?"


@pytest.fixture
def lease(tmp_path: Path) -> Path:
    """Questions with their corpus; the fake gets the second one wrong."""
    (tmp_path / "notes.txt").write_text("The lease of the boathouse ends in June.\n")
    rows = [
        {"id": "a", "question": ASKED, "answers": ["June"]},
        {"id": "b", "question": "Who holds the lease?", "answers": ["Kim"]},
        {"id": "c", "question": "In which month does the lease end?", "answers": ["June"]},
    ]
    file = tmp_path / "questions.jsonl"
    row = {"corpus": "notes.txt", "dataset": "hotpotqa"}
    file.write_text("".join(json.dumps(one | row) + "\n" for one in rows))
    return file


def written(folder: Path, *examples: tuple[str, str]) -> Path:
    """Write worked examples of these ids and questions."""
    file = folder / "worked.jsonl"
    rest = {"answer": "x", "documents": ["D"], "steps": []}
    rows = [{"id": known, "question": text} | rest for known, text in examples]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def questions(file: Path) -> list[Question]:
    return list(load_questions(file))


def test_solved_questions_become_worked_examples(
    lease: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    out = tmp_path / "worked.jsonl"
    rows = list(solve(lease, [], fake_models(SOLVED), SOLVER, Choice(limit=2), out))
    assert [(of, row is not None) for of, row in rows] == [(2, True), (2, False)]
    kept, wrong = map(json.loads, out.read_text().splitlines())
    assert kept["steps"] == [["Which lease?", "the boathouse's"]]
    assert kept["documents"] == ["notes.txt\nThe lease of the boathouse ends in June."]
    assert wrong == {"id": "b", "solved": False}
    assert worked_examples(out, questions(lease)[1:]) == (Example.of(kept),)


def test_neither_right_nor_wrong_ones_are_asked_again(
    lease: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    out = tmp_path / "worked.jsonl"
    first = list(solve(lease, [], fake_models(SOLVED), SOLVER, Choice(limit=2), out))
    models = fake_models(["never"])
    again = list(solve(lease, [], models, SOLVER, Choice(limit=2), out))
    assert json.dumps(again) == json.dumps(first)
    assert models.generator.prompts == []  # type: ignore[attr-defined]


def test_as_many_as_are_wanted_are_enough(
    lease: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    out = tmp_path / "worked.jsonl"
    rows = solve(lease, [], fake_models(SOLVED), SOLVER, Choice(examples=1), out)
    assert len(list(rows)) == 1


def test_what_was_answered_at_once_shows_no_follow_up_question(
    lease: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    out = tmp_path / "worked.jsonl"
    models = fake_models(["So the final answer is: x", "June"])
    assert list(solve(lease, [], models, SOLVER, Choice(limit=1), out)) == [(1, None)]


def test_an_example_keeps_more_passages_than_it_was_solved_with(
    lease: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    """A prompt may show more: behind those that were read stand the best of the others."""
    texts = ["The lease of the boathouse ends.", "A lease is long.", "No lease here."]
    lines = [json.dumps({"title": f"{i}", "text": text}) for i, text in enumerate(texts)]
    (tmp_path / "notes.jsonl").write_text("\n".join(lines))
    out = tmp_path / "worked.jsonl"
    models = fake_models(SOLVED)
    list(solve(lease, [tmp_path / "notes.jsonl"], models, SOLVER, Choice(limit=1), out))
    documents = json.loads(out.read_text())["documents"]
    assert len(documents) == 3
    assert texts[0] in documents[0]


class Small:
    """A model that has no room for the second question."""

    def __init__(self, plain: Any) -> None:
        self._plain = plain

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plain, name)

    def sample(self, request: GenerationRequest) -> Iterator[Piece]:
        if any("Who holds" in prompt for prompt in request.prompts):
            raise ContextExceeded("too long", remedy="Ask less.")
        pieces: Iterator[Piece] = self._plain.sample(request)
        return pieces


def test_a_question_that_does_not_fit_ends_no_run(
    lease: Path, tmp_path: Path, fake_generator: Any
) -> None:
    models = {"l": fake_generator("l"), "g": Small(fake_generator("g", replying))}
    made = ModelSet("l", "g", models.__getitem__)
    rows = list(solve(lease, [], made, SOLVER, Choice(), tmp_path / "worked.jsonl"))
    assert [row is not None for _, row in rows] == [True, False, True]


def replying(prompt: str, _: int) -> str:
    """Ask one follow-up question and answer both."""
    if prompt.endswith("Follow up: Which lease?\n"):
        return "Intermediate answer: the boathouse's"
    asked = "Follow up: Which lease?" in prompt
    return "So the final answer is: June" if asked else "Follow up: Which lease?"


def test_a_line_that_is_no_example_is_named(tmp_path: Path) -> None:
    file = tmp_path / "worked.jsonl"
    file.write_text('{"id": "a", "question": "q", "answer": "x"}\n{"id": "b"}\n')
    with pytest.raises(DataError, match="line 2: not a worked example"):
        worked_examples(file, [])


@pytest.mark.parametrize("example", [("a", "Other?"), ("other", "when DOES the lease  end")])
def test_no_example_is_a_question_that_is_asked(
    example: tuple[str, str], lease: Path, tmp_path: Path
) -> None:
    """Known by its id, or by its words in whatever file it stands."""
    file = written(tmp_path, example, ("x", "Old?"))
    asked = questions(lease)[:1]
    assert [one.question for one in worked_examples(file, asked)] == ["Old?"]
    with pytest.raises(DataError, match="every one of its questions is asked"):
        worked_examples(written(tmp_path, example), asked)


def test_solved_questions_of_the_same_words_are_no_examples(
    lease: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    row = json.loads(lease.read_text().splitlines()[0])
    with lease.open("a") as file:
        file.write(json.dumps(row | {"id": "d"}) + "\n")
    models = fake_models(["June"])
    arms = [Settings(strategy="many_shot:examples=1")]
    list(evaluate(lease, [], models, arms, Choice(limit=1, examples=1)))
    [prompt] = models.generator.prompts  # type: ignore[attr-defined]
    assert prompt.count(ASKED) == 1
    assert "In which month" in prompt


def test_fewer_examples_than_are_wanted_are_refused(
    lease: Path, fake_models: Callable[..., ModelSet]
) -> None:
    steps = evaluate(lease, [], fake_models(), [Settings()], Choice(limit=2, examples=3))
    with pytest.raises(DataError, match="3 solved questions are wanted as examples, and 1 are"):
        next(steps)


def test_a_file_that_holds_no_examples_is_not_written_to(lease: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no worked examples"):
        refuse_no_examples(lease)
    with pytest.raises(DataError, match="There is no folder"):
        refuse_no_examples(tmp_path / "no" / "worked.jsonl")
    refuse_no_examples(written(tmp_path, ("a", "Q?")))


DRAG = [Settings(strategy="drag:k=1,m=1")]


def run(
    file: Path, models: ModelSet, choice: Choice, out: Path | None = None
) -> tuple[list[Scored], list[str]]:
    """Return the answers, and the prompts that were asked for them."""
    scored = [
        one for one in evaluate(file, [], models, DRAG, choice, out) if isinstance(one, Scored)
    ]
    return scored, models.generator.prompts  # type: ignore[attr-defined]


def test_rows_of_other_examples_are_asked_again(
    lease: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    """The file of the examples has the same name and other content."""
    out = tmp_path / "run.jsonl"
    choice = Choice(limit=2, worked=written(tmp_path, ("x", "Old?")))
    assert all("Old?" in prompt for prompt in run(lease, fake_models(), choice, out)[1])
    assert run(lease, fake_models(), choice, out)[1] == []
    written(tmp_path, ("y", "New?"))
    prompts = run(lease, fake_models(), choice, out)[1]
    assert len(prompts) == 2
    assert all("New?" in prompt for prompt in prompts)
