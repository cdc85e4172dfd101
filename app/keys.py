"""Every action that a key calls: one row an action, and what `[keymap]` may change of it.

The table needs no screen: it is read before the first one is drawn, and `F1` shows it whole.
Screens that keep bindings of their own give them ids; `actions_of` makes rows of these.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textual.binding import Binding
from textual.keys import KEY_NAME_REPLACEMENTS, REPLACED_KEYS, Keys, key_to_character

from app.errors import SettingWrong

EVERYWHERE = "everywhere"
FOCUSED = ("prompt", "answers", "citations", "filters")
"""Scopes of parts of the chat, whose actions work on the one that has the focus."""
OF_ANSWERS = ("preview", "coverage", "table")
"""Scopes of screens about an answer, which no action of the same name opens."""
MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "meta", "hyper"})


@dataclass(frozen=True, slots=True)
class Action:
    """Something a key does."""

    id: str
    """What `[keymap]` calls it."""
    scope: str
    """The screen on which it works, or `EVERYWHERE`."""
    keys: str
    """Textual's names, with commas between."""
    run: str
    """Textual's name of the action."""
    label: str
    """In the footer; one word or two."""
    does: str
    """In help and palette: one sentence, without its full stop."""
    shown: bool = True
    """In the footer."""
    first: bool = False
    """Works even where what has the focus would take the key: a prompt takes F6 and F7."""
    alone: bool = False
    """Needs no row under the cursor, so that it can be done from another screen too."""

    def binding(self) -> Binding:
        """Return what Textual takes."""
        return Binding(
            self.keys,
            self.run,
            self.label,
            show=self.shown,
            priority=self.first,
            tooltip=self.does,
            id=self.id,
        )


