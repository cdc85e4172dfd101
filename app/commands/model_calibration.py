"""`askance models calibrate`: how sure one's own generator may be of its answers."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterable
from dataclasses import asdict
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.backend.client import EngineClient, open_engine
from app.backend.messages import Request
from app.commands.shared.followed import followed
from app.commands.shared.options import json_option
from app.errors import UsageError
from app.exits import ExitCode
from app.local_models.loader import fitted_path, unfitted_models
from app.local_models.roles import row_for
from app.local_models.server import served_roles
from app.output.models import table
from app.output.objects import print_json
from app.settings.config import Config, load_config
from app.sources.sample_files import SAMPLE_DAY, calibration_questions, sample_folder
from engine.events import Answered
from engine.settings import Settings
from models.store.catalogue import ModelRow
from models.store.consent import refuse_unbound
from models.store.fitted import Fitted, load_fitted, write_fitted

if TYPE_CHECKING:
    from engine.confidence.calibration import Calibration
    from engine.confidence.fit import Quality
    from engine.evaluation.calibrate import Outcome, Recalibration
    from engine.evaluation.questions import Question

ASKED_BY = "ingrid.halloran@skerrybay.example.org"
"""Whose sample it is."""


@click.command("calibrate")
@click.argument("model_id", metavar="ID")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the weights to FILE; default: confidence.toml, beside config.toml.",
)
@click.option("--dry-run", is_flag=True, help="Fit, and write nothing.")
@json_option
def calibrate(model_id: str, out: Path | None, dry_run: bool, as_json: bool) -> int:
    """Fit how sure the generator ID may be of its answers.

    It asks 74 questions with known answers over the sample files that ship with Askance, with the
    fast model of the settings, and takes as long as 74 answers do. None of your files is read.
    """
    config, (catalogue, _) = load_config(os.environ), unfitted_models(os.environ)
    row = row_for("generator", model_id, config, catalogue)
    refuse_unbound(row)
    if "generator" in served_roles(config, {"generator": row.id}):
        raise UsageError(
            "A server's model is not calibrated.",
            remedy='Set models.runtime to "auto" to calibrate a model of this machine.',
        )
    path = out or fitted_path(os.environ)
    load_fitted(path)  # an hour before it would be written, a file that is no such one is refused
    from engine.evaluation.calibrate import fitted  # imports numpy
    from engine.evaluation.questions import load_questions

    questions = list(load_questions(calibration_questions()))
    outcomes = followed(row.id, _outcomes(questions, row, config))
    found = fitted(outcomes, _prior(row))
    written = None if dry_run or (out is None and not found.better) else path
    if written:
        weights, typical = found.calibration.weights, found.calibration.typical
        write_fitted(written, Fitted(row.id, row.sha256, len(outcomes), weights, typical))
    if as_json:
        print_json({"calibration": _object(row, len(questions), found, written)})
    else:
        _report(row, len(questions), found, written, used=out is None)
    return ExitCode.ANSWERED


def _outcomes(
    questions: list[Question], row: ModelRow, config: Config
) -> Generator[str, None, list[Outcome]]:
    """Ask the questions, say how far it is, and return the answers that can be used."""
    from engine.evaluation.calibrate import outcome_of

    # All that a person may have set is left alone, so that the weights do not hang on it.
    settings = Settings(least_confidence=0.0, own=(ASKED_BY,), now=SAMPLE_DAY, zone=UTC)
    asked = {"config": config, "sources": (sample_folder(),), "settings": settings}
    outcomes: list[Outcome] = []
    began = time.monotonic()
    with EngineClient(open_engine()) as engine:
        for done, question in enumerate(questions):
            pace = (time.monotonic() - began) / done if done else None
            left = "" if pace is None else f", about {pace * (len(questions) - done):.0f} s left"
            yield f"{done} of {len(questions)} questions asked{left}"
            request = Request(0, question.text, generator=row.id, **asked)  # type: ignore[arg-type]
            for event in engine.events(request):
                if isinstance(event, Answered):
                    outcome = outcome_of(question, event.answer)
                    outcomes += [outcome] if outcome else []
    return outcomes


def _prior(row: ModelRow) -> Calibration:
    from engine.confidence.calibration import DEFAULT, Calibration

    return Calibration(row.confidence, row.typical) if row.confidence else DEFAULT


def _object(
    row: ModelRow, questions: int, found: Recalibration, path: Path | None
) -> dict[str, object]:
    return {
        "id": row.id,
        "questions": questions,
        "answers": found.before.count,
        "right": found.before.right,
        "before": _figures(found.before),
        "after": _figures(found.after),
        "weights": dict(found.calibration.weights),
        "typical": dict(found.calibration.typical),
        "written": str(path) if path else None,
    }


def _figures(quality: Quality) -> dict[str, object]:
    figures = asdict(quality)
    del figures["count"], figures["right"]
    return figures


def _report(
    row: ModelRow, questions: int, found: Recalibration, path: Path | None, *, used: bool
) -> None:
    before, after = found.before, found.after
    share = f"{100 * before.right:.0f} %"
    click.echo(
        f"{row.id}: {before.count} of {questions} questions were answered, {share} of them rightly."
    )
    for line in table([*_lines(before, after)]):
        click.echo(line)
    if path is None:
        why = "" if found.better else ": by the Brier score, the weights that there are do better"
        click.echo(f"Nothing was written{why}.")
    else:
        then = " Answers of this model use it from now on." if used else ""
        click.echo(f"Written to {path}.{then}")


def _lines(before: Quality, after: Quality) -> Iterable[list[str]]:
    yield ["", "before", "after"]
    for said, one, other in (
        ("calibration error", before.calibration_error, after.calibration_error),
        ("area under risk-coverage", before.risk_coverage, after.risk_coverage),
        ("Brier score", before.brier, after.brier),
        ("AUC", before.auc, after.auc),
    ):
        yield [said, *("" if value is None else f"{value:.3f}" for value in (one, other))]
