"""The plug-in finds passages through the command; a stand-in for `llm` has the parts it uses."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from types import ModuleType

import pytest


class Fragment(str):
    def __new__(cls, content, source=""):
        made = super().__new__(cls, content)
        made.source = source
        return made


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """The plug-in, beside a command `askance` whose remembered source is one folder."""
    stand_in = ModuleType("llm")
    stand_in.hookimpl, stand_in.Fragment = lambda function: function, Fragment
    monkeypatch.setitem(sys.modules, "llm", stand_in)
    for name in [name for name in os.environ if name.startswith(("XDG_", "ASKANCE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    command = tmp_path / "askance"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m app.main "$@"\n')
    command.chmod(0o700)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "boat.md").write_text("The lease of the boathouse ends in May.\n")
    subprocess.run(["askance", "sources", "add", str(notes)], check=True, capture_output=True)
    sys.modules.pop("llm_askance", None)  # it holds the `llm` of the test before
    return importlib.import_module("llm_askance")


def test_a_fragment_is_a_passage_and_names_its_file(plugin, tmp_path):
    [found] = plugin.fragments("lease kind:document")
    assert "ends in May" in found
    assert found.source == str(tmp_path / "notes" / "boat.md")


def test_nothing_found_and_a_search_that_fails_are_said(plugin):
    with pytest.raises(ValueError, match="fits 'zebra'"):
        plugin.fragments("zebra")
    assert plugin.askance_search("zebra") == "Nothing was found."
    with pytest.raises(ValueError, match="kind"):
        plugin.fragments("lease kind:boat")


def test_the_hooks_register_both(plugin):
    taken = {}
    plugin.register_fragment_loaders(taken.__setitem__)
    plugin.register_tools(lambda tool: taken.update(tool=tool))
    assert taken == {"askance": plugin.fragments, "tool": plugin.askance_search}
    assert "boat.md\n" in taken["tool"]("lease")
