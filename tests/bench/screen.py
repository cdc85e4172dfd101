"""The screen measured: first paint, beats, memory over many questions, the walk with real models.

    python tests/bench/screen.py paint [TIMES]
    python tests/bench/screen.py beat [TIMES]
    python tests/bench/screen.py soak [QUESTIONS] [--real]
    python tests/bench/screen.py walk [COLUMNSxLINES]
    python tests/bench/screen.py page [COLUMNSxLINES]

`beat`, `soak --real`, `walk` and `page` take models and effort from the settings of the environment
(`ASKANCE_MODELS_GENERATOR` and so on). The last two need tmux; `walk` prints the screen after
every step, `page` writes `docs/walk.md`.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from tests.bench.screen_beat import beat
from tests.bench.screen_soak import soak
from tests.bench.screen_walk import page, walk


def first_paint(command: list[str]) -> float:
    """Return the seconds until a program has drawn its prompt on a terminal of 80x24."""
    began = time.monotonic()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    drawn = b""
    while b"sk about your files" not in drawn:
        drawn += os.read(terminal, 65536)
    seconds = time.monotonic() - began
    os.write(terminal, b"\x11")
    os.close(terminal)
    os.waitpid(pid, 0)
    return seconds


def paint(times: int = 10) -> None:
    """Print the median time to the first paint, beside that of an interpreter alone."""
    with tempfile.TemporaryDirectory() as home:
        settings = Path(home, "askance")
        settings.mkdir()
        Path(settings, "config.toml").write_text("")
        os.environ |= {"XDG_CONFIG_HOME": home, "TERM": "xterm-256color"}
        took, bare = [], []
        for _ in range(times):
            took.append(first_paint([sys.executable, "-P", "-m", "app.main"]))
            began = time.monotonic()
            subprocess.run([sys.executable, "-c", "import textual.app"], check=True)
            bare.append(time.monotonic() - began)
    print(f"first paint {statistics.median(took):.2f} s (least {min(took):.2f})")
    print(f"python -c 'import textual.app' {statistics.median(bare):.2f} s (least {min(bare):.2f})")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["paint", *times]:
            paint(*map(int, times))
        case ["beat", *times]:
            asyncio.run(beat(*map(int, times or ["3"])))
        case ["soak", *rest]:
            count = next((int(one) for one in rest if one.isdigit()), 200)
            asyncio.run(soak(count, real="--real" in rest))
        case ["walk", *sizes]:
            walk(*sizes)
        case ["page", *sizes]:
            page(*sizes)
        case _:
            raise SystemExit(__doc__)
