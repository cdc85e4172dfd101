"""The console script `askance`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from app.privacy.hardening import forbid_core_dumps
from models.llama.wait_policy import set_thread_environment
from models.system.offline import set_offline_environment

ASKING = ("ask", "demo")
HELP = {"--help", "-h"}


def run() -> int:
    """Run the command line and return its exit code.

    The offline variables come first: libraries read them once, at import.
    """
    set_offline_environment(os.environ)
    set_thread_environment(os.environ)
    forbid_core_dumps()
    typed = sys.argv[1:]
    if asks(typed) and "_ASKANCE_COMPLETE" not in os.environ:
        from app.backend.early_start import begin

        begin()
    from app.cli import main

    return main(typed)


def asks(typed: Sequence[str]) -> bool:
    """Say whether a command line asks the engine as soon as it runs."""
    return bool(typed) and typed[0] in ASKING and not HELP & set(typed)


if __name__ == "__main__":
    sys.exit(run())
