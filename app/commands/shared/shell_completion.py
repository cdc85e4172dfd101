"""Completion in shells: click's own for bash, zsh and fish, and one for PowerShell."""

from __future__ import annotations

import os
from typing import Any

import click
from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

VARIABLE = "_ASKANCE_COMPLETE"
"""Set by the shell's function while it asks what could come next."""
SHELLS = ("bash", "zsh", "fish", "powershell")

# Where nothing is written PowerShell completes names of files by itself.
_POWERSHELL = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($word, $line, $position)
    $typed = $line.ToString()
    $env:COMP_WORDS = $typed.Substring(0, [Math]::Min($typed.Length, $position))
    $env:COMP_CWORD = $word
    $env:%(complete_var)s = "powershell_complete"
    try {
        %(prog_name)s | Where-Object { $_ } | ForEach-Object {
            $value, $help = $_ -split "`t", 2
            [System.Management.Automation.CompletionResult]::new(
                $value, $value, "ParameterValue", $(if ($help) { $help } else { $value }))
        }
    } finally {
        Remove-Item Env:COMP_WORDS, Env:COMP_CWORD, Env:%(complete_var)s -ErrorAction Ignore
    }
}
"""


class PowerShellComplete(ShellComplete):
    """Completion for PowerShell: one candidate a line, its help after a tab."""

    name = "powershell"
    source_template = _POWERSHELL

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the finished words and the one at the cursor."""
        words = split_arg_string(os.environ["COMP_WORDS"])[1:]
        begun = os.environ["COMP_CWORD"]
        if begun and words and words[-1] == begun:
            words.pop()
        return words, begun

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Return one line; nothing for names of files, which PowerShell knows better."""
        if item.type != "plain":
            return ""
        return f"{item.value}\t{item.help}" if item.help else str(item.value)


add_completion_class(PowerShellComplete)


def script(shell: str, group: click.Command) -> str:
    """Return what a shell reads to complete `askance`."""
    completer = get_completion_class(shell)
    if completer is None:
        raise ValueError(shell)
    return completer(group, {}, "askance", VARIABLE).source()
