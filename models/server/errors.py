"""What a server's refusals mean. No message repeats a key or a word of a prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from models.errors import AskanceError, ContextExceeded, ModelUnknown, RuntimeFailed
from models.server.address import Address

QUOTED = 200
"""Characters of a server's own words in a message."""
OVERLAP = 16
"""A server's words that share so many characters with the prompt are not repeated."""

CONTEXT_SIZE = re.compile(r"context (?:length|size|window)[^\d]{0,40}(\d+)", re.IGNORECASE)
CONTEXT_ASKED = (
    re.compile(r"total of (?:at least )?(\d+)", re.IGNORECASE),
    re.compile(r"requested (\d+) tokens", re.IGNORECASE),
    re.compile(r"(\d+) (?:input|prompt) tokens", re.IGNORECASE),
)
"""How servers name the number of tokens asked for, the total first."""


Body = Mapping[str, Any]


class ServerFailed(RuntimeFailed):
    """A server that cannot be reached, refuses, breaks off, or does not speak as agreed."""

    kind = "server"


class Misspoken(ServerFailed):
    """An answer that is not in the form of the interface."""


class Refused(Exception):
    """A status other than success. Its handler makes an error of it, or tries again."""

    def __init__(self, status: int, detail: Mapping[str, Any]) -> None:
        """Keep the status and the server's `error` object, which may be empty."""
        super().__init__(status)
        self.status = status
        self.detail = detail


def refusal(
    refused: Refused, address: Address, body: Body | None, *, with_key: bool
) -> AskanceError:
    """Return the error that a refusal of `body` means; `with_key`: a key was sent along."""
    said = str(refused.detail.get("message", ""))
    if _is_about_context(refused):
        return _context_exceeded(refused.detail, said, address)
    here = f"The server at {address.url}"
    if refused.status in (401, 403):
        keyring = f"`askance secrets set {address.key_name}`"
        state = "refused the key in your keyring" if with_key else "wants a key"
        return ServerFailed(f"{here} {state}.", remedy=f"Keep the right one with {keyring}.")
    quote = _quotable(said, body)
    if refused.status == 404 or refused.detail.get("code") == "model_not_found":
        return ModelUnknown(
            f"{here} has no such model{quote}.",
            remedy="Name one of its models as `model` under [server] in the settings.",
        )
    if 300 <= refused.status < 400:
        return ServerFailed(
            f"{here} sends requests elsewhere, which is not followed.",
            remedy="Set [server] url to where it really is.",
        )
    return ServerFailed(
        f"{here} refused with status {refused.status}{quote}.",
        remedy="Its own log says more.",
    )


def error_of(data: bytes) -> Mapping[str, Any]:
    """Return the `error` object of a refusal, empty when there is none."""
    try:
        said = json.loads(data)
    except ValueError:
        return {}
    error = said.get("error", said) if isinstance(said, dict) else {}
    return error if isinstance(error, dict) else {"message": str(error)}


def _is_about_context(refused: Refused) -> bool:
    words = f"{refused.detail.get('code')} {refused.detail.get('type')}"
    if "context_length_exceeded" in words or "exceed_context_size" in words:
        return True
    message = str(refused.detail.get("message", ""))
    return refused.status == 400 and "maximum context length" in message


def _context_exceeded(detail: Mapping[str, Any], said: str, address: Address) -> ContextExceeded:
    size = detail.get("n_ctx") or next(iter(CONTEXT_SIZE.findall(said)), "fewer")
    found = (form.search(said) for form in CONTEXT_ASKED)
    asked = detail.get("n_prompt_tokens") or next((one[1] for one in found if one), "too many")
    return ContextExceeded(
        f"Prompt and reply have {asked} tokens; the model at {address.host} has room for {size}.",
        remedy="Lower --max-context or use a smaller --effort.",
    )


def _quotable(said: str, body: Body | None) -> str:
    """Return a server's words to end a message with; nothing when they repeat the prompt."""
    words = " ".join(said.split())[:QUOTED].rstrip(".")
    sent = json.dumps(body, ensure_ascii=False) if body else ""
    parts = (words[at : at + OVERLAP] for at in range(max(1, len(words) - OVERLAP + 1)))
    return "" if not words or any(part in sent for part in parts) else f": {words}"
