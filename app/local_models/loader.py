"""From a model's id to a loaded model: catalogue, store and runtime joined."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal

from app.errors import UsageError
from app.local_models.fit import Room, context_for
from app.local_models.roles import installed, row_for
from app.local_models.server import ServerModel, connected, served_roles
from app.output.stages import loading_text
from app.settings.config import Config, config_path
from models import foreign
from models.encoder import Encoder
from models.errors import ModelMissing, RuntimeFailed
from models.llama.encoder_file import unlike_bert
from models.llama.precautions import Precautions
from models.proof.proof import proved
from models.protocols import AttentionReader, AttentiveGenerator, Generator
from models.roles import FittedWeights, ModelSet
from models.sparse import SparseEncoder
from models.speed import Speed, measured
from models.store.catalogue import Catalogue, ModelRow, Role, load_catalogue
from models.store.consent import bind
from models.store.fitted import FILE as FITTED
from models.store.fitted import load_fitted, with_fitted
from models.store.store import Store
from models.store.user_rows import FILE, load_user_rows
from models.system.files import Progress


def user_rows_path(environ: Mapping[str, str]) -> Path:
    """Return the file of the person's own rows."""
    return config_path(environ).with_name(FILE)


def fitted_path(environ: Mapping[str, str]) -> Path:
    """Return the file of what the person fitted."""
    return config_path(environ).with_name(FITTED)


def known_models(environ: Mapping[str, str]) -> tuple[Catalogue, Store]:
    """Return the catalogue, with all that is the person's in it, and their store.

    Raises `ModelError` when a file of the person's own cannot be used.
    """
    catalogue, store = unfitted_models(environ)
    return with_fitted(catalogue, load_fitted(fitted_path(environ))), store


def unfitted_models(environ: Mapping[str, str]) -> tuple[Catalogue, Store]:
    """Return the same without what the person fitted: their rows and what they accepted."""
    store = Store.default(environ)
    path = user_rows_path(environ)
    catalogue = load_catalogue().joined(load_user_rows(path), str(path))
    return bind(catalogue, store.root), store


def model_set(
    config: Config,
    *,
    lookahead: str | None = None,
    generator: str | None = None,
    max_context: int | None = None,
    needed: bool = True,
    progress: Progress | None = None,
    say: Callable[[str], object] = lambda text: None,
) -> ModelSet:
    """Choose the models: flags, then settings, then the catalogue's defaults.

    They are checked and not loaded yet, so that nobody reads a mailbox first to learn that a
    model is missing or a server does not answer. A file is hashed once (`progress`); after that
    its signature is compared. `say` is told of loadings and of waiting. Where the question may be
    computed, models are not `needed`: `say` is told of one that is missing, and it raises when
    it is loaded.
    Raises `ModelError`, `ServerFailed` and `SettingWrong`.
    """
    catalogue, store = known_models(os.environ)
    flags: dict[Role, str | None] = {"lookahead": lookahead, "generator": generator}
    served = served_roles(config, flags)
    local = {
        role: row_for(role, flag, config, catalogue)
        for role, flag in flags.items()
        if role not in served
    }
    for row in dict.fromkeys(local.values()):
        try:
            store.open(row, progress)
        except ModelMissing:
            if needed:
                raise
            say(f"{row.id} is not here, so only what can be computed is answered")
    loader = Loader(config, catalogue, store, context_for(config, max_context), say)
    remote = {at: loader.connected(at) for at in set(served.values())}
    ids = {role: row.id for role, row in local.items()}
    ids |= {role: remote[at].id for role, at in served.items()}
    yes_bias, denial_bias = _biases(local.get("generator"), config)
    minutes = config.values.models.idle_minutes
    models = ModelSet(
        ids["lookahead"],
        ids["generator"],
        loader.generator,
        encoder=installed("encoder", config, catalogue, store),
        load_encoder=loader.encoder,
        sparse_encoder=installed("sparse_encoder", config, catalogue, store),
        load_sparse_encoder=loader.sparse_encoder,
        load_attention=loader.attention,
        load_attentive=loader.attentive if "lookahead" in local else None,
        reaction_layer=_reaction_layer(local.get("lookahead")),
        confidence=fitted_weights(local.get("generator")),
        yes_bias=yes_bias,
        denial_bias=denial_bias,
        fit_together=loader.room.both,
        idle_seconds=60.0 * minutes if minutes else None,
        show=lambda loading: say(loading_text(loading)),
        measure=loader.speed,
    )
    for model in remote.values():
        models.add(model)
    return models


def _reaction_layer(row: ModelRow | None) -> int | None:
    return row.reaction_layer or None if row else None


def _biases(row: ModelRow | None, config: Config) -> tuple[float, float | None]:
    """Return a generator's bias to yes, and with its adapter, to a denial instead.

    Only llama.cpp, as it ships here, adds an adapter.
    """
    if row is None:
        return 0.0, None
    brought = config.values.models.runtime in foreign.found()
    if row.adapter and not brought and runtime_for(row, config) == "llama":
        return 0.0, row.denial_bias
    return row.yes_bias, None


def fitted_weights(row: ModelRow | None) -> FittedWeights | None:
    """Return what was fitted of how sure a generator is, None where nothing was."""
    return FittedWeights(row.confidence, row.typical) if row and row.confidence else None


