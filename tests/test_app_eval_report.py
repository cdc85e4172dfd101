"""`eval report`: tables, plots and a page of run files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from engine.evaluation.arms import arms_of
from engine.evaluation.questions import load_questions
from engine.evaluation.runs import Run
from engine.evaluation.tables import compared, front

TOKENS = {"prompt": 500, "computed": 400, "generated": 9, "calls": 1}


def row(i: str, strategy: str, f1: float, **more: Any) -> dict[str, Any]:
    prompt = more.pop("prompt", 500)
    made = {
        "id": i,
        "dataset": "boats",
        "strategy": strategy,
        "effort": "balanced",
        "models": {"lookahead": "small", "generator": "large"},
        "scores": {"f1": f1, "em": float(f1 == 1), "abstained": 0.0, "wrongly_abstained": 0.0},
        "tokens": {"lookahead": TOKENS | {"prompt": 0}, "generator": TOKENS | {"prompt": prompt}},
        "seconds": {"total": 2.0, "recall": 0.5},
        "answer": f"said by {strategy}",
        "data": {"question": "1" * 64, "corpus": "2" * 64},
        "machine": "Linux x86_64",
    }
    return made | more


def write(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return file


@pytest.fixture
def run(tmp_path: Path) -> Path:
    evidence = {"cited": [{"file": "a.txt", "line": 3, "start": 0, "end": 9, "gold": True}]}
    rows = [row(f"q{n}", "vanilla", 0.25 * n) for n in range(4)]
    rows += [row(f"q{n}", "drag:k=5", 1.0, evidence=evidence, prompt=1000) for n in range(3)]
    rows += [row(f"q{n}", "drag:k=50", 1.0, prompt=9000) for n in range(4)]
    return write(tmp_path / "run.jsonl", rows)


def test_tables_show_means_intervals_and_what_is_unfinished(run, capsys):
    assert main(["eval", "report", str(run), "--prices", "1", "2"]) == 0
    out = capsys.readouterr().out
    assert "| strategy | boats (f1, 4 questions) |" in out
    assert re.search(r"\| vanilla \| 0\.375 \[0\.\d+, 0\.\d+\] \|", out)
    assert "| drag:k=5 | 1.000 [1.000, 1.000], 3 of 4 |" in out
    # less the baseline: 1 - (0, 0.25, 0.5) on the three questions both have
    assert "| drag:k=5 | +0.750 [+0.500, +1.000], p = 0.250 | 3 |" in out
    # 4 questions x (500 tokens x 1 + 9 tokens x 2) a million
    assert "| 2.00 | 0.0021 |" in out


class _Links(HTMLParser):
    """Collects what a page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "action") and not (value or "").startswith(
                "#"
            ):
                self.found.append(f"{tag} {name}={value}")


def test_the_page_fetches_nothing_and_cannot_be_broken_out_of(run, tmp_path):
    evil = "</script><img src=x onerror=alert(1)>"
    with run.open("a") as stream:
        stream.write(json.dumps(row("q9", "vanilla", 0.0, answer=evil)) + "\n")
    page = tmp_path / "page.html"
    assert main(["eval", "report", str(run), "--html", str(page)]) == 0
    text = page.read_text()
    links = _Links()
    links.feed(text)
    assert links.found == []
    assert "http://" not in text.replace("http://www.w3.org/", "")
    assert evil not in text
    embedded = text.partition('id="data">')[2].partition("</script>")[0]
    data = json.loads(embedded)
    assert data["arms"] == ["vanilla", "drag:k=5", "drag:k=50"]
    assert [q["id"] for q in data["questions"]] == ["q0", "q1", "q2", "q3", "q9"]
    assert data["questions"][-1]["answers"][0]["answer"] == evil
    assert text.count("<svg role=") == 2  # prices, and the curve of drag
    assert "#123456" not in text
    assert page.stat().st_mode & 0o777 == 0o600


