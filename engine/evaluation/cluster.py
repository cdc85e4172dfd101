"""Questions asked on a Ray cluster, one process a worker (the extra `cluster`).

Settings, ids and rows go through Ray, the answers among them; every worker reads question file,
corpus and models from its own disk, at the same paths. "local" starts a cluster of this machine
alone, on its loopback address, whatever cluster runs here or RAY_ADDRESS names; any other address
is a cluster that somebody runs, and named by whoever gives it. Ray keeps a log of its own processes
below its temporary folder.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from typing import Any

from engine.errors import QuestionError
from engine.evaluation.child_process import Died
from engine.evaluation.parallel import EvaluationWorker, OpenModels, Orders, PendingQuestion
from engine.evaluation.runs import Row
from models.errors import AskanceError

LOCAL = "local"
QUIETLY = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
"""Keeps Ray from sending reports of its use."""
ON_LOOPBACK = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_raylet_start_wait_time_s": "600",
    "RAY_worker_niceness": "0",
}
"""Makes Ray listen on the loopback address, without looking up another. On a busy machine Ray's
processes take minutes to start, where it would give up after one. Its workers keep the priority of
the program that started them."""

_HOST = re.compile(r"(?:\[(?P<bracketed>[^][]+)\]|(?P<plain>[^][:]+))(?::\d+)?")
"""A host with or without a port. An address of version 6 is in brackets, or has no port."""


class WorkerKilled(AskanceError):
    """A worker of the cluster is gone."""

    kind = "worker_killed"


class ClusterMissing(QuestionError):
    """Ray is not installed, or no cluster answers."""


def beyond_this_machine(address: str) -> str | None:
    """Return the host an address names, None where it is this machine."""
    if address == LOCAL:
        return None
    place = address.removeprefix("ray://").lower()
    named = _HOST.fullmatch(place)
    host = (named["bracketed"] or named["plain"]) if named else place
    return None if host == "localhost" or _is_loopback(host) else host


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class RayWorkers:
    """Workers that Ray places. Each takes the next piece when it is free."""

    def __init__(self, address: str, count: int, orders: Orders, open_models: OpenModels) -> None:
        """Connect to a cluster. Nothing is sent before there are pieces.

        Raises `ClusterMissing`.
        """
        self._ray = _connected(address, count)
        self.elsewhere = _elsewhere(self._ray)
        """Other machines of the cluster, also of one whose head is on this one."""
        self._count = count
        self._orders = orders
        self._open_models = open_models

    def results(
        self, pieces: Sequence[PendingQuestion]
    ) -> Iterator[tuple[PendingQuestion, list[Row | Died]]]:
        """Yield every piece with its rows as it is done; disconnect at the end."""
        try:
            yield from self._results(list(pieces))
        finally:
            self._ray.shutdown()

    def _results(
        self, left: list[PendingQuestion]
    ) -> Iterator[tuple[PendingQuestion, list[Row | Died]]]:
        actor = self._ray.remote(EvaluationWorker)
        idle = [
            actor.remote(self._orders, self._open_models)
            for _ in range(min(self._count, len(left)))
        ]
        running: dict[Any, tuple[Any, PendingQuestion]] = {}
        while left or running:
            while left and idle:
                worker, piece = idle.pop(), left.pop(0)
                running[worker.rows.remote(piece)] = worker, piece
            done, _ = self._ray.wait(list(running))
            for reference in done:
                worker, piece = running.pop(reference)
                idle.append(worker)
                yield piece, self._rows(reference)

    def _rows(self, reference: Any) -> list[Row | Died]:
        gone = self._ray.exceptions
        try:
            rows: list[Row | Died] = self._ray.get(reference)
        except (gone.RayActorError, gone.OutOfMemoryError) as error:
            raise WorkerKilled(
                "A worker was ended from outside, as happens where memory runs out.",
                remedy="The rows of --out are kept: ask again, with fewer --workers.",
            ) from error
        return rows


def _elsewhere(ray: Any) -> tuple[str, ...]:
    """Return the addresses of a cluster's machines that are not this one."""
    here = ray.util.get_node_ip_address()
    addresses = {str(node["NodeManagerAddress"]) for node in ray.nodes() if node["Alive"]}
    return tuple(sorted(one for one in addresses if one != here and not _is_loopback(one)))


def _connected(address: str, count: int) -> Any:
    os.environ |= QUIETLY
    if address == LOCAL:
        os.environ |= ON_LOOPBACK
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError as error:
        raise ClusterMissing(
            "Ray is not installed.", remedy="pip install 'askance[cluster]', or use --workers."
        ) from error
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address == LOCAL:
            ray.init(address=LOCAL, num_cpus=count, include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        raise ClusterMissing(
            f"No Ray cluster answers at {address}: {error}.",
            remedy='Give HOST:PORT of its head node, or "local" for one of this machine.',
        ) from error
    return ray
