"""Where the single-folder build begins: as `askance`, or as Python for its own processes.

The program starts itself again to read files, to ask the package index, to render a template. It
does so with `sys.executable`, which here is the program: it does what Python would have done.
"""

from __future__ import annotations

import multiprocessing
import runpy
import sys

FLAGS = {"-I", "-B", "-P"}
"""Of Python, with which processes of its own are started; none of Askance's is called so."""


def main() -> int:
    """Run a module or a script for a parent of this very program, or the command line."""
    multiprocessing.freeze_support()  # the workers of an evaluation
    arguments = sys.argv[1:]
    if not arguments or arguments[0] not in FLAGS | {"-m"}:
        from app.main import run

        return run()
    while arguments[0] in FLAGS:
        del arguments[0]
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        runpy.run_path(sys.argv[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
