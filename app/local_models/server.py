"""The server that the settings name: whether it is used, for what, and what is said about it.

`[server] url` turns it on. With `models.runtime` "auto" it fills the generator's role, with
"server" both roles; "llama" and "transformers" leave it alone. A model named on the command line
is taken from this machine, unless the runtime is "server".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import click

from app.errors import SettingWrong
from app.settings.config import Config
from models.server.address import Address, address_of

if TYPE_CHECKING:
    from models.server.generator import ServerGenerator
    from models.store.catalogue import Role

TEXT_ROLES: tuple[Role, ...] = ("lookahead", "generator")


def server_address(config: Config) -> Address | None:
    """Return where the server is, None without one. Raises `SettingWrong`.

    A host that is not this machine must stand in `server.allow_host` too, in the file: a variable
    that some program set must not send a person's mail away.
    """
    url = config.text("server.url")
    if url is None:
        if config.text("models.runtime") == "server":
            raise SettingWrong(
                'The setting "models.runtime" is "server", and no server is set.',
                remedy="Set `url` under [server], or another runtime.",
            )
        return None
    try:
        return address_of(url, config.text("server.allow_host"))
    except ValueError as error:
        raise SettingWrong(
            f'The setting "server.url" {error}.',
            remedy=f"Text goes to another machine only over https, and only if `allow_host` under "
            f"[server] in {config.path} names it.",
            path=config.path,
        ) from error


def served_roles(config: Config, flags: Mapping[Role, str | None]) -> dict[Role, str | None]:
    """Return the roles that the server fills, with its model's name where one is given.

    Raises `SettingWrong` for a server that cannot be used.
    """
    runtime = config.text("models.runtime")
    if server_address(config) is None or runtime in ("llama", "transformers"):
        return {}
    named = config.text("server.model")
    if runtime == "server":
        return {role: flags.get(role) or named for role in TEXT_ROLES}
    return {} if flags.get("generator") else {"generator": named}


def connected(config: Config, model: str | None, say: Callable[[str], object]) -> ServerGenerator:
    """Return the server's model. Raises `ServerFailed`, `ModelUnknown` and `SettingWrong`."""
    from models.server.generator import (
        connect,  # the only door to it: without a server, it stays shut
    )

    address = server_address(config)
    if address is None:
        raise ValueError("no server is set")
    return connect(address, model=model, context=config.number("server.context"), say=say)


def where_text_goes(
    config: Config, *, lookahead: str | None = None, generator: str | None = None
) -> str | None:
    """Return what to tell the person about text that leaves the process; None: none does."""
    address = server_address(config)
    if address is None or not served_roles(
        config, {"lookahead": lookahead, "generator": generator}
    ):
        return None
    if address.loopback:
        return f"Text goes to the server {address.host} on this machine."
    return f"Text LEAVES THIS MACHINE: it goes to {address.host}."


def tell_where_text_goes(config: Config, **flags: str | None) -> None:
    """Say it on stderr, whatever the output is."""
    if said := where_text_goes(config, **flags):
        click.echo(said, err=True)
