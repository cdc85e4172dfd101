"""The command line's contract: JSON keys and types, exit codes, streams, refusals."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import types
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from app.cli import main
from app.main import run
from app.output.stages import STAGES
from engine.events import StageName
from engine.strategies import registry
from ingest.item import Reason
from models.roles import ModelSet
from tests.support.toy_asking import answered_by

QUESTION = "When does the lease of the boathouse end?"
GOOD = "The lease of the boathouse ends on 31 December 2026 [1]."

FREE = "qwen2.5-7b-instruct-q4_k_m"
"""A model that nobody has verified."""
NUMBER = (int, float)
OPTIONAL_TEXT = (str, types.NoneType)
OPTIONAL_COUNT = (int, types.NoneType)
OPTIONAL_NUMBER = (int, float, types.NoneType)

LOCATORS = {
    "mail": {"message_id": OPTIONAL_TEXT, "part": OPTIONAL_TEXT, "offset": OPTIONAL_COUNT},
    "document": {
        "page": OPTIONAL_COUNT,
        "line": OPTIONAL_COUNT,
        "sheet": OPTIONAL_TEXT,
        "member": OPTIONAL_TEXT,
    },
    "event": {"uid": OPTIONAL_TEXT, "occurrence": OPTIONAL_TEXT},
    "task": {"uid": OPTIONAL_TEXT, "occurrence": OPTIONAL_TEXT},
    "contact": {"uid": OPTIONAL_TEXT},
    "message": {"line": OPTIONAL_COUNT, "member": OPTIONAL_TEXT},
}
COVERAGE = {"read": dict, "pruned": int, "unread": int, "skipped": list, "complete": bool}
TOKENS = {"prompt": int, "generated": int}
ANSWER = {
    "schema_version": int,
    "question": str,
    "answer": str,
    "grounded": str,
    "certainty": str,
    "confidence": OPTIONAL_NUMBER,
    "reasons": dict,
    "agreement": (dict, types.NoneType),
    "strategy": str,
    "models": dict,
    "tokens": dict,
    "filters": dict,
    "citations": list,
    "table": (dict, types.NoneType),
    "unsupported": list,
    "warnings": list,
    "coverage": dict,
    "timings_ms": dict,
    "budget": dict,
}
CITATION = {
    "id": int,
    "kind": str,
    "title": str,
    "path": str,
    "locator": dict,
    "date": OPTIONAL_TEXT,
    "quote": str,
    "how": str,
    "support": bool,
    "people": list,
}
SEARCH = {
    "schema_version": int,
    "query": str,
    "filters": dict,
    "results": list,
    "coverage": dict,
    "timings_ms": dict,
}
OPTIONAL_LIST = (list, types.NoneType)
NARROWED = dict.fromkeys(("from", "to", "subject", "in", "path", "has"), OPTIONAL_LIST)
FILTERS = {
    **dict.fromkeys(("since", "until"), OPTIONAL_TEXT),
    **dict.fromkeys(("kind", "phrases", "excluded"), OPTIONAL_LIST),
    **NARROWED,
    "not": dict,
    "inferred": list,
    "dropped": list,
}
RESULT = {
    "score": NUMBER,
    "kind": str,
    "title": str,
    "path": str,
    "locator": dict,
    "date": OPTIONAL_TEXT,
    "text": str,
}
ERROR = {"kind": str, "message": str, "path": OPTIONAL_TEXT, "remedy": str}

MAIL = """\
From: Dana Okafor <dana@trust.example.com>
To: Ingrid Halloran <ingrid@bay.example.org>
Subject: Lease of the boathouse
Date: Thu, 03 Sep 2026 09:12:00 +0000
Message-ID: <a1@trust.example.com>

