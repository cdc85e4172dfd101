"""What was written is removed, all of it; what somebody else wrote is not; and nothing is claimed.

The keyring is one in memory: its process has tests of its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from app.history.conversations import open_history
from app.history.creation import begin_history, erase_history
from app.history.errors import HistoryDamaged, HistoryNotWritten, KeyClosed, WrongKey
from app.history.storage import key as history_key
from app.history.storage.files import HistoryFiles, wipe
from app.history.storage.key import KeyRecord
from models.store.catalogue import load_catalogue
from models.system import secrets
from models.system.secrets import KeyringClosed, NoKeyring
from tests.support.toy_conversations import conversation

PASSPHRASE = "correct horse battery"
TALK = conversation(("What is the rent?", "It is 900 euros.", []))


class Keyring:
    """Holds secrets; `closed` is what it says where it does not open."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.closed: KeyringClosed | None = None

    def ask(self, do: str, user: str, secret: str = "") -> str:
        if self.closed:
            raise self.closed
        if do == "set":
            self.kept[user] = secret
        if do == "delete":
            return "yes" if self.kept.pop(user, None) else ""
        return self.kept.get(user, "") if do == "get" else "a keyring"


LOCKED = KeyringClosed("This machine's keyring does not open (it is locked)")


@pytest.fixture(autouse=True)
def keyring(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    found = Keyring()
    monkeypatch.setattr(secrets, "_ask", found.ask)
    monkeypatch.setitem(history_key.SCRYPT, "n", 1 << 10)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("app.commands.shared.confirmation.getpass", lambda prompt: PASSPHRASE)
    return found


@pytest.fixture
def files(home: Path) -> HistoryFiles:
    return HistoryFiles.of(os.environ)


Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command; return its exit code and what it printed, with --json as the object."""

    def command(*words: str) -> dict[str, Any]:
        capsys.readouterr()
        code = main(list(words))
        out = capsys.readouterr()
        shown = json.loads(out.out) if "--json" in words else {"out": out.out, "err": out.err}
        return {**shown, "code": code}

    return command


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_locked_keyring_is_said_and_the_next_time_finishes(
    run: Run, keyring: Keyring, files: HistoryFiles, home: Path
) -> None:
    assert run("history", "on")["code"] == 0
    secrets.keep_in_keyring("huggingface", "hf_secret")
    secrets.keep_in_keyring("server:llm.example.org", "sk_secret")
    keyring.closed = LOCKED
    said = run("forget", "--everything", "--yes")
    assert said["code"] == 1
    assert "it is locked), so what it may remember for you is still in it" in said["err"]
    assert "All of it is removed" not in said["out"]
    assert not files.database.exists()
    assert not (home / ".config/askance/config.toml").exists()
    keyring.closed = None
    said = run("forget", "--everything", "--yes")
    assert said["code"] == 0
    for name in ("secret huggingface", "secret server:llm.example.org", "secret history:"):
        assert name in said["out"]
    assert keyring.kept == {}
    assert everything(home) == []


def test_without_a_keyring_none_is_claimed_to_be_empty(run: Run, keyring: Keyring) -> None:
    keyring.closed = NoKeyring("This machine has no keyring")
    said = run("forget", "--everything")
    assert said["code"] == 0
    assert "Nothing was ever written here. This machine has no keyring, so" in said["out"]


def test_a_keyring_that_closes_meanwhile_is_said(
    run: Run, keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets.keep_in_keyring("passwords", "[]")

    def closes(user: str) -> bool:
        raise LOCKED

    monkeypatch.setattr("app.privacy.traces.drop_from_keyring", closes)
    assert run("forget", "--everything", "--yes", "--json")["error"]["kind"] == "traces_left"


def test_files_of_others_stay_and_links_are_not_followed(
    run: Run, files: HistoryFiles, home: Path, tmp_path: Path
) -> None:
    begin_history(files, None).close()
    precious = tmp_path / "precious.txt"
    precious.write_text("mine")
    second = tmp_path / "second name.db"
    os.link(files.database, second)
    encrypted = second.read_bytes()
    (files.folder / "link").symlink_to(precious)
    (files.folder / "key.json.20260101T000000Z").symlink_to(precious)
    for name in ("notes of mine.txt", "conversations.db.backup", "key.json of mine"):
        (files.folder / name).write_text("mine")
    (files.folder / "conversations.db-journal").mkdir()
    config = home / ".config" / "askance"
    (config / ".config-backup12").mkdir(parents=True)
    (config / ".config-backup12" / "mine.toml").write_text("mine")
    said = run("forget", "--everything", "--yes")
    assert said["code"] == 0
    assert "key.json.20260101T000000Z (a link, whose content stays)" in said["out"]
    assert "mine.toml" not in said["out"]
    assert precious.read_text() == "mine"
    assert second.read_bytes() == encrypted
    assert sorted(path.name for path in files.folder.iterdir()) == [
        "conversations.db-journal",
        "conversations.db.backup",
        "key.json of mine",
        "link",
        "notes of mine.txt",
    ]
    assert (config / ".config-backup12" / "mine.toml").read_text() == "mine"


def test_of_a_model_only_what_was_pulled_goes(run: Run, tmp_path: Path, home: Path) -> None:
    root = Path(os.environ["ASKANCE_MODELS_DIR"])
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "kept.gguf").write_text("mine")
    known = load_catalogue().rows[0]
    for name, files in {
        known.id: [".lock", f"{known.file}.part", f"{known.file}.part.json", ".pull-abcd1234/x/y"],
        "no-longer-known": [".checked.json", "sub/a.json", "a.gguf", "a.gguf.corrupt"],
        "shared": [".lock", "my notes.txt", "sub/my.gguf", ".pull-request/mine"],
        "not-ours": ["a.gguf"],
    }.items():
        for file in files:
            (root / name / file).parent.mkdir(parents=True, exist_ok=True)
            (root / name / file).write_text("x")
    (root / "no-longer-known" / ".checked.json").write_text('{"a.gguf": [], "sub/a.json": []}')
    (root / "shared" / ".accepted.json").write_text('{"files": {"link.gguf": {}}}')
    (root / "shared" / "link.gguf").symlink_to(mine / "kept.gguf")
    (root / "shared" / "linked folder").symlink_to(mine)
    (home / ".config/askance").mkdir(parents=True)
    (home / ".config/askance/models.toml").write_text("[[model")
    said = run("forget", "--everything", "--yes", "--json")
    assert [row["what"] for row in said["removed"]] == ["settings", "model", "model", "model"]
    assert everything(root) == [
        "not-ours/a.gguf",
        "shared/.pull-request/mine",
        "shared/my notes.txt",
        "shared/sub/my.gguf",
    ]
    assert sorted(path.name for path in root.iterdir()) == ["not-ours", "shared"]
    assert (root / "shared" / "linked folder" / "kept.gguf").read_text() == "mine"


def test_what_is_wiped_is_overwritten_before_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"secret" * 100)
    seen: list[bytes] = []
    unlink = Path.unlink

    def noted(path: Path, missing_ok: bool = False) -> None:
        seen.append(path.read_bytes())
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", noted)
    wipe(file)
    assert [len(content) for content in seen] == [600]
    assert b"secret" not in seen[0]


def test_all_of_a_history_goes_but_a_key_that_the_keyring_keeps(
    run: Run, keyring: Keyring, files: HistoryFiles
) -> None:
    run("history", "on")
    (files.folder / "of somebody").mkdir()
    keyring.closed = LOCKED
    said = run("history", "rm", "--all", "--yes")
    assert said["code"] == 1
    assert "the key of your history could not be removed" in said["err"]
    assert [path.name[:9] for path in files.all()] == ["key.json."]
    assert run("history", "path", "--json")["enabled"] is False
    assert not files.exists
    keyring.closed = None
    assert "and the key" in run("history", "rm", "--all", "--yes")["out"]
    assert keyring.kept == {}
    assert everything(files.folder) == []
    run("history", "on", "--passphrase")
    assert "and the key" not in run("history", "rm", "--all", "--yes")["out"]


def test_a_key_that_stays_lets_a_new_history_begin(keyring: Keyring, files: HistoryFiles) -> None:
    begin_history(files, None).close()
    keyring.closed = LOCKED
    with pytest.raises(KeyClosed, match="could not be removed"):
        erase_history(files)
    keyring.closed = None
    with begin_history(files, None) as history:
        history.keep(TALK)
    assert erase_history(files).keys == 2
    assert keyring.kept == {}


@pytest.mark.parametrize("anew", [False, True])
def test_a_history_that_cannot_begin_leaves_things_as_they_were(
    keyring: Keyring, files: HistoryFiles, monkeypatch: pytest.MonkeyPatch, anew: bool
) -> None:
    if anew:
        with begin_history(files, None) as history:
            history.keep(TALK)
    before = {path: path.read_bytes() for path in files.all()}
    kept = dict(keyring.kept)

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(history_key, "write_private", full)
        with pytest.raises(HistoryNotWritten, match="No space left"):
            begin_history(files, None)
    assert keyring.kept == kept
    assert {path: path.read_bytes() for path in files.all()} == before
    if anew:
        with open_history(files, lambda prompt: "") as history:
            assert history.conversation("last") == TALK


def test_what_is_set_aside_twice_in_one_moment_stays_apart(files: HistoryFiles) -> None:
    for _ in range(3):
        begin_history(files, None).close()
    assert len(files.all()) == 6


def test_an_emptied_database_is_damage_not_a_new_history(files: HistoryFiles) -> None:
    with begin_history(files, None) as history:
        history.keep(TALK)
        files.database.write_bytes(b"")
        with pytest.raises(HistoryDamaged, match="emptied"):
            history.listed()
    with pytest.raises(HistoryDamaged, match="emptied"):
        open_history(files, lambda prompt: "")
    assert files.database.read_bytes() == b""


WRONG: dict[str, list[object]] = {
    "n": [3, 0, -4, 2.0**17, True],
    "r": [0, 1 << 20],
    "p": [0, 10**9, "1"],
    "kind": ["foo", None],
    "id": [7],
    "salt": ["", "00", 0],
    "check": ["no", None],
}


@pytest.mark.parametrize(
    "wrong", [{field: value} for field, values in WRONG.items() for value in values], ids=str
)
def test_a_record_that_nothing_here_wrote_is_damaged(
    files: HistoryFiles, wrong: dict[str, object]
) -> None:
    begin_history(files, lambda prompt: PASSPHRASE).close()
    record = json.loads(files.key_record.read_text())
    files.key_record.write_text(json.dumps(record | wrong))
    with pytest.raises(HistoryDamaged, match="cannot be read"):
        KeyRecord.read(files.key_record)


def test_what_passes_for_a_record_is_taken_by_the_library(files: HistoryFiles) -> None:
    begin_history(files, lambda prompt: PASSPHRASE).close()
    record = json.loads(files.key_record.read_text())
    files.key_record.write_text(json.dumps(record | {"n": 1 << 10, "r": 8, "p": 16}))
    with pytest.raises(WrongKey):
        open_history(files, lambda prompt: PASSPHRASE)


def test_every_name_in_the_keyring_is_listed_and_goes(
    run: Run, keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.commands.secrets.getpass", lambda prompt: "sk_secret")
    for host in ("llm.example.org", "other.example.org"):
        assert run("secrets", "set", f"server:{host}")["code"] == 0
    listed = run("secrets", "list", "--json")["secrets"]
    assert [row["name"] for row in listed] == ["server:llm.example.org", "server:other.example.org"]
    assert run("secrets", "rm", "server:other.example.org")["code"] == 0
    assert len(run("secrets", "list", "--json")["secrets"]) == 1
    removed = run("forget", "--everything", "--yes", "--json")["removed"]
    assert [row["name"] for row in removed] == ["server:llm.example.org"]
    assert keyring.kept == {}


def test_the_key_of_a_history_elsewhere_stays_until_it_is_named(
    run: Run, keyring: Keyring, files: HistoryFiles, tmp_path: Path
) -> None:
    with begin_history(HistoryFiles(tmp_path / "elsewhere"), None) as history:
        history.keep(TALK)
    name = history.record.name
    run("history", "on")
    said = run("forget", "--everything", "--yes", "--json")
    assert name not in [row["name"] for row in said["removed"]]
    assert name in said["limits"]
    with open_history(HistoryFiles(tmp_path / "elsewhere"), lambda prompt: "") as history:
        assert history.conversation("last") == TALK
    run("history", "on")
    ours = KeyRecord.read(files.key_record).name
    assert "history rm --all" in run("secrets", "rm", ours)["err"]
    assert run("secrets", "rm", name)["code"] == 0
    assert keyring.kept.keys() == {"names", ours}


def test_a_passphrase_is_not_taken_for_a_history_whose_key_is_elsewhere(
    run: Run, files: HistoryFiles
) -> None:
    run("history", "on")
    said = run("history", "on", "--passphrase")
    assert said["code"] == 2
    assert "history on --new --passphrase" in said["err"]
    assert KeyRecord.read(files.key_record).kind == "keyring"
    assert run("history", "on", "--new", "--passphrase")["code"] == 0
    assert KeyRecord.read(files.key_record).kind == "passphrase"
    assert run("history", "on", "--passphrase")["code"] == 0
