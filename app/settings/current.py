"""The settings of a running session: the file's, and what holds until the program ends."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from app.settings.config import Config, load_config
from app.settings.schema import SourceSettings
from engine.settings import Effort


class Current:
    """Says at each question what the settings are. Screens change it, and nothing else does."""

    def __init__(self, saved: Config, environ: Mapping[str, str] = os.environ) -> None:
        """Begin with the settings as they were read."""
        self.saved = saved
        self.sample: Path | None = None
        """Where the sample files are, while they are read instead of the person's own."""
        self.effort: Effort | None = None
        """Holds in place of the settings' effort until the program ends; None: theirs."""
        self._environ = environ
        self._left_out: dict[Path, bool] = {}

    @property
    def config(self) -> Config:
        """The settings for the next question."""
        paths = self.saved.values.sources.paths
        own = SourceSettings(paths, tuple(filter(self.is_left_out, paths)))
        if self.sample is not None:
            own = SourceSettings((self.sample,))
        found = self.saved.having("sources", own)
        return found if self.effort is None else found.having("answer.effort", self.effort)

    def is_left_out(self, source: Path) -> bool:
        """Say whether a remembered source is left out of the next question."""
        return self._left_out.get(source, source in self.saved.values.sources.left_out)

    def leave_out(self, source: Path, *, out: bool) -> None:
        """Leave a source out, or take it in, until the program ends."""
        self._left_out[source] = out

    def reload(self) -> None:
        """Read the settings again. Raises `ConfigError`; they are then as they were.

        An effort that was set there counts from then on.
        """
        before, self.saved = self.saved, load_config(self._environ)
        if before.values.answer.effort != self.saved.values.answer.effort:
            self.effort = None
