"""Has a model read passages with a question behind them, and scores each sentence by attention."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from engine.attention.compression import Sentence
from engine.attention.reaction import Mean, Measure, sentence_scores, token_scores, tokens_of
from engine.language.sentences import Span
from engine.retrieval.recall import Scores
from engine.values import GAP, Excerpt, Passage
from models.errors import ContextExceeded
from models.protocols import (
    AttentionColumns,
    AttentionReader,
    AttentiveGenerator,
    GenerationRequest,
    Piece,
    Stopped,
)

QUERY = "\n\nQuestion: {}\nAnswer:"
"""Comes after each window, so that attention is read when the model is about to answer."""
MARGIN = 16
"""Tokens left free for a model's own marks before the text."""
NEXT = "x"
"""Follows a block when its tokens are counted: many tokenizers make one token of blank lines at the
end of a text, and two where the text goes on."""


FEWEST = 40
"""Fewest characters of a sentence whose beginning is worth reading alone."""


@dataclass(frozen=True)
class Way:
    """How attention becomes scores."""

    layers: tuple[int, ...]
    mean: Mean = "arithmetic"
    measure: Measure = "reaction"


@dataclass
class Window:
    """As much of the context as the model reads at once."""

    text: str = ""
    sentences: list[int] = field(default_factory=list)
    """Numbers of the sentences in it."""
    places: list[Span] = field(default_factory=list)
    """Their places in `text`."""
    tokens: int = 0

    def add(self, block: Block) -> None:
        """Append a block."""
        at = len(self.text)
        self.text += block.text
        self.sentences += block.sentences
        self.places += [(at + begin, at + end) for begin, end in block.places]


@dataclass(frozen=True)
class Block:
    """What is not divided between two windows: a passage under its title, or some sentences."""

    text: str
    sentences: list[int]
    places: list[Span]
    tokens: int


def attend(
    reader: AttentionReader,
    passages: Sequence[Passage],
    sentences: Sequence[Sentence],
    question: str,
    way: Way,
    stopped: Stopped | None = None,
) -> Scores:
    """Return a score for each sentence, shape (sentences,).

    What does not fit the model's context is read in windows of about the same size, each with the
    question behind it. Raises `ContextExceeded` where not even a sentence fits, `RuntimeFailed`
    and `Cancelled`.
    """
    query = QUERY.format(question)
    room = reader.context - reader.count(query) - MARGIN
    scores = np.zeros(len(sentences))
    found = windows(passages, sentences, reader.count, room)
    if any(window.tokens > room for window in found):
        raise ContextExceeded(
            f"The question, or a title, leaves no room in the {reader.context} tokens of "
            f"{reader.id}.",
            remedy="Raise --max-context, or ask a shorter question.",
        )
    for window in found:
        columns = reader.read(window.text, query, layers=way.layers, stopped=stopped)
        vector = token_scores(columns, way.measure)
        tokens = tokens_of(columns.spans, window.places)
        scores[window.sentences] = sentence_scores(vector, tokens, way.mean)
    return scores


