"""Settings, models of one's own and conversations of every version kept are still read."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from app.cli import main
from app.errors import SettingUnknown
from app.history.errors import ConversationUnreadable
from app.history.export.formats import read_conversation
from app.settings.config import config_path, load_config
from app.settings.schema import BY_NAME
from models.store.user_rows import load_user_rows

KEPT = Path(__file__).parent / "config_versions"
"""A folder a version, made by `packaging/keep_version.py`."""
VERSIONS = sorted(path.name for path in KEPT.iterdir())


def test_this_version_is_kept() -> None:
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8")
    version = tomllib.loads(text)["project"]["version"]
    assert version in VERSIONS, "Run packaging/keep_version.py"


@pytest.mark.parametrize("version", VERSIONS)
def test_settings_of_every_version_load(version: str, tmp_path: Path) -> None:
    config = config_path({"XDG_CONFIG_HOME": str(tmp_path)})
    config.parent.mkdir(parents=True)
    shutil.copy(KEPT / version / "config.toml", config)
    loaded = load_config({"XDG_CONFIG_HOME": str(tmp_path)})
    tables = tomllib.loads(config.read_text("utf-8"))
    written = {
        f"{section}.{key}": value
        for section, table in tables.items()
        if section != "keymap"
        for key, value in table.items()
    }
    assert len(written) > 20
    for name, value in written.items():
        assert loaded.origins[name] == "file"
        assert loaded.values.of(name) == BY_NAME[name].kind.from_toml(value)
    assert loaded.values.keymap == tables["keymap"]


@pytest.mark.parametrize("version", VERSIONS)
def test_models_of_ones_own_of_every_version_load(version: str) -> None:
    rows = load_user_rows(KEPT / version / "models.toml").rows
    assert [row.id for row in rows] == ["mine"]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_every_version_wrote_can_be_followed_up(version: str) -> None:
    kept = read_conversation(KEPT / version / "conversation.json")
    assert [turn.asked for turn in kept.turns] == ["What is the rent?", "And who signed?"]
    assert kept.turns[0].cited
    answered = read_conversation(KEPT / version / "answer.json")
    assert [turn.asked for turn in answered.turns] == ["When is the soup?"]
    assert answered.turns[0].cited[0].quote == "Soup is at noon."


def test_a_setting_of_a_newer_version_is_refused_with_what_to_do(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = config_path({"XDG_CONFIG_HOME": str(home / ".config")})
    path.parent.mkdir(parents=True)
    path.write_text("[answer]\nfrom_the_future = 1\n")
    with pytest.raises(SettingUnknown):
        load_config({"XDG_CONFIG_HOME": str(home / ".config")})
    assert main(["config", "validate"]) == 2
    said = capsys.readouterr().err
    assert "from_the_future" in said
    assert "update Askance" in said
    assert path.read_text() == "[answer]\nfrom_the_future = 1\n"


def test_a_conversation_of_a_newer_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "newer.json"
    found = json.loads((KEPT / VERSIONS[-1] / "conversation.json").read_text("utf-8"))
    path.write_text(json.dumps(found | {"schema_version": 99}))
    with pytest.raises(ConversationUnreadable, match="form 99") as raised:
        read_conversation(path)
    assert "Update Askance" in raised.value.remedy
