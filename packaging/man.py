"""Writes the man page from the commands themselves: `man.py [FILE]`, or to standard output."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from reference import ROOT, Page, commands

from app.cli import EPILOG
from app.settings.schema import SETTINGS


def escaped(text: str) -> str:
    """Return text that roff leaves as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def paragraphs(text: str) -> list[str]:
    """Return roff paragraphs; what click leaves unwrapped stays so."""
    found = []
    for paragraph in text.split("\n\n"):
        if paragraph.startswith("\b"):
            found += [".PP", ".nf", escaped(paragraph.lstrip("\b\n")), ".fi"]
        else:
            found += [".PP", escaped(paragraph)]
    return found


def options(command: Page) -> list[str]:
    """Return the flags of a command."""
    return [
        line
        for flags, about in command.options
        for line in (".TP", f".B {escaped(flags)}", escaped(about))
    ]


def page(version: str) -> str:
    """Return `askance.1`."""
    first, *others = commands()
    lines = [
        f'.TH ASKANCE 1 "" "askance {version}" "User Commands"',
        *(
            ".SH NAME",
            f"askance \\- {escaped(first.about[:1].lower() + first.about[1:].rstrip('.'))}",
        ),
        *(".SH SYNOPSIS", f".B {escaped(first.usage)}"),
        *(".SH DESCRIPTION", escaped(first.about)),
        *paragraphs(EPILOG),
        ".SH OPTIONS",
        *options(first),
        ".SH COMMANDS",
    ]
    for command in others:
        lines += [f'.SS "{escaped(command.path.removeprefix("askance "))}"']
        lines += [".PP", f".B {escaped(command.usage)}", *paragraphs(command.about)]
        lines += options(command)
    lines += [
        ".SH ENVIRONMENT",
        escaped("Settings of config.toml, each under the name of its variable."),
    ]
    for setting in SETTINGS:
        lines += [".TP", f".B {escaped(setting.variable)}", escaped(setting.about)]
    lines += [".TP", ".B ASKANCE_MODELS_DIR", "Folder of the models."]
    lines += [
        ".SH FILES",
        ".I ~/.config/askance/config.toml",
        ".br",
        ".I ~/.local/share/askance/models",
    ]
    return "\n".join(lines) + "\n"


def version() -> str:
    """Return the project's version, which stands in pyproject.toml alone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


if __name__ == "__main__":
    text = page(version())
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, "utf-8")
    else:
        print(text, end="")
