"""Which of several options a question means: what is asked, what is stated, what is compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.answer import answer
from engine.checking.abstention import ABSTENTION
from engine.comparison.amounts import foremost
from engine.comparison.asked import Comparison, comparison_of
from engine.confidence.calibration import DEFAULT
from engine.events import Answered, Decided, Token
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.settings import Budget, Settings
from engine.values import Answer, Query
from models.llama.generator import load_llama
from models.roles import ModelSet
from tests.support.builders import document
from tests.support.in_store import weights_of

COMPARED = {
    "Who is older, Ann Lee or Ben?": "most date of birth: Ann Lee | Ben",
    "Who was born first: Ann or Ben?": "least date of birth: Ann | Ben",
    "Who died later, Ann or Ben?": "most date of death: Ann | Ben",
    "Who lived longer, Ann or Ben?": "most date of birth and date of death: Ann | Ben",
    "Which is cheaper, Acme's offer or Zeta's?": "least price: Acme's offer | Zeta's",
    "Which costs more, the car or the van?": "most price: the car | the van",
    "Which is more expensive to run, the car or the van?": "most price: the car | the van",
    "Which is higher, the rent or the deposit?": "most amount: the rent | the deposit",
    "Which has the larger population, Rome or Bern?": "most population: Rome | Bern",
    "Which has fewer members, this or that?": "least number of members: this | that",
    "Which scan takes longer, the MRI or the CT?": "most duration: the MRI | the CT",
    "Which takes longer, the job of Acme or that of Zeta?": "most duration: the job of Acme | Zeta",
    "Which is older, On Hope or In Fear?": "most date or age: On Hope | In Fear",
    "Is Ann or Ben taller?": "most height: Ann | Ben",
    "Did the invoice or the bill come first?": "least date: the invoice | the bill",
    "Which of Ann and Ben is younger?": "least date or age: Ann | Ben",
    "Of Ann and Ben, who was born first?": "least date of birth: Ann | Ben",
    "Which ends earlier - the lease or the loan?": "least date: the lease | the loan",
    "which has been around longer, Chess or Go ?": "least date: Chess | Go",
    "Which came out first Muppets or Gone Girl?": "least date: Muppets | Gone Girl",
    "What came first this year, the audit or the move?": "least date: the audit | the move",
    "Which is cheapest, the Ford, the Opel or the VW?": "least price: the Ford | the Opel | the VW",
    'Which mail is older, "Lunch!" or "Rent"?': "most date or age: Lunch | Rent",
    'Is mail "Lunch" or mail "Rent" first?': 'least date: mail "Lunch" | mail "Rent"',
    "Which is older, A or B\nC or\n D?": "most date or age: A or B C | D",
    "Which of A and B\nC and D is older?": "most date or age: A and B C | D",
    "Which was signed more recently, A and B or C?": "most date: A and B | C",
}


@pytest.mark.parametrize(("question", "compared"), COMPARED.items())
def test_what_is_compared(question: str, compared: str) -> None:
    found = comparison_of(question)
    assert found is not None
    end = "most" if found.largest else "least"
    assert f"{end} {found.what}: {' | '.join(found.options)}" == compared


@pytest.mark.parametrize(
    "question",
    [
        "Which is better, A or B?",
        "Which is more popular, A or B?",
        "Who calls more often, Ann or Ben?",
        "Whose last name is longer, Ann or Ben?",
        "What was the last mail about, work or home?",
        "Who sent the latest mail with the subject 'was: Gasp!' (ignoring any Re: or Fwd:)?",
        "Which must be kept longer, the files or the records, and for how many years?",
        "Who is the older of the two?",
        "When was Ann or Ben born?",
        "Is the office open on Friday or later?",
        "Is Ann older than Ben?",
        "Which is cheapest, a, b, c, d, e or f?",
        "Who was not paid first, Ann or Ben?",
        "who first " * 500,
        f"Which is older, {'A ' * 200} or B?",
    ],
)
def test_other_questions_compare_nothing(question: str) -> None:
    assert comparison_of(question) is None


@pytest.mark.parametrize(
    "question", ["whose director is older", "that has the director born first"]
)
def test_whose_it_is_may_be_another(question: str) -> None:
    found = comparison_of(f"Which film, {question}, Jaws or Alien?".replace("film, ", "film "))
    assert found is not None
    assert (found.of, found.what) == ("director", "date of birth")


FIRST, LAST = {"measure": "day", "largest": False}, {"measure": "day", "largest": True}
MOST, LEAST = {"measure": "amount", "largest": True}, {"measure": "amount", "largest": False}
OLDER = {"measure": "age", "largest": True}


@pytest.mark.parametrize(
    ("stated", "asked", "number"),
    [
        (("1 February 1914", "September 3, 1963"), FIRST, 0),
        (("1 February 1914", "September 3, 1963"), LAST, 1),
        (("2019", "in May 2016"), FIRST, 1),
        (("2016", "in May 2016"), FIRST, None),
        (("3 May", "4 April"), FIRST, 1),
        (("3 May", "4 April 2016"), FIRST, None),
        (("3/4/2001", "5/2/2001"), FIRST, None),
        (("3/4/2001", "12 December 2001"), FIRST, 0),
        (("30 February 2001", "12 December 2001"), FIRST, None),
        (("not said", "12 December 2001"), FIRST, None),
        (("Fri 2015-09-18 09:30-10:20", "Fri 2015-09-18 14:15"), FIRST, 0),
        (("2015-09-18 11:30-12:00", "18 September 2015, 14:15"), LAST, 1),
        (("2015-09-18 11:30", "2015-09-18 2:15"), FIRST, None),
        (("2015-09-18 11:30", "2015-09-18"), FIRST, None),
        (("2015-09-18 11:30", "2015-09-17"), FIRST, 1),
        (("9 am", "2:30 pm"), LAST, 1),
        (("10:00", "16:00"), FIRST, 0),
        (("10:00", "2016"), FIRST, None),
        (("EUR 1,180.00", "1,240 €"), LEAST, 0),
        (("EUR 1,180.00", "1,240 dollars"), LEAST, None),
        (("1,180", "1,240 €"), LEAST, 0),
        (("3 boxes", "1,240 €"), MOST, None),
        (("3 boxes", "two bags"), MOST, 0),
        (("1.2 million", "900,000"), MOST, 0),
        (("8 to 11 species", "two"), MOST, 0),
        (("8 to 11 species", "9"), MOST, None),
        (("60,000 inhabitants (2004)", "3,000 in 2010"), MOST, 0),
        (("180 cm", "1.95 m"), MOST, 1),
        (("300 g", "1.2 kg"), MOST, 1),
        (("12", "12"), MOST, None),
        (("12", "30", "20"), MOST, 1),
        (("born 4 May 1950", "born in 1961"), OLDER, 0),
        (("34 years old", "29"), OLDER, 0),
        (("34 years old", "born in 1961"), OLDER, None),
        (("1934 years", "29"), OLDER, None),
    ],
)
def test_what_is_stated_is_compared(
    stated: tuple[str, ...], asked: dict[str, Any], number: int | None
) -> None:
    assert foremost(stated, Comparison(("A", "B"), what="date", **asked)) == number


def test_a_birth_is_the_first_day_and_a_death_the_last() -> None:
    lives = "17 May 1885 \u2013 29 November 1950", "8 August 1886 \u2013 4 April 1920"
    assert foremost(lives, Comparison(("A", "B"), "day", True, "date of birth")) == 1
    assert foremost(lives, Comparison(("A", "B"), "day", True, "date of death")) == 0
    assert foremost(lives, Comparison(("A", "B"), "span", True, "dates")) == 0
    assert foremost((lives[0], "1886"), Comparison(("A", "B"), "span", True, "dates")) is None


ACME = document("Acme offers to mend the roof for 1,240 EUR.", "Acme", path="/acme")
ZETA = document("Zeta would do the roof for 1,180 EUR.", "Zeta", path="/zeta")
QUESTION = "Which offer for the roof is cheaper, Acme or Zeta?"
ROOM = Budget(600, 600, samples=2, lookahead_share=0.0, generator_share=0.0)

Ask = Callable[..., tuple[Answer, list[Any], Any]]


@pytest.fixture
def ask(fake_generator: Any) -> Ask:
    def run(
        replies: Any,
        items: Any = (ACME, ZETA),
        budget: Budget = ROOM,
        question: str = QUESTION,
        excluded: tuple[str, ...] = (),
    ) -> tuple[Answer, list[Any], Any]:
        models = {"g": fake_generator("g", replies), "l": fake_generator("l", [""])}
        roles = ModelSet("l", "g", models.__getitem__)
        corpus = corpus_of(split(items))
        query = Query(question, excluded=excluded)
        events = list(answer(query, corpus, roles, Settings(budget=budget)))
        assert isinstance(events[-1], Answered)
        return events[-1].answer, events, models["g"]

    return run


def compared(events: list[Any]) -> list[bool]:
    return [one.taken for one in events if isinstance(one, Decided) and one.stage == "compare"]


def test_the_program_chooses_by_what_sources_state(ask: Ask) -> None:
    found, events, model = ask(["1,240 EUR", "1,180 EUR"])
    assert found.text == "Zeta [1] [2]"
    assert [one.passage.item for one in found.citations] == [ACME, ZETA]
    assert [one.quote for one in found.citations] == [ACME.text, ZETA.text]
    assert found.grounded == "grounded"
    assert found.raw == found.text
    assert found.signals is not None
    assert found.signals["compared"] == 0.5
    assert found.confidence is not None
    assert found.reasons[0].text == "compared: Acme: 1,240 EUR; Zeta: 1,180 EUR"
    assert found.timings["first_token"] > 0
    first, second = model.prompts
    assert "Write the price for each, as the passages say it:\nAcme: ...\nZeta: ..." in first
    assert second == f"{first} 1,240 EUR\nZeta:"
    assert [one.text for one in events if isinstance(one, Token)] == ["Zeta"]


def test_days_speak_for_an_answer_more_than_amounts(ask: Ask) -> None:
    items = [
        document("Acme can begin on 7 December 2026.", "Acme", path="/acme"),
        document("Zeta can begin on 23 November 2026.", "Zeta", path="/zeta"),
    ]
    question = "Who can begin earlier, Acme or Zeta?"
    found, _, _ = ask(["7 December 2026", "23 November 2026"], items, question=question)
    assert found.text == "Zeta [1] [2]"
    assert found.signals is not None
    assert found.signals["compared"] == 1


def test_a_passage_that_tells_of_both_is_cited_once(ask: Ask) -> None:
    both = document("Acme: 1,240 EUR. Zeta: 1,180 EUR.", "Offers for the roof")
    found, _, _ = ask(["1,240 EUR", "1,180 EUR"], [both])
    assert found.text == "Zeta [1]"


def test_what_no_source_states_is_not_compared(ask: Ask) -> None:
    found, events, _ = ask(["1,240 EUR", "980 EUR", "Zeta [2]"])
    assert compared(events) == [False]
    assert found.text.startswith("Zeta")
    assert found.signals is not None
    assert found.signals["compared"] == 0


def test_a_number_of_the_other_option_is_no_source(ask: Ask) -> None:
    found, events, _ = ask(["1,180 EUR", "1,240 EUR", "Zeta [2]"])
    assert compared(events) == [False]
    assert found.text.startswith("Zeta")


def test_what_does_not_tell_is_left_to_the_model(ask: Ask) -> None:
    same = document("Zeta would do the roof for 1,240 EUR.", "Zeta", path="/zeta")
    found, events, _ = ask(["1,240 EUR", "1,240 EUR", "Not found."], [ACME, same])
    assert compared(events) == [False]
    assert found.text == ABSTENTION


FULL = "Acme is full, so we asked Zeta, who do it for 31 EUR."
OLD = "So far Acme had it for 34.50 EUR."


def test_each_amount_is_of_the_option_next_to_it(ask: Ask) -> None:
    both = [document(f"{OLD} {FULL}", "Acme or Zeta", path="/both")]
    found, _, _ = ask(["31 EUR", "34.50 EUR"], both)  # the wrong way round
    assert found.text == "Zeta [1]"
    assert found.reasons[0].text == "compared: Acme: 34.50 EUR; Zeta: 31 EUR"
    found, _, _ = ask(["34.50 EUR", "31 EUR"], both)
    assert found.text == "Zeta [1]"


@pytest.mark.parametrize(
    "text",
    [
        "They want 34.50 EUR at Acme and 31 EUR at Zeta.",  # the option comes behind
        "For Acme and Zeta we pay 34.50 EUR and 31 EUR.",  # both amounts next to the same one
    ],
)
def test_a_source_that_does_not_tell_leaves_the_statements(ask: Ask, text: str) -> None:
    both = [document(text, "Acme or Zeta", path="/both")]
    found, _, _ = ask(["34.50 EUR", "31 EUR"], both)
    assert found.reasons[0].text == "compared: Acme: 34.50 EUR; Zeta: 31 EUR"


def test_numbers_of_other_things_are_no_prices(ask: Ask) -> None:
    both = [document("Acme found 412 units, and Zeta found 233 species.", "Acme or Zeta")]
    found, events, _ = ask(["412 units", "233 species", "Not found."], both)
    assert compared(events) == [False]
    assert found.text == ABSTENTION


BEN = document("Ben Ode was born on 4 May 1950 in Bern.", "Ben Ode", path="/ben")
FILMS = [
    document("Jaws is a film that was directed by Ann Lee.", "Jaws", path="/jaws"),
    document("Alien is a film that was directed by Ben Ode.", "Alien", path="/alien"),
    document("Ann Lee, a director, was born on 3 March 1961.", "Ann Lee", path="/ann"),
    BEN,
    *(document(f"A film of {n} is older.", f"Film {n}", path=f"/{n}") for n in range(20)),
]
BORN_FIRST = "Which film has the director who was born first, Jaws or Alien?"
SHORT = Budget(600, 600, 2, lookahead_share=0.0, generator_share=0.0, first_tokens=120)


def of_films(prompt: str, _: int) -> str:
    last = prompt.rpartition("\n")[2]
    if last == "Jaws:":
        return "Ann Lee, 3 March 1961"
    if last == "Alien:":
        return "Ben Ode, 4 May 1950" if BEN.text in prompt else "Ben Ode, 9 July 1948"
    return "Jaws"


def test_passages_about_what_is_lacking_are_read(ask: Ask) -> None:
    found, events, model = ask(of_films, FILMS, SHORT, BORN_FIRST)
    assert BEN.text not in model.prompts[0]
    assert "Write the name of its director and the director's date of birth" in model.prompts[0]
    assert compared(events) == [False, True]
    taken = [one.stage for one in events if isinstance(one, Decided) and one.taken]
    assert "read about" in taken
    assert found.text == "Alien [1] [2]"
    assert [one.passage.item.title for one in found.citations] == ["Ann Lee", "Ben Ode"]


def test_what_a_person_excludes_is_not_read_about(ask: Ask) -> None:
    found, events, model = ask(of_films, FILMS, SHORT, BORN_FIRST, excluded=("Bern",))
    assert not any(BEN.text in prompt for prompt in model.prompts)
    assert True not in compared(events)
    assert found.text != "Alien [1] [2]"


def test_nothing_about_what_is_lacking_ends_the_comparison(ask: Ask) -> None:
    found, events, _ = ask(["1,240 EUR", "unknown", "Acme [1]"], [ACME])
    assert compared(events) == [False]
    [about] = [one for one in events if isinstance(one, Decided) and one.stage == "read about"]
    assert not about.taken
    assert found.text.startswith("Acme")


def test_a_comparison_counts_for_an_answer() -> None:
    assert DEFAULT.weights["compared"] > 0


@pytest.mark.slow
def test_a_real_model_states_what_is_compared() -> None:
    small = "qwen2.5-coder-0.5b-instruct-q4_k_m"
    model = load_llama(weights_of(small), small, context=2048)
    try:
        roles = ModelSet(small, small, lambda _: model)
        items = [
            document("The lease of the boathouse was signed on 3 March 2025 in Harlow.", path="/a"),
            document("The loan for the jetty was signed on 14 May 2019 at the bank.", path="/b"),
        ]
        asked = Query("Which was signed first, the lease or the loan?")
        *events, last = answer(asked, corpus_of(split(items)), roles, Settings(budget=ROOM))
    finally:
        model.close()
    assert isinstance(last, Answered)
    assert compared(events) == [True]
    assert last.answer.text == "the loan [1] [2]"
    assert [one.passage.item for one in last.answer.citations] == items
