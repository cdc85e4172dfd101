"""Asks the system's keyring in a process of its own, since a locked keyring may never answer.

One JSON object comes in on stdin, `{"do": "get", "user": …}`, `"set"` with a `secret`, `"delete"`
or `"find"`; one goes out on stdout: `{"value": …}` or `{"error": "none" | "closed", "text": …}`.
A secret passes through these two pipes only, never through arguments, variables or files.

Only keyrings that the system itself encrypts are asked. Another one that the library's settings
or PYTHON_KEYRING_BACKEND name is ignored, since it could be a plaintext file. The variable may
still turn keyrings off.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any

SERVICE = "askance"
BACKENDS = (
    ("keyring.backends.SecretService", "Keyring"),
    ("keyring.backends.kwallet", "DBusKeyring"),
    ("keyring.backends.macOS", "Keyring"),
    ("keyring.backends.Windows", "WinVaultKeyring"),
)


def main() -> None:
    """Do what stdin asks for."""
    _forbid_core_dumps()
    print(json.dumps(_answer(json.loads(sys.stdin.read()))))  # noqa: T201 - the pipe to the parent


def _answer(asked: dict[str, str]) -> dict[str, str | None]:
    import keyring.errors

    backend, why = _backend()
    if backend is None:
        return {"error": "none", "text": why}
    try:
        if asked["do"] == "set":
            backend.set_password(SERVICE, asked["user"], asked["secret"])
        elif asked["do"] == "delete":
            return {"value": _delete(backend, asked["user"])}
        elif asked["do"] == "get":
            return {"value": backend.get_password(SERVICE, asked["user"]) or ""}
    except (keyring.errors.KeyringError, OSError) as error:
        return {"error": "closed", "text": str(error) or type(error).__name__}
    return {"value": backend.name}


def _delete(backend: Any, user: str) -> str:
    """Return "yes" where a secret was deleted, else ""."""
    if backend.get_password(SERVICE, user) is None:
        return ""
    backend.delete_password(SERVICE, user)
    return "yes"


def _backend() -> tuple[Any, str]:
    """Return the best keyring that works here, or None and why there is none."""
    if os.environ.get("PYTHON_KEYRING_BACKEND", "").endswith((".fail.Keyring", ".null.Keyring")):
        return None, "keyrings are turned off"
    best, why = None, "no Secret Service, KWallet, macOS keychain or Windows vault answers"
    for module, name in BACKENDS:
        found = getattr(importlib.import_module(module), name)
        try:
            priority = found.priority
        except (RuntimeError, OSError, AttributeError, NameError):
            continue  # it belongs to another system, or nobody answers on the bus
        if best is None or priority > best.priority:
            best = found
    return (best() if best else None), why


def _forbid_core_dumps() -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE; the limit is inherited


if __name__ == "__main__":
    main()
