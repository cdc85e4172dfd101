"""Model servers on this machine, looked for where they listen unless told otherwise.

Only when a person asks for it: a program that probes ports unasked looks like an attack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models.errors import AskanceError
from models.server.address import Address, address_of
from models.server.kinds import Served, served_by
from models.server.link import Link, lists_models

PORTS = (8080, 11434, 1234, 8000)
"""Of llama-server, Ollama, LM Studio and vLLM, as their documentation names them."""
WAIT = 0.5
"""Seconds for a port of this machine to answer."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that answers on this machine."""

    address: Address
    served: Served | None
    """Its one model, or that in memory; None where it has none or several."""
    fault: str = ""
    """What it said instead, for people."""


def servers_here(ports: tuple[int, ...] = PORTS) -> Iterator[FoundServer]:
    """Yield the servers that answer on loopback; they are asked for their models alone."""
    for port in ports:
        url = f"http://127.0.0.1:{port}"
        if not lists_models(url, WAIT):
            continue
        address = address_of(url, None)
        link = Link(address, lambda text: None)
        try:
            yield FoundServer(address, served_by(link, None, None))
        except AskanceError as error:
            yield FoundServer(address, None, error.message)
        finally:
            link.close()
