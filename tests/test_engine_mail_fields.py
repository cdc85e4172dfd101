"""When somebody wrote of something, and who was in copy, is read from the mail with the words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from engine.compute.mail_fields import BY_WORDS, FieldAsked, field_asked, field_stated
from engine.generation.draft import Draft
from engine.language.days import Span
from engine.question.acquaintances import Acquaintances
from engine.values import Passage
from ingest.item import Item, Kind, Person
from tests.support.builders import document, mail
from tests.support.toy_compute import asking

ANN, BOB, CY = (
    Person("Ann Lund", "ann@lund.example"),
    Person("Bob Reed", "bob@reed.example"),
    Person("Cy Post", "cy@post.example"),
)
ME = frozenset({"cy@post.example"})
TODAY = date(2026, 11, 29)


def sent(
    title: str, sender: Person, day: int, body: str, to: Person, cc: Person | None = None
) -> Item:
    item = mail(title, sender, datetime(2026, 5, day, 9, tzinfo=UTC), body, to=(to,))
    if cc is None:
        return item
    text = item.text.replace("\nDate:", f"\nCc: {cc}\nDate:")
    added = len(text) - len(item.text)
    people = replace(item.people, cc=(cc,))
    return replace(item, text=text, people=people, body=item.body + added)


ITEMS = [
    sent("The roof", ANN, 2, "The roof of the boat house leaks again.", CY),
    sent("Lunch", ANN, 9, "Shall we have lunch on Friday?", CY),
    sent("Re: The roof", CY, 3, "I have asked a roofer to mend the roof.", ANN, BOB),
    sent("Offers", CY, 12, "Two offers for the gutters.", BOB, ANN),
]
KNOWN = Acquaintances.of(ITEMS)


def stated(question: str, scores: list[float], items: list[Item] = ITEMS) -> Draft | None:
    asked = field_asked(question, KNOWN, TODAY)
    assert asked is not None
    passages = [Passage(item, 0, len(item.text)) for item in items]
    return field_stated(asked, passages, scores, KNOWN, ME)


def told(field: Any, sender: str | None, recipient: str | None) -> FieldAsked:
    return FieldAsked(field, sender, recipient, frozenset())


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("When did Ann tell me about the roof?", told("date", "Ann", "me")),
        ("on what date did Ann Lund write of roofs", told("date", "Ann Lund", None)),
        ("when did ann mention the roof?", told("date", "ann", None)),
        ("What day did I write to Bob about the gutters?", told("date", "me", "Bob")),
        ("Who was in copy when I told Ann of the roofer?", told("copied", "me", "Ann")),
        ("who did I copy in when I sent Bob the offers", told("copied", "me", "Bob")),
        ("Who was cc'd on the mail in which I told Ann of roofs?", told("copied", "me", "Ann")),
        ("Who was copied in on Ann's mail about the roof?", told("copied", "Ann", None)),
        ("When I told Ann of the roofer, who got a copy?", told("copied", "me", "Ann")),
        ("To which address did I send the offers?", told("address", "me", None)),
        ("to whom did I forward the offers?", told("recipient", "me", None)),
        ("who was copied on the mail about the roof", told("copied", None, None)),
        ("who got a copy of the offers mail", told("copied", None, None)),
        ("which adress did I write to Ann from about the roof", told("sender", "me", "Ann")),
        ("from which address did i send Bob the offers", told("sender", "me", "Bob")),
        ("what time did ann write about the roof", told("date", "ann", None)),
        ("clock time ann sent the roof news", told("date", "ann", None)),
        ("which of my addresses did the roof mail go to", told("address", None, None)),
        ("what email address was the lunch mail sent to?", told("address", None, None)),
    ],
)  # fmt: skip
def test_which_field_of_whose_mail_is_asked_for(question: str, asked: FieldAsked) -> None:
    found = field_asked(question, KNOWN, TODAY)
    assert found is not None
    assert replace(found, about=frozenset()) == asked


def test_words_of_telling_are_not_what_it_is_about() -> None:
    found = field_asked("When did Ann tell me in a mail that the roofs leak?", KNOWN, TODAY)
    assert found is not None
    assert found.about == {"roof", "leak"}
    assert (
        field_asked("When did Ann write to me?", KNOWN, TODAY) is None
    )  # of no mail in particular


@pytest.mark.parametrize(
    ("question", "days", "about"),
    [
        ("what time on 2 may did Ann write", (2, 2), set()),
        ("when did Ann write about the roof in May", (1, 31), {"roof"}),
        ("When did Ann write on 9 May 2026 about lunch?", (9, 9), {"lunch"}),
        ("When did Ann write about the March lunch?", None, {"march", "lunch"}),
        ("When did Ann mention the minutes of 5 June?", None, {"minut", "june"}),
    ],
)
def test_days_say_which_mail_is_meant(
    question: str, days: tuple[int, int] | None, about: set[str]
) -> None:
    found = field_asked(question, KNOWN, TODAY)
    assert found is not None
    assert found.about == about
    wanted = days and Span(date(2026, 5, days[0]), date(2026, 5, days[1]))
    assert found.days == wanted


def test_a_year_before_a_noun_is_when_it_was_sent() -> None:
    found = field_asked("which address did the 2026 lunch mail go to", KNOWN, TODAY)
    assert found is not None
    assert found.days == Span(date(2026, 1, 1), date(2026, 12, 31))
    assert found.about == {"lunch"}


def test_of_several_mails_the_one_of_the_days_is_stated() -> None:
    draft = stated("what time on 9 May did Ann write?", [4.0, 1.0, 5.0, 0.0])
    assert draft is not None
    assert draft.text == "Sat 2026-05-09 09:00 [1]"
    two = [ITEMS[0], replace(ITEMS[1], when=ITEMS[0].when)]
    assert stated("what time on 2 May did Ann write?", [4.0, 1.0], two) is None
    assert stated("what time on 3 May did Ann write?", [4.0, 1.0, 5.0, 0.0]) is None


def test_a_recipient_is_looked_for_before_a_copy() -> None:
    draft = stated("who did I copy in when I wrote to Ann about roofs", [0.0, 0.0, 2.0, 5.0])
    assert draft is not None
    assert draft.text == "Bob Reed [1]"


def test_the_address_of_a_mail_that_its_words_name_is_stated() -> None:
    draft = stated("which of my addresses did the boat house mail go to", [4.0, 1.0, 2.0, 0.0])
    assert draft is not None
    assert draft.text == "cy@post.example [1]"
    assert stated("which address did the car rental mail go to", [4.0, 1.0, 2.0, 0.0]) is None


@pytest.mark.parametrize(
    "question",
    [
        "When did Zoe tell me about the roof?",  # nobody is called so
        "When did Ann make her first offer?",  # no verb of writing
        "When did Ann mend the roof?",
        "When will Ann tell me?",
        "To whom did I send the offers, and who was in copy?",
        "When did Ann say that she would come?",  # the day is in the mail
        "When did Ann say she'd come?",
        "When did Ann promise to mend it?",
        "Who told me about the roof?",
        "When was the roof mended?",
        "Who was copied on the roof?",
        "Which address did I write to Ann?",
        "which address did the parcel go to",  # a street
    ],
)
def test_other_questions_ask_for_no_field(question: str) -> None:
    assert field_asked(question, KNOWN, TODAY) is None


def test_the_date_of_the_mail_with_the_words_is_stated_and_unsure() -> None:
    draft = stated("When did Ann tell me about the roof?", [4.0, 1.0, 5.0, 0.0])
    assert draft is not None
    assert draft.text == "Sat 2026-05-02 09:00 [1]"
    assert draft.citations[0].quote.startswith("Date: 2026-05-02")
    assert draft.reasons == (BY_WORDS,)


def test_who_was_in_copy_is_stated() -> None:
    draft = stated("Who was in copy when I told Ann of the roofer?", [4.0, 0.0, 5.0, 1.0])
    assert draft is not None
    assert draft.text == "Bob Reed [1]"
    assert draft.citations[0].quote == "Cc: Bob Reed <bob@reed.example>"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("To which address did I send the offers?", "bob@reed.example [1]"),
        ("to whom did I forward the offers?", "Bob Reed [1]"),
    ],
)
def test_to_whom_it_went_is_stated(question: str, text: str) -> None:
    draft = stated(question, [4.0, 0.0, 5.0, 6.0])
    assert draft is not None
    assert draft.text == text
    assert draft.citations[0].quote == "To: Bob Reed <bob@reed.example>"


def test_a_mail_without_a_copy_is_not_the_one_whose_copy_is_asked_for() -> None:
    draft = stated("Who was copied on the mail about the roof?", [6.0, 0.0, 5.0, 1.0])
    assert draft is not None
    assert draft.text == "Bob Reed [1]"
    assert stated("Who was copied on the mail about the roof garden?", [6.0, 0.0, 5.0, 1.0]) is None


def test_the_address_that_it_was_sent_from_is_stated() -> None:
    draft = stated("Which address did I write to Ann from about the roof?", [6.0, 0.0, 5.0, 1.0])
    assert draft is not None
    assert draft.text == "cy@post.example [1]"
    assert draft.citations[0].quote == "From: Cy Post <cy@post.example>"


@pytest.mark.parametrize(
    ("question", "scores"),
    [
        ("When did Ann tell me about the roof?", [4.0, 3.99, 0.0, 0.0]),  # two alike
        ("When did Ann tell me about the roof?", [0.0, 0.0, 5.0, 0.0]),  # none of hers
        ("Who was in copy when Ann told me of the roof?", [4.0, 0.0, 0.0, 0.0]),  # nobody
        ("When did Ann tell me about her wedding?", [4.0, 1.0, 0.0, 0.0]),  # not of that
    ],
)
def test_what_no_single_mail_states_is_left_to_reading(question: str, scores: list[float]) -> None:
    assert stated(question, scores) is None


def test_a_chat_that_has_more_of_the_words_is_read() -> None:
    chat = document("Ann Lund: the roof leaks", "Chat", kind=Kind.MESSAGE)
    scores = [4.0, 1.0, 0.0, 0.0, 6.0]
    assert stated("When did Ann tell me about the roof?", scores, [*ITEMS, chat]) is None


def test_auto_states_the_field_without_a_model(fake_generator: Any) -> None:
    ask = asking(fake_generator)
    question = "When did Ann tell me about the roof of the boat house?"
    answer, _, models = ask(
        question, ITEMS, strategy="auto", own=tuple(ME), now=datetime(2026, 6, 1, tzinfo=UTC)
    )
    assert answer.text == "Sat 2026-05-02 09:00 [1]"
    assert (answer.certainty, answer.grounded) == ("unsure", "grounded")
    assert not models["g"].prompts + models["l"].prompts