def windows(
    passages: Sequence[Passage],
    sentences: Sequence[Sentence],
    count: Callable[[str], int],
    room: int,
) -> list[Window]:
    """Return the windows that hold all sentences, each at most `room` tokens, about equally full.

    Cut between passages; between sentences only in one that alone is longer than a window. Of a
    sentence longer than that the beginning is read. A title that leaves no room for any makes its
    window too long.
    """
    blocks = [
        block
        for number, group in groupby(range(len(sentences)), key=lambda i: sentences[i].number)
        for block in _blocks(passages[number], list(group), sentences, count, room)
    ]
    total = sum(block.tokens for block in blocks)
    fair = total / max(1, -(-total // max(1, room)))
    groups: list[list[Block]] = []
    filled = 0
    for block in blocks:
        if not groups or filled + block.tokens > room or filled + block.tokens / 2 > fair:
            groups.append([])
            filled = 0
        groups[-1].append(block)
        filled += block.tokens
    return [window for group in groups for window in _joined(group, count, room)]


def _joined(blocks: Sequence[Block], count: Callable[[str], int], room: int) -> list[Window]:
    """Return blocks as one window; as several where they take more together than one by one."""
    window = Window()
    for block in blocks:
        window.add(block)
    window.tokens = count(window.text)
    if window.tokens <= room or len(blocks) == 1:
        return [window]
    middle = len(blocks) // 2
    halves = (blocks[:middle], blocks[middle:])
    return [part for half in halves for part in _joined(half, count, room)]


def _blocks(
    passage: Passage,
    numbers: Sequence[int],
    sentences: Sequence[Sentence],
    count: Callable[[str], int],
    room: int,
) -> list[Block]:
    """Return a passage as one block; as several where it has more tokens than a window."""
    whole = _block(passage, numbers, sentences, count)
    if whole.tokens <= room:
        return [whole]
    if len(numbers) == 1:
        return [_beginning(whole, count, room)]
    middle = len(numbers) // 2
    halves = (numbers[:middle], numbers[middle:])
    return [part for half in halves for part in _blocks(passage, half, sentences, count, room)]


def _beginning(block: Block, count: Callable[[str], int], room: int) -> Block:
    """Return the block of one sentence with as much of it as a window takes, found by halving."""
    [(begin, end)] = block.places
    while block.tokens > room and end - begin > FEWEST:
        end = (begin + end) // 2
        block = _counted(f"{block.text[:end]}\n\n", block.sentences, [(begin, end)], count)
    return block


def _block(
    passage: Passage,
    numbers: Sequence[int],
    sentences: Sequence[Sentence],
    count: Callable[[str], int],
) -> Block:
    """Return the stretch from the first to the last of neighbouring sentences, under its title.

    What was cut out of the passage between them stays out.
    """
    nameless = isinstance(passage, Excerpt) and passage.nameless
    text = "\n" if nameless else f"{passage.item.title}\n"
    places: list[Span] = []
    for _, group in groupby(numbers, key=lambda i: sentences[i].run):
        of = [sentences[i].place for i in group]
        text += GAP if places else ""
        shift = len(text) - of[0].start
        text += passage.item.text[of[0].start : of[-1].end]
        places += [(one.start + shift, one.end + shift) for one in of]
    return _counted(f"{text}\n\n", list(numbers), places, count)


def _counted(
    text: str, sentences: list[int], places: list[Span], count: Callable[[str], int]
) -> Block:
    return Block(text, sentences, places, count(text + NEXT) - count(NEXT))


LayersOf = Callable[[int], tuple[int, ...]]
"""Returns the layers to read, given how many the model has."""


@dataclass
class SampledAttention:
    """Attention that a model shows while it reads passages for samples, at no extra token."""

    passages: Sequence[Passage]
    columns: AttentionColumns | None = None
    """None: not read, or not shown."""
    of: int = 0
    """How many layers the model has."""
    _starts: Mapping[int, int] = field(default_factory=dict)
    """Where each passage's text begins in the prompt, by the identity of the passage."""

    def sample(
        self, model: AttentiveGenerator, layers_of: LayersOf, request: GenerationRequest
    ) -> Iterator[Piece]:
        """Yield what the model's `sample` does for one prompt; note the attention before it."""
        [prompt] = request.prompts
        starts = places_in(prompt, self.passages)
        if starts is None:
            yield from model.sample(request)
            return
        self._starts = {id(one): at for one, at in zip(self.passages, starts, strict=True)}
        until = max(at + len(one.text) for at, one in zip(starts, self.passages, strict=True))
        self.of = model.layers
        layers = layers_of(model.layers)
        for piece in model.sample_and_read(request, until=until, layers=layers):
            if piece.columns is not None:
                self.columns = piece.columns
            if piece.text or piece.finished:
                yield piece

    def has_layers(self, layers_of: LayersOf) -> bool:
        """Say whether these layers were read."""
        return self.columns is not None and self.columns.layers == layers_of(self.of)

    def scores(
        self, passages: Sequence[Passage], sentences: Sequence[Sentence], way: Way
    ) -> Scores | None:
        """Return a score for each sentence; None unless all these passages were read this way."""
        if self.columns is None or self.columns.layers != way.layers:
            return None
        if any(id(passage) not in self._starts for passage in passages):
            return None
        shifts = [self._starts[id(passage)] - passage.start for passage in passages]
        places = [
            (one.place.start + shifts[one.number], one.place.end + shifts[one.number])
            for one in sentences
        ]
        tokens = tokens_of(self.columns.spans, places)
        return sentence_scores(token_scores(self.columns, way.measure), tokens, way.mean)


def places_in(prompt: str, passages: Sequence[Passage]) -> list[int] | None:
    """Return where each passage's text begins in a prompt that shows them in this order.

    None where one is not there literally: an excerpt, or text with a shortened address.
    """
    starts: list[int] = []
    end = 0
    for passage in passages:
        at = prompt.find(f"\n{passage.text.rstrip()}", end)
        if at < 0 or isinstance(passage, Excerpt):
            return None
        starts.append(at + 1)
        end = at + 1 + len(passage.text.rstrip())
    return starts
