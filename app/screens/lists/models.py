"""Models: what is here, what could be fetched, what it takes, and which one does what."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from app.keys import bindings
from app.local_models.jobs import Work, calibrating, checking, deleted, measuring, pulling
from app.local_models.roles import ENCODERS, choose
from app.local_models.rows import ModelShown, ModelsShown, detail_lines, models_shown
from app.output.models import table
from app.output.report import size_text
from app.screens.dialogs.confirmation import ConfirmScreen
from app.screens.lists.base import ListingScreen
from app.screens.messages import ConfigChanged, WorkAdvanced, WorkEnded
from app.screens.model_jobs import ModelJob, ModelJobs
from app.settings.current import Current
from app.widgets.row_list import ListRow, Look, RowList
from models.store.catalogue import Role

KEYS: dict[Role, str] = {"lookahead": "1", "generator": "2", "encoder": "3", "sparse_encoder": "4"}
"""What a row begins with, for the roles its model fills: the keys that give it these."""


class ModelsScreen(ListingScreen):
    """A list of models. Only pulling uses the network."""

    SCOPE = "models"
    HEADING = "Models"
    EMPTY = "Looking at the models …"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("models")]

    def __init__(self, current: Current, jobs: ModelJobs, changed: Callable[[], object]) -> None:
        """Show the models; `changed` is called when a role is filled by another."""
        super().__init__()
        self._current = current
        self._jobs = jobs
        self._changed = changed
        self._shown: ModelsShown | None = None

    def begin(self) -> None:
        """Look at the models."""
        self.look()

    @on(ConfigChanged)
    def look(self) -> None:
        """Look at all models again, in a thread."""
        config = self._current.config
        self.work(lambda: models_shown(config), self._draw)

    def _draw(self, shown: ModelsShown) -> None:
        self._shown = shown
        if shown.faults:
            self.say("\n".join(shown.faults))
        self._draw_rows()

    def _draw_rows(self) -> None:
        if self._shown is None:
            return
        models = self._shown.models
        cells = table([self._cells(shown) for shown in models])
        here = sum(shown.state == "present" for shown in models)
        rows = [
            ListRow(one.row.id, line, _look(one)) for one, line in zip(models, cells, strict=True)
        ]
        if 0 < here < len(rows):
            rows.insert(here, ListRow("", "To fetch; only this uses the network", "heading"))
        self.draw_rows(rows)
        self.head(f"{here} of {len(models)} are here")

    def _cells(self, shown: ModelShown) -> list[str]:
        state = shown.state
        words = {"present": "here", "absent": ""}
        at_work = self._jobs.text_of(shown.row.id).split(" of ")[0]
        return [
            "".join(key for role, key in KEYS.items() if role in shown.used),
            shown.row.id,
            at_work or words.get(state, state),
            shown.size,
            shown.fit,
        ]

    def detail_of(self, row: ListRow) -> str:
        """Say what it is, what it takes, and what it is used for."""
        shown = self._model(row.key)
        if shown is None:
            return ""
        result = self._jobs.results.get(row.key)
        return "\n".join([*detail_lines(shown), *([f"Last: {result}"] if result else [])])

    def _model(self, model_id: str) -> ModelShown | None:
        models = self._shown.models if self._shown else ()
        return next((shown for shown in models if shown.row.id == model_id), None)

    @property
    def _here(self) -> ModelShown | None:
        return self._model(self.row_list.row.key) if self.row_list.row else None

    @on(RowList.RowSelected)
    def pull_or_use(self) -> None:
        """Fetch what is not here; with what is here, say the keys."""
        if self._here and self._here.state != "present":
            self.action_pull()
        elif self._here:
            self.say("1 reads ahead with it, 2 writes with it, t measures it, d deletes it.")

    def action_pull(self) -> None:
        """Fetch the model, or go on where an earlier pull stopped."""
        shown = self._here
        if shown and self._shown:
            store = self._shown.store
            self._add(shown, "pulled", lambda: pulling(shown.row, store, accept=False))

    def action_verify(self) -> None:
        """Hash the model's files again."""
        shown = self._here
        if shown and self._shown:
            store = self._shown.store
            self._add(shown, "checked", lambda: checking(shown.row, store))

    def action_speed(self) -> None:
        """Measure how fast the model reads and writes here."""
        shown = self._here
        if shown and shown.state == "present" and not ENCODERS.issuperset(shown.row.roles):
            self._add(shown, "measured", lambda: measuring(shown.row))
        elif shown:
            self.say(f"{shown.row.id} cannot be measured: it must be here, and no encoder.")

    def action_calibrate(self) -> None:
        """Fit how sure the model may be of its answers, by questions that ship."""
        shown = self._here
        if shown and shown.state == "present" and "generator" in shown.row.roles:
            self._add(shown, "calibrated", lambda: calibrating(shown.row))
            self.say("74 questions are asked over the sample files; c stops.")
        elif shown:
            self.say(f"{shown.row.id} cannot be calibrated: it must be here, and able to write.")

    def _add(self, shown: ModelShown, verb: str, begin: Callable[[], Work]) -> None:
        self.say("")
        self._jobs.add(ModelJob(shown.row.id, verb, begin))
        self._draw_rows()

    def action_cancel(self) -> None:
        """Stop what is being done with models."""
        if self._jobs.busy:
            self._jobs.stop()
            self.say("Stopping; what was fetched is kept.")

    @on(WorkAdvanced)
    def draw_progress(self, advanced: WorkAdvanced) -> None:
        """Show how far it is."""
        self.say(f"{advanced.model_id}: {advanced.text}")
        self._draw_rows()

    @on(WorkEnded)
    def draw_end(self, ended: WorkEnded) -> None:
        """Say what came of it."""
        if ended.error:
            self.say(str(ended.error))
        elif ended.stopped:
            self.say(f"{ended.model_id}: stopped. p goes on with a pull where it was.")
        else:
            self.say(f"{ended.model_id} {ended.text}.")
        self.look()

    def action_use(self, role: Role) -> None:
        """Let the model fill a role from the next question on."""
        shown, all_shown = self._here, self._shown
        if shown is None or all_shown is None:
            return

        def use() -> str:
            choose(role, shown.row.id, self._current.saved, all_shown.catalogue)
            self._current.reload()
            missing = "" if shown.state == "present" else " It is not here yet: p fetches it."
            return f"{shown.row.id} is the {role} now.{missing}"

        self.work(use, self._used)

    def _used(self, said: str) -> None:
        self._changed()
        self.say(said)

    def action_remove(self) -> None:
        """Ask, then delete the model's files."""
        shown = self._here
        if shown is None or shown.state == "absent":
            return
        role = f" It is the {' and '.join(shown.used)} now." if shown.used else ""
        question = f"Delete {shown.row.id} ({shown.size}) from this machine?{role}"
        self.app.push_screen(
            ConfirmScreen(question, "Delete"), lambda yes: self._remove(shown) if yes else None
        )

    def _remove(self, shown: ModelShown) -> None:
        def remove() -> str:
            freed = deleted(shown.row, self._shown.store) if self._shown else 0
            return f"{shown.row.id} is deleted; {size_text(freed)} are free again."

        self.work(remove, self._removed)

    def _removed(self, said: str) -> None:
        self.say(said)
        self.look()


def _look(shown: ModelShown) -> Look:
    if shown.state == "set aside":
        return "error"
    return "plain" if shown.state == "present" else "muted"
