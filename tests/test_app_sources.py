"""Remembering sources opens nothing."""

from __future__ import annotations

import builtins
import io
import json
import os
from pathlib import Path

import pytest

from app.cli import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mail of mine"
    folder.mkdir()
    (folder / "a.eml").write_text("Subject: x\n\ny\n")
    return folder


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every path that Python code opens or lists."""
    seen: list[str] = []

    def spy(module, name):
        original = getattr(module, name)

        def call(path, *args, **named):
            seen.append(os.fsdecode(path) if isinstance(path, str | bytes | Path) else str(path))
            return original(path, *args, **named)

        monkeypatch.setattr(module, name, call)

    for module, name in (
        (builtins, "open"),
        (io, "open"),
        (os, "open"),
        (os, "listdir"),
        (os, "scandir"),
    ):
        spy(module, name)
    return seen


def test_add_list_check_and_rm_open_nothing(folder, opened, capsys):
    for arguments in (
        ["sources", "add", str(folder)],
        ["sources", "list"],
        ["sources", "check"],
        ["doctor"],
        ["sources", "rm", str(folder)],
    ):
        main(arguments)
    assert not [path for path in opened if str(folder) in path]
    capsys.readouterr()
    assert main(["sources", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sources"] == []


def test_a_relative_path_is_remembered_absolute_and_once(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder.parent)
    assert main(["sources", "add", "mail of mine", "./mail of mine/../mail of mine"]) == 0
    assert main(["sources", "add", str(folder)]) == 0
    capsys.readouterr()
    main(["sources", "list"])
    assert capsys.readouterr().out == f"{folder}\n"


def test_a_missing_path_adds_nothing(folder, capsys):
    assert main(["sources", "add", str(folder), "/no/such"]) == 2
    main(["sources", "list", "--json"])
    assert json.loads(capsys.readouterr().out)["sources"] == []


def test_check_says_what_is_gone(folder, capsys):
    main(["sources", "add", str(folder)])
    folder.rename(folder.with_name("moved"))
    capsys.readouterr()
    assert main(["sources", "check", "--json"]) == 1
    [source] = json.loads(capsys.readouterr().out)["sources"]
    assert source["state"] == "missing"
    assert "sources rm" in source["remedy"]
    assert main(["search", "x", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "source_missing"
    assert main(["sources", "rm", str(folder)]) == 0


def test_removing_what_is_not_remembered_is_usage(folder, capsys):
    assert main(["sources", "rm", str(folder)]) == 2
    assert "not a remembered source" in capsys.readouterr().err


def test_a_device_is_not_ready(tmp_path, capsys):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    main(["sources", "add", str(fifo)])
    capsys.readouterr()
    assert main(["sources", "check", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["sources"][0]["state"] == "not a file or folder"


def test_names_that_are_hard_to_quote_survive(tmp_path, capsys):
    hard = tmp_path / 'a "b" \\ c # [d], é\x7f'
    hard.mkdir()
    plain = tmp_path / "plain"
    plain.mkdir()
    assert main(["sources", "add", str(hard), str(plain)]) == 0
    assert main(["sources", "rm", str(hard)]) == 0
    capsys.readouterr()
    main(["sources", "list", "--json"])
    [source] = json.loads(capsys.readouterr().out)["sources"]
    assert source["path"] == str(plain)
