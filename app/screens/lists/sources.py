"""Sources: what is read when you ask, what the last reading found there, what changed since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from app.keys import bindings
from app.output.plain import counted, one_line
from app.screens.dialogs.confirmation import ConfirmScreen
from app.screens.dialogs.entry import EntryScreen, PathSuggester
from app.screens.dialogs.folder import FinderScreen
from app.screens.lists.base import ListingScreen
from app.screens.messages import ConfigChanged
from app.settings.config import Config
from app.settings.current import Current
from app.sources.last_reading import Node, SourcesSeen
from app.sources.states import (
    SourceState,
    absolute,
    forget,
    leave_out,
    look_at,
    remember,
    short,
)
from app.widgets.row_list import ListRow, Look, RowList

REFRESH_SECONDS = 1.0
SKIPPED_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look at the sources gave."""

    states: dict[Path, SourceState]
    nodes: dict[str, Node]
    """By the key of their row."""
    rows: list[ListRow]


class SourcesScreen(ListingScreen):
    """A tree of sources. Adding one remembers its path and reads nothing."""

    SCOPE = "sources"
    HEADING = "Sources"
    EMPTY = (
        "No source is remembered, so there is nothing to read.\n\n"
        "Press {sources_add} to add a folder, a mailbox or a calendar by its path,\n"
        "{sources_find} to find a folder by its name.\n"
        "Nothing is read before you ask a question."
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("sources")]

    def __init__(self, current: Current, seen: SourcesSeen, changed: Callable[[], object]) -> None:
        """Show the sources of a session; `changed` is called when others are remembered."""
        super().__init__()
        self._current = current
        self._seen = seen
        self._changed = changed
        self._opened: set[Path] = set()
        self._looked = Looked({}, {}, [])
        self._removed: list[Path] = []
        self._drawn_changes = 0

    def begin(self) -> None:
        """Look at the sources, and go on looking for what changes."""
        self.action_check()
        self.set_interval(REFRESH_SECONDS, self._draw_changes)

    @on(ConfigChanged)
    def action_check(self) -> None:
        """Look at the paths again; nothing below them is opened."""
        saved, opened = self._current.saved.remembered, set(self._opened)

        def look() -> Looked:
            states = {path: look_at(path) for path in saved}
            nodes = self._seen.nodes([*states.values()], opened)
            rows = [self._row(node, states[node.source], node.path in opened) for node in nodes]
            return Looked(states, {str(node.path): node for node in nodes}, rows)

        self.work(look, self._draw)

    def _draw_changes(self) -> None:
        """Draw again when files have changed below the sources."""
        if self._changes() != self._drawn_changes:
            self.action_check()

    def _changes(self) -> int:
        return sum(self._seen.changed_below(path) for path in self._looked.states)

    def _draw(self, looked: Looked) -> None:
        self._looked = looked
        self._drawn_changes = self._changes()
        self.draw_rows(looked.rows)
        sample = (
            ": the sample files are read, until you add a source" if self._current.sample else ""
        )
        read = len(self._current.config.sources)
        changed = self._drawn_changes
        self.head(
            f"{read} of {len(looked.states)} are read{sample}"
            + (f"   {changed:,} changed since" if changed else "")
        )
        self.redraw_detail()

    def _row(self, node: Node, source: SourceState, is_open: bool) -> ListRow:
        state, top = source.state, node.depth == 0
        is_out = self._current.is_left_out(node.source)
        look: Look = "plain"
        if top and state != "ready":
            look = "error"
        elif is_out:
            look = "muted"
        sign = ("- " if is_open else "+ ") if node.has_more else "  "
        items = "" if node.items is None or not (node.items or top) else f"{node.items:,}"
        said = [f"{node.changed:,} changed since"] if node.changed else []
        said += [f"{len(node.skipped):,} skipped"] if node.skipped else []
        said += [state] if top and state != "ready" else []
        name = short(node.path) if top else node.path.name
        place = f"{'  ' * node.depth}{sign}{one_line(name)}"
        mark = ("out" if is_out else "in") if top else ""
        return ListRow(str(node.path), f"{mark:<3} {items:>9} {place}   {', '.join(said)}", look)

    def detail_of(self, row: ListRow) -> str:
        """Say where it is, how it is, and what to do about what was skipped."""
        node = self._looked.nodes.get(row.key)
        if node is None:
            return ""
        state = self._looked.states[node.source]
        found = "left out of the last reading" if self._seen.has_read else "not read yet"
        if node.items is not None:
            found = f"{counted(node.items, 'item')} in the last reading"
        changed = f"; {counted(node.changed, 'file')} changed since" if node.changed else ""
        said = [one_line(str(node.path)), f"{found}{changed}"]
        if node.depth == 0 and state.remedy:
            said.append(
                f"{state.state}: {state.remedy.replace(': askance sources rm PATH', ' (d)')}"
            )
        if node.depth == 0 and self._current.is_left_out(node.path):
            kept = node.path in self._current.saved.values.sources.left_out
            said.append("Left out until you take it in" if kept else "Left out for now")
        said += [
            f"skipped {one_line(skipped.path.name)}: {skipped.reason.value}. {skipped.remedy}"
            for skipped in node.skipped[:SKIPPED_SHOWN]
        ]
        return "\n".join(said)

    @property
    def _here(self) -> Node | None:
        return self._looked.nodes.get(self.row_list.row.key) if self.row_list.row else None

    @on(RowList.RowSelected)
    def open_or_close(self, selected: RowList.RowSelected) -> None:
        """Show or hide what lies below a row."""
        node = self._looked.nodes.get(selected.row.key)
        if node is not None and node.has_more:
            self._opened ^= {node.path}
            self.action_check()

    def action_leave_out(self) -> None:
        """Leave a source out of the questions to come, or take it in, until the program ends."""
        if self._here:
            source = self._here.source
            self._current.leave_out(source, out=not self._current.is_left_out(source))
            self._changed()
            self.action_check()

    def action_keep(self) -> None:
        """The same, remembered."""
        if self._here:
            source, out = self._here.source, not self._current.is_left_out(self._here.source)
            self._current.leave_out(source, out=out)
            words = "left out from now on" if out else "read again from now on"
            self._edit(
                lambda config: leave_out(config, source, out=out), f"{short(source)} is {words}."
            )

    def action_add(self) -> None:
        """Ask for a path."""

        def empty(typed: str) -> str:
            return "" if typed.strip() else "Write a path, such as ~/Mail."

        asked = "Path of a folder, mailbox or calendar to remember (right arrow completes it):"
        self.app.push_screen(EntryScreen(asked, "~/", empty, PathSuggester()), self.add)

    def action_find(self) -> None:
        """Find a folder by its name."""
        self.app.push_screen(FinderScreen(), self.add)

    def add(self, typed: str | None) -> None:
        """Remember a path; nothing is read."""
        if typed:
            path = absolute(typed.strip())
            self._current.sample = None
            self._edit(
                lambda config: remember(config, [path]),
                f"{short(path)} is remembered. It is read when you ask.",
            )

    def action_remove(self) -> None:
        """Ask, then forget a source. Its files stay as they are."""
        if self._here:
            source = self._here.source
            question = f"Forget {short(source)}? Its files stay as they are; u brings it back."
            self.app.push_screen(
                ConfirmScreen(question, "Forget"), lambda yes: self._remove(source) if yes else None
            )

    def _remove(self, source: Path) -> None:
        self._removed.append(source)
        self._edit(
            lambda config: forget(config, [source]),
            f"{short(source)} is forgotten. Undo with u.",
        )

    def action_undo(self) -> None:
        """Remember again what was forgotten last."""
        if not self._removed:
            self.say("Nothing was forgotten here.")
            return
        source = self._removed.pop()
        self._edit(lambda config: remember(config, [source]), f"{short(source)} is back.")

    def _edit(self, edit: Callable[[Config], object], said: str) -> None:
        """Change the settings in a thread, then show what they are."""

        def run() -> str:
            edit(self._current.saved)
            self._current.reload()
            return said

        self.work(run, self._edited)

    def _edited(self, said: str) -> None:
        self.say(said)
        self._changed()
        self.action_check()
