"""`askance eval import`: a public set's original files, made into questions and a corpus."""

from __future__ import annotations

from pathlib import Path

import click

from app.errors import UsageError
from app.exits import ExitCode
from engine.evaluation.dataset_import import import_set
from ingest.datasets.table import DATASETS, entries
from ingest.datasets.values import NotAsDocumented


@click.command("import")
@click.argument("name", metavar="SET", type=click.Choice(list(DATASETS)))
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
@click.option(
    "--out",
    "folder",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write DIR/dev/SET.jsonl and DIR/corpus/SET.jsonl.",
)
@click.option("--limit", type=click.IntRange(1), help="Take only this many questions.")
@click.option(
    "--tokens",
    type=click.IntRange(1),
    help="Fill the corpus up to this size with other documents, as TTRAG does (1000000).",
)
@click.option(
    "--seed", type=int, default=0, help="Draws the documents that fill the corpus, and their order."
)
def command(
    name: str,
    files: tuple[Path, ...],
    folder: Path,
    limit: int | None,
    tokens: int | None,
    seed: int,
) -> int:
    """Convert the original FILEs of a public SET to the format of `askance eval`.

    FILEs may be packed as .gz, .bz2 or .zip. Then run askance eval DIR/dev/SET.jsonl;
    add --candidates to ask each question over its own documents only.
    """
    try:
        done = import_set(name, entries(name, files), folder, limit, tokens, seed)
    except NotAsDocumented as error:
        remedy = f"{name} is read from: {DATASETS[name].files}; see docs/evaluation.md."
        raise UsageError(f"{error}.", remedy=remedy) from error
    except OSError as error:
        raise UsageError(
            f"{error.filename}: {error.strerror}.", remedy="Check the path."
        ) from error
    click.echo(f"{done.count:,} questions in {done.questions}")
    if done.corpus:
        about = f"about {done.tokens:,} tokens"
        click.echo(f"{done.documents:,} documents, {about}, in {done.corpus}")
    if not DATASETS[name].is_tried:
        click.echo(
            "This reader was never tried on the authors' file: look at some lines.", err=True
        )
    return ExitCode.ANSWERED
