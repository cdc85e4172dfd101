"""Scores on worked examples, gold evidence in its four shapes, and runs that resume."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine import answer as path_of_a_question
from engine.allocation import Allocation
from engine.errors import DataError, NoSources
from engine.evaluation import metrics
from engine.evaluation.choice import Choice
from engine.evaluation.provenance import DataDiffers, refuse_to_compare
from engine.evaluation.questions import Support, load_questions
from engine.evaluation.runner import Scored, evaluate
from engine.evaluation.runs import RunSummary, read_run
from engine.settings import Budget, Settings
from engine.values import Citation
from models.roles import ModelSet
from tests.support.builders import passage


def test_normalisation_and_f1_follow_squad() -> None:
    assert metrics.normalise("The  Eiffel-Tower, a Tower!") == "eiffeltower tower"
    assert metrics.exact_match("the cat.", ["Cat"]) == 1
    # 2 common tokens of 3 predicted and 4 gold: 2 * (2/3 * 2/4) / (2/3 + 2/4)
    assert metrics.token_f1("big red cat", ["big red old dog"]) == pytest.approx(4 / 7)
    assert metrics.token_f1("dog", ["cat"]) == 0
    assert metrics.accuracy("It was Ann Lee who came", ["ann lee"]) == 1
    assert metrics.accuracy("Ann", ["Ann Lee"]) == 0


@pytest.mark.parametrize(
    ("prediction", "gold", "right"),
    [
        ("It ends on 30 June 2027.", "30 June 2027", 1),
        ("Brad McSherry", "Mr Brad McSherry of Enron", 1),
        ("", "anything", 0),
        ("on", "on Monday", 0),  # two characters, and not all of the gold
        ("no", "no", 1),
        ("cat", "concatenate", 0),  # not whole tokens
        ("word " * 50 + "gold", "gold", 0),  # beyond 40 tokens
    ],
)
def test_substring_match(prediction: str, gold: str, right: int) -> None:
    assert metrics.substring_match(prediction, [gold]) == right


def test_support_in_its_four_shapes() -> None:
    assert Support("T", lines=(4,)).held_by(passage(title="T", line=5))
    assert not Support("T", lines=(4,)).held_by(passage(title="T", line=4))
    assert Support("T", lines=(1, 4)).held_by(passage(line=2))
    assert Support("S", turn="D2:7").held_by(passage("D2:7 Hello", title="S"))
    assert not Support("S", turn="D2:7").held_by(passage("D2:8 Hello", title="S"))
    assert Support(message_id="<1@x>").held_by(passage(message_id="<1@x>"))
    assert Support("1.eml <1@x>", lines=(0,)).held_by(passage(message_id="<1@x>"))
    assert not Support("1.eml <1@x>", lines=(0,)).held_by(passage(message_id="<2@x>"))


def test_recall_and_citation_scores() -> None:
    support = [Support("T", lines=(0,)), Support("T", lines=(2,))]
    ranked = [passage(line=1), passage(line=2), passage(line=3)]
    assert metrics.recall_at(ranked, support, 2) == 0.5
    assert metrics.recall_at(ranked, support, 3) == 1
    cited = [
        Citation(1, ranked[0], 0, 4, "model", True),
        Citation(2, ranked[1], 0, 4, "model", True),
    ]
    assert metrics.citation_scores(cited, support) == (0.5, 0.5)
    assert metrics.citation_scores([], support) == (None, 0)


def test_ndcg_by_hand() -> None:
    support = [Support("T", lines=(0,)), Support("T", lines=(2,))]
    ranked = [passage(line=3), passage(line=9), passage(line=3), passage(line=1)]
    # gains at ranks 1 and 4, of an ideal 1 and 2; the second passage of line 3 brings nothing new
    wanted = (1 + 1 / math.log2(5)) / (1 + 1 / math.log2(3))
    assert metrics.ndcg_at(ranked, support, 10) == pytest.approx(wanted)
    assert metrics.ndcg_at(ranked, support, 3) == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert metrics.ndcg_at(ranked, support, 1) == 1  # no ranking of one passage does better
    assert metrics.ndcg_at([], support, 10) == 0


def test_ndcg_of_one_passage_that_holds_all_is_1() -> None:
    turns = [Support("S", turn="D1:1"), Support("S", turn="D1:2")]
    both = passage("[D1:1] Hi\n[D1:2] Ho", title="S")
    assert metrics.ndcg_at([both, passage("none", title="S")], turns, 10) == 1


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    corpus = tmp_path / "notes.txt"
    corpus.write_text("The lease ends on 30 June 2027.\n")
    rows = [
        {"id": "a", "question": "When does the lease end?", "answers": ["30 June 2027"]},
        {"id": "b", "question": "Who signed the lease?", "answers": [], "unanswerable": True},
        {"id": "c", "question": "Lease ends?", "answers": ["2027"], "answers_mode": "all"},
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row | {"corpus": "notes.txt"}) + "\n" for row in rows))
    return file


def run(file: Path, models: ModelSet, out: Path, **choice: object) -> list[Scored | RunSummary]:
    settings = Settings(strategy="fb_rag")
    return list(evaluate(file, [], models, [settings], Choice(**choice), out))  # type: ignore[arg-type]


def test_a_run_scores_sums_up_and_resumes(
    questions: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    def reply(prompt: str, _index: int) -> str:
        return "Not found." if "Who signed" in prompt else "It ends on 30 June 2027 [1]."

    models, out = fake_models(generator=reply), tmp_path / "run.jsonl"
    *scored, summary = run(questions, models, out)
    assert isinstance(summary, RunSummary)
    assert summary.questions == 3
    assert summary.scores["substring"] == 1
    assert summary.counts["substring"] == 2
    assert summary.scores["abstained"] == pytest.approx(1 / 3)
    lines = out.read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["a", "b", "c"]
    assert "30 June 2027.\n" not in out.read_text()  # the passage itself is never kept

    out.write_text("\n".join([*lines[:1], lines[1][:30]]))  # killed in the middle of a line
    asked = len(models.generator.prompts)  # type: ignore[attr-defined]
    *again, second = run(questions, models, out)
    assert isinstance(second, RunSummary)
    assert second.scores == summary.scores
    assert len(again) == len(scored) == 3
    assert len(models.generator.prompts) - asked == 2  # type: ignore[attr-defined]
    assert len([line for line in out.read_text().splitlines() if line.endswith("}")]) == 3
    assert (tmp_path / "run.jsonl").stat().st_mode & 0o777 == 0o600


def test_the_choice_of_questions(
    questions: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    models = fake_models(["Not found."])

    def ids(**choice: object) -> list[str]:
        steps = run(questions, models, tmp_path / "x.jsonl", **choice)
        return [step.id for step in steps if isinstance(step, Scored)]

    assert ids(limit=1) == ["a"]
    assert ids(skip=1, limit=1) == ["b"]
    assert ids(unanswerable=True) == ["b"]
    assert ids(unanswerable=False, mode="any") == ["a"]
    with pytest.raises(DataError, match="no question"):
        ids(mode="summary")


def test_the_questions_are_never_their_own_corpus(
    tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    file = tmp_path / "dev" / "set.jsonl"
    corpus = tmp_path / "corpus" / "set.jsonl"
    row = {"id": "a", "question": "When does the lease end?", "answers": ["2027"]}
    for place in (file, corpus):
        place.parent.mkdir()
    file.write_text(json.dumps(row | {"corpus": "set.jsonl"}) + "\n")
    with pytest.raises(NoSources):
        run(file, fake_models(), tmp_path / "run.jsonl")
    corpus.write_text('{"title": "Lease", "text": "The lease ends on 30 June 2028."}\n')
    models = fake_models()
    run(file, models, tmp_path / "run.jsonl")
    assert "2028" in models.generator.prompts[0]  # type: ignore[attr-defined]


def test_files_that_hold_answers_are_no_evidence(
    tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("The lease is long.")
    row = {"id": "a", "question": "When does the lease end?", "answers": ["in June 2028"]}
    file, worked, out = (folder / name for name in ("q.jsonl", "worked.jsonl", "run.jsonl"))
    file.write_text(json.dumps(row) + "\n")
    example = {"answer": "lease June 2028", "documents": [], "steps": []}
    worked.write_text(json.dumps({"id": "b", "question": "lease?"} | example) + "\n")
    out.write_text(json.dumps({"id": "z", "dataset": "q", "scores": {}, "refused": "2028"}) + "\n")
    models = fake_models()
    steps = evaluate(
        file, [folder], models, [Settings(strategy="vanilla")], Choice(worked=worked), out
    )
    [scored, _] = list(steps)
    assert isinstance(scored, Scored)
    files = {place["file"] for place in scored.row["evidence"]["recall"]}
    assert files == {"a.txt"}
    with pytest.raises(DataError, match="Nothing was read but the questions"):
        next(evaluate(file, [file], models, [Settings()]))


def test_a_source_that_is_not_there_is_refused(
    questions: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    steps = evaluate(questions, [questions.parent, tmp_path / "no"], fake_models(), [Settings()])
    with pytest.raises(DataError, match=r"/no is not there"):
        next(steps)


@pytest.mark.parametrize(("unread", "text"), [(0, ""), (2, "The lease ends in June.")])
def test_half_a_corpus_is_refused(
    questions: Path,
    tmp_path: Path,
    fake_models: Callable[..., ModelSet],
    monkeypatch: pytest.MonkeyPatch,
    unread: int,
    text: str,
) -> None:
    """A reading process that was starved once gave an empty corpus, and figures over it."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "lease.txt").write_text(text)
    read = path_of_a_question.read_now

    def starved(*given: Any) -> Any:
        corpus = yield from read(*given)
        return replace(corpus, coverage=replace(corpus.coverage, unread=unread))

    monkeypatch.setattr(path_of_a_question, "read_now", starved)
    steps = evaluate(questions, [tmp_path / "notes"], fake_models(), [Settings()])
    with pytest.raises(DataError, match="2 files were not" if unread else "Nothing was read"):
        next(steps)


