"""Every strategy that is built, one row each, and its parameters by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Protocol, cast, get_args, get_origin, get_type_hints

from engine.errors import StrategyUnknown
from engine.events import Noted, Steps
from engine.generation.draft import Draft
from engine.strategies import foreign
from engine.strategies.aggregate import Aggregate
from engine.strategies.auto import Auto
from engine.strategies.baselines import OrderPreserving, SelfRoute, Vanilla
from engine.strategies.chain_of_thought import ChainOfThought
from engine.strategies.closed_book import ManyShot, ZeroShot
from engine.strategies.conditional import Conditional
from engine.strategies.drag import DRAG, IterDRAG
from engine.strategies.embedding import Ce, CeFilter
from engine.strategies.et2rag import ET2RAG
from engine.strategies.fb_rag import FBRag
from engine.strategies.key_value import KeyValue
from engine.strategies.rewrite import Rewrite
from engine.strategies.self_consistency import SelfConsistency
from engine.strategies.summary.strategy import Summary
from engine.strategies.ttrag import TTRAG
from engine.strategies.whole import LongContext, TruncateMiddle, TtragBaseline
from engine.strategies.youra import Youra
from engine.toolbox.steps import Toolbox


class Strategy(Protocol):
    """A way from a question and a corpus to a draft, a frozen dataclass of its parameters.

    `run` reads like its paper.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]
    name: ClassVar[str]
    """What `--strategy` calls it."""
    summary: ClassVar[str]
    """One line that people read."""

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Yield events; return the draft."""


@dataclass(frozen=True)
class Compressing:
    """A strategy with a compressor: its generator reads only the sentences that this keeps."""

    name: ClassVar[str] = "compressing"
    summary: ClassVar[str] = "a strategy, then what keeps the best sentences of its passages"
    strategy: Strategy
    compressor: Youra

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Run the strategy; passages are cut before the generator reads them."""
        draft = yield from self.strategy.run(tools.compressing(self.compressor))
        if draft.text and not tools.passages.is_cut:
            yield Noted(f"{self.compressor.name} had no passage to cut.")
        return draft


STRATEGIES: tuple[Strategy, ...] = (
    Auto(),
    FBRag(),
    Conditional(),
    Aggregate(),
    KeyValue(),
    Summary(),
    ET2RAG(),
    SelfConsistency(),
    Youra(),
    CeFilter(),
    Ce(),
    Rewrite(),
    TTRAG(),
    DRAG(),
    IterDRAG(),
    Vanilla(),
    OrderPreserving(),
    SelfRoute(),
    ChainOfThought(),
    LongContext(),
    TruncateMiddle(),
    TtragBaseline(),
    ManyShot(),
    ZeroShot(),
)
SET = "/"
"""Between the numbers of a parameter that takes several."""
UNCUT = (Aggregate, KeyValue, Summary, Youra, ManyShot, ZeroShot)
"""Strategies that leave a compressor nothing to cut: they read whole items, one record or no
passage, or compress by themselves."""


def reads_passages(strategy: Strategy) -> bool:
    """Say whether a strategy reads anything but the question and worked examples."""
    without = isinstance(strategy, DRAG) and not strategy.k
    return not (without or isinstance(strategy, (ManyShot, ZeroShot)))


def names() -> tuple[str, ...]:
    """Return every name `--strategy` takes, those of installed packages last."""
    built = tuple(strategy.name for strategy in STRATEGIES)
    return (*built, *(name for name in foreign.found() if name not in built))


def get(wanted: str) -> Strategy:
    """Return a strategy: `NAME`, or `NAME:PARAMETER=VALUE,…` to change its parameters.

    `NAME+youra` cuts what the generator reads to its best sentences; both take parameters.
    Raises `StrategyUnknown` with the list of those that are built, or of its parameters.
    """
    wanted, plus, after = wanted.partition("+")
    if plus:
        compressor = get(after)
        if not isinstance(compressor, Youra):
            raise StrategyUnknown(f"{after} cannot come after a strategy.", remedy="youra can.")
        return _compressing(get(wanted), compressor)
    name, _, parameters = wanted.partition(":")
    for strategy in STRATEGIES:
        if strategy.name == name:
            return _with(strategy, parameters) if parameters else strategy
    brought = cast(Strategy | None, foreign.load(name))
    if brought is not None:
        return _with(brought, parameters) if parameters else brought
    raise StrategyUnknown(
        f"There is no strategy {name!r}.", remedy=f"There are: {', '.join(names())}."
    )


