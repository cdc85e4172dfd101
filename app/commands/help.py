"""`askance help`: the documentation in the terminal, without a network."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

import click

from app.commands.shared.options import json_option
from app.errors import UsageError
from app.exits import ExitCode
from app.output.objects import print_json
from app.output.plain import one_line

INSTALLED = Path(__file__).parents[1] / "help"
IN_A_CHECKOUT = Path(__file__).parents[2] / "docs"
_LISTS = re.compile(r":caption: (\w+)\n\n(.*?)```", re.DOTALL)
"""The lists of the index: the kind of their pages, and these."""
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
    kinds = _kinds(pages)
    rows = [
        {"topic": name, "title": _title(found[name]), "kind": kind}
        for name, kind in kinds.items()
        if name in found
    ]
    if as_json:
        print_json({"topics": rows})
        return ExitCode.ANSWERED
    width = max(len(row["topic"]) for row in rows)
    for kind, of_kind in groupby(rows, key=lambda row: row["kind"]):
        click.echo(kind)
        for row in of_kind:
            click.echo(f"  {row['topic']:<{width}}  {row['title']}")
    click.echo("One of them: askance help TOPIC", err=True)
    return ExitCode.ANSWERED


def _folder() -> Path:
    return INSTALLED if INSTALLED.is_dir() else IN_A_CHECKOUT


def _kinds(pages: Mapping[str, str]) -> dict[str, str]:
    """Return the kind of each page, in the order of the site's index."""
    found: dict[str, str] = {}
    recipes = [path.stem for path in sorted((_folder() / "recipes").glob("*.md"))]
    for kind, listed in _LISTS.findall((_folder() / "index.md").read_text("utf-8")):
        for entry in listed.split():
            names = recipes if entry == "recipes/index" else [entry]
            found |= {name: kind for name in names if name in pages and name not in found}
    return found


def _pages() -> Mapping[str, str]:
    """Return the pages by topic. A recipe's topic is its file's name too."""
    folder = _folder()
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
