"""The engine's process: answers what comes through a pipe, until the pipe closes.

Started by `app.backend.process` as `python -P -m app.backend.process_main [watch]`. With `watch` it
tells of files that change after they were read. It ends with its parent: its standard input closes.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from typing import IO

from app.backend.messages import Broke, Engine, Reply
from app.backend.pipes import Sender, pipes, received

LINGER = 10.0
"""Seconds that it may take to end once whoever asked is gone."""


def serve(engine: Engine, commands: IO[bytes], replies: IO[bytes]) -> None:
    """Let an engine answer what comes through a pipe, until the pipe closes."""
    sender = Sender(replies)

    def tell(reply: Reply) -> None:
        try:
            sender.send(reply)
        except OSError:  # whoever asked is gone
            os._exit(0)

    def break_off(error: threading.ExceptHookArgs) -> None:
        """Say where a defect is, without its values, and end: nobody would answer any more."""
        *_, last = traceback.extract_tb(error.exc_traceback)
        sender.send(Broke(f"{error.exc_type.__name__} at {last.filename}:{last.lineno}"))
        os._exit(1)

    threading.excepthook = break_off
    engine.listen(tell)
    for command in received(commands):
        engine.send(command)
    # Native code that hangs hears nothing; nobody is there any more who would end it.
    lingering = threading.Timer(LINGER, os._exit, (1,))
    lingering.daemon = True
    lingering.start()
    engine.close()
    lingering.cancel()


def main() -> int:
    """Be the engine's process."""
    from app.privacy.hardening import forbid_core_dumps
    from models.llama.wait_policy import set_thread_environment
    from models.system.offline import set_offline_environment

    set_offline_environment(os.environ)
    set_thread_environment(os.environ)
    forbid_core_dumps()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    commands, replies = pipes()
    from app.backend.composition import make_engine

    serve(make_engine(watch="watch" in sys.argv), commands, replies)
    return 0


if __name__ == "__main__":
    sys.exit(main())
