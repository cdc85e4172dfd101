"""Environment variables that keep third-party libraries off the network.

Most are read once, at import, so `app.main` calls this before anything else is imported.
"""

from __future__ import annotations

from collections.abc import MutableMapping

OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    # The tokenizers library warns on stderr, and may hang, when its threads meet a fork.
    "TOKENIZERS_PARALLELISM": "false",
}
"""They override the caller's environment. pip reads none of them, so that pulls still work."""


def set_offline_environment(environ: MutableMapping[str, str]) -> None:
    """Write the variables into `environ`, usually `os.environ`."""
    environ.update(OFFLINE)
