"""`askance history`: conversations that are kept, encrypted, because the person asked for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands.shared.confirmation import ask_passphrase, confirm, to_remove
from app.commands.shared.lazy_group import StrictGroup
from app.commands.shared.options import json_option
from app.errors import UsageError
from app.exits import ExitCode
from app.history.conversations import open_history
from app.history.creation import begin_history, erase_history
from app.history.export.file import export as write
from app.history.export.file import fault_of
from app.history.export.formats import in_order, markdown
from app.history.printout import SHORT_ID, found_object, kept_object, turn_text, whole_object
from app.history.storage.files import HistoryFiles, has_another_name, what_stays
from app.output.objects import print_json
from app.output.plain import counted, one_line
from app.settings.config import config_path, load_config
from app.settings.edit import set_value
from app.settings.zone import zone_of

if TYPE_CHECKING:
    from app.history.conversations import History


@click.group("history", cls=StrictGroup)
def command() -> None:
    """Keep conversations, encrypted. Off by default; files are never kept."""


@command.command("on")
@click.option("--passphrase", is_flag=True, help="Ask for a passphrase instead of the keyring.")
@click.option("--new", "anew", is_flag=True, help="Start a new history; set the present one aside.")
@click.option(
    "--days",
    type=click.IntRange(1),
    metavar="N",
    help="Remove each conversation N days after its last question.",
)
@json_option
def on(passphrase: bool, anew: bool, days: int | None, as_json: bool) -> int:
    """Keep conversations from now on, encrypted, with the key in the system's keyring."""
    files = _files()
    load_config(os.environ)  # what is wrong with the settings is said before anything is made
    if files.key_record.exists() and not anew:
        history = _open_again(files, passphrase)
    else:
        history = begin_history(files, ask_passphrase if passphrase else None)
    with history:
        where = config_path(os.environ)
        set_value(where, "history", "enabled", True)
        if days is not None:
            set_value(where, "history", "days", days)
        if as_json:
            print_json({"enabled": True, "path": str(files.database), "key": history.record.kind})
            return ExitCode.ANSWERED
        key = {"keyring": "in your keyring", "passphrase": "made of your passphrase"}
        click.echo(f"Conversations are kept in {one_line(str(files.database))}, encrypted.")
        click.echo(f"The key is {key[history.record.kind]}. Without it nobody can read them.")
    return ExitCode.ANSWERED


def _open_again(files: HistoryFiles, passphrase: bool) -> History:
    history = open_history(files, ask_passphrase)
    if passphrase and history.record.kind == "keyring":
        history.close()
        raise UsageError(
            "The key of your history is in your keyring, and stays there.",
            remedy="To begin a new one with a passphrase, and set aside what is there: "
            "askance history on --new --passphrase",
        )
    return history


@command.command("off")
@json_option
def off(as_json: bool) -> int:
    """Stop keeping conversations. Kept ones stay until `history rm --all`."""
    set_value(config_path(os.environ), "history", "enabled", False)
    left = _files().exists
    if as_json:
        print_json({"enabled": False, "kept": left})
    else:
        stays = " What was kept stays; to remove it: askance history rm --all" if left else ""
        click.echo(f"Conversations are not kept any more.{stays}")
    return ExitCode.ANSWERED


@command.command("path")
@json_option
def path(as_json: bool) -> int:
    """Print the database's path, whether or not it exists."""
    files = _files()
    if as_json:
        enabled = bool(load_config(os.environ).values.history.enabled)
        exists = files.database.exists()
        print_json({"path": str(files.database), "exists": exists, "enabled": enabled})
    else:
        click.echo(one_line(str(files.database)))
    return ExitCode.ANSWERED


@command.command("list")
@json_option
def list_(as_json: bool) -> int:
    """List the kept conversations, the latest first."""
    with _open() as history:
        rows = history.listed()
    if as_json:
        print_json({"conversations": [kept_object(row) for row in rows]})
    elif not rows:
        click.echo("No conversation is kept yet.")
    else:
        zone = zone_of(load_config(os.environ))
        for row in rows:
            turns = f"{row.turns} question{'' if row.turns == 1 else 's'}"
            when = row.changed.astimezone(zone)
            head = f"{row.id[:SHORT_ID]}  {when:%Y-%m-%d %H:%M}"
            click.echo(one_line(f"{head}  {row.title}  ({turns})"))
    return ExitCode.ANSWERED


