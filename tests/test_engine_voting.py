"""Votes over readings of the evidence: what a person is shown of them, and what data sets keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.agreement.consensus import by_overlap, consensus
from engine.answer import answer
from engine.checking import abstention
from engine.checking.contradiction import contradict, same_answer
from engine.evaluation.questions import Question
from engine.evaluation.scores import EventRecord, row_of
from engine.events import Answered, Drafted, Event, Noted, Voted
from engine.language.overlap import token_f1
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.settings import Budget, Settings
from engine.values import Answer, Query
from models.fake import LIKELY, FakeGenerator, Script
from models.roles import ModelSet
from tests.support.builders import document

BUDGET = Budget(600, 600, samples=2, lookahead_share=0, generator_share=0)
DAYS = tuple(datetime(2026, 3, day, tzinfo=UTC) for day in (2, 5, 4))
APART = "et2rag:organisation=contiguous"


@dataclass
class Asked:
    """What came of a question."""

    events: list[Event]
    generator: FakeGenerator

    @property
    def answer(self) -> Answer:
        last = self.events[-1]
        assert isinstance(last, Answered)
        return last.answer

    @property
    def lines(self) -> list[str]:
        return self.answer.text.splitlines()

    @property
    def votes(self) -> tuple[int, int] | None:
        agreed = self.answer.agreement
        return (agreed.votes, agreed.of) if agreed else None

    def all(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def ask(
    texts: Sequence[str],
    question: str,
    strategy: str,
    generator: Script,
    lookahead: Script = ("",),
    *,
    dates: Sequence[datetime | None] = (None,) * 5,
    task: str = "question",
    likely: Callable[[str], float] = lambda reply: LIKELY,
    **settings: Any,
) -> Asked:
    """Ask over one document of each text; `likely` is the log-probability of a reply's tokens."""
    large = FakeGenerator("g", generator, likely=likely)
    models = {"g": large, "l": FakeGenerator("l", lookahead)}
    items = [
        document(text, "note", when=when, path=f"/{i}")
        for i, (text, when) in enumerate(zip(texts, dates, strict=False))
    ]
    events = answer(
        Query(question, task=task),
        corpus_of(split(items)),
        ModelSet("l", "g", models.__getitem__),
        Settings(strategy=strategy, **({"budget": BUDGET} | settings)),
    )
    return Asked(list(events), large)


def says(**replies: str) -> Callable[[str, int], str]:
    """Reply by the first of these words that a prompt holds; else find nothing."""
    known = {word.replace("_", " "): reply for word, reply in replies.items()}

    def reply(prompt: str, index: int) -> str:
        return next((said for word, said in known.items() if word in prompt), "Not found.")

    return reply


ROOF = "When is the meeting about the roof?"
ROOF_MAILS = (
    "The meeting about the roof is on Monday at nine.",
    "The meeting about the roof is moved to Thursday at ten.",
)
ROOF_READ = says(Monday="on Monday at nine [1]", Thursday="Thursday at ten [1]")
KEY = "Who has the key?"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The rent is 950 euros a month.", "The rent is 890 euros a month."),
        ("on Monday at nine", "on Thursday at nine"),
        ("on Monday at nine", "on Monday at ten"),
        ("in March", "in May"),
        ("It ends on 30 June 2027", "It ends on 30 June 2028"),
        ("Ann Lee", "Ann Hill"),
        ("Bob Hill", "Tom Hill"),
        ("Berta has the key.", "Tomas has the key."),
        ("Ann approved it", "Ann did not approve it"),
        ("Ann approved it", "Ann didn't approve it"),
        ("Ann can come", "Ann can't come"),
        ("room 4b", "room 4c"),
        ("Der Termin ist am Montag.", "Der Termin ist am Donnerstag."),
        ("Bob Hill", "Ann Lee, not Bob Hill"),
        ("Yes, Ann approved it", "No, Ann approved nothing"),
        ("There is a meeting on Monday", "There is no meeting on Monday"),
        ("Monday at nine", "The meeting was moved from Monday to Thursday at nine"),
        ("It ends on 30 June 2027. Ann signed.", "The lease ends on 31 May 2027. Ann signed."),
    ],
)
def test_readings_that_state_something_else_do_not_agree(one: str, other: str) -> None:
    assert contradict(one, other, KEY)
    assert contradict(other, one, KEY)
    assert not same_answer(one, other, 1.0, KEY)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Berta Lund", "The key is with Berta Lund"),
        ("Ann Lee", "Lee, Ann"),
        ("Ann", "Ann Lee"),
        ("Ann Lee", "Ann Lee, not Bob Hill"),
        ("30 June 2027", "2027-06-30"),
        ("30 June 2027", "It ends on June 30th, 2027"),
        ("on Monday at nine", "Monday at 9:00"),
        ("1,000 euros", "It costs 1000 euros"),
        ("three people", "3 people"),
        ("at 2 pm", "14:00"),
        ("on 5 March, not 4 March", "5 March"),
        ("The lease ends 30 June", "The lease ends 30 June; it is not renewed by itself."),
        ("Flat 3 in Oslo", "Flat No. 3 in Oslo"),
        ("木曜日の十時", "木曜日の十時です"),
    ],
)
def test_the_same_answer_in_other_words_is_the_same(one: str, other: str) -> None:
    likeness = token_f1(one, other)
    assert same_answer(one, other, likeness, "When does the lease end?")
    assert same_answer(other, one, likeness, "When does the lease end?")


