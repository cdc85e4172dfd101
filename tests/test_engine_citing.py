"""Markers are checked, quotes are literal, attribution afterwards is marked."""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.answer import answer
from engine.checking import abstention
from engine.checking.citation_check import check
from engine.checking.claims import unstated
from engine.checking.draft_sentences import split_sentences
from engine.events import Answered
from ingest.item import Kind
from tests.support import builders

LEASE = "Subject: Lease\n\nThe lease ends on 30 June 2027.\nPlease bring the signed form."
LUNCH = "Subject: Lunch\n\nLunch is at Trattoria Rosa on Friday."


passage = partial(builders.passage, kind=Kind.MAIL)

EVIDENCE = [passage(LUNCH), passage(LEASE)]


def test_a_right_marker_is_kept_and_renumbered() -> None:
    checked = check("The lease ends on 30 June 2027 [2].", EVIDENCE, "When does the lease end?")
    assert checked.text == "The lease ends on 30 June 2027. [1]"
    [citation] = checked.citations
    assert citation.how == "model"
    assert citation.quote == "The lease ends on 30 June 2027."
    assert citation.quote in LEASE
    assert checked.grounded == "grounded"


def test_a_wrong_marker_is_replaced_by_what_supports_it() -> None:
    checked = check("It ends on 30 June 2027 [1].", EVIDENCE, "When does the lease end?")
    [citation] = checked.citations
    assert citation.how == "matched"
    assert citation.passage is EVIDENCE[1]


def test_a_marker_of_no_passage_never_prints() -> None:
    checked = check("On Friday [7].", EVIDENCE, "When is lunch?")
    assert "[7]" not in checked.text
    assert [c.id for c in checked.citations] == [1]


def test_an_invented_fact_has_no_citation() -> None:
    checked = check("The rent is 900 euros [2].", EVIDENCE, "What is the rent?")
    assert checked.grounded == "none"
    assert not checked.citations


def test_repeating_the_question_is_no_support() -> None:
    checked = check("The lease was signed by Zoe.", EVIDENCE, "Who signed the lease form?")
    assert checked.grounded == "none"


def test_one_unsupported_sentence_makes_it_partial() -> None:
    text = "The lease ends on 30 June 2027 [2]. Rent doubles afterwards [2]."
    checked = check(text, EVIDENCE, "When does the lease end?")
    assert checked.grounded == "partial"
    assert checked.text.endswith("Rent doubles afterwards.")


def test_sentences_keep_their_markers_and_initials() -> None:
    text = "Dr. J. Roe called. [1] She left at 5.30 p.m. today [2]. Then home."
    assert split_sentences(text) == [
        "Dr. J. Roe called. [1]",
        "She left at 5.30 p.m. today [2].",
        "Then home.",
    ]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Er endet am 30. Juni 2027. Dann ziehen wir um.", 2),
        ("Das Fest ist am 5. Oktober im 2. Stock [1].", 1),
        ("The workshop is in room 12. Lunch is at 1.", 2),
        ("1. Milk [1]", 1),
        ("Yes. Pets are allowed. [1]", 1),
        ("Yes! Ask Anna. She has it.", 2),
        ("Elle part à 8h. À midi, il revient.", 2),
    ],
)
def test_a_number_with_a_full_stop_ends_a_sentence_only_where_it_is_no_ordinal(
    text: str, sentences: int
) -> None:
    assert len(split_sentences(text)) == sentences


def test_a_wrong_date_is_cited_in_no_part() -> None:
    lease = passage("Der Vertrag mit der Garage endet am 30. Juni 2027.")
    said = "Der Vertrag mit der Garage endet am 30. September 2029. [1]"
    checked = check(said, [lease], "Wann endet der Vertrag?")
    assert checked.grounded == "none"
    assert checked.unsupported[0].lacking == ("30. September 2029",)


RENT = "From: Paul\n\nThe rent in the Lindenallee is 900 euros a month, and Ines Duarte pays it."


