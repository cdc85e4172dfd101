"""What the attributes of an HTML element say about its look."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_END = r"\s*(?:!|;|$)"
_UNSEEN = re.compile(
    rf"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all"
    rf"|(?<![\w-])opacity\s*:\s*0*(?:\.0*)?{_END}"
    rf"|text-indent\s*:\s*-\d{{3,}}|(?<![\w-])(?:margin-)?(?:left|top|right)\s*:\s*-\d{{4,}}"
    rf"|clip\s*:\s*rect\(\s*(?:[01](?:px)?[\s,]*){{4}}\)|clip-path\s*:\s*inset\(\s*(?:50|100)%",
    re.IGNORECASE,
)
_CUT = re.compile(r"overflow\s*:\s*hidden", re.IGNORECASE)
_FLAT = re.compile(rf"(?<!line-)(?:height|width)\s*:\s*0*(?:\.0*)?(?:[a-z]{{2}}|%)?{_END}", re.I)
_SIZE = re.compile(r"(?<![\w-])font-size\s*:\s*([^;!]*)", re.IGNORECASE)
_NO_SIZE = re.compile(r"0*(?:\.0*)?(?:[a-z]+|%)?|0*[01](?:\.\d*)?p[xt]|0*\.0\d*r?em", re.IGNORECASE)
_COLOUR = re.compile(r"(?<![\w-])color\s*:\s*([^;!]+)", re.IGNORECASE)
_GROUND = re.compile(r"(?<![\w-])background(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
_CODE = re.compile(r"#([0-9a-f]{3,8})\b|rgba?\(([^()]*)\)|\b([a-z]{3,20})\b", re.IGNORECASE)
_IMAGE = re.compile(r"url\(|gradient\(", re.IGNORECASE)
_PICTURE = "picture"
"""The background colour that stands for a picture."""
_NAMED = {"white": "ffffff", "black": "000000"}
_NEARLY_WHITE = re.compile("(?:f[0-9a-f]){3}")

_HIDING = ("display", "visib", "hide", "opacity", "indent", "left", "top", "right", "clip")
"""Words in every style that hides: the search for each is ten times faster than a pattern."""
NOTHING = "nothing"
"""The size of letters without size."""
_LONG_STYLE = 1000
"""Characters of the longest style that is cached."""


class Look(NamedTuple):
    """What an element says about the letters in it; empty where it says nothing."""

    size: str
    colour: str
    ground: str


PLAIN = Look("", "", "")


def looks(name: str, attributes: dict[str, str]) -> tuple[Look, bool]:
    """Return the look that an element declares, and whether it is hidden with all in it."""
    style = attributes.get("style", "")
    (size, colour, ground), hides = (_read if len(style) > _LONG_STYLE else _known)(style)
    if name == "font" and not colour:
        colour = _coded(attributes.get("color", ""))
    if "background" in attributes:
        ground = _PICTURE
    hides = hides or "hidden" in attributes or attributes.get("aria-hidden") == "true"
    return Look(size, colour, ground or _coded(attributes.get("bgcolor", ""))), hides


def is_nearly_white(colour: str) -> bool:
    """Say whether letters of this colour are white, or nearly."""
    return bool(_NEARLY_WHITE.fullmatch(colour))


def is_unseen(style: str) -> bool:
    """Say whether a style hides an element with all in it."""
    lower = style.lower()
    return any(word in lower for word in _HIDING) and bool(_UNSEEN.search(lower))


def has_no_size(style: str) -> bool:
    """Say whether a style makes letters too small to be seen."""
    sizes = _SIZE.findall(style) if "size" in style.lower() else []
    return bool(sizes and sizes[-1].strip() and _NO_SIZE.fullmatch(sizes[-1].strip()))


def _read(style: str) -> tuple[Look, bool]:
    if not style:
        return PLAIN, False
    hides = bool(is_unseen(style) or (_CUT.search(style) and _FLAT.search(style)))
    size = NOTHING if has_no_size(style) else "some" if _SIZE.search(style) else ""
    return Look(size, _colour_in(style), _ground_in(style)), hides


_known = lru_cache(4096)(_read)


def _colour_in(style: str) -> str:
    found = _COLOUR.findall(style)
    return _coded(found[-1]) if found else ""


def _ground_in(style: str) -> str:
    found = _GROUND.findall(style)
    if any(map(_IMAGE.search, found)):
        return _PICTURE
    return _coded(found[-1]) if found else ""


def _coded(colour: str) -> str:
    """Return a colour as six digits or by name; empty for values such as `inherit`."""
    found = _CODE.search(colour)
    if not found:
        return ""
    digits, parts, name = found.groups()
    if digits:
        short = len(digits) < 6
        return ("".join(digit * 2 for digit in digits[:3]) if short else digits[:6]).lower()
    if parts:
        numbers = re.findall(r"\d+", parts)[:3]
        return "".join(f"{min(int(number[:3]), 255):02x}" for number in numbers)
    name = name.lower()
    return "" if name in {"transparent", "inherit", "none", "initial"} else _NAMED.get(name, name)
