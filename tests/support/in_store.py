"""Finds the real models that tests load."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from models.store.catalogue import load_catalogue
from models.store.store import Store


def weights_of(model: str) -> Path:
    """Return where a catalogue model lies.

    Where it was not pulled the test is skipped; with CI=true it fails, as `make test` pulls it.
    """
    row = load_catalogue().row(model)
    store = Store.default(os.environ)
    if store.state(row) == "present":
        return store.open(row)
    said = f"{model} is not in the store; `make test` pulls it"
    if os.environ.get("CI") == "true":
        pytest.fail(said)
    pytest.skip(said)
