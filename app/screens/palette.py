"""The command palette: every action, found by what it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Protocol, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from app.keys import EVERYWHERE, Action, keys_shown

HERE_ONLY = ("lists", "screens")
"""Scopes whose actions make no sense from elsewhere."""


class ActionHost(Protocol):
    """What the palette asks of the app."""

    @property
    def scope(self) -> str:
        """The scope of the actions of the screen that is shown."""
        ...

    @property
    def actions(self) -> Sequence[Action]:
        """Every action that has a key."""
        ...

    @property
    def keymap(self) -> Mapping[str, str]:
        """The keys that the settings give to actions."""
        ...

    def do(self, action: Action) -> None:
        """Do what the key of an action does."""
        ...


class ActionProvider(Provider):
    """Offers what can be done here first, then what other screens can do."""

    @property
    def _host(self) -> ActionHost:
        return cast("ActionHost", self.app)

    def _actions(self) -> Iterator[Action]:
        scope = self._host.scope
        everything = [action for action in self._host.actions if action.id != "palette"]
        yield from (action for action in everything if action.scope == scope)
        yield from (action for action in everything if action.scope == EVERYWHERE)
        yield from (
            action
            for action in everything
            if action.scope not in (scope, EVERYWHERE, *HERE_ONLY)
            or (action.scope in HERE_ONLY and scope != "chat")
        )

    def _title(self, action: Action) -> str:
        here = action.scope in (EVERYWHERE, self._host.scope, *HERE_ONLY)
        where = "" if here else f"{action.scope.replace('_', ' ').capitalize()}: "
        return f"{where}{action.does or action.label}"

    async def discover(self) -> Hits:
        """Offer everything while nothing is typed."""
        keymap = self._host.keymap
        for action in self._actions():
            yield DiscoveryHit(
                self._title(action),
                partial(self._host.do, action),
                help=keys_shown(action, keymap),
            )

    async def search(self, query: str) -> Hits:
        """Offer what holds the typed letters."""
        matcher, keymap = self.matcher(query), self._host.keymap
        for action in self._actions():
            title = self._title(action)
            if (score := matcher.match(title)) > 0:
                yield Hit(
                    score,
                    matcher.highlight(title),
                    partial(self._host.do, action),
                    help=keys_shown(action, keymap),
                )
