"""`askance eval report`: what run files say, as a page, as Markdown and as pictures."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

import click

from app.errors import UsageError
from app.evaluation.damage import tell_damaged
from app.exits import ExitCode
from engine.evaluation.arms import Arm, arms_of, datasets_of
from engine.evaluation.questions import load_questions
from engine.evaluation.runs import read_run

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("report")
@click.argument("runs", nargs=-1, required=True, type=FILE, metavar="RUN...")
@click.option(
    "--html", type=FILE, metavar="OUT", help="Write one page; it loads nothing from the network."
)
@click.option(
    "--markdown", type=FILE, metavar="OUT", help="Write tables; without any output file, to stdout."
)
@click.option(
    "--plots",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write each plot as a PNG.",
)
@click.option("--baseline", metavar="NAME", help="The strategy to compare the others with.")
@click.option(
    "--questions",
    "files",
    multiple=True,
    type=FILE,
    metavar="FILE",
    help="Show the questions of this file in the page; may repeat.",
)
@click.option(
    "--prices",
    nargs=2,
    type=click.FloatRange(0),
    metavar="IN OUT",
    help="Prices of a million tokens read and written; adds what a run would cost.",
)
def command(
    runs: tuple[Path, ...],
    html: Path | None,
    markdown: Path | None,
    plots: Path | None,
    baseline: str | None,
    files: tuple[Path, ...],
    prices: tuple[float, float] | None,
) -> int:
    """Show the results in run files that `askance eval --out` wrote.

    The page holds answers: only you can read it, and it belongs outside any published project.
    Tables and plots hold numbers only. Damaged lines are left out and counted.
    """
    _refuse_overwriting([out for out in (html, markdown) if out], [*runs, *files])
    read = [read_run(path) for path in dict.fromkeys(runs)]
    for run in read:
        tell_damaged(run)
    arms = arms_of(read)
    _refuse_nothing(arms, baseline)
    if html is not None:
        from app.evaluation.page import page

        asked = [question for file in files for question in load_questions(file)]
        _write(html, page(read, arms, asked, baseline, prices), private=True)
    if plots is not None:
        _draw(arms, plots)
    if markdown is not None or (html is None and plots is None):
        from app.evaluation.markdown import markdown as as_markdown

        text = as_markdown(arms, baseline, prices)
        if markdown is None:
            click.echo(text, nl=False)
        else:
            _write(markdown, text)
    return ExitCode.ANSWERED


def _refuse_nothing(arms: list[Arm], baseline: str | None) -> None:
    if not arms:
        raise UsageError(
            "The run files hold no answer.", remedy="Make one: askance eval QUESTIONS --out RUN."
        )
    known = dict.fromkeys(name for arm in arms for name in (arm.label, arm.setting["strategy"]))
    if baseline is not None and baseline not in known:
        raise UsageError(
            f"No run is of the strategy {baseline}.", remedy=f"There are: {', '.join(known)}."
        )


def _refuse_overwriting(outputs: Sequence[Path], given: Sequence[Path]) -> None:
    """Raise `UsageError` where a file to be written is one that was given, or another of them."""
    for place, out in enumerate(outputs):
        for other in (*given, *outputs[:place]):
            if _same(out, other):
                raise UsageError(
                    f"{out} would be overwritten: it is given too.",
                    remedy="Name another place.",
                    path=out,
                )


def _same(one: Path, other: Path) -> bool:
    """Say whether two names are one file, which need not exist."""
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()


def _write(file: Path, text: str, private: bool = False) -> None:
    """Write a file; a private one is the person's alone, even where it was not before.

    Raises `UsageError`.
    """
    try:
        with open(file, "w", encoding="utf-8", opener=_private if private else None) as stream:
            stream.write(text)
    except OSError as error:
        raise _unwritable(file, error) from error


def _private(path: str, flags: int) -> int:
    """Open a file that is the person's alone; a device or a pipe stays as it is."""
    descriptor = os.open(path, flags, 0o600)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.fchmod(descriptor, 0o600)
    return descriptor


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"{path} could not be written: {error.strerror}.", remedy="Name another place.", path=path
    )


def _file_name(dataset: str) -> str:
    """Return a set's name without folders, and as no other set's is."""
    return re.sub(r"[^\w .-]", lambda sign: f"%{ord(sign[0]):02X}", dataset)


def _draw(arms: list[Arm], folder: Path) -> None:
    """Write the plots of each set. Raises `UsageError`."""
    from app.evaluation.markdown import of_set
    from app.evaluation.plots import drawn, pareto, png, scaling

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for dataset in datasets_of(arms):
            score, own = drawn(of_set(arms, dataset))
            if not own:
                continue
            name = _file_name(dataset)
            png(pareto(own, score), folder / f"{name}_pareto.png")
            grown = scaling(own, score)
            if grown is not None:
                png(grown, folder / f"{name}_scaling.png")
    except OSError as error:
        raise _unwritable(folder, error) from error