def test_a_first_word_that_the_question_has_is_no_name() -> None:
    said = ("Approved by Ann Lee", "Signed by Ann Lee")
    assert not contradict(*said, "Who approved the budget?")


def test_other_words_are_another_answer() -> None:
    assert not same_answer("Berta", "Tomas", 0.0, KEY)


def test_markers_alone_are_no_denial() -> None:
    found = consensus(["[1]", "Ann Lee", "[2]", "Not found."], by_overlap("token_f1"))
    assert found.matrix.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


RENTS = ("The rent is 950 euros a month.", "The rent is 890 euros a month.")
RENT_READ = says(
    **{"950": "The rent is 950 euros a month. [1]", "890": "The rent is 890 euros a month. [1]"}
)


def test_contradicting_numbers_are_both_shown(fake_generator: Any) -> None:
    found = ask(RENTS, "How much is the rent?", APART, RENT_READ, dates=DAYS)
    assert found.votes == (1, 2)
    assert found.all(Voted)[-1].matrix[0] == pytest.approx([1, 0.8])  # M is the paper's
    assert found.lines == [
        "The sources disagree, and no answer has a majority (1 of 2 readings); "
        "the newest comes first:",
        "- The rent is 890 euros a month. [1] (2026-03-05)",
        "- The rent is 950 euros a month. [2] (2026-03-02)",
    ]
    strict = ask(RENTS, "How much is the rent?", APART, RENT_READ, strict=True)
    assert strict.answer.text == abstention.ABSTENTION


def test_a_data_set_votes_by_similarity_alone() -> None:
    found = ask(RENTS, "How much is the rent?", APART, RENT_READ, task="multihop")
    assert found.votes == (2, 2)
    assert "890" not in found.answer.text


@pytest.mark.parametrize("strict", [False, True])
def test_two_mails_that_disagree_are_read_apart(strict: bool) -> None:
    found = ask(ROOF_MAILS, ROOF, "et2rag", ROOF_READ, dates=DAYS, strict=strict)
    assert [len(one.passages) for one in found.all(Drafted)] == [1, 1]
    assert found.votes == (1, 2)
    if strict:
        assert found.answer.text == abstention.ABSTENTION
    else:
        assert found.lines[1:] == [
            "- Thursday at ten [1] (2026-03-05)",
            "- on Monday at nine [2] (2026-03-02)",
        ]


def test_a_data_set_has_both_in_one_subset() -> None:
    found = ask(ROOF_MAILS, ROOF, "et2rag", ROOF_READ, task="multihop")
    assert [len(one.passages) for one in found.all(Drafted)] == [2]
    assert found.votes == (1, 1)


@pytest.mark.parametrize("texts", [ROOF_MAILS[:1], (ROOF_MAILS[0], "The roof is red.")])
def test_one_reading_alone_is_no_vote(texts: tuple[str, ...]) -> None:
    found = ask(texts, ROOF, "et2rag", says(Monday="on Monday at nine [1]"), strict=True)
    assert found.answer.text == "on Monday at nine [1]"
    assert found.answer.agreement is None
    assert not found.all(Voted)
    assert "no vote" in found.all(Noted)[0].text
    assert len(found.all(Drafted)) == (2 if len(texts) == 2 else 0)


def test_what_contradicts_the_best_passage_is_read_without_it() -> None:
    texts = (*ROOF_MAILS, "The meeting room is dry.")
    found = ask(texts, ROOF, "et2rag", ROOF_READ, dates=DAYS)
    assert [len(one.passages) for one in found.all(Drafted)] == [2, 2, 2]
    assert found.votes == (2, 3)
    assert found.lines == [
        "2 of 3 readings agree, but another source says otherwise; the newest comes first:",
        "- Thursday at ten [1] (2026-03-05)",
        "- on Monday at nine [2] (2026-03-02)",
    ]


