"""First steps: where your things are, which models fit this machine, ask."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

from textual import on
from textual.binding import BindingType

from app.hints import hint
from app.keys import bindings
from app.local_models.jobs import pulling
from app.local_models.loader import known_models
from app.local_models.roles import choose
from app.local_models.server import where_text_goes
from app.screens.dialogs.entry import EntryScreen, PathSuggester
from app.screens.lists.base import ListingScreen
from app.screens.lists.first_run_offers import FAR, MEANINGS, Offers, offers
from app.screens.messages import WorkAdvanced, WorkEnded
from app.screens.model_jobs import ModelJob, ModelJobs
from app.settings.current import Current
from app.settings.edit import set_value
from app.sources.first_questions import first_questions
from app.sources.first_steps import PairOffer, ServerOffer, servers_to_use
from app.sources.known_places import Place
from app.sources.states import absolute, remember, short
from app.widgets.row_list import ListRow, RowList

Step = Literal[1, 2, 3]
STEPS: dict[Step, str] = {
    1: "1 of 3: what may be read? Space marks, or takes a mark away",
    2: "2 of 3: which models? Only fetching them uses the network",
    3: "3 of 3: ask",
}
PATH_ASKED = "Path of a folder, mailbox or calendar (right arrow completes it):"


class FirstRunScreen(ListingScreen):
    """Three lists. Enter does what the row says; escape leaves at any time."""

    SCOPE = "first_run"
    HEADING = "First steps"
    EMPTY = "Looking at what is here …"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("first_run")]

    def __init__(
        self,
        current: Current,
        jobs: ModelJobs,
        changed: Callable[[], object],
        try_sample: Callable[[], object],
        ask: Callable[[str], object],
    ) -> None:
        """Begin at the first step.

        `changed` is called after each edit; `try_sample` goes to the sample, `ask` asks a question.
        """
        super().__init__()
        self._current = current
        self._jobs = jobs
        self._changed = changed
        self._try_sample = try_sample
        self._ask = ask
        self._offers = Offers([], {}, [])
        self._marked: set[Path] = set()
        self._step: Step = 1
        self._servers: list[ServerOffer] = []
        """Model servers that were found; they are looked for when asked to."""

    def begin(self) -> None:
        """Look at what there is: whether places exist, what this machine is."""
        self.head(STEPS[1])
        self.work(offers, self._offer)

    def _offer(self, found: Offers) -> None:
        """Mark what was found, where nothing is remembered yet: Enter then takes it."""
        self._offers = found
        if not self._current.saved.remembered:
            self._marked = {place.path for place in found.places}
        self._go(1)
        if self._marked:
            self.row_list.action_last()

    def _go(self, step: Step) -> None:
        self._step = step
        self.head(STEPS[step])
        self._draw()
        self.row_list.action_first()

    def _draw(self) -> None:
        rows = {1: self._place_rows, 2: self._model_rows, 3: self._ask_rows}[self._step]()
        self.draw_rows(rows)

    def _place_rows(self) -> list[ListRow]:
        remembered = self._current.saved.remembered
        rows = [ListRow(str(one.path), self._place_text(one)) for one in self._offers.places]
        offered = {place.path for place in self._offers.places}
        rows += [
            ListRow(str(path), f"[x] {'':<21} {'':>10}  {short(path)}")
            for path in remembered
            if path not in offered
        ]
        return [
            *rows,
            ListRow("name", "Name another path …"),
            *([] if self._offers.has_mail else [ListRow("far", "My mail is only on a server …")]),
            ListRow("sample", "Try it on sample files first, without your own"),
            ListRow("next", self._next_text(), "heading"),
        ]

    def _place_text(self, place: Place) -> str:
        size = self._offers.sizes[place.path].short
        return f"{self._mark(place.path)} {place.name:<21} {size:>10}  {short(place.path)}"

    def _next_text(self) -> str:
        count = len(self._marked)
        return f"Remember {count} and go on" if count else "Go on"

    def _mark(self, path: Path) -> str:
        if path in self._current.saved.remembered:
            return "[x]"
        return "[+]" if path in self._marked else "[ ]"

    def _model_rows(self) -> list[ListRow]:
        rows = [
            ListRow(f"pair {number}", self._pair_text(pair))
            for number, pair in enumerate(self._offers.pairs)
        ]
        waits = self._jobs.busy
        return [
            *rows,
            *(ListRow(f"server {one.url}", one.text) for one in self._servers),
            ListRow("find", "Look for a model server on this machine"),
            ListRow("next", "Go on while it is fetched" if waits else "Go on", "heading"),
        ]

    def _pair_text(self, pair: PairOffer) -> str:
        texts = [f"{row.id}: {text}" for row in pair.rows if (text := self._jobs.text_of(row.id))]
        if texts:
            return texts[0]
        verb = "Fetch and use" if pair.missing else "Use"
        return f"{verb} {pair.generator.id}, {pair.title}"

    def _ask_rows(self) -> list[ListRow]:
        proposed = first_questions(self._current.config.sources)
        return [
            *(ListRow(f"try {question}", f'Ask "{question}"') for question in proposed),
            ListRow("ask", "Ask another question about your own files"),
            ListRow(
                "sample", "Try it on the sample files: a boat hire's mail, documents, calendars"
            ),
        ]

    def detail_of(self, row: ListRow) -> str:
        """Say what a row means."""
        said = self._offers.detail_of(row.key)
        return hint(said, self.app) if row.key in MEANINGS else said

    @on(RowList.RowSelected)
    def act(self, selected: RowList.RowSelected) -> None:
        """Do what the row says."""
        key = selected.row.key
        self.say("")
        if key == "next":
            self._next()
        elif key == "sample":
            self._try_sample()
        elif key == "ask":
            self.action_back()
        elif key == "far":
            self.say(FAR)
        elif key == "name":
            self._ask_path()
        elif key == "find":
            self.work(servers_to_use, self._found)
        elif key.startswith("server "):
            self.work(partial(self._use_server, key.split()[1]), self._chosen)
        elif key.startswith("try "):
            self._ask(key.removeprefix("try "))
        elif key.startswith("pair "):
            self._take(self._offers.pairs[int(key.split()[1])])
        else:
            self._toggle(Path(key))

    def action_mark(self) -> None:
        """Mark the place under the cursor, or take the mark away."""
        row = self.row_list.row
        if self._step == 1 and row is not None and row.key.startswith("/"):
            self._toggle(Path(row.key))

    def _toggle(self, path: Path) -> None:
        if path in self._current.saved.remembered:
            self.say(f"{short(path)} is remembered; {hint('{sources} forgets it.', self.app)}")
            return
        self._marked ^= {path}
        self._draw()

    def _ask_path(self) -> None:
        def empty(typed: str) -> str:
            return "" if typed.strip() else "Write a path, such as ~/Mail."

        self.app.push_screen(EntryScreen(PATH_ASKED, "~/", empty, PathSuggester()), self._named)

    def _named(self, typed: str | None) -> None:
        if typed:
            self._remember([absolute(typed.strip())], then=1)

    def _next(self) -> None:
        if self._step == 1 and self._marked:
            self._remember(sorted(self._marked), then=2)
        elif self._step < 3:
            self._go(2 if self._step == 1 else 3)

    def _remember(self, paths: list[Path], then: Step) -> None:
        """Write paths to the settings, in a thread, and go to a step."""

        def run() -> Step:
            remember(self._current.saved, paths)
            self._current.sample = None
            self._current.reload()
            return then

        self.work(run, self._remembered)

    def _remembered(self, then: Step) -> None:
        self._marked.clear()
        self._changed()
        self._go(then)

    def _take(self, pair: PairOffer) -> None:
        for row in pair.missing:
            begin = partial(pulling, row, pair.store, accept=False)
            self._jobs.add(ModelJob(row.id, "pulled", begin))
        self.work(lambda: self._use(pair), self._chosen)

    def _use(self, pair: PairOffer) -> str:
        """Let the pair fill its roles; what is already so is not written."""
        catalogue = known_models(os.environ)[0]
        choose("lookahead", pair.lookahead.id, self._current.saved, catalogue)
        choose("generator", pair.generator.id, self._current.saved, catalogue)
        self._current.reload()
        return f"{pair.generator.id} writes, {pair.lookahead.id} reads ahead."

    def _found(self, servers: list[ServerOffer]) -> None:
        self._servers = servers
        self._draw()
        if not servers:
            self.say("No model server answers on this machine.")

    def _use_server(self, url: str) -> str:
        """Let a server run the answer model."""
        set_value(self._current.saved.path, "server", "url", url)
        self._current.reload()
        return f"{url} answers from now on. {where_text_goes(self._current.config) or ''}".strip()

    def _chosen(self, said: str) -> None:
        self._changed()
        self.say(said)
        if self._jobs.busy:
            self._draw()
        else:
            self._go(3)

    def action_cancel(self) -> None:
        """Stop fetching; what came is kept."""
        if self._jobs.busy:
            self._jobs.stop()
            self.say("Stopping; what was fetched is kept.")

    @on(WorkAdvanced)
    def draw_progress(self) -> None:
        """Show how far the models are."""
        if self._step == 2:
            self._draw()

    @on(WorkEnded)
    def draw_end(self, ended: WorkEnded) -> None:
        """Say what came of it, and go on when both are here."""
        if ended.error:
            self.say(f"{ended.error} Enter goes on where it stopped.")
        elif ended.stopped:
            self.say("Stopped. Enter goes on where it was.")
        elif not self._jobs.busy and self._step == 2:
            self._go(3)
            return
        self._draw()
