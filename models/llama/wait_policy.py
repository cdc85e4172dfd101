"""How long the threads that compute wait awake for each other.

llama.cpp's threads meet some hundred times a token. OpenMP has the first to arrive wait awake for
some milliseconds. On a quiet machine nobody notices. Beside a program that keeps one core busy, the
one that is waited for does not get to run: two threads then wrote 0.4 tokens a second, and 10.6
with a short wait (docs/decisions.md, "Beside another program").
"""

from __future__ import annotations

from collections.abc import MutableMapping

SPINS = "3000"
"""Turns of waiting awake before a thread sleeps; GNU's OpenMP takes 300,000 by itself."""
CHOSEN = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
"""Variables of OpenMP; whoever sets one knows what they want."""


def set_thread_environment(environ: MutableMapping[str, str]) -> None:
    """Write the choice into `environ`, usually `os.environ`, before llama.cpp is loaded."""
    if not any(name in environ for name in CHOSEN):
        environ["GOMP_SPINCOUNT"] = SPINS