def test_names_in_rows_are_text_on_the_page_and_in_plots(tmp_path):
    evil = 'x"><script>alert(1)</script>'
    named = [
        row("q0", f"{evil} $\\no$", 1.0, dataset=evil),
        row("q0", "vanilla", 0.5, dataset=evil),
    ]
    page = tmp_path / "page.html"
    assert main(["eval", "report", str(write(tmp_path / "r", named)), "--html", str(page)]) == 0
    assert "<script>alert" not in page.read_text()


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
def test_a_browser_shows_the_questions(run, tmp_path):
    scores = {"abstained": 1.0, "rightly_abstained": 1.0}
    with run.open("a") as stream:
        stream.write(json.dumps(row("none", "vanilla", 0.0, scores=scores)) + "\n")
    page = tmp_path / "page.html"
    assert main(["eval", "report", str(run), "--html", str(page)]) == 0
    flags = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path}/chrome",
    ]
    done = subprocess.run(
        ["chromium", *flags, "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert '<option value="0">2/3  q0</option>' in done.stdout
    assert "1/1  none</option>" in done.stdout
    assert "a.txt, line 3, characters 0 to 9" in done.stdout
    assert "gold evidence" in done.stdout


def test_the_page_shows_the_questions_that_were_asked(tmp_path):
    files, rows = [], []
    for name in ("boats", "barns"):
        one = {"id": "1", "question": f"Which of the {name}?", "answers": [name]}
        files += ["--questions", str(write(tmp_path / f"{name}.jsonl", [one]))]
        [question] = load_questions(tmp_path / f"{name}.jsonl")
        for arm, sha256 in (("vanilla", question.sha256), ("changed", "1" * 64)):
            data = {"question": sha256, "corpus": "2" * 64}
            dataset = name if arm == "vanilla" else f"{name} before"
            rows.append(row("1", arm, 1.0, dataset=dataset, data=data))
    changed = {"id": "1", "dataset": "boats before", "question": "Other?", "answers": []}
    files += ["--questions", str(write(tmp_path / "later.jsonl", [changed]))]
    page = tmp_path / "page.html"
    command = ["eval", "report", str(write(tmp_path / "run", rows)), "--html", str(page), *files]
    assert main(command) == 0
    embedded = page.read_text().partition('id="data">')[2].partition("</script>")[0]
    shown = {q["set"]: q.get("text") for q in json.loads(embedded)["questions"]}
    assert shown == {
        "boats": "Which of the boats?",
        "boats before": None,
        "barns": "Which of the barns?",
        "barns before": None,
    }


def test_plots_are_pictures(run, tmp_path):
    folder = tmp_path / "plots"
    assert main(["eval", "report", str(run), "--plots", str(folder)]) == 0
    names = sorted(file.name for file in folder.iterdir())
    assert names == ["boats_pareto.png", "boats_scaling.png"]
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in folder.iterdir())


@pytest.mark.parametrize("dataset", ["../outside", "allenai/qasper", "/outside"])
def test_plots_stay_in_their_folder(dataset, tmp_path):
    folder = tmp_path / "of" / "plots"
    run = write(tmp_path / "r.jsonl", [row("q0", "vanilla", 1.0, dataset=dataset)])
    assert main(["eval", "report", str(run), "--plots", str(folder)]) == 0
    [plot] = tmp_path.rglob("*.png")
    assert plot.parent == folder


@pytest.mark.parametrize("option", ["--html", "--markdown"])
def test_what_is_given_is_not_overwritten(option, run, tmp_path, capsys):
    questions = write(tmp_path / "q.jsonl", [])
    link = tmp_path / "link"
    link.symlink_to(run)
    for given in (run, link, questions):
        before = given.read_bytes()
        command = ["eval", "report", str(run), "--questions", str(questions)]
        assert main([*command, option, str(given)]) == 2
        assert "would be overwritten" in capsys.readouterr().err
        assert given.read_bytes() == before
    both = ["--html", str(tmp_path / "new"), "--markdown", str(tmp_path / "." / "new")]
    assert main(["eval", "report", str(run), *both]) == 2
    assert not (tmp_path / "new").exists()


def test_a_page_in_place_of_an_open_file_is_the_persons_alone(run, tmp_path):
    page, tables = tmp_path / "page.html", tmp_path / "tables.md"
    for file in (page, tables):
        file.write_text("before")
        file.chmod(0o644)
    assert main(["eval", "report", str(run), "--html", str(page), "--markdown", str(tables)]) == 0
    assert page.stat().st_mode & 0o777 == 0o600
    assert tables.stat().st_mode & 0o777 == 0o644  # numbers only


def test_two_runs_are_compared_and_refused_when_their_data_differ(run, tmp_path, capsys):
    later = write(tmp_path / "later.jsonl", [row(f"q{n}", "vanilla", 1.0) for n in range(4)])
    assert main(["eval", "report", str(run), str(later), "--baseline", "drag:k=50"]) == 0
    out = capsys.readouterr().out
    assert "f1 of the later run less that of the first" in out
    assert "| vanilla (later.jsonl) | +0.625 [" in out
    other = {"question": "1" * 64, "corpus": "3" * 64}
    write(later, [row("q0", "vanilla", 1.0, data=other)])
    assert main(["eval", "report", str(run), str(later)]) == 2
    said = capsys.readouterr().err
    assert "different data: the corpus of q0 is 222222222222 in the one and 333333333333" in said


def refusal(i: str, strategy: str) -> dict[str, Any]:
    made = row(i, strategy, 0.0, scores={"refused": 1.0}, refused="too large")
    return {key: value for key, value in made.items() if key not in ("tokens", "seconds", "answer")}


@pytest.mark.parametrize(("refusals", "share"), [(2, "0.400"), (4, "0.800")])
def test_refused_questions_are_counted(refusals, share, tmp_path, capsys):
    rows = [row(f"q{n}", "whole", 1.0) for n in range(refusals, 5)]
    rows += [refusal(f"q{n}", "whole") for n in range(refusals)]
    assert main(["eval", "report", str(write(tmp_path / "run.jsonl", rows))]) == 0
    out = capsys.readouterr().out
    assert "| strategy | boats (f1, 5 questions) |" in out
    assert f"| whole | 1.000 [1.000, 1.000], {5 - refusals} of 5 |" in out
    head, values = [
        [cell.strip() for cell in line.split("|")]
        for line in out.splitlines()
        if line.startswith(("| strategy | questions", "| whole | 5"))
    ]
    assert dict(zip(head, values, strict=True))["refused"] == share


def test_a_set_that_was_only_refused_has_no_cell_and_no_plot(tmp_path, capsys):
    run = write(tmp_path / "run.jsonl", [refusal("q0", "whole")])
    assert main(["eval", "report", str(run), "--plots", str(tmp_path / "plots")]) == 0
    assert list(tmp_path.rglob("*.png")) == []
    assert main(["eval", "report", str(run)]) == 0
    assert "| whole |  |" in capsys.readouterr().out


BUDGET = {"lookahead_tokens": 800, "generator_tokens": 500, "samples": 3}


@pytest.mark.parametrize(
    ("budgets", "labels"),
    [
        ([{}, {"samples": 5}], ["rag, Y=500, K=3", "rag, Y=500, K=5"]),
        ([{}, {"generator_tokens": 900}], ["rag, Y=500", "rag, Y=900"]),
        (
            [{}, {"lookahead_tokens": 1, "x": 2}],
            ["rag, Y=500, X=800, x=None", "rag, Y=500, X=1, x=2"],
        ),
        ([{}, None], ["rag, Y=500", "rag"]),
    ],
)
def test_arms_are_told_apart_by_what_varies_in_their_budgets(budgets, labels, tmp_path):
    spent = [one if one is None else BUDGET | one for one in budgets]
    rows = [row("q", "rag", 1.0, budget=one) for one in spent]
    assert [arm.label for arm in arms_of([Run(tmp_path / "r", rows, ())])] == labels


def test_arms_that_nothing_tells_apart_are_numbered(tmp_path):
    rows = [row("q", "rag", 1.0, candidates=one) for one in (None, False)]
    names = [arm.label for arm in arms_of([Run(tmp_path / "r", rows, ())])]
    assert names == ["rag (r) #1", "rag (r) #2"]


def test_halves_of_one_run_are_one_arm(tmp_path):
    halves = [Run(tmp_path / n, [row(f"q{n}", "vanilla", 1.0)], ()) for n in ("a", "b")]
    [arm] = arms_of(halves)
    assert sorted(arm.rows) == ["qa", "qb"]
    assert compared(arm, arm, "rouge_l") is None


def test_damaged_lines_are_left_out_and_said(run, capsys):
    run.write_text(run.read_text() + '{"id": "q7", "sco')
    assert main(["eval", "report", str(run)]) == 0
    assert "damaged lines left out: 12" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--baseline", "magic"], "There are: vanilla, drag:k=5, drag:k=50."),
        (["--html", "/no/such/place.html"], "could not be written"),
        (["/no/such/run.jsonl"], "could not be read"),
    ],
)
def test_bad_input_is_said(more, said, run, capsys):
    assert main(["eval", "report", str(run), *more]) == 2
    assert said in capsys.readouterr().err


def test_a_file_without_an_answer_is_refused(tmp_path, capsys):
    assert main(["eval", "report", str(write(tmp_path / "empty.jsonl", []))]) == 2
    assert "hold no answer" in capsys.readouterr().err


def test_the_front_is_what_nothing_betters() -> None:
    assert front([(1, 0.2), (2, 0.5), (3, 0.4), (2, 0.1), (4, 0.6), (1, 0.1)]) == [0, 1, 4]
