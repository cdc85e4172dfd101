"""The models of an answer: each is loaded when first used, and unloaded to make room."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from models.encoder import Encoder
from models.errors import ModelMissing
from models.protocols import AttentionReader, AttentiveGenerator, Generator
from models.sparse import SparseEncoder
from models.speed import Speed

Loader = Callable[[str], Generator]
"""Turns a catalogue id into a loaded model; raises `ModelError` or `RuntimeFailed`."""
EncoderLoader = Callable[[str], Encoder]
"""The same for an encoder."""
SparseLoader = Callable[[str], SparseEncoder]
"""The same for a sparse encoder."""
AttentionLoader = Callable[[str], AttentionReader]
"""The same for a reader of attention."""
AttentiveLoader = Callable[[str], AttentiveGenerator]
"""The same for a generator that reads the attention of its own prompts."""
FitTogether = Callable[[str, str], bool]
"""Estimates whether two models fit into memory together."""


READING = " (attention)"
"""Follows the id of a model whose attention is read, where `FitTogether` is asked."""


Model = TypeVar("Model", Generator, AttentiveGenerator, Encoder, SparseEncoder, AttentionReader)


@dataclass(frozen=True, slots=True)
class Loading:
    """That a model was loaded, and what it cost."""

    model_id: str
    seconds: float
    instead_of: str | None = None
    """The model that was unloaded because both do not fit; its cached prompts are lost."""


@dataclass(frozen=True, slots=True)
class FittedWeights:
    """What was fitted to say how sure a generator's answers are; the engine knows the signals."""

    weights: Mapping[str, float]
    """By signal, and "intercept"."""
    typical: Mapping[str, float]
    """Means of the signals over the answers that they were fitted on."""


