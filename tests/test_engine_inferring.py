"""Filters inferred from questions: what the grammar reads, and what becomes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer import answer, search
from engine.errors import OwnAddressUnknown
from engine.events import Answered, Event, Narrowed, Understood
from engine.question.acquaintances import Acquaintances, name_at
from engine.question.question_grammar import analysed, clues
from engine.settings import Settings
from engine.values import Answer, Inferred
from ingest.item import Filters, Item, Kind, Locator, People, Person
from models.roles import ModelSet

MakeModels = Callable[..., ModelSet]
TODAY = date(2026, 11, 18)  # a Wednesday
NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
LABELLED = Path(__file__).parent / "bench" / "inference_questions.jsonl"
ANN, BOB = Person("Ann Smith", "ann@x.example"), Person("Miller, Bob", "bob.miller@acme.example")
ACME, DANA = Person("Acme Billing", "billing@acme.example"), Person("Dana Fox", "dana@y.example")


def known(*people: Person) -> Acquaintances:
    item = Item(Kind.MAIL, "", None, People(people, people), "", Locator(Path("/m")))
    return Acquaintances.of([item])


EVERYBODY = known(ANN, BOB, ACME, DANA)


def filters_of(question: str, people: Acquaintances = EVERYBODY) -> set[str]:
    return {f"{one.field} {one.value}" for one in clues(analysed(question, TODAY, people))}


def labelled() -> list[tuple[str, set[str]]]:
    rows = [json.loads(line) for line in LABELLED.read_text("utf-8").splitlines()]
    return [(row["question"], set(row["filters"])) for row in rows]


@pytest.mark.parametrize(("question", "meant"), labelled())
def test_no_filter_is_read_that_was_not_meant(question: str, meant: set[str]) -> None:
    assert filters_of(question) <= meant


def test_most_filters_that_were_meant_are_read() -> None:
    pairs = [(filters_of(question), meant) for question, meant in labelled()]
    read = sum(len(found & meant) for found, meant in pairs)
    assert read / sum(len(meant) for _, meant in pairs) > 0.75


def test_before_reading_only_addresses_dates_and_kinds_are_known() -> None:
    nobody = Acquaintances()
    assert filters_of("Which mails from Ann came last week?", nobody) == {"kind mail"}
    assert filters_of("mails from ann@x.example of last week", nobody) == {
        *("from ann@x.example", "since 2026-11-09", "until 2026-11-15")
    }


def test_each_filter_names_its_words() -> None:
    assert clues(analysed("What did Ann send me last week?", TODAY, EVERYBODY)) == [
        Inferred("from", "Ann", "Ann"),
        Inferred("since", "2026-11-09", "last week"),
        Inferred("until", "2026-11-15", "last week"),
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ann wrote", "Ann"),
        ("Ann Smith wrote", "Ann Smith"),
        ("Bob's mail", "Bob"),
        ("Bob Miller", "Bob Miller"),
        ("Acme", "Acme"),
        ("who@where.example", "who@where.example"),
        ("Ann Miller", None),
        ("ann", None),
        ("Zoe", None),
    ],
)
def test_who_is_known(text: str, name: str | None) -> None:
    found = name_at(text, 0, EVERYBODY.senders)
    assert (found and found.name) == name


@pytest.mark.parametrize(
    "written", ["Vince J Hale", "Hale, Vince J", "Vince J. R. Hale", "Vince J.R. Hale"]
)
def test_a_person_is_known_without_the_initials_in_the_middle(written: str) -> None:
    vince = Person(written, "vhale@x.example")
    question = "Which mails did Vince Hale send?"
    assert filters_of(question, known(vince)) == {"kind mail", "from Vince Hale"}
    assert vince.matches("Vince Hale")
    assert not Person("The Weekly News", "").without_initials
    assert not vince.matches("Ann Hale")


@pytest.mark.parametrize(
    ("question", "sender"),
    [
        ("Which mails came from the new tenant?", None),
        ("Which mails from jobs at sea?", None),
        ("Which mails from the Guardian?", "from the Guardian"),
        ("Which mails from The New York Times?", "from The New York Times"),
        ("Which mails from ann lee?", "from ann lee"),
    ],
)
def test_common_words_that_begin_a_senders_name_are_no_sender(
    question: str, sender: str | None
) -> None:
    names = ("The New York Times", "The Guardian Weekly", "Jobs at Acme", "Ann Lee")
    people = [Person(name, f"{number}@x.example") for number, name in enumerate(names)]
    assert filters_of(question, known(*people)) == {"kind mail", *filter(None, [sender])}


@given(st.text(max_size=60) | st.sampled_from([q for q, _ in labelled()]), st.dates())
def test_any_question_can_be_read(question: str, today: date) -> None:
    assert len(set(found := clues(analysed(question, today, EVERYBODY)))) == len(found)


def mail(sender: str, day: str, text: str, more: str = "") -> str:
    return f"From: {sender}\nDate: {day} 10:00:00 +0000\nSubject: note\n{more}\n{text}\n"


@pytest.fixture
def mailbox(tmp_path: Path) -> Path:
    folder = tmp_path / "mail"
    folder.mkdir()
    texts = {
        "a.eml": mail("Ann Smith <ann@x.example>", "Tue, 10 Nov 2026", "The roof costs 900."),
        "b.eml": mail("ann@x.example", "Tue, 6 Oct 2026", "The roof costs 700."),
        "c.eml": mail(
            "Bob <bob@y.example>",
            "Wed, 11 Nov 2026",
            "The roof costs 800.",
            "Delivered-To: me@home.example\n",
        ),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "roof.txt").write_text("The roof costs 500.\n")
    return folder


def asked(
    question: str,
    source: Path,
    models: ModelSet,
    filters: Filters | None = None,
    **settings: object,
) -> tuple[Answer, list[Event]]:
    chosen = Settings(now=NOW, zone=UTC, **settings)  # type: ignore[arg-type]
    events = list(answer(question, [source], models, chosen, filters))
    assert isinstance(events[-1], Answered)
    return events[-1].answer, events


def evidence(found: Answer) -> set[str]:
    return {citation.passage.item.locator.path.name for citation in found.citations}


def test_a_name_narrows_after_reading_to_all_their_addresses(
    mailbox: Path, fake_models: MakeModels
) -> None:
    models = fake_models(["The roof costs 700 [2]."])
    found, _ = asked("What do the mails from Ann say the roof costs?", mailbox, models)
    assert [f"{one.field} {one.value}" for one in found.query.inferred] == ["from Ann"]
    prompt = models.generator.prompts[0]  # type: ignore[attr-defined]
    assert "900" in prompt
    assert "700" in prompt  # her mail without her name
    assert "800" not in prompt
    assert "500" not in prompt


def test_a_date_prunes_the_reading(mailbox: Path, fake_models: MakeModels) -> None:
    question = "Which mail of last week says what the roof costs?"
    found, events = asked(question, mailbox, fake_models(["800 [1]."]))
    assert found.coverage.read == {Kind.MAIL: 2}
    assert found.coverage.pruned == 2
    assert isinstance(events[0], Narrowed)
    assert events[0].query.filters.since == date(2026, 11, 9)


def test_a_date_without_any_mail_is_left_out(mailbox: Path, fake_models: MakeModels) -> None:
    question = "Which mail of last year says what the roof costs?"
    found, _ = asked(question, mailbox, fake_models(["The roof costs 800 [1]."]))
    assert [one.words for one in found.query.dropped] == ["last year", "last year", "mail"]
    assert found.query.filters == Filters()
    assert found.coverage.read == {Kind.MAIL: 3, Kind.DOCUMENT: 1}
    assert found.grounded != "none"


def test_a_name_whose_mail_lacks_the_words_is_left_out(
    mailbox: Path, fake_models: MakeModels
) -> None:
    (mailbox / "d.eml").write_text(mail("Dana <d@z.example>", "Tue, 6 Oct 2026", "Hello there."))
    question = "What does the mail from Dana say the roof costs?"
    found, _ = asked(question, mailbox, fake_models(["The roof costs 800 [1]."]))
    assert [one.value for one in found.query.dropped] == ["Dana"]
    assert evidence(found)


def test_what_was_typed_is_never_inferred(mailbox: Path, fake_models: MakeModels) -> None:
    typed = Filters(since=date(2026, 10, 1), senders=("bob",))
    question = "What do mails from Ann of last week say the roof costs?"
    found, _ = asked(question, mailbox, fake_models(["800 [1]."]), typed)
    assert found.query.filters == typed
    assert not found.query.inferred


def test_nothing_is_inferred_when_told_so(mailbox: Path, fake_models: MakeModels) -> None:
    question = "Which mail from Ann of last week says what the roof costs?"
    found, _ = asked(question, mailbox, fake_models(["800 [1]."]), infer=False)
    assert not found.query.inferred
    assert found.query.filters == Filters()


@pytest.mark.parametrize(("sure", "read"), [(4.0, ["Ann"]), (0.5, [])])
def test_the_model_may_place_a_name_that_the_grammar_cannot(
    sure: float, read: list[str], mailbox: Path, fake_models: MakeModels
) -> None:
    def logprobs(prompt: str, choices: Sequence[str]) -> list[float]:
        wrote = next(c for c in choices if f"{c}: Ann wrote it." in prompt)
        return [0.0 if choice == wrote else -sure for choice in choices]

    models = fake_models(["900 [1]."])
    models.lookahead._logprobs = logprobs  # type: ignore[attr-defined]
    question = "What did the roof cost, according to Ann?"
    found, _ = asked(question, mailbox, models, infer_model=True)
    assert [one.value for one in found.query.inferred] == read
    assert not asked(question, mailbox, models)[0].query.inferred


def test_search_is_exact(mailbox: Path) -> None:
    settings = Settings(now=NOW, zone=UTC)
    events = list(search("roof mails from ann@x.example", [mailbox], settings))
    assert isinstance(events[0], Understood)
    assert not events[0].query.inferred


def test_i_am_my_addresses(mailbox: Path, fake_models: MakeModels) -> None:
    question = "What did I write to Ann about the roof?"
    own = ("ann@x.example", "b@y.example")
    found, _ = asked(question, mailbox, fake_models(["900 [1]."]), own=own)
    assert found.query.filters.senders == own
    assert [f"{one.field} {one.value}" for one in found.query.inferred] == ["from me"]
    assert not found.query.own_seen


def test_addresses_that_look_like_mine_are_offered(mailbox: Path, fake_models: MakeModels) -> None:
    sent = mailbox / "Sent"
    sent.mkdir()
    for name in ("1.eml", "2.eml"):
        day = "Tue, 6 Oct 2026"
        (sent / name).write_text(mail("I <i@home.example>", day, "The roof costs 1."))
    found, _ = asked("What did I pay for my roof?", mailbox, fake_models())
    assert found.query.own_seen == ("i@home.example", "me@home.example")
    assert not asked("What does the roof cost?", mailbox, fake_models())[0].query.own_seen


def test_me_as_a_filter_needs_an_address(mailbox: Path, fake_models: MakeModels) -> None:
    mine = Filters(senders=("me",))
    found, _ = asked("roof", mailbox, fake_models(), mine, own=("bob@y.example",))
    assert found.query.filters.senders == ("bob@y.example",)
    assert found.coverage.read == {Kind.MAIL: 1}
    with pytest.raises(OwnAddressUnknown, match="no address of yours"):
        asked("roof", mailbox, fake_models(), mine)


def test_the_filters_are_told_before_anything_is_read(
    mailbox: Path, fake_models: MakeModels
) -> None:
    _, events = asked("Which mails from ann@x.example name the roof?", mailbox, fake_models())
    assert isinstance(events[0], Narrowed)
    assert events[0].query.filters.senders == ("ann@x.example",)


@pytest.mark.parametrize(
    "question",
    [
        "Which mail of last week says what the roof costs?",  # narrows what is read
        "Which mail of last year says what the roof costs?",  # leaves nothing: read again
        "What does the mail from Ann say the roof costs?",  # a name is known after reading
    ],
)
def test_a_question_is_understood_once_when_its_filters_are_settled(
    question: str, mailbox: Path, fake_models: MakeModels
) -> None:
    found, events = asked(question, mailbox, fake_models(["800 [1]."]))
    [understood] = [event for event in events if isinstance(event, Understood)]
    assert understood.query == found.query
    narrowed = [event for event in events if isinstance(event, Narrowed)]
    assert len(narrowed) == (2 if "year" in question else 1)
    assert events.index(narrowed[-1]) < events.index(understood)
