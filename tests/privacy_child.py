"""The program with scripted models that repeat what they were given; run as a process of its own.

    python privacy_child.py COMMAND…    the command line
    python privacy_child.py screen SOURCE QUESTION    the screen, driven by its pilot

With SLOW=1 a token takes a while. At the moment named in STOP_AT (lookahead, write) it says
"ready" on stderr, so that a test can end it there.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
WORD = re.compile(r"zq[0-9a-f]{24}")
PAUSE = 0.5


def main() -> int:
    from models.offline import set_offline_environment

    set_offline_environment(os.environ)
    from app.privacy.hardening import forbid_core_dumps

    forbid_core_dumps()
    sys.path.insert(0, str(ROOT))
    if sys.argv[1] == "screen":
        return asyncio.run(_screen(Path(sys.argv[2]), sys.argv[3]))
    import app.commands.ask
    import app.commands.eval
    from app.cli import main as command_line

    for module in (app.commands.ask, app.commands.eval):
        module.model_set = lambda config, **chosen: _models()  # type: ignore[assignment]
    return command_line(sys.argv[1:])


def _models() -> Any:
    from models.roles import ModelSet
    from models.testing import FakeGenerator

    class Repeating(FakeGenerator):
        """Says the planted word, if it was in the prompt."""

        def sample(self, prompt: str, **options: Any) -> Iterator[Any]:
            if os.environ.get("STOP_AT") == ("write" if self.id == "large" else "lookahead"):
                sys.stderr.write("ready\n")
                sys.stderr.flush()
            for piece in super().sample(prompt, **options):
                if os.environ.get("SLOW"):
                    time.sleep(PAUSE)
                yield piece

    def reply(prompt: str, index: int) -> str:
        found = WORD.search(prompt)
        return f"The pass phrase of Orla Penhaligon is {found[0]} [1]." if found else "Not found."

    return ModelSet("small", "large", lambda name: Repeating(name, reply))


async def _screen(source: Path, question: str) -> int:
    """Ask, look at what was found, ask again and leave."""
    from tests.toy_chat import app_over, asked, config_over, running, shown, typed

    app = app_over(config_over(source), _models())
    async with running(app) as pilot:
        await asked(pilot, question)
        assert WORD.search(shown(app, "answer")), shown(app, "answer")
        for key in ("escape", "enter", "enter", "escape", "w", "escape"):
            await pilot.press(key)
            await pilot.pause()
        await typed(pilot, question)
        await pilot.press("escape")  # while it is answered
        await pilot.pause()
        if os.environ.get("CRASH"):
            os.abort()
    return 0


if __name__ == "__main__":
    sys.exit(main())
