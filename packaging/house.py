"""Count the house: sizes, names, circles and rooms of a Python project, by its syntax trees.

    python packaging/house.py                    # this project
    python packaging/house.py --json
    python packaging/house.py PATH --rooms src   # another project, its packages named

Each figure counts the product alone: the packages named with `--rooms`, without their tests.
"""

from __future__ import annotations

import argparse
import ast
import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOMS = ("app", "engine", "ingest", "models")
NOT_GERUNDS = frozenset({"string", "meeting", "setting", "thing", "ring"})
"""Last words that end in -ing and are nouns."""


@dataclass(frozen=True)
class House:
    """What was counted."""

    files: int
    lines: int
    file_lines: tuple[int, int, int]
    """Lines of a file: median, 90th percentile, most."""
    function_lines: tuple[int, int, int]
    """Lines of a function: median, 90th percentile, most."""
    annotated: float
    """Share of functions whose parameters and result are all annotated, 0 to 1."""
    public_docstrings: float
    """Share of public functions and classes with a docstring, 0 to 1."""
    broad_excepts: int
    """`except:` and `except Exception` or `BaseException`."""
    comments_per_100_lines: float
    """Lines that hold a comment alone, for 100 lines."""
    imports_in_functions: int
    classes: int
    repeated_classes: dict[str, list[str]]
    """Class names that more than one module defines, with the modules."""
    circles: list[list[str]]
    """Modules that import each other when they are imported."""
    type_circles: list[list[str]]
    """The same, with what only type checkers import."""
    modules_at_root: dict[str, int]
    """Modules that lie in each room itself, in none of its own rooms."""
    gerunds: list[str]
    """Modules whose name ends in a gerund."""


@dataclass(frozen=True)
class Module:
    """One file of the product."""

    name: str
    path: Path
    text: str
    tree: ast.Module


def modules_of(root: Path, rooms: Iterable[str]) -> list[Module]:
    """Read every module of these packages. Raises `SyntaxError` for what is not Python."""
    found = []
    for room in rooms:
        for path in sorted((root / room).rglob("*.py")):
            if "tests" in path.relative_to(root).parts:
                continue
            text = path.read_text(encoding="utf-8")
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found.append(Module(name, path, text, ast.parse(text, str(path))))
    return found


def imports_of(module: Module, known: frozenset[str], types: bool) -> set[str]:
    """Modules that this one imports at its top, those for type checkers too if `types`."""
    found: set[str] = set()
    for node in _at_import(module.tree.body, types):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
            continue
        base = node.module or ""
        if node.level:
            package = module.name.split(".")
            keep = len(package) - node.level + (module.path.name == "__init__.py")
            base = ".".join([*package[:keep], *([base] if base else [])])
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            found.add(inner if inner in known else base)
    return (found & known) - {module.name}


def _at_import(body: list[ast.stmt], types: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If):
            for_types = "TYPE_CHECKING" in ast.unparse(node.test)
            if types or not for_types:
                yield from _at_import(node.body, types)
            yield from _at_import(node.orelse, types)
        elif isinstance(node, ast.Try):
            yield from _at_import(node.body, types)


