"""Chats as JSON: Telegram, Slack, Discord (DiscordChatExporter) and Matrix (Element)."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from ingest.chats.stretches import ChatMessage, ChatRoom, members_of
from ingest.origin import Origin

# "<@U024BE7LH>", "<https://example.org|the page>", "<#C024BE91L|general>"
_SLACK_MARK = re.compile(r"<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>")
# "2026-11-24", as the file of a day is called
_SLACK_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def rooms_of(said: Any, origin: Origin, zone: tzinfo) -> Iterator[ChatRoom]:
    """Yield the rooms of an export, whichever program it is of; nothing of other JSON."""
    if isinstance(said, list):
        if room := _slack(said, origin):
            yield room
    elif isinstance(said, dict):
        if "chats" in said or "left_chats" in said:
            for key in ("chats", "left_chats"):
                for chat in _list(_dict(said.get(key)).get("list")):
                    yield _telegram(_dict(chat), zone)
        elif "guild" in said and "channel" in said:
            yield _discord(said)
        elif "room_name" in said:
            yield _matrix(said)
        elif "messages" in said:
            yield _telegram(said, zone)


def _telegram(chat: Mapping[str, Any], zone: tzinfo) -> ChatRoom:
    """Return a chat of Telegram Desktop's `result.json`."""
    name = str(chat.get("name") or "Saved messages")
    return _room(name, chat.get("messages"), lambda one: _of_telegram(one, zone))


def _of_telegram(one: Mapping[str, Any], zone: tzinfo) -> ChatMessage | None:
    when = _unix(one.get("date_unixtime")) or _iso(one.get("date"), zone)
    if one.get("type") == "service":
        words = str(one.get("action", "")).replace("_", " ")
        return ChatMessage(when, "", f"{one.get('actor') or ''} {words}".strip())
    text = _telegram_text(one.get("text")) or str(_dict(one.get("poll")).get("question") or "")
    attached = one.get("file_name") or one.get("media_type") or ("photo" if "photo" in one else "")
    return ChatMessage(
        when, str(one.get("from") or ""), f"{text} [{attached}]".strip() if attached else text
    )


def _telegram_text(text: Any) -> str:
    if isinstance(text, str):
        return text
    return "".join(
        part if isinstance(part, str) else str(_dict(part).get("text", "")) for part in _list(text)
    )


def _slack(said: Sequence[Any], origin: Origin) -> ChatRoom | None:
    """Return a day of a channel: its folder has the channel's name; a file of all days has it."""
    place = PurePosixPath(origin.locator.member or str(origin.locator.path))
    name = place.parent.name if _SLACK_DAY.fullmatch(place.stem) else place.stem
    rows = [one for one in said if isinstance(one, dict) and "ts" in one and "text" in one]
    names = {str(row.get("user")): known for row in rows if (known := _slack_name(row))}
    return _room(f"#{name}", rows, partial(_of_slack, names=names)) if rows else None


def _slack_name(one: Mapping[str, Any]) -> str:
    profile = _dict(one.get("user_profile"))
    names = (profile.get("real_name"), profile.get("display_name"), one.get("username"))
    return next((str(name) for name in names if name), "")


def _of_slack(one: Mapping[str, Any], names: Mapping[str, str]) -> ChatMessage | None:
    """Return a message; those who wrote any message of the file are named in all of it."""
    user = str(one.get("user") or "")
    sender = _slack_name(one) or names.get(user, user)
    files = [str(_dict(file).get("name")) for file in _list(one.get("files"))]
    text = _SLACK_MARK.sub(partial(_slack_mark, names=names), str(one.get("text", "")))
    text = " ".join([html.unescape(text), *(f"[{name}]" for name in files)])
    return ChatMessage(_unix(one.get("ts")), "" if "subtype" in one and not files else sender, text)


def _slack_mark(found: re.Match[str], names: Mapping[str, str]) -> str:
    sign, target, label = found.groups()
    if sign:
        return f"{sign}{label or names.get(target, target)}"
    return f"{label} ({target})" if label else target


def _discord(said: Mapping[str, Any]) -> ChatRoom:
    channel = str(_dict(said.get("channel")).get("name") or "")
    return _room(f"#{channel}", said.get("messages"), _of_discord)


def _of_discord(one: Mapping[str, Any]) -> ChatMessage | None:
    author = _dict(one.get("author"))
    files = [str(_dict(file).get("fileName")) for file in _list(one.get("attachments"))]
    text = " ".join([str(one.get("content") or ""), *(f"[{name}]" for name in files)])
    sender = str(author.get("nickname") or author.get("name") or "")
    return ChatMessage(_iso(one.get("timestamp"), UTC), sender, text)


def _matrix(said: Mapping[str, Any]) -> ChatRoom:
    return _room(str(said["room_name"]), said.get("messages"), _of_matrix)


def _of_matrix(one: Mapping[str, Any]) -> ChatMessage | None:
    if one.get("type") not in ("m.room.message", "m.room.encrypted"):
        return None
    sent = one.get("origin_server_ts")
    when = _unix(sent / 1000 if isinstance(sent, int | float) else None)
    # "@kim:example.org" is Kim's address there
    sender = str(one.get("sender") or "").removeprefix("@").partition(":")[0]
    closed = "[encrypted]" if one["type"] == "m.room.encrypted" else ""
    return ChatMessage(when, sender, str(_dict(one.get("content")).get("body") or closed))


def _room(
    name: str, rows: Any, read: Callable[[Mapping[str, Any]], ChatMessage | None]
) -> ChatRoom:
    found = (read(row) for row in _list(rows) if isinstance(row, dict))
    messages = [one for one in found if one is not None and one.text.strip()]
    return ChatRoom(name, members_of(messages), messages)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _unix(value: Any) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(value), UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _iso(value: Any, zone: tzinfo) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=zone)
