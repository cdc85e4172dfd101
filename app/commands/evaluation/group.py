"""`askance eval`: asks questions with known answers, imports sets of them, reports on runs."""

from __future__ import annotations

import click

from app.commands.shared.lazy_group import LazyCommand, LazyGroup

COMMANDS = (
    LazyCommand(
        "run", "app.commands.evaluation.run", "Ask questions and score the answers (the default)."
    ),
    LazyCommand(
        "mine",
        "app.commands.evaluation.own_questions",
        "Ask your own questions (eval --mine FILE).",
    ),
    LazyCommand(
        "import", "app.commands.evaluation.data_import", "Convert a public set's original files."
    ),
    LazyCommand(
        "report", "app.commands.evaluation.report", "Make tables, plots and a page from run files."
    ),
)


class _Evaluations(LazyGroup):
    """Takes what names no command of its own for `run`: `askance eval QUESTIONS` asks."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `run` before what begins with no command's name; `--mine` is a command too."""
        if "--mine" in args:
            args = ["mine", *(arg for arg in args if arg != "--mine")]
        elif not args or args[0] not in self.rows:
            args = ["run", *args]
        return super().parse_args(ctx, args)


command = _Evaluations(
    "eval",
    commands_table=COMMANDS,
    help="Measure answers on questions with known answers.",
)
