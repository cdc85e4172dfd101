"""Chats: WhatsApp's text and the JSON of other programs, as stretches with who said what."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer import answer
from engine.events import Answered
from engine.settings import Settings
from ingest.chats.chat import chat_items
from ingest.files import UnreadableError
from ingest.item import Filters, Item, Kind, Locator, People, Reason, Skipped
from ingest.origin import Origin
from ingest.reading.in_process import read
from ingest.reading.session import Session
from ingest.reading.wire import packed, unpacked
from ingest.sieve import Scope

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 25, tzinfo=UTC)

GERMAN = """\
01.05.24, 09:58 - Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.
01.05.24, 09:59 - Kim Lee: Is the boathouse free on Friday?
01.05.24, 10:03 - Ann Ray: Yes, from nine.
Bring the key
and the blue rope.
13.05.24, 18:20 - Kim Lee: <Medien ausgeschlossen>
13.05.24, 18:21 - Ann Ray: The rope costs 12:50 at the harbour.
"""
FORMS = {
    "iPhone": "[{d}.{m}.{y}, 10:03:11] Kim: Hello there",
    "iPhone, marked": "\u200e[{d}/{m}/{y}, 10:03:11] Kim: \u200eHello there",
    "Android": "{d}/{m}/{y}, 10:03 - Kim: Hello there",
    "American": "{m}/{d}/{y}, 10:03 AM - Kim: Hello there",
    "American, narrow": "{m}/{d}/{y}, 10:03\u202fAM - Kim: Hello there",
    "Spanish": "{d}/{m}/{y}, 10:03 a. m. - Kim: Hello there",
    "Swedish": "20{y}-{m}-{d} 10:03 - Kim: Hello there",
}


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def items_of(path: Path, filters: Filters | None = None) -> list[Item]:
    return [one for one in read([path], filters or Filters(), zone=BERLIN) if isinstance(one, Item)]


def test_a_chat_of_whatsapp_is_stretches_with_who_said_what(tmp_path: Path) -> None:
    found = items_of(written(tmp_path / "WhatsApp Chat with Kim Lee.txt", GERMAN))
    assert [one.kind for one in found] == [Kind.MESSAGE] * 2  # twelve days lie between
    first, second = found
    assert first.title == "Kim Lee"
    assert first.text == (
        "Chat: Kim Lee\nWed 2024-05-01\n"
        "09:58 (Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.)\n"
        "09:59 Kim Lee: Is the boathouse free on Friday?\n"
        "10:03 Ann Ray: Yes, from nine.\nBring the key\nand the blue rope.\n"
    )
    assert first.when == datetime(2024, 5, 1, 9, 58, tzinfo=BERLIN)
    assert first.until == datetime(2024, 5, 1, 10, 4, tzinfo=BERLIN)
    assert [one.name for one in first.people.sender] == ["Kim Lee", "Ann Ray"]
    assert (first.locator.line, second.locator.line) == (1, 6)
    assert [(turn.sender.name, turn.when) for turn in first.turns] == [
        ("Kim Lee", datetime(2024, 5, 1, 9, 59, tzinfo=BERLIN)),
        ("Ann Ray", datetime(2024, 5, 1, 10, 3, tzinfo=BERLIN)),
    ]
    said = [one.text for one in first.each()]
    assert said[1] == "10:03 Ann Ray: Yes, from nine.\nBring the key\nand the blue rope.\n"
    assert "12:50" in second.text  # no sender of a line is taken from within it


def test_a_slow_chat_goes_on_over_days_and_says_which(tmp_path: Path) -> None:
    said = [
        "01/11/2026, 10:30 - Kim: What size are her skates?",
        "01/11/2026, 15:40 - Ann: Looked. 39",
        "03/11/2026, 09:00 - Kim: Thanks",
        "09/11/2026, 09:00 - Kim: Is the rink open?",
    ]
    first, second = items_of(written(tmp_path / "_chat.txt", "\n".join(said)))
    assert first.text == (
        "Chat: _chat\nSun 2026-11-01\n10:30 Kim: What size are her skates?\n"
        "15:40 Ann: Looked. 39\nTue 2026-11-03\n09:00 Kim: Thanks\n"
    )
    assert [one.text for one in first.each()][-1] == "Tue 2026-11-03\n09:00 Kim: Thanks\n"
    assert second.text.startswith("Chat: _chat\nMon 2026-11-09\n")


def test_a_stretch_that_says_enough_ends_with_a_pause(tmp_path: Path) -> None:
    long = "The rope " * 60
    said = [f"01/11/2026, 10:30 - Kim: {long}", "01/11/2026, 15:40 - Ann: Where is the net?"]
    assert len(items_of(written(tmp_path / "_chat.txt", "\n".join(said)))) == 2


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_order_of_day_and_month_is_that_of_the_whole_file(tmp_path: Path, form: str) -> None:
    days = [("03", "02"), ("25", "02")]  # the second one decides
    text = "\n".join(form.format(d=d, m=m, y="24") for d, m in days)
    found = items_of(written(tmp_path / "_chat.txt", text))
    days_read = [f"{one.when:%m-%d %H:%M}" for one in found if one.when]
    assert days_read == ["02-03 10:03", "02-25 10:03"]
    assert {one.people.sender[0].name for one in found} == {"Kim"}
    assert all("Hello there" in one.text for one in found)
    assert not any(one.flags for one in found)


@pytest.mark.parametrize(
    ("dates", "month", "flagged"),
    [
        (["03/02/24", "02/03/24"], 2, False),  # only day first is in order: 3 February, 2 March
        (["02/03/24", "03/02/24"], 2, False),  # only month first is: 3 February, 2 March
        (["03/02/24", "04/05/24"], 2, True),  # both are
        (["05/05/24"], 5, False),  # it makes no difference
    ],
)
def test_what_no_date_decides_is_decided_by_their_order_or_flagged(
    tmp_path: Path, dates: list[str], month: int, flagged: bool
) -> None:
    text = "\n".join(f"{one}, 10:03 - Kim: Hello" for one in dates)
    first, *_ = items_of(written(tmp_path / "chat.txt", text))
    assert first.when is not None
    assert first.when.month == month
    assert bool(first.flags) == flagged


def test_evening_hours_of_twelve(tmp_path: Path) -> None:
    text = "12/31/23, 12:05 AM - Kim: a\n12/31/23, 12:05 PM - Kim: b\n12/31/23, 9:05 PM - Kim: c\n"
    turns = [t for one in items_of(written(tmp_path / "c.txt", text)) for t in one.turns]
    assert [turn.when.hour for turn in turns if turn.when] == [0, 12, 21]


def test_an_archive_with_media_gives_its_name_to_the_chat(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "WhatsApp Chat - Rowing club.zip", "w") as archive:
        archive.writestr("_chat.txt", "[25.02.24, 10:03:11] Kim: Who has the oars?\n")
        archive.writestr("00000001-PHOTO.jpg", b"\xff\xd8\xff" + bytes(64))
    [item] = items_of(tmp_path / "WhatsApp Chat - Rowing club.zip")
    assert (item.title, item.locator.member) == ("Rowing club", "_chat.txt")
    assert "10:03 Kim: Who has the oars?" in item.text


TELEGRAM = {
    "name": "Kim",
    "type": "personal_chat",
    "id": 4711,
    "messages": [
        {
            "id": 1,
            "type": "service",
            "actor": "Kim",
            "action": "phone_call",
            "date": "2024-05-01T09:00:00",
            "date_unixtime": "1714546800",
        },
        {
            "id": 2,
            "type": "message",
            "date": "2024-05-01T09:05:00",
            "date_unixtime": "1714547100",
            "from": "Kim",
            "text": ["See ", {"type": "link", "text": "https://example.org"}, " about the oars."],
        },
        {
            "id": 3,
            "type": "message",
            "date": "2024-05-01T09:06:00",
            "date_unixtime": "1714547160",
            "from": "Ann",
            "text": "",
            "file_name": "oars.pdf",
        },
    ],
}
SLACK = [
    {
        "type": "message",
        "user": "U1",
        "text": "<@U2> the lease &amp; the key, see <https://example.org|here>",
        "ts": "1714547100.000100",
        "user_profile": {"real_name": "Kim Lee"},
    },
    {
        "type": "message",
        "subtype": "channel_join",
        "user": "U2",
        "text": "<@U2> has joined",
        "ts": "1714547160.000200",
    },
    {
        "type": "message",
        "user": "U2",
        "text": "Thanks",
        "ts": "1714547220.000300",
        "files": [{"name": "key.png"}],
        "user_profile": {"real_name": "", "display_name": "Dana"},
    },
    {"type": "message", "user": "U3", "text": "<@U1> see <#C1|boats>", "ts": "1714547280.000400"},
]
DISCORD = {
    "guild": {"id": "1", "name": "Rowing"},
    "channel": {"id": "2", "name": "boats"},
    "messages": [
        {
            "id": "3",
            "timestamp": "2024-05-01T09:05:00+02:00",
            "content": "The lease ends in May.",
            "author": {"name": "kim#1", "nickname": "Kim"},
            "attachments": [],
        },
    ],
}
MATRIX = {
    "room_name": "Boathouse",
    "messages": [
        {
            "type": "m.room.member",
            "sender": "@ann:example.org",
            "origin_server_ts": 1714547000000,
            "content": {},
        },
        {
            "type": "m.room.message",
            "sender": "@kim:example.org",
            "origin_server_ts": 1714547100000,
            "content": {"msgtype": "m.text", "body": "The key is under the mat."},
        },
    ],
}


@pytest.mark.parametrize(
    ("name", "said", "title", "lines"),
    [
        (
            "result.json",
            TELEGRAM,
            "Kim",
            [
                "09:00 (Kim phone call)",
                "09:05 Kim: See https://example.org about the oars.",
                "09:06 Ann: [oars.pdf]",
            ],
        ),
        (
            "2024-05-01.json",
            SLACK,
            "#general",
            [
                "09:05 Kim Lee: @Dana the lease & the key, see here (https://example.org)",
                "09:06 (@Dana has joined)",
                "09:07 Dana: Thanks [key.png]",
                "09:08 U3: @Kim Lee see #boats",
            ],
        ),
        (
            "rowing-club.json",
            SLACK[3:],
            "#rowing-club",
            ["09:08 U3: @U1 see #boats"],
        ),
        ("boats.json", DISCORD, "#boats", ["09:05 Kim: The lease ends in May."]),
        ("export.json", MATRIX, "Boathouse", ["09:05 kim: The key is under the mat."]),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_chats_of_other_programs(
    tmp_path: Path, name: str, said: Any, title: str, lines: list[str], indent: int | None
) -> None:
    folder = tmp_path / "general"
    folder.mkdir()
    [item] = items_of(written(folder / name, json.dumps(said, indent=indent)))
    assert (item.kind, item.title) == (Kind.MESSAGE, title)
    assert item.text.splitlines()[2:] == lines


def test_a_whole_account_of_telegram_has_a_room_for_each_chat(tmp_path: Path) -> None:
    whole = {
        "about": "Here is the data you requested. Remember: Telegram is ad free.",
        "personal_information": {"first_name": "Ann"},
        "chats": {"list": [TELEGRAM, TELEGRAM | {"name": "Lee", "type": "private_group"}]},
    }
    found = items_of(written(tmp_path / "result.json", json.dumps(whole, indent=1)))
    assert [one.title for one in found] == ["Kim", "Lee"]


def test_other_text_and_json_are_no_chats(tmp_path: Path) -> None:
    written(tmp_path / "a.json", '{"name": "x", "messages": ["one"]}')
    written(tmp_path / "b.json", '[{"type": "invoice", "text": "t"}]')
    written(tmp_path / "c.txt", "12.05.24, the day of the race\nKim: hello\n")
    written(tmp_path / "d.txt", "[12] Lee et al., 2024\n")
    written(tmp_path / "e.txt", "2024-05-12 10:03:11 - INFO: started\n")
    written(tmp_path / "f.txt", "12.05.24, 10:03 - went home\n13.05.24, 11:00 - rain\n")
    found = items_of(tmp_path)
    assert {one.kind for one in found} == {Kind.DOCUMENT}
    assert len(found) == 6
    assert not items_of(tmp_path / "f.txt", Filters(kinds=frozenset({Kind.MESSAGE})))
    assert items_of(tmp_path / "f.txt", Filters(kinds=frozenset({Kind.DOCUMENT})))


def test_filters_go_by_stretch(tmp_path: Path) -> None:
    path = written(tmp_path / "WhatsApp Chat with Kim Lee.txt", GERMAN)

    def texts(**wanted: Any) -> int:
        return len(items_of(path, Filters(**wanted)))

    assert texts(senders=("ann",)) == 2
    assert texts(senders=("nobody",)) == 0
    assert texts(since=date(2024, 5, 2)) == 1
    assert texts(until=date(2024, 5, 1)) == 1
    assert texts(kinds=frozenset({Kind.MESSAGE})) == 2
    assert texts(kinds=frozenset({Kind.MAIL})) == 0
    assert texts(subjects=("kim lee",)) == 2
    json_chat = written(tmp_path / "result.json", json.dumps(TELEGRAM))
    assert len(items_of(json_chat, Filters(senders=("kim",)))) == 1  # it is opened to see


def test_a_long_conversation_is_cut_where_a_passage_ends(tmp_path: Path) -> None:
    start, names = datetime(2024, 5, 13, 8, 0), ("Ann", "Kim")
    text = "\n".join(
        f"{start + timedelta(minutes=n):%d.%m.%y, %H:%M} - {names[n % 2]}: Message {n} of many"
        for n in range(400)
    )
    found = items_of(written(tmp_path / "chat.txt", text))
    assert sum(len(one.turns) for one in found) == 400
    assert max(len(one.text) for one in found) < 1100
    assert len(found) < 40


def test_what_only_looks_like_a_chat_loses_nothing(tmp_path: Path) -> None:
    """It is read as JSON, as before; what is damaged is reported beside."""
    written(tmp_path / "cut.json", json.dumps(TELEGRAM)[:-40])
    written(tmp_path / "empty.json", json.dumps(TELEGRAM | {"messages": []}))
    written(tmp_path / "room.json", json.dumps({"room_name": "Oak", "seats": "twelve chairs"}))
    written(tmp_path / "game.json", json.dumps({"guild": {"name": "Knights", "gold": "forty"}}))
    found = {one.title: one for one in items_of(tmp_path)}
    assert {one.kind for one in found.values()} == {Kind.DOCUMENT}
    assert "See " in found["cut.json"].text
    assert "twelve chairs" in found["room.json"].text
    assert "forty" in found["game.json"].text
    assert "empty.json" in found
    [skip] = [one for one in read([tmp_path], zone=UTC) if isinstance(one, Skipped)]
    assert (skip.path.name, skip.reason) == ("cut.json", Reason.CORRUPT)
    assert skip.kinds == frozenset({Kind.MESSAGE})
    assert not items_of(tmp_path, Filters(kinds=frozenset({Kind.MESSAGE})))


def test_a_byte_order_mark_hides_no_message(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_bytes("01.05.24, 10:03 - Kim: one\n01.05.24, 10:04 - Ann: two\n".encode("utf-8-sig"))
    [item] = items_of(path)
    assert len(item.turns) == 2


def test_turns_come_through_the_border_of_the_reading_process(tmp_path: Path) -> None:
    path = written(tmp_path / "WhatsApp Chat with Kim Lee.txt", GERMAN)
    alone = items_of(path)
    assert unpacked(packed(alone), path) == alone
    with Session() as session:
        read_apart = [
            one for one in session.read([path], zone=BERLIN, now=NOW) if isinstance(one, Item)
        ]
    assert read_apart == alone


SCOPE = Scope(Filters(), UTC, NOW)
ORIGIN = Origin("chat.json", NOW, People(), Locator(Path("/chat.json")))
KEYS = [
    *("messages", "name", "type", "id", "text", "from", "date", "date_unixtime", "ts", "user"),
    *("chats", "list", "guild", "channel", "author", "content", "room_name", "sender", "body"),
    *("origin_server_ts", "timestamp", "user_profile", "files", "attachments"),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@given(
    st.dictionaries(st.sampled_from(["messages", "chats", "guild", "channel", "room_name"]), JSON)
    | st.lists(JSON)
)
def test_any_json_is_read_or_refused(said: Any) -> None:
    data = json.dumps(said).encode()
    found: list[Item] = []
    with suppress(UnreadableError):
        found += [one for one in chat_items(data, ORIGIN, SCOPE) if isinstance(one, Item)]
    for item in found:
        assert "".join(one.text for one in item.each()) in item.text or not item.turns


@given(
    st.lists(
        st.builds(
            "{}{}.{}.{}, {}:{} - {}: {}".format,
            st.sampled_from(["", "[", "\u200e["]),
            *[st.integers(0, 99)] * 3,
            *[st.integers(0, 99)] * 2,
            st.text(max_size=8),
            st.text(max_size=30),
        )
        | st.text(max_size=30)
    )
)
def test_any_text_is_read_or_refused(lines: list[str]) -> None:
    data = "\n".join(lines).encode("utf-8", "replace")
    with suppress(UnreadableError):
        assert list(chat_items(data, ORIGIN, SCOPE))


@pytest.mark.parametrize(
    ("question", "filters", "said"),
    [
        ("How many messages did Kim send in May 2024?", Filters(), "2"),
        ("How many messages did Ann write?", Filters(), "2"),
        ("How many messages are there?", Filters(senders=("kim",)), "2"),
        ("When was the last message from Ann?", Filters(), "2024-05-13"),
    ],
)
def test_messages_are_counted_one_by_one(
    tmp_path: Path, fake_models: Callable[..., Any], question: str, filters: Filters, said: str
) -> None:
    path = written(tmp_path / "WhatsApp Chat with Kim Lee.txt", GERMAN)
    settings = Settings(zone=BERLIN, now=NOW)
    *_, last = answer(question, [path], fake_models(), settings, filters)
    assert isinstance(last, Answered)
    assert said in last.answer.text


def test_where_there_is_mail_messages_are_mails_unless_a_chat_is_named(
    tmp_path: Path, fake_models: Callable[..., Any]
) -> None:
    written(tmp_path / "WhatsApp Chat with Kim Lee.txt", GERMAN)
    written(
        tmp_path / "one.eml",
        "From: Kim Lee <kim@example.org>\nTo: ann@example.org\n"
        "Date: Fri, 3 May 2024 10:00:00 +0200\n"
        "Message-ID: <a@b>\nMIME-Version: 1.0\nSubject: Key\n\nHello\n",
    )
    settings = Settings(zone=UTC, now=NOW)

    def asked(question: str) -> str:
        *_, last = answer(question, [tmp_path], fake_models(), settings)
        assert isinstance(last, Answered)
        return last.answer.text

    assert asked("How many messages did Kim Lee send?").startswith("1")
    assert asked("How many messages did Kim Lee send in the chat?").startswith("2")
