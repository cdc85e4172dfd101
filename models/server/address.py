"""Where a server is, and whether text may go there: this machine, or a host named twice."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

FORM = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>\d{1,5}))?"
    r"(?P<path>(?:/[A-Za-z0-9._~-]+)*)/?"
)
"""No user and password, since the settings are not secret, and no query."""


@dataclass(frozen=True, slots=True)
class Address:
    """A server that text may be sent to."""

    url: str
    """Scheme, host, port and path; `/v1/…` is appended to it."""
    host: str
    """With the port where one was given, as people name it."""
    loopback: bool
    """Whether it is this machine."""

    @property
    def key_name(self) -> str:
        """The name under which the keyring has this server's key, and no other server's."""
        return f"server:{self.host}"


def address_of(url: str, allowed_host: str | None) -> Address:
    """Return the address that `url` means. Raises ValueError, which says what is wrong.

    Another machine is reached over TLS only, and only if `allowed_host` is its name (with the
    port or without): so a wrong address alone sends nothing away.
    """
    found = FORM.fullmatch(url.strip())
    if not found:
        raise ValueError("is not of the form http://127.0.0.1:8080, without user and password")
    name = found["host"].casefold()
    host = f"{name}:{found['port']}" if found["port"] else name
    address = Address(
        url=f"{found['scheme']}://{host}{found['path'].removesuffix('/v1')}",
        host=host,
        loopback=_is_loopback(name.strip("[]")),
    )
    if address.loopback:
        return address
    if (allowed_host or "").casefold() not in (name, host):
        raise ValueError(f"names another machine, {name}, which is not allowed")
    if found["scheme"] != "https":
        raise ValueError(f"would send text to {name} unencrypted")
    return address


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"
