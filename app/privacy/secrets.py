"""What the keyring may hold for this person, by name. Values stay behind `models.secrets`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

from app.history.files import HistoryFiles
from app.settings.config import Config, load_config
from models.errors import AskanceError
from models.secrets import HISTORY, HUB, PASSWORDS, KeyringClosed
from models.server_address import address_of

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


def known_names() -> list[str]:
    """Return every name that the program may have put into the keyring from here."""
    return [HUB, PASSWORDS, *_server_names(), *(f"{HISTORY}{id_}" for id_ in _history_ids())]


def _server_names() -> list[str]:
    try:
        config: Config = load_config(os.environ)
        url = config.text("server.url")
        return [address_of(url, config.text("server.allow_host")).key_name] if url else []
    except (AskanceError, ValueError):
        return []  # settings that cannot be read name no server


def _history_ids() -> Iterator[str]:
    files = HistoryFiles.of(os.environ)
    for path in files.all():
        if path.name.startswith(files.key_record.name):
            try:
                yield str(json.loads(path.read_text("utf-8"))["id"])
            except (OSError, ValueError, KeyError, TypeError):
                continue


def meaning_of(name: str) -> str:
    """Return what a name is for."""
    if name.startswith(HISTORY):
        return "key of your history"
    return MEANINGS.get(name, "key of a server")
