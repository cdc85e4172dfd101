"""Finds what of an HTML page nobody sees who looks at it, by attributes and style sheets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_DROPPED = "script,style,template,noscript,iframe,object,svg,select"
_HIDDEN = '[hidden],[aria-hidden="true"]'
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
"""The colour of a ground that is a picture."""
_NAMED = {"white": "ffffff", "black": "000000"}
_NEARLY_WHITE = re.compile("(?:f[0-9a-f]){3}")

_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_BRACE = re.compile("([{}])")
_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]*)?(?:[.#][a-z_][\w-]*)+", re.IGNORECASE)
_SHOWN = re.compile(r"display\s*:|visibility\s*:\s*visible", re.IGNORECASE)
_SHEET = 256 << 10
"""Characters of style sheets that are looked at."""
_RULES = 200
_NOTHING = "nothing"
"""A size."""


class Unseen:
    """What was removed from a page because it cannot be seen."""

    def __init__(self, body: LexborNode, sheets: str) -> None:
        """Remove it from `body`. `sheets` is what the page's style elements hold."""
        self.characters = 0
        self.has_white_text = False
        """Whether words are left that are white on a ground of which nothing is said."""
        styled = [(node, node.attributes.get("style") or "") for node in body.css("[style]")]
        # Most pages repeat a few styles.
        styles = {style for _, style in styled}
        hiding = {style for style in styles if _hides(style)}
        hidden = [node for node, style in styled if style in hiding] if hiding else []
        hidden += body.css(",".join((_HIDDEN, *hiding_rules(sheets))))
        self._remove(hidden, body.css(_DROPPED))
        if any(map(_is_nothing, styles)):
            self._remove_shrunk(body)
        risky = _risky_colours(body, styles)
        if risky:
            self._remove_blended(body, risky)

    def _remove(self, hidden: list[LexborNode], dropped: list[LexborNode]) -> None:
        doomed = {node.mem_id: (node, False) for node in dropped}
        doomed |= {node.mem_id: (node, True) for node in hidden if node.tag != "body"}
        # Removing a node frees those within, so only outermost ones are taken.
        for node in _outermost([node for node, _ in doomed.values()]):
            self.characters += _letters(node.text()) if doomed[node.mem_id][1] else 0
            node.decompose()

    def _remove_shrunk(self, body: LexborNode) -> None:
        """Remove letters of no size; what is around words often has none, and they their own."""
        known: dict[int, str] = {}
        for leaf in leaves(body):
            if _given(leaf.parent, _size_at, known) == _NOTHING:
                self._remove_leaf(leaf)

    def _remove_blended(self, body: LexborNode, risky: set[str]) -> None:
        """Remove letters in the colour of their ground, and notice other white ones."""
        colours: dict[int, str] = {}
        grounds: dict[int, str] = {}
        coloured = body.css('[style*="color" i],font[color]')
        coloured = _outermost([node for node in coloured if _colour_at(node) in risky])
        for leaf in [leaf for node in coloured for leaf in leaves(node)]:
            colour = _given(leaf.parent, _colour_at, colours)
            if colour not in risky or not (leaf.text_content or "").strip():
                continue
            ground = _given(leaf.parent, _ground_at, grounds)
            if ground == colour:
                self._remove_leaf(leaf)
            elif not ground and _NEARLY_WHITE.fullmatch(colour):
                self.has_white_text = True

    def _remove_leaf(self, leaf: LexborNode) -> None:
        self.characters += _letters(leaf.text_content or "")
        leaf.decompose()


def hiding_rules(sheets: str) -> list[str]:
    """Return the simple selectors of style sheets that hide what they select, on any screen."""
    found: dict[str, None] = {}
    for selectors, style in _rules(_COMMENT.sub("", sheets[:_SHEET])):
        hides = bool(_UNSEEN.search(style)) or _is_nothing(style)
        if not hides and not _SHOWN.search(style):
            continue
        for selector in map(str.strip, selectors.split(",")):
            if hides and _SELECTOR.fullmatch(selector):
                found[selector] = None
            else:
                found.pop(selector, None)
    return list(found)[:_RULES]


