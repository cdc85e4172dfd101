"""`eval --mine`: a person's own questions over their own files; nothing is stored unless asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import main
from app.commands.evaluation.own_questions import is_right
from engine.evaluation.questions import load_questions
from engine.evaluation.scores import answer_scores
from models.roles import ModelSet
from tests.support.toy_eval import evaluated_by

MINE = """\
- question: When does the lease of the boathouse end?
  answer: 31 December 2026
  source: A.TXT
- question: Who keeps the boathouse?
  answer: [Ann Lee, Ann]
  source: [b.txt]
- question: What does the boathouse cost?
"""


@pytest.fixture
def over(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("The lease of the boathouse ends on 31 December 2026.")
    return folder


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.yaml"
    file.write_text(MINE)
    return file


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch, fake_models: Callable[..., ModelSet]) -> None:
    def reply(prompt: str, _index: int) -> str:
        if "cost" in prompt:
            return "Not found."
        return "The lease of the boathouse ends on 31 December 2026 [1]."

    evaluated_by(monkeypatch, lambda: fake_models(generator=reply))


def test_each_question_is_right_or_wrong_and_nothing_is_stored(mine, over, tmp_path, capsys):
    before = sorted(tmp_path.rglob("*"))
    assert main(["eval", "--mine", str(mine), str(over), "--strategy", "vanilla"]) == 0
    out = capsys.readouterr().out
    assert "right  When does the lease of the boathouse end?\n" in out
    assert "WRONG  Who keeps the boathouse?\n       expected: Ann Lee; Ann\n" in out
    assert "does not cite b.txt" in out
    assert "right  What does the boathouse cost?\n" in out
    assert "vanilla, 3 questions: right words 50% of 2, expected sources cited 50% of 2" in out
    assert "rightly abstained 100% of 1" in out
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("December", False),
        ("31 December 2026", True),
        ("word " * 60 + "31 December 2026", True),
        ("31 December 2027", False),
    ],
)
def test_all_of_the_expected_answer_makes_a_right_one(mine, said, right) -> None:
    question = next(load_questions(mine))
    assert is_right({"scores": answer_scores(question, said)}) is right


def test_rows_are_kept_where_asked_and_a_run_goes_on(mine, over, tmp_path, capsys):
    out = tmp_path / "run.jsonl"
    command = ["eval", "--mine", str(mine), str(over), "--out", str(out), "--json"]
    assert main([*command, "--strategy", "vanilla"]) == 0
    *rows, last = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["scores"]["substring"] for row in rows[:2]] == [1.0, 0.0]
    assert [row["right"] for row in rows[:2]] == [True, False]
    assert last["summary"]["questions"] == 3
    assert len(out.read_text().splitlines()) == 3
    assert main([*command, "--strategy", "vanilla"]) == 0
    assert len(out.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("question: when?", "a list of questions"),
        ("- answer: x", 'line 1: "question" is missing'),
        ("- question: a\n- question: b\n  anwser: c", 'line 3: "anwser" is unknown'),
        ("- question: a\n  answer: {b: c}", 'line 2: "answer" is neither'),
        ("- question: a\n  all: perhaps", '"all" is neither true nor false'),
        ("- question: [a", "is not YAML"),
        ("- question: a\n  answer: b\n  answer: c", 'line 3: "answer" is there twice'),
        ("[" * 9999, "without end"),
        ("- just words", 'line 1: "question: …" is expected'),
        ("[]", "no question is left"),
        ("- question: é", "is not UTF-8"),
    ],
)
def test_a_wrong_entry_is_named_with_its_line(text, said, mine, over, capsys):
    mine.write_bytes(text.encode("latin-1" if "é" in text else "utf-8"))
    assert main(["eval", "--mine", str(mine), str(over)]) == 2
    assert said in capsys.readouterr().err


def test_words_are_taken_as_they_are_typed(mine, over, capsys):
    mine.write_text(
        "- question: Is the boathouse let?\n  answer: yes\n- question: Until?\n  answer: 2026\n"
    )
    assert main(["eval", "mine", str(mine), str(over), "--strategy", "vanilla"]) == 0
    out = capsys.readouterr().out
    assert "expected: yes" in out
    assert "right  Until?" in out


def test_no_source_and_no_file_are_said(mine, over, capsys):
    assert main(["eval", "--mine", str(mine)]) == 2
    assert "nothing to read" in capsys.readouterr().err
    assert main(["eval", "--mine", "/no/such.yaml", str(over)]) == 2
    assert "/no/such.yaml" in capsys.readouterr().err
    assert main(["eval", "--mine"]) == 2
