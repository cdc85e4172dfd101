"""What inferred filters find, and how often one would hide the evidence. Prints figures only.

    python tests/bench/study_inference.py labelled [--model ID]
    python tests/bench/study_inference.py DATA [--model ID --limit N]

"labelled" are the invented questions of `inference_questions.jsonl`, which say what is meant. In
DATA every question is asked of the grammar as `answer` does. It is harmed when no item of its
`support` passes the filters; calendar questions have no `support`, there any filter counts. With
`--model` that model is asked about the names and dates of questions (the first N that have some)
in which the grammar finds nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from app.local_models.loader import model_set
from app.settings.config import load_config
from engine.question import inferred_filters
from engine.question.acquaintances import Acquaintances
from engine.question.model_roles import chosen_among, chosen_from, likelihoods
from engine.question.question_grammar import analysed, clues
from engine.settings import Settings
from engine.values import Query
from ingest.item import Item, Kind, Locator, People, Person
from ingest.reading.in_process import read
from ingest.sieve import Scope
from models.protocols import Generator

SETS = {
    "enron_annotated": "enron.mbox",
    "pim_mail_derived": "mail_spamassassin_ham.mbox",
    "pim_calendar_derived": "calendars",
}
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MARGINS = (0.0, 0.1, 0.2, 0.5, 1.0)
LABELLED = Path(__file__).parent / "inference_questions.jsonl"
LABELLED_DAY = date(2026, 11, 18)
PEOPLE = (
    Person("Ann Smith", "ann@x.example"),
    Person("Miller, Bob", "bob.miller@acme.example"),
    Person("Acme Billing", "billing@acme.example"),
    Person("Dana Fox", "dana@y.example"),
)


@dataclass
class Asked:
    """The model's choices, by margin: roles given, and how many of them were right."""

    names_and_dates: int = 0
    seconds: float = 0.0
    given: Counter[float] = field(default_factory=Counter)
    right: Counter[float] = field(default_factory=Counter)

    def ask(
        self, model: Generator, question: str, day: date, known: Acquaintances
    ) -> Iterator[tuple[tuple[str, ...], str, dict[str, float]]]:
        """Yield the roles, words and likelihoods of every name and date."""
        for words, roles in chosen_among(analysed(question, day, known)):
            began = time.monotonic()
            scores = likelihoods(model, question, words, roles)
            self.seconds += time.monotonic() - began
            self.names_and_dates += 1
            yield roles, words, scores

    def note(self, scores: dict[str, float], truth: str) -> None:
        """Count a choice at every margin; "neither" gives no filter."""
        for margin in MARGINS:
            role = chosen_from(scores, margin)
            self.given[margin] += role not in (None, "neither")
            self.right[margin] += role == truth != "neither"

    def show(self) -> None:
        """Print a line a margin."""
        each = self.seconds / max(1, self.names_and_dates)
        print(f"  model: {self.names_and_dates} names and dates, {each:.1f} s each")
        for margin in MARGINS:
            print(f"    margin {margin}: given {self.given[margin]}, right {self.right[margin]}")


def study_labelled(model: Generator | None) -> None:
    """Compare what is read with what is meant."""
    item = Item(Kind.MAIL, "", None, People(PEOPLE, PEOPLE), "", Locator(Path("/mail")))
    known = Acquaintances.of([item])
    counts: Counter[str] = Counter()
    asked = Asked()
    for line in LABELLED.read_text("utf-8").splitlines():
        row = json.loads(line)
        meant = set(row["filters"])
        found = {
            f"{one.field} {one.value}"
            for one in clues(analysed(row["question"], LABELLED_DAY, known))
        }
        counts += Counter(questions=1, meant=len(meant), found=len(found), right=len(found & meant))
        if found or model is None:
            continue
        for roles, words, scores in asked.ask(model, row["question"], LABELLED_DAY, known):
            asked.note(scores, _truth(roles, words, meant))
    print("labelled", dict(counts))
    if model:
        asked.show()


def _truth(roles: Sequence[str], words: str, meant: set[str]) -> str:
    if "date" in roles:
        return "date" if any(one.startswith(("since", "until")) for one in meant) else "neither"
    if f"from {words}" in meant:
        return "sender"
    return "recipient" if f"to {words}" in meant else "neither"


def support(row: dict[str, Any]) -> set[str]:
    """Return the message ids of a question's evidence."""
    titles = [one["title"] if isinstance(one, dict) else one for one in row.get("support") or []]
    return {title[title.index("<") :] if "<" in title else title for title in titles}


def study_data(file: Path, items: list[Item], model: Generator | None, limit: int) -> None:
    """Count filters and harm over one set."""
    settings = Settings(now=NOW, zone=UTC)
    known = Acquaintances.of(items)
    counts: Counter[str] = Counter()
    asked = Asked()
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        counts["questions"] += 1
        gold = [item for item in items if item.locator.message_id in support(row)]
        query = inferred_filters.before_reading(Query(row["question"]), settings)
        found = clues(analysed(query.text, NOW.date(), known))
        query = inferred_filters.narrowed(query, found, known, settings)
        if query.inferred:
            counts += _harm(query, items, gold)
        elif model and asked.names_and_dates < limit:
            for roles, words, scores in asked.ask(model, row["question"], NOW.date(), known):
                asked.note(scores, _true_role(roles, words, gold, known))
    print(f"{file.stem} over {len(items)} items")
    for what, count in counts.items():
        print(f"  {what}: {count}")
    if model:
        asked.show()


def _harm(query: Query, items: list[Item], gold: list[Item]) -> Counter[str]:
    scope = Scope(query.filters, UTC, NOW)
    passing = sum(inferred_filters.passes(item, scope) for item in items)
    kept = sum(inferred_filters.passes(item, scope) for item in gold)
    counts = Counter({"with a filter": 1, "items left, sum": passing})
    counts += Counter({f"by {inferred_filters.GROUPS[one.field]}" for one in query.inferred})
    counts["nothing left, so dropped"] += not passing
    counts["harmed: no evidence passes"] += bool(passing and not kept)
    counts["some evidence hidden"] += bool(passing and 0 < kept < len(gold))
    return counts


def _true_role(roles: Sequence[str], words: str, gold: list[Item], known: Acquaintances) -> str:
    """Return a role that hides none of the evidence; without evidence none is right."""
    if not gold or "date" in roles:
        return "neither"
    parts = {words, *known.senders.get(words.casefold(), ())}
    sent = all(any(p.matches(w) for p in item.people.sender for w in parts) for item in gold)
    return "sender" if sent else "neither"


def main() -> None:
    """Run the study that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--model")
    parser.add_argument("--limit", type=int, default=40)
    given = parser.parse_args()
    settings = load_config(os.environ)
    model = model_set(settings, lookahead=given.model).lookahead if given.model else None
    if given.data == "labelled":
        study_labelled(model)
        return
    for name, corpus in SETS.items():
        reading = read([Path(given.data) / "corpus" / corpus], zone=UTC, now=NOW)
        items = [found for found in reading if isinstance(found, Item)]
        study_data(Path(given.data) / "dev" / f"{name}.jsonl", items, model, given.limit)


if __name__ == "__main__":
    main()
