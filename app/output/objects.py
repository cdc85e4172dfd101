"""The JSON objects of the command line's contract. Unused keys are null, never left out."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from app.output.plain import escape_json

if TYPE_CHECKING:
    from engine.answer_parts import ModelTokens
    from engine.events import Hit, SearchResult
    from engine.values import Answer, Citation, Coverage, Order, Passage
    from ingest.item import Skipped
    from models.errors import AskanceError

SCHEMA_VERSION = 1

ANSWER_TIMINGS = (
    "read",
    "recall",
    "lookahead",
    "select",
    "vote",
    "write",
    "cite",
    "first_token",
    "total",
)
SEARCH_TIMINGS = ("read", "recall", "total")


def print_json(members: Mapping[str, object]) -> None:
    """Print one object on stdout, `schema_version` first."""
    text = json_text(members)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json_text(members, ascii_only=True)
    click.echo(text)


def json_text(members: Mapping[str, object], *, ascii_only: bool = False) -> str:
    """Return one object as JSON that UTF-8 can hold, whatever bytes are in the names of files."""
    shown = {"schema_version": SCHEMA_VERSION, **members}
    return escape_json(json.dumps(shown, ensure_ascii=ascii_only, indent=2))


def error_object(error: AskanceError) -> dict[str, str | None]:
    """Return the `error` member: kind, message, path, remedy."""
    return {
        "kind": error.kind,
        "message": error.message,
        "path": str(error.path) if error.path else None,
        "remedy": error.remedy,
    }


def answer_object(answer: Answer) -> dict[str, object]:
    """Return what `ask --json` prints."""
    from app.output.certainty import certainty_object
    from app.output.query.filters import filters_object
    from app.output.table import table_object

    return {
        "question": answer.question,
        "answer": answer.text,
        "grounded": answer.grounded,
        **certainty_object(answer),
        "agreement": asdict(answer.agreement) if answer.agreement else None,
        "strategy": answer.strategy,
        "models": asdict(answer.models),
        "tokens": {
            "lookahead": _tokens(answer.usage.lookahead),
            "generator": _tokens(answer.usage.generator),
        },
        "filters": filters_object(answer.query),
        "citations": [citation_object(citation) for citation in answer.citations],
        "table": table_object(answer.table),
        "unsupported": [asdict(sentence) for sentence in answer.unsupported],
        "warnings": [_warning(order) for order in answer.orders],
        "coverage": coverage_object(answer.coverage),
        "timings_ms": _milliseconds(answer.timings, ANSWER_TIMINGS),
    }


def _warning(order: Order) -> dict[str, object]:
    """Return what reads like an order to a model; `kind` leaves room for other warnings."""
    item = order.passage.item
    return {
        "kind": "order",
        "message": f"This text {order.rule}.",
        "title": item.title,
        "path": str(item.locator.path),
        "quote": order.quote,
    }


def search_object(result: SearchResult) -> dict[str, object]:
    """Return what `search --json` prints."""
    from app.output.query.filters import filters_object

    return {
        "query": result.query,
        "filters": filters_object(result.understood),
        "results": [_hit(hit) for hit in result.hits],
        "coverage": coverage_object(result.coverage),
        "timings_ms": _milliseconds(result.timings, SEARCH_TIMINGS),
    }


def citation_object(citation: Citation) -> dict[str, object]:
    """Return one citation; `locator` has the keys of the item's kind."""
    return {
        "id": citation.id,
        **_item(citation),
        "quote": citation.quote,
        "how": citation.how,
        "support": citation.support,
        "people": list(citation.kept.people),
    }


def coverage_object(coverage: Coverage) -> dict[str, object]:
    """Return what was read and what was not; every kind is counted, if only as 0."""
    from ingest.item import Kind

    counts = {kind.value: coverage.read.get(kind, 0) for kind in Kind}
    return {
        "read": {**counts, "files": coverage.files, "bytes": coverage.bytes},
        "pruned": coverage.pruned,
        "unread": coverage.unread,
        "skipped": [_skipped(skipped) for skipped in coverage.skipped],
        "complete": coverage.complete,
    }


def rfc3339(moment: datetime | None) -> str | None:
    """Return a moment with its offset; one with seconds, as before 1900, becomes UTC."""
    if moment is None:
        return None
    offset = moment.utcoffset()
    if offset is None or offset.seconds % 60:
        moment = moment.astimezone(UTC)
    return moment.isoformat()


def place_of(passage: Passage) -> Citation:
    """Return a whole passage as a place that knows its page and line."""
    from engine.values import Citation

    return Citation(0, passage, passage.start, passage.end, "matched", True)


def _hit(hit: Hit) -> dict[str, object]:
    return {"score": hit.score, **_item(place_of(hit.passage)), "text": hit.passage.text}


def _item(place: Citation) -> dict[str, object]:
    item = place.passage.item
    return {
        "kind": item.kind.value,
        "title": item.title,
        "path": str(item.locator.path),
        "locator": _locator(place),
        "date": rfc3339(item.when),
    }


def _locator(place: Citation) -> dict[str, object]:
    locator = place.passage.item.locator
    by_kind: dict[str, dict[str, object]] = {
        "mail": {
            "message_id": locator.message_id,
            "part": locator.part,
            "offset": locator.offset,
        },
        "document": {
            "page": place.page,
            "line": place.line,
            "sheet": locator.sheet,
            "member": locator.member,
        },
        "contact": {"uid": locator.uid},
        "message": {"line": locator.line, "member": locator.member},
    }
    dated = {"uid": locator.uid, "occurrence": locator.occurrence}
    keys = by_kind.get(place.passage.item.kind.value, dated)
    return {**keys, "start": place.start, "end": place.end}


def _skipped(skipped: Skipped) -> dict[str, object]:
    # The contract has no key for the message or page concerned, and `path` must stay a path.
    remedy = f"{skipped.member}: {skipped.remedy}" if skipped.member else skipped.remedy
    return {"path": str(skipped.path), "reason": skipped.reason.value, "remedy": remedy}


def _tokens(used: ModelTokens) -> dict[str, int]:
    return {"prompt": used.prompt, "generated": used.generated}


def _milliseconds(seconds: Mapping[str, float], names: Sequence[str]) -> dict[str, Any]:
    """Return every known stage, None for one that did not run, and whatever else was timed."""
    known: dict[str, float | None] = dict.fromkeys(names)
    return known | {name: round(value * 1000, 1) for name, value in seconds.items()}
