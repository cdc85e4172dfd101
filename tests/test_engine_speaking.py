"""Whose words a line is, and whether another was asked about."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.output.report import answer_text
from engine.checking.citation_check import check
from engine.checking.speakers import SpeakerTurns
from tests.support.builders import passage
from tests.support.toy_talk import answer_to

CHAT = """\
Chat of the rowing club
Mara: I started pottery classes in May.
Jonas: Nice! I take swimming lessons on Tuesdays.
Mara: Did you know that Jonas has a new boat? I love it.
Jonas: You should see how you row, I was amazed.
Jonas: We paid 40 euros for the oars.
Mara: The key is under the mat.
"""
THREE = CHAT + "Edda: I gave him the key.\nEdda: I lost my hat.\n"


def said_by(text: str, line: str, question: str) -> str | None:
    start = text.index(line)
    return SpeakerTurns(text).elses(start, start + len(line), question)


@pytest.mark.parametrize(
    ("line", "question", "who"),
    [
        ("Mara: I started pottery classes in May.", "What classes did Jonas start in May?", "Mara"),
        ("I take swimming lessons", "When does Mara take swimming lessons?", "Jonas"),
        ("I take swimming lessons", "When are Mara's swimming lessons?", "Jonas"),
        ("We paid 40 euros", "What did Mara pay for the oars?", "Jonas"),
        ("I started pottery", "What did Mara start?", None),  # her own words
        ("I started pottery", "What do Mara and Jonas learn?", None),  # both were asked about
        ("I started pottery", "Who started pottery?", None),  # nobody was
        ("I started pottery", "What does Edda learn?", None),  # somebody who says nothing here
        ("I started pottery", "What does Jonas Berg learn?", None),  # another one, for all we know
        ("I started pottery", "Since when does Mar do what Jonas does not?", None),  # in short
        ("Did you know that Jonas has a new boat? I love it.", "What boat has Jonas?", None),
        ("You should see how you row, I was", "How does Mara row?", None),
        ("The key is under the mat.", "Where did Jonas put the key?", None),  # not of herself
        ("Chat of the rowing club", "What did Jonas call the club?", None),  # nobody's turn
    ],
)
def test_words_in_the_first_person_are_about_who_says_them(
    line: str, question: str, who: str | None
) -> None:
    assert said_by(CHAT, line, question) == who


def test_among_more_than_two_a_pronoun_may_mean_who_was_asked_about() -> None:
    assert said_by(THREE, "I gave him the key.", "Who gave Jonas the key?") is None
    assert said_by(THREE, "I lost my hat.", "What did Jonas lose?") == "Edda"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("[D1:3] {}: ", "[D1:4] {}: "),
        ("[12/05/2023, 13:56:01] {}: ", "[12/05/2023, 13:57:44] {}: "),
        ("12/05/2023, 13:56 - {}: ", "12/05/2023, 13:57 - {}: "),
        ("5/12/23, 1:56\u202fPM - {}: ", "5/12/23, 1:57 p.m. - {}: "),
        ("{} Klein-O'Hara: ", "{} Klein-O'Hara: "),
    ],
)
def test_chats_as_programs_export_them(first: str, second: str) -> None:
    lines = [
        first.format("Mara") + "I painted it.",
        second.format("Jonas") + "Fine.\nI am off.",
    ] * 2
    text = "\n".join(lines)
    who = said_by(text, "I painted it.", "What did Jonas paint?")
    assert who is not None
    assert who.startswith("Mara")
    who = said_by(text, "I am off.", "Who is off, Mara?")  # the second line of a turn
    assert who is not None
    assert who.startswith("Jonas")


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("Mara: Ich habe meinen Hut verloren.", "Was hat Jonas verloren?"),
        ("Mara: Nous avons perdu la clef.", "Qu'est-ce que Jonas a perdu ?"),
        ("Mara: Yo compré el barco.", "¿Qué compró Jonas?"),
        ("Mara: Ik heb de boot gekocht.", "Wat kocht Jonas?"),
    ],
)
def test_other_languages_have_a_first_person_too(line: str, question: str) -> None:
    assert said_by(f"{CHAT}{line}\n", line, question) == "Mara"


FORWARDED = """\
From: Mara
To: Jonas
Subject: The oars
I bought the oars for 40 euros.