class Loader:
    """What `ModelSet` calls with an id when a model is first used."""

    def __init__(
        self,
        config: Config,
        catalogue: Catalogue,
        store: Store,
        context: int,
        say: Callable[[str], object],
    ) -> None:
        """Load models of this machine with a context of so many tokens."""
        self.room = Room(catalogue, store, context)
        self._config = config
        self._catalogue = catalogue
        self._store = store
        self._context = context
        self._say = say
        self._served: dict[str, ServerModel] = {}

    def connected(self, at: ServerModel) -> Generator:
        """Return a server's model. Raises as `server.connected` does."""
        model = connected(self._config, at, self._say)
        self._served[model.id] = at
        return model

    def generator(self, model_id: str) -> Generator:
        """Load a model, or connect to it again. Raises `ModelError` and `RuntimeFailed`.

        What cannot work or does not fit is refused before a runtime sees the file.
        """
        if model_id in self._served:
            return self.connected(self._served[model_id])
        return self._brought(model_id) or self._local(model_id, attentive=False)

    def _brought(self, model_id: str) -> Generator | None:
        """Load a model in an installed package's runtime; None where the settings name none."""
        asked = self._config.values.models.runtime
        row = self._catalogue.row(model_id)
        if asked not in foreign.found() or row.format not in foreign.runtime(asked).formats:
            return None
        path = self._store.open(row)
        self._say(f"Loading {row.id} in {asked}")
        return foreign.runtime(asked).open(path, row.id, self._context)

    def attentive(self, model_id: str) -> AttentiveGenerator:
        """Load a model whose own prompts are to be read. Raises as `generator` does."""
        asked = self._config.values.models.runtime
        if asked in foreign.found():
            raise RuntimeFailed(
                f"The runtime {asked} shows no attention of {model_id}.",
                remedy="Use llama.cpp or transformers, or another strategy.",
            )
        return self._local(model_id, attentive=True)

    def _local(self, model_id: str, *, attentive: bool) -> AttentiveGenerator:
        row = self._catalogue.row(model_id)
        path = self._store.open(row)
        self._say(f"Loading {row.id}")
        if runtime_for(row, self._config) == "transformers":
            from models.torch.loaders import load_torch  # imports torch, some seconds

            return load_torch(path, row.id, context=self._context, attentive=attentive)
        precautions = self._precautions  # before this process trusts the library
        from models.llama.generator import load_llama  # imports llama.cpp, about half a second

        fit = self.room.fit(row, path, reads=attentive)
        return load_llama(
            *(path, row.id),
            context=self._context,
            gpu_layers=fit.gpu_layers,
            memory=fit.cache,
            attentive=attentive,
            precautions=precautions,
            adapter=row.adapter_path,
        )

    @cached_property
    def _precautions(self) -> Precautions:
        """What llama.cpp may use here. Raises as `models.proof.proof.proved` does."""
        return proved(self._store.root, self._say)

    def speed(self, model: Generator) -> Speed | None:
        """Return how fast a model is here; nothing is sent to a server to find out."""
        return None if model.id in self._served else measured(model)

    def encoder(self, model_id: str) -> Encoder:
        """Load an encoder: by llama.cpp, unless it cannot or the settings say. Raises likewise."""
        path = self._store.open(self._catalogue.row(model_id))
        self._say(f"Loading {model_id}")
        asked = self._config.values.models.runtime
        if asked == "transformers" or (asked != "llama" and unlike_bert(path.parent)):
            from models.torch.loaders import load_encoder

            return load_encoder(path, model_id)
        precautions = self._precautions
        from models.llama.encoder import load_llama_encoder

        return load_llama_encoder(path, model_id, precautions=precautions)

    def sparse_encoder(self, model_id: str) -> SparseEncoder:
        """Load a sparse encoder. Raises as `encoder`; only llama.cpp runs one."""
        path = self._store.open(self._catalogue.row(model_id))
        self._say(f"Loading {model_id}")
        precautions = self._precautions
        from models.llama.sparse import load_llama_sparse

        return load_llama_sparse(path, model_id, precautions=precautions)

    def attention(self, model_id: str) -> AttentionReader:
        """Load a model to read its attention. Raises as `generator` does; a server shows none."""
        if model_id in self._served:
            raise RuntimeFailed(
                f"A server shows no attention of {model_id}.",
                remedy="Use a model of this machine, or another strategy.",
            )
        row = self._catalogue.row(model_id)
        path = self._store.open(row)
        self._say(f"Loading {row.id} to read its attention")
        if runtime_for(row, self._config) == "transformers":
            from models.torch.loaders import load_torch_attention

            return load_torch_attention(path, row.id, context=self._context)
        precautions = self._precautions
        from models.llama.attention import load_llama_attention

        fit = self.room.fit(row, path, reads=True)
        return load_llama_attention(
            *(path, row.id),
            context=self._context,
            gpu_layers=fit.gpu_layers,
            memory=fit.cache,
            precautions=precautions,
        )


def runtime_for(row: ModelRow, config: Config) -> Literal["llama", "transformers"]:
    """Return what runs a model on this machine: by its format, unless the settings say.

    Raises `UsageError` where they ask for what cannot be.
    """
    asked = config.values.models.runtime
    if row.format == "gguf":
        return "transformers" if asked == "transformers" else "llama"
    if asked == "llama":
        raise UsageError(
            f"llama.cpp runs GGUF files, and {row.id} is none.",
            remedy='Set `runtime` under [models] to "auto", or choose another model.',
        )
    return "transformers"
