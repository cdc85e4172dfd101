"""The servers that the settings name: which models they run, and what is said about it.

`[server] url` turns it on. With `models.runtime` "auto" it runs the answer model, with "server"
both models; "llama" and "transformers" leave it alone. `lookahead_url` or `lookahead_model` put the
fast model on a server too. A model named on the command line is taken from this machine, unless
the runtime is "server".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from app.errors import SettingWrong
from app.settings.config import Config
from models.server.address import Address, address_of

if TYPE_CHECKING:
    from models.server.generator import ServerGenerator
    from models.store.catalogue import Role


@dataclass(frozen=True, slots=True)
class ServerModel:
    """A model at a server."""

    address: Address
    model: str | None
    """Its name there; None where it is the only one."""


def server_address(config: Config, key: str = "server.url") -> Address | None:
    """Return where the server is, None without one. Raises `SettingWrong`.

    A host that is not this machine must stand in `server.allow_host` too, in the file: a variable
    that some program set must not send a person's mail away.
    """
    url = config.values.of(key)
    if not isinstance(url, str):
        if key == "server.url" and config.values.models.runtime == "server":
            raise SettingWrong(
                'The setting "models.runtime" is "server", and no server is set.',
                remedy="Set `url` under [server], or another runtime.",
            )
        return None
    try:
        return address_of(url, config.values.server.allow_host)
    except ValueError as error:
        raise SettingWrong(
            f'The setting "{key}" {error}.',
            remedy=f"Text goes to another machine only over https, and only if `allow_host` under "
            f"[server] in {config.path} names it.",
            path=config.path,
        ) from error


def served_roles(config: Config, flags: Mapping[Role, str | None]) -> dict[Role, ServerModel]:
    """Return the roles that servers fill. Raises `SettingWrong` for one that cannot be used."""
    runtime = config.values.models.runtime
    address = server_address(config)
    ahead = server_address(config, "server.lookahead_url") or address
    if runtime in ("llama", "transformers"):
        return {}
    both = runtime == "server"
    found: dict[Role, ServerModel] = {}
    named = config.values.server.lookahead_model
    wanted = both or named or config.values.server.lookahead_url
    if ahead and wanted and (both or not flags.get("lookahead")):
        same = config.values.server.model if ahead == address else None
        found["lookahead"] = ServerModel(ahead, flags.get("lookahead") or named or same)
    if address and (both or not flags.get("generator")):
        model = flags.get("generator") or config.values.server.model
        found["generator"] = ServerModel(address, model)
    return found


def connected(config: Config, at: ServerModel, say: Callable[[str], object]) -> ServerGenerator:
    """Return a server's model. Raises `ServerFailed` and `ModelUnknown`."""
    from models.server.generator import (
        connect,  # the only door to it: without a server, it stays shut
    )

    main = at.address == server_address(config)
    context = config.values.server.context if main else None
    return connect(at.address, model=at.model, context=context, say=say)


def where_text_goes(
    config: Config, *, lookahead: str | None = None, generator: str | None = None
) -> str | None:
    """Return what to tell the person about text that leaves the process; None: none does."""
    served = served_roles(config, {"lookahead": lookahead, "generator": generator})
    places = dict.fromkeys(at.address for at in served.values())
    if not places:
        return None
    away = [address.host for address in places if not address.loopback]
    here = [address.host for address in places if address.loopback]
    if away:
        return f"Text LEAVES THIS MACHINE: it goes to {' and '.join([*away, *here])}."
    servers = "servers" if len(here) > 1 else "server"
    return f"Text goes to the {servers} {' and '.join(here)} on this machine."


def tell_where_text_goes(config: Config, **flags: str | None) -> None:
    """Say it on stderr, whatever the output is."""
    if said := where_text_goes(config, **flags):
        click.echo(said, err=True)
