"""The console script `askance`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

ASKING = ("ask", "demo")
HELP = {"--help", "-h"}
NOT_WINDOWS = (
    "askance: Windows itself is not supported: what keeps files private here has no counterpart "
    "there. Install Askance in WSL, the Windows Subsystem for Linux, and run it there."
)


def run() -> int:
    """Run the command line and return its exit code.

    The offline variables come first: libraries read them once, at import.
    """
    if sys.platform == "win32":
        sys.stderr.write(f"{NOT_WINDOWS}\n")
        return 2
    from app.privacy.hardening import forbid_core_dumps  # these know Unix alone
    from models.llama.wait_policy import set_thread_environment
    from models.system.offline import set_offline_environment

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
