"""The examples of the documentation, installed like any package, with the tests that they ship."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import tomllib
import venv
from pathlib import Path
from typing import Any

import pytest

from app.local_models.loader import Loader, known_models
from app.settings.config import load_config
from engine.errors import StrategyUnknown
from engine.strategies import foreign, registry
from ingest.reading.pool import protection
from models import foreign as runtimes
from models.errors import RuntimeFailed

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(path.parent for path in (ROOT / "docs" / "examples").glob("*/pyproject.toml"))


SPY = """
from ingest.foreign import Reader

def tried():
    for attempt in (
        lambda: open("/etc/hostname").read(),
        lambda: open("{folder}/written", "w").write("x"),
        lambda: __import__("socket").socket(),
        lambda: __import__("subprocess").run(["true"]),
    ):
        try:
            attempt()
            yield "done"
        except OSError:
            yield "refused"

AT_IMPORT = list(tried())
SPY = Reader(
    lambda head, name: name.endswith(".spy"),
    lambda data, origin: iter([origin.document(" ".join([*AT_IMPORT, *tried()]))]),
)
"""
READ = """
import sys
from pathlib import Path
from ingest.testing import read

if __name__ == "__main__":
    print([one.text for one in read([Path(sys.argv[1])])])
"""


def install(project: Path, site: Path) -> None:
    """Do to an example what pip does with a pure package, without its minutes."""
    about = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    for module in project.glob("*.py"):
        if not module.name.startswith("test_"):
            shutil.copy(module, site)
    folder = site / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
    folder.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    (folder / "METADATA").write_text(metadata)
    lines = []
    for group, points in about["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (folder / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment that has all examples."""
    assert EXAMPLES
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=False)
    inside = place / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
    (site / "checkout.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    for project in EXAMPLES:
        install(project, site)
    return inside


def test_the_examples_keep_to_their_contracts(python: Path, tmp_path: Path) -> None:
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:asyncio", "--import-mode=importlib")
    done = subprocess.run(
        [str(python), "-m", "pytest", *options, "-c", "/dev/null", *map(str, EXAMPLES)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_a_reader_of_somebody_else_can_do_nothing_but_read(python: Path, tmp_path: Path) -> None:
    if not {"landlock", "seccomp"} <= set(protection() or ()):
        pytest.skip("nothing locks readers down here")
    project = tmp_path / "spy"
    project.mkdir()
    (project / "askance_spy.py").write_text(SPY.replace("{folder}", str(tmp_path)))
    (project / "pyproject.toml").write_text(
        '[project]\nname = "askance-spy"\nversion = "1"\n'
        '[project.entry-points."askance.readers"]\nspy = "askance_spy:SPY"\n'
    )
    install(project, next(python.parents[1].glob("lib/python*/site-packages")))
    (tmp_path / "file.spy").write_bytes(b"\0\1\2")
    (tmp_path / "ask.py").write_text(READ)
    command = [str(python), str(tmp_path / "ask.py"), str(tmp_path / "file.spy")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.strip() == repr([" ".join(["refused"] * 8)]), done.stderr


class _Point:
    """An entry point of a package that cannot be used."""

    name, value, dist = "odd", "odd_package:ODD", None

    def __init__(self, loaded: object) -> None:
        self._loaded = loaded

    def load(self) -> object:
        if isinstance(self._loaded, Exception):
            raise self._loaded
        return self._loaded


@pytest.mark.parametrize(
    ("loaded", "said"),
    [
        (ImportError("no module named odd_needs"), "cannot be imported"),
        (object(), "not an instance of a dataclass"),
        (registry.STRATEGIES[0], "not that of its entry point"),
    ],
    ids=["import", "no strategy", "another name"],
)
def test_a_strategy_that_cannot_be_used_names_its_package(
    monkeypatch: pytest.MonkeyPatch, loaded: object, said: str
) -> None:
    monkeypatch.setattr(foreign, "found", lambda: {"odd": _Point(loaded)})
    assert registry.names()[-1] == "odd"
    with pytest.raises(StrategyUnknown, match=said) as caught:
        registry.get("odd")
    assert "odd_package" in caught.value.remedy


def test_what_is_built_in_cannot_be_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "found", lambda: {"vanilla": _Point(object())})
    assert registry.names().count("vanilla") == 1
    assert registry.get("vanilla") in registry.STRATEGIES


def runtimes_are(monkeypatch: pytest.MonkeyPatch, loaded: object) -> None:
    points = [_Point(loaded)]
    monkeypatch.setattr(runtimes, "entry_points", lambda **_: points)


def test_the_settings_choose_a_runtime_of_a_package(
    monkeypatch: pytest.MonkeyPatch, fake_generator: Any, tmp_path: Path
) -> None:
    loaded = []

    def load(path: Path, model_id: str, context: int) -> Any:
        loaded.append((path, model_id, context))
        return fake_generator(model_id)

    runtimes_are(monkeypatch, runtimes.Runtime(frozenset({"gguf"}), load))
    config = load_config(os.environ)
    config = config.having("models.runtime", "odd")
    catalogue, store = known_models(os.environ)
    monkeypatch.setattr(type(store), "open", lambda self, row: tmp_path / row.id)
    said: list[str] = []
    loader = Loader(config, catalogue, store, 512, said.append)
    model_id = catalogue.starter()[0].id
    assert loader.generator(model_id).id == model_id
    assert loaded == [(tmp_path / model_id, model_id, 512)]
    assert said == [f"Loading {model_id} in odd"]


@pytest.mark.parametrize(
    ("loaded", "said"),
    [(ImportError("no engine"), "cannot be imported"), (object(), "not a models.foreign.Runtime")],
    ids=["import", "no runtime"],
)
def test_a_runtime_that_cannot_be_used_says_why(
    monkeypatch: pytest.MonkeyPatch, loaded: object, said: str
) -> None:
    runtimes_are(monkeypatch, loaded)
    with pytest.raises(RuntimeFailed, match=said):
        runtimes.runtime("odd")
