"""Lists the measurements, and starts one: `python tests/bench/run.py [NAME [ARGUMENT…]]`."""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent


def measurements() -> dict[str, str]:
    """Return every script that can be started, with the first line of what it says of itself."""
    found = {}
    for path in sorted(HERE.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path.name != "run.py" and '__name__ == "__main__"' in text:
            found[path.stem] = (ast.get_docstring(ast.parse(text)) or "").split("\n")[0]
    return found


def main() -> int:
    """Start the script that the first argument names, or list all."""
    known = measurements()
    if not sys.argv[1:]:
        width = max(map(len, known))
        print("\n".join(f"{name:{width}}  {line}" for name, line in known.items()))
        return 0
    name = sys.argv[1].removesuffix(".py")
    if name not in known:
        print(f"There is no measurement {name}. Known are: {', '.join(known)}.", file=sys.stderr)
        return 2
    sys.argv = sys.argv[1:]
    sys.path[:0] = [str(HERE), str(HERE.parents[1])]
    runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
