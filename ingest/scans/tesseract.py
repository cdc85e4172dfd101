"""Words in a picture, by Tesseract: the extra `ocr`. It runs in the locked-down readers alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ingest.scans.tables import PrintedWord, with_tables

DOTS_PER_INCH = 200
"""At which a page is drawn: Tesseract reads letters of 20 to 30 dots best, and 300 take twice as
long."""
LEAST_CONFIDENCE = 45
"""Of 100. What Tesseract makes of a photograph without words lies below, of a bad scan above."""
_NO_LANGUAGES = ("osd", "equ")
"""Data for other uses than the words of a language."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in shades of grey, a byte a dot."""

    dots: bytes
    width: int
    height: int
    stride: int
    """Bytes from one row to the next."""


@cache
def language_folder() -> Path | None:
    """Return the folder of the languages that Tesseract can read, None without one."""
    folders = [
        Path(os.environ.get("TESSDATA_PREFIX") or "/nonexistent"),
        Path(sys.prefix, "share", "tessdata"),
        *sorted(Path("/usr/share/tesseract-ocr").glob("*/tessdata"), reverse=True),
        Path("/usr/share/tessdata"),
    ]
    return next((folder for folder in folders if languages(folder)), None)


def languages(folder: Path) -> list[str]:
    """Return the languages of a folder by their names there, English first."""
    names = {file.stem for file in folder.glob("*.traineddata")}
    return sorted(names.difference(_NO_LANGUAGES), key=lambda name: (name != "eng", name))


@cache
def is_ready() -> bool:
    """Say whether pictures can be read: the library and a language are there."""
    found = all(find_spec(name) for name in ("tesserocr", "PIL"))
    return found and language_folder() is not None


@cache
def _api() -> Any:
    """Return Tesseract with the languages that are there, loaded once."""
    os.environ["OMP_THREAD_LIMIT"] = "1"  # a locked-down process can start no threads
    import tesserocr

    folder = language_folder()
    if folder is None:
        raise RuntimeError("Tesseract has no language.")
    api = tesserocr.PyTessBaseAPI(
        path=str(folder),
        lang="+".join(languages(folder)),
        psm=tesserocr.PSM.AUTO,
        oem=tesserocr.OEM.LSTM_ONLY,
    )
    if not _can_write(Path(os.devnull)):
        # Where it cannot open what it writes notes to, it crashes on the first one. An empty name
        # is standard error, which leads nowhere in a reader.
        api.SetVariable("debug_file", "")
    return api


def _can_write(path: Path) -> bool:
    """Say whether a file can be written to; a locked-down process can write to none."""
    try:
        with path.open("wb"):
            return True
    except OSError:
        return False


def words_in(picture: Picture) -> str:
    """Return the text of a picture, empty where there is none to be sure of."""
    api = _api()
    api.SetImageBytes(picture.dots, picture.width, picture.height, 1, picture.stride)
    api.SetSourceResolution(DOTS_PER_INCH)
    text: str = api.GetUTF8Text()
    sure = api.MeanTextConf() >= LEAST_CONFIDENCE
    words = list(_placed(api)) if sure else []
    # A word without a place would be missing among tables.
    tables = with_tables(words) if len(words) == len(text.split()) else ""
    api.Clear()
    return tables or text.strip() if sure else ""


def _placed(api: Any) -> Iterator[PrintedWord]:
    """Yield the words that were read, with their places."""
    from tesserocr import RIL, iterate_level

    for found in iterate_level(api.GetIterator(), RIL.WORD):
        text = found.GetUTF8Text(RIL.WORD).strip()
        box, line = found.BoundingBox(RIL.WORD), found.BoundingBox(RIL.TEXTLINE)
        if not text or box is None or line is None:
            continue
        is_first = found.IsAtBeginningOf(RIL.TEXTLINE)
        after = "\n\n" if found.IsAtBeginningOf(RIL.PARA) else "\n" if is_first else " "
        yield PrintedWord(text, after, box[0], box[2], line[1], line[3])
