"""Seconds until `askance mcp` answers its client, beside other commands: `bench_mcp.py [ROUNDS]`.

Each round starts every program afresh, in turn. `mcp` counts up to the reply to `initialize`, the
others to their end; the ratio is to `askance --version`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

ASKANCE = str(Path(sys.executable).with_name("askance"))
SAMPLE = str(Path(__file__).parents[2] / "app" / "sample" / "data")
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
ENDING = {
    "--version": ("--version",),
    "search": ("search", "lease", SAMPLE, "-k", "1"),
}


def until_reply() -> float:
    """Return the seconds until the server has answered its client."""
    began = time.perf_counter()
    command = [ASKANCE, "mcp", SAMPLE]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        if server.stdin is None or server.stdout is None:
            raise RuntimeError("no pipes")
        server.stdin.write(json.dumps(HELLO).encode() + b"\n")
        server.stdin.flush()
        reply = json.loads(server.stdout.readline())
        seconds = time.perf_counter() - began
        server.stdin.close()
    if "result" not in reply:
        raise RuntimeError(str(reply))
    return seconds


def until_end(arguments: tuple[str, ...]) -> float:
    """Return the seconds that a command takes."""
    began = time.perf_counter()
    subprocess.run([ASKANCE, *arguments], check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> None:
    """Print medians and ratios."""
    rounds = int(sys.argv[1]) if sys.argv[1:] else 7
    found: dict[str, list[float]] = {name: [] for name in ("mcp", *ENDING)}
    for _ in range(rounds):
        found["mcp"].append(until_reply())
        for name, arguments in ENDING.items():
            found[name].append(until_end(arguments))
    base = median(found["--version"])
    for name, seconds in found.items():
        middle = median(seconds)
        print(f"{name:10} {middle:.2f} s ({middle / base:.1f} times), most {max(seconds):.2f}")


if __name__ == "__main__":
    main()
