"""Key-value, summary and the classifier that picks a route, with models of known replies."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.answer import answer
from engine.checking import abstention
from engine.compute.plan_text import parsed
from engine.events import Answered, Noted
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.routes.labels import LABELS, by_model, by_words
from engine.settings import Budget, Settings
from engine.values import Answer, Query
from ingest.item import Item, Kind, Locator, People, Person, Shelf
from models.roles import ModelSet

HARD = Path(__file__).parent / "bench" / "compute_hard.jsonl"
ASKED_ON = datetime(2026, 4, 20, tzinfo=UTC)


def document(title: str, text: str, records: tuple[int, ...] = ()) -> Item:
    place = Locator(Path(f"/docs/{title}"))
    return Item(Kind.DOCUMENT, title, None, People(), text, place, records=records)


def keyed(count: int, seed: int = 7) -> tuple[Item, dict[str, str]]:
    """Return a document of members `"key": "value"`, each a record, and what they hold."""
    drawn = random.Random(seed)
    held = {_token(drawn): _token(drawn) for _ in range(count)}
    lines = [f'"{key}": "{value}",\n' for key, value in held.items()]
    starts = [sum(map(len, lines[:at])) for at in range(count)]
    return document("keys.json", "".join(lines), tuple(starts)), held


def _token(drawn: random.Random) -> str:
    digits = f"{drawn.getrandbits(128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


class Run:
    def __init__(self, events: list[Any], generator: Any, lookahead: Any) -> None:
        assert isinstance(events[-1], Answered)
        self.answer: Answer = events[-1].answer
        self.events = events
        self.generator, self.lookahead = generator, lookahead

    @property
    def notes(self) -> list[str]:
        return [one.text for one in self.events if isinstance(one, Noted)]


Ask = Callable[..., Run]


@pytest.fixture
def ask(fake_generator: Any) -> Ask:
    def run(
        strategy: str,
        question: str,
        items: Sequence[Item],
        generator: Any = ("Not found.",),
        lookahead: Any = ("Reason. Answer.",),
        budget: Budget | None = None,
        logprobs: Any = None,
        plan: str | None = None,
    ) -> Run:
        models = {
            "g": fake_generator("g", generator),
            "l": fake_generator("l", lookahead, logprobs=logprobs),
        }
        events = answer(
            Query(question),
            corpus_of(split(items)),
            ModelSet("l", "g", models.__getitem__),
            Settings(
                strategy=strategy,
                zone=UTC,
                now=ASKED_ON,
                budget=budget,
                least_confidence=0,
                plan=parsed(plan) if plan else None,
            ),
        )
        return Run(list(events), models["g"], models["l"])

    return run


# Key-value


def test_every_key_of_a_haystack_is_read_off_without_a_model(ask: Ask) -> None:
    item, held = keyed(400)
    for key in list(held)[::40]:
        found = ask("key_value", f'What is stored under the key "{key}"?', [item])
        assert found.answer.text == f"{held[key]} [1]"
        assert found.answer.citations[0].quote == held[key]
        assert found.answer.usage.effective_context == 0


@pytest.mark.parametrize(
    ("record", "question", "value"),
    [
        ("colour = dark green", "Which colour is set?", "dark green"),
        ("Licence plate: HH-AB 12", "What is the licence plate?", "HH-AB 12"),
        ('"path": "a \\"b\\" c"', "value of path", 'a \\"b\\" c'),
    ],
)
def test_a_record_of_key_and_value_is_read_literally(
    ask: Ask, record: str, question: str, value: str
) -> None:
    assert ask("key_value", question, [document("x", record)]).answer.text == f"{value} [1]"


ROW = "Ferry Skagen, cabin 4411, deck 7, booked by Kim"


def test_another_record_is_read_by_a_model_under_300_tokens_and_verified(ask: Ask) -> None:
    long = " ".join(f"filler{n}" for n in range(200))
    found = ask(
        "key_value", "Which cabin on the Skagen ferry?", [document("x", f"{ROW} {long}")], ["4411"]
    )
    assert found.answer.text == "4411 [1]"
    assert found.answer.usage.effective_context < 300


def test_a_value_that_is_not_in_the_record_is_none(ask: Ask) -> None:
    found = ask("key_value", "Which cabin on the Skagen ferry?", [document("x", ROW)], ["4412"])
    assert found.answer.grounded == "none"


def test_a_key_that_no_record_has_abstains(ask: Ask) -> None:
    item, _ = keyed(20)
    found = ask("key_value", "What is stored under the key zeppelin?", [item])
    assert found.answer.text == abstention.ABSTENTION


# Summary

WEEK = [
    Item(
        Kind.MAIL,
        f"Report {number}",
        datetime(2026, 4, day, 9, tzinfo=UTC),
        People(sender=(Person("Kim Sato", "kim@sato.example"),)),
        f"Subject: Report {number}\n\n{text}",
        Locator(Path("/mail/in.mbox"), message_id=f"<{number}>"),
    )
    for number, day, text in (
        (1, 6, "The mast was varnished."),
        (2, 20, "The harbour raised its fees."),
        (3, 20, "The engine leaks oil."),
    )
]


def event(title: str, day: int) -> Item:
    place = Locator(Path("/cal/boat.ics"), uid=title)
    return Item(Kind.EVENT, title, datetime(2026, 4, day, 9, tzinfo=UTC), People(), title, place)


REGATTA = event("Regatta at the pier", 18)


def read_of(found: Run, *facts: str) -> list[str]:
    """Return which of the facts stood in a batch."""
    return [fact for fact in facts if any(fact in prompt for prompt in found.generator.prompts)]


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Summarise my events", ["Regatta"]),
        ("Summarise my mail", ["varnished", "fees", "leaks"]),
        ("Summarise my mail and events", ["varnished", "fees", "leaks", "Regatta"]),
        ("Summarise everything", ["varnished", "fees", "leaks", "Regatta"]),
        ('Summarise the thread "Report 2"', ["fees"]),
        ("Summarise what was said about the harbour engine in 2 sentences", ["fees", "leaks"]),
        ("Give me a summary of two lines about the mast", ["varnished"]),
        ("Summarise the discussion about the pier", ["Regatta"]),
        ("Summarise the mails about zeppelins", ["varnished", "fees", "leaks"]),
    ],
)
def test_a_summary_is_of_what_the_question_names(ask: Ask, question: str, read: list[str]) -> None:
    found = ask("summary", question, [*WEEK, REGATTA], ["x"])
    assert read_of(found, "varnished", "fees", "leaks", "Regatta") == read


def test_what_lacks_the_words_of_a_summary_is_counted(ask: Ask) -> None:
    found = ask("summary", "Summarise the mails about the mast", WEEK, ["x"])
    assert 'not read, without a word of "mast": 2 passages' in found.notes


def test_where_a_sort_of_items_is_not_there_all_are_read_and_that_is_said(ask: Ask) -> None:
    """The meeting may be a transcript."""
    found = ask("summary", "Summarise the meeting", WEEK[:1], ["x"])
    assert read_of(found, "varnished") == ["varnished"]
    assert "there are no events of that: other kinds were read too" in found.notes


@pytest.mark.parametrize("question", ["Summarise everything", "Summarise my mail"])
def test_a_summary_says_what_lies_on_shelves(ask: Ask, question: str) -> None:
    thrown = replace(WEEK[0], shelf=Shelf.TRASH)
    found = ask("summary", question, [thrown, *WEEK[1:]], ["x"])
    assert not read_of(found, "varnished")
    assert any(note.startswith("left out, in Trash: 1") for note in found.notes)
    in_it = ask("summary", "Summarise the mail in the Trash", [thrown, *WEEK[1:]], ["x"])
    assert read_of(in_it, "varnished", "fees") == ["varnished"]


def test_a_cancelled_event_is_part_of_a_summary(ask: Ask) -> None:
    found = ask("summary", "Summarise my events", [event("Regatta (cancelled)", 18)], ["x"])
    assert read_of(found, "Regatta (cancelled)")


# The classifier


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("Give me an overview of the lease dispute", "summary"),
        ("Could you give us a quick recap, please?", "summary"),
        ("What were the main points of Kim's mail?", "summary"),
        ("In two sentences, summarise my mail", "summary"),
        ("Sum up the dispute", "summary"),
        ("Summaries of my mail by month", "summary"),
        ("Which value does the key backup_host hold?", "key_value"),
        ("What is stored under the key zeppelin?", "key_value"),
        ("What is max_connections set to?", "key_value"),
        ('Value of the field "licence plate"?', "key_value"),
        ("Who is Kim's landlord?", None),
        ("Where did I leave the key?", None),
        # A summary, an outline or a digest that somebody made or sent.
        ("Who sent me the project overview?", None),
        ("When did Kim send the summary?", None),
        ("What is the summary that Kim sent?", None),
        ("What is the summary about?", None),
        ("Which mail has a recap of the meeting?", None),
        ("Did Kim give an overview of the project?", None),
        ('When did Kim send "Summary of May"?', None),
        ("What does the weekly digest say about the pier?", None),
        ("Sum up the amounts of my card statements", None),
        # Properties, fields, keys and contracts of the vocabulary.
        ("Which property is under contract?", None),
        ("Which field trip did Kim set to May?", None),
        ("What is the value of the property at the pier?", None),
        ("What is the value of the property 12 Elm Street?", None),
        ("Which key is stored under the mat?", None),
        ("Who set the variable spool_directory?", None),
        ("What value does report_2025.pdf state?", None),
    ],
)
def test_words_settle_what_they_can(question: str, label: str | None) -> None:
    found = by_words(question)
    assert (found.label if found else None) == label


def test_words_settle_the_hard_questions_that_were_looked_at() -> None:
    """Those with odd numbers; nobody looked at the others while the words were chosen."""
    rows = [json.loads(line) for line in HARD.read_text("utf-8").splitlines()[::2]]
    found = [by_words(row["question"].replace("{", "")) for row in rows]
    by_model_or_plan = ("question", "aggregate")
    wanted = [None if row["label"] in by_model_or_plan else row["label"] for row in rows]
    assert [one.label if one else None for one in found] == wanted


def favouring(label: str, by: float) -> Callable[[str, Sequence[str]], list[float]]:
    """Answer the classifier's prompt: `label` is likelier by so much, wherever it is listed."""
    words = {
        "question": "reading a",
        "key_value": "key, code",
        "summary": "summarising",
        "aggregate": "counting",
    }

    def said(prompt: str, letters: Sequence[str]) -> list[float]:
        lines = {line[0]: line for line in prompt.splitlines() if line[1:3] == ": "}
        return [-1.0 if words[label] in lines[letter] else -1.0 - by for letter in letters]

    return said


