"""llama.cpp's own server as a program: `llama_server.py MODEL PORT CONTEXT`."""

from __future__ import annotations

import sys
import threading


def main(model: str, port: str, context: str) -> None:
    """Serve until the process is ended. One thread: two wait for each other on a busy machine."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames, params.port = ["127.0.0.1"], int(port)
    params.n_ctx, params.n_parallel = 2 * int(context), 2
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
