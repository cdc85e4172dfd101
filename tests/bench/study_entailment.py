"""How good the second opinion is: does a small model tell stated sentences from others?

    python tests/bench/study_entailment.py PATH --model ID [--pairs 60] [--seed 0]

Sentences are drawn from the passages of what lies at PATH. A sentence and its own passage is a
pair that is stated. Those that are not: the sentence and another passage ("other"), and the
sentence with its digits or a name changed, beside its own passage ("changed"). Prints figures only.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from app.local_models.loader import model_set
from app.settings.config import load_config
from engine.checking.claims import unstated
from engine.checking.entailment import LEAST, likely
from engine.language.sentences import sentence_spans
from engine.retrieval.passages import split
from engine.values import Passage
from ingest.item import Item
from ingest.reading.in_process import read

_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"(?<=[a-z] )[A-Z][a-z]{2,}\b")
Pair = tuple[str, str, Passage]


def pairs(passages: list[Passage], wanted: int, chance: random.Random) -> Iterator[Pair]:
    """Yield kind, sentence and passage."""
    for passage in chance.sample(passages, min(wanted, len(passages))):
        spans = [passage.text[b:e] for b, e in sentence_spans(passage.text)]
        fit = [one for one in spans if 5 <= len(one.split()) <= 30 and "\n" not in one]
        if not fit:
            continue
        sentence = chance.choice(fit)
        yield "stated", sentence, passage
        other = chance.choice(passages)
        if other.item is not passage.item:
            yield "other", sentence, other
        if (changed := altered(sentence, chance)) != sentence:
            yield "changed", changed, passage


def altered(sentence: str, chance: random.Random) -> str:
    """Return the sentence with its numbers or a name changed."""
    if _DIGIT.search(sentence):
        return _DIGIT.sub(lambda match: str((int(match[0]) + 3) % 10), sentence)
    return _NAME.sub(chance.choice(("Quentin", "Ingrid", "Tobias")), sentence, count=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    items = [one for one in read([options.path]) if isinstance(one, Item)]
    chance = random.Random(options.seed)
    models = model_set(load_config(os.environ), lookahead=options.model, generator=options.model)
    asked: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for kind, sentence, passage in pairs(split(items), options.pairs, chance):
        doubted = likely(models.lookahead, sentence, [passage]) < LEAST
        asked[kind].append((doubted, bool(unstated(sentence, [passage]))))
    models.close()
    report(asked)


def report(asked: dict[str, list[tuple[bool, bool]]]) -> None:
    """Print the share doubted of each kind, and precision and recall of doubt."""
    for kind, rows in asked.items():
        model, rules = (sum(row[i] for row in rows) for i in (0, 1))
        print(f"{kind}: {len(rows)}; doubted by the model {model}, by the rules {rules}")
    false = asked["other"] + asked["changed"]
    for name, i in (("model", 0), ("rules", 1)):
        right = sum(row[i] for row in false)
        doubted = right + sum(row[i] for row in asked["stated"])
        print(
            f"doubt by the {name}: precision {right / max(doubted, 1):.2f}, "
            f"recall {right / max(len(false), 1):.2f}"
        )


if __name__ == "__main__":
    main()
