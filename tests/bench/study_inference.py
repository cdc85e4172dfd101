"""How often an inferred filter would hide the evidence, on questions whose evidence is known.

    python tests/bench/study_inference.py DATA [--model]

Every question is asked of the grammar twice, as `answer` does: before reading and with the people
of the corpus known. A question is harmed when an item of its `support` does not pass the filters
(calendar questions have no `support`: there any filter counts). With `--model` the look-ahead model
is asked where the grammar found nothing.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from engine import inferring
from engine.acquaintances import Acquaintances
from engine.question_grammar import clues
from engine.settings import Settings
from engine.values import Query
from ingest.item import Item
from ingest.read import read
from ingest.sieve import Scope

SETS = {
    "enron_annotated": "enron.mbox",
    "pim_mail_derived": "mail_spamassassin_ham.mbox",
    "pim_calendar_derived": "calendars",
}
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def support(row: dict[str, object]) -> set[str]:
    """Return the message ids of a question's evidence."""
    given = row.get("support") or []
    assert isinstance(given, list)
    ids = set()
    for one in given:
        title = one["title"] if isinstance(one, dict) else one
        ids.add(title[title.index("<") :] if "<" in title else title)
    return ids


def study(file: Path, items: list[Item]) -> Counter[str]:
    settings = Settings(now=NOW, zone=UTC)
    known = Acquaintances.of(items)
    by_id: dict[str, list[Item]] = {}
    for item in items:
        by_id.setdefault(item.locator.message_id or "", []).append(item)
    counts: Counter[str] = Counter()
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        counts["questions"] += 1
        query = Query(row["question"])
        query = inferring.before_reading(query, settings)
        found = clues(query.text, NOW.date(), known)
        query = inferring._narrowed(query, found, known, settings)
        if not query.inferred:
            continue
        counts["with a filter"] += 1
        for field in {inferring.GROUPS[one.field] for one in query.inferred}:
            counts[f"by {field}"] += 1
        scope = Scope(query.filters, UTC, NOW)
        gold = [item for message in support(row) for item in by_id.get(message, [])]
        lost = [item for item in gold if not inferring._passes(item, scope)]
        passing = sum(inferring._passes(item, scope) for item in items)
        counts["nothing left: dropped"] += not passing
        counts["items left, sum"] += passing
        if passing and (len(lost) == len(gold)):
            counts["harmed: no evidence passes"] += 1
        elif passing and lost:
            counts["harmed: some evidence is hidden"] += 1
            counts["lost items"] += len(lost)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    given = parser.parse_args()
    for name, corpus in SETS.items():
        reading = read([given.data / "corpus" / corpus], zone=UTC, now=NOW)
        items = [found for found in reading if isinstance(found, Item)]
        print(name, len(items), "items")
        for what, count in study(given.data / "dev" / f"{name}.jsonl", items).items():
            print(f"  {what}: {count}")


if __name__ == "__main__":
    main()
