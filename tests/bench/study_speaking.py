"""How often a line of a chat is taken for another speaker's, where it is evidence and where not.

    python tests/bench/study_speaking.py DATA/dev/locomo.jsonl DATA/corpus/locomo.jsonl

Over the turns that are gold evidence of questions with an answer none should be; the turns behind a
question without one are mostly another speaker's. No model is asked. Every second question, by id,
makes a half: the rule was chosen on the first.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.checking.speakers import SpeakerTurns
from engine.evaluation.questions import Question, load_questions
from ingest.item import Item
from ingest.reading.in_process import read


def evidence(question: Question, texts: Mapping[str, str]) -> Iterator[tuple[str, int, int]]:
    """Yield each gold turn's text and where its line begins and ends there."""
    for one in question.support:
        text = texts.get(one.title, "")
        line = re.search(rf"^\[{re.escape(one.turn)}\] .*$", text, re.MULTILINE)
        if one.turn and line:
            yield text, line.start(), line.end()


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("corpus", type=Path)
    given = parser.parse_args()
    texts = {found.title: found.text for found in read([given.corpus]) if isinstance(found, Item)}
    turns = {text: SpeakerTurns(text) for text in texts.values()}
    asked = sorted(load_questions(given.questions), key=lambda question: question.id)
    lines, taken = Counter[tuple[bool, int]](), Counter[tuple[bool, int]]()
    for number, question in enumerate(asked):
        for text, start, end in evidence(question, texts):
            key = (question.unanswerable, number % 2)
            lines[key] += 1
            taken[key] += turns[text].elses(start, end, question.text) is not None
    for key in sorted(lines):
        kind = "without an answer" if key[0] else "with an answer"
        print(f"{kind}, half {key[1] + 1}: {taken[key]} of {lines[key]} lines")


if __name__ == "__main__":
    main()
