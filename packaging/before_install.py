"""Says what this machine lacks before any time is spent: `make` runs it first."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

ENVIRONMENT = Path(".venv")


def missing() -> str | None:
    """Return what stops the installation and what to do about it, or None."""
    if sys.version_info < (3, 11):  # noqa: UP036 - an older Python is what this is here to tell
        version = ".".join(str(part) for part in sys.version_info[:2])
        return f"Python 3.11 or later is needed, this one is {version}: make PYTHON=python3.12 …"
    if not (ENVIRONMENT / "bin" / "pip").exists() and not importlib.util.find_spec("ensurepip"):
        return "this Python makes no virtual environments. On Debian: apt install python3-venv"
    return None


def notice() -> str | None:
    """Return what a person should know about llama.cpp, or None once it is installed."""
    if any(ENVIRONMENT.glob("lib/python*/site-packages/llama_cpp")):
        return None
    if not any(map(shutil.which, ("c++", "g++", "clang++"))):
        return (
            "No C++ compiler found: llama.cpp cannot be compiled, only taken from pip's cache."
            " On Debian: apt install build-essential"
        )
    return "First installation: llama.cpp is compiled once, about five minutes on two cores."


if __name__ == "__main__":
    if problem := missing():
        sys.exit(f"Not installed: {problem}")
    if known := notice():
        print(known, flush=True)
