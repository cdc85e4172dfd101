"""`python -m pip`, except that it ends with the process that started it.

Run as a script, never imported. Standard input is a pipe whose other end the parent holds. It
closes when the parent ends, even by SIGKILL. Otherwise a killed pull would leave pip downloading
and writing into the store.
"""

from __future__ import annotations

import os
import runpy
import threading


def end_with_parent() -> None:
    """Wait for the end of standard input, then end the process at once."""
    # Not sys.stdin: its lock, held here, would be an error when the interpreter shuts down.
    while os.read(0, 1):
        continue
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, daemon=True).start()
    runpy.run_module("pip", run_name="__main__", alter_sys=True)
