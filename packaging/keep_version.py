"""Keeps what this version writes, so that later ones are held to reading it.

    python packaging/keep_version.py

Run it once for each release, after its number was set in pyproject.toml. It makes
`tests/config_versions/VERSION` (settings, each one set; a model of one's own; an exported
conversation; what `ask --json` printed) and, if its form is new, `tests/history_versions/FORM.db`.
What is there is never changed again. Everything in it is made up.
"""

from __future__ import annotations

import io
import sys
import tempfile
import tomllib
from contextlib import redirect_stdout
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import app.backend.client  # noqa: E402
import app.backend.composition  # noqa: E402
from app.cli import main  # noqa: E402
from app.history.conversations import History  # noqa: E402
from app.history.export.formats import conversation_object  # noqa: E402
from app.history.storage import schema  # noqa: E402
from app.history.storage.database import opened  # noqa: E402
from app.history.storage.files import HistoryFiles  # noqa: E402
from app.history.storage.key import KeyRecord  # noqa: E402
from app.history.storage.locked_memory import LockedBytes  # noqa: E402
from app.output.objects import print_json  # noqa: E402
from app.settings.edit import set_value  # noqa: E402
from app.settings.schema import SETTINGS  # noqa: E402
from models.fake import FakeGenerator  # noqa: E402
from models.roles import ModelSet  # noqa: E402
from models.store.user_rows import add_row  # noqa: E402
from tests.support.toy_rows import toy_row  # noqa: E402
from tests.test_app_history import FIXTURE_KEY, TALK, VERSIONS  # noqa: E402

KEPT = ROOT / "tests" / "config_versions"
VALUES = {
    "sources.paths": ["/home/ann/Mail", "/home/ann/Documents"],
    "sources.left_out": ["/home/ann/Documents"],
    "models.lookahead": "smollm2-135m-instruct-q4_1",
    "models.generator": "qwen2.5-coder-1.5b-instruct-q4_k_m",
    "models.encoder": "all-minilm-l6-v2",
    "models.sparse_encoder": "splade-tiny",
    "models.runtime": "llama",
    "models.context": 4096,
    "models.idle_minutes": 5,
    "answer.strategy": "et2rag:subsets=3",
    "answer.effort": "quick",
    "answer.allocation": "/home/ann/fitted.json",
    "answer.max_context": 3000,
    "answer.time_budget": 90.5,
    "answer.seed": 7,
    "answer.stemming": False,
    "answer.infer": False,
    "answer.infer_model": True,
    "answer.guard": False,
    "answer.second_opinion": True,
    "person.addresses": ["ann@example.org"],
    "reading.memory": "2 GB",
    "reading.workers": 2,
    "reading.timezone": "Europe/Lisbon",
    "server.url": "https://gpu.example.org",
    "server.allow_host": "gpu.example.org",
    "server.model": "some-model",
    "server.context": 8192,
    "history.enabled": True,
    "history.days": 90,
    "interface.theme": "high-contrast",
}
"""Another value than the default for every setting; `keymap` is a table."""
KEYMAP = {"help": "f1", "palette": "ctrl+k"}
MAIL = b"From: Ann <ann@example.org>\nDate: Thu, 03 Sep 2026 09:12:00 +0000\n\nSoup is at noon.\n"


def keep() -> Path:
    """Make the folder of this version, if there is none yet; return it."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    folder = KEPT / version
    if folder.exists():
        return folder
    missing = {setting.name for setting in SETTINGS} - {*VALUES, "keymap"}
    if missing:
        sys.exit(f"Give a value to {', '.join(sorted(missing))}, in {__file__}.")
    folder.mkdir(parents=True)
    for name, value in VALUES.items():
        set_value(folder / "config.toml", *name.split("."), value)  # type: ignore[arg-type]
    for action, keys in KEYMAP.items():
        set_value(folder / "config.toml", "keymap", action, keys)
    add_row(folder / "models.toml", toy_row("mine", Path("/home/ann/mine.gguf")))
    with redirect_stdout(io.StringIO()) as printed:
        print_json({"conversation": conversation_object(TALK)})
    (folder / "conversation.json").write_text(printed.getvalue(), "utf-8")
    (folder / "answer.json").write_text(_answered(), "utf-8")
    return folder


def _answered() -> str:
    """Return what `ask --json` prints, over a mail and with a model of ours."""
    models = ModelSet(
        "small", "large", lambda name: FakeGenerator(name, ["Soup is at noon [1]."])
    )  # fmt: skip
    app.backend.composition.model_set = lambda *_, **__: models  # type: ignore[assignment]
    app.backend.client.EngineProcess = app.backend.composition.make_engine  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as home, redirect_stdout(io.StringIO()) as printed:
        mail = Path(home) / "lunch.eml"
        mail.write_bytes(MAIL)
        main(["ask", "When is the soup?", str(mail), "--json"])
        return printed.getvalue().replace(home, "/home/ann/Mail")


def keep_history() -> Path:
    """Make a database of this form of the history, if there is none yet; return its place."""
    path = VERSIONS / f"{len(schema.STEPS)}.db"
    if not path.exists():
        with tempfile.TemporaryDirectory() as home:
            files = HistoryFiles(Path(home))
            record, key = KeyRecord("1", "keyring", "00"), LockedBytes(FIXTURE_KEY)
            with opened(files.database, key) as database:
                schema.migrate(database)
            with History(files, record, key) as history:
                history.keep(TALK)
            path.write_bytes(files.database.read_bytes())
    return path


if __name__ == "__main__":
    print(keep())
    print(keep_history())