def _compressing(strategy: Strategy, compressor: Youra) -> Compressing:
    if isinstance(strategy, UNCUT):
        able = ", ".join(one.name for one in STRATEGIES if not isinstance(one, UNCUT))
        raise StrategyUnknown(
            f"{compressor.name} has nothing to cut after {strategy.name}.",
            remedy=f"It can come after: {able}.",
        )
    return Compressing(strategy, compressor)


def described(strategy: Strategy) -> str:
    """Return a strategy's name with the parameters that are not its defaults; `get` takes it."""
    if isinstance(strategy, Compressing):
        return f"{described(strategy.strategy)}+{described(strategy.compressor)}"
    changed = [
        f"{field.name}={written(value)}"
        for field in fields(strategy)
        if (value := getattr(strategy, field.name)) != field.default
    ]
    return f"{strategy.name}:{','.join(changed)}" if changed else strategy.name


def as_run(strategy: Strategy, replaced: Mapping[object, object]) -> Strategy:
    """Return a strategy as it was run: `replaced` holds substitutes for parts that could not run.

    A strategy that chose a compressor by itself is named with the substitute of that.
    """
    if isinstance(strategy, Compressing):
        compressor, strategy = strategy.compressor, strategy.strategy
        cutting: object = replaced.get(compressor, compressor)
    else:
        of_its_own = (one for one in replaced if isinstance(one, Youra) and one != strategy)
        cutting = replaced.get(next(of_its_own, None))
    found = cast(Strategy, replaced.get(strategy, strategy))
    return Compressing(found, cast(Youra, cutting)) if cutting is not None else found


def _with(strategy: Strategy, parameters: str) -> Strategy:
    kinds = get_type_hints(type(strategy))
    values: dict[str, object] = {}
    for part in parameters.split(","):
        key, _, text = part.partition("=")
        if key not in {field.name for field in fields(strategy)}:
            raise _no_parameter(strategy, part)
        bounds = strategy.__dataclass_fields__[key].metadata
        values[key] = _value(strategy, part, kinds[key], text, bounds)
    changed: Strategy = replace(strategy, **values)
    return changed


def written(value: object) -> object:
    """Return a parameter's value as `get` takes it."""
    return SET.join(map(str, value)) or "none" if isinstance(value, tuple) else value


def _value(
    strategy: Strategy, part: str, kind: Any, text: str, bounds: Mapping[Any, float]
) -> object:
    """Return a parameter's value: at least "least", or 1 for counts and 0 for other numbers; at
    most "most", or 1000.
    """
    if get_origin(kind) is Literal:
        if text in get_args(kind):
            return text
        raise _no_parameter(strategy, part)
    if get_origin(kind) is tuple:
        numbers = (_value(strategy, part, int, one, bounds) for one in text.split(SET))
        return tuple(sorted(cast(set[int], set(numbers))))
    try:
        number = kind(text)
    except ValueError as error:
        raise _no_parameter(strategy, part) from error
    least = bounds.get("least", 1 if kind is int else 0)
    if not least <= number <= bounds.get("most", 1000):
        raise _no_parameter(strategy, part)
    return number


def _no_parameter(strategy: Strategy, part: str) -> StrategyUnknown:
    kinds = get_type_hints(type(strategy))
    known = [
        f"{field.name}={_choices(kinds[field.name])} (now {written(getattr(strategy, field.name))})"
        for field in fields(strategy)
    ]
    return StrategyUnknown(
        f"{strategy.name} has no parameter {part!r}.",
        remedy=f"It takes: {'; '.join(known)}." if known else "It takes none.",
    )


def _choices(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "|".join(get_args(kind))
    if get_origin(kind) is tuple:
        return f"N{SET}N"
    return "N" if kind is int else "NUMBER"
