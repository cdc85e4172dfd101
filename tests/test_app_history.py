"""Kept conversations: encrypted as a whole, found again, and gone when removed."""

from __future__ import annotations

import json
import os
import resource
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.history.archive import Archive
from app.history.conversations import History, open_history
from app.history.creation import begin_history, erase_history
from app.history.errors import (
    ConversationUnknown,
    HistoryBusy,
    HistoryDamaged,
    HistoryError,
    HistoryNewer,
    HistoryNotWritten,
    HistoryOff,
    KeyClosed,
    WrongKey,
)
from app.history.storage import files as history_files
from app.history.storage import key as history_key
from app.history.storage import schema as history_schema
from app.history.storage.database import changing, opened
from app.history.storage.files import HistoryFiles, what_stays
from app.history.storage.key import KeyRecord
from app.history.storage.locked_memory import LockedBytes
from app.settings.config import load_config
from ingest.item import Kind, Locator
from tests.support.toy_conversations import cited, conversation
from tests.support.toy_keyring import ToyKeyring, toy_keyring

__all__ = ["toy_keyring"]

PASSPHRASE = "correct horse battery"
PAPER = cited(2, quote="Signed: Kim Ölander", kind=Kind.DOCUMENT)
TALK = conversation(
    ("What is the rent?", "It is 900 euros [1].", [cited(1, "Dana Okafor")]),
    ("And who signed?", "Kim did [1].", [PAPER]),
)
MANY = conversation(
    ("Müllgebühr Straße 5", "It is 3 euros.", []),
    ("80 m² in ﬁle № 7", "So it says.", []),
    ("日本の首都はどこですか", "東京です。", []),
)
VERSIONS = Path(__file__).parent / "history_versions"
"""A database of each version, with this key, holding `TALK`."""
FIXTURE_KEY = bytes(range(32))


def nobody(prompt: str) -> str:
    raise KeyClosed("Nobody is there.", remedy="")


def says(*answers: str) -> Callable[[str], str]:
    waiting = list(answers)
    return lambda prompt: waiting.pop(0)


@pytest.fixture(autouse=True)
def quick_derivation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(history_key.SCRYPT, "n", 1 << 10)


@pytest.fixture
def files(home: Path) -> HistoryFiles:
    return HistoryFiles.of(os.environ)


@pytest.fixture
def history(files: HistoryFiles) -> Iterator[History]:
    with begin_history(files, says(PASSPHRASE, PASSPHRASE)) as begun:
        yield begun


def reopened(files: HistoryFiles) -> History:
    return open_history(files, says(PASSPHRASE))


def test_what_is_kept_comes_back_whole(history: History, files: HistoryFiles) -> None:
    history.keep(TALK)
    with reopened(files) as again:
        assert again.conversation(TALK.id) == TALK
        assert again.conversation(TALK.id[:6]) == TALK
        assert again.conversation("last") == TALK
        row = again.listed()[0]
        assert (row.id, row.title, row.turns) == (TALK.id, "What is the rent?", 2)


def test_only_new_turns_are_added_and_a_branch_is_one(history: History) -> None:
    history.keep(replace(TALK, turns=TALK.turns[:1], at=0))
    history.keep(TALK)
    other = replace(TALK.turns[1], id=2, asked="And who paid?")
    branched = replace(TALK, turns=(*TALK.turns, other), at=2)
    history.keep(branched)
    assert history.conversation(TALK.id) == branched
    assert len(history.listed()) == 1


def test_two_that_go_on_with_one_conversation_lose_nothing(history: History) -> None:
    first = replace(TALK, turns=TALK.turns[:1], at=0)
    history.keep(first)
    history.keep(TALK)
    theirs = replace(TALK.turns[1], asked="And where?")
    kept = history.keep(replace(TALK, turns=(TALK.turns[0], theirs)))
    assert kept.id != TALK.id
    assert history.conversation(TALK.id).turns[1].asked == "And who signed?"
    assert history.conversation(kept.id).turns[1].asked == "And where?"


