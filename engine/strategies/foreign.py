"""Strategies that installed packages bring: entry points of the group `askance.strategies`."""

from __future__ import annotations

from dataclasses import is_dataclass
from importlib.metadata import EntryPoint, entry_points

from engine.errors import StrategyUnknown

GROUP = "askance.strategies"


def found() -> dict[str, EntryPoint]:
    """Return the installed strategies by name, without importing any."""
    return {point.name: point for point in entry_points(group=GROUP)}


def load(name: str) -> object | None:
    """Return the strategy of this name, None where no package brings one.

    Raises `StrategyUnknown` for one that cannot be used, with the package to blame.
    """
    point = found().get(name)
    if point is None:
        return None
    try:
        strategy = point.load()
    except (ImportError, AttributeError) as error:
        raise _unusable(point, f"it cannot be imported ({error})") from error
    if not is_dataclass(strategy) or isinstance(strategy, type):
        raise _unusable(point, "it is not an instance of a dataclass")
    if getattr(strategy, "name", None) != name:
        raise _unusable(point, "its name is not that of its entry point")
    if not isinstance(getattr(strategy, "summary", None), str) or not hasattr(strategy, "run"):
        raise _unusable(point, "it lacks a summary or a method run")
    return strategy


def _unusable(point: EntryPoint, why: str) -> StrategyUnknown:
    package = point.dist.name if point.dist else point.value
    return StrategyUnknown(
        f"The strategy {point.name!r} of {package} cannot be used: {why}.",
        remedy=f"Update {package}, or remove it.",
    )
