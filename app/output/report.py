"""Answers, hits and coverage as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo

from app.output.certainty import heading_lines, shown_reasons
from app.output.objects import place_of
from app.output.plain import lines, one_line, short_path
from app.output.query.filters import filters_line
from app.output.query.inferred import inferred_lines
from app.output.table import table_lines
from engine.events import Event, Hit, Ranked, SearchResult
from engine.values import Answer, Citation, Coverage
from ingest.item import Item, Kind, Shelf

PLURALS = {
    Kind.MAIL: ("mail", "mails"),
    Kind.DOCUMENT: ("document", "documents"),
    Kind.EVENT: ("event", "events"),
    Kind.TASK: ("task", "tasks"),
    Kind.CONTACT: ("contact", "contacts"),
    Kind.MESSAGE: ("stretch of a chat", "stretches of chats"),
}
SHELVES = {Shelf.TRASH: "Trash", Shelf.SPAM: "Spam", Shelf.DRAFTS: "Drafts"}
SKIPPED_SHOWN = 5
WARNINGS_SHOWN = 3
BEST_SHOWN = 3
BEST_OF = 30
"""Passages among which the best items are looked for: several may be of one item."""
QUOTE_SHOWN = 400
"""Characters of a quote or passage; `--json` has all of it."""

NEAREST = "Nearest passages, which do not hold the answer:"
JUDGED_BY = "Judged by the nearest passages, none of which says so in these words:"

GROUNDED = {
    "grounded": "Every sentence is supported by a citation.",
    "partial": "Only partly supported: see which sentences carry a citation, and the coverage.",
    "none": "Nothing in what was read supports an answer.",
}


def answer_text(
    answer: Answer, zone: tzinfo | None, config_file: str = "config.toml", *, bars: bool = True
) -> str:
    """Return the checked answer, its citations, its filters, its coverage and its timings.

    Without `bars` it is for those who hear it: words stand in place of signs.
    """
    parts = [*heading_lines(answer), lines(answer.text).strip(), ""]
    if reasons := shown_reasons(answer, spoken=not bars):
        parts.extend([*(f"  {reason}" for reason in reasons), ""])
    if answer.citations and not answer.citations[0].support:
        holds_none = answer.grounded == "none"
        parts.append(NEAREST if holds_none else JUDGED_BY)
    for citation in answer.citations:
        parts.append(f"[{citation.id}] {citation_line(citation, zone)}")
        parts.append(f'    "{shortened(citation.quote)}"')
    if answer.citations:
        parts.append("")
    if answer.table is not None:
        parts.extend(table_lines(answer.table, bars=bars))
    parts.append(grounded_line(answer))
    parts.extend(warning_lines(answer))
    parts.extend(filter(None, [filters_line(answer.query)]))
    remedy = "ask with --no-infer to leave them out."
    parts.extend(inferred_lines(answer.query, remedy, config_file))
    parts.extend(coverage_lines(answer.coverage))
    parts.append(timings_line(answer.timings))
    return "\n".join(parts)


def search_text(result: SearchResult, zone: tzinfo | None) -> str:
    """Return the ranked hits, the filters and the coverage."""
    parts: list[str] = []
    for rank, hit in enumerate(result.hits, start=1):
        parts.extend(_hit_lines(rank, hit, zone))
    if not result.hits:
        parts.append("Nothing found.")
    parts.extend(["", *filter(None, [filters_line(result.understood)])])
    parts.extend([*coverage_lines(result.coverage), timings_line(result.timings)])
    return "\n".join(parts)


def _hit_lines(rank: int, hit: Hit, zone: tzinfo | None) -> list[str]:
    place = place_of(hit.passage)
    head = f"{rank:>3}. {citation_line(place, zone)}  score {hit.score:.2f}"
    return [head, f"     {shortened(hit.passage.text)}"]


def copied_citation(citation: Citation, zone: tzinfo | None) -> str:
    """Return a citation as text: its place, and the quote with its own line breaks."""
    quote = "\n".join(f"> {line}" for line in lines(citation.quote).split("\n"))
    return f"{citation_line(citation, zone)}\n{quote}\n"


def citation_line(citation: Citation, zone: tzinfo | None) -> str:
    """Return `Mail "Re: lease" - Ana Ruiz, Tue 2026-11-17 10:02 (path, page 3)`."""
    item = citation.passage.item
    path = one_line(str(item.locator.path))
    return f"{item_line(item, zone)} ({', '.join([path, *_place(citation)])})"


def source_lines(citation: Citation, zone: tzinfo | None) -> tuple[str, str]:
    """Return `Mail "Re: lease"`, and who, when and where, of a long path the ends."""
    item = citation.passage.item
    where = [short_path(item.locator.path), *_place(citation)]
    return _titled(item), ", ".join(filter(None, (who_and_when(item, zone), *where)))


def item_line(item: Item, zone: tzinfo | None) -> str:
    """Return `Mail "Re: lease" - Ana Ruiz, Tue 2026-11-17 10:02`."""
    return " - ".join(filter(None, (_titled(item), who_and_when(item, zone))))


def _titled(item: Item) -> str:
    return f'{item.kind.value.capitalize()} "{one_line(item.title) or "without title"}"'


def who_and_when(item: Item, zone: tzinfo | None) -> str:
    """Return who an item is from, and when."""
    who = ", ".join(person.name or person.address for person in item.people.sender)
    return ", ".join(filter(None, (one_line(who), _when(item, zone))))


def best_lines(event: Event, zone: tzinfo | None) -> list[str]:
    """Return a line for each of the items that recall ranks first; nothing for another event."""
    if not isinstance(event, Ranked) or event.stage != "recall" or not event.passages:
        return []
    items = {passage.item.locator: passage.item for passage in event.passages[:BEST_OF]}
    shown = [f"  {item_line(item, zone)}" for item in list(items.values())[:BEST_SHOWN]]
    return ["Best matches so far, by words alone:", *shown]


def _place(citation: Citation) -> Iterator[str]:
    locator = citation.passage.item.locator
    if citation.page is not None:
        yield f"page {citation.page}"
    elif citation.line is not None and citation.passage.item.kind is Kind.DOCUMENT:
        yield f"line {citation.line}"
    if locator.sheet:
        yield f"sheet {one_line(locator.sheet)}"
    if locator.member:
        yield one_line(locator.member)
    yield from remarks(citation.passage.item)


def remarks(item: Item) -> Iterator[str]:
    """Yield what to know before trusting an item: where it lies, what was hidden in it."""
    if item.shelf is not None and all(copy.shelf is not None for copy in item.copies):
        yield f"in {SHELVES[item.shelf]}"
    if item.copies:
        folders = dict.fromkeys(one_line(copy.locator.path.name) for copy in item.copies)
        yield f"also in {', '.join(folders)}"
    if item.hidden_removed:
        yield "hidden text removed"
    yield from map(one_line, item.flags)


def _when(item: Item, zone: tzinfo | None) -> str:
    if item.when is None:
        return ""
    if item.locator.occurrence and len(item.locator.occurrence) == len("2026-11-17"):
        return f"{item.when:%a %Y-%m-%d}"  # all day: the same date in every zone
    local: datetime = item.when.astimezone(zone)
    return f"{local:%a %Y-%m-%d %H:%M}"


def shortened(text: str) -> str:
    """Return a quote on one line, cut where it is long."""
    line = one_line(text)
    return line if len(line) <= QUOTE_SHOWN else f"{line[:QUOTE_SHOWN].rstrip()}…"


def grounded_line(answer: Answer) -> str:
    """Say how well the answer is supported."""
    agreement = answer.agreement
    votes = f" {agreement.votes} of {agreement.of} readings agree." if agreement else ""
    return f"{answer.grounded}: {GROUNDED[answer.grounded]}{votes}"


def _unsupported_lines(answer: Answer) -> list[str]:
    """Name the sentences that carry no citation or a doubted one, and what sources would lack."""
    shown = []
    for one in answer.unsupported:
        lacking = ", ".join(f'"{one_line(part)}"' for part in one.lacking)
        why = f" (not in the nearest source: {lacking})" if lacking else ""
        why += f" (said there by {one_line(one.said_by)}, of themselves)" if one.said_by else ""
        what = "Doubted by the second opinion" if one.is_doubted else "Not supported"
        shown.append(f'{what}: "{shortened(one.sentence)}"{why}')
    return shown


def warning_lines(answer: Answer) -> list[str]:
    """Name unsupported sentences, and what in the evidence reads like an order to a model."""
    shown = _unsupported_lines(answer)
    for order in answer.orders[:WARNINGS_SHOWN]:
        item = order.passage.item
        place = f'{item.kind.value} "{one_line(item.title) or "without title"}"'
        path = one_line(str(item.locator.path))
        shown.append(f"Warning: the {place} holds text that {order.rule} ({path}):")
        shown.append(f'    "{shortened(order.quote)}"')
    if len(answer.orders) > WARNINGS_SHOWN:
        shown.append(f"  … and {len(answer.orders) - WARNINGS_SHOWN:,} more; --json lists all")
    return shown


def coverage_lines(coverage: Coverage) -> list[str]:
    """Return the summary line, and the first skipped files with their remedies."""
    shown = [coverage_line(coverage)]
    for skipped in coverage.skipped[:SKIPPED_SHOWN]:
        member = f" ({one_line(skipped.member)})" if skipped.member else ""
        path = one_line(str(skipped.path))
        shown.append(f"  skipped {path}{member}: {skipped.reason.value}. {skipped.remedy}")
    if len(coverage.skipped) > SKIPPED_SHOWN:
        shown.append(f"  … and {len(coverage.skipped) - SKIPPED_SHOWN:,} more; --json lists all")
    return shown


def coverage_line(coverage: Coverage) -> str:
    """Return `Read 4,212 mails, 318 documents (57 files, 38.2 MB); skipped 7 (2 encrypted)`."""
    read = [_counted(coverage.read[kind], kind) for kind in Kind if coverage.read.get(kind)]
    files = f"{coverage.files:,} file{'' if coverage.files == 1 else 's'}"
    line = f"Read {', '.join(read) or 'nothing'} ({files}, {size_text(coverage.bytes)})"
    if coverage.skipped:
        reasons = Counter(skipped.reason.value for skipped in coverage.skipped)
        why = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
        line += f"; skipped {len(coverage.skipped):,} ({why})"
    if coverage.pruned:
        line += f"; left out by filters: {coverage.pruned:,}"
    if coverage.unread:
        lacked = "memory" if coverage.is_full else "time"
        line += f"; not read for lack of {lacked}: {coverage.unread:,} files"
    if coverage.copies:
        line += f"; met more than once: {_counted(coverage.copies, Kind.MAIL)}"
    return line if coverage.complete else f"{line}; not complete"


def _counted(count: int, kind: Kind) -> str:
    return f"{count:,} {PLURALS[kind][count != 1]}"


def size_text(size: int) -> str:
    """Return a size in decimal units: `98.0 MB`."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            break
        amount /= 1000
    return f"{amount:,.0f} bytes" if unit == "bytes" else f"{amount:,.1f} {unit}"


def timings_line(seconds: Mapping[str, float]) -> str:
    """Return `Took 12.3 s: read 0.4, recall 0.1, …`."""
    stages = ", ".join(
        f"{name.replace('_', ' ')} {value:.{1 if value >= 1 else 2}f}"
        for name, value in seconds.items()
        if name != "total"
    )
    return f"{took_text(seconds)}: {stages}"


def took_text(seconds: Mapping[str, float]) -> str:
    """Return `Took 12.3 s`."""
    return f"Took {seconds.get('total', 0.0):.1f} s"
