"""Compares what we read of each format with what another library reads of it.

    python tests/bench/differ.py ROOT... --theirs PYTHON [--out FOLDER] [--only FORMAT]

PYTHON has the other libraries (python-docx, python-pptx, openpyxl, xlrd, odfpy, striprtf, lxml,
ebooklib, vobject, extract-msg, icalendar, recurring-ical-events); pdftotext is on the path.
A piece (a page, a mail's field or body, a calendar's occurrences, else the whole document) agrees
when we have at least 98 % of the words that they have, counted with repetition; a file when all
its pieces do. `letters`: the same of letters and digits, wherever words are cut. `both ways`: they
have 98 % of our words too; ours begin with header fields, and hold notes and forms. Words with a
letter that they could not decode do not count. Files that only one of the two can read are told
apart. FOLDER gets the names of the files that disagree, one list a format.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from differ_theirs import READERS
from read_corpora import format_of

from ingest.item import Item, Kind
from ingest.reading.session import Session

ENOUGH = 0.98
NOW = datetime(2026, 11, 17, tzinfo=UTC)
_WORD = re.compile(r"\w+")
_UNDECODED = re.compile(r"\w*(?:\ufffd|\\ufffd)+[\w\ufffd]*")
_IGNORED = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe]")


@dataclass
class Comparison:
    """What came of one format."""

    files: int = 0
    agreeing: int = 0
    by_letters: int = 0
    both_ways: int = 0
    pieces: int = 0
    agreeing_pieces: int = 0
    only_ours: int = 0
    only_theirs: list[str] = field(default_factory=list)
    neither: int = 0
    disagreeing: list[str] = field(default_factory=list)


def words(text: str) -> Counter[str]:
    text = unicodedata.normalize("NFKC", _IGNORED.sub("", text)).casefold()
    return Counter(_WORD.findall(text))


def letters(text: str) -> Counter[str]:
    return Counter("".join(words(text).elements()))


def share(wanted: Counter[str], there: Counter[str]) -> float:
    """Return how much of `wanted` is in `there`."""
    return (wanted & there).total() / wanted.total() if wanted else 1.0


def our_pieces(path: Path, form: str, session: Session) -> list[str] | None:
    items = [one for one in session.read([path], zone=UTC, now=NOW) if isinstance(one, Item)]
    if not items:
        return None
    if form == "PDF":
        item = items[0]
        return [item.text[a:b] for a, b in pairwise([*item.pages, len(item.text)])]
    if form == "mail":
        mail = next((one for one in items if one.kind is Kind.MAIL), None)
        senders = " ".join(one.address for one in mail.people.sender) if mail else ""
        return [mail.title, senders, mail.text] if mail else None
    if form == "Outlook message":
        return [items[0].title, items[0].text]
    if form == "calendar":
        return sorted(_event(one) for one in items if one.kind is Kind.EVENT)
    return ["\n".join(one.text for one in items)]


def _event(item: Item) -> str:
    when = item.locator.occurrence or ""
    if "T" in when:
        when = datetime.fromisoformat(when).astimezone(UTC).isoformat()
    return f"{when} {item.title}"


def their_pieces(
    paths: list[Path], form: str, python: str
) -> Iterator[tuple[Path, list[str] | None]]:
    command = [python, str(Path(__file__).with_name("differ_theirs.py")), form]
    names = "".join(f"{path}\n" for path in paths)
    done = subprocess.run(command, input=names, stdout=subprocess.PIPE, text=True, check=False)
    for line in done.stdout.splitlines():
        path, pieces = json.loads(line)
        yield Path(path), pieces


def compare(result: Comparison, path: Path, ours: list[str] | None, theirs: list[str]) -> None:
    if ours is None:
        has_words = any(words(piece) for piece in theirs)
        result.only_theirs += [str(path)] * has_words
        result.neither += not has_words
        return
    if path.suffix == ".ics":
        ours, theirs = ["\n".join(ours)], ["\n".join(theirs)]
    theirs = [_UNDECODED.sub(" ", piece) for piece in theirs]
    paired = list(zip(theirs, [*ours, *[""] * len(theirs)], strict=False))
    agree = [share(words(one), words(other)) >= ENOUGH for one, other in paired]
    back = share(words(" ".join(ours)), words(" ".join(theirs)))
    result.files += 1
    result.pieces += len(paired)
    result.agreeing_pieces += sum(agree)
    result.agreeing += all(agree)
    result.by_letters += all(share(letters(one), letters(other)) >= ENOUGH for one, other in paired)
    result.both_ways += all(agree) and back >= ENOUGH
    if not all(agree):
        least = min((share(words(one), words(other)) for one, other in paired), default=1.0)
        result.disagreeing.append(f"{least:.2f} {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roots", type=Path, nargs="+")
    parser.add_argument("--theirs", required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", choices=READERS)
    options = parser.parse_args()
    by_format: dict[str, list[Path]] = defaultdict(list)
    for root in options.roots:
        for path in sorted(path for path in root.absolute().rglob("*") if path.is_file()):
            by_format[format_of(path)].append(path)
    print(f"{'format':22}{'files':>6}{'agree':>7}{'letters':>9}{'both ways':>11}", end="")
    print(f"{'pieces':>8}{'agree':>7}  only ours, only theirs, neither")
    with Session() as session:
        for form in [options.only] if options.only else READERS:
            result = Comparison()
            for path, theirs in their_pieces(by_format[form], form, options.theirs):
                ours = our_pieces(path, form, session)
                if theirs is None:
                    result.only_ours += ours is not None
                    result.neither += ours is None
                else:
                    compare(result, path, ours, theirs)
            _print_row(form, result)
            if options.out:
                options.out.mkdir(parents=True, exist_ok=True)
                lost = [f"lost {name}" for name in result.only_theirs]
                text = "\n".join(sorted(result.disagreeing) + lost)
                (options.out / f"{form.replace(' ', '_')}.txt").write_text(text + "\n")


def _print_row(form: str, one: Comparison) -> None:
    def rate(count: int, of: int) -> str:
        return f"{count / of:.1%}" if of else "-"

    print(
        f"{form:22}{one.files:6}{rate(one.agreeing, one.files):>7}"
        f"{rate(one.by_letters, one.files):>9}{rate(one.both_ways, one.files):>11}{one.pieces:8}"
        f"{rate(one.agreeing_pieces, one.pieces):>7}"
        f"  {one.only_ours}, {len(one.only_theirs)}, {one.neither}",
        flush=True,
    )


if __name__ == "__main__":
    main()
