"""The person's token for gated models: from the system's keyring, else from HF_TOKEN."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from models.system.secrets import HUB, KeyringClosed, secret_from_keyring

STORE_IT = f"`askance secrets set {HUB}`"


@dataclass(frozen=True, slots=True)
class HubToken:
    """The token, and how a person can set it."""

    value: str
    """Empty when there is none."""
    remedy: str
    """What to do when there is none, or the hub refuses it."""


def hub_token(environ: Mapping[str, str]) -> HubToken:
    """Look for the token, once the hub refuses without it: a keyring may ask for its password."""
    accept = "Accept the model's terms on its page if it has any"
    try:
        value, trouble = secret_from_keyring(HUB), ""
    except KeyringClosed as error:
        value, trouble = "", str(error)
    if value:
        return HubToken(value, f"{accept}, and see that the token in your keyring may read it.")
    value = environ.get("HF_TOKEN", "")
    if value:
        return HubToken(value, f"{accept}, and see that the token in HF_TOKEN may read it.")
    if trouble:
        return HubToken(
            "", f"{accept}. {trouble}, so put your token into HF_TOKEN, and pull again."
        )
    return HubToken("", f"{accept}, keep your token with {STORE_IT}, and pull again.")
