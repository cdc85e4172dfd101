"""Whoever says "me" is named where it is asked who."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.checking.citation_check import check
from engine.checking.first_person import with_speaker
from engine.values import Passage
from ingest.item import ChatTurn, Item, Kind, People, Person
from tests.support.builders import document

SAID = (("Nell", "who's making the cake?"), ("Kim Lee", "meee"), ("Ben", "I'll bring the tent"))


def chat() -> Item:
    text, turns = "Chat: Family\nSun 2026-11-01\n", []
    for name, said in SAID:
        turns.append(ChatTurn(len(text), Person(name, ""), None))
        text += f"10:00 {name}: {said}\n"
    return replace(document(text, "Family", kind=Kind.MESSAGE), turns=tuple(turns))


def told(reply: str, question: str, item: Item) -> str:
    found = check(reply, [Passage(item, 0, len(item.text))], question)
    return with_speaker(found.text, question, found.citations)


@pytest.mark.parametrize(
    ("reply", "question", "answer"),
    [
        ("meee", "who's making Kit's cake", "Kim Lee: meee [1]"),
        ("I'll bring the tent.", "And who brings the tent?", "Ben: I'll bring the tent. [1]"),
        ("I'll bring the tent.", "What about the tent?", "I'll bring the tent. [1]"),
        ("Ben", "Who brings the tent?", "Ben [1]"),
        ("meee", "who do i ask about the cake", "meee [1]"),
    ],
)
def test_who_says_it_is_named(reply: str, question: str, answer: str) -> None:
    assert told(reply, question, chat()) == answer


def test_in_a_mail_it_is_the_sender() -> None:
    mail = document("Subject: Door\n\nI will fetch the keys on Friday.", "Keys", kind=Kind.MAIL)
    mail = replace(mail, people=People((Person("Lee, Kim", "kim@x.example"),)))
    assert told("I will fetch the keys", "Who fetches them?", mail).startswith("Kim Lee: I will")
    quoted = "Subject: Door\n\nSo be it.\n\n> I will fetch the keys on Friday."
    reply = replace(mail, text=quoted)
    assert told("I will fetch the keys", "Who fetches them?", reply).startswith("I will fetch")
    note = document("I will fetch the keys on Friday.", "Keys")
    assert told("I will fetch the keys", "Who fetches them?", note) == "I will fetch the keys [1]"