SLOW = 0.02
"""Seconds that one reply takes."""


def test_strategies_of_one_run_share_their_samples(
    questions: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    def slow(_prompt: str, _index: int) -> str:
        time.sleep(SLOW)
        return "Reason. Answer."

    models = fake_models(lookahead=slow)
    names = ("fb_rag", "fb_rag:backward=0,forward=1", "fb_rag:temperature=1", "vanilla")
    arms = [Settings(strategy=name) for name in names]
    steps = list(evaluate(questions, [], models, arms, Choice(limit=1), tmp_path / "run.jsonl"))
    rows = [step.row for step in steps if isinstance(step, Scored)]
    assert [step.strategy for step in steps if isinstance(step, RunSummary)] == list(names)
    assert len(models.lookahead.prompts) == 2  # type: ignore[attr-defined]
    used = [row["tokens"]["lookahead"]["prompt"] for row in rows]
    assert used[0] == used[1] == used[2] > used[3] == 0
    shared = rows[1]["seconds"]["lookahead"]
    assert shared >= SLOW  # at its full price, though it was not drawn again


def test_examples_are_shown_to_all_questions_in_turn(
    questions: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    """A model keeps one beginning: where settings took turns it would compute each anew."""
    models = fake_models()
    names = ("vanilla", "drag:k=1,m=1", "zero_shot", "drag:k=1,m=2")
    arms = [Settings(strategy=name) for name in names]
    *steps, _, _, _, _ = evaluate(questions, [], models, arms, Choice(limit=2), None)
    asked = [(step.row["strategy"], step.id) for step in steps if isinstance(step, Scored)]
    assert asked == [
        *(("vanilla", "a"), ("zero_shot", "a"), ("vanilla", "b"), ("zero_shot", "b")),
        *(("drag:k=1,m=1", "a"), ("drag:k=1,m=1", "b")),
        *(("drag:k=1", "a"), ("drag:k=1", "b")),
    ]
    kept = models.generator.beginnings  # type: ignore[attr-defined]
    changes = [one for one, before in zip(kept[1:], kept, strict=False) if one != before]
    assert len(changes) == 1


@pytest.mark.parametrize(
    ("replies", "left"),
    [
        (["Follow up: Who?", "Intermediate answer: Kim", "So the final answer is: x", "2027"], 0),
        (["Follow up: Who?", "Kim", "So the final answer is: x", "2027"], 1 / 3),
    ],
)
def test_replies_that_left_the_form_stand_in_the_row(
    questions: Path,
    fake_models: Callable[..., ModelSet],
    replies: Sequence[str],
    left: float,
) -> None:
    arms = [Settings(strategy="iterdrag:k=1,m=0"), Settings(strategy="drag:k=1,m=0")]
    choice = Choice(limit=1, task="multihop")
    steps = list(evaluate(questions, [], fake_models(replies), arms, choice, None))
    rows = [step.row for step in steps if isinstance(step, Scored)]
    assert rows[0]["scores"]["left_form"] == pytest.approx(left)
    assert "left_form" not in rows[1]["scores"]
    summary = steps[-2]
    assert isinstance(summary, RunSummary)
    assert summary.scores["left_form"] == pytest.approx(left)
    assert rows[1]["read"] == 1


def test_rows_by_another_fit_of_the_same_name_are_asked_again(
    questions: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    out, asked = tmp_path / "run.jsonl", []
    ours = Allocation(source="fit.json, fitted to these models over 24 configurations")
    refitted = replace(ours, fit=replace(ours.fit, c=0.1))
    for allocation in (ours, ours, refitted):
        models = fake_models()
        arms = [Settings(strategy="vanilla", allocation=allocation)]
        list(evaluate(questions, [], models, arms, Choice(limit=1), out))
        asked.append(len(models.generator.prompts) > 0)  # type: ignore[attr-defined]
    assert asked == [True, False, True]
    assert read_run(out).rows[0]["allocation"].startswith(f"{ours.source}, ")


def test_what_does_not_fit_is_a_row_of_its_own(
    questions: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    budget = Budget(400, 400, 1, 0.0, 0.0, window=300)
    arms = [Settings(strategy="long_context", budget=budget)]
    steps = list(evaluate(questions, [], fake_models(), arms, Choice(limit=1), None))
    assert isinstance(steps[0], Scored)
    assert steps[0].row["scores"] == {"refused": 1.0}
    assert "the context has room for" in steps[0].row["refused"]


def test_a_budget_that_holds_no_passage_is_a_row_of_its_own(
    questions: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    arms = [Settings(strategy="vanilla", budget=Budget(1, 1, 1, 0.0, 0.0))]
    steps = list(evaluate(questions, [], fake_models(), arms, Choice(limit=1), None))
    assert isinstance(steps[0], Scored)
    assert "No passage that was found fits 1 tokens" in steps[0].row["refused"]


@pytest.mark.parametrize("line", [b"\xff", b'{"id": %s}' % (b"1" * 5000), b"[" * 99999])
def test_a_line_that_is_no_json_is_named_whatever_it_is(line: bytes, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    good = json.dumps({"id": "1", "question": "q", "answers": []}).encode()
    file.write_bytes(b"\xef\xbb\xbf" + good + b"\n" + line)
    with pytest.raises(DataError, match="line 2"):
        list(load_questions(file))


def test_a_question_without_a_gold_answer_is_not_scored_by_words(
    questions: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    row = json.loads(questions.read_text().splitlines()[0]) | {"answers": []}
    questions.write_text(json.dumps(row))
    scored, _ = run(questions, fake_models(), tmp_path / "run.jsonl")
    assert isinstance(scored, Scored)
    assert "f1" not in scored.row["scores"]
    assert "wrongly_abstained" in scored.row["scores"]


def test_an_id_that_stands_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    row = {"id": "1", "question": "q", "answers": ["a"]}
    file.write_text("".join(json.dumps(row | {"question": q}) + "\n" for q in ("lease?", "roof?")))
    with pytest.raises(DataError, match='line 2: the "id" 1 is that of line 1'):
        list(load_questions(file))


def test_a_relative_file_name_finds_its_corpus(
    tmp_path: Path, fake_models: Callable[..., ModelSet], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("dev", "corpus"):
        (tmp_path / name).mkdir()
    (tmp_path / "corpus" / "c.txt").write_text("The lease ends on 30 June 2027.")
    row = {"id": "a", "question": "When does the lease end?", "answers": ["x"], "corpus": "c.txt"}
    (tmp_path / "dev" / "s.jsonl").write_text(json.dumps(row))
    monkeypatch.chdir(tmp_path / "dev")
    assert len(run(Path("s.jsonl"), fake_models(), tmp_path / "run.jsonl")) == 2


@pytest.mark.parametrize("line", ["{}", "[1]", "not json", '{"id": 1, "question": "q"}'])
def test_a_bad_line_is_named(line: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"id": "1", "question": "q", "answers": []}\n' + line + "\n")
    with pytest.raises(DataError, match="line 2"):
        list(load_questions(file))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"answers": "text"}, "answers"),
        ({"question": 7}, "question"),
        ({"answers_mode": "some"}, "answers_mode"),
        ({"support": [{"line": 1}]}, "support"),
        ({"candidates": [-1]}, "candidates"),
        ({"context": [{"title": "t"}]}, "context"),
        ({"unanswerable": "no"}, "unanswerable"),
        ({"options": ["a", "b"], "answer_index": 2}, "answer_index"),
        ({"options": ["a", "b"]}, "answer_index"),
        ({"options": ["a"] * 27, "answer_index": 0}, "options"),
        ({"support": [{"title": "t", "line": "3"}]}, "support"),
        ({"support": [{"title": "t", "lines": "12"}]}, "support"),
        ({"support": [{"title": "t", "line": -1}]}, "support"),
        ({"support": [{"title": "t", "line": 1.5}]}, "support"),
        ({"support": [{"title": "t", "turn": 5}]}, "support"),
        ({"support": [""]}, "support"),
        ({"support": [{"source": ""}]}, "support"),
        ({"id": ""}, "id"),
        ({"id": "\ud800"}, "id"),
        ({"question": " "}, "question"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, object], field: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(json.dumps({"id": "1", "question": "q", "answers": []} | change) + "\n")
    with pytest.raises(DataError, match=f'line 1: "{field}"'):
        list(load_questions(file))


def test_a_row_says_where_its_evidence_lies(
    questions: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    row = json.loads(questions.read_text().splitlines()[0])
    questions.write_text(json.dumps(row | {"support": [{"title": "notes.txt", "line": 0}]}))
    models = fake_models(["It ends on 30 June 2027 [1]."])
    scored, _ = run(questions, models, tmp_path / "run.jsonl")
    assert isinstance(scored, Scored)
    [cited] = scored.row["evidence"]["cited"]
    assert cited["gold"] is True
    assert (cited["file"], cited["id"]) == ("notes.txt", 1)
    [ranked] = scored.row["evidence"]["recall"]
    assert ranked["start"] == 0
    assert scored.row["scores"]["recall_mrr"] == scored.row["scores"]["recall_ndcg@10"] == 1
    assert scored.row["scores"]["wrongly_abstained"] == 0
    usage = scored.row["tokens"]
    assert scored.row["effective_context"] == sum(
        usage[role]["prompt"] for role in ("lookahead", "generator")
    )


def test_a_question_brings_its_own_context_and_options(
    tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    context = [{"title": "Lease", "text": "The lease ends in June."}]
    row = {"id": "a", "question": "When does the lease end?", "answers": ["June"]}
    choice = {"options": ["May", "June"], "answer_index": 1}
    file = tmp_path / "set.jsonl"
    lines = [row | choice | {"context": context}, row | {"id": "b", "context": []}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    models = fake_models(["B."])
    own, closed, _ = run(file, models, tmp_path / "run.jsonl", task="multihop")
    assert isinstance(own, Scored)
    assert own.row["scores"]["choice"] == 1
    prompt = models.generator.prompts[0]  # type: ignore[attr-defined]
    assert "The lease ends in June." in prompt
    assert "A. May\nB. June" in prompt
    assert isinstance(closed, Scored)
    assert "recall" not in closed.row["evidence"] or not closed.row["evidence"]["recall"]


def test_a_run_over_other_data_is_refused(
    questions: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    out = tmp_path / "run.jsonl"
    run(questions, fake_models(), out, limit=1)
    (tmp_path / "notes.txt").write_text("The lease ends on 1 May 2030.\n")
    with pytest.raises(DataDiffers, match="the corpus of a was"):
        run(questions, fake_models(), out)
    questions.write_text(questions.read_text().replace("30 June 2027", "1 May 2030"))
    with pytest.raises(DataDiffers, match="the question a was"):
        run(questions, fake_models(), out)


@pytest.mark.parametrize("strategy", ["fb_rag", "vanilla"])
def test_a_finished_run_is_not_reused_over_other_data(
    strategy: str, questions: Path, tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    out = tmp_path / "run.jsonl"
    run(questions, fake_models(), out)
    rows = out.read_text()
    (tmp_path / "notes.txt").write_text("The lease ends on 1 May 2030.\n")
    arms = [Settings(strategy=strategy)]
    with pytest.raises(DataDiffers, match="the corpus of a was"):
        list(evaluate(questions, [], fake_models(), arms, out=out))
    assert out.read_text() == rows


def test_a_corrupted_run_file_keeps_its_good_lines(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    rest = b'"dataset": "own", "scores": {"f1": 1, "em": null}, "seconds": {}, "tokens": {}}\n'
    good = [b'{"id": "%c", ' % name + rest for name in b"ac"]
    file.write_bytes(
        good[0]
        + b'{"id": "b"\n\xff\xfe\n[1]\n\n{"id": 7}\n'
        + good[1]
        + b'{"id": "d\n'
        + b"[" * 99999
    )
    found = read_run(file)
    assert [row["id"] for row in found.rows] == ["a", "c"]
    assert found.damaged == (2, 3, 4, 6, 8, 9)
    with pytest.raises(DataError, match="could not be read"):
        read_run(tmp_path / "none.jsonl")


@pytest.mark.parametrize("change", ["dataset", "scores", "seconds", "tokens"])
def test_a_row_without_what_every_row_has_is_damaged(change: str, tmp_path: Path) -> None:
    row = {"id": "a", "dataset": "own", "scores": {}, "seconds": {}, "tokens": {}}
    file = tmp_path / "run.jsonl"
    file.write_text(json.dumps(row) + "\n" + json.dumps(row | {change: None}) + "\n")
    assert read_run(file).damaged == (2,)


def test_runs_over_different_data_are_not_compared() -> None:
    one = {"id": "a", "data": {"question": "1" * 64, "corpus": "2" * 64}}
    other = {"id": "a", "data": {"question": "1" * 64, "corpus": "3" * 64}}
    refuse_to_compare([one], [{"id": "a"}], ("A", "B"))  # an older row, which does not say
    with pytest.raises(DataDiffers, match="the corpus of a is 222222222222 in the one and 333"):
        refuse_to_compare([one], [other], ("A", "B"))
    with pytest.raises(DataDiffers, match="the one has a, the other b"):
        refuse_to_compare([one], [{"id": "b"}], ("A", "B"))


def test_the_evidence_of_all_rounds_stands_in_the_row(
    tmp_path: Path, fake_models: Callable[..., ModelSet]
) -> None:
    lines = ["The boathouse belongs to Kim.", "Kim was born in Oslo."]
    corpus = [{"title": f"Fact {number}", "text": line} for number, line in enumerate(lines)]
    (tmp_path / "facts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in corpus))
    row = {
        "id": "a",
        "question": "Where was the owner of the boathouse from?",
        "answers": ["Oslo"],
        "corpus": "facts.jsonl",
        "support": [{"title": "Fact 0"}, {"title": "Fact 1"}],
    }
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(row))
    arms = [Settings(strategy="iterdrag:k=1,m=0"), Settings(strategy="drag:k=1,m=0")]
    final = "So the final answer is: x"
    replies = ["Follow up: Was Kim born in Oslo?", "Intermediate answer: Yes", final, "Oslo"]
    steps = evaluate(file, [], fake_models(replies), arms, Choice(task="multihop"), None)
    found = [step.row["scores"]["read_recall"] for step in steps if isinstance(step, Scored)]
    assert found == [1.0, 0.5]