def _rules(sheets: str) -> Iterator[tuple[str, str]]:
    """Yield selectors and style of each rule, but for those that hold only on some screens."""
    depth, head = 0, ""
    pieces = _BRACE.split(sheets)
    for text, brace in zip(pieces[::2], pieces[1::2], strict=False):
        if brace == "{":
            depth += 1
            head = text.rpartition(";")[2] if depth == 1 else head
        else:
            if depth == 1 and "@" not in head:
                yield head, text
            depth = max(0, depth - 1)


def leaves(node: LexborNode) -> list[LexborNode]:
    """Return the texts within a node."""
    return [leaf for leaf in node.traverse(include_text=True) if leaf.is_text_node]


def _letters(text: str) -> int:
    return len("".join(text.split()))


def _is_nothing(style: str) -> bool:
    sizes = _SIZE.findall(style)
    return bool(sizes and sizes[-1].strip() and _NO_SIZE.fullmatch(sizes[-1].strip()))


def _given(node: LexborNode | None, at: Callable[[LexborNode], str], known: dict[int, str]) -> str:
    """Return what `at` says of a node, or else of the next one around it of which it says anything.

    What is `known` of each is kept, so that all nodes of a page take no longer than its length.
    """
    passed: list[int] = []
    value = ""
    while node is not None and not value:
        if node.mem_id in known:
            value = known[node.mem_id]
            break
        passed.append(node.mem_id)
        value = at(node)
        node = node.parent
    known.update(dict.fromkeys(passed, value))
    return value


def _outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """Return those of the nodes that lie in no other of them."""
    known: dict[int, str] = {}
    among = {node.mem_id for node in nodes}

    def within(node: LexborNode) -> str:
        return "one of them" if node.mem_id in among else ""

    return [node for node in nodes if not _given(node.parent, within, known)]


def _risky_colours(body: LexborNode, styles: set[str]) -> set[str]:
    """Return the colours of letters that are also those of a ground, or white."""
    colours = {_colour_in(style) for style in styles if "color" in style.lower()}
    colours |= {_colour_at(node) for node in body.css("font[color]")}
    grounds = {_ground_in(style) for style in styles if "background" in style.lower()}
    codes = {node.attributes.get("bgcolor") or "" for node in body.css("[bgcolor]")}
    grounds |= set(map(_coded, codes))
    return {one for one in colours if one in grounds or _NEARLY_WHITE.fullmatch(one)} - {""}


def _size_at(node: LexborNode) -> str:
    style = node.attributes.get("style") or ""
    return "" if not _SIZE.search(style) else _NOTHING if _is_nothing(style) else "some"


def _hides(style: str) -> bool:
    return bool(_UNSEEN.search(style) or (_CUT.search(style) and _FLAT.search(style)))


def _colour_at(node: LexborNode) -> str:
    """Return the colour that an element gives to its letters, empty when it gives none."""
    attributes = node.attributes
    return _colour_in(attributes.get("style") or "") or _coded(attributes.get("color") or "")


def _ground_at(node: LexborNode) -> str:
    """Return the colour that an element gives to its ground, empty when it gives none."""
    attributes = node.attributes
    if "background" in attributes:
        return _PICTURE
    return _ground_in(attributes.get("style") or "") or _coded(attributes.get("bgcolor") or "")


def _colour_in(style: str) -> str:
    found = _COLOUR.findall(style)
    return _coded(found[-1]) if found else ""


def _ground_in(style: str) -> str:
    found = _GROUND.findall(style)
    if any(map(_IMAGE.search, found)):
        return _PICTURE
    return _coded(found[-1]) if found else ""


def _coded(colour: str) -> str:
    """Return a colour as six digits, or its name; empty when it is none of its own."""
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
