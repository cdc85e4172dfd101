"""`askance help`: the documentation in the terminal, without a network."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from app.commands.shared.options import json_option
from app.errors import UsageError
from app.exits import ExitCode
from app.output.objects import print_json
from app.output.plain import one_line

INSTALLED = Path(__file__).parents[1] / "help"
IN_A_CHECKOUT = Path(__file__).parents[2] / "docs"
LEFT_OUT = {"index", "contributing", "security"}
"""Pages that only hold links, or include others."""


@click.command("help")
@click.argument("words", nargs=-1, metavar="[TOPIC | WORD...]")
@json_option
def command(words: tuple[str, ...], as_json: bool) -> int:
    """Show a page of the documentation, or list the pages that hold all WORDs.

    \b
    askance help                  the topics
    askance help filters          that page
    askance help scanned pages    the pages that speak of them
    """
    pages = _pages()
    if len(words) == 1 and words[0] in pages:
        return _show(words[0], pages[words[0]], as_json)
    found = {name: page for name, page in pages.items() if _holds(page, words)}
    if not found:
        raise UsageError(
            f"No page speaks of {one_line(' '.join(words))}.", remedy="The topics: askance help."
        )
    rows = [{"topic": name, "title": _title(page)} for name, page in found.items()]
    if as_json:
        print_json({"topics": rows})
        return ExitCode.ANSWERED
    width = max(len(row["topic"]) for row in rows)
    for row in rows:
        click.echo(f"{row['topic']:<{width}}  {row['title']}")
    click.echo("One of them: askance help TOPIC", err=True)
    return ExitCode.ANSWERED


def _pages() -> Mapping[str, str]:
    """Return the pages by topic. A recipe's topic is its file's name too."""
    folder = INSTALLED if INSTALLED.is_dir() else IN_A_CHECKOUT
    files = [*sorted(folder.glob("*.md")), *sorted(folder.glob("recipes/*.md"))]
    return {file.stem: file.read_text("utf-8") for file in files if file.stem not in LEFT_OUT}


def _show(topic: str, page: str, as_json: bool) -> int:
    if as_json:
        print_json({"topic": topic, "title": _title(page), "text": page})
    elif sys.stdout.isatty():
        click.echo_via_pager(page)
    else:
        click.echo(page)
    return ExitCode.ANSWERED


def _title(page: str) -> str:
    return next((line.lstrip("# ") for line in page.splitlines() if line.startswith("# ")), "")


def _holds(page: str, words: tuple[str, ...]) -> bool:
    text = page.casefold()
    return all(word.casefold() in text for word in words)
