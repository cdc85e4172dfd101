"""The house: what the counting script finds, and what must stay true of this one."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def house() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house", ROOT / "packaging" / "house.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["house"] = module
    spec.loader.exec_module(module)
    return module


def plant(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_names_circles_and_sizes_are_counted(house: ModuleType, tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "a/__init__.py": "",
            "a/one.py": "from a import two\nclass Twice: pass\n# why\ndef f(x): return x\n",
            "a/two.py": "import a.one\ntry:\n    pass\nexcept Exception:\n    pass\n",
            "a/b/__init__.py": "",
            "a/b/walking.py": "class Twice:\n    'x'\ndef g() -> int:\n  import a\n  return 1\n",
            "a/tests/test_one.py": "class Twice: pass\n",
        },
    )
    counted = house.count(tmp_path, ("a",))
    assert counted.repeated_classes == {"Twice": ["a.b.walking", "a.one"]}
    assert counted.circles == [["a.one", "a.two"]]
    assert counted.gerunds == ["a.b.walking"]
    assert counted.modules_at_root == {"a": 2}
    assert (counted.broad_excepts, counted.imports_in_functions) == (1, 1)
    assert counted.annotated == 0.5
    assert counted.public_docstrings == 0.25
    assert counted.function_lines == (2, 1, 3)


def test_what_only_type_checkers_import_is_a_circle_of_types(
    house: ModuleType, tmp_path: Path
) -> None:
    late = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .one import f\n"
    plant(tmp_path, {"a/__init__.py": "", "a/one.py": "from .two import g\n", "a/two.py": late})
    counted = house.count(tmp_path, ("a",))
    assert counted.circles == []
    assert counted.type_circles == [["a.one", "a.two"]]


def test_rooms_import_each_other_in_one_direction(house: ModuleType, tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "a/__init__.py": "",
            "a/top.py": "from a.inner.x import y\n",
            "a/inner/__init__.py": "",
            "a/inner/x.py": "y = 1\n",
        },
    )
    assert house.arrows(tmp_path, ("a",)) == {"a": {"a.inner"}}


def test_this_house_keeps_what_it_reached(house: ModuleType) -> None:
    counted = house.count(ROOT)
    assert counted.repeated_classes == {}
    assert counted.circles == []
    assert counted.type_circles == []
    assert max(counted.modules_at_root.values()) <= 12
