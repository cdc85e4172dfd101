"""Writes the pages of the documentation that say what the code says: `docs/reference/`.

Commands come from click, settings from their table, strategies from the registry. Run it after a
change of any; `--check` only says what is not up to date. When to choose a strategy, its cost, its
source and what was measured of it stand in `app/commands/strategies.toml`, by hand.
"""

from __future__ import annotations

import inspect
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from app.cli import askance  # noqa: E402
from app.settings.schema import SETTINGS, Setting  # noqa: E402
from engine.strategies.registry import STRATEGIES, Strategy, written  # noqa: E402
from ingest.formats import limit_of  # noqa: E402
from ingest.mail.mbox import MESSAGE_LIMIT  # noqa: E402
from ingest.recognise import Format  # noqa: E402

REFERENCE = ROOT / "docs" / "reference"
MAILBOXES = (Format.MAIL, Format.MBOX, Format.PST)
NO_FORMATS = (Format.ZIP, Format.OLE, Format.FOREIGN, Format.UNSUPPORTED, Format.EMPTY)
"""Until it is known what they are, or never."""
WRITTEN_BY = (
    "<!-- Written by packaging/reference.py from the code. Change the code instead. -->\n\n"
)


@dataclass(frozen=True)
class Page:
    """What one command says of itself."""

    path: str
    """As typed: `askance models pull`."""
    usage: str
    about: str
    options: list[tuple[str, str]]
    """Flags as typed, and what they do."""


def commands() -> list[Page]:
    """Return every command, groups before what is in them."""
    with click.Context(askance, info_name="askance") as context:
        return list(_pages(askance, context))


def _pages(command: click.Command, context: click.Context) -> Iterator[Page]:
    options = [
        record
        for param in command.get_params(context)
        if (record := param.get_help_record(context)) and (record[1] or record[0].startswith("-"))
    ]
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield Page(context.command_path, usage, _unwrapped(command.help or ""), options)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                with click.Context(inner, info_name=name, parent=context) as below:
                    yield from _pages(inner, below)


def _unwrapped(text: str) -> str:
    """Join the lines of paragraphs; those that click leaves as they are stay behind its mark."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(
        paragraph if paragraph.startswith("\b") else " ".join(paragraph.split())
        for paragraph in paragraphs
    )


def commands_page() -> str:
    """Return the reference of commands."""
    parts = ["# Commands\n"]
    for page in commands():
        parts.append(f"## {page.path}\n\n```\n{page.usage}\n```\n")
        parts.append(re.sub(r"\x08\n?(.*)", r"```\n\1\n```", page.about, flags=re.S) + "\n")
        if page.options:
            rows = [
                f"| `{_cell(flags)}` | {_cell(_escaped(about))} |" for flags, about in page.options
            ]
            parts.append("\n".join(["| flag | |", "|---|---|", *rows]) + "\n")
    return "\n".join(parts)


FOR_STUDIES = (
    *("answer.allocation", "answer.max_context", "answer.seed"),
    *("answer.stemming", "answer.infer_model"),
)
SETTINGS_HEAD = """# Settings

Flags win over variables, variables over `config.toml`, the file over defaults.
`askance config path` says where the file is, `askance config show` what won.
Those that only measuring needs are on [a page of their own](study-settings.md).
"""
FOR_STUDIES_HEAD = """# Settings for studies

They hold an answer to a number of tokens, a seed or a method, to compare strategies.
Nobody needs them to ask: [effort and time budget](settings.md) bound the work.
"""
SETTINGS_TABLE = """
| setting | variable | default | must be | |
|---|---|---|---|---|
"""


def settings_page(*, studies: bool) -> str:
    """Return the reference of settings: those of people, or those that are for studies alone."""
    rows = [_setting_row(one) for one in SETTINGS if (one.name in FOR_STUDIES) == studies]
    head = FOR_STUDIES_HEAD if studies else SETTINGS_HEAD
    return head + SETTINGS_TABLE + "\n".join(rows) + "\n"


def _setting_row(setting: Setting) -> str:
    default = "none" if setting.default in (None, ()) else f"`{setting.default}`".lower()
    variable = (
        "in the file only" if "in the file only" in setting.kind.form.wanted else setting.variable
    )
    wanted = setting.kind.form.wanted.replace(", in the file only", "").partition(": a variable")[0]
    cells = (f"`{setting.name}`", f"`{variable}`" if " " not in variable else variable, default)
    return f"| {' | '.join(cells)} | {_cell(wanted)} | {_cell(setting.about)} |"


def _cell(text: str) -> str:
    """Return a text that fits a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def _escaped(text: str) -> str:
    """Return a text whose stars and angles Markdown leaves alone."""
    return re.sub(r"([*<>\[\]])", r"\\\1", text)


