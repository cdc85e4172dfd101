"""What a mail says and what it brings: its own words and its attachments, without a model."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from engine.compute.fields import WORDS_SHOWN, values_of
from engine.compute.plan_text import parsed, written
from engine.compute.question_plan import read_plan
from engine.compute.run import run
from engine.compute.vocabulary import QuestionVocabulary
from engine.question.acquaintances import Acquaintances
from ingest.item import Item, Kind, Locator, People, Person

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
KIM = Person("Kim Sato", "kim@sato.example")
BOB = Person("Bob Reed", "bob@reed.example")


def mail(title: str, sender: Person, day: int, body: str, files: tuple[str, ...] = ()) -> Item:
    when = datetime(2026, 11, day, 9, tzinfo=UTC)
    head = f"Subject: {title}\nFrom: {sender}\nDate: {when:%a %Y-%m-%d %H:%M}"
    head += f"\nAttachments: {', '.join(files)}" if files else ""
    place = Locator(Path("/mail/inbox.mbox"), message_id=f"<{title}{day}>")
    return Item(
        *(Kind.MAIL, title, when, People(sender=(sender,)), f"{head}\n\n{body}", place),
        attachments=files,
        body=len(head) + 2,
    )


MAILS = [
    mail("Sails", KIM, 2, "The sails are torn.", ("sails.jpg", "bill.pdf")),
    mail("Re: Sails", BOB, 3, "> The sails are torn.\n\nSew them.\n\nBob"),
    mail("Ropes", KIM, 9, "Buy ropes.\n\nOn Mon, Bob wrote:\n> Which?\n", ("bill.pdf",)),
    mail("Long", BOB, 10, "word " * 500),
]
VOCABULARY = QuestionVocabulary.of(MAILS)


def becomes(question: str, line: str, vocabulary: QuestionVocabulary) -> None:
    """Assert that the grammar is sure of a plan, which is read back from its line."""
    found = read_plan(question, vocabulary, NOW.date(), me_known=True)
    assert found.plan is not None
    assert written(found.plan) == line
    assert found.sure
    assert parsed(line) == found.plan


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What does Kim's last mail say?", "last text of mail from:Kim"),
        ("What is in the last mail from Kim?", "last text of mail from:Kim"),
        ("What did Kim write first?", "first text of mail from:Kim"),
        ("What did Kim want in her last mail?", "last text of mail from:Kim"),
        ("Show me Bob's last mail", "last text of mail from:Bob"),
        ("What was the last mail from Kim?", "last title of mail from:Kim"),
        ("What was the subject of Kim's last mail?", "last title of mail from:Kim"),
        ("What did Kim send me?", "list title of mail from:Kim"),
        ("Which mails have attachments?", "list title of mail has:attachment"),
        ("Who sent me attachments?", "list sender of mail to:me has:attachment"),
        ("Which attachments did Kim send?", "list attachment of mail from:Kim has:attachment"),
        ("How many mails with an attachment did I get in November?",
         "count mail since:2026-11-01 until:2026-11-30 has:attachment"),
    ],
)  # fmt: skip
def test_words_and_attachments_are_asked_for(question: str, line: str) -> None:
    becomes(question, line, VOCABULARY)


@pytest.mark.parametrize(
    "question",
    [
        "What did Kim write in November?",  # several mails: their subjects do not say it
        "What did Bob reply?",
        "What does the attachment of Kim's mail say?",
        "What is in the attachment?",
        "What do the last mails from Kim say?",
        "Which mails have no attachments?",
        "How many mails are without attachments?",
    ],
)
def test_what_no_one_mail_says_is_left_to_reading(question: str) -> None:
    assert not read_plan(question, VOCABULARY, NOW.date()).sure


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("first text of mail", "The sails are torn."),
        ("last text of mail from:Kim", "Buy ropes."),
        ('last text of mail subject:"Re: Sails"', "Sew them. Bob"),
        ("list attachment of mail", "sails.jpg, bill.pdf"),
        ("distinct attachment of mail", "2"),
        ("count mail has:attachment", "2"),
        ("list sender of mail has:attachment", "Kim Sato"),
    ],
)
def test_a_plan_over_words_and_attachments_comes_to(line: str, value: str) -> None:
    found = run(parsed(line), MAILS, Acquaintances.of(MAILS), NOW)
    assert found.value == value


def test_what_is_cited_is_what_is_said() -> None:
    row = run(parsed("last text of mail from:Kim"), MAILS, VOCABULARY.known, NOW).rows[0]
    reading = row.values[0]
    assert reading.item.text[reading.start : reading.end] == "Buy ropes."
    row = run(parsed("list attachment of mail from:Kim"), MAILS, VOCABULARY.known, NOW).rows[0]
    reading = row.values[0]
    assert "sails.jpg" in reading.item.text[reading.start : reading.end]


def test_a_long_text_says_how_much_more_there_is() -> None:
    (shown,) = values_of(MAILS[-1], "text")
    words, _, more = shown.text.partition(" \N{HORIZONTAL ELLIPSIS} ")
    assert len(words) <= WORDS_SHOWN
    left = len(" ".join(MAILS[-1].text[MAILS[-1].body :].split())) - len(words)
    assert more == f"({left:,} more characters)"


def test_own_words_behind_a_quote_are_counted() -> None:
    reply = mail("Re: Sails", BOB, 4, "Yes.\n\n> Shall I?\n\nNo hurry.\n\n> When?\n\nMay.\n")
    (shown,) = values_of(reply, "text")
    assert shown.text == "Yes. \N{HORIZONTAL ELLIPSIS} (13 more characters)"


def test_a_mail_of_quotes_alone_says_nothing() -> None:
    quoted = mail("Re: Sails", BOB, 4, "> The sails are torn.\n")
    assert values_of(quoted, "text") == ()
    assert values_of(mail("Empty", BOB, 4, ""), "text") == ()


def test_dates_of_the_wording_are_days_of_the_mail() -> None:
    found = read_plan("What was the last mail from Kim this month?", VOCABULARY, date(2026, 11, 21))
    assert found.plan is not None
    assert written(found.plan) == ("last title of mail from:Kim since:2026-11-01 until:2026-11-30")


PER = Person("Per Fjeld", "per@fjeld.example")
OF_PER = QuestionVocabulary.of([*MAILS, mail("Pumps", PER, 11, "Here.")])


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What are the newest mails?", "last entry of mail top 5"),
        ("Show me the last three mails from Kim", "last entry of mail from:Kim top 3"),
        ("Which were the first 2 mails?", "first entry of mail top 2"),
        ("Do I have mail from Kim?", "list entry of mail from:Kim"),
        ("Did I reply to Per?", "list entry of mail from:me to:Per"),
        ("When did Per last write?", "last date of mail from:Per"),
        ("Who was the last to write to me?", "last sender of mail to:me"),
        ("How many mails per sender?", "count mail by sender"),
        ("What is the longest thread?", "count mail by thread top 1"),
        ("When did the discussion about the sails start?", "first date of mail text:sails"),
        ("When did the thread about the sails end?", "last date of mail text:sails"),
        ("Who started the thread about the sails?", "first sender of mail text:sails"),
    ],
)
def test_the_newest_mails_and_a_person_with_a_common_name(question: str, line: str) -> None:
    becomes(question, line, OF_PER)


@pytest.mark.parametrize(
    "question",
    [
        "When was the mail sent?",  # which one?
        "Who sent the mail?",
        "How long did Kim take to reply?",
        "Where is Kim?",
        "What is the longest mail?",
        "Who else was on the mail about the sails?",
    ],
)
def test_one_mail_that_nothing_names_is_left_to_reading(question: str) -> None:
    assert not read_plan(question, OF_PER, NOW.date()).sure


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("last title of mail top 2", "Long, Ropes"),  # the newest first
        ("first title of mail top 2", "Sails, Re: Sails"),
        ("last title of mail from:Kim top 9", "Ropes, Sails"),
    ],
)
def test_so_many_of_an_end(line: str, value: str) -> None:
    assert run(parsed(line), MAILS, VOCABULARY.known, NOW).value == value


def test_initials_in_the_middle_of_a_name_need_not_be_named() -> None:
    letters = [
        mail("Pumps", Person("Vince J Hale", "v@hale.example"), 11, "Here."),
        mail("Keys", Person("Vince K. Hale", ""), 12, "There."),
        mail("Oars", Person("Vince Moor", "v@moor.example"), 13, "Nowhere."),
        mail("Nets", Person("Ann Hale", "a@hale.example"), 14, "Somewhere."),
    ]
    vocabulary = QuestionVocabulary.of(letters)
    becomes("How many mails did Vince Hale send?", 'count mail from:"Vince Hale"', vocabulary)
    found = run(parsed('list title of mail from:"Vince Hale"'), letters, vocabulary.known, NOW)
    assert found.value == "Pumps, Keys"
