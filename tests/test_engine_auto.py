"""`auto`: every rule by hand, and whole questions over a few notes with models of known replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.answer import answer
from engine.checking import abstention
from engine.checking.contradiction import same_answer
from engine.errors import BudgetTooSmall
from engine.events import (
    Answered,
    Compressed,
    Decided,
    FollowedUp,
    Noted,
    Provisional,
    Sampled,
    Voted,
)
from engine.generation.lookahead import Sample
from engine.language.languages import language_of
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.routes import routing
from engine.routes.facts import Facts, needs_several
from engine.settings import Budget, Settings
from engine.strategies import registry
from engine.strategies.further import agreement
from engine.strategies.rewrite import Rewrite
from engine.values import Answer, Query
from ingest.item import Item, Kind, Locator, People, Person
from models.errors import AskanceError, ContextExceeded
from models.roles import ModelSet
from tests.support.builders import document, documents
from tests.support.toy_corpus import FakeEncoder

FACTS = Facts(
    effort="balanced",
    found=9,
    fitting=3,
    leaders=4,
    several=False,
    encoder=True,
    one_model=False,
    tokens_left=5000,
    lookahead_tokens=1750,
    writing_tokens=2900,
)
"""More was found than fits, nothing is far ahead, everything is installed."""
THOROUGH = replace(FACTS, effort="thorough")


@pytest.mark.parametrize(
    ("facts", "taken", "why"),
    [
        ({}, True, "3 of 9 passages"),
        ({"effort": "quick"}, False, "quick"),
        ({"fitting": 9}, False, "all 9 passages worth reading fit the tokens: nothing to choose"),
        ({"found": 1, "fitting": 1}, False, "the one passage worth reading fits the tokens"),
        ({"leaders": 1}, False, "far ahead"),
        ({"leaders": 1, "several": True}, True, "more than one passage"),
        ({"found": 0, "fitting": 0}, False, "nothing was found"),
        ({"fitting": 0}, False, "not one passage"),
        ({"tokens_left": 4000}, False, "too few"),
        ({"seconds_left": 20.0, "lookahead_seconds": 31.4}, False, "about 31 s here"),
        ({"seconds_left": 20.0}, True, ""),
        ({"one_model": True}, False, "one model plays both roles"),
        ({"one_model": True, "several": True}, False, "one model plays both roles"),
        ({"one_model": True, "effort": "thorough"}, True, "3 of 9 passages"),
    ],
)
def test_when_it_pays_to_look_ahead(facts: dict[str, Any], taken: bool, why: str) -> None:
    decided = routing.look_ahead(replace(FACTS, **facts))
    assert decided.taken is taken
    assert why in decided.why


@pytest.mark.parametrize(
    ("facts", "looked", "taken"),
    [
        ({}, False, True),
        ({}, True, False),
        ({"effort": "balanced"}, False, False),
        ({"effort": "quick"}, False, False),
        ({"tokens_left": 4000}, False, False),
        ({"found": 0}, False, False),
        ({"fitting": 0}, False, False),
        ({"one_model": True}, False, True),
    ],
)
def test_when_looking_ahead_is_made_up_for(
    facts: dict[str, Any], looked: bool, taken: bool
) -> None:
    known = replace(THOROUGH, **facts)
    assert routing.look_ahead_after_all(known, looked, 3).taken is taken
    assert not routing.look_ahead_after_all(known, looked, 0).taken
    assert not routing.look_ahead_after_all(known, looked, 3, missing=False).taken


@pytest.mark.parametrize(
    ("facts", "other_words", "taken"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"encoder": False}, True, False),
        ({"effort": "quick"}, True, False),
        ({"fitting": 9}, True, False),
    ],
)
def test_when_an_encoder_pays(facts: dict[str, Any], other_words: bool, taken: bool) -> None:
    assert routing.embed(replace(FACTS, **facts), other_words).taken is taken


@pytest.mark.parametrize(
    ("facts", "taken"),
    [
        ({}, False),
        ({"effort": "thorough"}, False),
        ({"effort": "thorough", "fitting": 9}, False),
        ({"effort": "quick", "fitting": 0}, True),
        ({"found": 0, "fitting": 0}, False),
    ],
)
def test_when_passages_are_cut(facts: dict[str, Any], taken: bool) -> None:
    assert routing.compress(replace(FACTS, **facts)).taken is taken


@pytest.mark.parametrize(
    ("facts", "alike", "taken"),
    [
        ({}, 0.2, False),
        ({"effort": "thorough"}, 0.4, True),
        ({"effort": "thorough"}, 0.6, False),
        ({"effort": "thorough"}, None, False),
        ({"effort": "thorough", "fitting": 1}, 0.2, False),
    ],
)
def test_when_readings_vote(facts: dict[str, Any], alike: float | None, taken: bool) -> None:
    assert routing.vote(replace(FACTS, **facts), alike).taken is taken


@pytest.mark.parametrize(
    ("facts", "needed", "stage", "taken"),
    [
        ({}, 4000, "rewrite", True),
        ({"several": True}, 4000, "sub-questions", True),
        ({}, 6000, "rewrite", False),
        ({}, None, "rewrite", False),
        ({"effort": "balanced"}, 10, "rewrite", False),
        ({"effort": "quick"}, 10, "rewrite", False),
        ({"seconds_left": 0.0}, 10, "rewrite", False),
        ({"fitting": 0}, 10, "rewrite", False),
        ({"fitting": 0, "several": True}, 10, "sub-questions", False),
    ],
)
def test_when_missing_evidence_is_looked_for(
    facts: dict[str, Any], needed: int | None, stage: str, taken: bool
) -> None:
    known = replace(THOROUGH, **facts)
    decided = routing.again(known, needed, 3)
    assert (decided.stage, decided.taken) == (stage, taken)
    of_all = routing.again(known, needed, 0)
    assert of_all.taken is (taken and stage == "sub-questions")


def test_half_of_the_words_unknown_asks_for_others() -> None:
    assert routing.expand(["a", "b"], ["a", "b", "c", "d"]).taken
    assert not routing.expand(["a"], ["a", "b", "c", "d"]).taken
    assert not routing.expand([], []).taken


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("When does the lease end?", False),
        ("What did Kim say of the roof and the gutter?", False),
        ("Who wrote to me about the roof of the boathouse?", False),
        ("Which is older, the boathouse or the jetty?", True),
        ("Is the rent of the boathouse more or less than that of the jetty?", True),
        ("Who is older, Kim or Lee?", True),
        ("What is the address of the firm that repaired the roof?", True),
        ("Where was the director of the film of the year born?", True),
        ("Who is the mother of the director of the film?", True),
    ],
)
def test_questions_of_several_steps(question: str, several: bool) -> None:
    assert needs_several(question) is several


NOTES = (
    "Rent for the jetty is 300 a month.",
    "The lease of the boathouse ends on 31 December 2026.",
    "The lease of the boathouse was signed by Ingrid Halloran.",
    "Ingrid Halloran keeps bees behind the mill.",
    "Kim mends nets on Fridays.",
    "Nets are mended by Kim in the shed.",
)
ROOM_FOR_ALL = Budget(600, 600, samples=2, lookahead_share=0.0, generator_share=0.0)
ROOM_FOR_ONE = replace(ROOM_FOR_ALL, generator_tokens=40)
"""A note costs its words, at most 9, and 24 tokens of heading."""

Ask = Callable[..., Any]


class Run:
    """What came of a question."""

    def __init__(self, events: list[Any], generator: Any, lookahead: Any) -> None:
        assert isinstance(events[-1], Answered)
        self.answer: Answer = events[-1].answer
        self.events = events
        self.generator, self.lookahead = generator, lookahead

    def all(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def taken(self) -> list[str]:
        return [one.stage for one in self.all(Decided) if one.taken]


@pytest.fixture
def ask(fake_generator: Any) -> Ask:
    def run(
        question: str | Query,
        generator: Any = ("x [1]",),
        lookahead: Any = ("Reason. Answer.",),
        strategy: str = "auto",
        task: str = "question",
        encoder: FakeEncoder | None = None,
        notes: Sequence[str] = NOTES,
        items: Sequence[Item] = (),
        lookahead_id: str = "l",
        **settings: Any,
    ) -> Run:
        read = items or documents(notes)
        models = {"g": fake_generator("g", generator), "l": fake_generator("l", lookahead)}
        models_of = ModelSet(
            lookahead_id,
            "g",
            models.__getitem__,
            encoder="e" if encoder else None,
            load_encoder=lambda _: encoder,  # type: ignore[arg-type, return-value]
        )
        wanted = replace(Settings(strategy=strategy, budget=ROOM_FOR_ALL), **settings)
        corpus = corpus_of(split(read))
        query = Query(question, task=task) if isinstance(question, str) else question
        events = list(answer(query, corpus, models_of, wanted))
        return Run(events, models["g"], models["l"])

    return run


LEASE = "When does the lease of the boathouse end?"
ENDS = "31 December 2026 [1]"


def test_what_fits_is_read_as_it_stands_with_one_model(ask: Ask) -> None:
    found = ask(LEASE, [ENDS])
    assert found.taken == []
    assert found.lookahead.prompts == []
    assert found.answer.grounded == "grounded"
    assert NOTES[1] in found.generator.prompts[0]
    stages = [one.stage for one in found.all(Decided)]
    assert stages == [
        *("route", "expand", "follow titles", "embed", "look ahead", "compress", "vote"),
    ]


LETTERS = (
    document("The deposit for the boathouse is as it stands in terms-2026.odt.", path="/a"),
    document("In spring the boathouse was painted: the door is blue.", path="/b"),
    document("Eight hundred, payable in May.", "Terms", path="/terms-2026.odt"),
)


@pytest.mark.parametrize("task", ["question", "multihop"])
def test_a_document_that_the_best_passage_names_is_read(ask: Ask, task: str) -> None:
    budget = replace(ROOM_FOR_ALL, generator_tokens=70)
    asked = "What is the deposit for the boathouse?"
    found = ask(asked, ["Eight hundred [1]"], items=LETTERS, task=task, budget=budget)
    assert "follow titles" in found.taken
    assert "payable in May" in found.generator.prompts[0]
    assert "is blue" not in found.generator.prompts[0]
    without = ask(
        asked,
        ["Eight hundred [1]"],
        items=LETTERS,
        task=task,
        budget=budget,
        strategy="auto:follow=never",
    )
    assert "payable in May" not in without.generator.prompts[0]


def test_what_is_named_must_have_the_words_that_are_asked_for(ask: Ask) -> None:
    query = Query("What is the deposit for the boathouse?", phrases=("deposit",))
    found = ask(query, ["Eight hundred [1]"], items=LETTERS)
    assert "payable in May" not in found.generator.prompts[0]


def test_samples_choose_where_not_all_fits(ask: Ask) -> None:
    replies = ["It is signed by Ingrid.\nAnswer: Ingrid Halloran"]
    asked = "What of the lease of the boathouse?"
    found = ask(asked, [ENDS], replies, "auto:look=always", budget=ROOM_FOR_ONE)
    assert found.taken[0] == "look ahead"
    assert NOTES[2] in found.generator.prompts[0]
    assert found.answer.strategy == "auto:look=always"


def test_a_model_does_not_look_ahead_for_itself(ask: Ask) -> None:
    found = ask(
        "What of the lease of the boathouse?",
        [ENDS],
        task="multihop",
        budget=ROOM_FOR_ONE,
        lookahead_id="g",
    )
    assert found.taken == []
    assert not found.all(Sampled)
    [look] = [one for one in found.all(Decided) if one.stage == "look ahead"]
    assert "one model plays both roles" in look.why


def test_a_computation_takes_its_route(ask: Ask) -> None:
    found = ask("How many documents are there?")
    assert found.taken == ["route"]
    assert found.answer.table is not None
    assert found.generator.prompts == []


def test_a_data_set_is_asked_as_its_paper_asks(ask: Ask) -> None:
    found = ask("How many documents are there?", ["six"], task="multihop")
    assert "route" not in found.taken
    assert found.answer.raw == "six"


def test_an_encoder_ranks_before_the_samples_where_words_are_missing(ask: Ask) -> None:
    encoder = FakeEncoder({NOTES[1]: 0.1, NOTES[2]: 0.9, "What of": 1.0}, {})
    question = "What of the lease of the boathouse?"
    always = {"encoder": encoder, "strategy": "auto:look=always"}
    found = ask(question, [ENDS], ["?"], budget=ROOM_FOR_ONE, **always)
    assert found.taken == ["look ahead"]
    found = ask(question, [ENDS], ["?"], budget=ROOM_FOR_ONE, encoder=encoder, strategy=EMBEDDING)
    assert found.taken == ["embed", "look ahead"]
    assert NOTES[2] in found.generator.prompts[0]


EMBEDDING = "auto:embed=always,look=always"
LONG = replace(ROOM_FOR_ALL, generator_tokens=34, lookahead_tokens=34)


def test_where_no_passage_fits_its_best_sentence_is_read(ask: Ask) -> None:
    letter = "Dear all. The jetty is closed. The bees are behind the mill. Yours, Kim."
    with pytest.raises(BudgetTooSmall):
        ask("Where are the bees?", notes=[letter], strategy="vanilla", budget=LONG)
    found = ask("Where are the bees?", ["the mill [1]"], notes=[letter], budget=LONG)
    assert found.taken == ["compress"]
    assert "The bees are behind the mill." in found.generator.prompts[0]
    assert "jetty" not in found.generator.prompts[0]
    assert found.answer.grounded == "grounded"


def test_a_budget_that_holds_no_sentence_is_refused(ask: Ask) -> None:
    tight = replace(LONG, generator_tokens=20, lookahead_tokens=20)
    with pytest.raises(BudgetTooSmall, match="No sentence fits 20 tokens"):
        ask("Who keeps bees?", budget=tight)


def test_thorough_readings_vote_where_samples_disagree(ask: Ask) -> None:
    samples = ("Rationale\nAnswer: June", "Rationale\nAnswer: May")
    found = ask(
        "Is the lease of the jetty or that of the boathouse longer?",
        [ENDS],
        lambda _, index: samples[index],
        "auto:look=always",
        effort="thorough",
    )
    assert found.taken == ["look ahead", "vote"]
    assert found.all(Voted)[0].of == 3  # subsets of what was found


def test_an_unsure_thorough_answer_is_put_to_the_vote(ask: Ask) -> None:
    """Behind a look ahead whose samples disagree; `balanced` reads once more instead."""
    samples = ("Rationale\nAnswer: June", "Rationale\nAnswer: May")

    def asked(effort: str) -> Any:
        return ask(
            "Who signed the lease of the jetty, and who that of the boathouse?",
            ["Not found."],
            lambda _, index: samples[index],
            effort=effort,
            budget=replace(ROOM_FOR_ALL, generator_tokens=80),
        )

    assert asked("thorough").taken[:2] == ["look ahead", "vote"]
    assert "vote" not in asked("balanced").taken


def test_agreement_of_samples_by_hand() -> None:
    said = [Sample("", text) for text in ("in May", "in May", "June", "")]
    assert agreement(said) == pytest.approx(2 / 3)
    assert agreement([Sample("who knows", "")]) is None


def test_samples_that_state_another_number_do_not_agree() -> None:
    said = [Sample("", f"It is {rent} euros a month") for rent in (950, 890)]
    assert agreement(said) == 1
    assert agreement(said, partial(same_answer, question="How much is it?")) == 0.5


# Readings


def test_a_sure_reading_is_the_last(ask: Ask) -> None:
    tight = replace(ROOM_FOR_ALL, first_tokens=40)
    found = ask(LEASE, [ENDS], budget=tight, sure_confidence=0.7)
    assert found.answer.certainty == "sure"
    assert len(found.generator.prompts) == 1
    assert NOTES[1] in found.generator.prompts[0]
    assert NOTES[3] not in found.generator.prompts[0]
    assert not found.all(Provisional)


def test_an_unsure_reading_goes_on_behind_the_first(ask: Ask) -> None:
    replies = ["Kim [1]", ENDS]
    tight = replace(ROOM_FOR_ALL, first_tokens=40, enough_confidence=0.9)
    found = ask(LEASE, replies, budget=tight, sure_confidence=0.5)
    first, second = found.generator.prompts[:2]
    assert second.startswith(first.partition("Question:")[0].rstrip())
    assert found.taken == ["read on"]
    [shown] = found.all(Provisional)
    assert shown.text == "Kim [1]"
    assert found.answer.raw == ENDS
    assert found.answer.certainty == "sure"


def test_of_two_readings_the_likelier_answer_is_given(ask: Ask) -> None:
    replies = ["31 December [1]", "Kim [1]"]
    tight = replace(ROOM_FOR_ALL, first_tokens=40)
    found = ask(
        LEASE, replies, budget=replace(tight, enough_confidence=1.0), strategy="auto:look=never"
    )
    assert found.answer.raw == "31 December [1]"
    assert found.answer.certainty == "unsure"
    assert any("differs" in one.text for one in found.answer.reasons if not one.speaks_for)


def test_a_first_reading_keeps_to_the_tokens_that_were_asked_for(ask: Ask) -> None:
    found = ask("Who is Kim?", ["Kim mends nets [1]"], budget=ROOM_FOR_ONE, strategy=FIRST_ALONE)
    assert sum(note in found.generator.prompts[0] for note in NOTES) == 1
    assert len(found.generator.prompts) == 1


FIRST_ALONE = "auto:look=never,read_on=never,again=never"


def test_strict_shows_only_what_is_sure(ask: Ask) -> None:
    found = ask(LEASE, [ENDS], sure_confidence=1.0, strict=True, strategy="auto:look=never")
    assert found.answer.certainty == "none"
    assert found.answer.text == abstention.ABSTENTION


def test_who_asks_for_an_address_gets_that_of_the_header(ask: Ask) -> None:
    ann = Person("Ann Lee", "ann@x.example")
    mail = Item(Kind.MAIL, "Lunch", None, People((ann,)), "From: Ann Lee", Locator(Path("/m")))
    found = ask("What is the e-mail address of Ann Lee?", items=[mail])
    assert found.answer.text == "ann@x.example [1]"
    of_a_set = ask("What is the e-mail address of Ann Lee?", ["?"], items=[mail], task="multihop")
    assert of_a_set.answer.raw == "?"
    assert found.answer.citations[0].quote == "From: Ann Lee"
    assert found.answer.certainty == "sure"
    assert found.generator.prompts == []


def test_what_a_person_is_beside_the_name_is_left_out_and_said(ask: Ask) -> None:
    ann = Person("Ann Lee", "ann@x.example")
    mail = Item(Kind.MAIL, "Lunch", None, People((ann,)), "From: Ann Lee", Locator(Path("/m")))
    found = ask("what email does ann the notary use", items=[mail])
    assert found.answer.text == "ann@x.example [1]"
    assert found.answer.certainty == "unsure"
    assert [one.text for one in found.answer.reasons] == ['no header says "the notary"']
    other = ask("what email does the notary use", ["?"], items=[mail])
    assert other.answer.raw == "?"


# Missing evidence


def test_what_is_missing_is_looked_for_by_looking_ahead(ask: Ask) -> None:
    def write(prompt: str, _: int) -> str:
        return "the mill [1]" if "bees" in prompt else "Not found."

    samples = ["She keeps bees behind the mill.\nAnswer: bees"]
    asked = "Who signed the lease, and where?"
    assert ask(asked, write, samples, budget=ROOM_FOR_ONE).taken == []
    found = ask(asked, write, samples, budget=ROOM_FOR_ONE, effort="thorough")
    assert "look ahead" in found.taken
    assert len(found.all(Sampled)) == 2
    assert found.answer.raw == "the mill [1]"


def test_then_by_another_question_while_tokens_last(ask: Ask) -> None:
    replies = ["Not found.", "Rewritten question: Who keeps bees?", "Answer: Ingrid Halloran"]
    found = ask("Who signed the lease?", replies, ["?"], effort="thorough")
    assert found.taken[-1] == "rewrite"
    assert found.all(FollowedUp)[0].question == "Who keeps bees?"
    assert found.answer.raw == "Ingrid Halloran"
    assert found.answer.usage.effective_context < 3 * (600 + 2 * 600 + 750)


def test_a_question_of_several_steps_is_asked_in_steps(ask: Ask) -> None:
    replies = [
        "unknown",
        "Follow up: Who signed the lease?",
        "Intermediate answer: Ingrid Halloran",
        "the mill",
    ]
    question = "Where does the signer of the lease keep bees?"
    found = ask(question, replies, ["?"], task="multihop", effort="thorough")
    assert found.taken[-1] == "sub-questions"
    assert "published parameters" in found.all(Noted)[-1].text
    assert found.answer.raw == "the mill"


def test_a_second_look_that_finds_nothing_leaves_the_first(ask: Ask) -> None:
    replies = ["Not found.", "Rewritten question: Who keeps bees?", "Answer: unknown"]
    found = ask("Who signed the lease?", replies, ["?"], effort="thorough")
    assert found.answer.text == abstention.ABSTENTION
    assert found.answer.raw == "Not found."


def test_where_no_passage_fits_whole_it_abstains(ask: Ask) -> None:
    letter = "Dear all. The jetty is closed. The bees are behind the mill. Yours, Kim."
    found = ask(
        "Where are the bees?",
        ["Not found."],
        notes=[letter, letter],
        budget=LONG,
        effort="thorough",
    )
    assert found.answer.text == abstention.ABSTENTION
    assert [one.why for one in found.all(Decided)[-2:]] == [
        "not one passage fits the tokens whole",
        "not one passage fits the tokens whole",
    ]


@pytest.mark.parametrize("error", [BudgetTooSmall, ContextExceeded])
def test_a_second_look_that_fails_leaves_the_first(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, error: type[AskanceError]
) -> None:
    def run(self: Rewrite, tools: Any) -> Any:
        raise error("There is no room.", remedy="Lower something.")

    monkeypatch.setattr(Rewrite, "run", run)
    found = ask("Who signed the lease?", ["Not found."], ["?"], effort="thorough")
    assert found.answer.text == abstention.ABSTENTION
    assert found.all(Noted)[-1].text == "Further reading was broken off: There is no room."


def test_what_was_read_whole_is_not_asked_twice(ask: Ask) -> None:
    found = ask("Who signed the lease?", ["Not found."], ["?"], notes=NOTES[1:3])
    assert found.taken == []
    assert found.answer.text == abstention.ABSTENTION
    assert len(found.generator.prompts) == 1


# Other words


def test_words_that_do_not_occur_are_put_otherwise(ask: Ask) -> None:
    asked = "Wann läuft der Mietvertrag vom Bootshaus aus?"
    found = ask(asked, [ENDS], ["When does the lease of the boathouse end?\nWords: lease"])
    assert found.taken[0] == "expand"
    assert "lease" in found.all(Noted)[0].text
    assert asked in found.lookahead.prompts[0]
    assert "into simple English" in found.lookahead.prompts[0]
    assert NOTES[1] in found.generator.prompts[0]
    assert "Write in the language of the question" in found.generator.prompts[0]
    assert asked in found.generator.prompts[0]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The jetty is closed for the winter.", "English"),
        ("Der Steg ist im Winter nicht offen.", "German"),
        ("Le quai est fermé pour les travaux.", "French"),
        ("4711", None),
    ],
)
def test_the_language_of_files_is_known_by_their_commonest_words(
    text: str, language: str | None
) -> None:
    assert language_of([text]) == language


def test_names_that_occur_do_not_hide_another_language(ask: Ask) -> None:
    """Most words occur, so no others are looked for; the answer is still to be in German."""
    asked = "Wann endet Ingrid Halloran lease boathouse und der jetty?"
    found = ask(asked, [ENDS])
    assert "expand" not in found.taken
    assert "Write in the language of the question" in found.generator.prompts[0]
    for strategy in ("self_consistency", "drag:k=1,m=1", "iterdrag:k=1,m=1", "rewrite"):
        prompts = ask(asked, [ENDS], strategy=strategy).generator.prompts
        assert "Write in the language of the question" in prompts[0]


def test_words_that_occur_need_no_model(ask: Ask) -> None:
    found = ask(LEASE, [ENDS])
    assert "language of the question" not in found.generator.prompts[0]


def test_a_question_in_the_files_language_is_answered_by_imagination(ask: Ask) -> None:
    asked = "Who is the owner of some insects that make sweet stuff in a wooden box?"
    found = ask(asked, ["Ingrid Halloran [1]"], ["Somebody keeps bees."])
    assert found.taken[0] == "expand"
    assert "Make up what you do not know" in found.lookahead.prompts[0]
    assert NOTES[3] in found.generator.prompts[0]


@pytest.mark.parametrize("reply", ["", "???", "Wann?"])
def test_a_model_that_names_no_word_changes_nothing(ask: Ask, reply: str) -> None:
    found = ask("Bienen hinter Ingrid Mühle?", ["x [1]"], [reply])
    assert found.taken[0] == "expand"
    assert found.answer.text


# Parameters


@pytest.mark.parametrize("stage", ["expand", "look", "compress", "vote"])
def test_a_study_decides_in_place_of_a_rule(ask: Ask, stage: str) -> None:
    found = ask(LEASE, [ENDS], ["Reason.\nAnswer: x"], strategy=f"auto:{stage}=always")
    asked_for = [one for one in found.all(Decided) if "asked for" in one.why]
    assert [one.taken for one in asked_for] == [True]
    auto = found.answer.strategy.partition("+")[0]  # nothing here reads attention: BM25 cuts
    assert registry.get(auto) == registry.get(f"auto:{stage}=always")
    never = ask(LEASE, ["Not found."], strategy="auto:look=never,again=never")
    assert never.taken == []
    assert never.answer.text == abstention.ABSTENTION


def test_looking_late_waits_for_a_first_reading_without_an_answer(ask: Ask) -> None:
    def write(prompt: str, _: int) -> str:
        return "the mill [1]" if "bees" in prompt else "Not found."

    samples = ["She keeps bees behind the mill.\nAnswer: bees"]
    asked = "Who signed the lease, and where?"
    thorough = {"budget": ROOM_FOR_ONE, "strategy": "auto:look=late", "effort": "thorough"}
    late = ask(asked, write, samples, **thorough)
    looks = [one.taken for one in late.all(Decided) if one.stage == "look ahead"]
    assert looks == [False, True]
    assert late.answer.raw == "the mill [1]"
    spared = ask(LEASE, [ENDS], samples, **thorough)
    assert not spared.all(Sampled)


def test_cutting_by_request_reads_sentences(ask: Ask) -> None:
    found = ask(LEASE, [ENDS], strategy="auto:compress=always")
    assert found.all(Compressed)[0].by == "bm25"
