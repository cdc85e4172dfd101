"""What was written later in a chat or thread replaces what it changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.answer import answer
from engine.events import Answered, Decided, Event, Provisional
from engine.settings import Settings
from models.llama.generator import load_llama
from models.roles import ModelSet
from models.store.catalogue import load_catalogue
from tests.support.in_store import weights_of

CHAT = """\
26/11/2026, 08:19 - Nell: Staff lunch: Fri 18 December, 1pm upstairs at Mokoko
26/11/2026, 08:22 - Becky: Yay
26/11/2026, 08:28 - Chloe: I can only do after 2 that day, dentist
26/11/2026, 08:29 - Pat: Could we do the Thursday?
26/11/2026, 09:04 - Nell: Thursday 17 December it is then. Same place
"""
QUESTION = "Which day is the staff lunch at Mokoko?"
MAIL = """\
From: {sender} <{sender}@x.example>
To: me@x.example
Subject: {subject}
Date: {date}
Message-ID: <{number}@x.example>

{text}
"""


def asked(
    files: list[Path], models: Any, question: str = QUESTION, **settings: Any
) -> tuple[list[Event], Answered]:
    events = list(answer(question, files, models, Settings(**settings)))
    assert isinstance(events[-1], Answered)
    return events, events[-1]


def denying(fake_generator: Any, replies: Sequence[str], probability: float = 0.2) -> ModelSet:
    """Return models of which one was trained to deny, with its probability of a denial."""
    said: dict[str, str] = {}

    def reply(prompt: str, _: int) -> str:
        return said.setdefault(prompt, replies[min(len(said), len(replies) - 1)])

    large = fake_generator("large", reply, logprobs=lambda *_: [math.log(probability)])
    fakes = {"small": fake_generator("small"), "large": large}
    return ModelSet("small", "large", fakes.__getitem__, denial_bias=2.0)


def asked_of(models: ModelSet) -> list[str]:
    """Return the prompts of replies."""
    prompts: list[str] = getattr(models.generator, "prompts")  # noqa: B009
    return list(dict.fromkeys(prompts))


def chat(folder: Path, text: str = CHAT) -> list[Path]:
    path = folder / "WhatsApp Chat with Team.txt"
    path.write_text(text, encoding="utf-8")
    return [path]


def decision(events: list[Event]) -> Decided | None:
    found = (one for one in events if isinstance(one, Decided) and one.stage == "read later")
    return next(found, None)


def test_a_later_message_replaces_what_it_changes(
    tmp_path: Path, fake_generator: Callable[..., Any]
) -> None:
    models = denying(fake_generator, ["Fri 18 December, 1pm", "Thursday 17 December"])
    events, last = asked(chat(tmp_path), models)
    assert last.answer.text == "Thursday 17 December [1]"
    assert "Thursday 17 December it is" in last.answer.citations[0].quote
    assert last.answer.certainty == "unsure"
    assert 'an earlier source says "Fri 18 December, 1pm"' in [
        one.text for one in last.answer.reasons
    ]
    first, later = asked_of(models)
    assert "Staff lunch" in first
    assert "Staff lunch" not in later
    shown = [one.text for one in events if isinstance(one, Provisional)]
    assert shown == ["Fri 18 December, 1pm"]


@pytest.mark.parametrize(
    "reply",
    [
        "Not found.",
        "Fri 18 December, 1pm",  # the same
        "at Mokoko",  # another sort of thing
        "Sunday 3 May",  # in no message
    ],
)
def test_an_answer_stays_where_later_messages_do_not_change_it(
    tmp_path: Path, fake_generator: Callable[..., Any], reply: str
) -> None:
    models = denying(fake_generator, ["Fri 18 December, 1pm", reply])
    events, last = asked(chat(tmp_path), models)
    assert last.answer.text == "Fri 18 December, 1pm [1]"
    taken = decision(events)
    assert taken is not None
    assert taken.taken
    assert len(asked_of(models)) == 2


@pytest.mark.parametrize(
    ("question", "reply", "settings"),
    [
        (QUESTION, "Mokoko", {}),  # names nothing that is moved
        (QUESTION, "Thursday 17 December", {}),  # nothing was written behind it
        ("Is the lunch on the 18th?", "Yes, Fri 18 December, 1pm", {}),
        ("Which day was the staff lunch first?", "Fri 18 December, 1pm", {}),
        (QUESTION, "Fri 18 December, 1pm", {"effort": "quick"}),
        (QUESTION, "Fri 18 December, 1pm", {"strategy": "auto:later=never"}),
    ],
)
def test_later_messages_are_not_read_for_nothing(
    tmp_path: Path,
    fake_generator: Callable[..., Any],
    question: str,
    reply: str,
    settings: dict[str, Any],
) -> None:
    models = denying(fake_generator, [reply, "Sunday"])
    events, _ = asked(chat(tmp_path), models, question, **settings)
    taken = decision(events)
    assert taken is None or not taken.taken
    assert len(asked_of(models)) == 1


TIMES = CHAT.replace("Thursday 17 December it is then. Same place", "choir has the room 4 to 5.30")


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        (QUESTION, "Fri 18 December, 1pm [1]"),
        ("What time is the staff lunch at Mokoko?", "4 to 5.30 [1]"),
    ],
)
def test_a_time_alone_moves_no_day(
    tmp_path: Path, fake_generator: Callable[..., Any], question: str, answered: str
) -> None:
    models = denying(fake_generator, ["Fri 18 December, 1pm", "4 to 5.30"])
    _, last = asked(chat(tmp_path, TIMES), models, question)
    assert last.answer.text == answered


PLACE = """\
26/11/2026, 08:19 - Nell: Staff lunch at Mokoko, table for 18, 1pm
26/11/2026, 08:28 - Chloe: {later}
"""


@pytest.mark.parametrize(
    ("later", "reply", "answered"),
    [
        ("choir has the hall from 10:15", "from 10:15", "Mokoko, table for 18, 1pm"),
        ("we meet on Thursday 17th December", "17th December", "Mokoko, table for 18, 1pm"),
        ("correction: at Bao Yard, table for 21", "Bao Yard, table for 21", None),
    ],
)
def test_a_time_alone_replaces_no_place(
    tmp_path: Path, fake_generator: Callable[..., Any], later: str, reply: str, answered: str | None
) -> None:
    models = denying(fake_generator, ["Mokoko, table for 18, 1pm", reply])
    text = PLACE.format(later=later)
    _, last = asked(chat(tmp_path, text), models, "Where is the staff lunch?")
    assert last.answer.text == f"{answered or reply} [1]"


TILER = """\
29/11/2026, 20:20 - Aoife: Tiler is coming for the bathroom {day}
29/11/2026, 20:21 - Aoife: {later}
"""


@pytest.mark.parametrize(
    ("day", "later", "answered"),
    [
        ("wed 13 january", "picked. the blue ones, 9 boxes, ready friday", "wed 13 january"),
        ("wed 13 january", "he changed it, friday now", "friday"),
        ("wed 13th january", "picked. the blue ones, ready friday", "wed 13th january"),
        ("wednesday", "picked. the blue ones, 9 boxes, ready friday", "friday"),
    ],
)
def test_a_weekday_alone_replaces_a_date_only_where_something_was_moved(
    tmp_path: Path, fake_generator: Callable[..., Any], day: str, later: str, answered: str
) -> None:
    models = denying(fake_generator, [day, "friday"])
    text = TILER.format(day=day, later=later)
    _, last = asked(chat(tmp_path, text), models, "When is the tiler coming?")
    assert last.answer.text == f"{answered} [1]"


def thread(folder: Path, senders: tuple[str, str]) -> list[Path]:
    texts = ("The day rate is 395 pounds.", "We settled on 380.\n\n> The day rate is 395 pounds.")
    days = ("Mon, 2 Nov 2026 10:00:00 +0000", "Tue, 3 Nov 2026 10:00:00 +0000")
    subjects, files = ("Locum", "Re: Locum"), []
    for number, sender in enumerate(senders):
        path = folder / f"{number}.eml"
        path.write_text(
            MAIL.format(
                sender=sender,
                subject=subjects[number],
                date=days[number],
                number=number,
                text=texts[number],
            )
        )
        files.append(path)
    return files


@pytest.mark.parametrize(("probability", "bias"), [(0.6, 2.0), (0.2, None)])
def test_only_a_model_that_denies_well_replaces_an_answer(
    tmp_path: Path, fake_generator: Callable[..., Any], probability: float, bias: float | None
) -> None:
    replies = ["Fri 18 December, 1pm", "Thursday 17 December"]
    models = denying(fake_generator, replies, probability)
    models.denial_bias = bias
    _, last = asked(chat(tmp_path), models)
    assert last.answer.text == "Fri 18 December, 1pm [1]"


def test_of_a_thread_the_newer_mails_are_read_without_what_they_quote(
    tmp_path: Path, fake_generator: Callable[..., Any]
) -> None:
    models = denying(fake_generator, ["395 pounds", "380"])
    _, last = asked(thread(tmp_path, ("kim", "kim")), models, "What is the day rate of the locum?")
    assert last.answer.text == "380 [1]"
    assert "395" not in asked_of(models)[-1]


def test_of_a_long_mail_the_beginning_is_read(
    tmp_path: Path, fake_generator: Callable[..., Any]
) -> None:
    files = thread(tmp_path, ("kim", "kim"))
    files[1].write_text(files[1].read_text() + "\nAs agreed before." * 2000)
    models = denying(fake_generator, ["395 pounds", "380"])
    _, last = asked(files, models, "What is the day rate of the locum?")
    assert last.answer.text == "380 [1]"
    assert len(asked_of(models)[-1]) < 4000


def test_a_subject_that_others_write_of_is_no_thread(
    tmp_path: Path, fake_generator: Callable[..., Any]
) -> None:
    models = denying(fake_generator, ["395 pounds", "380"])
    files = thread(tmp_path, ("kim", "ben"))
    question = "What is the day rate of the locum?"
    _, last = asked(files, models, question, own=("me@x.example",))
    assert last.answer.text == "395 pounds [1]"


MOVED = """\
26/11/2026, 08:19 - Nell: Staff lunch: Fri 18 December, 1pm upstairs at Mokoko
26/11/2026, 08:22 - Becky: Yay
26/11/2026, 08:28 - Chloe: the 18th is full, they have the 21st at 2
26/11/2026, 08:29 - Pat: who has the spare key
"""


@pytest.mark.parametrize(
    ("chat_of", "probability", "answered"),
    [
        (MOVED, 0.9, "the 21st at 2 [1]"),
        (MOVED, 0.97, "Fri 18 December, 1pm [1]"),
        (MOVED.replace("the 18th is full, they have", "my birthday is"), 0.9, "Fri 18 Dec"),
    ],
)
def test_a_message_that_gives_another_day_need_not_name_its_subject(
    tmp_path: Path,
    fake_generator: Callable[..., Any],
    chat_of: str,
    probability: float,
    answered: str,
) -> None:
    replies = ["Fri 18 December, 1pm", "the 21st at 2"]
    models = denying(fake_generator, replies, probability)
    _, last = asked(chat(tmp_path, chat_of), models, least_confidence=0.0)
    assert last.answer.text.startswith(answered)
    assert last.answer.certainty == ("unsure" if "18th is full" in chat_of else "sure")
    if answered.startswith("the"):
        assert "spare key" not in asked_of(models)[1]


@pytest.mark.parametrize(("effort", "bias"), [("quick", 2.0), ("balanced", None)])
def test_a_change_that_is_not_read_leaves_the_answer_unsure(
    tmp_path: Path, fake_generator: Callable[..., Any], effort: str, bias: float | None
) -> None:
    models = denying(fake_generator, ["Fri 18 December, 1pm", "the 21st at 2"])
    models.denial_bias = bias
    _, last = asked(chat(tmp_path, MOVED), models, effort=effort, sure_confidence=0.1)
    assert last.answer.text == "Fri 18 December, 1pm [1]"
    assert last.answer.certainty == "unsure"
    said = 'may change it: "08:28 Chloe: the 18th is full, they have the 21st at 2"'
    assert any(one.text.endswith(said) for one in last.answer.reasons)


def test_a_long_message_is_shown_in_part(
    tmp_path: Path, fake_generator: Callable[..., Any]
) -> None:
    text = MOVED.replace("they have the 21st at 2", "they have the 21st at 2" + " and more" * 50)
    models = denying(fake_generator, ["Fri 18 December, 1pm"], 0.97)
    _, last = asked(chat(tmp_path, text), models)
    [told] = [one.text for one in last.answer.reasons if "may change it" in one.text]
    assert told.endswith(' …"')
    assert len(told) < 200


CODES = {
    "family": ("16/03/2026, 09:00 - Bridget", "I changed the keysafe at the cabin, its code is {}"),
    "cabin": ("12/{month}/2026, 09:00 - Hester", "the new code of the keysafe at the cabin: {}"),
}


def codes(folder: Path, month: int) -> list[Path]:
    values = ("7316", "9042")
    for (name, (head, text)), value in zip(CODES.items(), values, strict=True):
        said = f"{head.format(month=f'{month:02}')}: {text.format(value)}\n"
        (folder / f"WhatsApp Chat with {name}.txt").write_text(said)
    return [folder]


@pytest.mark.parametrize(
    ("month", "question", "answered"),
    [
        (10, "Which code has the keysafe at the cabin?", "9042 [1]"),
        (2, "Which code has the keysafe at the cabin?", "7316 [1]"),  # not newer
        (10, "Which code had the keysafe at the cabin before?", "7316 [1]"),
    ],
)
def test_what_another_source_corrects_is_read_alone(
    tmp_path: Path, fake_generator: Callable[..., Any], month: int, question: str, answered: str
) -> None:
    models = denying(fake_generator, ["7316", "9042"])
    now = datetime(2026, 11, 29, tzinfo=UTC)
    _, last = asked(codes(tmp_path, month), models, question, now=now)
    assert last.answer.text == answered
    prompts = asked_of(models)
    assert len(prompts) == (2 if answered.startswith("9042") else 1)
    if len(prompts) == 2:
        assert "7316" not in prompts[1]
        told = [one.text for one in last.answer.reasons]
        assert 'an earlier source says "7316"' in told
        assert last.answer.certainty == "unsure"


@pytest.mark.slow
def test_the_starter_model_sees_that_a_plan_was_moved(tmp_path: Path) -> None:
    row = load_catalogue().default("generator")
    model = load_llama(weights_of(row.id), row.id, context=2048, adapter=row.adapter_path)
    models = ModelSet(row.id, row.id, lambda _: model, denial_bias=row.denial_bias)
    try:
        _, last = asked(chat(tmp_path), models)
        _, place = asked(chat(tmp_path), models, "Where is the staff lunch?")
    finally:
        model.close()
    assert "Thursday" in last.answer.text
    assert "Mokoko" in place.answer.text
