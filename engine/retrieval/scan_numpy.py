"""The scan without a C compiler: the same results, in passes of numpy.

For each token a chunk knows where it begins and a fingerprint of two bytes; a pass looks the
fingerprints up in one table for all wanted terms, and compares the few that agree byte by byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.language.tokens import FIRST_DIGIT_JOIN, LAST_JOIN, WORD_BYTE, fold_all
from engine.retrieval.scan import Counts, Flags, Ints, check_size

Bytes = npt.NDArray[np.uint8]
Pairs = npt.NDArray[np.uint16]
_Words = npt.NDArray[np.uint64]

_EDGE = 16
"""Zero bytes around a chunk, so that eight bytes can be read anywhere."""
_KEEP = np.array([(1 << 8 * n) - 1 for n in range(8)] + [2**64 - 1], dtype=np.uint64)
"""`_KEEP[n]` masks the first n of eight bytes (little endian)."""


_EACH = np.uint64(0x0101010101010101)
_WORD = re.compile(rb"[\x30-\xff]+")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a chunk in order: its words, or the wholes that connectors join."""

    starts: npt.NDArray[np.uint32]
    """Offsets into the chunk's bytes."""
    prints: Pairs
    """A fingerprint each."""
    heads: Pairs
    """The first two bytes of each; of a word of one byte, with the separator behind it."""
    ends: npt.NDArray[np.uint32] | None
    """Offsets behind wholes; None for words, which end where no word byte follows."""
    begins: Ints
    """Number of the first token of each passage, and the count of all; shape (passages + 1,)."""

    def rows(self, tokens: Ints) -> Ints:
        """Return the passages of the given tokens."""
        found: Ints = np.searchsorted(self.begins, tokens, side="right") - 1
        return found


class Terms:
    """Distinct terms that are looked for together."""

    def __init__(self, terms: Sequence[bytes]) -> None:
        """Prepare the table of fingerprints; `terms` are folded and distinct."""
        self.count = len(terms)
        self.lengths = np.array([len(term) for term in terms], dtype=np.int64)
        self.data = bytes(_EDGE) + b"".join(term + bytes(_EDGE) for term in terms)
        steps = self.lengths + _EDGE
        self.starts = _EDGE + np.cumsum(steps) - steps
        entries = np.unique(self._entries(terms), axis=1)
        self.prints = entries[0].astype(np.uint16)
        """Fingerprints by size; a term of one byte has several, as its neighbours are in them."""
        self.columns = entries[1]
        """The term of each fingerprint."""
        self.most_alike = int(np.unique(self.prints, return_counts=True)[1].max(initial=0))
        """Terms that share a fingerprint, at most."""
        self.wanted = np.zeros(1 << 16, dtype=np.bool_)
        self.wanted[self.prints] = True

    def _entries(self, terms: Sequence[bytes]) -> Ints:
        """Return fingerprints and their terms, shape (2, entries)."""
        longer = np.flatnonzero(self.lengths > 1)
        starts = self.starts[longer]
        data = np.frombuffer(self.data, np.uint8)
        prints = [_fingerprints(_pairs(data), starts, starts + self.lengths[longer])]
        columns = [longer]
        between = range(LAST_JOIN + 1)
        for column in np.flatnonzero(self.lengths == 1).tolist():
            around = b"".join(
                bytes([a]) + terms[column] + bytes([b]) for a in between for b in between
            )
            middles = np.arange(1, len(around), 3)
            pairs = _pairs(np.frombuffer(around, np.uint8))
            prints.append(_fingerprints(pairs, middles, middles + 1))
            columns.append(np.full(len(middles), column))
        both: Ints = np.array([np.concatenate(prints), np.concatenate(columns)], dtype=np.int64)
        return both


