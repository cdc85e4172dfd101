"""The key of kept conversations: random and in the keyring, or made of a passphrase.

A record beside the database says which, with the salt of a passphrase and a check that tells a
wrong key from a damaged file. It holds nothing that opens the database.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from app.history.errors import HistoryDamaged, HistoryNotWritten, KeyClosed, WrongKey
from app.history.storage.locked_memory import LockedBytes
from models.system.files import make_private, write_private
from models.system.secrets import (
    HISTORY,
    KeyringClosed,
    drop_from_keyring,
    keep_in_keyring,
    secret_from_keyring,
)

KEY_BYTES = 32
SALT_BYTES = 16
SCRYPT = {"n": 1 << 17, "r": 8, "p": 1}
"""128 MB and about half a second for each guess: the least that OWASP recommends for scrypt."""
MOST_MEMORY = 1 << 29
"""Bytes that a record may ask for; `scrypt` allows less than 2 GiB, and is given twice as many."""
SHORTEST = 8
"""Characters of a passphrase."""

Ask = Callable[[str], str]
"""Asks the person for a passphrase, with this prompt. Raises `KeyClosed` where nobody is there."""


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """How the key of one history is found."""

    id: str
    """Hexadecimal."""
    kind: Literal["keyring", "passphrase"]
    check: str
    """Hexadecimal; a keyed hash that only the right key gives."""
    salt: str = ""
    """Hexadecimal; of a passphrase."""
    n: int = SCRYPT["n"]
    r: int = SCRYPT["r"]
    p: int = SCRYPT["p"]

    @property
    def name(self) -> str:
        """The name of the key in the keyring."""
        return f"{HISTORY}{self.id}"

    def write(self, path: Path) -> None:
        """Write the record, for its owner alone. Raises `HistoryNotWritten`."""
        try:
            make_private(path.parent)
            write_private(path, json.dumps(asdict(self), indent=1).encode())
        except OSError as error:
            raise HistoryNotWritten(
                f"{path} cannot be written: {error}.",
                remedy="See to the permissions and the room of that folder.",
                path=path,
            ) from error

    @classmethod
    def read(cls, path: Path) -> KeyRecord:
        """Read a record. Raises `HistoryDamaged`, `FileNotFoundError`."""
        try:
            record = cls(**json.loads(path.read_text("utf-8")))
            record._refuse_what_is_not_ours()
        except FileNotFoundError:
            raise
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise HistoryDamaged(
                f"{path}, which says how the history's key is found, cannot be read.",
                remedy="Put it back from a backup, or begin anew: askance history on --new",
                path=path,
            ) from error
        return record

    def _refuse_what_is_not_ours(self) -> None:
        """Raise `ValueError` or `TypeError` for what no record says that was written here."""
        bytes.fromhex(self.check)
        salted = len(bytes.fromhex(self.salt)) == SALT_BYTES
        if not (
            isinstance(self.id, str)
            and (self.kind == "keyring" or (self.kind == "passphrase" and salted))
            and all(type(number) is int for number in (self.n, self.r, self.p))
            and self.n >= 1 << 10
            and self.n & (self.n - 1) == 0
            and self.r >= SCRYPT["r"]
            and self.n * self.r <= MOST_MEMORY // 128
            and 1 <= self.p <= 16
        ):
            raise ValueError(self.kind)


def new_key(ask: Ask | None) -> tuple[KeyRecord, LockedBytes]:
    """Make a key: random and in the keyring, or with `ask` from a passphrase.

    Raises `KeyClosed` where the keyring does not take it.
    """
    if ask is not None:
        return _from_new_passphrase(ask)
    key = LockedBytes(bytearray(secrets.token_bytes(KEY_BYTES)))
    record = KeyRecord(secrets.token_hex(8), "keyring", _check_of(key))
    try:
        keep_in_keyring(record.name, key.hex())
        if secret_from_keyring(record.name) != key.hex():
            drop_key(record)
            raise KeyringClosed("This machine's keyring did not keep the key")
    except KeyringClosed as error:
        key.close()
        raise KeyClosed(
            f"{error}, so there is no safe place for the key of your history.",
            remedy="Open or start your keyring; or use a passphrase: askance history on "
            "--passphrase; or leave history off.",
        ) from error
    return record, key


def _from_new_passphrase(ask: Ask) -> tuple[KeyRecord, LockedBytes]:
    passphrase = ask("New passphrase of your history: ")
    if len(passphrase) < SHORTEST:
        raise WrongKey(
            f"A passphrase has at least {SHORTEST} characters.",
            remedy="Several words are easy to remember and hard to guess.",
        )
    if ask("Again: ") != passphrase:
        raise WrongKey("The two are not the same.", remedy="Try again.")
    salt = secrets.token_bytes(SALT_BYTES)
    key = _derived(passphrase, salt, SCRYPT["n"], SCRYPT["r"], SCRYPT["p"])
    return KeyRecord(secrets.token_hex(8), "passphrase", _check_of(key), salt.hex(), **SCRYPT), key


def open_key(record: KeyRecord, ask: Ask) -> LockedBytes:
    """Return the key. Raises `KeyClosed` and `WrongKey`."""
    if record.kind == "passphrase":
        passphrase = ask("Passphrase of your history: ")
        key = _derived(passphrase, bytes.fromhex(record.salt), record.n, record.r, record.p)
        wrong = WrongKey("That is not the passphrase of your history.", remedy="Try again.")
    else:
        key = _from_keyring(record)
        wrong = WrongKey(
            "The key in your keyring is not the one of this history.",
            remedy="Put the keyring back that has it, or begin anew: askance history on --new",
        )
    if not hmac.compare_digest(_check_of(key), record.check):
        key.close()
        raise wrong
    return key


def _from_keyring(record: KeyRecord) -> LockedBytes:
    try:
        kept = secret_from_keyring(record.name)
    except KeyringClosed as error:
        raise KeyClosed(
            f"{error}, so your history stays closed.",
            remedy="Unlock your keyring, then try again.",
        ) from error
    try:
        key = bytearray.fromhex(kept)
    except ValueError:
        key = bytearray()
    if len(key) != KEY_BYTES:
        raise WrongKey(
            "Your keyring does not have the key of this history any more.",
            remedy="Put the keyring back that has it, or begin anew: askance history on --new",
        )
    return LockedBytes(key)


def drop_key(record: KeyRecord) -> bool:
    """Remove the key from the keyring: what it encrypted can be read by nobody then.

    Says whether it was there. Raises `KeyringClosed`.
    """
    return record.kind == "keyring" and drop_from_keyring(record.name)


def _derived(passphrase: str, salt: bytes, n: int, r: int, p: int) -> LockedBytes:
    memory = 2 * 128 * n * r
    key = hashlib.scrypt(
        passphrase.encode(), salt=salt, n=n, r=r, p=p, maxmem=memory, dklen=KEY_BYTES
    )
    return LockedBytes(bytearray(key))


def _check_of(key: LockedBytes) -> str:
    return hmac.digest(bytes(key), b"askance history", "sha256")[:8].hex()
