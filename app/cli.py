"""The group `askance`: one table of commands, its errors, its exit codes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

import click

from app.commands.shared.lazy_group import LazyCommand, LazyGroup
from app.errors import MemoryRanOut, is_memory_spent
from app.exits import ExitCode
from app.interrupt import interruptible
from app.output.objects import error_object, print_json
from app.output.plain import lines
from models.errors import AskanceError

COMMANDS = (
    LazyCommand("ask", "app.commands.ask", "Answer a question from your own files."),
    LazyCommand("search", "app.commands.search", "Find passages by their words, without a model."),
    LazyCommand("sources", "app.commands.sources", "Remember where your files are."),
    LazyCommand("models", "app.commands.models", "Fetch, check and choose language models."),
    LazyCommand("config", "app.commands.config", "Show and check the settings."),
    LazyCommand("doctor", "app.commands.doctor", "Check what works on this machine."),
    LazyCommand(
        "history", "app.commands.history", "Keep conversations, encrypted; off by default."
    ),
    LazyCommand("secrets", "app.commands.secrets", "Keep tokens and passwords in the keyring."),
    LazyCommand("forget", "app.commands.forget", "List what Askance keeps, and remove it."),
    LazyCommand(
        "eval",
        "app.commands.evaluation.group",
        "Measure answers on questions with known answers.",
    ),
    LazyCommand(
        "completions",
        "app.commands.completions",
        "Print your shell's completion script.",
    ),
    LazyCommand("strategies", "app.commands.strategies", "Say how answers can be found."),
    LazyCommand("mcp", "app.commands.mcp", "Let other programs ask, over MCP; off until started."),
    LazyCommand("help", "app.commands.help", "Show the documentation, without a network."),
    LazyCommand("demo", "app.commands.demo", "Ask three questions over the sample files."),
)
EPILOG = (
    "\b\nBegin with:\n"
    "  askance models pull                        fetch the starter models, once\n"
    "  askance demo                               three questions over sample files\n"
    '  askance ask "When does it end?" ~/Mail     over your own\n'
    "  askance                                    the screen\n\n"
    "Exit codes: 0 answered, 1 failed, 2 wrong usage, 3 no answer found, 4 a model is "
    "missing or failed its check, 130 interrupted."
)


@click.group(
    cls=LazyGroup,
    commands_table=COMMANDS,
    invoke_without_command=True,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--plain", is_flag=True, help="Ask and answer in plain lines, for screen readers.")
@click.option(
    "--source",
    "sources",
    multiple=True,
    type=click.Path(exists=True),
    metavar="PATH",
    help="Read only this file or folder, not the remembered sources; may repeat.",
)
@click.version_option(package_name="askance", prog_name="askance")
@click.pass_context
def askance(context: click.Context, plain: bool, sources: tuple[str, ...]) -> int:
    """Answer questions about your own mail, documents and calendars, read when you ask."""
    if sources:
        from app.sources.states import read_alone

        read_alone(sources)
    if context.invoked_subcommand is not None:
        return ExitCode.ANSWERED
    from app.launch import start_plain, start_screen

    if plain:
        return start_plain(main)
    return start_screen([(row.name, row.summary) for row in COMMANDS])


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    typed = list(arguments)
    if "_ASKANCE_COMPLETE" in os.environ:
        import app.commands.shared.shell_completion  # noqa: F401 - click learns of one more shell

        askance.main(typed, prog_name="askance")
    as_json = "--json" in typed[: typed.index("--") if "--" in typed else len(typed)]
    try:
        with interruptible():
            code = _invoke(typed)
            sys.stdout.flush()
    except AskanceError as error:
        return _fail(error.exit_code, error_object(error), as_json)
    except click.UsageError as error:
        return _fail(ExitCode.USAGE, _usage_object(error), as_json)
    except (KeyboardInterrupt, click.Abort):
        shown = {"kind": "interrupted", "message": "Interrupted.", "path": None, "remedy": ""}
        return _fail(ExitCode.INTERRUPTED, shown, as_json)
    except BrokenPipeError:
        # Whoever read our output has seen enough. The interpreter flushes once more at exit.
        _abandon_stdout()
        return ExitCode.ANSWERED
    except (MemoryError, RuntimeError) as error:
        if not is_memory_spent(error):
            raise
        return _fail(ExitCode.FAILED, error_object(MemoryRanOut()), as_json)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise
        _abandon_stdout()
        remedy = "Free some room where the output goes, then ask again."
        shown = {"kind": "output", "message": f"{error.strerror}.", "path": None, "remedy": remedy}
        return _fail(ExitCode.FAILED, shown, as_json=False)
    return code


def _abandon_stdout() -> None:
    """Send what is left to nowhere: the interpreter flushes once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _invoke(typed: list[str]) -> int:
    try:
        with askance.make_context("askance", typed) as context:
            return int(askance.invoke(context) or ExitCode.ANSWERED)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code


def _usage_object(error: click.UsageError) -> dict[str, str | None]:
    command = error.ctx.command_path if error.ctx else "askance"
    message = error.format_message()
    if isinstance(error, click.NoSuchOption) and error.ctx:
        flags = [flag for param in error.ctx.command.params for flag in param.opts]
        built = ", ".join(flag for flag in flags if flag.startswith("-"))
        message = f"{message} There are: {built}, --help."
    remedy = f"See: {command} --help"
    return {"kind": "usage", "message": message, "path": None, "remedy": remedy}


def _fail(code: int, shown: dict[str, str | None], as_json: bool) -> int:
    """Say on stderr what went wrong; with `--json` stdout carries it as an object too.

    Paths and what was typed stand in it, so it is shown as other text of anybody's is.
    """
    prefix = "" if code == ExitCode.INTERRUPTED else "askance: "
    click.echo(lines(f"{prefix}{shown['message']}"), err=True)
    if shown["remedy"]:
        click.echo(lines(f"  {shown['remedy']}"), err=True)
    if as_json:
        print_json({"error": shown})
        sys.stdout.flush()
    return int(code)