@pytest.mark.parametrize(
    ("sentence", "is_cited"),
    [
        ("Die Miete beträgt 900 Euro. [1]", True),
        ("In der Lindenallee wohnt und zahlt Ines Duarte. [1]", True),
        ("Die Miete beträgt 900 Euro.", False),
        ("Die Miete beträgt nicht 900 Euro. [1]", False),
        ("Gestern hat Paul die Wohnung gekündigt. [1]", False),
        ("In der Wohnung ist das Rauchen erlaubt. [1]", False),
        ("Ines Duarte zahlt mit dem Konto 4711 die Miete. [1]", False),
    ],
)
def test_a_sentence_in_another_language_needs_a_marker_and_what_can_be_compared(
    sentence: str, is_cited: bool
) -> None:
    checked = check(sentence, [passage(RENT)], "Was ist mit der Miete?")
    assert checked.grounded == ("grounded" if is_cited else "none")


def test_a_title_with_a_full_stop_is_one_sentence() -> None:
    title = passage("Subject: Japan Weekly Conf. Update\n\nHello.")
    checked = check("Japan Weekly Conf. Update [1]", [title], "What is the subject?")
    assert checked.text == "Japan Weekly Conf. Update [1]"


@pytest.mark.parametrize(
    "text",
    [
        "Not found.",
        "[1] Not found.",
        "Answer: not found",
        "Answer: unknown",
        "",
        "The passages do not mention an attachment.",
        "The email doesn't say when the lease ends.",
        "There is no information about this.",
        "It is not specified [1].",
        "The price is not stated.",
        "No information is given about the rent.",
        "The answer is not in the passages provided.",
        "None of the messages mention Zoe.",
        "The context says nothing about pets.",
        "I cannot find this in the passages.",
        "The answer is unknown.",
        "The passages do not say when. Ask the landlord.",
        "It is not stated\nwhen the lease ends.",
    ],
)
def test_denials_are_recognised(text: str) -> None:
    assert abstention.denies(text)


@pytest.mark.parametrize(
    "text",
    [
        "The lease ends in June.",
        "No. 5 Main Street.",
        "Nora said so.",
        "No, the rent does not include heating.",
        "It is not included.",
        "Never give the key to Ben.",
        "There were no details on price, so Anna declined.",
        "The cause is unknown.",
        "Ben did not say goodbye.",
        "The parcel was not found at the depot.",
        "Dogs are not included in the price.",
        "The insurer did not give a reason.",
        "St. Moritz is 4,800 feet high. Wengen is not mentioned in the passages.",
        "The rent is 900 euros [1].\nIt is not stated when it is due.",
        "[1]",
    ],
)
def test_answers_are_not_denials(text: str) -> None:
    assert not abstention.denies(text)


def test_a_denial_that_a_passage_makes_is_its_own() -> None:
    report = passage("Subject: Survey\n\nThe age of the roof is not stated in the deeds.")
    said = "The age of the roof is not stated in the deeds. [1]"
    assert abstention.denies(said)
    assert not abstention.denies(said, [report])
    assert abstention.denies("Not found.", [passage("Page not found.")])


MEETING = (
    "Subject: Move\n\nThe van costs 1,000 euros and comes on 3 March 2027 at 14:00. "
    "Ana Ruiz brings two ladders. Call 63 2 9229 2352."
)


@pytest.mark.parametrize(
    "sentence",
    [
        "The van costs 1000 euros.",
        "The van comes at 2 pm on March 3rd, 2027.",
        "The van comes on 2027-03-03.",
        "The van comes on 3/3/2027.",
        "Ruiz brings 2 ladders.",
        "Call 63292292352 about the van.",
        "In March 2027 the van comes.",
    ],
)
def test_what_is_written_otherwise_is_still_stated(sentence: str) -> None:
    assert unstated(sentence, [passage(MEETING)]) == ()
    checked = check(f"{sentence} [1]", [passage(MEETING)], "What about the van?")
    assert checked.grounded == "grounded"


HOURS = "Die Messe ist am 3. Juli zwischen 13 und 18 Uhr. The shop is open from 9 to 5:30 pm."


@pytest.mark.parametrize(
    ("sentence", "grounded"),
    [
        ("13:00 - 18:00", "grounded"),
        ("between 1 pm and 6 pm", "grounded"),
        ("9:00 to 17:30", "grounded"),
        ("14:00 - 18:00", "none"),
        ("13:00 - 19:00", "none"),
        ("13:30 - 18:00", "none"),
    ],
)
def test_two_hours_share_the_word_behind_them(sentence: str, grounded: str) -> None:
    checked = check(sentence, [passage(HOURS)], "Between what hours is the fair on 3 July?")
    assert checked.grounded == grounded


