"""Conversations on the command line: followed up, kept when that is on, exported, removed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from app.history.conversations import open_history
from app.history.errors import ConversationUnreadable
from app.history.export.formats import (
    conversation_object,
    conversation_of,
    markdown,
    read_conversation,
)
from app.history.storage import key as history_key
from app.history.storage.files import HistoryFiles
from engine.conversation import Conversation
from ingest.item import Kind
from models.roles import ModelSet
from tests.support.toy_asking import answered_by
from tests.support.toy_conversations import cited, conversation
from tests.support.toy_keyring import ToyKeyring, toy_keyring

__all__ = ["toy_keyring"]

PASSPHRASE = "correct horse battery"
LEASE = """From: Dana Okafor <dana@example.org>
To: me@example.org
Date: Thu, 03 Sep 2026 09:12:00 +0000
Subject: Lease
Message-ID: <lease@example.org>

The rent of the boat house is 900 euros in September.
"""
JETTY = """From: Kim Lund <kim@example.org>
To: me@example.org
Date: Fri, 04 Sep 2026 09:12:00 +0000
Subject: Jetty
Message-ID: <jetty@example.org>

The repair of the jetty is 400 euros in September.
"""
QUESTION = "What is the rent of the boat house?"
ANSWER = "The rent of the boat house is 900 euros [1]."
TALK = conversation(
    (QUESTION, ANSWER, [cited(1, "Dana Okafor", title="[x](http://evil) `a`")]),
    ("And who signed?", "Kim did [1].", [cited(2, kind=Kind.DOCUMENT), cited(3, kind=Kind.EVENT)]),
)

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody is there who types the passphrase, and it is quickly made a key."""
    monkeypatch.setitem(history_key.SCRYPT, "n", 1 << 10)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("app.commands.shared.confirmation.getpass", lambda prompt: PASSPHRASE)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    folder = tmp_path / "mail"
    folder.mkdir()
    (folder / "lease.eml").write_text(LEASE)
    (folder / "jetty.eml").write_text(JETTY)
    return folder


