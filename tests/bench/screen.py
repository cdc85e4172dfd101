"""The screen measured: first paint, memory over many questions, and the walk with real models.

    python tests/bench/screen.py paint [TIMES]
    python tests/bench/screen.py soak [QUESTIONS] [--real]
    python tests/bench/screen.py walk [COLUMNSxLINES]

`walk` needs tmux, and takes models and effort from the settings of the environment
(`ASKANCE_MODELS_GENERATOR` and so on); it prints the screen after every step.
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
from contextlib import closing
from pathlib import Path

from app.asking.process import PROGRAM, EngineProcess
from app.screens.askance import AskanceApp
from tests.toy_chat import LEASE, QUESTION, chat, config_over, settled, typed
from tests.toy_walk import LEAVE, WALK, is_seen, prepare

TOY_ENGINE = (str(Path(__file__).parents[1] / "toy_engine.py"),)
SETTLED_AFTER = 20
"""Questions after which memory is held against the end."""
PATIENCE = 600.0
TMUX_KEYS = {"enter": "Enter", "escape": "Escape", "end": "End", "home": "Home", "up": "Up"}


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


def memory_of(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def soak(questions: int, program: tuple[str, ...]) -> None:
    """Ask over and over in one conversation, and print the memory of screen and engine."""
    with tempfile.TemporaryDirectory() as folder, closing(EngineProcess(program)) as engine:
        Path(folder, "lease.txt").write_text(LEASE)
        app = AskanceApp(config_over(Path(folder)), engine)
        async with app.run_test(size=(80, 24)) as pilot:
            for number in range(1, questions + 1):
                await typed(pilot, f"{QUESTION} ({number})")
                while chat(app).busy:
                    await settled(pilot)
                if number % SETTLED_AFTER == 0:
                    screen, other = memory_of(os.getpid()), memory_of(engine.pid or os.getpid())
                    print(f"{number:>4} questions: screen {screen:.0f} MB, engine {other:.0f} MB")


def tmux(*arguments: str) -> str:
    """Run tmux and return what it prints."""
    return subprocess.run(["tmux", *arguments], check=True, capture_output=True, text=True).stdout


def walk(size: str = "100x32") -> None:
    """Take the walk in tmux and print what is seen after each step."""
    columns, lines = size.split("x")
    with tempfile.TemporaryDirectory() as home:
        prepare(Path(home))
        session = f"askance-walk-{os.getpid()}"
        kept = [f"{name}={value}" for name, value in os.environ.items() if "ASKANCE" in name]
        environ = [f"HOME={home}", f"XDG_CONFIG_HOME={home}/.config", *kept]
        command = " ".join(["env", *environ, sys.executable, "-P", "-m", "app.main"])
        tmux("new-session", "-d", "-s", session, "-x", columns, "-y", lines, command)
        try:
            for step in WALK:
                screen = taken(session, step.does, lambda shown, step=step: is_seen(step, shown))
                print(f"\n=== {step.name}\n{screen}", flush=True)
            tmux("send-keys", "-t", session, TMUX_KEYS.get(LEAVE, LEAVE.replace("ctrl+", "C-")))
        finally:
            subprocess.run(["tmux", "kill-session", "-t", session], capture_output=True)
        print(Path(home, "walk.md").read_text())


def taken(session: str, keys: tuple[str, ...], is_there: object) -> str:
    """Press keys and return the screen as soon as it shows what it should."""
    for key in keys:
        if key.startswith(" "):
            tmux("send-keys", "-t", session, "-l", key[1:])
        else:
            tmux("send-keys", "-t", session, TMUX_KEYS.get(key, key.replace("ctrl+", "C-")))
        time.sleep(1.0)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        screen = tmux("capture-pane", "-p", "-t", session)
        if is_there(screen):  # type: ignore[operator]
            return screen
        time.sleep(0.5)
    raise SystemExit(f"it never came to it:\n{tmux('capture-pane', '-p', '-t', session)}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["paint", *times]:
            paint(*map(int, times))
        case ["soak", *rest]:
            count = next((int(one) for one in rest if one.isdigit()), 200)
            asyncio.run(soak(count, PROGRAM if "--real" in rest else TOY_ENGINE))
        case ["walk", *sizes]:
            walk(*sizes)
        case _:
            raise SystemExit(__doc__)