@pytest.mark.parametrize(
    ("sentence", "lacking"),
    [
        ("The van costs 1,100 euros.", "1,100"),
        ("The van costs 10 euros.", "10"),
        ("The van comes on 3 March 2028 at 14:00.", "3 March 2028"),
        ("The van comes on 4 March 2027.", "4 March 2027"),
        ("The van comes on 3 March 2027 at 4 pm.", "4 pm"),
        ("Then Ben Okafor brings two ladders.", "Ben"),
        ("Ana Ruiz brings 8 ladders.", "8"),
        ("The van costs 1,000 dollars.", "1,000 dollars"),
        ("The van costs 000 euros.", "000 euros"),
        ("The van costs 1,000 million euros.", "1,000 million euros"),
        ("Call 63 2 9229 2325 about the van.", "63 2 9229 2325"),
        ("The van comes on Thursday 3 March 2027.", "Thursday"),
        ("The van comes with two ladders in May.", "May"),
        ("Anna Ruiz brings two ladders.", "Anna"),
    ],
)
def test_a_wrong_number_date_time_or_name_is_no_support(sentence: str, lacking: str) -> None:
    assert lacking in " ".join(unstated(sentence, [passage(MEETING)]))
    checked = check(f"{sentence} [1]", [passage(MEETING)], "What about the van?")
    assert checked.grounded == "none"
    [one] = checked.unsupported
    assert one.sentence == sentence
    assert any(lacking in part for part in one.lacking)


@pytest.mark.parametrize(
    ("sentence", "cited"),
    [
        ("£2,450 - £1,595 = £855", ["£2,450", "£1,595"]),
        ("2450 \u2212 1595 = 855.", ["£2,450", "£1,595"]),
        ("£2,450 + £1,595 = £4,045", ["£2,450", "£1,595"]),
        ("£2,450 - £1,595 = £865", []),  # miscalculated
        ("£2,450 - £1,395 = £1,055", []),  # no source has one of them
        ("£2,450 * 2 = £4,900", []),
        ("£2,450 - £1,595 = £855 a year", []),
    ],
)
def test_a_right_sum_of_stated_amounts_is_supported(sentence: str, cited: list[str]) -> None:
    evidence = [passage("A new lift is £2,450."), passage("Reconditioned, with 2 rails: £1,595.")]
    checked = check(sentence, evidence, "What would a reconditioned lift save?")
    assert [one for one in cited if any(one in c.quote for c in checked.citations)] == cited
    assert len(checked.citations) == len(cited)
    assert checked.grounded == ("grounded" if cited else "none")


def test_a_date_over_the_end_of_a_line_is_stated() -> None:
    letter = passage("Fires are not allowed at any time, except on 5\nNovember.\nYours sincerely")
    assert unstated("Except on 5 November", [letter]) == ()
    assert unstated("Except on 6 November", [letter]) == ("6 November",)


@pytest.mark.parametrize(
    "limit",
    [
        *("may not exceed", "must be not larger than", "is not to exceed", "must never exceed"),
        *("should never measure more than", "cannot be made larger than", "mustn't be over"),
    ],
)
def test_a_limit_is_no_denial(limit: str) -> None:
    rules = passage(f"3. A shed {limit} 2.4 x 1.8 m and 2.2 m height.")
    checked = check("2.4 x 1.8 m", [rules], "How large may a hut be?")
    assert checked.grounded == "grounded"


def test_a_weekday_that_a_chat_writes_small_is_stated() -> None:
    chat = passage("19:40 Nell: staff lunch: fri 18th dec, 1pm upstairs")
    assert unstated("Fri 18th dec, 1pm upstairs", [chat]) == ()
    assert unstated("Thu 18th dec, 1pm upstairs", [chat]) == ("Thu",)


def test_what_the_question_names_needs_no_source() -> None:
    checked = check("For Zoe it ends on 30 June 2027.", EVIDENCE, "When does Zoe's lease end?")
    assert checked.grounded == "grounded"


