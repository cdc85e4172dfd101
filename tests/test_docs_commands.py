"""What pages tell people to type is understood, and prints what the pages show.

A block marked `console` is run: `$ ` before a command, below it what it prints, "…" on a line of
its own for what the page leaves out. Commands in other blocks only have to parse. Pages of
`docs/recipes` are run in the home of such a person (`toy_folders`), all others over the sample;
models say what the page has them say.
"""

from __future__ import annotations

import importlib
import os
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from app.cli import askance, main
from app.exits import ExitCode
from app.sources.sample_files import sample_folder
from models.errors import AskanceError
from models.roles import ModelSet
from tests.support.toy_asking import answered_by
from tests.support.toy_folders import LAYOUTS, lay_out

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
ROOMS = ("app", "engine", "ingest", "models")
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if "reference" not in page.parts),
]
SHOWN_HOME, SHOWN_SAMPLE = "/home/ingrid", "…/app/sample/data"
SAMPLE = "$(askance demo --folder)"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^Unsure .*\n")
"""Stands above what the model said."""
NOT_SHELL = {"toml", "json", "python", "text", "yaml", "mermaid"}
SHOWN_DATE = 1795168800
"""2026-11-20 10:00 UTC: when everything in a made home was written."""


def typed_on(page: Path) -> list[list[str]]:
    """Return the words of every command of a page."""
    found = []
    for language, text in BLOCK.findall(page.read_text("utf-8")):
        if language in NOT_SHELL:
            continue
        for line in text.replace("\\\n", " ").splitlines():
            start = re.match(r"(?:\$ |.* \| )?askance\b(.*)", line)
            if start:
                found.append(_words(start[1]))
    return found


def _words(line: str) -> list[str]:
    words = shlex.split(line, comments=True)
    ends = [words.index(mark) for mark in ("|", ">", "&&", ";") if mark in words]
    return words[: min(ends, default=len(words))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page_is_one(page: Path) -> None:
    for words in typed_on(page):
        try:
            _parse(words)
        except click.UsageError as error:
            if "does not exist" not in error.format_message():  # the files are the reader's
                pytest.fail(f"askance {shlex.join(words)}: {error.format_message()}")


def _parse(words: list[str]) -> None:
    """Have click understand the words, down to the last command; nothing is run."""
    command: click.Command | None = askance
    context: click.Context | None = None
    rest = [word for word in words if word not in ("--help", "-h", "--version")]
    while command is not None and (rest or not isinstance(command, click.Group)):
        context = command.make_context(command.name, rest, parent=context)
        if not isinstance(command, click.Group):
            return
        rest = [*context._protected_args, *context.args]
        if rest:
            _, command, rest = command.resolve_command(context, rest)


def runs_of(page: Path) -> list[tuple[str, str]]:
    """Return each command of the blocks that are run, and what the page shows below it."""
    blocks = BLOCK.findall(page.read_text("utf-8"))
    texts = [text for language, text in blocks if language == "console"]
    parts = [part for text in texts for part in re.split(r"^\$ ", text, flags=re.M)[1:]]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


RUN = [page for page in PAGES if runs_of(page)]


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_a_page_shows_what_its_commands_print(
    page: Path,
    home: Path,
    fake_models: Callable[..., ModelSet],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settle(page, home, monkeypatch)
    for command, shown in runs_of(page):
        said = MARK.sub("", shown).split("\n\n")[0]
        models = fake_models(generator=[said])
        answered_by(monkeypatch, models)
        code, printed = run(command, home, capsys)
        assert code in (ExitCode.ANSWERED, ExitCode.NOTHING_FOUND), printed
        for wanted in filter(None, (_flat(one) for one in re.split(r"^…$", shown, flags=re.M))):
            assert wanted in _flat(printed), f"{page.name}: {command}\n{printed}"


def settle(page: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Move into the home that the page speaks of."""
    monkeypatch.setenv("ASKANCE_READING_TIMEZONE", "UTC")
    monkeypatch.setenv("ASKANCE_READING_WORKERS", "1")  # one starts sooner than several
    monkeypatch.chdir(home)
    if page.parent.name == "recipes":
        lay_out(home, page.stem)
        for path in home.rglob("*"):
            os.utime(path, (SHOWN_DATE, SHOWN_DATE))


def run(command: str, home: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command line; return its exit code and what it printed, as pages show it."""
    capsys.readouterr()
    command = command.replace(SAMPLE, str(sample_folder())).removeprefix("askance ")
    words = [f"{home}{w[1:]}" if w.startswith("~/") else w for w in _words(command)]
    code = main(words)
    printed = capsys.readouterr().out
    return code, printed.replace(str(home), SHOWN_HOME).replace(str(sample_folder()), SHOWN_SAMPLE)


def _flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_made_home_has_its_page(name: str) -> None:
    assert f"({name}.md)" in (DOCS / "recipes" / "index.md").read_text("utf-8")


def test_every_error_is_found_by_what_it_says_to_programs() -> None:
    page = (DOCS / "troubleshooting.md").read_text("utf-8")
    makes_one = re.compile(r"^class \w+\((\w*Error|RuntimeFailed)\):", re.MULTILINE)
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        if makes_one.search(path.read_text("utf-8")):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    kinds = {error.kind for error in _below(AskanceError)}
    assert len(kinds) > 40
    assert sorted(kind for kind in kinds if f"`{kind}`" not in page) == []


def _below(error: type[AskanceError]) -> Iterator[type[AskanceError]]:
    yield error
    for inner in error.__subclasses__():
        if inner.__module__.partition(".")[0] != "tests":
            yield from _below(inner)


def test_contributing_draws_the_tree_that_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    [tree] = [block for _, block in BLOCK.findall(text) if block.startswith("app/ ")]
    above = ROOT
    for line in tree.splitlines():
        if not line.startswith(" "):
            above = ROOT / line.split()[0]
            assert above.is_dir()
        else:
            named = re.match(r"  ((?:\w+/ ?)+)", line)
            assert named, line
            assert all((above / name).is_dir() for name in named[1].split()), line
