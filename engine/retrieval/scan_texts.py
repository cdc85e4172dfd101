"""Texts as scan.c folds them: joined in UTF-8, with the runs that Python has to fold."""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.language.tokens import ASCII, composed, fold_run

_COMMON = [*range(0x80, 0x800), *range(0x2000, 0x20C0)]
"""Characters that scan.c folds by itself: European and Near Eastern letters, punctuation."""
_ALONE = "\u16a0"
"""A letter that nothing is folded to or together with."""
_FEW = 256
"""Runs that a first call has room for."""

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class EncodedTexts:
    """Texts side by side in UTF-8."""

    data: bytes
    ends: Array
    """Where each text ends."""
    runs: list[bytes]
    """Runs beyond ASCII that Python has to fold."""
    folded: int
    """Bytes of all the rest, once folded."""


def encoded_texts(library: ctypes.CDLL, texts: Sequence[str]) -> EncodedTexts:
    """Encode texts, with accents joined to their letters."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    source, accents = _listed(library, encoded)
    if not len(accents):
        return source
    for number in accents.tolist():
        encoded[number] = composed(texts[number], encoded[number])
    return _listed(library, encoded)[0]


def _listed(library: ctypes.CDLL, encoded: Sequence[bytes]) -> tuple[EncodedTexts, Array]:
    """Return what there is to fold, and the numbers of texts that may have combining accents."""
    data, ends, accents = b"".join(encoded), ends_of(encoded), np.empty(len(encoded), np.bool_)
    folded, room = ctypes.c_uint64(), _FEW
    while True:
        bounds = np.empty((room, 2), np.uint64)
        count = library.askance_runs(
            data, ends, len(encoded), common_folds(), bounds, room, ctypes.byref(folded), accents
        )
        if count <= room:
            break
        room = count
    runs = [data[begin:end] for begin, end in bounds[:count].tolist()]
    return EncodedTexts(data, ends, runs, folded.value), np.flatnonzero(accents)


def ends_of(pieces: Sequence[bytes]) -> Array:
    """Return where each piece ends when they are joined."""
    return np.cumsum(np.fromiter(map(len, pieces), np.uint64, len(pieces)), dtype=np.uint64)


@cache
def common_folds() -> Array:
    """Return how common characters are folded: their number of bytes, then up to seven bytes.

    Marks act on their neighbours, so that runs with them go through Python.
    """
    folded = fold_run(_ALONE.join(map(chr, _COMMON)).encode()).translate(ASCII)
    return np.frombuffer(
        b"".join(
            b"\xff" * 8 if unicodedata.category(chr(code))[0] == "M"
            else bytes([len(piece)]) + piece.ljust(7, b"\0")
            for code, piece in zip(_COMMON, folded.split(_ALONE.encode()), strict=True)
        ),
        np.uint8,
    )  # fmt: skip
