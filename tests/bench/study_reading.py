"""Readings of a question and what speaks for each: recorded, then fitted.

    study_reading.py record DATA OUT.jsonl --sets hotpotqa nq locomo qasper enron_annotated
    study_reading.py fit OUT.jsonl [MORE.jsonl] [--answers ROWS.jsonl:ARM …]

`record` reads as `auto` does: the best 600 tokens of passages, then 600 more behind them, each
with its signals. Questions of all sets come in turn, so that every moment is a fair sample; a file
goes on where it ended. Rows hold set, id, scores, signals, tokens and seconds, and no text.
`fit` cross-validates the confidence over questions, says what each signal is worth and what reading
on is, below which confidence, and prints the weights for `models/store/catalogue.toml`. `--answers`
adds those of an arm of `study_home.py` or `study_default.py`, and says how they do where the fit
has not seen their home or set; `--without` leaves signals out; `--on` says how the weights do on
rows of `study_default.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from question_sets import add_choice, file_of, over, questions_of, rows_of
from study_default import right_of

from app.local_models.loader import model_set
from app.settings.config import load_config
from engine import answer as path_of_a_question
from engine.agreement.votes import sameness
from engine.checking import abstention
from engine.checking.citation_check import check
from engine.confidence.calibration import Calibration
from engine.confidence.fit import Quality, fit, quality
from engine.confidence.signals import Signals, margin_of
from engine.evaluation import metrics
from engine.evaluation.corpora import CorpusReader, result_of
from engine.evaluation.questions import Question
from engine.generation.draft import Draft
from engine.generation.reply import signals_of, unshown, write
from engine.language.overlap import token_f1
from engine.retrieval import selection
from engine.retrieval.titles import follow
from engine.settings import Settings
from engine.toolbox.steps import Toolbox
from engine.values import Query

TOKENS = 600
FOLDS = 5
RIGHT = 0.6
"""Token F1 from which a reply is right though it neither holds a gold answer nor is held by one."""
MODEL_SIGNALS = frozenset({"likely", "least_likely", "denied"})


def record(given: argparse.Namespace) -> None:
    """Append a row for each question that `out` does not hold yet."""
    settings, data, sets = Settings(), given.data, given.sets
    models = model_set(load_config(os.environ), generator=given.generator)
    asked = {name: questions_of(data, name, given.skip, given.limit) for name in sets}
    readers = {name: CorpusReader(file_of(data, name), over(data, name), settings) for name in sets}
    known = {(row["set"], row["id"]) for row in rows_of([given.out])}
    with given.out.open("a") as stream:
        for turn in range(given.limit):
            for name in sets:
                if turn >= len(asked[name]) or (name, asked[name][turn].id) in known:
                    continue
                question = asked[name][turn]
                corpus = readers[name].corpus_for(question).corpus
                read = partial(path_of_a_question._read_before, corpus=corpus, settings=settings)
                steps = path_of_a_question._settle(Query(question.text), read, models, settings)
                query, left = result_of(steps)
                tools = Toolbox.of(query, left, models, settings)
                row = {"set": name, "id": question.id, "unanswerable": question.unanswerable}
                stream.write(
                    json.dumps(row | {"readings": [*_readings(tools, question, given.times)]})
                )
                stream.write("\n")
                stream.flush()


def _readings(tools: Toolbox, question: Question, times: int) -> Iterator[dict[str, Any]]:
    """Yield readings of a question, each one behind those before."""
    recalled = result_of(tools.recall())
    margin = margin_of(recalled)
    scores = follow(question.text, recalled, tools.corpus.passages).scores.copy()
    tools.models.roles.forget()
    chosen: list[int] = []
    before = ""
    for _ in range(times):
        scores[chosen] = 0.0
        if not scores.any():
            return
        model = tools.models.of("generator")
        fresh = selection.fit(tools.corpus.passages, scores, TOKENS, model)
        chosen += fresh[::-1]
        draft, row = _reading(tools, chosen, question, margin)
        same = sameness(tools)(before, draft.text, token_f1(before, draft.text))
        yield row | {"same": same if before else None}
        before = draft.text


def _reading(
    tools: Toolbox, chosen: Sequence[int], question: Question, margin: float
) -> tuple[Draft, dict[str, Any]]:
    passages = tools.passages(chosen)
    asked = tools.asked_over(passages)
    model, began = tools.models.of("generator"), time.perf_counter()
    before = replace(model.usage)
    draft = unshown(write(model, asked, asked.prompt(model, passages), adapted=True))
    seconds = time.perf_counter() - began
    signals = replace(signals_of(question.text, passages, draft), margin=margin)
    f1 = metrics.token_f1(draft.text, question.answers)
    right = metrics.substring_match(draft.text, question.answers) == 1 or f1 >= RIGHT
    return draft, {
        "right": right and not question.unanswerable,
        "f1": round(f1, 3),
        "denies": abstention.denies(draft.text, passages),
        "grounded": check(draft.text, passages, question.text).grounded,
        "signals": asdict(signals),
        "seconds": round(seconds, 2),
        "computed": model.usage.computed - before.computed,
    }


@dataclass(frozen=True, slots=True)
class Read:
    """One reading of a question, as the confidence is fitted on it."""

    question: str
    set: str
    signals: Signals
    right: bool


Judged = tuple[float, Read]


def readings_of(rows: Sequence[dict[str, Any]]) -> Iterator[Read]:
    """Yield each reading alone, and each beside the other one, but not what denies."""
    for row in rows:
        both = row["readings"]
        agreed = [0.0]
        if len(both) == 2 and not any(one["denies"] for one in both):
            agreed.append(1.0 if both[1]["same"] else -1.0)
        for one in both:
            if not one["denies"]:
                known = Signals(**one["signals"])
                for value in agreed:
                    beside = replace(known, agreed=value)
                    yield Read(f"{row['set']} {row['id']}", row["set"], beside, one["right"])


def answers_of(named: str) -> Iterator[Read]:
    """Yield the answers of "FILE:ARM" that have signals: those of a model that does not deny."""
    file, _, arm = named.rpartition(":")
    for row in rows_of([Path(file)]):
        if (found := row.get(arm)) and found["signals"]:
            source = row.get("home") or row["set"]
            said = found["raw_right"] if "raw_right" in found else found["raw_substring"] == 1
            right = said and not row["unanswerable"]
            yield Read(f"{source} {row['id']}", source, Signals(**found["signals"]), right)


def without(read: Read, signals: Sequence[str]) -> Read:
    """Return a reading of which these signals are not known."""
    unknown = {name: None if name in MODEL_SIGNALS else 0.0 for name in signals}
    return replace(read, signals=replace(read.signals, **unknown))  # type: ignore[arg-type]


def crossed(reads: Sequence[Read], ridge: float, *, sets: bool = False) -> list[Judged]:
    """Return each reading with its confidence by the other folds; a fold has whole questions.

    With `sets`, each set is a fold: how the fit does on a kind of question that it has not seen.
    """
    questions = sorted({one.question for one in reads})
    random.Random(3).shuffle(questions)
    place = {name: at % FOLDS for at, name in enumerate(questions)}
    folds = [one.set if sets else place[one.question] for one in reads]
    found: list[Judged] = []
    for fold in dict.fromkeys(folds):
        pairs = list(zip(reads, folds, strict=True))
        fitted = fit([(one.signals, one.right) for one, own in pairs if own != fold], ridge=ridge)
        found += [(fitted.confidence(one.signals), one) for one, own in pairs if own == fold]
    return found


def read_on_below(rows: Sequence[dict[str, Any]], ridge: float) -> Iterator[str]:
    """Yield, for each threshold below which reading goes on, how many answers are then right."""
    names = sorted({f"{row['set']} {row['id']}" for row in rows})
    random.Random(3).shuffle(names)
    fold = {name: place % FOLDS for place, name in enumerate(names)}
    reads = list(readings_of(rows))
    fitted = [
        fit([(one.signals, one.right) for one in reads if fold[one.question] != f], ridge=ridge)
        for f in range(FOLDS)
    ]
    able = [row for row in rows if not row["unanswerable"]]
    for threshold in (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        right = more = 0
        for row in able:
            known, both = fitted[fold[f"{row['set']} {row['id']}"]], row["readings"]
            agreed = 0.0
            if _confidence(known, both[0], agreed) < threshold and len(both) == 2:
                more += 1
                if not any(one["denies"] for one in both):
                    agreed = 1.0 if both[1]["same"] else -1.0
            else:
                both = both[:1]
            best = max(both[::-1], key=lambda one: _confidence(known, one, agreed))
            right += best["right"]
        share = more / len(able)
        yield f"read on below {threshold}: {share:.2f} of them, {right / len(able):.3f} right"


def _confidence(known: Calibration, reading: dict[str, Any], agreed: float) -> float:
    signals = replace(Signals(**reading["signals"]), agreed=agreed)
    return -1.0 if reading["denies"] else known.confidence(signals)


def report(given: argparse.Namespace) -> None:
    """Print the quality by signal and by set, thresholds, and the weights."""
    rows, ridge = rows_of(given.files), given.ridge
    answers = [without(one, given.without) for name in given.answers for one in answers_of(name)]
    reads = [*(without(one, given.without) for one in readings_of(rows)), *answers]
    questions = len({one.question for one in reads})
    share = np.mean([one.right for one in reads])
    print(f"{questions} questions, {len(reads)} readings, {share:.3f} of them right")
    together = crossed(reads, ridge)
    _say("all signals", _quality(together))
    apart = crossed(reads, ridge, sets=True)
    _say("sets left out", _quality(apart))
    if answers:
        _thresholds("answers, their home or set left out", of_adapter(apart))
    for names in ([name] for name in Signals.__dataclass_fields__):
        reduced = crossed([without(one, names) for one in reads], ridge)
        _say(f"without {', '.join(names)}", _quality(reduced))
    for name in dict.fromkeys(one.set for one in reads):
        _say(name, _quality([pair for pair in together if pair[1].set == name]))
    _thresholds("all", together)
    print(*read_on_below(rows, ridge), sep="\n")
    fitted = fit([(one.signals, one.right) for one in reads], ridge=ridge)
    print("[model.confidence]")
    print("\n".join(f"{name} = {value:.4f}" for name, value in fitted.weights.items()))
    print("[model.confidence.typical]")
    print("\n".join(f"{name} = {value:.4f}" for name, value in fitted.typical.items()))
    if given.on:
        _say("on the default's", quality([*_answered(rows_of(given.on), fitted)]))


def of_adapter(judged: Sequence[Judged]) -> list[Judged]:
    """Return those that were read with an adapter."""
    return [pair for pair in judged if pair[1].signals.adapted]


def _thresholds(what: str, judged: Sequence[Judged]) -> None:
    _say(what, _quality(judged))
    for threshold in (0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85):
        above = [one.right for confidence, one in judged if confidence >= threshold]
        below = [one.right for confidence, one in judged if confidence < threshold]
        print(
            f"{threshold}: {len(above)} above, {np.mean(above) if above else 1:.3f} of them right; "
            f"{sum(below)} right below of {len(below)}"
        )


def _answered(rows: Sequence[dict[str, Any]], fitted: Calibration) -> Iterator[tuple[float, bool]]:
    """Yield what a calibration says of the default's answers, and whether they are right."""
    for row in rows:
        if (known := row["default"]["signals"]) is not None:
            yield fitted.confidence(Signals(**known)), right_of(row)


