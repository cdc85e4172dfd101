"""The tables of the catalogue that say how sure a generator is: `[model.confidence]`."""

from __future__ import annotations

from collections.abc import Mapping

from models.store.toml_table import TomlTable, invalid

INTERCEPT = "intercept"


def confidence_of(table: TomlTable) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Read the tables `confidence` and `confidence.typical` of a model, empty without them.

    Raises `CatalogueInvalid`.
    """
    if not table.holds("confidence"):
        return {}, {}
    inner = table.table("confidence")
    typical = inner.table("typical").numbers() if inner.holds("typical") else {}
    weights = inner.numbers()
    if INTERCEPT not in weights:
        raise invalid(inner.where, f"lacks the key {INTERCEPT!r}")
    return weights, typical


def confidence_text(weights: Mapping[str, float], typical: Mapping[str, float]) -> str:
    """Return both as TOML, to stand below a `[[model]]`; empty without weights."""
    if not weights:
        return ""
    lines = ["[model.confidence]", *_lines(weights)]
    if typical:
        lines += ["", "[model.confidence.typical]", *_lines(typical)]
    return "\n".join(lines) + "\n"


def _lines(numbers: Mapping[str, float]) -> list[str]:
    return [f"{name} = {float(number)!r}" for name, number in numbers.items()]