def test_what_finds_nothing_without_the_best_passage_has_no_vote() -> None:
    texts = (ROOF_MAILS[0], "The roof is red.", "The meeting room is dry.")
    found = ask(texts, ROOF, "et2rag", says(Monday="on Monday at nine [1]"))
    assert found.votes == (2, 2)


KEYS = (
    "The key: ask Berta.",
    "The key: ask Tomas Veld.",
    "The key: ask Ulla now.",
    "key nobody",
    "key nothing",
)
KEY_READ = says(Berta="Berta [1]", Tomas="Tomas Veld [1]", Ulla="Ulla [1]")


def test_a_look_ahead_models_votes_are_for_what_it_said() -> None:
    found = ask(KEYS[:3], KEY, f"{APART},writer=lookahead", KEY_READ, ("Tomas Veld",))
    # The first subset wins, of three equals; its whole answer is Berta. Of the two that said
    # Tomas Veld, one is written out, and it alone counts as an answer beside it.
    assert found.answer.raw == "Berta [1]"
    assert found.votes == (1, 3)
    assert "no answer has a majority (1 of 3 readings)" in found.lines[0]
    assert found.lines[1:] == ["- Berta [1]", "- Tomas Veld [2]"]
    assert found.all(Voted)[-1].votes == 1
    strict = ask(KEYS[:3], KEY, f"{APART},writer=lookahead", KEY_READ, ("Tomas Veld",), strict=True)
    assert strict.answer.grounded == "none"


def test_whole_answers_that_agree_after_all_are_votes() -> None:
    texts = ("The key: with Berta Lund.", "The key: Berta Lund has it.")
    read = says(with_Berta="The key is with Berta Lund [1]", has_it="Berta Lund [1]")
    found = ask(texts, KEY, f"{APART},tokens=2", read)
    assert [one.text for one in found.all(Drafted)] == ["The key", "Berta Lund"]
    assert found.votes == (2, 2)
    assert found.lines == ["The key is with Berta Lund [1]"]


def test_alternatives_stand_where_the_most_find_nothing_but_no_majority() -> None:
    found = ask(KEYS, KEY, APART, KEY_READ)
    assert found.all(Voted)[-1].votes == 2  # "Not found.", the largest group
    assert found.votes == (1, 5)
    assert found.answer.grounded == "grounded"
    assert found.lines == [
        "The sources disagree, and no answer has a majority (1 of 5 readings):",
        "- Berta [1]",
        "- Tomas Veld [2]",
        "- Ulla [3]",
    ]
    assert ask(KEYS, KEY, APART, KEY_READ, strict=True).answer.text == abstention.ABSTENTION


def test_what_a_majority_does_not_find_is_not_there() -> None:
    found = ask((KEYS[0], *KEYS[3:]), KEY, APART, KEY_READ)
    assert found.votes == (2, 3)
    assert found.answer.text == abstention.ABSTENTION


def test_what_finds_nothing_is_not_written_out() -> None:
    found = ask((*KEYS[:1], "The key: with Berta.", KEYS[3]), KEY, APART, KEY_READ)
    assert found.votes == (2, 3)
    assert found.generator.usage.calls == 3 + 1  # three short ones, and one whole


def test_an_answer_that_is_sure_stands_for_one_that_is_not() -> None:
    texts = (*KEYS[:2], "The key: of old, ask Berta.")

    def doubted(reply: str) -> float:
        return -12.0 if "Berta" in reply else LIKELY

    found = ask(texts, KEY, APART, KEY_READ, likely=doubted)
    assert found.all(Voted)[-1].votes == 2  # for Berta
    assert found.answer.text == "Unsure, only 1 of 3 readings agree: Tomas Veld [1]"
    assert found.votes == (1, 3)


def test_an_answer_with_a_source_stands_for_one_without() -> None:
    read = says(Berta="Zoe [1]", Tomas="Tomas Veld [1]")
    found = ask(KEYS[:2], KEY, APART, read)
    assert found.answer.text == "Unsure, only 1 of 2 readings agree: Tomas Veld [1]"


def test_the_same_answer_from_where_it_has_a_source_stands() -> None:
    found = ask(
        ROOF_MAILS, ROOF, f"{APART},writer=lookahead", ("Thursday at ten [1]",), ("on Monday",)
    )
    assert found.answer.text == "Thursday at ten [1]"
    assert found.votes == (2, 2)
    assert found.answer.agreement is not None
    assert found.answer.agreement.tokens_saved == 0  # (2 - 1) * 4 - 2 * 2