def _quality(pairs: Sequence[tuple[float, Read]]) -> Quality:
    return quality([(confidence, one.right) for confidence, one in pairs])


def _say(what: str, found: Quality) -> None:
    auc = "-" if found.auc is None else f"{found.auc:.3f}"
    print(
        f"{what:20} n {found.count:4} right {found.right:.3f} AUC {auc} Brier {found.brier:.3f} "
        f"risk-coverage {found.risk_coverage:.3f} ECE {found.calibration_error:.3f}"
    )


def main() -> None:
    """Record or fit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="what", required=True)
    recording = parts.add_parser("record")
    add_choice(recording, skip=0, limit=60)
    recording.add_argument("--times", type=int, default=2, help="how often each question is read")
    fitting = parts.add_parser("fit")
    fitting.add_argument("files", type=Path, nargs="+")
    fitting.add_argument("--ridge", type=float, default=10.0)
    fitting.add_argument("--answers", nargs="+", default=[], metavar="ROWS:ARM")
    fitting.add_argument("--without", nargs="+", default=[], metavar="SIGNAL")
    fitting.add_argument("--on", nargs="+", type=Path, metavar="ROWS")
    given = parser.parse_args()
    if given.what == "fit":
        report(given)
    else:
        record(given)


if __name__ == "__main__":
    main()
