"""The scan of `scan.c`, called through ctypes, which releases the interpreter lock meanwhile.

The build compiles it where there is a C compiler (packaging/compile_scan.py). The library is named
after its source, so that a library of another source is never loaded.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from engine.language.tokens import ASCII, LAST_JOIN, fold_run
from engine.retrieval.scan import Counts, Flags, Ints, check_size
from engine.retrieval.scan_texts import Array, common_folds, encoded_texts, ends_of

_EDGE = 16
"""Zero bytes around a chunk and behind a term, so that scan.c may read eight bytes anywhere."""
_BLOCK = 64
"""Folded text is a multiple of so many bytes."""
_FAILED = 2**64 - 1
_JOIN = re.compile(b"[\1-%c]" % LAST_JOIN)
_FEW = 256
"""Words that a first call has room for."""


class _Chunk(ctypes.Structure):
    """`chunk` of scan.c."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_uint64),
        ("bounds", ctypes.c_void_p),
        ("passages", ctypes.c_uint64),
        *((name, ctypes.c_void_p) for name in (
            "bits", "firsts", "words", "word_prints", "wholes", "whole_starts", "whole_prints"
        )),
        ("whole_room", ctypes.c_uint64),
    )  # fmt: skip


class _Terms(ctypes.Structure):
    """`terms` of scan.c."""

    _fields_ = tuple(
        (name, ctypes.c_void_p)
        for name in ("data", "starts", "lengths", "wholes", "values", "firsts", "wanted")
    )


class _Address(ctypes.c_void_p):
    """The type of arguments that are arrays; the caller keeps them as long as the call takes."""

    @classmethod
    def from_param(cls, array: Array) -> ctypes.c_void_p:  # type: ignore[override]
        return ctypes.c_void_p(array.ctypes.data)


_A, _N, _T, _P = _Address, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_void_p
_SIGNATURES = {
    "askance_runs": (_T, _A, _N, _A, _A, _N, _P, _A),
    "askance_fold": (_P, _T, _A, _T, _A, _T, _A, _N),
    "askance_tokens": (_P,),
    "askance_prints": (_A, _A, _A, _N, _A),
    "askance_count": (_P, _P, _N, _A, _A, _A, _A, _A, _N),
    "askance_hold": (_P, _P, _A, _A, _N, _A),
    "askance_begin": (_P, _A, _A, _A, _A, _A, _A, _N, _A, _A, _N),
}


def library_path(source: Path) -> Path:
    """Return where the library made of `source` is, if it was made."""
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    return source.with_name(f"scan-{digest[:16]}.so")


@cache
def compiled() -> CompiledScan | None:
    """Return the compiled scan, or None where there is none."""
    try:
        return CompiledScan(library_path(Path(__file__).with_name("scan.c")))
    except OSError:  # not there, or made for another machine
        return None