def test_search_finds_words_of_questions_answers_and_quotes(history: History) -> None:
    history.keep(TALK)
    for typed in ("rent", "900 euros", "olander", "SIGNED kim", 'lease "', "rent*"):
        assert [found.conversation for found in history.search(typed)][:1] == [TALK.id], typed
    assert history.search("garage") == []
    assert history.search("OR") == []
    assert history.search("  ") == []
    assert "900" in history.search("euros")[0].snippet


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Straße", "Müllgebühr Straße 5"),
        ("STRASSE", "Müllgebühr Straße 5"),
        ("mullgebuhr", "Müllgebühr Straße 5"),
        ("m²", "80 m² in ﬁle № 7"),
        ("file no", "80 m² in ﬁle № 7"),
        ("№", "80 m² in ﬁle № 7"),
        ("首都", "日本の首都はどこですか"),
        ("日本の首都はどこですか", "日本の首都はどこですか"),
    ],
)
def test_search_compares_words_as_the_engine_does(history: History, typed: str, shown: str) -> None:
    history.keep(MANY)
    assert [found.asked for found in history.search(typed)] == [shown]
    assert shown in history.search(typed)[0].snippet


def test_a_snippet_shows_where_the_words_stand(history: History) -> None:
    answer = f"{'no ' * 100}\n{'yes ' * 50}the bröther's boat {'yes ' * 50}"
    history.keep(conversation(("Whose?", answer, [])))
    snippet = history.search("brother")[0].snippet
    assert "the bröther's boat yes" in snippet
    assert snippet.startswith("…yes")
    assert snippet.endswith("…")
    assert len(snippet) < 130


def test_nothing_of_it_stands_in_a_file_in_plain_words(
    history: History, files: HistoryFiles
) -> None:
    history.keep(TALK)
    history.search("rent")
    written = b"".join(path.read_bytes() for path in files.all())
    for word in ("rent", "Dana", "lander", "SQLite format", "conversations", PASSPHRASE):
        assert word.encode() not in written, word
    assert history._key.hex().encode() not in written
    assert bytes(history._key) not in written
    for path in files.all():
        assert path.stat().st_mode & 0o777 == 0o600
    assert files.folder.stat().st_mode & 0o777 == 0o700


def test_what_is_removed_leaves_the_file(history: History, files: HistoryFiles) -> None:
    for _ in range(20):
        history.keep(replace(TALK, id=os.urandom(8).hex()))
    history.keep(TALK)
    size = files.database.stat().st_size
    others = [row.id for row in history.listed() if row.id != TALK.id]
    assert sorted(history.remove(others)) == sorted(others)
    assert files.database.stat().st_size < size
    assert [row.id for row in history.listed()] == [TALK.id]
    history.remove([TALK.id])
    with opened(files.database, history._key) as database:
        for table in ("turns_fts", "turns_fts_data", "turns"):
            assert "rent" not in str(list(database.query(f"SELECT * FROM {table}")))


def test_an_unknown_id_removes_nothing(history: History) -> None:
    history.keep(TALK)
    with pytest.raises(ConversationUnknown, match='begins with "beef"'):
        history.remove([TALK.id, "beef"])
    assert len(history.listed()) == 1
    with pytest.raises(ConversationUnknown, match="No conversation"):
        history.conversation("")
    history.keep(replace(TALK, id=f"{TALK.id[:15]}{'0' if TALK.id[15] != '0' else '1'}"))
    with pytest.raises(ConversationUnknown, match="More than one"):
        history.conversation(TALK.id[:4])


def test_conversations_go_when_they_are_old_enough(history: History) -> None:
    now = datetime.now(UTC)
    history.keep(TALK, now - timedelta(days=31))
    history.keep(replace(TALK, id="f" * 16), now - timedelta(days=29))
    assert history.prune(32) == 0
    assert history.prune(30) == 1
    assert [row.id for row in history.listed()] == ["f" * 16]


