"""Settings: precedence, refusals, and edits that lose nothing."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest

from app.errors import ConfigError, ConfigUnreadable, SettingUnknown, SettingWrong
from app.settings.config import config_path, load_config
from app.settings.edit import add_to_list, remove_from_list, set_value, unset
from app.settings.schema import SETTINGS
from engine.settings import DEFAULT_STRATEGY


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path)}


def written(environ: dict[str, str], text: str) -> Path:
    path = config_path(environ)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_without_a_file_there_are_defaults(environ):
    config = load_config(environ)
    assert config.values.answer.strategy == DEFAULT_STRATEGY
    assert config.values.answer.effort == "balanced"
    assert config.sources == ()
    assert set(config.origins.values()) == {"default"}


def test_environment_beats_file_beats_default(environ):
    written(environ, '[answer]\neffort = "quick"\nseed = 5\n')
    config = load_config(environ | {"ASKANCE_ANSWER_EFFORT": "thorough"})
    assert config.values.answer.effort == "thorough"
    assert config.origins["answer.effort"] == "ASKANCE_ANSWER_EFFORT"
    assert config.values.answer.seed == 5
    assert config.origins["answer.seed"] == "file"


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ('[answer]\nefort = "quick"\n', "answer.effort"),
        ('effort = "quick"\n', "answer.effort"),
        ("[answers]\nseed = 1\n", "answer."),
        ("answer = 3\n", "answer."),
    ],
)
def test_unknown_setting_is_refused_with_the_nearest(environ, text, nearest):
    path = written(environ, text)
    with pytest.raises(SettingUnknown) as caught:
        load_config(environ)
    assert nearest in caught.value.message
    assert str(path) in caught.value.message


def test_unknown_variable_is_refused(environ):
    with pytest.raises(SettingUnknown, match="ASKANCE_ANSWER_EFFORT"):
        load_config(environ | {"ASKANCE_ANSWER_EFORT": "quick"})
    load_config(environ | {"ASKANCE_MODELS_DIR": "/models"})


@pytest.mark.parametrize(
    "text",
    [
        "[answer]\nseed = true\n",
        '[answer]\nseed = "1"\n',
        "[answer]\nmax_context = 0\n",
        "[answer]\ntime_budget = -1\n",
        '[answer]\neffort = "some"\n',
        '[reading]\ntimezone = "Mars/Olympus"\n',
        '[reading]\ntimezone = "../etc/passwd"\n',
        '[sources]\npaths = "/home"\n',
        '[sources]\npaths = ["relative"]\n',
        "keymap = 3\n",
        "[keymap]\nquit = 3\n",
    ],
)
def test_wrong_values_are_refused(environ, text):
    written(environ, text)
    with pytest.raises(SettingWrong):
        load_config(environ)


@pytest.mark.parametrize("value", ["x", "0", "1.5", ""])
def test_wrong_variables_are_refused(environ, value):
    with pytest.raises(SettingWrong):
        load_config(environ | {"ASKANCE_ANSWER_MAX_CONTEXT": value})


def test_broken_toml_names_its_line(environ):
    written(environ, "[answer]\nseed = = 1\n")
    with pytest.raises(ConfigUnreadable, match="line 2"):
        load_config(environ)


COMMENTED = """\
# my own file
[answer]  # how
seed = 3  # lucky

[sources]
# where things are
paths = [
    "/home/a#b",  # the [old] mailbox
    '/home/it''s' ,
]  # end

