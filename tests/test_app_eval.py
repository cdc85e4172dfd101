"""`eval`: one JSON line a question, then the summary; a run goes on where it ended."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import main
from models.roles import ModelSet
from tests.support.toy_eval import evaluated_by

ROW = {
    "id": "q1",
    "dataset": "own",
    "question": "When does the lease of the boathouse end?",
    "answers": ["31 December 2026"],
    "answers_mode": "any",
}


@pytest.fixture
def over(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("The lease of the boathouse ends on 31 December 2026.")
    return folder


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(ROW | {"id": f"q{n}"}) + "\n" for n in range(3)))
    return file


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch, fake_models: Callable[..., ModelSet]) -> None:
    said = "The lease of the boathouse ends on 31 December 2026 [1]."
    evaluated_by(monkeypatch, lambda: fake_models(generator=[said]))


def test_json_is_a_line_a_question_and_a_summary(questions, over, capsys):
    assert main(["eval", str(questions), str(over), "--limit", "2", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    *rows, last = [json.loads(line) for line in out.splitlines()]
    assert [row["id"] for row in rows] == ["q0", "q1"]
    assert all(row["schema_version"] == 1 for row in rows)
    assert last["summary"]["questions"] == 2
    assert last["summary"]["means"]


def test_a_run_goes_on_where_it_ended(questions, over, tmp_path, capsys):
    out = tmp_path / "run.jsonl"
    for limit in ("1", "3"):
        assert main(["eval", str(questions), str(over), "--limit", limit, "--out", str(out)]) == 0
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["q0", "q1", "q2"]
    assert "3 questions" in capsys.readouterr().out


def test_an_interrupted_run_keeps_its_answers_and_goes_on(
    questions, over, tmp_path, capsys, monkeypatch, fake_models
):
    said = "The lease of the boathouse ends on 31 December 2026 [1]."
    answered = []

    def reply(_prompt: str, _index: int) -> str:
        answered.append(said)
        if len(answered) == 2:
            raise KeyboardInterrupt
        return said

    evaluated_by(monkeypatch, lambda: fake_models(generator=reply))
    out = tmp_path / "run.jsonl"
    command = ["eval", str(questions), str(over), "--strategy", "vanilla", "--out", str(out)]
    assert main(command) == 130
    assert "Interrupted" in capsys.readouterr().err
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["q0"]
    out.write_text("garbage\n" + out.read_text())
    assert main(command) == 0
    assert "damaged lines left out: 1\n" in capsys.readouterr().err
    assert [json.loads(x)["id"] for x in out.read_text().splitlines()[1:]] == ["q0", "q1", "q2"]


@pytest.mark.parametrize("text", ["{", '{"id": "q1"}\n', "[]\n", ""])
def test_a_broken_file_is_usage(text, questions, over, capsys):
    questions.write_text(text)
    assert main(["eval", str(questions), str(over), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "usage"


def test_a_missing_file_is_usage(over, capsys):
    assert main(["eval", "/no/such.jsonl", str(over)]) == 2
    assert "/no/such.jsonl" in capsys.readouterr().err


def test_strategies_not_built_are_refused(questions, over, capsys):
    assert main(["eval", str(questions), str(over), "--strategy", "pairs"]) == 2
    assert "fb_rag" in capsys.readouterr().err


@pytest.mark.parametrize("mine", [[], ["mine"]])
def test_an_out_that_is_no_run_is_refused_before_anything_is_asked(
    mine, questions, over, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("app.evaluation.workers.model_set", None)
    before = questions.read_text()
    command = ["eval", *mine, str(questions), str(over), "--out"]
    assert main([*command, str(questions)]) == 2
    assert "holds no answers of an earlier run" in capsys.readouterr().err
    assert questions.read_text() == before
    assert main([*command, str(tmp_path / "no" / "r.jsonl")]) == 2
    assert f"There is no folder {tmp_path}/no" in capsys.readouterr().err


@pytest.mark.parametrize(
    "beside",
    [
        ["--strategy", "vanilla"],
        ["--strategy", "iterdrag:k={1,2},m=0"],
        ["--workers", "2"],
        ["--ray", "local"],
        ["--out", "run.jsonl"],
    ],
)
def test_what_making_examples_would_leave_undone_is_refused(
    beside, questions, over, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("app.evaluation.workers.model_set", None)
    made = ["eval", str(questions), str(over), "--make-examples", "w.jsonl"]
    assert main([*made, *beside]) == 2
    said = capsys.readouterr().err
    assert "iterdrag" in said if "--strategy" in beside else f"go with {beside[0]}" in said


def test_examples_go_to_no_file_of_anything_else(questions, over, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("app.evaluation.workers.model_set", None)
    made = ["eval", str(questions), str(over), "--make-examples"]
    assert main([*made, str(questions)]) == 2
    assert "holds no worked examples" in capsys.readouterr().err
    assert main([*made, str(tmp_path / "no" / "w.jsonl")]) == 2
    assert f"There is no folder {tmp_path}/no" in capsys.readouterr().err


def test_examples_are_made_with_the_strategy_that_is_named(
    questions, over, tmp_path, capsys, monkeypatch, fake_models
):
    asks = ["Follow up: Which one?", "Intermediate answer: That one."]
    models = fake_models(generator=[*asks, "31 December 2026"])
    evaluated_by(monkeypatch, models)
    out = tmp_path / "w.jsonl"
    made = ["eval", str(questions), str(over), "--task", "multihop", "--make-examples", str(out)]
    told = ["--strategy", "iterdrag:k=1,m=0,n=1", "--limit", "3", "--examples", "1"]
    assert main([*made, *told, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["worked_examples"] == 1
    [row] = [json.loads(line) for line in out.read_text().splitlines()]
    assert row["answer"] == "31 December 2026"
