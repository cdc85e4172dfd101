"""A conversation written where the person said, and nowhere else."""

from __future__ import annotations

import os
from datetime import tzinfo
from pathlib import Path

from app.errors import NotExported
from app.history.export.formats import conversation_object, markdown
from app.output.objects import json_text
from engine.conversation import Conversation
from models.system.files import open_private

SUFFIXES = (".md", ".json")


def fault_of(typed: str) -> str:
    """Return why nothing can be written to a path, empty when it seems possible."""
    path = Path(typed).expanduser()
    if path.suffix.lower() not in SUFFIXES:
        return "End it with .md for people, or .json to read it again."
    if os.path.lexists(path):
        return "This file is there already; choose another name."
    if not path.absolute().parent.is_dir():
        return f"There is no folder {path.absolute().parent}."
    return ""


def export(conversation: Conversation, typed: str, zone: tzinfo | None) -> Path:
    """Write a new file that only its owner reads. Raises `NotExported`."""
    path = Path(typed).expanduser().absolute()
    if path.suffix.lower() == ".json":
        text = json_text({"conversation": conversation_object(conversation)}) + "\n"
    else:
        text = markdown(conversation, zone)
    try:
        with os.fdopen(open_private(path, os.O_EXCL), "wb") as file:
            file.write(text.encode())
    except OSError as error:
        raise NotExported(
            f"{path} cannot be written: {error.strerror}.",
            remedy="Choose another place.",
            path=path,
        ) from error
    return path
