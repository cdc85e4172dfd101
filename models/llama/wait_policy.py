"""How long computing threads wait for each other before they sleep.

llama.cpp's threads meet hundreds of times a token. OpenMP has those that arrive early wait actively
for some milliseconds. On a quiet machine that costs nothing. Beside a program that keeps one core
busy, they keep the late thread from running: two threads then wrote 0.4 tokens a second, and 10.6
with a short wait (docs/decisions.md, "Beside another program").
"""

from __future__ import annotations

from collections.abc import MutableMapping

SPINS = "3000"
"""Turns of active waiting before a thread sleeps; GNU's OpenMP has 300,000 by default."""
CHOSEN = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
"""Variables of OpenMP; where a person set one, nothing is changed."""


def set_thread_environment(environ: MutableMapping[str, str]) -> None:
    """Write the choice into `environ`, usually `os.environ`, before llama.cpp is loaded."""
    if not any(name in environ for name in CHOSEN):
        environ["GOMP_SPINCOUNT"] = SPINS