@pytest.mark.parametrize("label", LABELS)
def test_the_model_chooses_by_likelihood_over_all_orders(fake_generator: Any, label: str) -> None:
    model = fake_generator("l", logprobs=favouring(label, 3.0))
    found = by_model(model, "anything")
    assert found.label == label
    assert found.scores[found.label] == pytest.approx(-1.0)
    assert len(model.prompts) == 4


def test_a_model_that_is_not_sure_leaves_the_question_a_question(fake_generator: Any) -> None:
    assert (
        by_model(fake_generator("l", logprobs=favouring("summary", 0.5)), "x").label == "question"
    )


def test_a_question_that_fits_no_class_goes_to_retrieval(ask: Ask) -> None:
    found = ask("conditional", "Who varnished the mast?", WEEK, ["The mast was varnished [1]"],
                logprobs=favouring("question", 3.0))  # fmt: skip
    assert found.notes[0].startswith("class: question, by model")
    assert found.answer.citations[0].passage.item is WEEK[0]


@pytest.mark.parametrize("strategy", ["conditional", "ttrag"])
def test_each_class_takes_its_route(ask: Ask, strategy: str) -> None:
    item, held = keyed(30)
    key = next(iter(held))
    assert ask(strategy, f'Value of the key "{key}"?', [item]).answer.text == f"{held[key]} [1]"
    counted = ask(strategy, "How many mails did Kim send?", WEEK)
    assert counted.answer.text == "3 mails [1][2][3]"
    assert counted.notes[0] == "class: aggregate, by plan"
    summed = ask(strategy, "Summarise my mail", WEEK, ["The engine leaks oil."])
    assert summed.answer.text == "The engine leaks oil. [1]"