ACTIONS = (
    Action("help", EVERYWHERE, "f1,question_mark", "help", "Help", "Show keys and commands"),
    Action(
        "history", EVERYWHERE, "ctrl+r", "history", "History", "Find and go on with conversations"
    ),
    Action("settings", EVERYWHERE, "f2", "settings", "Settings", "Show and change settings"),
    Action("sources", EVERYWHERE, "f3", "sources", "Sources", "Choose what is read", False),
    Action("models", EVERYWHERE, "f4", "models", "Models", "Fetch and choose models", False),
    Action("doctor", EVERYWHERE, "f5", "doctor", "Doctor", "Say what works here", False),
    Action(
        "palette", EVERYWHERE, "ctrl+p", "command_palette", "Palette", "Find any action", first=True
    ),
    Action(
        "theme", EVERYWHERE, "f6", "next_theme", "Theme", "Change the colours", False, first=True
    ),
    Action(
        "first_run",
        EVERYWHERE,
        "f7",
        "first_run",
        "First steps",
        "Set up in 3 steps",
        False,
        first=True,
    ),
    Action("sample", EVERYWHERE, "f8", "sample", "Sample", "Try it on the sample files", False),
    Action(
        "quit",
        EVERYWHERE,
        "ctrl+q",
        "quit",
        "Quit",
        "Leave; a question in hand is cancelled",
        first=True,
    ),
    Action("list_down", "lists", "j", "cursor_down", "Down", "Move down", False),
    Action("list_up", "lists", "k", "cursor_up", "Up", "Move up", False),
    Action("list_top", "lists", "g,home", "first", "First", "Go to the first line", False),
    Action("list_bottom", "lists", "G,end", "last", "Last", "Go to the last line", False),
    Action("list_search", "lists", "slash", "search", "Find", "Find in the list", False),
    Action("list_next", "lists", "n", "next_match", "Next", "Go to what is found next", False),
    Action("back", "screens", "escape", "back", "Back", "Go back"),
    Action("sources_leave_out", "sources", "space", "leave_out", "In/out", "Leave it out for now"),
    Action("sources_keep", "sources", "x", "keep", "Always", "Leave it out from now on", False),
    Action("sources_add", "sources", "a", "add", "Add", "Add a source by its path", alone=True),
    Action(
        "sources_find",
        "sources",
        "f",
        "find",
        "Find folder",
        "Add a source by its name",
        alone=True,
    ),
    Action("sources_remove", "sources", "d,delete", "remove", "Forget", "Forget a source"),
    Action(
        "sources_undo", "sources", "u", "undo", "Undo", "Bring back what was forgotten", alone=True
    ),
    Action(
        "sources_check",
        "sources",
        "r",
        "check",
        "Look again",
        "Look at the paths",
        False,
        alone=True,
    ),
    Action("models_pull", "models", "p", "pull", "Pull", "Fetch the model, or go on"),
    Action("models_cancel", "models", "c", "cancel", "Stop", "Stop; what came is kept", alone=True),
    Action("models_verify", "models", "v", "verify", "Check", "Hash the model's file again"),
    Action("models_remove", "models", "d,delete", "remove", "Delete", "Delete the model"),
    Action(
        "models_lookahead", "models", "1", "use('lookahead')", "Look-ahead", "Read ahead with it"
    ),
    Action("models_generator", "models", "2", "use('generator')", "Generator", "Write with it"),
    Action("models_encoder", "models", "3", "use('encoder')", "Encoder", "Encode with it", False),
    Action(
        *("models_sparse_encoder", "models", "4", "use('sparse_encoder')"),
        *("Sparse encoder", "Find words of the same meaning with it", False),
    ),
    Action("models_speed", "models", "t", "speed", "Speed", "Measure how fast it writes"),
    Action(
        "models_calibrate",
        "models",
        "s",
        "calibrate",
        "Calibrate",
        "Fit how sure it may be of its answers, by 74 questions",
        False,
    ),
    Action("settings_edit", "settings", "e", "edit", "Change", "Change the setting"),
    Action("settings_unset", "settings", "d,delete", "unset", "Default", "Take the default again"),
    Action("first_run_mark", "first_run", "space", "mark", "Mark", "Mark a place, or not"),
    Action("first_run_cancel", "first_run", "c", "cancel", "Stop", "Stop fetching", alone=True),
    Action("history_export", "history", "e", "export", "Export", "Write it to a file"),
    Action("history_remove", "history", "d,delete", "remove", "Remove", "Remove it for good"),
    Action("doctor_again", "doctor", "r", "again", "Again", "Examine again", alone=True),
    Action("preview_open", "preview", "o", "open_source", "Open", "Open it in its program"),
    Action("preview_copy", "preview", "y", "copy", "Copy", "Copy the citation"),
    Action("preview_next", "preview", "n", "step(1)", "Next", "Show the answer's next source"),
    Action("preview_before", "preview", "p", "step(-1)", "Before", "Show the source before", False),
    Action("preview_page", "preview", "i", "page", "Picture", "Show its page as a picture"),
    Action(
        "coverage_unlock",
        "coverage",
        "p",
        "remedy('unlock')",
        "Password",
        "Enter the password of files",
    ),
    Action(
        "coverage_whole",
        "coverage",
        "b",
        "remedy('whole')",
        "Read the rest",
        "Ask without a time budget",
    ),
    Action(
        "coverage_again",
        "coverage",
        "r",
        "remedy('again')",
        "Read again",
        "Ask again, over files as they are",
    ),
    Action("table_sort", "table", "s", "sort", "Sort", "Sort by another column"),
    Action("table_reverse", "table", "S", "reverse", "Reverse", "Sort the other way"),
    Action("table_edit", "table", "e", "edit", "Edit plan", "Change the plan, and compute by it"),
)


def bindings(scope: str) -> list[Binding]:
    """Return the bindings of a scope."""
    return [action.binding() for action in ACTIONS if action.scope == scope]