WEATHER = "The weather was awful in Reykjavik."


@pytest.mark.parametrize("strategy", ["vanilla", APART, "self_consistency"])
def test_sentences_without_a_source_are_named_where_readings_vote(strategy: str) -> None:
    texts = ("The key is with Berta.", "The key is with Berta, as ever.")
    found = ask(texts, KEY, strategy, (f"Berta has it [1]. {WEATHER}",))
    assert found.answer.grounded == "partial"
    assert [one.sentence for one in found.answer.unsupported] == [WEATHER]


def test_a_side_without_a_source_for_all_it_says_makes_the_whole_partial() -> None:
    read = says(Berta="Berta [1]", Tomas=f"Tomas Veld has it [1]. {WEATHER}")
    found = ask(KEYS[:2], KEY, APART, read)
    assert found.answer.grounded == "partial"
    assert [one.sentence for one in found.answer.unsupported] == [WEATHER]


def test_without_dates_the_most_agreed_with_comes_first() -> None:
    texts = ("The key is with Berta.", "The key is with Tomas.", "The key is with Berta, as ever.")
    read = says(Tomas="Tomas [1]", Berta="Berta [1]")
    found = ask(texts, KEY, APART, read)
    assert found.lines == [
        "2 of 3 readings agree, but another source says otherwise:",
        "- Berta [1]",
        "- Tomas [2]",
    ]


LONG = "The key of the boathouse is with Berta Lund [1]"
"""Ten words; a fake's token is a word."""


def test_tokens_saved_are_those_of_whole_answers_less_those_written() -> None:
    texts = ("The key of the boathouse is with Berta Lund.",) * 3
    found = ask(texts, KEY, f"{APART},tokens=2", (LONG,), task="multihop")
    # 3 * 10 would have been written; 3 * 2 + 10 were
    assert found.all(Voted)[0].tokens_saved == 14
    assert found.answer.agreement is not None
    assert found.answer.agreement.tokens_saved == 14


def test_tokens_saved_stand_in_the_row_of_an_evaluation() -> None:
    found = ask(KEYS, KEY, f"{APART},tokens=2", (LONG,), task="multihop")
    question = Question("1", "toy", KEY, KEY, ("Berta Lund",), "question", False, None, (), ())
    row = row_of(question, found.answer, EventRecord())
    assert row["agreement"] == {"votes": 5, "of": 5, "tokens_saved": 4 * 10 - 5 * 2}


def test_whole_answers_save_nothing() -> None:
    found = ask(KEYS, KEY, "self_consistency", (LONG,), task="multihop")
    assert found.all(Voted)[0].tokens_saved is None


def test_few_samples_are_shown_and_their_seconds_belong_to_a_stage() -> None:
    said = ("Berta [1]", "Tomas Veld [1]", "Ulla [1]", "nobody at all [1]", "now [1]")
    found = ask(KEYS, KEY, "self_consistency", lambda prompt, index: said[index])
    assert [line.removeprefix("- ") for line in found.lines[1:]] == [
        "Berta [1]",
        "Tomas Veld [2]",
        "Ulla [3]",
    ]
    assert "write" in found.answer.timings


def by_length(prompt: str, index: int) -> str:
    return f"on day {len(prompt)} [1]"


@pytest.mark.parametrize("most", [4000, 8000])
def test_no_more_is_read_than_may_be(most: int) -> None:
    texts = [f"The meeting about roof {n} " + f"x{n} " * 100 for n in range(40)]
    undated = (None,) * len(texts)
    found = ask(texts, ROOF, "et2rag", by_length, dates=undated, budget=None, max_context=most)
    assert found.answer.usage.effective_context <= most
    assert len(found.all(Drafted)) == (5 if most == 4000 else 6)


def test_alternatives_are_written_out_as_long_as_tokens_are_left() -> None:
    texts = [f"{rent} {'rent ' * 250}" for rent in (RENTS[0], RENTS[0], RENTS[1], RENTS[1])]
    room = Budget(400, 1200, samples=2, lookahead_share=0, generator_share=0)
    how = f"{APART},subsets=2"
    question = "How much is the rent?"
    both = ask(texts, question, how, RENT_READ, budget=room)
    assert len(both.lines) == 3
    assert both.answer.usage.effective_context > 2100
    scarce = replace(room, lookahead_tokens=100)
    one = ask(texts, question, how, RENT_READ, budget=scarce, effort="quick")
    assert one.answer.text.startswith("Unsure, only 1 of 2 readings agree: ")
    assert one.answer.usage.effective_context <= 3550
