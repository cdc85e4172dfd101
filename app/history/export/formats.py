"""Conversations as JSON, which can be read again, and as Markdown, for people.

An export holds what was asked, what was answered and what was cited: quotes of a person's files.
It is written only when asked for, where that was said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, get_args

from app.history.errors import ConversationUnreadable
from app.output.certainty import certainty_object, heading_lines, shown_reasons
from app.output.objects import SCHEMA_VERSION, rfc3339
from app.output.plain import lines, one_line
from engine.answer_parts import Cited
from engine.conversation import Conversation, Turn, of_turns
from engine.values import Argument, Certainty, Grounded
from ingest.item import Kind, Locator

ALWAYS = {
    Kind.MAIL: ("message_id", "part", "offset"),
    Kind.DOCUMENT: ("page", "line", "sheet", "member"),
    Kind.EVENT: ("uid", "occurrence"),
    Kind.TASK: ("uid", "occurrence"),
    Kind.CONTACT: ("uid",),
    Kind.MESSAGE: ("line", "member"),
}
"""Keys of a locator that are there even when they are null."""
PLACES = tuple(one.name for one in fields(Locator) if one.name != "path")
SUPPORT: Mapping[Grounded, str] = {"partial": "Only partly supported.", "none": "Not supported."}
"""What is said of an answer that is not grounded."""
UNSUPPORTING = "does not support it"
MOST_BYTES = 64 << 20
"""Of a file that is read again: a conversation of a year is smaller."""


def conversation_object(conversation: Conversation) -> dict[str, object]:
    """Return a conversation for `--json`, whole: `conversation_of` reads it again."""
    return {
        "id": conversation.id,
        "title": conversation.title,
        "began": rfc3339(conversation.began),
        "at": conversation.at,
        "turns": [turn_object(turn) for turn in conversation.turns],
    }


def turn_object(turn: Turn) -> dict[str, object]:
    """Return one question with its answer; the keys of `ask --json` mean the same here."""
    return {
        "id": turn.id,
        "parent": turn.parent,
        "asked": turn.asked,
        "question": turn.question,
        "answer": turn.answer,
        "grounded": turn.grounded,
        **certainty_object(turn),
        "date": rfc3339(turn.when),
        "strategy": turn.strategy,
        "models": list(turn.models),
        "citations": [cited_object(cited) for cited in turn.cited],
        "scope": [cited_object(cited) for cited in turn.scope],
    }


def cited_object(cited: Cited) -> dict[str, object]:
    """Return a citation as `ask --json` does."""
    locator = {key: getattr(cited.locator, key) for key in PLACES}
    shown = {k: v for k, v in locator.items() if v is not None or k in ALWAYS[cited.kind]}
    return {
        "id": cited.id,
        "kind": cited.kind.value,
        "title": cited.title,
        "path": str(cited.locator.path),
        "locator": {**shown, "start": cited.start, "end": cited.end},
        "date": rfc3339(cited.when),
        "quote": cited.quote,
        "how": cited.how,
        "support": cited.support,
        "people": list(cited.people),
    }


def conversation_of(found: Mapping[str, Any]) -> Conversation:
    """Return the conversation of an object made by `conversation_object`.

    Raises `KeyError`, `TypeError` or `ValueError` for any other.
    """
    return of_turns(
        [turn_of(turn) for turn in found["turns"]],
        id=str(found["id"]),
        began=datetime.fromisoformat(found["began"]),
        at=found["at"],
    )


def turn_of(found: Mapping[str, Any]) -> Turn:
    """Return a turn. Raises as `conversation_of` does."""
    grounded = found["grounded"]
    if grounded not in get_args(Grounded):
        raise ValueError(grounded)
    certainty, confidence = found.get("certainty"), found.get("confidence")
    if certainty is not None and certainty not in get_args(Certainty):
        raise ValueError(certainty)
    return Turn(
        found["id"],
        found["parent"],
        str(found["asked"]),
        str(found["question"]),
        str(found["answer"]),
        grounded,
        tuple(cited_of(cited) for cited in found["citations"]),
        datetime.fromisoformat(found["date"]),
        str(found["strategy"]),
        tuple(str(model) for model in found["models"]),
        tuple(cited_of(cited) for cited in found.get("scope", ())),  # none in older versions
        certainty,  # nor one of these
        None if confidence is None else float(confidence),
        tuple(_reasons_of(found.get("reasons") or {})),
    )


def _reasons_of(found: Mapping[str, Any]) -> Iterator[Argument]:
    for key, speaks_for in (("for", True), ("against", False)):
        yield from (Argument(str(text), speaks_for) for text in found.get(key, ()))


def cited_of(found: Mapping[str, Any]) -> Cited:
    """Return a citation. Raises as `conversation_of` does."""
    place = found["locator"]
    known = {key: place[key] for key in PLACES if key in place}
    return Cited(
        int(found["id"]),
        Kind(found["kind"]),
        str(found["title"]),
        Locator(Path(found["path"]), **known),
        int(place["start"]),
        int(place["end"]),
        datetime.fromisoformat(found["date"]) if found["date"] else None,
        tuple(str(name) for name in found.get("people", ())),
        str(found["quote"]),
        str(found["how"]),
        bool(found["support"]),
    )


def read_conversation(path: Path) -> Conversation:
    """Read an exported conversation, or what `ask --json` printed, which becomes one of a turn.

    Raises `ConversationUnreadable`.
    """
    remedy = "Name a file that `askance history export --json` or `askance ask --json` wrote."
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"it is larger than {MOST_BYTES >> 20} MB")
        found = json.loads(path.read_text("utf-8"))
        if (form := int(found["schema_version"])) > SCHEMA_VERSION:
            remedy = "Update Askance."
            raise ValueError(f"a newer version wrote it (form {form}; {SCHEMA_VERSION} is known)")
        if "conversation" in found:
            return conversation_of(found["conversation"])
        return _of_answer(found)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
    except KeyError as error:
        why = f"it has no {error}"
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        why = str(error)
    raise ConversationUnreadable(
        f"{path} cannot be followed up: {one_line(why)}.",
        remedy=remedy,
        path=path,
    )


def _of_answer(found: Mapping[str, Any]) -> Conversation:
    known = [model for model in found["models"].values() if model]
    now = datetime.now().astimezone()
    followed = found.get("follow_up", {"asked": found["question"], "scope": ()})
    turn = {
        **found,
        "id": 0,
        "parent": None,
        "asked": followed["asked"],
        "scope": followed["scope"],
        "date": rfc3339(now),
        "models": known,
    }
    return of_turns([turn_of(turn)], at=0)


def in_order(conversation: Conversation) -> Iterator[tuple[Turn, str]]:
    """Yield the turns that led to where the conversation is, then those of other branches.

    Beside each stands what it follows, in words; empty where that is the turn yielded before.
    """
    path = conversation.path
    led = {turn.id for turn in path}
    before = None
    for turn in (*path, *(other for other in conversation.turns if other.id not in led)):
        yield turn, "" if turn.parent == before else _follows(conversation, turn)
        before = turn.id


def _follows(conversation: Conversation, turn: Turn) -> str:
    if turn.parent is None:
        return "Asked at the beginning."
    return f"Asked after: {conversation.turns[turn.parent].asked}"


def markdown(conversation: Conversation, zone: tzinfo | None = None) -> str:
    """Return a conversation, its citations below each answer, other branches at the end."""
    began = conversation.began.astimezone(zone)
    parts = [f"# {_escaped(conversation.title)}", f"{began:%Y-%m-%d %H:%M}, Askance"]
    for turn, follows in in_order(conversation):
        parts += _turn_in_markdown(turn, follows, zone)
    return "\n\n".join(parts) + "\n"


def _turn_in_markdown(turn: Turn, follows: str, zone: tzinfo | None) -> Iterator[str]:
    yield f"## {_escaped(turn.asked)}"
    if follows:
        yield f"*{_escaped(follows)}*"
    if turn.question != turn.asked:
        yield f"*Asked as: {_escaped(turn.question)}*"
    yield from (f"*{_escaped(line)}*" for line in heading_lines(turn))
    yield _escaped_block(turn.answer)
    if reasons := shown_reasons(turn, spoken=True):
        yield "\n".join(f"- {_escaped(reason)}" for reason in reasons)
    if turn.grounded != "grounded":
        yield f"*{SUPPORT[turn.grounded]}*"
    if turn.cited:
        yield "\n".join(_cited_in_markdown(cited, zone) for cited in turn.cited)


def _cited_in_markdown(cited: Cited, zone: tzinfo | None) -> str:
    date = f", {cited.when.astimezone(zone):%Y-%m-%d}" if cited.when else ""
    place = cited.locator
    where = "".join(
        f", {word} {value}"
        for word, value in (
            ("page", place.page),
            ("line", place.line if place.page is None else None),
            ("sheet", place.sheet),
            ("in", place.member),
        )
        if value is not None
    )
    title = _escaped(cited.title or place.path.name)
    path = _code(f"{place.path}")
    quote = _escaped(cited.quote)
    but = "" if cited.support else f", {UNSUPPORTING}"
    return f"- \\[{cited.id}\\] {title}{date}{_escaped(where)}, {path}{but}\n  > {quote}"


_MARKUP = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>#|!~&"})


def _escaped(text: str) -> str:
    """Return text of a file on one line as Markdown that means just that: no link, no picture."""
    shown = one_line(text).translate(_MARKUP)
    return shown.replace("://", ":\\//")


def _escaped_block(text: str) -> str:
    """Return an answer as Markdown, its lines kept."""
    kept = [_escaped(line) for line in lines(text).split("\n")]
    return "  \n".join(kept)


def _code(text: str) -> str:
    shown = one_line(text)
    ticks = "``" if "`" in shown else "`"
    blank = " " if "`" in shown else ""
    return f"{ticks}{blank}{shown}{blank}{ticks}"
