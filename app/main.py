"""The console script `askance`."""

from __future__ import annotations

import os
import sys

from app.privacy.hardening import forbid_core_dumps
from models.offline import set_offline_environment
from models.waiting import set_thread_environment


def run() -> int:
    """Run the command line and return its exit code.

    The offline variables come first: libraries read them once, at import.
    """
    set_offline_environment(os.environ)
    set_thread_environment(os.environ)
    forbid_core_dumps()
    from app.cli import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())
