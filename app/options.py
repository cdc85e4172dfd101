"""Flags that `ask` and `search` share, and what they mean for the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import click

from app.config import Config
from app.errors import SourceMissing
from engine.errors import NoSources
from engine.settings import Settings
from ingest.item import Filters, Kind

Command = TypeVar("Command", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


class Day(click.ParamType["str | date"]):
    """A calendar day: YYYY-MM-DD, `today` or `yesterday`."""

    name = "date"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | date:
        """Return a date, or the word: only the settings know the local zone."""
        if isinstance(value, date) or value in ("today", "yesterday"):
            return value  # type: ignore[no-any-return]
        try:
            return datetime.strptime(value, "%Y-%m-%d").date()
        except ValueError:
            self.fail(f"{value!r} is no date. Write YYYY-MM-DD, today or yesterday.", param, ctx)


@dataclass(frozen=True, slots=True)
class FilterFlags:
    """The filter flags as typed."""

    since: date | str | None
    until: date | str | None
    senders: tuple[str, ...]
    recipients: tuple[str, ...]
    kinds: tuple[str, ...]

    def filters(self, zone: tzinfo | None) -> Filters:
        """Return the engine's filters. Raises `click.UsageError` for an empty span."""
        since, until = _day(self.since, zone), _day(self.until, zone)
        if since and until and since > until:
            raise click.UsageError(f"--since {since} is after --until {until}.")
        return Filters(
            since=since,
            until=until,
            senders=self.senders,
            recipients=self.recipients,
            kinds=frozenset(Kind(kind) for kind in self.kinds),
        )


def _day(day: date | str | None, zone: tzinfo | None) -> date | None:
    if not isinstance(day, str):
        return day
    today = datetime.now(zone).date()
    return today if day == "today" else today - timedelta(days=1)


def _filled(ctx: click.Context, param: click.Parameter, parts: tuple[str, ...]) -> tuple[str, ...]:
    if any(not part.strip() for part in parts):
        raise click.BadParameter("Write a part of a name or address.", ctx, param)
    return parts


def filter_options(command: Command) -> Command:
    """Add `--since --until --from --to --kind`; the command takes them as `flags`."""
    day = Day()
    kinds = click.Choice([kind.value for kind in Kind])
    for option in (
        click.option("--kind", "kinds", multiple=True, type=kinds, help="May repeat."),
        click.option(
            "--to",
            "recipients",
            multiple=True,
            metavar="PERSON",
            callback=_filled,
            help="Only to someone whose name or address holds this; may repeat.",
        ),
        click.option(
            "--from",
            "senders",
            multiple=True,
            metavar="PERSON",
            callback=_filled,
            help="Only from someone whose name or address holds this; may repeat.",
        ),
        click.option("--until", type=day, help="Last day, inclusive: YYYY-MM-DD, today."),
        click.option("--since", type=day, help="First day, inclusive: YYYY-MM-DD, yesterday."),
    ):
        command = option(command)
    return command


def zone_of(config: Config) -> tzinfo | None:
    """Return the zone of the settings, or None for the machine's."""
    name = config.text("reading.timezone")
    return ZoneInfo(name) if name else None


def settings_of(config: Config, **flags: Any) -> Settings:
    """Return the engine's settings; a flag that was given (not None) beats the configuration."""
    names = ("strategy", "effort", "max_context", "time_budget", "seed", "infer")
    values = {name: config.values[f"answer.{name}"] for name in names}
    values |= {name: value for name, value in flags.items() if value is not None}
    own = config.values["person.addresses"]
    return Settings(zone=zone_of(config), own=own, **values)  # type: ignore[arg-type]


def sources_of(config: Config, paths: tuple[str, ...]) -> list[Path]:
    """Return the given paths, absolute, or the remembered ones.

    One missing source among others is skipped and reported. Raises `SourceMissing` when none
    of them exists, `NoSources` when there are none: nothing is tried then.
    """
    sources = [Path(path).expanduser().absolute() for path in paths] or list(config.sources)
    if not sources:
        raise NoSources(
            "There is nothing to read.",
            remedy="Name a path after the question, or remember one: askance sources add PATH.",
        )
    missing = [source for source in sources if not _exists(source)]
    if len(missing) == len(sources):
        remembered = "" if paths else "Remembered: "
        raise SourceMissing(
            f"{remembered}{', '.join(str(path) for path in missing)} does not exist.",
            remedy="Check the path." if paths else "See `askance sources check`.",
            path=missing[0],
        )
    return sources


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except FileNotFoundError:
        return False
    except OSError:
        return True  # not permitted, a loop: reading reports it with its reason
    return True
