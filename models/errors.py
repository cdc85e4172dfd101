"""The root of the error tree, and the errors of model files and runtimes.

AskanceError
├── ModelError                     exit 4
│   ├── ModelMissing               not in the store
│   ├── ModelCorrupt               hash or header wrong; set aside, never loaded
│   ├── ModelUnknown               no such id in the catalogue
│   ├── CatalogueInvalid           exit 2: a row is not as documented
│   └── PullFailed                 download, disk or hash; what was verified is kept
├── RuntimeFailed                  exit 1: the runtime refused to load or decode
│   ├── ContextExceeded            the prompt is longer than the context
│   ├── LibraryBroken              llama.cpp's library crashes here, or computes nonsense
│   └── MemorySpent                memory ran out; the model was unloaded
└── …                              `engine.errors` goes on
Every message says what happened, where, and what to do next.
"""

from __future__ import annotations

from pathlib import Path


class AskanceError(Exception):
    """Root of every error that a person may see.

    `kind` is the machine word in `--json`, `exit_code` the process's exit status.
    """

    kind = "error"
    exit_code = 1

    def __init__(self, message: str, *, remedy: str, path: Path | None = None) -> None:
        """Keep what happened (`message`), where (`path`) and what to do next (`remedy`)."""
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        """Go through pickle whatever `__init__` takes: errors come from other processes too."""
        return _restored, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        """Return the message and its remedy as one line."""
        return f"{self.message} {self.remedy}".strip()


def _restored(
    kind: type[AskanceError], args: tuple[object, ...], state: dict[str, object]
) -> AskanceError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class ModelError(AskanceError):
    """A model file is absent, wrong, or could not be fetched."""

    kind = "model"
    exit_code = 4


class ModelUnknown(ModelError):
    """The catalogue has no row with this id."""

    kind = "model_unknown"


class CatalogueInvalid(ModelError):
    """A row of the catalogue is not as documented; nothing was tried."""

    kind = "catalogue"
    exit_code = 2


class ModelMissing(ModelError):
    """The model is in the catalogue and not in the store."""

    kind = "model_missing"


class ModelCorrupt(ModelError):
    """The file's hash or header is not what the catalogue says."""

    kind = "model_corrupt"


class PullFailed(ModelError):
    """A download did not finish. Verified parts are kept for the next try."""

    kind = "pull_failed"


class RuntimeFailed(AskanceError):
    """The runtime could not load a model or decode a batch."""

    kind = "runtime"


class ContextExceeded(RuntimeFailed):
    """The prompt and the room for its reply do not fit the model's context."""

    kind = "context_exceeded"


class LibraryBroken(RuntimeFailed):
    """llama.cpp's library crashes or computes nonsense, even with every feature switched off."""

    kind = "library_broken"


class MemorySpent(RuntimeFailed):
    """Memory ran out while a model was loaded or at work. It is unloaded, the program goes on."""

    kind = "memory"
