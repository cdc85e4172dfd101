"""Which prompts stay in the cache, over a memory that only keeps account."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from models.decoding.prefix_cache import SHORT_TAIL, Prefix, PrefixCache, common_length

CELLS = 400


class Ledger:
    """A unified cache: every sequence maps positions to cells; a cell may be in several."""

    def __init__(self) -> None:
        self.sequences: dict[int, dict[int, int]] = {}
        self.made = 0

    def copy_sequence(self, source: int, target: int, start: int = 0, end: int = -1) -> None:
        held = self.sequences.get(source, {})
        taken = {p: c for p, c in held.items() if p >= start and (end < 0 or p < end)}
        self.sequences.setdefault(target, {}).update(taken)

    def cut_sequence(self, sequence: int, start: int = 0) -> None:
        held = self.sequences.get(sequence, {})
        self.sequences[sequence] = {p: c for p, c in held.items() if p < start}

    def compute(self, prefix: Prefix) -> None:
        for position in range(prefix.computed, len(prefix.tokens)):
            self.sequences.setdefault(prefix.sequence, {})[position] = self.made
            self.made += 1
        prefix.computed = len(prefix.tokens)

    @property
    def used(self) -> int:
        return len({cell for held in self.sequences.values() for cell in held.values()})


def prompt(cache: PrefixCache, memory: Ledger, tokens: list[int], replies: int = 0) -> int:
    """Compute one prompt as a call of its own; return how many tokens were found."""
    found = cache.find(tokens)
    prefix = cache.open(tokens, found, replies)
    assert prefix is not None
    memory.compute(prefix)
    assert memory.used + replies <= CELLS
    assert sorted(memory.sequences[prefix.sequence]) == list(range(len(tokens)))
    cache.release()
    return found.shared


def made(sequences: int = 3, *, cuts: bool = True) -> tuple[PrefixCache, Ledger]:
    memory = Ledger()
    return PrefixCache(memory, range(sequences), CELLS, cuts=cuts), memory


def story(name: int, size: int) -> list[int]:
    return [name * 1000 + i for i in range(size)]


def test_alternating_prompts_are_found_again() -> None:
    cache, memory = made()
    one, other = story(1, 100), story(2, 100)
    assert [prompt(cache, memory, tokens) for tokens in (one, other, one, other)] == [0, 0, 99, 99]


def test_a_beginning_shared_by_two_long_prompts_is_held_once() -> None:
    cache, memory = made()
    one, other = story(1, 100) + story(2, 100), story(1, 100) + story(3, 100)
    assert prompt(cache, memory, one) == 0
    assert prompt(cache, memory, other) == 100
    assert memory.used == 300
    assert prompt(cache, memory, one) == 199


def test_a_short_tail_is_overwritten() -> None:
    cache, memory = made(sequences=2)
    prompt(cache, memory, story(1, 100) + story(2, SHORT_TAIL))
    assert prompt(cache, memory, story(1, 100) + story(3, SHORT_TAIL)) == 100
    assert memory.used == 100 + SHORT_TAIL


def test_the_prompt_used_longest_ago_goes_first() -> None:
    cache, memory = made(sequences=2)
    for name in (1, 2, 1, 3):
        prompt(cache, memory, story(name, 100))
    assert prompt(cache, memory, story(1, 100)) == 99
    assert prompt(cache, memory, story(2, 100)) == 0


def test_room_for_replies_is_kept_free() -> None:
    cache, memory = made()
    prompt(cache, memory, story(1, 150))
    prompt(cache, memory, story(2, 150))
    prompt(cache, memory, story(3, 150), replies=100)
    assert prompt(cache, memory, story(1, 150)) == 0


def test_what_is_pinned_makes_the_next_prompt_wait() -> None:
    cache, _ = made()
    first = story(1, 250)
    assert cache.open(first, cache.find(first), 50) is not None
    other = story(2, 101)
    assert cache.open(other, cache.find(other), 0) is None
    cache.release()
    assert cache.open(other, cache.find(other), 0) is not None


def test_a_beginning_that_is_only_queued_has_to_run_first() -> None:
    cache, memory = made()
    first = story(1, 100) + story(2, 100)
    prefix = cache.open(first, cache.find(first), 0)
    assert prefix is not None
    found = cache.find(story(1, 100) + story(3, 100))
    assert found.waits
    memory.compute(prefix)
    assert not cache.find(story(1, 100) + story(3, 100)).waits


def test_what_was_not_computed_is_forgotten() -> None:
    cache, memory = made()
    tokens = story(1, 100)
    prefix = cache.open(tokens, cache.find(tokens), 0)
    assert prefix is not None
    prefix.computed = 40  # the call was cancelled in the middle
    cache.release()
    assert cache.find(tokens).shared == 40
    assert prompt(cache, memory, story(2, 100)) == 0


def test_a_reply_is_kept_for_the_next_turn() -> None:
    cache, memory = made()
    tokens, reply = story(1, 100), story(2, 10)
    prefix = cache.open(tokens, cache.find(tokens), 20)
    assert prefix is not None
    memory.compute(prefix)
    memory.copy_sequence(prefix.sequence, 9, 0, 100)
    memory.sequences[9].update({100 + i: 9000 + i for i in range(10)})
    cache.add_reply(prefix, reply, 9)
    memory.cut_sequence(9)
    cache.release()
    assert prompt(cache, memory, tokens + reply + story(3, 5)) == 110


def test_a_memory_that_cannot_be_cut_is_shared_whole_or_not() -> None:
    cache, memory = made(cuts=False)
    prompt(cache, memory, story(1, 100))
    assert prompt(cache, memory, story(1, 100) + story(2, 10)) == 100
    assert prompt(cache, memory, story(1, 50) + story(3, 50)) == 0


@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 2), max_size=6), st.integers(0, 50), st.booleans()),
        max_size=25,
    )
)
def test_account_and_memory_agree(calls: list[tuple[list[int], int, bool]]) -> None:
    """Whatever is asked in whatever order, every prompt is whole and nothing overflows."""
    cache, memory = made()
    for parts, replies, whole in calls:
        tokens = [token for part in [*parts, 7] for token in story(part, 45)]
        prompt(cache, memory, tokens if whole else tokens[:-20], replies)
        assert cache._used() == memory.used


@given(st.lists(st.integers(0, 1)), st.lists(st.integers(0, 1)))
def test_the_common_length_is_that_of_the_common_beginning(one: list[int], two: list[int]) -> None:
    size = common_length(one, two)
    assert one[:size] == two[:size]
    assert one[size : size + 1] != two[size : size + 1] or size == min(len(one), len(two))