class NumpyChunk:
    """Folded passages side by side, and where their tokens are."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Fold the texts of passages and find their tokens."""
        self.size = len(texts)
        folded, bounds = fold_all(texts)
        bounds += _EDGE
        self.data = bytes(_EDGE) + folded + bytes(_EDGE)
        check_size(len(self.data))
        self._bytes = np.frombuffer(self.data, np.uint8)
        inside = self._bytes >= WORD_BYTE
        changes = np.flatnonzero(inside[1:] != inside[:-1]) + 1
        starts, ends = changes[0::2].copy(), changes[1::2].copy()
        pairs = _pairs(self._bytes)
        self.words = _tokens(pairs, starts, ends, bounds)
        starts, ends = _wholes(self._bytes, inside, starts, ends)
        self.wholes = _tokens(pairs, starts, ends, bounds, whole=True)

    @property
    def lengths(self) -> Ints:
        """Terms of each passage, shape (passages,)."""
        counts: Ints = np.diff(self.words.begins) + np.diff(self.wholes.begins)
        return counts

    def find(self, terms: Terms, tokens: Tokens) -> tuple[Ints, Ints]:
        """Return (token, term) of every occurrence in `tokens`, by token."""
        candidates = np.flatnonzero(terms.wanted[tokens.prints])
        if not len(candidates):
            return candidates, candidates
        place = np.searchsorted(terms.prints, tokens.prints[candidates])
        found_tokens, found_terms = [], []
        for step in range(terms.most_alike):
            if step:  # another term has the same fingerprint
                place = place + 1
                same = place < len(terms.prints)
                same[same] = terms.prints[place[same]] == tokens.prints[candidates[same]]
                candidates, place = candidates[same], place[same]
            column = terms.columns[place]
            equal = self._equal(terms, column, tokens, candidates)
            found_tokens.append(candidates[equal])
            found_terms.append(column[equal])
        return np.concatenate(found_tokens), np.concatenate(found_terms)

    def count(self, terms: Terms, groups: Ints) -> Counts:
        """Count terms by passage and group; `groups` has the group of each."""
        width = int(groups.max()) + 1
        keys = []
        for tokens in (self.words, self.wholes):
            found, columns = self.find(terms, tokens)
            keys.append(tokens.rows(found) * width + groups[columns])
        counts = np.bincount(np.concatenate(keys))
        met = np.flatnonzero(counts)
        return Counts(met // width, met % width, counts[met])

    def holding(self, terms: Terms, phrase: Ints) -> Flags:
        """Say which passages hold the words `terms[phrase[0]], terms[phrase[1]], …` in a row."""
        found, columns = self.find(terms, self.words)
        order = np.argsort(found, kind="stable")
        found, columns = found[order], columns[order]
        firsts = found[columns == phrase[0]]
        for step, column in enumerate(phrase[1:].tolist(), start=1):
            firsts = firsts[np.isin(firsts + step, found[columns == column], assume_unique=True)]
        rows = self.words.rows(firsts)
        held = np.zeros(self.size, dtype=np.bool_)
        held[rows[rows == self.words.rows(firsts + len(phrase) - 1)]] = True
        return held

    def beginning(self, prefixes: Sequence[bytes]) -> set[bytes]:
        """Return the distinct words that begin with any of `prefixes`. No prefix is empty."""
        wanted = np.zeros(1 << 16, dtype=np.bool_)
        for prefix in prefixes:
            # A pair has its first byte low; any byte may follow a prefix of one.
            pairs = prefix[0] + 256 * np.arange(256) if len(prefix) == 1 else [_pair(prefix)]
            wanted[pairs] = True
        starts = self.words.starts[np.flatnonzero(wanted[self.words.heads])].astype(np.int64)
        heads, longer = _first_eight(_eights(self.data), starts)
        alike = np.zeros(len(starts), dtype=np.bool_)
        for prefix in prefixes:
            head = np.frombuffer(prefix[:8].ljust(8, b"\0"), "<u8")[0]
            alike |= (heads & _KEEP[min(len(prefix), 8)]) == head
        short = np.unique(heads[alike & ~longer]).astype("<u8").tobytes()
        words = {short[i : i + 8].rstrip(b"\0") for i in range(0, len(short), 8)}
        return words | self._long(starts[alike & longer], tuple(prefixes))

    def _long(self, starts: Ints, prefixes: tuple[bytes, ...]) -> set[bytes]:
        """Return the distinct words of eight bytes or more at `starts`."""
        if not len(starts):
            return set()
        eights = _eights(self.data)
        first = eights[starts]
        second, longest = _first_eight(eights, starts + 8)
        # Words that agree in sixteen bytes are looked at one by one.
        apart = np.where(longest, starts, 0).astype(np.uint64)
        _, one = np.unique(np.array([first, second, apart]), axis=1, return_index=True)
        words = (_WORD.match(self.data, start) for start in starts[one].tolist())
        return {word[0] for word in words if word and word[0].startswith(prefixes)}

    def _equal(self, terms: Terms, columns: Ints, tokens: Tokens, candidates: Ints) -> Flags:
        """Say which candidates are the terms `columns`: they end there and have the same bytes."""
        starts = tokens.starts[candidates].astype(np.int64)
        lengths, origins = terms.lengths[columns], terms.starts[columns]
        equal: Flags
        if tokens.ends is None:
            last = len(self._bytes) - 1  # a term may be longer than what is left of the chunk
            equal = self._bytes[np.minimum(starts + lengths, last)] < WORD_BYTE
            equal &= starts + lengths <= last - _EDGE + 1
        else:
            equal = tokens.ends[candidates] == starts + lengths
        here, there = _eights(self.data), _eights(terms.data)
        for offset in range(0, int(lengths.max(initial=0)), 8):
            rest = np.flatnonzero(equal & (lengths > offset))
            keep = _KEEP[np.minimum(lengths[rest] - offset, 8)]
            differ = (here[starts[rest] + offset] ^ there[origins[rest] + offset]) & keep
            equal[rest[differ != 0]] = False
        return equal


class NumpyScan:
    """Chunks and questions of numpy's scan."""

    name = "numpy"

    def chunk(self, texts: Sequence[str]) -> NumpyChunk:
        """Fold the texts of passages and find their tokens."""
        return NumpyChunk(texts)

    def counting(self, terms: Sequence[bytes], groups: Ints) -> Callable[[NumpyChunk], Counts]:
        """Count distinct folded terms, several at once; `groups` has the group of each."""
        table = Terms(terms)
        return lambda chunk: chunk.count(table, groups)

    def holding(self, phrase: Sequence[bytes]) -> Callable[[NumpyChunk], Flags]:
        """Say which passages hold these words in a row, shape (passages,); there is one word."""
        numbers = {word: number for number, word in enumerate(dict.fromkeys(phrase))}
        table, order = Terms(list(numbers)), np.array([numbers[word] for word in phrase])
        return lambda chunk: chunk.holding(table, order)

    def beginning(self, prefixes: Sequence[bytes]) -> Callable[[NumpyChunk], set[bytes]]:
        """Find the distinct words that begin with any of the prefixes. No prefix is empty."""
        return lambda chunk: chunk.beginning(prefixes)


def _wholes(folded: Bytes, inside: Flags, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Return where the wholes begin and end: two words or more, a single connector between each."""
    middle = folded[1:-1]
    join = inside[:-2] & inside[2:] & (middle - np.uint8(1) < LAST_JOIN)
    joints = np.flatnonzero(join) + 1
    if not len(joints):
        return joints, joints
    for_digits = folded[joints] >= FIRST_DIGIT_JOIN
    digits = _is_digit(folded[joints - 1]) & _is_digit(folded[joints + 1])
    joints = joints[~for_digits | digits]
    after = np.searchsorted(starts, joints + 1)  # the word behind each joint
    first = np.ones(len(joints), dtype=np.bool_)
    first[1:] = after[1:] != after[:-1] + 1
    last = np.ones(len(joints), dtype=np.bool_)
    last[:-1] = first[1:]
    return starts[after[first] - 1], ends[after[last]]


def _is_digit(folded: Bytes) -> Flags:
    digits: Flags = (folded >= ord("0")) & (folded <= ord("9"))
    return digits


def _tokens(pairs: Pairs, starts: Ints, ends: Ints, bounds: Ints, *, whole: bool = False) -> Tokens:
    return Tokens(
        starts.astype(np.uint32),
        _fingerprints(pairs, starts, ends),
        pairs[starts],
        ends.astype(np.uint32) if whole else None,
        np.searchsorted(starts, bounds).astype(np.int64),
    )


def _pairs(folded: Bytes) -> Pairs:
    """Return each byte together with the next: aligned, so that numpy gathers five times faster."""
    wide = folded.astype(np.uint16)
    pairs: Pairs = np.left_shift(wide[1:], np.uint16(8))
    pairs |= wide[:-1]
    return pairs


def _fingerprints(pairs: Pairs, starts: Ints, ends: Ints) -> Pairs:
    """Mix a token's first two bytes, last two, and length; its neighbour's when it has but one."""
    mixed: Pairs = pairs[starts] * np.uint16(0x9E37)
    mixed ^= pairs[ends - 2] * np.uint16(0x85EB)
    mixed += (ends - starts).astype(np.uint16) * np.uint16(0xC2B3)
    return mixed


def _pair(word: bytes) -> int:
    return int.from_bytes(word[:2], "little")


def _first_eight(eights: _Words, starts: Ints) -> tuple[_Words, Flags]:
    """Return up to eight bytes of the words at `starts`, zeros behind, and which have eight."""
    read = eights[starts]
    # The top bit of every byte below WORD_BYTE, exact for the first such byte of the eight.
    ends = (read - _EACH * np.uint64(WORD_BYTE)) & ~read & (_EACH << np.uint64(7))
    end = (ends & (~ends + np.uint64(1))) >> np.uint64(7)
    return read & (end - np.uint64(1)), ends == 0


def _eights(data: bytes) -> _Words:
    return np.ndarray((len(data) - 7,), "<u8", buffer=data, strides=(1,))
