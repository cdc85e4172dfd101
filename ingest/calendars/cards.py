"""What the lines of an address card say to a person, and under which label."""

from __future__ import annotations

import re
from collections.abc import Callable

from ingest.calendars.lines import Line, plain, split
from ingest.text.clean import clean_line

_LABEL = re.compile(r"_\$!<(.*)>!\$_")
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_DATE = re.compile(r"([0-9]{4}|--)-?([01][0-9])-?([0-3][0-9])?(?:T.*)?")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af]")
"""Scripts that write the family name first, without a space."""
_SCHEME = re.compile(r"(?:tel|mailto|x-apple|sip|xmpp|skype):(?://)?", re.IGNORECASE)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_UNTOLD = frozenset(
    (
        *("internet", "voice", "x400", "other", "text", "pref", "x-other", "msg", "video"),
        *("quoted-printable", "base64", "8bit", "7bit", "b"),
    )
)
"""Types that tell a person nothing, and encodings that version 2.1 writes among the types."""


def said(line: Line, labels: dict[str, str]) -> str:
    """Return a line as `Phone: 905-555-1234 (work, preferred)`; empty for one not told.

    `labels` are what its author calls the lines of each group.
    """
    label, read = _TOLD.get(line.name, ("", _text))
    value = read(line) if label else ""
    return f"{label}: {value}{_remarks(line, labels)}" if value else ""


def label_of(line: Line) -> str:
    """Return a label as a person reads it: `home page` for `_$!<HomePage>!$_`."""
    written = clean_line(line.text)
    found = _LABEL.fullmatch(written)
    return _WORD.sub(" ", found[1]).lower() if found else written


def full_name(line: Line) -> str:
    """Return a name from its parts, in spoken order."""
    parts = [
        clean_line(" ".join(map(plain, split(part, ",")))) for part in split(line.decoded, ";")
    ]
    family, given, more, before, after = (parts + [""] * 5)[:5]
    if _CJK.match(family) and _CJK.match(given):
        return family + given
    return " ".join(filter(None, (before, given, more, family, after)))


def parts_of(line: Line) -> str:
    """Return the parts between semicolons, such as those of a postal address."""
    parts = (clean_line(plain(part).replace("\n", ", ")) for part in split(line.decoded, ";"))
    return ", ".join(bare for part in parts if (bare := part.strip(" ,")))


def bare(line: Line) -> str:
    """Return a number or address without the URL scheme."""
    return _SCHEME.sub("", clean_line(line.text), count=1)


def _text(line: Line) -> str:
    return clean_line(line.text)


def _values(line: Line) -> str:
    return ", ".join(filter(None, map(clean_line, line.values)))


def _own_kind(line: Line) -> str:
    """Return the value of a line that only Android writes: `vnd.…/nickname;Jo;1;;`."""
    return next(iter(split(line.decoded, ";")[1:2]), "").strip()


def _day(line: Line) -> str:
    """Return a date as `1980-03-22, 22 March`; an unreadable one as it is written."""
    written = clean_line(line.text)
    found = _DATE.fullmatch(written)
    if found is None or not 1 <= int(found[2]) <= len(_MONTHS):
        return written
    year, month, day = found.groups()
    words = " ".join(filter(None, (str(int(day)) if day else "", _MONTHS[int(month) - 1])))
    if year in ("--", line.option("X-APPLE-OMIT-YEAR")):
        return words
    return f"{year}-{month}-{day}, {words}" if day else f"{words} {year}"


def _remarks(line: Line, labels: dict[str, str]) -> str:
    """Return what kind of number or address it is: ` (work, preferred)`."""
    options = line.options
    types = [word.lower() for value in options.get("TYPE", ()) for word in value.split(",")]
    words = [labels[line.group]] if labels.get(line.group) else []
    words += [word for word in types if word not in _UNTOLD]
    if "pref" in types or options.get("PREF"):
        words.append("preferred")
    return f" ({', '.join(dict.fromkeys(words))})" if words else ""


_TOLD: dict[str, tuple[str, Callable[[Line], str]]] = {
    "N": ("Name", full_name),
    "FN": ("Name", _text),
    "NICKNAME": ("Nickname", _values),
    "ORG": ("Organisation", parts_of),
    "TITLE": ("Title", _text),
    "ROLE": ("Role", _text),
    "EMAIL": ("Email", bare),
    "TEL": ("Phone", bare),
    "X-MS-TEL": ("Phone", bare),
    "ADR": ("Address", parts_of),
    "BDAY": ("Birthday", _day),
    "ANNIVERSARY": ("Anniversary", _day),
    "X-ANNIVERSARY": ("Anniversary", _day),
    "X-EVOLUTION-ANNIVERSARY": ("Anniversary", _day),
    "X-MS-ANNIVERSARY": ("Anniversary", _day),
    "X-ABDATE": ("Date", _day),
    "DEATHDATE": ("Died", _day),
    "BIRTHPLACE": ("Born in", _text),
    "URL": ("Website", _text),
    "IMPP": ("Messenger", bare),
    "X-SOCIALPROFILE": ("Profile", _text),
    "X-MS-IMADDRESS": ("Messenger", _text),
    "RELATED": ("Related", _text),
    "X-ABRELATEDNAMES": ("Related", _text),
    "X-ANDROID-CUSTOM": ("Also", _own_kind),
    "LANG": ("Language", _text),
    "HOBBY": ("Hobby", _text),
    "INTEREST": ("Interest", _text),
    "EXPERTISE": ("Expertise", _text),
    "CATEGORIES": ("Categories", _values),
}
for _name in ("AIM", "GTALK", "GOOGLE-TALK", "ICQ", "JABBER", "MSN", "QQ", "SIP", "YAHOO"):
    _TOLD[f"X-{_name}"] = (_name if len(_name) < 4 else _name.replace("-", " ").title(), _text)
for _name in ("SKYPE", "SKYPE-USERNAME", "TWITTER", "GROUPWISE", "MATRIX", "TELEGRAM", "SIGNAL"):
    _TOLD[f"X-{_name}"] = (_name.partition("-")[0].capitalize(), _text)
for _name in ("SPOUSE", "MANAGER", "ASSISTANT"):
    _TOLD[f"X-{_name}"] = _TOLD[f"X-EVOLUTION-{_name}"] = (_name.capitalize(), _text)

WANTED = frozenset(_TOLD) | {"UID", "KIND", "LABEL", "NOTE", "MEMBER", "X-ABLABEL"}
"""Names of the lines that are read; pictures, sounds and keys are left out."""
WANTED |= {"X-ADDRESSBOOKSERVER-KIND", "X-ADDRESSBOOKSERVER-MEMBER"}
WANTED |= {"X-PHONETIC-FIRST-NAME", "X-PHONETIC-LAST-NAME"}