class CompiledChunk:
    """Folded passages side by side, and where their tokens are, as arrays for scan.c."""

    def __init__(self, library: ctypes.CDLL, texts: Sequence[str]) -> None:
        """Fold the texts of passages and find their tokens."""
        self.size = len(texts)
        source = encoded_texts(library, texts)
        pieces = [fold_run(run).translate(ASCII) for run in source.runs]
        blocks = -(-(source.folded + sum(map(len, pieces)) + 2 * _EDGE) // _BLOCK)
        check_size(blocks * _BLOCK)
        self.data = np.empty(blocks * _BLOCK, np.uint8)
        self._bounds = np.empty(self.size + 1, np.uint32)
        self._bits, self._firsts = np.empty(blocks, np.uint64), np.empty(blocks + 1, np.uint32)
        self._words, self._wholes = np.empty((2, self.size + 1), np.uint32)
        self.structure = _Chunk(
            _at(self.data), len(self.data), _at(self._bounds), self.size, _at(self._bits),
            _at(self._firsts), _at(self._words), None, _at(self._wholes),
        )  # fmt: skip
        count = _checked(
            library.askance_fold(
                ctypes.byref(self.structure), source.data, source.ends, ASCII, common_folds(),
                b"".join(pieces), ends_of(pieces), len(pieces),
            )
        )  # fmt: skip
        room = count // 2
        self._prints, self._whole_prints = np.empty(count, np.uint16), np.empty(room, np.uint16)
        self._whole_starts = np.empty(room, np.uint32)
        self.structure.word_prints = _at(self._prints)
        self.structure.whole_starts = _at(self._whole_starts)
        self.structure.whole_prints = _at(self._whole_prints)
        self.structure.whole_room = room
        self.tokens = _checked(library.askance_tokens(ctypes.byref(self.structure)))

    @property
    def lengths(self) -> Ints:
        """Terms of each passage, shape (passages,)."""
        return np.diff(self._words.astype(np.int64) + self._wholes)


class CompiledScan:
    """Chunks that scan.c fills, and questions that it answers."""

    name = "compiled"

    def __init__(self, path: Path) -> None:
        """Load the library; raises `OSError` when it is not one of this machine."""
        self._library = ctypes.CDLL(str(path))
        for name, types in _SIGNATURES.items():
            function = getattr(self._library, name)
            function.argtypes, function.restype = types, ctypes.c_uint64

    def chunk(self, texts: Sequence[str]) -> CompiledChunk:
        """Fold the texts of passages and find their tokens."""
        return CompiledChunk(self._library, texts)

    def counting(self, terms: Sequence[bytes], groups: Ints) -> Callable[[CompiledChunk], Counts]:
        """Count distinct folded terms, several at once; `groups` has the group of each."""
        table, width = _Table(self._library, terms, groups), int(groups.max()) + 1

        def count(chunk: CompiledChunk) -> Counts:
            room = min(chunk.tokens, chunk.size * width)
            found = np.empty((3, room), np.uint32)
            counts, seen = np.zeros(width, np.uint32), np.zeros(width // 64 + 1, np.uint64)
            written = _checked(
                self._library.askance_count(
                    ctypes.byref(chunk.structure), ctypes.byref(table.structure), width,
                    counts, seen, *found, room,
                )
            )  # fmt: skip
            return Counts(*found[:, :written].copy())

        return count

    def holding(self, phrase: Sequence[bytes]) -> Callable[[CompiledChunk], Flags]:
        """Say which passages hold these words in a row, shape (passages,); there is one word."""
        numbers = {word: number for number, word in enumerate(dict.fromkeys(phrase))}
        table = _Table(self._library, list(numbers), np.arange(len(numbers)))
        row = np.array([numbers[word] for word in phrase], np.uint32)
        back = _borders(row.tolist())

        def hold(chunk: CompiledChunk) -> Flags:
            held = np.zeros(chunk.size, np.bool_)
            self._library.askance_hold(
                ctypes.byref(chunk.structure), ctypes.byref(table.structure),
                row, back, len(row), held,
            )  # fmt: skip
            return held

        return hold

    def beginning(self, prefixes: Sequence[bytes]) -> Callable[[CompiledChunk], set[bytes]]:
        """Find the distinct words that begin with any of the prefixes. No prefix is empty."""
        by_pair = sorted((pair, prefix) for prefix in prefixes for pair in _pairs(prefix))
        data, starts, lengths = _side_by_side([prefix for _, prefix in by_pair])
        firsts, wanted = _firsts(np.array([pair for pair, _ in by_pair], dtype=np.int64))

        def begin(chunk: CompiledChunk) -> set[bytes]:
            room = _FEW
            while True:
                found = np.empty((2, room), np.uint32)
                table = np.zeros(2 * room, np.uint32)
                count = self._library.askance_begin(
                    ctypes.byref(chunk.structure), data, starts, lengths,
                    firsts, wanted, table, table.size, *found, room,
                )  # fmt: skip
                if count != _FAILED:
                    break
                room *= 8
            words = found[:, :count].T.tolist()
            return {chunk.data[start : start + length].tobytes() for start, length in words}

        return begin


class _Table:
    """Distinct terms, as `terms` of scan.c."""

    def __init__(self, library: ctypes.CDLL, terms: Sequence[bytes], values: Ints) -> None:
        data, starts, lengths = _side_by_side(terms)
        prints = np.empty(len(terms), np.uint16)
        library.askance_prints(data, starts, lengths, len(terms), prints)
        order = np.argsort(prints, kind="stable")
        wholes = np.array([_JOIN.search(term) is not None for term in terms], np.bool_)
        self._kept = (
            data,
            starts[order],
            lengths[order],
            wholes[order],
            values[order].astype(np.uint32),
            *_firsts(prints),
        )
        self.structure = _Terms(*map(_at, self._kept))


def _pairs(prefix: bytes) -> list[int]:
    """Return the first two bytes of words with this prefix as numbers, the first byte low."""
    seconds = prefix[1:2] or range(256)
    return [prefix[0] + 256 * second for second in seconds]


def _side_by_side(words: Sequence[bytes]) -> tuple[Array, Array, Array]:
    """Return words with zeros between them, where they start, and their lengths."""
    lengths = np.array([len(word) for word in words], np.uint32)
    steps = lengths + np.uint32(_EDGE)
    data = b"".join(word + bytes(_EDGE) for word in words)
    return np.frombuffer(data, np.uint8), np.cumsum(steps, dtype=np.uint32) - steps, lengths


def _firsts(prints: Array) -> tuple[Array, Array]:
    """Return how many of `prints` are below each number, and a bit for each: whether it is one."""
    counts = np.bincount(prints, minlength=1 << 16)
    firsts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
    return firsts, np.packbits(counts > 0, bitorder="little")


def _borders(row: Sequence[int]) -> Array:
    """Return the length of the longest border of each prefix of `row` (Knuth, Morris, Pratt)."""
    borders = [0, 0]
    for number in row[1:]:
        border = borders[-1]
        while border and row[border] != number:
            border = borders[border]
        borders.append(border + (row[border] == number))
    return np.array(borders, np.uint32)


def _at(array: Array) -> int:
    """Return the address of an array."""
    address: int = array.ctypes.data
    return address


def _checked(result: int) -> int:
    """Return what scan.c returned, unless it ran out of room, which it never should."""
    assert result != _FAILED, "scan.c ran out of room"  # noqa: S101
    return result
