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
from engine.evaluation.runs import Run
from engine.evaluation.tables import arms_of, compared, front

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


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
def test_a_browser_shows_the_questions(run, tmp_path):
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
    assert "a.txt, line 3, characters 0 to 9" in done.stdout
    assert "gold evidence" in done.stdout


def test_plots_are_pictures(run, tmp_path):
    folder = tmp_path / "plots"
    assert main(["eval", "report", str(run), "--plots", str(folder)]) == 0
    names = sorted(file.name for file in folder.iterdir())
    assert names == ["boats_pareto.png", "boats_scaling.png"]
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in folder.iterdir())


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
