"""Plots of evaluation runs: quality against tokens and seconds, and as budgets grow.

The one module that imports matplotlib, the extra `report`.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.errors import UsageError
from engine.evaluation.arms import Arm
from engine.evaluation.tables import front, main_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#e69f00", "#56b4e9", "#009e73", "#d55e00", "#0072b2", "#cc79a7", "#999999", "#b8a900")
"""Okabe and Ito's, which most people with a colour deficiency tell apart, on dark and on light."""
MARKERS = "osD^vP*X"
INK = "#123456"
"""Stands for the page's own text colour until the drawing is put into the page."""

Price = Callable[[Arm], float]
AXES: tuple[tuple[str, Price], ...] = (
    ("effective context, tokens", lambda arm: arm.context),
    ("seconds a question", lambda arm: arm.seconds),
)


def drawn(arms: Sequence[Arm]) -> tuple[str, list[Arm]]:
    """Return the score a set is judged by, and the arms that have it and a price."""
    score = main_score(arms)
    return score, [arm for arm in arms if arm.answered and arm.mean(score) is not None]


def pareto(arms: Sequence[Arm], score: str) -> Figure:
    """Draw every arm of a set at its price and quality; a line joins those nothing betters."""
    figure, axes = _figure(2)
    for axis, (name, price) in zip(axes, AXES, strict=True):
        points = [(price(arm), arm.mean(score) or 0.0) for arm in arms]
        for i, (arm, (x, y)) in enumerate(zip(arms, points, strict=True)):
            axis.plot(x, y, linestyle="", label=arm.label, **_look(i))
        best = [points[i] for i in front(points)]
        axis.plot(*zip(*best, strict=True), color=INK, linewidth=1, alpha=0.6, zorder=1)
        _name(axis, name, score)
    _legend(figure, axes[0])
    return figure


GROWN = 1.2
"""A strategy has a curve when its largest context is at least so many times its smallest."""


def scaling(arms: Sequence[Arm], score: str) -> Figure | None:
    """Draw each strategy's settings by effective context; None where none has larger ones.

    The line joins the best within each budget, as in Inference scaling's figure 1.
    """
    families: dict[str, list[Arm]] = {}
    for arm in arms:
        families.setdefault(arm.family, []).append(arm)
    grown = {name: found for name, found in families.items() if _grows(found)}
    if not grown:
        return None
    figure, (axis,) = _figure(1)
    for i, (name, found) in enumerate(grown.items()):
        points = [(arm.context, arm.mean(score) or 0.0) for arm in found]
        axis.plot(*zip(*points, strict=True), linestyle="", label=name, **_look(i))
        best = [points[at] for at in front(points)]
        axis.plot(*zip(*best, strict=True), color=_look(i)["color"], linewidth=1)
    _name(axis, AXES[0][0], score)
    _legend(figure, axis)
    return figure


def _grows(arms: Sequence[Arm]) -> bool:
    contexts = [arm.context for arm in arms]
    return max(contexts) >= GROWN * max(1.0, min(contexts))


def svg(figure: Figure, title: str) -> str:
    """Return a drawing to put into a page: in the page's text colour, with text as text."""
    with _style():
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    drawing = out.getvalue()
    drawing = drawing[drawing.index("<svg") :].replace(INK, "currentColor")
    drawing = re.sub(r"<metadata>.*?</metadata>", "", drawing, flags=re.DOTALL)
    label = html.escape(title, quote=True)  # a row's own words: its set's name
    return drawing.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def png(figure: Figure, file: Path) -> None:
    """Write a drawing as a picture with a white ground. Raises `OSError`."""
    with _style("#000000"):
        for text in figure.findobj(lambda part: hasattr(part, "get_color")):
            _recolour(text)
        for axis in figure.axes:
            axis.tick_params(colors="#000000", which="both")
            for spine in axis.spines.values():
                spine.set_color("#000000")
        figure.savefig(file, dpi=150, facecolor="white")


def _recolour(part: Any) -> None:
    if part.get_color() == INK:
        part.set_color("#000000")


@contextmanager
def _style(ink: str = INK) -> Iterator[None]:
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise UsageError(
            "Plots need matplotlib, which is not installed.",
            remedy="pip install 'askance[report]', or ask for --markdown alone.",
        ) from error
    colours = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    texts = {"svg.fonttype": "none", "svg.hashsalt": "askance", "font.size": 9}
    settings: Any = dict.fromkeys(colours, ink) | texts | {"text.parse_math": False}
    with mpl.rc_context(settings):
        yield


def _figure(count: int) -> tuple[Figure, list[Axes]]:
    """Return an empty drawing of so many axes side by side."""
    with _style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4.4 * count, 3.6), layout="constrained")
        figure.patch.set_alpha(0)
        axes = [figure.add_subplot(1, count, place + 1) for place in range(count)]
        for axis in axes:
            axis.patch.set_alpha(0)
            axis.spines[["top", "right"]].set_visible(False)
            axis.grid(color=INK, alpha=0.15, linewidth=0.5)
    return figure, axes


def _look(i: int) -> dict[str, Any]:
    colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i // len(COLOURS) % len(MARKERS)]
    return {"color": colour, "marker": marker, "markersize": 8}


def _name(axis: Axes, price: str, score: str) -> None:
    with _style():
        axis.set_xscale("log")
        axis.set_xlabel(price)
        axis.set_ylabel(score)


def _legend(figure: Figure, axis: Axes) -> None:
    with _style():
        handles, labels = axis.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