From: Jonas
To: Mara
Subject: The oars
Thank you.
"""
MINUTES = "Date: Monday\nJonas: absent\nI wrote these minutes.\n"


@pytest.mark.parametrize(
    ("text", "line", "question"),
    [
        (FORWARDED, "I bought the oars", "To whom did Jonas sell the oars?"),
        (FORWARDED, "I bought the oars", "What did Jonas buy? From whom?"),
        (MINUTES, "I wrote these minutes.", "What did Jonas write?"),  # one line is no chat
    ],
)
def test_headings_are_no_speakers(text: str, line: str, question: str) -> None:
    assert said_by(text, line, question) is None


@given(st.text(), st.text(), st.integers(0, 50), st.integers(0, 50))
def test_no_text_breaks_it(text: str, question: str, start: int, length: int) -> None:
    whole = CHAT + text
    SpeakerTurns(whole).elses(min(start, len(whole)), min(start + length, len(whole)), question)


def test_what_another_says_of_themselves_supports_no_answer() -> None:
    checked = check("Pottery classes in May [1].", [passage(CHAT)], "What did Jonas start?")
    assert checked.grounded == "none"
    [why] = checked.unsupported
    assert why.said_by == "Mara"
    checked = check("Pottery classes in May [1].", [passage(CHAT)], "What did Mara start?")
    assert checked.grounded == "grounded"


@pytest.mark.parametrize(
    ("turn", "reply", "who"),
    [
        ("Hey Jonas, how are you? I took my turtles to the beach.", "turtles", "Mara"),
        ("I am so happy for you, Jonas! The turtles are at the beach.", "turtles", ""),
        ("I took something to the beach. It was your turtle.", "a turtle", ""),
        ("I took turtles to the beach. Did you see the parrot?", "turtles and a parrot", ""),
    ],
)
def test_of_a_turn_only_the_sentence_counts_that_holds_the_reply(
    turn: str, reply: str, who: str
) -> None:
    chat = passage(f"{CHAT}Mara: {turn}\n")
    checked = check(reply, [chat], "What did Jonas take to the beach?")
    assert [one.said_by for one in checked.unsupported] == [who] * bool(who)


def test_where_another_passage_holds_it_that_one_is_cited() -> None:
    note = passage("Jonas started pottery classes in May.")
    checked = check("Pottery classes in May [1].", [passage(CHAT), note], "What did Jonas start?")
    [citation] = checked.citations
    assert citation.passage is note


def test_of_two_that_the_model_named_what_another_says_of_themselves_is_not_cited() -> None:
    note = passage("Jonas started pottery classes in May.")
    both = [passage(CHAT), note]
    checked = check("Pottery classes in May [1] [2].", both, "What did Jonas start?")
    assert [citation.passage for citation in checked.citations] == [note]
    assert checked.citations[0].how == "model"
    checked = check("Pottery classes in May [1] [2].", both, "What did Mara start?")
    assert [citation.passage for citation in checked.citations] == both


def test_the_answer_says_whose_words_they_were() -> None:
    text = "Jonas rows on Sundays [2]. Pottery classes in May [1]."
    note = passage("Jonas rows on Sundays.")
    checked = check(text, [passage(CHAT), note], "What did Jonas start, and when does he row?")
    assert checked.grounded == "partial"
    shown = answer_text(replace(answer_to("?"), unsupported=tuple(checked.unsupported)), None)
    said = 'Not supported: "Pottery classes in May." (said there by Mara, of themselves)'
    assert said in shown
