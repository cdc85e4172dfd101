"""The person's secrets: the one door to the system's keyring.

When the person asks for it, the keyring holds the token for gated models, keys of servers,
passwords of encrypted files and the key of the history. Secrets are written nowhere else, and no
error, log or `--json` repeats one: errors here carry what the keyring said, never a secret.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

KEYRING_MAIN = Path(__file__).with_name("keyring_main.py")
COMMAND = (sys.executable, "-P", str(KEYRING_MAIN))
QUIET_SECONDS = 20.0
"""Seconds where nobody can be asked to unlock: over SSH a locked keyring waits for ever."""
PROMPT_SECONDS = 120.0
"""Seconds on a desktop, where a window may ask for the keyring's password."""

HUB = "huggingface"
PASSWORDS = "passwords"
SERVER = "server:"
"""Begins the name of a server's key."""
HISTORY = "history:"
"""Begins the name of a history's key."""
ALWAYS_KNOWN = (HUB, PASSWORDS)
NAMES = "names"
"""Lists the names of all others, since a keyring cannot list what one program keeps."""

Doing = Literal["get", "set", "delete", "find"]


class KeyringClosed(LookupError):
    """No keyring, or one that does not open. The message goes before ", so …"."""


class NoKeyring(KeyringClosed):
    """This machine has no keyring, or none that a program can ask."""


def secret_from_keyring(user: str) -> str:
    """Return what the keyring has for `user`, or "". Raises `KeyringClosed`."""
    return _ask("get", user)


def keep_in_keyring(user: str, secret: str) -> None:
    """Keep a secret, in place of an earlier one. Raises `KeyringClosed`."""
    if user not in ALWAYS_KNOWN and user not in (listed := _listed()):
        _ask("set", NAMES, json.dumps([*listed, user]))
    _ask("set", user, secret)


def drop_from_keyring(user: str) -> bool:
    """Remove a secret and say whether there was one. Raises `KeyringClosed`."""
    was_there = bool(_ask("delete", user))
    if user not in ALWAYS_KNOWN and user in (listed := _listed()):
        listed.remove(user)
        _ask("set" if listed else "delete", NAMES, json.dumps(listed))
    return was_there


def known_names() -> list[str]:
    """Return every name that may be in the keyring. Raises `KeyringClosed`."""
    return [*ALWAYS_KNOWN, *_listed()]


def _listed() -> list[str]:
    kept = _ask("get", NAMES)
    try:
        found = json.loads(kept) if kept else []
    except ValueError:
        found = []  # not what is written here
    return [str(name) for name in found] if isinstance(found, list) else []


def keyring_name() -> str:
    """Return the name of the keyring that would be used. Raises `KeyringClosed`."""
    return _ask("find", "")


def passwords() -> list[str]:
    """Return the remembered passwords of encrypted files. Raises `KeyringClosed`."""
    kept = _ask("get", PASSWORDS)
    try:
        found = json.loads(kept) if kept else []
    except ValueError:
        found = [kept]  # another program put it there, as one password
    return [str(password) for password in found] if isinstance(found, list) else [kept]


def remember_passwords(new: list[str]) -> None:
    """Add passwords of encrypted files, each once. Raises `KeyringClosed`."""
    together = list(dict.fromkeys([*passwords(), *new]))
    _ask("set", PASSWORDS, json.dumps(together))


def _ask(do: Doing, user: str, secret: str = "") -> str:
    asked = json.dumps({"do": do, "user": user, "secret": secret})
    seconds = patience(os.environ)
    try:
        # The audit hook and tracers see the command; the secret is in the pipe alone.
        done = subprocess.run(  # noqa: S603
            COMMAND, input=asked, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        # Chained, it would carry the request, and a secret with it.
        raise KeyringClosed(
            f"This machine's keyring did not answer within {seconds:.0f} s, as a locked one does"
        ) from None
    except OSError as error:
        raise NoKeyring(f"This machine's keyring cannot be asked ({error.strerror})") from None
    return _value(done.stdout)


def _value(printed: str) -> str:
    try:
        answer = json.loads(printed)
    except ValueError:
        raise KeyringClosed("This machine's keyring broke off") from None
    if answer.get("error") == "none":
        raise NoKeyring("This machine has no keyring")
    if "error" in answer:
        raise KeyringClosed(f"This machine's keyring does not open ({answer['text']})")
    return str(answer["value"])


def patience(environ: Mapping[str, str]) -> float:
    """Return how many seconds the keyring may take: many where a window can ask."""
    windows = environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    desktop = windows or sys.platform in ("darwin", "win32")
    return PROMPT_SECONDS if desktop and not environ.get("SSH_CONNECTION") else QUIET_SECONDS