@pytest.fixture
def asked(
    mail: Path,
    monkeypatch: pytest.MonkeyPatch,
    fake_models: Callable[..., ModelSet],
    capsys: pytest.CaptureFixture[str],
) -> Ask:
    """Ask with a scripted generator; return what was printed."""

    def ask(*words: str, says: str = ANSWER) -> dict[str, Any]:
        models = fake_models(generator=[says])
        answered_by(monkeypatch, models)
        capsys.readouterr()
        code = main(["ask", *words, str(mail), "--strategy", "vanilla", "--json"])
        out = capsys.readouterr()
        assert code in (0, 3), out.err
        shown: dict[str, Any] = json.loads(out.out)
        return shown | {"stderr": out.err}

    return ask


Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run another command; return its JSON and its exit code."""

    def command(*words: str) -> dict[str, Any]:
        capsys.readouterr()
        code = main([*words, "--json"])
        shown: dict[str, Any] = json.loads(capsys.readouterr().out)
        return shown | {"code": code}

    return command


def test_nothing_is_kept_until_history_is_on(asked: Ask, run: Run, home: Path) -> None:
    asked(QUESTION)
    assert not [path for path in home.rglob("*") if path.is_file()]
    assert run("history", "path")["exists"] is False
    assert run("history", "list")["error"]["kind"] == "history_off"
    assert run("forget", "--everything", "--yes")["removed"] == []


def test_a_kept_conversation_is_continued_searched_exported_and_removed(
    asked: Ask, run: Run, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("history", "on", "--passphrase")["key"] == "passphrase"
    assert "follow_up" not in asked(QUESTION)
    followed = asked("Who wrote that mail?", "--continue", says="Dana Okafor wrote it [1].")
    assert [one["title"] for one in followed["follow_up"]["scope"]] == ["Lease"]
    assert followed["coverage"]["read"]["mail"] == 1, "the jetty's file is not even opened"
    assert "Narrowed to [1] Lease" in followed["stderr"]
    asked("Something else?", "--temporary")
    rows = run("history", "list")["conversations"]
    assert [(row["title"], row["turns"]) for row in rows] == [(QUESTION, 2)]
    id_ = rows[0]["id"]
    found = run("history", "search", "900", "EUROS")["results"]
    assert [(one["id"], one["turn"]) for one in found] == [(id_, 0)]
    assert run("history", "search", "garage")["code"] == 3
    whole = run("history", "show", id_[:4])["conversation"]
    assert [turn["asked"] for turn in whole["turns"]] == [QUESTION, "Who wrote that mail?"]
    assert whole["turns"][1]["parent"] == 0
    assert run("history", "export", "last")["conversation"] == whole
    for words in (["list"], ["show", id_], ["search", "rent"], ["export", id_], ["path"]):
        assert main(["history", *words]) == 0
        assert capsys.readouterr().out
    assert run("history", "rm", id_, "--yes")["removed"] == 1
    assert run("history", "list")["conversations"] == []
    assert run("history", "rm", "--all", "--yes")["removed"] == 2
    assert run("history", "path") | {"exists": False, "enabled": False} == run("history", "path")
    assert not list(home.rglob("*.db"))


def test_an_answer_in_a_file_is_followed_up_without_a_history(
    asked: Ask, tmp_path: Path, home: Path
) -> None:
    first = tmp_path / "first.json"
    first.write_text(json.dumps(asked(QUESTION)))
    second = asked("And in March?", "--follow-up-to", str(first))
    assert second["question"] == "What is the rent of the boat house in March?"
    assert second["follow_up"]["asked"] == "And in March?"
    assert second["follow_up"]["sure"]
    third = tmp_path / "second.json"
    third.write_text(json.dumps(second))
    assert asked("and in May?", "--follow-up-to", str(third))["question"].endswith("in May?")
    typed = asked("and in May?", "--follow-up-to", str(third), "--as-typed")
    assert typed["question"] == "and in May?"
    assert "Understood as" not in typed["stderr"]
    assert not [path for path in home.rglob("*") if path.is_file()]


def test_people_and_scope_of_an_answer_in_a_file_are_followed_up(
    asked: Ask, tmp_path: Path
) -> None:
    first = tmp_path / "first.json"
    first.write_text(json.dumps(asked(QUESTION)))
    turn = read_conversation(first).turns[0]
    assert turn.cited[0].people == ("Dana Okafor", "me@example.org")
    second = tmp_path / "second.json"
    second.write_text(json.dumps(asked("Who wrote that mail?", "--follow-up-to", str(first))))
    turn = read_conversation(second).turns[0]
    assert turn.asked == "Who wrote that mail?"
    assert [one.title for one in turn.scope] == ["Lease"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Expecting value"),
        ("[]", "indices"),
        ("{}", "schema_version"),
        ('{"schema_version": 2}', "newer version"),
        ('{"schema_version": 1, "conversation": {"turns": [{}]}}', "grounded"),
        ("[" * 5000, "recursion"),
    ],
)
def test_a_file_that_is_no_conversation_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(ConversationUnreadable, match=words):
        read_conversation(file)


def test_an_export_is_read_again_as_it_was(tmp_path: Path) -> None:
    scoped = replace(TALK, turns=(TALK.turns[0], replace(TALK.turns[1], scope=TALK.turns[0].cited)))
    assert conversation_of(json.loads(json.dumps(conversation_object(scoped)))) == scoped
    older = conversation_object(scoped)
    for turn in older["turns"]:  # type: ignore[attr-defined]
        del turn["scope"]
    assert conversation_of(json.loads(json.dumps(older))) == TALK
    broken = conversation_object(TALK)
    broken["turns"][0]["parent"] = 1  # type: ignore[index]
    with pytest.raises(ValueError, match="follows no earlier"):
        conversation_of(broken)


def test_markdown_cites_and_holds_no_link_of_a_file() -> None:
    text = markdown(TALK)
    assert f"## {QUESTION}".replace("?", "?") in text
    assert "- \\[1\\] \\[x\\](http:\\//evil) \\`a\\`, 2026-09-10, `/mail/Inbox`" in text
    assert "/papers/2.pdf`" in text
    assert "page 2" in text
    assert "](http" not in text.replace("\\](http", "")


def branched() -> Conversation:
    """Return one whose second question is on a branch that was left, and whose last is alone."""
    unsupporting = replace(cited(1), support=False)
    made = conversation(
        ("What is the rent?", "It is 900 euros [1].", [cited(1)]),
        ("And the deposit?", "I found nothing that answers this.", [unsupporting]),
        ("Since when?", "Since May [1].", [cited(1)]),
        ("What is the toll?", "It is 2 euros [1].", [cited(1)]),
    )
    rent, deposit, since, toll = made.turns
    left = replace(deposit, grounded="none")
    since = replace(since, parent=0, grounded="partial")
    return replace(made, turns=(rent, left, since, replace(toll, parent=None)), at=2)


def test_what_stands_on_other_branches_is_said_and_shown(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run("history", "on", "--passphrase")
    with open_history(HistoryFiles.of(os.environ), lambda prompt: PASSPHRASE) as history:
        history.keep(branched())
    capsys.readouterr()
    assert main(["history", "show", "last"]) == 0
    shown = capsys.readouterr().out
    assert "> Since when?\n\nSince May [1].\n\n  Only partly supported.\n  [1] Lease" in shown
    assert "toll" not in shown
    assert "2 more questions on other branches: askance history show last --all" in shown
    assert main(["history", "show", "last", "--all"]) == 0
    shown = capsys.readouterr().out
    assert "> And the deposit?\n  Asked after: What is the rent?\n" in shown
    assert "  Not supported.\n  [1] Lease  /mail/Inbox  (does not support it)\n" in shown
    assert "> What is the toll?\n  Asked at the beginning.\n" in shown
    assert "more question" not in shown
    text = markdown(branched())
    assert "## And the deposit?\n\n*Asked after: What is the rent?*" in text
    assert (
        "*Not supported.*\n\n- \\[1\\] Lease, 2026-09-10, `/mail/Inbox`, does not support it"
        in text
    )
    assert text.index("Since when") < text.index("the deposit") < text.index("the toll")


def test_an_export_overwrites_nothing_and_is_for_its_owner(
    asked: Ask, run: Run, tmp_path: Path
) -> None:
    run("history", "on", "--passphrase")
    asked(QUESTION)
    target = tmp_path / "talk.json"
    assert main(["history", "export", "last", "--to", str(target)]) == 0
    assert target.stat().st_mode & 0o777 == 0o600
    assert read_conversation(target).turns[0].answer.startswith("The rent")
    assert run("history", "export", "last", "--to", str(target))["error"]["kind"] == "usage"
    upper = tmp_path / "talk.JSON"
    assert run("history", "export", "last", "--to", str(upper))["path"] == str(upper)
    assert upper.read_bytes() == target.read_bytes()
    for name in ("talk.pdf", "talk", "nowhere/talk.md"):
        refused = run("history", "export", "last", "--to", str(tmp_path / name))
        assert refused["error"]["kind"] == "usage"
        assert not (tmp_path / name).exists()
    assert run("history", "rm", "last", "last", "--yes")["removed"] == 1


def test_what_destroys_asks_first(
    asked: Ask, run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("history", "on", "--passphrase")
    asked(QUESTION)
    monkeypatch.setattr("click.confirm", lambda question, err: False)
    for words in (["rm", "last"], ["rm", "--all"], ["rm", "--older-than", "1"]):
        assert main(["history", *words]) == 2
    assert main(["forget", "--everything"]) == 2
    assert "history " in capsys.readouterr().out, "it is listed before"
    assert len(run("history", "list")["conversations"]) == 1


def test_old_conversations_go_by_the_settings(
    asked: Ask, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("history", "on", "--passphrase", "--days", "30")
    asked(QUESTION)
    assert len(run("history", "list")["conversations"]) == 1
    from datetime import datetime, timedelta

    later = datetime.now().astimezone() + timedelta(days=31)

    class Later(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return later.astimezone(tz)

    monkeypatch.setattr("app.history.conversations.datetime", Later)
    assert run("history", "list")["conversations"] == []


def test_off_keeps_no_more_and_removes_nothing(asked: Ask, run: Run) -> None:
    run("history", "on", "--passphrase")
    asked(QUESTION)
    assert run("history", "off")["kept"] is True
    asked("Another question about the rent?")
    assert len(run("history", "list")["conversations"]) == 1
    assert run("history", "on")["enabled"] is True
    assert len(run("history", "list")["conversations"]) == 1


def test_a_source_whose_name_is_not_text_is_kept_exported_and_followed_up(
    asked: Ask, run: Run, mail: Path, tmp_path: Path
) -> None:
    odd = mail / os.fsdecode(b"Entw\xfcrfe.eml")
    (mail / "lease.eml").rename(odd)
    run("history", "on", "--passphrase")
    printed = asked(QUESTION)
    assert [one["path"] for one in printed["citations"]] == [str(odd)]
    files = [tmp_path / "ask.json", tmp_path / "talk.json"]
    files[0].write_text(json.dumps(printed))
    assert main(["history", "export", "last", "--to", str(files[1])]) == 0
    for file in files:
        assert read_conversation(file).turns[0].cited[0].locator.path == odd
    for words in ("show", "export"):
        assert main(["history", words, "last"]) == 0
    assert run("history", "show", "last")["conversation"]["turns"][0]["citations"] == [
        conversation_object(read_conversation(files[1]))["turns"][0]["citations"][0]  # type: ignore[index]
    ]
    followed = asked("Who wrote that mail?", "--continue", says="Dana Okafor wrote it [1].")
    assert followed["coverage"]["read"]["mail"] == 1
    assert run("history", "list")["conversations"][0]["turns"] == 2


def test_an_answer_is_printed_before_it_is_kept(
    asked: Ask, run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken(Exception):
        pass

    def broken(*_: object) -> None:
        raise Broken

    run("history", "on", "--passphrase")
    monkeypatch.setattr("app.history.conversations.History.keep", broken)
    with pytest.raises(Broken):
        asked(QUESTION)
    assert json.loads(capsys.readouterr().out)["answer"].startswith("The rent of the boat house")


@pytest.mark.parametrize("broken", ["damaged", "gone", "locked", "newer"])
def test_an_answer_is_given_whatever_the_history_does(
    asked: Ask, run: Run, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    run("history", "on", "--passphrase")
    files = HistoryFiles.of(os.environ)
    if broken == "damaged":
        files.database.write_bytes(b"x" * 5000)
    if broken == "gone":
        files.key_record.unlink()
    if broken == "locked":
        monkeypatch.setattr(
            "app.commands.shared.confirmation.getpass", lambda prompt: "another passphrase"
        )
    if broken == "newer":
        monkeypatch.setattr("app.history.storage.schema.STEPS", ())
    answered = asked(QUESTION)
    assert answered["grounded"] == "grounded"
    assert "This conversation is in memory only." in answered["stderr"]


def test_the_key_and_the_secrets_go_with_everything_else(
    asked: Ask, run: Run, toy_keyring: ToyKeyring, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("history", "on")["key"] == "keyring"
    monkeypatch.setattr("app.commands.secrets.getpass", lambda prompt: "hf_secret")
    assert run("secrets", "set", "huggingface")["kept"] is True
    asked(QUESTION)
    (home / ".config" / "askance" / "mine.txt").write_text("not ours")
    model = Path(os.environ["ASKANCE_MODELS_DIR"]) / "toy"
    model.mkdir(parents=True)
    (model / ".lock").write_text("1")
    (model.parent / "not-ours").mkdir()
    gone = run("forget", "--everything", "--yes")
    assert {row["what"] for row in gone["removed"]} == {"settings", "model", "history", "secret"}
    assert gone["limits"]
    assert toy_keyring.kept == {}
    left = [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()]
    assert left == [".config/askance/mine.txt"]
    assert (model.parent / "not-ours").is_dir()
    assert not model.exists()


def test_secrets_are_named_and_never_shown(
    run: Run,
    toy_keyring: ToyKeyring,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("app.commands.secrets.getpass", lambda prompt: "opens the pdf")
    shown = [run("secrets", "set", "passwords"), run("secrets", "list")]
    assert shown[1]["secrets"] == [{"name": "passwords", "meaning": "passwords of encrypted files"}]
    assert main(["secrets", "list"]) == 0
    shown.append({"out": capsys.readouterr().out})
    shown.append(run("secrets", "rm", "passwords"))
    assert "opens the pdf" not in json.dumps(shown)
    assert toy_keyring.kept == {}
    toy_keyring.be("locked")
    assert run("secrets", "list")["error"]["kind"] == "keyring"


def test_a_remembered_password_is_tried_without_a_terminal(
    toy_keyring: ToyKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.commands.shared.options import _passwords
    from models.system.secrets import remember_passwords

    remember_passwords(["opens the pdf"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert list(_passwords()) == ["opens the pdf"]
