"""`askance completions`: what a shell reads to complete commands and flags."""

from __future__ import annotations

import click

from app.commands.shared.shell_completion import SHELLS, script
from app.exits import ExitCode


@click.command("completions")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> int:
    """Print what SHELL reads to complete commands and flags.

    \b
    bash        askance completions bash > ~/.local/share/bash-completion/completions/askance
    zsh         askance completions zsh > a folder of your $fpath, as _askance
    fish        askance completions fish > ~/.config/fish/completions/askance.fish
    powershell  askance completions powershell >> $PROFILE
    """
    click.echo(script(shell, context.find_root().command))
    return ExitCode.ANSWERED