@pytest.mark.parametrize("use", ["listed", "search", "conversation", "keep"])
def test_what_is_too_old_is_gone_before_anything_is_read(
    history: History, files: HistoryFiles, use: str
) -> None:
    history.keep(replace(TALK, id="f" * 16))
    history.keep(TALK, datetime.now(UTC) - timedelta(days=31))
    with open_history(files, says(PASSPHRASE), 30) as again:
        assert [found.conversation for found in history.search("rent")] == ["f" * 16]
        history.keep(replace(TALK, id="e" * 16), datetime.now(UTC) - timedelta(days=31))
        if use == "conversation":
            with pytest.raises(ConversationUnknown):
                again.conversation("e" * 16)
        elif use == "keep":
            again.keep(TALK)
        elif use == "search":
            assert [found.conversation for found in again.search("rent")] == ["f" * 16]
        else:
            assert [row.id for row in again.listed()] == ["f" * 16]
    assert "e" * 16 not in [row.id for row in history.listed()]


def test_names_that_are_not_text_are_kept_and_come_back(history: History) -> None:
    name = os.fsdecode(b"Entw\xfcrfe.eml")
    source = replace(TALK.turns[0].cited[0], title=name, locator=Locator(Path("/mail") / name))
    turn = replace(TALK.turns[0], asked=f"What is in {name}?", cited=(source,))
    odd = replace(TALK, turns=(turn, TALK.turns[1]))
    history.keep(odd)
    assert history.conversation("last") == odd
    assert history.search("entw")[0].turn == 0
    assert history.listed()[0].title == "What is in Entw�rfe.eml?"
    with pytest.raises(HistoryError, match="text only"):
        history.conversation("\udcff")


def test_what_an_older_version_kept_goes_on_as_the_same_conversation(history: History) -> None:
    history.keep(replace(TALK, turns=TALK.turns[:1], at=0))
    with opened(history.files.database, history._key) as database, changing(database):
        ((written,),) = database.execute("SELECT turn FROM turns").fetchall()
        shorter = json.dumps(json.loads(written) | {"of a later version": 1}, indent=1)
        database.execute("UPDATE turns SET turn = ?", [shorter])
    assert history.keep(TALK).id == TALK.id
    assert [row.turns for row in history.listed()] == [2]


def test_the_key_may_stand_in_the_keyring_alone(
    files: HistoryFiles, toy_keyring: ToyKeyring
) -> None:
    with begin_history(files, None) as history:
        history.keep(TALK)
        key = history._key.hex()
    name = f"history:{history.record.id}"
    listed = json.dumps([name])
    assert toy_keyring.kept == {f"askance/{name}": key, "askance/names": listed}
    with open_history(files, nobody) as again:
        assert again.conversation("last") == TALK
    erase_history(files)
    assert toy_keyring.kept == {}
    assert not files.folder.exists()


def test_without_its_keyring_a_history_is_closed_and_says_why(
    files: HistoryFiles, toy_keyring: ToyKeyring
) -> None:
    begin_history(files, None).close()
    toy_keyring.be("locked")
    with pytest.raises(KeyClosed, match="does not open"):
        open_history(files, nobody)
    toy_keyring.be("open")
    record = KeyRecord.read(files.key_record)
    replace(record, id="another").write(files.key_record)
    with pytest.raises(WrongKey, match="does not have the key"):
        open_history(files, nobody)