def test_a_computation_over_nothing_does_not_fall_back_to_guessing(ask: Ask) -> None:
    found = ask("conditional", "How many mails did Kim send in 1999?", WEEK, ["Three [1]"])
    assert found.answer.grounded == "none"
    assert not found.generator.prompts


def test_days_without_anything_leave_nothing_to_summarise(ask: Ask) -> None:
    found = ask(
        "conditional", "Summarise the mail of May 1999", WEEK, ["The engine leaks oil. [1]"]
    )
    assert found.answer.text == abstention.ABSTENTION
    assert not found.generator.prompts


def test_a_summary_that_the_model_leaves_empty_is_of_the_text_itself(ask: Ask) -> None:
    found = ask("conditional", "Summarise what Kim says of the engine", WEEK, [""])
    assert "The engine leaks oil." in found.answer.text
    assert found.generator.usage.calls == 1


@pytest.mark.parametrize("strategy", ["conditional", "auto"])
def test_words_that_choose_no_item_do_not_end_the_search(ask: Ask, strategy: str) -> None:
    """ "Fees" may stand there as "charges": only the items' own data settle that there are none."""
    found = ask(strategy, "What is the total of the harbour levies?", WEEK, ["The fees rose [1]"])
    assert found.generator.prompts
    assert found.answer.table is None
    # the meeting may have another name, but what is counted is counted
    meeting = ask(strategy, "When is the Report 2 meeting?", WEEK, ["On Monday [1]"])
    assert meeting.generator.prompts
    counted = ask(strategy, "How many meetings about Report 2 were there in May?", WEEK)
    assert not counted.generator.prompts
    by_plan = ask(strategy, "Levies?", WEEK, plan="count mail text:levies")
    assert not by_plan.generator.prompts
    assert by_plan.answer.table is not None


def test_a_class_without_a_result_is_followed_by_retrieval(ask: Ask) -> None:
    found = ask(
        "conditional",
        "Kim's correspondence on harbour fees, its extent",
        WEEK,
        ["The harbour raised its fees [1]"],
        ["sum title of mail", "The harbour. Answer: fees"],
        logprobs=favouring("aggregate", 3.0),
    )
    assert any("was refused" in note for note in found.notes)
    assert found.answer.text.startswith("The harbour raised its fees")