def circles_in(graph: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components of more than one node (Tarjan, 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            component = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return sorted(found)


def count(root: Path, rooms: tuple[str, ...] = ROOMS) -> House:
    """Count a project. Raises `OSError` for a file that cannot be read."""
    modules = modules_of(root, rooms)
    sizes = [len(module.text.splitlines()) for module in modules]
    functions = [node for module in modules for node in _functions(module.tree)]
    lengths = [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]
    public = [
        node
        for module in modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
    ]
    classes: dict[str, list[str]] = defaultdict(list)
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(module.name)
    comments = sum(
        line.lstrip().startswith("#") for module in modules for line in module.text.splitlines()
    )
    known = frozenset(module.name for module in modules)
    return House(
        files=len(modules),
        lines=sum(sizes),
        file_lines=_spread(sizes),
        function_lines=_spread(lengths),
        annotated=_share(_annotated(node) for node in functions),
        public_docstrings=_share(ast.get_docstring(node) is not None for node in public),
        broad_excepts=sum(
            _broad(node)
            for module in modules
            for node in ast.walk(module.tree)
            if isinstance(node, ast.ExceptHandler)
        ),
        comments_per_100_lines=round(100 * comments / max(sum(sizes), 1), 1),
        imports_in_functions=sum(
            isinstance(inner, ast.Import | ast.ImportFrom)
            for function in functions
            for inner in ast.walk(function)
        ),
        classes=len(classes),
        repeated_classes={name: places for name, places in sorted(classes.items()) if places[1:]},
        circles=circles_in({m.name: imports_of(m, known, types=False) for m in modules}),
        type_circles=circles_in({m.name: imports_of(m, known, types=True) for m in modules}),
        modules_at_root={
            room: sum(path.name != "__init__.py" for path in (root / room).glob("*.py"))
            for room in rooms
        },
        gerunds=sorted(module.name for module in modules if _gerund(module.name)),
    )


def arrows(root: Path, rooms: tuple[str, ...] = ROOMS) -> dict[str, set[str]]:
    """Rooms within the top folders, and which rooms of the same folder each one imports.

    A module at the root of a folder counts for the folder itself.
    """
    modules = modules_of(root, rooms)
    known = frozenset(module.name for module in modules)
    found: dict[str, set[str]] = defaultdict(set)
    for module in modules:
        here = _room(module, known, modules)
        for name in imports_of(module, known, types=True):
            other = _room(next(m for m in modules if m.name == name), known, modules)
            if other != here and other.split(".")[0] == here.split(".")[0]:
                found[here].add(other)
    return dict(sorted(found.items()))


def _room(module: Module, known: frozenset[str], modules: list[Module]) -> str:
    parts = module.name.split(".")
    inner = len(parts) > 2 or (len(parts) == 2 and module.path.name == "__init__.py")
    return ".".join(parts[:2]) if inner else parts[0]


def _functions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def _annotated(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    named = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    typed = [argument for argument in named if argument.arg not in ("self", "cls")]
    return node.returns is not None and all(argument.annotation for argument in typed)


def _broad(node: ast.ExceptHandler) -> bool:
    return node.type is None or ast.unparse(node.type) in ("Exception", "BaseException")


def _gerund(name: str) -> bool:
    word = name.split(".")[-1].split("_")[-1]
    return word.endswith("ing") and word not in NOT_GERUNDS


def _share(values: Iterable[bool]) -> float:
    listed = list(values)
    return round(sum(listed) / len(listed), 3) if listed else 1.0


def _spread(sizes: list[int]) -> tuple[int, int, int]:
    if not sizes:
        return 0, 0, 0
    ordered = sorted(sizes)
    return int(statistics.median(ordered)), ordered[int(0.9 * (len(ordered) - 1))], ordered[-1]


def table(house: House) -> str:
    """The figures, one a line."""
    rows = [
        ("files / lines", f"{house.files} / {house.lines:,}"),
        ("file lines: median, 90th, most", "{} / {} / {}".format(*house.file_lines)),
        ("function lines: median, 90th, most", "{} / {} / {}".format(*house.function_lines)),
        ("functions annotated", f"{house.annotated:.0%}"),
        ("public definitions with a docstring", f"{house.public_docstrings:.0%}"),
        ("broad excepts", str(house.broad_excepts)),
        ("comment lines per 100 lines", str(house.comments_per_100_lines)),
        ("imports in functions", str(house.imports_in_functions)),
        ("class names repeated", f"{len(house.repeated_classes)} of {house.classes}"),
        ("circles of imports (with types)", f"{len(house.circles)} ({len(house.type_circles)})"),
        ("modules at the roots", " ".join(f"{k} {n}" for k, n in house.modules_at_root.items())),
        ("modules named by a gerund", str(len(house.gerunds))),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:{width}}  {value}" for name, value in rows)


def main() -> int:
    """Print the table, the object, or the arrows between rooms."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("path", nargs="?", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--rooms", nargs="+", default=list(ROOMS), help="packages of the product")
    parser.add_argument("--json", action="store_true", help="one object, with the places")
    parser.add_argument("--arrows", action="store_true", help="which room imports which")
    given = parser.parse_args()
    rooms = tuple(given.rooms)
    missing = [room for room in rooms if not (given.path / room).is_dir()]
    if missing:
        parser.error(
            f"{given.path} has no folder {', '.join(missing)}. Name its packages with --rooms."
        )
    if given.arrows:
        for room, others in arrows(given.path, rooms).items():
            print(f"{room} -> {' '.join(sorted(others))}")
        return 0
    house = count(given.path, rooms)
    print(json.dumps(asdict(house), indent=1) if given.json else table(house))
    return 0


if __name__ == "__main__":
    sys.exit(main())