[models]
lookahead = "small"  # quick
"""


def test_edits_keep_comments_and_order(environ):
    text = COMMENTED.replace("'/home/it''s' ", '"/home/c, d"')
    path = written(environ, text)
    add_to_list(path, "sources", "paths", '/home/e "f"')
    assert load_config(environ).sources[-1] == Path('/home/e "f"')
    remove_from_list(path, "sources", "paths", '/home/e "f"')
    assert path.read_text() == text
    set_value(path, "models", "lookahead", "tiny")
    assert path.read_text() == text.replace('"small"', '"tiny"')
    set_value(path, "models", "generator", "big")
    assert load_config(environ).values.models.generator == "big"
    for comment in ("# my own file", "# how", "# lucky", "# the [old] mailbox", "# end"):
        assert comment in path.read_text()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[sources]",
        "[sources]\npaths = []\n",
        '[sources]\npaths = ["/a", "/b"] # two\n',
        '[sources]\npaths = ["/a"\n]\n[answer]\nseed = 1',
        '[sources]\npaths = [\n "/a", # one\n]\n',
    ],
)
def test_add_and_remove_in_every_layout(environ, text):
    path = written(environ, text)
    before = load_config(environ).sources
    add_to_list(path, "sources", "paths", "/new")
    assert load_config(environ).sources == (*before, Path("/new"))
    remove_from_list(path, "sources", "paths", "/new")
    assert load_config(environ).sources == before
    assert text.count("#") == path.read_text().count("#")


@pytest.mark.parametrize("text", ['sources = {paths = ["/a"]}\n', 'sources.paths = ["/a"]\n'])
def test_short_forms_of_a_table_are_edited_too(environ, text):
    path = written(environ, text)
    add_to_list(path, "sources", "paths", "/new")
    assert path.read_text() == text.replace('"/a"', '"/a", "/new"')
    remove_from_list(path, "sources", "paths", "/a")
    assert path.read_text() == text.replace('"/a"', '"/new"')
    assert [file.name for file in path.parent.iterdir()] == ["config.toml"]


def test_what_the_editor_would_lose_is_refused_unchanged(environ, monkeypatch):
    """The text is parsed again and compared: a fault of the library costs nobody a setting."""
    text = "[answer]\nseed = 3\n"
    path = written(environ, text)
    monkeypatch.setattr("tomlkit.dumps", lambda document: "[answer]\n")
    with pytest.raises(ConfigError, match="by hand"):
        set_value(path, "answer", "effort", "quick")
    assert path.read_text() == text


def test_a_new_file_is_private(environ):
    path = config_path(environ)
    add_to_list(path, "sources", "paths", "/a")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_link_stays_a_link(environ, tmp_path):
    path = config_path(environ)
    path.parent.mkdir(parents=True)
    target = tmp_path / "dotfiles.toml"
    target.write_text("")
    path.symlink_to(target)
    add_to_list(path, "sources", "paths", "/a")
    assert path.is_symlink()
    assert "/a" in target.read_text()


def test_every_setting_says_what_it_does():
    assert [setting.name for setting in SETTINGS if not setting.about] == []


def test_values_of_every_kind_are_set_and_taken_out(environ):
    path = written(environ, COMMENTED.replace("'/home/it''s' ,", ""))
    before = path.read_text()
    for section, key, value in (
        ("answer", "seed", 7),
        ("answer", "infer", False),
        ("answer", "time_budget", 2.5),
        ("person", "addresses", ["a@x.example", "b@x.example"]),
        ("keymap", "quit", "ctrl+x"),
    ):
        set_value(path, section, key, value)
        set_value(path, section, key, value)
        assert tomllib.loads(path.read_text())[section][key] == value
    load_config(environ)
    unset(path, "answer", "infer")
    unset(path, "answer", "infer")
    unset(path, "answer", "time_budget")
    unset(path, "keymap", "quit")
    after = tomllib.loads(path.read_text())
    assert "infer" not in after["answer"]
    assert "time_budget" not in after["answer"]
    assert after["keymap"] == {}
    for line in before.splitlines():
        if line.strip().startswith("#"):
            assert line in path.read_text()


def test_a_source_that_is_left_out_stays_remembered(environ):
    written(environ, '[sources]\npaths = ["/a", "/b"]\nleft_out = ["/a"]\n')
    config = load_config(environ)
    assert [str(path) for path in config.remembered] == ["/a", "/b"]
    assert [str(path) for path in config.sources] == ["/b"]