def strategy_page(strategy: Strategy, about: Mapping[str, Any]) -> str:
    """Return the page of one strategy: what it does, when to choose it, what was measured."""
    parts = [f"# `{strategy.name}`\n", f"{strategy.summary[:1].upper()}{strategy.summary[1:]}.\n"]
    parts += [_unwrapped(inspect.getdoc(type(strategy)) or "") + "\n"]
    steps = inspect.getdoc(type(strategy).run)
    if steps:
        parts.append(f"Its steps: {_unwrapped(steps)}\n")
    parts.append(f'```\naskance ask --strategy {strategy.name} "…"\n```\n')
    facts = ("When", about["when"]), ("Cost", about["cost"]), ("From", f"{about['source']}.")
    parts += [f"- **{name}**: {text}" for name, text in facts]
    parts += ["", _parameters(strategy), "## Measured\n"]
    parts += [f"- {row}" for row in about.get("measured", [])] or ["Not measured yet."]
    parts.append("\n[Results](../../results.md) has the set-up and the commands.")
    return "\n".join(parts).rstrip() + "\n"


def _parameters(strategy: Strategy) -> str:
    kinds = get_type_hints(type(strategy))
    rows = [
        f"| `{field.name}` | `{written(value)}` | {_accepted(kinds[field.name])} |"
        for field in fields(strategy)
        for value in [getattr(strategy, field.name)]
    ]
    if not rows:
        return "## Parameters\n\nIt takes none.\n"
    head = ["## Parameters\n", "| parameter | default | accepts |", "|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"


def _accepted(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(f"`{word}`" for word in get_args(kind))
    if get_origin(kind) is tuple:
        return "whole numbers, `/` between them"
    return "a whole number" if kind is int else "a number"


def strategies_page(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the list of strategies, each with a link and what is known of it."""
    head = """# Strategies, side by side

F1, tokens read and seconds are of one set-up: 30 questions of each of four public sets, both
models of 0.5 billion parameters, 800 tokens for the generator, one core of a busy machine
([results](../results.md)). Larger models were not compared yet, so take differences with care.
Where a cell is empty, nothing was measured. Its page has its source.

| name | what it does | choose it when | cost | F1 | tokens | s |
|---|---|---|---|---|---|---|
"""
    return head + "\n".join(_strategy_row(s, measured[s.name]) for s in STRATEGIES) + "\n"


def _strategy_row(strategy: Strategy, about: Mapping[str, Any]) -> str:
    figures = [about.get(name, "") for name in ("f1", "read", "seconds")]
    texts = [strategy.summary, about["when"], about["cost"]]
    cells = [f"[`{strategy.name}`](strategies/{strategy.name}.md)", *texts, *figures]
    return f"| {' | '.join(map(_cell, cells))} |"


def formats_page() -> str:
    """Return the list of formats, and the largest file of each that is read."""
    head = """# Formats and their limits

What a file is, its content tells, not its name. [Reading](../reading.md) says what is made of each.

| format | largest file |
|---|---|
"""
    own = [form for form in Format if form not in NO_FORMATS and form not in MAILBOXES]
    rows = [f"| {form.value} | {limit_of(form) >> 20:,} MB |" for form in own]
    rows.insert(0, f"| mail, mbox | any; a message {MESSAGE_LIMIT >> 20} MB |")
    inner = f"any; in a mail or an archive {limit_of(Format.PST) >> 20} MB"
    rows.append(f"| {Format.PST.value} | {inner} |")
    return head + "\n".join(rows) + "\n"


def pages() -> dict[str, str]:
    """Return every page by its path below `docs/reference`."""
    measured = tomllib.loads((ROOT / "app" / "commands" / "strategies.toml").read_text("utf-8"))
    written = {
        "commands.md": commands_page(),
        "settings.md": settings_page(studies=False),
        "study-settings.md": settings_page(studies=True),
        "formats.md": formats_page(),
        "strategies.md": strategies_page(measured),
    }
    for strategy in STRATEGIES:
        written[f"strategies/{strategy.name}.md"] = strategy_page(strategy, measured[strategy.name])
    return {name: WRITTEN_BY + text for name, text in written.items()}


def stale() -> list[str]:
    """Return the pages that are not what the code says, those of nothing included."""
    wanted = pages()
    here = {path.relative_to(REFERENCE).as_posix(): path for path in REFERENCE.rglob("*.md")}
    differ = [name for name, text in wanted.items() if _text(here.get(name)) != text]
    return sorted({*differ, *(here.keys() - wanted.keys())})


def _text(path: Path | None) -> str | None:
    return path.read_text("utf-8") if path is not None else None


def main() -> int:
    """Write what is not up to date, or with `--check` name it."""
    changed = stale()
    if "--check" in sys.argv:
        print("\n".join(changed) or "docs/reference is up to date.")
        return 1 if changed else 0
    wanted = pages()
    for name in changed:
        path = REFERENCE / name
        if name in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[name], "utf-8")
        else:
            path.unlink()
    print(f"{len(changed)} pages written or removed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