def test_without_a_keyring_no_history_begins(
    files: HistoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    with pytest.raises(KeyClosed, match="no keyring") as caught:
        begin_history(files, None)
    assert "--passphrase" in caught.value.remedy
    assert not files.exists


def test_a_wrong_passphrase_is_told_from_a_damaged_file(
    history: History, files: HistoryFiles
) -> None:
    history.keep(TALK)
    with pytest.raises(WrongKey, match="not the passphrase"):
        open_history(files, says("wrong horse battery"))
    with files.database.open("r+b") as file:
        file.write(b"SQLite format 3\0 or not")
    with pytest.raises(HistoryDamaged, match="is damaged"):
        reopened(files)


@pytest.mark.parametrize("page", [1, 3])
def test_damage_inside_is_said_and_nothing_crashes(
    history: History, files: HistoryFiles, page: int
) -> None:
    for _ in range(30):
        history.keep(replace(TALK, id=os.urandom(8).hex()))
    with files.database.open("r+b") as file:
        file.seek(4096 * page + 1000)
        file.write(os.urandom(64))

    def use_all() -> None:
        for row in history.listed():
            history.conversation(row.id)
        history.search("rent")
        history.remove([row.id for row in history.listed()])

    with pytest.raises(HistoryDamaged) as caught:
        use_all()
    assert "--new" in caught.value.remedy


def test_a_damaged_history_is_set_aside_not_removed(history: History, files: HistoryFiles) -> None:
    files.database.write_bytes(b"nothing" * 1000)
    with begin_history(files, says(PASSPHRASE, PASSPHRASE)) as fresh:
        fresh.keep(TALK)
    aside = [path.name for path in files.all() if path.name.startswith("conversations.db.")]
    assert len(aside) == 1
    assert len(erase_history(files).files) == 4
    assert not files.folder.exists()


@pytest.mark.parametrize(
    "record", ["", "[]", "{}", '{"id": "1", "kind": "keyring", "check": "no"}', "\xff"]
)
def test_a_damaged_record_is_said(history: History, files: HistoryFiles, record: str) -> None:
    files.key_record.write_bytes(record.encode("latin-1"))
    with pytest.raises(HistoryDamaged, match="cannot be read"):
        reopened(files)


def test_a_record_that_asks_for_too_much_memory_is_refused(
    history: History, files: HistoryFiles
) -> None:
    replace(history.record, n=1 << 40).write(files.key_record)
    with pytest.raises(HistoryDamaged):
        reopened(files)


def test_a_missing_part_is_said(history: History, files: HistoryFiles) -> None:
    files.database.unlink()
    with pytest.raises(HistoryDamaged, match="is gone"):
        reopened(files)
    files.key_record.unlink()
    with pytest.raises(HistoryOff, match="no history yet"):
        reopened(files)


def test_passphrases_that_differ_or_are_short_begin_nothing(files: HistoryFiles) -> None:
    with pytest.raises(WrongKey, match="at least 8"):
        begin_history(files, says("short"))
    with pytest.raises(WrongKey, match="not the same"):
        begin_history(files, says(PASSPHRASE, "another horse"))
    assert not files.exists


def test_two_instances_take_turns(history: History, files: HistoryFiles) -> None:
    with reopened(files) as second:

        def go_on(one: History) -> None:
            for _ in range(5):
                one.keep(replace(TALK, id=os.urandom(8).hex()))

        threads = [threading.Thread(target=go_on, args=(one,)) for one in (history, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(second.listed()) == 10


def test_one_that_never_lets_go_is_waited_for_and_then_named(
    history: History, files: HistoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.history.storage.database.BUSY_SECONDS", 0.2)
    with opened(files.database, history._key) as holding:
        holding.execute("BEGIN EXCLUSIVE")
        with pytest.raises(HistoryBusy, match="Another Askance"):
            history.keep(TALK)
        holding.conn.rollback()
    history.keep(TALK)


def test_what_cannot_be_removed_now_is_said_and_not_called_removed(
    history: History, files: HistoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.history.storage.database.BUSY_SECONDS", 0.2)
    said: list[str] = []
    archive = Archive(lambda prompt, typed: typed.set_result(PASSPHRASE), said.append)
    config = load_config({**os.environ, "ASKANCE_HISTORY_ENABLED": "true"})
    assert archive.forget(TALK).result(), "nothing was kept yet"
    archive.keep(config, TALK).result()
    with opened(files.database, history._key) as holding:
        holding.execute("BEGIN EXCLUSIVE")
        assert not archive.forget(TALK).result()
        holding.conn.rollback()
    assert "Another Askance" in said[0]
    assert [row.id for row in history.listed()] == [TALK.id]
    assert archive.forget(TALK).result()
    assert history.listed() == []
    archive.close()


def test_a_newer_version_is_left_alone(history: History, files: HistoryFiles) -> None:
    history.keep(TALK)
    with opened(files.database, history._key) as database:
        database.execute("UPDATE version SET number = 99")
        database.conn.commit()
    before = files.database.read_bytes()
    with pytest.raises(HistoryNewer, match="form 99"):
        history.keep(TALK)
    assert files.database.read_bytes() == before


@pytest.mark.parametrize("version", range(1, len(history_schema.STEPS) + 1))
def test_every_version_ever_written_is_still_read(
    files: HistoryFiles, version: int, tmp_path: Path
) -> None:
    files.folder.mkdir(parents=True)
    shutil.copy(VERSIONS / f"{version}.db", files.database)
    key = LockedBytes(FIXTURE_KEY)
    with History(files, KeyRecord("1", "keyring", "00"), key) as history:
        kept = history.conversation("last")
        assert [turn.asked for turn in kept.turns] == ["What is the rent?", "And who signed?"]
        assert kept == replace(TALK, id=kept.id)
        assert history.search("olander")
        history.keep(replace(TALK, id="a" * 16))


def test_what_the_first_version_kept_is_found_by_the_words_of_the_engine(
    files: HistoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(history_schema, "STEPS", history_schema.STEPS[:1])
        patched.setattr(
            "app.history.conversations.as_words", lambda text: text
        )  # as that version did
        with begin_history(files, says(PASSPHRASE, PASSPHRASE)) as older:
            older.keep(MANY)
            older.keep(TALK)
            assert older.search("Straße") == []
    with reopened(files) as history:
        assert [found.asked for found in history.search("Straße")] == ["Müllgebühr Straße 5"]
        assert [found.asked for found in history.search("首都")] == ["日本の首都はどこですか"]
        assert history.conversation(MANY.id) == MANY
        history.remove([MANY.id])
        assert history.search("Straße") == []
        assert history.search("olander")[0].conversation == TALK.id


def test_a_step_that_fails_changes_nothing(
    history: History, files: HistoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.keep(TALK)

    def half(database: object) -> None:
        database.execute("ALTER TABLE turns ADD COLUMN more TEXT")  # type: ignore[attr-defined]
        raise OSError("the power went")

    with monkeypatch.context() as patched:
        patched.setattr(history_schema, "STEPS", (*history_schema.STEPS, half))
        with pytest.raises(OSError, match="the power"):
            history.listed()
    assert history.conversation("last") == TALK
    with opened(files.database, history._key) as database:
        assert "more" not in database["turns"].columns_dict


def test_an_older_version_is_brought_up(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    history.keep(TALK)

    def more(database: object) -> None:
        database.execute("ALTER TABLE turns ADD COLUMN more TEXT")  # type: ignore[attr-defined]

    monkeypatch.setattr(history_schema, "STEPS", (*history_schema.STEPS, more))
    assert history.conversation("last") == TALK
    with opened(history.files.database, history._key) as database:
        assert history_schema.version_of(database) == len(history_schema.STEPS)
        assert "more" in database["turns"].columns_dict


def test_a_full_disk_loses_nothing_that_was_kept(history: History, files: HistoryFiles) -> None:
    history.keep(TALK)
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    long = conversation(("x " * 200_000, "y", []))
    resource.setrlimit(resource.RLIMIT_FSIZE, (files.database.stat().st_size + 65536, allowed[1]))
    try:
        with pytest.raises(HistoryNotWritten, match=r"no room|cannot be opened or written"):
            history.keep(long)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
    assert history.conversation("last") == TALK


def test_what_cannot_be_promised_is_said_by_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, words in (
        ("btrfs", "btrfs may keep"),
        ("nfs4", "another machine"),
        ("ext4", "solid-state"),
    ):
        monkeypatch.setattr(history_files, "_file_system", lambda folder, kind=kind: kind)
        assert words in what_stays(tmp_path)


def test_key_bytes_are_wiped_and_never_shown() -> None:
    given = bytearray(b"\x01" * 32)
    key = LockedBytes(given)
    assert given == bytes(32)
    assert key.hex() == "01" * 32
    assert "01" not in repr(key)
    key.close()
    key.close()
    with pytest.raises(ValueError, match="closed"):
        key.hex()
