"""The engine's process, started before the command that will ask it is even imported.

Both take their imports at the same time, so that a process of its own costs a question next to
nothing. Only the console script does so: what calls `app.cli.main` decides for itself.
"""

from __future__ import annotations

from app.backend.process import EngineProcess

_begun: list[EngineProcess] = []


def begin() -> None:
    """Start the engine; it ends with this process, whether it is asked or not."""
    engine = EngineProcess()
    engine.start()
    _begun.append(engine)


def taken() -> EngineProcess | None:
    """Return the engine that was started, once; None where there is none."""
    return _begun.pop() if _begun else None
