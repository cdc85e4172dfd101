"""What a follow-up was understood as, and which sources it was narrowed to, in words for people."""

from __future__ import annotations

from collections.abc import Sequence

from app.output.plain import one_line
from engine.answer_parts import Cited
from engine.conversation import Standalone

TITLES = 3
"""Sources that are named; of more the number is."""
TITLE_SHOWN = 40


def understood_lines(put: Standalone, asked: str) -> list[str]:
    """Return what is to be said of a question; nothing where it is asked as it was typed."""
    is_other = put.text != asked.strip()
    if not (is_other or put.scope):
        return [one_line(f"Asked as typed: {put.reason}")] if put.reason else []
    shown = [one_line(f"Understood as: {put.text}")] if is_other else []
    if put.scope:
        shown.append(f"Narrowed to {scope_text(put.scope)}")
    if why := "; ".join(filter(None, [put.reason, "" if put.sure else "not sure"])):
        shown[0] += f" ({one_line(why)})"
    return shown


def scope_text(scope: Sequence[Cited]) -> str:
    """Return `[2] Lease, [3] Jetty`, by the numbers that they had in the answer before."""
    named = ", ".join(f"[{one.id}] {_title(one)}" for one in scope[:TITLES])
    more = len(scope) - TITLES
    return f"{named} and {more} more" if more > 0 else named


def _title(cited: Cited) -> str:
    title = one_line(cited.title or cited.locator.path.name)
    return title if len(title) <= TITLE_SHOWN else f"{title[:TITLE_SHOWN].rstrip()}…"