def actions_of(scope: str, owner: Any) -> list[Action]:
    """Return rows for the bindings that a class and those it extends give ids."""
    known = {action.id for action in ACTIONS}
    owners = [one for one in owner.__mro__ if one.__module__.startswith("app.")]
    return [
        Action(
            bound.id,
            scope,
            bound.key,
            bound.action,
            bound.description,
            bound.tooltip or bound.description,
            bound.show,
            alone=True,
        )
        for kind in owners
        for bound in vars(kind).get("BINDINGS", ())
        if isinstance(bound, Binding) and bound.id and bound.id not in known
    ]


def checked_keymap(keymap: Mapping[str, str], actions: Sequence[Action]) -> dict[str, str]:
    """Return the keymap with Textual's names for keys.

    Raises `SettingWrong` for an unknown action, an unknown key, and a key that two actions of
    one screen would share.
    """
    known = {action.id for action in actions}
    for action_id in keymap:
        if action_id not in known:
            nearest = difflib.get_close_matches(action_id, known, n=1, cutoff=0.0)[0]
            raise SettingWrong(
                f'There is no action "{action_id}" for [keymap]. The nearest is "{nearest}".',
                remedy=f"Actions: {', '.join(sorted(known))}.",
            )
    named = {action_id: _named(action_id, keys) for action_id, keys in keymap.items()}
    for key, ids in _clashes(actions, named):
        raise SettingWrong(
            f'The key "{key}" would be both {ids[0]} and {ids[1]}.',
            remedy=f'Give one of them another key under [keymap]: {ids[1]} = "…".',
        )
    return named


def keys_shown(action: Action, keymap: Mapping[str, str]) -> str:
    """Return the keys of an action as people read them: `ctrl+q`, `?`."""
    keys = keymap.get(action.id, action.keys).split(",")
    return ", ".join(_shown(key.strip()) for key in keys)


def _named(action_id: str, keys: str) -> str:
    """Return keys as Textual names them. Raises `SettingWrong`."""
    named = []
    for typed in filter(None, (key.strip() for key in keys.split(","))):
        *modifiers, last = typed.split("+") if typed != "+" else [typed]
        name = _name(last) if len(last) == 1 else last
        if not (set(modifiers) <= MODIFIERS and _is_key(name)):
            raise SettingWrong(
                f'"{typed}" is no key, in [keymap] {action_id}.',
                remedy='Write keys as "ctrl+s", "f9", "escape" or "x", with commas between.',
            )
        named.append("+".join([*modifiers, name]))
    if not named:
        raise SettingWrong(
            f"The action {action_id} has no key in [keymap].",
            remedy="Name one, or remove the line.",
        )
    return ",".join(named)


def _name(character: str) -> str:
    """Return what Textual calls a character: `question_mark`; letters are their own names."""
    if character.isalnum():
        return character
    name = unicodedata.name(character, character).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


def _is_key(name: str) -> bool:
    return name in {key.value for key in Keys} or _character(name) is not None


def _character(name: str) -> str | None:
    """Return the character that Textual calls `name`, None for keys like `f1` and `delete`."""
    character = key_to_character(REPLACED_KEYS.get(name, name))
    return character if character is not None and character.isprintable() else None


def _shown(key: str) -> str:
    *modifiers, name = key.split("+")
    return "+".join([*modifiers, (_character(name) or "").strip() or name])


def _clashes(
    actions: Iterable[Action], keymap: Mapping[str, str]
) -> Iterable[tuple[str, list[str]]]:
    """Yield keys that two actions have where both work; the remapped action comes last."""
    used: dict[tuple[str, str], list[str]] = defaultdict(list)
    for action in sorted(actions, key=lambda one: one.id in keymap):
        for key in dict.fromkeys(keymap.get(action.id, action.keys).split(",")):
            used[action.scope, key].append(action.id)
    for (scope, key), ids in used.items():
        others = () if scope == EVERYWHERE else used.get((EVERYWHERE, key), ())
        together = [*others, *ids]
        if len(together) > 1:
            yield _shown(key), together
