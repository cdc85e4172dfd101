"""Documents that an Office program encrypted."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.sieve import Read, Scope


def sealed_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Raise UnreadableError: the program has no cipher to open such a document with."""
    raise encrypted()


def encrypted() -> UnreadableError:
    """Return the error for a document that only its own program decrypts."""
    remedy = "It is encrypted; open it in its program and save a copy without a password."
    return UnreadableError(Reason.ENCRYPTED, remedy)
