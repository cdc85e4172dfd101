"""The time zone of the settings."""

from __future__ import annotations

from datetime import tzinfo
from zoneinfo import ZoneInfo

from app.settings.config import Config


def zone_of(config: Config) -> tzinfo | None:
    """Return the zone of the settings, or None for the machine's."""
    name = config.values.reading.timezone
    return ZoneInfo(name) if name else None