@command.command("show")
@click.argument("id_", metavar="ID")
@click.option("--all", "everything", is_flag=True, help="Include questions on other branches.")
@json_option
def show(id_: str, everything: bool, as_json: bool) -> int:
    """Print a conversation. ID is its id, the beginning of one, or "last"."""
    with _open() as history:
        conversation = history.conversation(id_)
    if as_json:
        print_json(whole_object(conversation))
        return ExitCode.ANSWERED
    turns = list(in_order(conversation))
    shown = turns if everything else turns[: len(conversation.path)]
    for turn, follows in shown:
        click.echo(turn_text(turn, follows))
    if left := len(turns) - len(shown):
        more = counted(left, "more question")
        click.echo(f"{more} on other branches: askance history show {one_line(id_)} --all")
    return ExitCode.ANSWERED


@command.command("search")
@click.argument("words", nargs=-1, required=True)
@json_option
def search(words: tuple[str, ...], as_json: bool) -> int:
    """Find questions, answers and quotes that hold all WORDS. Exit code 3: none do."""
    with _open() as history:
        found = history.search(" ".join(words))
    if as_json:
        print_json({"results": [found_object(one) for one in found]})
    else:
        for one in found:
            click.echo(one_line(f"{one.conversation[:SHORT_ID]}  {one.when:%Y-%m-%d}  {one.asked}"))
            click.echo(f"    {one_line(one.snippet)}")
    return ExitCode.ANSWERED if found else ExitCode.NOTHING_FOUND


@command.command("export")
@click.argument("id_", metavar="ID")
@click.option(
    "--to", "target", type=click.Path(path_type=Path), metavar="FILE", help="Write to this file."
)
@json_option
def export(id_: str, target: Path | None, as_json: bool) -> int:
    """Print a conversation as Markdown; with --json, as JSON for --follow-up-to.

    FILE's ending, .md or .json, chooses the format. An existing FILE is not overwritten. The
    export is not encrypted.
    """
    if target is not None and (fault := fault_of(str(target))):
        raise UsageError(f"{target} cannot be written.", remedy=fault, path=target)
    with _open() as history:
        conversation = history.conversation(id_)
    zone = zone_of(load_config(os.environ))
    if target is not None:
        written = write(conversation, str(target), zone)
        click.echo(f"Written, not encrypted: {one_line(str(written))}", err=True)
        if as_json:
            print_json({"path": str(written)})
    elif as_json:
        print_json(whole_object(conversation))
    else:
        click.echo(markdown(conversation, zone), nl=False)
    return ExitCode.ANSWERED


@command.command("rm")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Remove everything, including the database and its key.",
)
@click.option(
    "--older-than",
    type=click.IntRange(1),
    metavar="DAYS",
    help="Remove conversations without a new question for this many days.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def rm(
    ids: tuple[str, ...], everything: bool, older_than: int | None, yes: bool, as_json: bool
) -> int:
    """Remove conversations for good. --all also turns history off."""
    if sum((bool(ids), everything, older_than is not None)) != 1:
        raise UsageError(
            "Name what to remove.", remedy="Give ids, or --all, or --older-than DAYS; one of them."
        )
    if everything:
        return _remove_all(yes, as_json)
    with _open() as history:
        if older_than is None:
            named = {one.id: one.title for one in map(history.conversation, ids)}
            if not yes:
                confirm(f"Remove {', '.join(one_line(title) for title in named.values())}?")
            removed = len(history.remove(list(named)))
        else:
            if not yes:
                confirm(f"Remove what nobody added to for {older_than} days?")
            removed = history.prune(older_than)
    stays = what_stays(_files().folder)
    if as_json:
        print_json({"removed": removed, "limits": stays})
    else:
        click.echo(f"Removed {removed}, and overwritten in the database. {stays}")
    return ExitCode.ANSWERED


def _remove_all(yes: bool, as_json: bool) -> int:
    """Remove the files whatever state they are in: this needs no key."""
    files = _files()
    there = files.all()
    for one in there if not yes else filter(has_another_name, there):
        click.echo(one_line(to_remove(one)), err=True)
    if there and not yes:
        confirm("Remove all kept conversations, and their key?")
    stays = what_stays(files.folder)
    try:
        erased = erase_history(files)
    finally:
        if load_config(os.environ).origins["history.enabled"] == "file":
            set_value(config_path(os.environ), "history", "enabled", False)
    if as_json:
        shown = [str(one) for one in erased.files]
        print_json({"removed": len(shown), "files": shown, "limits": stays})
    elif erased.files:
        key = ", and the key" if erased.keys else ""
        click.echo(f"Removed, overwritten first: {len(erased.files)} files{key}. {stays}")
    else:
        click.echo("No conversation was kept.")
    return ExitCode.ANSWERED


def _files() -> HistoryFiles:
    return HistoryFiles.of(os.environ)


def _open() -> History:
    days = load_config(os.environ).values.history.days
    return open_history(_files(), ask_passphrase, days)
