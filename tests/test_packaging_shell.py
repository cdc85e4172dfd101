"""Completion in real shells, and questions through a pipe."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from app.commands.shared.shell_completion import SHELLS
from app.commands.shared.standard_input import question_from

ASKANCE = Path(sys.executable).with_name("askance")


def askance(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(ASKANCE), *arguments], capture_output=True, **options)  # type: ignore[call-overload, no-any-return]


def completed(typed: str, shell: str = "powershell") -> list[str]:
    """Return the lines that a shell's function gets for a line that was typed so far."""
    word = typed.split(" ")[-1]
    asked = {"COMP_WORDS": typed, "COMP_CWORD": word, "_ASKANCE_COMPLETE": f"{shell}_complete"}
    done = askance(env=os.environ | asked)
    assert not done.stderr
    return done.stdout.decode().splitlines()


def test_powershell_gets_values_with_their_help() -> None:
    assert completed("askance sear") == ["search\tFind passages by their words, without a model."]
    assert "--since\tFirst day" in "\n".join(completed("askance search --si"))
    assert completed("askance ask q --kind ta") == ["task"]
    assert "Register-ArgumentCompleter" in askance("completions", "powershell").stdout.decode()


def test_powershell_is_left_to_complete_files_itself() -> None:
    assert not [line for line in completed("askance search lease ./") if line]


# What each shell runs to see what it offers after "askance sear" and "askance ask q --kind ta".
BASH = """
source <(askance completions bash)
for typed in "askance sear" "askance ask q --kind ta"; do
    COMP_WORDS=($typed); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
    _askance_completion askance; echo "${COMPREPLY[@]}"
done
"""
ZSH = """
compdef() { : }; compadd() { print -l ${(P)@[-1]}; }
_describe() { print -l ${(P)3%%:*}; }
source <(askance completions zsh)
words=(askance sear); CURRENT=2; _askance_completion
words=(askance ask q --kind ta); CURRENT=5; _askance_completion
"""
FISH = """
askance completions fish | source
complete --do-complete "askance sear" | string split -f1 \\t
complete --do-complete "askance ask q --kind ta" | string split -f1 \\t
"""


@pytest.mark.parametrize(
    ("shell", "script"),
    [("bash", BASH), ("zsh", ZSH), ("fish", FISH)],
    ids=["bash", "zsh", "fish"],
)
def test_the_shell_itself_completes(shell: str, script: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not here")
    place = f"{ASKANCE.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [program, *(["--norc"] if shell == "bash" else []), "-c", script],
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": place, "HOME": str(tmp_path)},
    )
    assert done.stdout.split() == ["search", "task"], done.stderr


def test_every_shell_is_offered() -> None:
    assert askance("completions", "tcsh").returncode == 2
    assert all(askance("completions", shell).stdout for shell in SHELLS[1:])


def piped(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(sent)))


def test_a_question_comes_through_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch, b"\xef\xbb\xbfWhen does it end?\n")
    assert question_from("-") == "When does it end?"
    assert question_from("-draft") == "-draft"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b" \n", "Nothing came through standard input"),
        (b"caf\xe9", "not UTF-8"),
        (b"word " * 20_000, "longer than 64 KB"),
    ],
    ids=["nothing", "not UTF-8", "long"],
)
def test_a_pipe_without_a_question_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], sent: bytes, said: str
) -> None:
    for command in ("ask", "search"):
        piped(monkeypatch, sent)
        assert main([command, "-", "/"]) == 2
        assert said in capsys.readouterr().err


def test_what_is_searched_for_comes_through_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "lease.txt").write_text("The lease of the boathouse ends in May.\n")
    piped(monkeypatch, b"boathouse\n")
    assert main(["search", "-", str(tmp_path)]) == 0
    assert "lease.txt" in capsys.readouterr().out


def test_a_file_manager_opens_one_folder_whatever_its_name(tmp_path: Path) -> None:
    # What the entry of packaging/desktop runs; other variables and a path that splits lists.
    folder = tmp_path / "Sent: 2026" / "[old] mail"
    folder.mkdir(parents=True)
    (folder / "lease.txt").write_text("The lease of the boathouse ends in May.\n")
    left_out = {"ASKANCE_SOURCES_PATHS": "/nowhere", "ASKANCE_SOURCES_LEFT_OUT": str(tmp_path)}
    found = askance("--source", folder, "search", "boathouse", env=os.environ | left_out)
    assert b"lease.txt" in found.stdout, found.stderr
    alone = askance("--source", tmp_path / "gone", "search", "boathouse")
    assert (alone.returncode, b"does not exist" in alone.stderr) == (2, True)
