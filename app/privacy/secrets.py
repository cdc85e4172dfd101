"""What the keyring may hold for this person, by name. `models.system.secrets` holds the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from app.history.creation import key_records
from app.history.storage.files import HistoryFiles
from models.errors import AskanceError
from models.system.secrets import HISTORY, HUB, PASSWORDS, KeyringClosed

MEANINGS = {
    HUB: "token for gated models",
    PASSWORDS: "passwords of encrypted files",
}


class SecretNotKept(AskanceError):
    """The keyring does not take or give it."""

    kind = "keyring"


@contextmanager
def closed_keyring_said() -> Iterator[None]:
    """Turn a closed keyring into an error for people."""
    try:
        yield
    except KeyringClosed as error:
        raise SecretNotKept(
            f"{error}.", remedy="Unlock or start your keyring, then try again."
        ) from error


def keys_here(environ: Mapping[str, str]) -> set[str]:
    """Return the names of the keys of this person's history; other folders may have others."""
    return {record.name for _, record in key_records(HistoryFiles.of(environ))}


def meaning_of(name: str) -> str:
    """Return what a name is for."""
    if name.startswith(HISTORY):
        return "key of a history"
    return MEANINGS.get(name, "key of a server")