class ModelSet:
    """Look-ahead, generator and encoders by role. One model in two roles is loaded once."""

    def __init__(
        self,
        lookahead: str,
        generator: str,
        load: Loader,
        *,
        encoder: str | None = None,
        load_encoder: EncoderLoader | None = None,
        sparse_encoder: str | None = None,
        load_sparse_encoder: SparseLoader | None = None,
        load_attention: AttentionLoader | None = None,
        load_attentive: AttentiveLoader | None = None,
        reaction_layer: int | None = None,
        confidence: FittedWeights | None = None,
        yes_bias: float = 0.0,
        denial_bias: float | None = None,
        fit_together: FitTogether = lambda one, other: True,
        idle_seconds: float | None = None,
        show: Callable[[Loading], object] = lambda loading: None,
        measure: Callable[[Generator], Speed | None] = lambda model: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Remember the ids; nothing is loaded yet.

        `reaction_layer` is the look-ahead model's whose attention finds evidence best, None where
        that was not measured; `confidence` is the generator's, None where none was fitted;
        `yes_bias` is by how much its log-odds of yes lie too high, 0 where that was not measured;
        `denial_bias` the same of saying that no passage states an answer, None where it was not
        trained to say so.
        After `idle_seconds` without use `release_idle` unloads a model; None: never. `show` is told
        of every loading. `measure` says how fast a loaded model is; None: not known.
        """
        self.lookahead_id = lookahead
        self.generator_id = generator
        self.encoder_id = encoder
        """None: no encoder is installed."""
        self.sparse_encoder_id = sparse_encoder
        """None: no sparse encoder is installed."""
        self.reaction_layer = reaction_layer
        self.confidence = confidence
        self.yes_bias = yes_bias
        self.denial_bias = denial_bias
        self.loadings: list[Loading] = []
        self.idle_seconds = idle_seconds
        self.on_use: Callable[[str], object] = lambda model_id: None
        """Told the id of a model before it is loaded or handed out."""
        self._load = load
        self._load_encoder = load_encoder
        self._load_sparse_encoder = load_sparse_encoder
        self._load_attention = load_attention
        self._load_attentive = load_attentive
        self._attentive: AttentiveGenerator | None = None
        self._reads_along = False
        self._fit_together = fit_together
        self._show = show
        self._measure = measure
        self._speeds: dict[str, Speed | None] = {}
        self._clock = clock
        self._loaded: dict[str, Any] = {}
        self._used: dict[str, float] = {}

    def _get(self, model_id: str, load: Callable[[str], Model]) -> Model:
        self._drop_closed()
        self.on_use(model_id)
        if model_id not in self._loaded:
            self._load_into_room(model_id, load)
        self._used[model_id] = self._clock()
        model: Model = self._loaded[model_id]
        return model

    def add(self, model: Generator) -> None:
        """Take in a model that is open already, under its own id."""
        self._loaded[model.id] = model
        self._used[model.id] = self._clock()

    def _drop_closed(self) -> None:
        """Drop models that ran out of memory, and models that another set unloaded."""
        for model_id, model in list(self._loaded.items()):
            if model.closed:
                del self._loaded[model_id]

    def _weighed(self, model_id: str) -> str:
        """Return what says how much memory a loaded model takes."""
        attentive = self._attentive is not None and self._loaded[model_id] is self._attentive
        return f"{model_id}{READING}" if attentive else model_id

    def _load_into_room(
        self, model_id: str, load: Callable[[str], Model], weighed: str | None = None
    ) -> Model:
        """Load a model, and unload what does not fit beside it."""
        weighed = weighed or model_id
        began = self._clock()
        in_the_way = [
            other for other in self._loaded if not self._fit_together(self._weighed(other), weighed)
        ]
        for other in in_the_way:
            self._unload(other)
        model = self._loaded[model_id] = load(model_id)
        loading = Loading(model_id, self._clock() - began, next(iter(in_the_way), None))
        self.loadings.append(loading)
        self._show(loading)
        return model

    def _generator(self, model_id: str) -> Generator:
        attentive = self._attentive is not None and self._loaded.get(model_id) is self._attentive
        if attentive and not self._reads_along:
            self._unload(model_id)
        return self._get(model_id, self._load)

    @property
    def lookahead(self) -> Generator:
        """The small model that looks ahead."""
        return self._generator(self.lookahead_id)

    @property
    def attentive_lookahead(self) -> AttentiveGenerator:
        """The look-ahead model, loaded so that its own prompts' attention can be read.

        It takes the place of one loaded without, until the next `forget`. Raises `ModelMissing`
        where nothing here reads attention, and what loading raises.
        """
        self._drop_closed()
        load, model_id = self._load_attentive, self.lookahead_id
        if load is None:
            raise _no_attention(model_id)
        self.on_use(model_id)
        if self._attentive is None or self._loaded.get(model_id) is not self._attentive:
            if model_id in self._loaded:
                self._unload(model_id)
            self._attentive = self._load_into_room(model_id, load, f"{model_id}{READING}")
        self._reads_along = True
        self._used[model_id] = self._clock()
        found: AttentiveGenerator = self._loaded[model_id]
        return found

    @property
    def generator(self) -> Generator:
        """The large model that writes."""
        return self._generator(self.generator_id)

    @property
    def encoder(self) -> Encoder:
        """The bidirectional encoder. Raises `ModelMissing` where none is installed."""
        if self.encoder_id is None or self._load_encoder is None:
            raise ModelMissing(
                "This needs an encoder, and none is installed.",
                remedy="Fetch one and choose it: askance models pull ID, then askance models use "
                "encoder ID.",
            )
        return self._get(self.encoder_id, self._load_encoder)

    @property
    def sparse_encoder(self) -> SparseEncoder:
        """The encoder that weighs words. Raises `ModelMissing` where none is installed."""
        if self.sparse_encoder_id is None or self._load_sparse_encoder is None:
            raise ModelMissing(
                "This needs a sparse encoder, and none is installed.",
                remedy="Run `askance models pull`: it fetches the starter models.",
            )
        return self._get(self.sparse_encoder_id, self._load_sparse_encoder)

    @property
    def attention(self) -> AttentionReader:
        """The reader of the look-ahead model's attention; both use the same file.

        Raises `ModelMissing` where nothing here reads attention, and what loading raises.
        """
        load, model_id = self._load_attention, self.lookahead_id
        if load is None:
            raise _no_attention(model_id)
        return self._get(f"{model_id}{READING}", lambda _: load(model_id))

    def speed(self, role: Literal["lookahead", "generator"]) -> Speed | None:
        """Return how fast a role's model is here, measured once; None where it is not known.

        A model that is measured forgets its earlier prompts.
        """
        model_id = self.lookahead_id if role == "lookahead" else self.generator_id
        if model_id not in self._speeds:
            self._speeds[model_id] = self._measure(self._generator(model_id))
        return self._speeds[model_id]

    def release_idle(self) -> list[str]:
        """Unload what was not used for `idle_seconds`; return the ids.

        Not while an answer is written: a model is counted as used when it is asked for.
        """
        if self.idle_seconds is None:
            return []
        before = self._clock() - self.idle_seconds
        self._drop_closed()
        idle = [model_id for model_id in self._loaded if self._used[model_id] <= before]
        for model_id in idle:
            self._unload(model_id)
        return idle

    def forget(self) -> None:
        """Drop what loaded models keep of earlier prompts.

        What is computed upon a kept prompt is rounded otherwise than what is computed at once, so
        that the same question and seed could give another reply. So is what a model computes
        that was loaded to show its attention; one that does not takes its place when it is used.
        """
        self._reads_along = False
        for model_id in {self.lookahead_id, self.generator_id} & self._loaded.keys():
            self._loaded[model_id].forget()

    def _unload(self, model_id: str) -> None:
        self._loaded.pop(model_id).close()

    def close(self) -> None:
        """Free every loaded model."""
        for model_id in list(self._loaded):
            self._unload(model_id)


def _no_attention(model_id: str) -> ModelMissing:
    return ModelMissing(
        f"Nothing here reads the attention of {model_id}.",
        remedy="Use a model of this machine, in llama.cpp or transformers.",
    )
