"""A command whose `--help` fits a screen: the flags that people use; `--help-all` has the rest."""

from __future__ import annotations

from typing import Any

import click


class ShortHelp(click.Command):
    """Shows only the flags named as common, unless all are asked for."""

    def __init__(self, *args: Any, common: tuple[str, ...] = (), **kwargs: Any) -> None:
        """`common`: names of parameters, as the function takes them."""
        super().__init__(*args, **kwargs)
        self.common = common
        self._whole = False

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's parameters and `--help-all`."""

        def show(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
            if wanted:
                self._whole = True
                click.echo(ctx.get_help(), color=ctx.color)
                ctx.exit()

        every = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=show,
            help="Show every flag and exit.",
        )
        return [*super().get_params(ctx), every]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the flags that are to be seen."""
        shown = [
            param
            for param in self.get_params(ctx)
            if self._whole or param.name in self.common or {"--help", "--help-all"} & {*param.opts}
        ]
        records = [record for param in shown if (record := param.get_help_record(ctx))]
        with formatter.section("Options"):
            formatter.write_dl(records)