Dear Ingrid, the lease of the boathouse ends on 31 December 2026.
"""


def matches(shown: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert set(shown) == set(wanted)
    for key, kinds in wanted.items():
        assert isinstance(shown[key], kinds), (key, shown[key])
        if kinds is int:
            assert not isinstance(shown[key], bool), key


def place_is_right(shown: dict[str, Any]) -> None:
    matches(shown["locator"], LOCATORS[shown["kind"]] | {"start": int, "end": int})
    assert Path(shown["path"]).is_absolute()
    if shown["date"] is not None:
        assert datetime.fromisoformat(shown["date"]).tzinfo


def coverage_is_right(shown: dict[str, Any]) -> None:
    matches(shown, COVERAGE)
    kinds = ("mail", "document", "event", "task", "contact", "message", "files", "bytes")
    matches(shown["read"], dict.fromkeys(kinds, int))
    for skipped in shown["skipped"]:
        matches(skipped, {"path": str, "reason": str, "remedy": str})
        assert skipped["reason"] in set(Reason)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "lease.eml").write_text(MAIL)
    (folder / "notes.txt").write_text("Buy salt for the jetty steps.\nCall the carpenter.\n")
    return folder


@pytest.fixture
def ask_with(monkeypatch: pytest.MonkeyPatch, fake_models: Callable[..., ModelSet]) -> Any:
    """Give `ask` scripted models."""

    def give(*generator: str) -> ModelSet:
        models = fake_models(generator=generator or (GOOD,))
        answered_by(monkeypatch, models)
        return models

    return give


def test_ask_json_is_the_contract(files, ask_with, capsys):
    ask_with(GOOD)
    assert main(["ask", QUESTION, str(files), "--json"]) == 0
    out, err = capsys.readouterr()
    shown = json.loads(out)
    assert err == ""
    matches(shown, ANSWER)
    assert shown["schema_version"] == 1
    assert shown["question"] == QUESTION
    assert "[1]" in shown["answer"]
    assert shown["grounded"] == "grounded"
    roles = ("lookahead", "generator", "encoder", "sparse_encoder")
    matches(shown["models"], dict.fromkeys(roles, OPTIONAL_TEXT))
    matches(shown["tokens"], {"lookahead": dict, "generator": dict})
    matches(shown["tokens"]["generator"], TOKENS)
    for name in ("read", "recall", "lookahead", "first_token", "total"):
        assert isinstance(shown["timings_ms"][name], OPTIONAL_NUMBER)
    [citation, *_] = shown["citations"]
    matches(citation, CITATION)
    place_is_right(citation)
    assert citation["id"] == 1
    assert citation["how"] in ("model", "matched")
    assert citation["support"] is True
    assert citation["locator"]["message_id"] == "<a1@trust.example.com>"
    coverage_is_right(shown["coverage"])


def test_a_plan_is_computed_over_the_items_that_it_says(files, ask_with, capsys):
    """Not over those of the question, whose sender and month leave none."""
    ask_with()
    question = "Which mails did Tom send me in May 2020?"
    assert main(["ask", question, str(files), "--plan", "count mail from:dana", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["strategy"] == "aggregate"
    assert shown["question"] == question
    assert shown["table"]["plan"] == "count mail from:dana"
    assert [row["value"] for row in shown["table"]["rows"]] == ["1"]
    assert [citation["title"] for citation in shown["citations"]] == ["Lease of the boathouse"]
    assert main(["ask", question, str(files), "--plan", "count mail from:tom", "--json"]) == 3


def test_abstention_is_exit_3_with_every_key(files, ask_with, capsys):
    ask_with("The plate of the car is ZX 404.")
    assert main(["ask", "What is the plate of Tom's car?", str(files), "--json"]) == 3
    shown = json.loads(capsys.readouterr().out)
    matches(shown, ANSWER)
    assert shown["grounded"] == "none"
    assert "ZX 404" not in shown["answer"]
    assert not any(citation["support"] for citation in shown["citations"])


@pytest.mark.parametrize(
    ("more", "told"), [((), True), (("--effort", "thorough"), False), (("--json",), False)]
)
def test_who_got_no_answer_is_told_how_to_look_further(files, ask_with, capsys, more, told):
    ask_with("Not found.")
    assert main(["ask", "What is the plate of Tom's car?", str(files), *more]) == 3
    assert ("--effort thorough" in capsys.readouterr().err) is told


def test_what_was_computed_is_not_looked_for_any_further(files, ask_with, capsys):
    ask_with()
    assert main(["ask", "How many mails did Dana send in 1999?", str(files)]) == 3
    assert "--effort thorough" not in capsys.readouterr().err


def test_search_json_is_the_contract(files, capsys):
    (files / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    assert main(["search", "lease boathouse", str(files), "--json"]) == 0
    out, err = capsys.readouterr()
    shown = json.loads(out)
    assert err == ""
    matches(shown, SEARCH)
    matches(shown["filters"], FILTERS)
    matches(shown["filters"]["not"], NARROWED)
    assert not any(value for name, value in shown["filters"].items() if name != "not")
    for result in shown["results"]:
        matches(result, RESULT)
        place_is_right(result)
        assert result["score"] > 0
    assert shown["results"][0]["kind"] == "mail"
    coverage_is_right(shown["coverage"])
    assert shown["coverage"]["skipped"]
    for name in ("read", "recall", "total"):
        assert isinstance(shown["timings_ms"][name], NUMBER)


def test_a_standstill_of_reading_names_the_file_and_what_to_do(files, capsys, monkeypatch):
    monkeypatch.setattr("ingest.reading.dispatcher.STILL", 0.2)
    monkeypatch.setattr("ingest.reading.dispatcher._TURN", 0.05)
    monkeypatch.setattr("ingest.reading.dispatcher.Dispatcher._give_out", lambda run: None)
    assert main(["search", "lease boathouse", str(files), "--json"]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["kind"] == "reading_stopped"
    assert Path(error["path"]).is_file()
    assert error["path"] in error["message"]
    assert error["remedy"].startswith("Ask again.")


def test_every_kind_has_its_locator(capsys):
    sample = Path(__file__).parent.parent / "app" / "sample" / "data"
    for kind in ("mail", "document", "event", "task"):
        code = main(["search", "lease key form report", str(sample), "--kind", kind, "--json"])
        shown = json.loads(capsys.readouterr().out)
        assert code == 0, kind
        assert {result["kind"] for result in shown["results"]} == {kind}
        for result in shown["results"]:
            place_is_right(result)


def test_search_without_a_hit_is_exit_3(files, capsys):
    assert main(["search", "zeppelin", str(files), "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["results"] == []
    assert main(["search", "zeppelin", str(files)]) == 3
    assert "Nothing found." in capsys.readouterr().out


def test_filters_reach_the_engine(files, capsys):
    for flags in (
        ["--since", "2026-09-04"],
        ["--until", "2026-09-02"],
        ["--from", "ingrid"],
        ["--to", "dana"],
        ["--kind", "event"],
        ["--subject", "harbour"],
        ["--in", "archive"],
        ["--path", "*.mbox"],
        ["--has", "attachment"],
    ):
        assert main(["search", "lease", str(files), "--json", *flags]) == 3, flags
        assert json.loads(capsys.readouterr().out)["coverage"]["pruned"] >= 1
    for flags in (
        ["--from", "DANA"],
        ["--to", "bay.example"],
        ["--until", "today"],
        ["--since", "2026", "--until", "september 2026"],
        ["--subject", "LEASE of"],
        ["--in", "Files"],
        ["--path", "lease.*"],
    ):
        assert main(["search", "lease", str(files), *flags]) == 0, flags
        capsys.readouterr()


def test_operators_join_the_flags(files, capsys):
    (files / "draft.eml").write_text(MAIL.replace("Dear Ingrid", "A draft").replace("a1@", "a2@"))
    query = 'lease "of the boathouse" -draft from:dana -from:bob since:"september 2026"'
    flags = ["--from", "bob", "--until", "2026-09-30", "--kind", "mail", "--json"]
    assert main(["search", query, str(files), *flags]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [result["locator"]["message_id"] for result in shown["results"]] == [
        "<a1@trust.example.com>"
    ]
    assert shown["query"] == query
    assert {name: value for name, value in shown["filters"].items() if value} == {
        "since": "2026-09-01",
        "until": "2026-09-30",
        "from": ["bob", "dana"],
        "kind": ["mail"],
        "not": dict.fromkeys(NARROWED) | {"from": ["bob"]},
        "phrases": ["of the boathouse"],
        "excluded": ["draft"],
    }
    assert main(["search", query, str(files), *flags[:-1]]) == 0
    assert (
        "Filters: from bob or dana, kind mail, since 2026-09-01, until 2026-09-30, not from bob, "
        'with "of the boathouse", without "draft"\n'
    ) in capsys.readouterr().out


def test_a_question_has_operators_and_its_quotes_are_prose(files, ask_with, capsys):
    models = ask_with(GOOD)
    question = 'When does the "long" lease of the boathouse end? from:dana'
    assert main(["ask", question, str(files), "--json", "--explain", "--no-infer"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["question"] == question
    matches(shown["filters"], FILTERS)
    assert shown["filters"]["from"] == ["dana"]
    assert shown["filters"]["phrases"] is None
    assert shown["coverage"]["pruned"] == 1
    prompts = models.generator.prompts
    assert any('the "long" lease' in prompt for prompt in prompts)
    assert not any("from:dana" in prompt for prompt in prompts)
    ask_with(GOOD)
    assert main(["ask", question, str(files)]) == 0
    assert "Filters: from dana\n" in capsys.readouterr().out


def test_inferred_filters_are_shown_and_can_be_left_out(files, ask_with, capsys):
    asked = ["ask", "What does the mail from Dana say of the lease of the boathouse?", str(files)]
    ask_with(GOOD)
    assert main([*asked, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["filters"]
    assert shown["from"] == ["Dana", "dana@trust.example.com"]
    assert shown["inferred"] == [{"field": "from", "value": "Dana", "words": "Dana"}]
    ask_with(GOOD)
    assert main(asked) == 0
    out = capsys.readouterr().out
    assert "\nFilters (inferred): from Dana; ask with --no-infer to leave them out.\n" in out
    assert "\nFilters: " not in out
    ask_with(GOOD)
    assert main([*asked, "--no-infer"]) == 0
    assert "Filters" not in capsys.readouterr().out


def test_an_inferred_filter_that_leaves_nothing_is_said(files, ask_with, capsys, monkeypatch):
    monkeypatch.setenv("ASKANCE_ANSWER_INFER", "true")
    ask_with(GOOD)
    question = "Which mail of May 1999 says when the lease of the boathouse ends?"
    assert main(["ask", question, str(files)]) == 0
    assert (
        "Nothing was left with kind mail, 1999-04-30 … 1999-06-01 "
        '(from "May 1999", "mail"): it was left out.\n'
    ) in capsys.readouterr().out
    monkeypatch.setenv("ASKANCE_ANSWER_INFER", "false")
    ask_with(GOOD)
    assert main(["ask", question, str(files)]) == 0
    assert "Nothing was left" not in capsys.readouterr().out


def test_i_is_whoever_the_settings_say(files, ask_with, capsys, monkeypatch):
    (files / "mine.eml").write_text(f"Delivered-To: ingrid@bay.example.org\n{MAIL}")
    asked = ["ask", "When does my lease of the boathouse end?", str(files)]
    ask_with(GOOD)
    assert main(asked) == 0
    assert '  [person]\n  addresses = ["ingrid@bay.example.org"]\n' in capsys.readouterr().out
    assert main([*asked, "--to", "me"]) == 2
    assert "no address of yours is set" in capsys.readouterr().err
    monkeypatch.setenv("ASKANCE_PERSON_ADDRESSES", "ingrid@bay.example.org")
    ask_with(GOOD)
    assert main([*asked, "--to", "me"]) == 0
    out = capsys.readouterr().out
    assert "Filters: to ingrid@bay.example.org\n" in out
    assert "[person]" not in out


def test_human_answer_goes_to_stdout_alone(files, ask_with, capsys):
    ask_with(GOOD)
    assert main(["ask", QUESTION, str(files), "--explain"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert '[1] Mail "Lease of the boathouse" - Dana Okafor, Thu 2026-09-03' in out
    assert f"({files / 'lease.eml'})" in out
    assert "Read 1 mail, 1 document (2 files," in out
    assert "ranked by recall (score):" in out
    assert "\x1b" not in out


def test_names_of_files_cannot_steer_the_terminal(files, capsys):
    evil = files / "a\x1b]0;owned\x07\u202e.txt"
    evil.write_text("The lease of the boathouse is here too.")
    assert main(["search", "lease boathouse", str(files)]) == 0
    out = capsys.readouterr().out
    assert not set(out) & set("\x1b\x07\u202e")
    assert main(["search", "lease boathouse", str(files), "--json"]) == 0
    out = capsys.readouterr().out
    assert not set(out) & set("\x1b\x07\u202e")
    assert str(evil) in {result["path"] for result in json.loads(out)["results"]}


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "rent", "EVIL"),
        ("ask", "rent", "EVIL"),
        ("ask", "rent", "--follow-up-to", "EVIL"),
        ("sources", "add", "EVIL"),
        ("sources", "rm", "EVIL.eml"),
        ("models", "add", "EVIL"),
        ("models", "use", "encoder", "EVIL"),
        ("history", "on", "--EVIL"),
        ("EVIL",),
        ("search", "rent"),
        ("ask", "rent"),
    ],
)
def test_errors_cannot_steer_the_terminal(arguments, files, home, capsys):
    """The last two name a source that was remembered, and is gone."""
    evil = files / "a\x1b]0;owned\x07\u202e.txt"
    evil.write_text("x")
    assert main(["sources", "add", str(evil)]) == 0
    evil.unlink()
    capsys.readouterr()
    main([word.replace("EVIL", str(evil)) for word in arguments])
    out, err = capsys.readouterr()
    assert "owned" in err
    assert not set(out + err) & set("\x1b\x07\u202e")


def test_explain_json_adds_one_key(files, ask_with, capsys):
    ask_with(GOOD)
    assert main(["ask", QUESTION, str(files), "--json", "--explain"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert set(shown) == {*ANSWER, "explain"}
    assert shown["explain"]["ranked"][0]["passages"]


def test_auto_says_why_each_stage_ran_or_did_not(files, ask_with, capsys):
    ask_with(GOOD)
    asked = ["ask", QUESTION, str(files), "--strategy", "auto", "--explain", "--no-infer"]
    assert main(asked) == 0
    out = capsys.readouterr().out
    assert "  look ahead did not run: " in out
    assert "  still to come: about " in out
    ask_with(GOOD)
    assert main([*asked, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["strategy"] == "auto"
    assert {one["stage"] for one in shown["explain"]["decisions"]} >= {"route", "look ahead"}
    assert all(one["why"] for one in shown["explain"]["decisions"])
    assert set(shown["budget"]) == {"tokens", "effective_context", "expected_ms"}
    assert shown["budget"]["tokens"] == 5400
    assert 0 < shown["budget"]["effective_context"] < 5400


def test_remembered_sources_are_asked(files, ask_with, capsys):
    ask_with(GOOD)
    assert main(["ask", QUESTION, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "usage"
    assert main(["sources", "add", str(files)]) == 0
    capsys.readouterr()
    assert main(["ask", QUESTION, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["coverage"]["read"]["mail"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "kind", "said"),
    [
        (["ask"], 2, "usage", "QUESTION"),
        (["ask", "x", "/no/such/path"], 2, "source_missing", "/no/such/path"),
        (["ask", "   ", "."], 2, "usage", "empty"),
        (["ask", "x", ".", "--strategy", "pairs"], 2, "usage", "pairs"),
        (["ask", "x", ".", "--effort", "huge"], 2, "usage", "huge"),
        (["ask", "x", ".", "--since", "soon"], 2, "usage", "soon"),
        (["ask", "x", ".", "--since", "2026-02-30"], 2, "usage", "2026-02-30"),
        (["ask", "x", ".", "--since", "today", "--until", "yesterday"], 2, "usage", "after"),
        (["ask", "x since:soon", "."], 2, "usage", "since:soon is no date"),
        (["ask", "x kind:fax", "."], 2, "usage", "kind:fax"),
        (["ask", "from:dana", "."], 2, "usage", "no word to look for"),
        (["ask", "x since:2026", ".", "--until", "2025"], 2, "usage", "after"),
        (["search", "x from:", "."], 2, "usage", "has no value"),
        (["search", "x has:wheels", "."], 2, "usage", "has:attachment"),
        (["search", "x", ".", "--has", "wheels"], 2, "usage", "attachment"),
        (["search", "x", ".", "--in", ""], 2, "usage", "--in"),
        (["search", "x\ud800 since:\x1b[31m", "."], 2, "usage", "is no date"),
        (["ask", "x", ".", "--max-context", "0"], 2, "usage", "max-context"),
        (["ask", "x", ".", "--time-budget", "0"], 2, "usage", "time-budget"),
        (["ask", "x", ".", "--from", " "], 2, "usage", "from"),
        (["ask", "x", "."], 4, "model_missing", "is not here"),
        (["ask", "x", ".", "--generator", "no-such"], 4, "model_unknown", "no-such"),
        (["ask", "x", ".", "--generator", "all-minilm-l6-v2"], 2, "usage", "generator"),
        (["search", "x", ".", "-k", "0"], 2, "usage", "-k"),
        (["search", "x", ".", "--seed", "1"], 2, "usage", "There are: -k"),
        (["history", "list"], 2, "history_off", "history on"),
        (["history", "rm"], 2, "usage", "--older-than"),
        (["history", "frob"], 2, "usage", "export"),
        (["ask", "x", ".", "--continue"], 2, "history_off", "--follow-up-to"),
        (["ask", "x", ".", "--follow-up-to", "no.json"], 2, "conversation_unreadable", "no such"),
        (["secrets", "set", "frob"], 2, "usage", "huggingface"),
        (["secrets", "set", "huggingface"], 2, "usage", "terminal"),
        (["search", "x", ".", "--memory", "little"], 2, "usage", "2 GB"),
        (["search", "x", ".", "--unlock"], 2, "usage", "terminal"),
        (["models", "estimate", "no-such"], 4, "model_unknown", "no-such"),
        (["models", "estimate", "all-minilm-l6-v2"], 2, "usage", "Nothing is known"),
        (["models", "add", "."], 2, "usage", "neither a file nor"),
        (["models", "add", "ada/toy"], 2, "usage", "ada/toy/FILE.gguf"),
        (["ask", "x", ".", "--lookahead", FREE], 4, "model_unverified", f"models pull {FREE}"),
        (["models", "use", "encoder", "x"], 4, "model_unknown", "x"),
        (["models", "use", "encoder", FREE], 2, "usage", "cannot be the encoder"),
        (["models", "frob"], 2, "usage", "list, pull"),
        (["frobnicate"], 2, "usage", "ask, search"),
        (["what is this"], 2, "usage", "askance ask"),
        (["."], 2, "usage", "askance --source ."),
        (["models", "rm", "all-minilm-l6-v2"], 2, "usage", "confirm"),
        (["models", "verify", "all-minilm-l6-v2"], 4, "model_missing", "all-minilm"),
        (["ask", "x", ".", "--strategy", "fb_rag"], 4, "model_missing", "is not here"),
        ([], 2, "no_terminal", "terminal"),
    ],
)
def test_failures_in_words_and_as_json(arguments, code, kind, said, files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main(arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err
    if not arguments:
        return
    assert main([*arguments, "--json"]) == code
    shown = json.loads(capsys.readouterr().out)
    assert set(shown) == {"schema_version", "error"}
    matches(shown["error"], ERROR)
    assert shown["error"]["kind"] == kind


def test_what_needs_a_model_says_so_behind_its_question(capsys):
    assert main(["demo"]) == 4
    out, err = capsys.readouterr()
    assert out.startswith("Question 1:")
    assert "askance models pull" in err
    assert main(["demo", "--json"]) == 4
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "model_missing"


def test_what_is_computed_needs_no_model_unless_one_is_named(files, capsys):
    asked = ["ask", "How many mails are there?", str(files)]
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"]["generator"] is None
    assert main([*asked, "--generator", FREE]) == 4
    assert "is not here" in capsys.readouterr().err
    assert main(["ask", "What colour is the boat?", str(files)]) == 4
    assert "is not here" in capsys.readouterr().err


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_too_little_memory_has_words(error, files, capsys, monkeypatch):
    def starts(*_: object) -> None:
        raise error

    monkeypatch.setattr("app.cli._invoke", starts)
    assert main(["search", "keys", str(files)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "Memory ran out" in err


def test_broken_settings_stop_every_question(home, files, capsys):
    path = home / ".config" / "askance" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[answer]\nefort = 1\n")
    for command in (["search", "x", str(files)], ["config", "validate"], ["sources", "list"]):
        assert main([*command, "--json"]) == 2
        error = json.loads(capsys.readouterr().out)["error"]
        assert error["kind"] == "setting_unknown"
        assert error["path"] == str(path)
    assert main(["config", "path"]) == 0
    assert capsys.readouterr().out == f"{path}\n"


def test_list_commands_print_their_plural(files, capsys):
    main(["sources", "add", str(files)])
    capsys.readouterr()
    for arguments, plural in (
        (["sources", "list"], "sources"),
        (["sources", "check"], "sources"),
        (["models", "list"], "models"),
        (["config", "show"], "settings"),
    ):
        assert main([*arguments, "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert set(shown) == {"schema_version", plural}
        assert shown[plural]
        assert main(arguments) == 0
        assert capsys.readouterr().out


def test_forget_says_that_nothing_is_kept(capsys):
    assert main(["forget"]) == 0
    assert "Nothing is kept" in capsys.readouterr().out
    assert main(["forget", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["forgotten_bytes"] == 0


def test_doctor_names_what_is_missing(capsys):
    assert main(["doctor", "--json"]) == 4
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["llama-cpp-python"]["state"] == "ok"
    is_linux = sys.platform == "linux"
    assert checks["sandbox"]["state"] == ("ok" if is_linux else "note")
    assert "landlock, seccomp" in checks["sandbox"]["detail"] or not is_linux
    missing = [check for check in checks.values() if check["state"] == "missing"]
    assert missing
    assert all(check["remedy"].startswith("askance models pull") for check in missing)


def test_models_use_writes_the_setting(capsys):
    small = "smollm2-135m-instruct-q4_1"
    assert main(["models", "use", "lookahead", small, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"][0]["in_use"] == ["lookahead"]
    assert main(["models", "use", "encoder", "all-minilm-l6-v2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"][0]["in_use"] == ["encoder"]
    assert main(["models", "use", "sparse_encoder", "splade-tiny", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"][0]["in_use"] == ["sparse_encoder"]


HEAVY = ("textual", "llama_cpp", "numpy", "torch", "rich", "pypdf", "engine.answer")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["sources", "--help"]])
def test_help_imports_nothing_heavy(arguments):
    code = (
        "import sys, app.main\n"
        f"sys.argv = ['askance', *{arguments!r}]\n"
        "code = app.main.run()\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout
    assert done.stderr == "[]\n"


def test_every_stage_has_words_for_the_status_line() -> None:
    assert set(STAGES) == set(get_args(StageName))


def test_windows_is_told_of_wsl(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr("app.main.sys.platform", "win32")
    assert run() == 2
    assert "Install Askance in WSL" in capsys.readouterr().err


def test_help_has_what_people_use_and_the_rest_on_request(capsys: Any) -> None:
    short, whole = (_help(capsys, flag) for flag in ("--help", "--help-all"))
    assert len(short.splitlines()) <= 45
    flags = re.findall(r"^  (?:-\w, )?(--[\w-]+)", short, re.MULTILINE)
    assert len([flag for flag in flags if not flag.startswith("--help")]) == 12
    assert set(flags) < set(re.findall(r"--[\w-]+", whole))
    assert "--generator-tokens" in whole
    assert "--generator-tokens" not in short


def _help(capsys: Any, flag: str) -> str:
    assert main(["ask", flag]) == 0
    return str(capsys.readouterr().out)


def test_strategies_say_what_each_is_for(capsys: Any) -> None:
    assert main(["strategies", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["strategies"]
    assert [one["name"] for one in shown] == [*registry.names()]
    assert all(one["when"] and one["cost"] and one["source"] for one in shown)
    assert main(["strategies", "fb_rag"]) == 0
    assert "measured: " in capsys.readouterr().out
    assert main(["strategies", "no_such"]) == 2


def test_help_shows_pages_and_finds_them(capsys: Any) -> None:
    assert main(["help", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["topics"]
    topics = {one["topic"]: (one["kind"], one["title"]) for one in listed}
    assert topics["filters"] == ("Reference", "Filters")
    assert topics["chats"] == ("Recipes", "Chats")
    assert topics["strategies"][0] == "Explanation"
    docs = Path(__file__).parents[1] / "docs"
    pages = {path.stem for path in (*docs.glob("*.md"), *docs.glob("recipes/*.md"))}
    assert set(topics) == pages - {"index", "contributing", "security"}
    assert main(["help", "chats"]) == 0
    assert "Telegram Desktop" in capsys.readouterr().out
    assert main(["help", "WhatsApp", "region"]) == 0
    assert capsys.readouterr().out.split()[:2] == ["Recipes", "chats"]
    assert main(["help", "no-such-word-anywhere"]) == 2
