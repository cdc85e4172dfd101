"""How exported chats begin: a line with day and hour, or the JSON of a program."""

from __future__ import annotations

import re

_CHAT_DAY = rb"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}[:.]\d{2}"
_CHAT_NOON = rb"(?:(?: |\xe2\x80\xaf)?[ap]\.?(?: |\xc2\xa0)?m\.?)?"
# "[12.05.24, 10:03:11] Kim: …", "5/12/24, 10:03 AM - Kim: …"; seconds only within brackets, since
# logs of programs have them too
_CHAT_LINE = re.compile(
    rb"(?:\xe2\x80\x8e)?(?:\["
    + _CHAT_DAY
    + rb"(?:[:.]\d{2})?"
    + _CHAT_NOON
    + rb"\] ?|"
    + _CHAT_DAY
    + _CHAT_NOON
    + rb" (?:-|\xe2\x80\x93) )",
    re.IGNORECASE,
)
_CHAT_JSON = re.compile(
    # Telegram: one chat, or a whole account
    rb'\s*\{\s*"name":[^{}]{0,400}"type":\s*"\w+",\s*"id":\s*-?\d+,\s*"messages":\s*\['
    rb'|\s*\{\s*"about":\s*"Here is the data you requested'
    # Discord, by DiscordChatExporter
    rb'|\s*\{\s*"guild":\s*\{'
    # Matrix, by Element
    rb'|\s*\{\s*"room_name":'
    # Slack: a day of a channel
    rb'|\s*\[\s*\{[^\[\]]{0,3000}"(?:type":\s*"message"|ts":\s*"\d{9,11}\.\d+")',
    re.DOTALL,
)


def begins_chat(head: bytes, suffix: str) -> bool:
    """Say whether a file that begins so looks like an exported chat."""
    return bool((suffix == ".json" and _CHAT_JSON.match(head)) or _CHAT_LINE.match(head))
