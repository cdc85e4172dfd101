"""What the chat needs only when something is typed or opened.

To import it takes longer than all that comes before the first picture on the screen.
"""

from __future__ import annotations

from importlib import import_module

MODULES = (
    "app.screens.chat.answer_screens",
    "app.screens.dialogs.export",
    "app.screens.dialogs.find",
    "app.screens.lists.history",
    "app.screens.dialogs.password",
    "app.output.query.chips",
    "app.widgets.conversation.past_turn",
)
"""They import all else that is needed then."""


def import_later() -> None:
    """Import what the first picture did not wait for. From any thread, as often as one likes."""
    for name in MODULES:
        import_module(name)