@given(
    st.dates(min_value=date(1990, 1, 1), max_value=date(2060, 1, 1)),
    st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%d %b %Y"]),
    st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d/%m/%Y"]),
    st.integers(1, 40000),
)
def test_a_day_agrees_with_itself_in_any_form_and_with_no_other(
    day: date, there: str, here: str, later: int
) -> None:
    text = passage(f"Subject: Day\n\nIt is on {day.strftime(there)}.")
    assert unstated(f"It is on {day.strftime(here)}.", [text]) == ()
    other = day + timedelta(days=later)
    swapped = other.year == day.year and (other.month, other.day) == (day.day, day.month)
    if "." not in there and "/" not in here and not swapped:
        assert unstated(f"It is on {other.strftime(here)}.", [text])


@given(st.integers(0, 10**9), st.sampled_from(["{}", "{:,}"]), st.sampled_from(["{}", "{:,}"]))
def test_a_number_agrees_with_itself_and_not_with_the_next(
    number: int, there: str, here: str
) -> None:
    text = passage(f"Subject: Sum\n\nIt comes to {there.format(number)} euros.")
    assert unstated(f"It is {here.format(number)}.", [text]) == ()
    if number > 1000:
        assert unstated(f"It is {here.format(number + 1)}.", [text])


@given(st.text(max_size=200), st.text(max_size=200))
@example("", "A\u00b8A\u00b9")  # a mark that stands alone becomes one of the next letter
@example("", "A\u1b6bA\u00b9")
@example("", "A:A\u00aa0")  # an ordinal letter before a number
def test_no_text_breaks_the_check(sentence: str, text: str) -> None:
    assert all(part in sentence for part in unstated(sentence, [passage(text)]))
    assert unstated(text, [passage(text)]) == ()


@pytest.mark.parametrize(
    ("question", "note", "reply", "is_right"),
    [
        ("Are pets allowed?", "Pets are allowed in the flat.", "Yes, pets are allowed. [1]", True),
        ("Are pets allowed?", "Pets are allowed in the flat.", "Yes. Pets are allowed. [1]", True),
        (
            "Are pets allowed?",
            "Pets are allowed in the flat.",
            "No, pets are not allowed. [1]",
            False,
        ),
        (
            "Are pets allowed?",
            "Pets aren't allowed in the flat.",
            "Yes, pets are allowed. [1]",
            False,
        ),
        (
            "Does the rent include heating?",
            "The rent does not include heating.",
            "No, the rent does not include heating. [1]",
            True,
        ),
        ("What broke?", "The cause is not stated in the log.", "The log says nothing. [1]", False),
    ],
)
def test_yes_and_no_are_answers_where_a_source_says_so(
    question: str, note: str, reply: str, is_right: bool, tmp_path: Path, fake_models: Any
) -> None:
    (tmp_path / "house.txt").write_text(note)
    [*_, last] = answer(question, [tmp_path], fake_models([reply]))
    assert isinstance(last, Answered)
    assert last.answer.grounded == ("grounded" if is_right else "none")


def test_another_form_of_a_word_of_the_question_is_nothing_new() -> None:
    asked = "Does the lease come to an end in June 2027?"
    evidence = [passage("Subject: Lease\n\nThe lease is at an end from 30 June 2027.")]
    assert check("The lease comes to an end in June 2027.", evidence, asked).grounded == "grounded"
    assert check("The flat comes to an end in June 2027.", evidence, asked).grounded == "none"


@pytest.mark.parametrize(
    ("reply", "sources"),
    [
        ("Melbourne Cup and Adelaide Cup", 2),
        ("Adelaide Cup, Melbourne Cup and Regatta Day.", 3),
        ("Melbourne Cup and Canberra Cup", 0),  # one of them is nowhere
        ("Melbourne Cup and 9 March", 0),  # that is no list of names
        ("The Regatta Day is fun and the Melbourne Cup too", 0),
        (f"{'a' * 2000}1 and Melbourne Cup", 0),  # at once, however long a word is
    ],
)
def test_names_that_a_reply_lists_may_stand_in_several_places(reply: str, sources: int) -> None:
    days = ("Melbourne Cup, 3 November", "Adelaide Cup, 9 March", "Regatta Day, 9 February")
    checked = check(reply, [passage(day) for day in days], "Which races get a holiday?")
    assert [citation.id for citation in checked.citations] == list(range(1, sources + 1))
    assert checked.grounded == ("grounded" if sources else "none")
