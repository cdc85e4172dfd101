"""What this installation can do, and what to do about the rest."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from app.local_models.fit import Room
from app.local_models.loader import known_models
from app.local_models.roles import ENCODERS, roles_in_use
from app.local_models.server import connected, served_roles, server_address, where_text_goes
from app.output.report import size_text
from app.settings.config import load_config
from app.sources.states import look_at
from engine.retrieval.recall import fastest_scan
from ingest.reading.pool import protection
from ingest.scans.tesseract import is_ready, language_folder, languages
from models.errors import AskanceError, RuntimeFailed
from models.proof.description import described
from models.proof.proof import proof, remedy
from models.store.estimate import CONTEXT
from models.store.store import Store
from models.system.machine import Gpu, gpus_present, memory
from models.system.offline import OFFLINE

COST = (
    "Rearranged weights are not missed on x86: a 0.5B model read prompts as fast without, a 1.5B "
    "one faster; with AMX a 1.5B model reads prompts 1.2 times as fast rearranged; on other "
    "processors, and for flash attention, it was not measured"
)
"""What is lost without them, as measured (docs/results-machinery.md, "Rearranged weights")."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report."""

    name: str
    state: Literal["ok", "note", "missing"]
    """`note`: works, with a limit; `missing`: questions cannot be answered."""
    detail: str
    remedy: str | None = None


def examine() -> Iterator[Check]:
    """Yield what is found, in the order of the report; a server that is set is asked.

    Nothing is printed, no source is opened. Takes a second: llama.cpp is loaded, and where that
    was not done before proved, in a process of its own, and a reading process is started.
    """
    yield from _machine()
    yield _recall()
    yield _chosen()
    yield from _runtime()
    yield from _torch()
    yield from _models()
    yield from _server()
    yield from _settings()
    yield _sandbox()
    yield _scans()
    yield _offline()


def _machine() -> list[Check]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return [
        Check("askance", "ok", version("askance")),
        Check("python", "ok", f"{platform.python_version()} ({sys.executable})"),
        Check("platform", "ok", platform.platform()),
        Check("cores", "ok", str(cores)),
        Check("memory", "ok", _memory()),
    ]


def _memory() -> str:
    here = memory()
    return f"{size_text(here.total)}, {size_text(here.free)} free" if here.total else "unknown"


def _recall() -> Check:
    scan = fastest_scan().name
    if scan == "compiled":
        return Check("recall", "ok", "passages are ranked by compiled code")
    remedy = "Install a C compiler, then Askance again: that takes a third of the time."
    return Check("recall", "note", f"passages are ranked by {scan}, not by compiled code", remedy)


def _chosen() -> Check:
    """Say which runtime the settings choose, and what that means."""
    config = load_config(os.environ)
    asked = config.values.models.runtime or "auto"
    served = ", ".join(served_roles(config, {}))
    means = {
        "auto": "models run in llama.cpp (GGUF) or transformers (safetensors)",
        "llama": "models run in llama.cpp (GGUF), nowhere else",
        "transformers": "models run in transformers (GGUF and safetensors)",
        "server": "nothing runs here",
    }
    away = f"; at the server: {served}" if served else ""
    meant = means.get(asked, "an installed package's")
    return Check("runtime", "ok", f"{asked}: {meant}{away}")


def _runtime() -> list[Check]:
    try:
        found = version("llama-cpp-python")
    except PackageNotFoundError:
        again = "Install Askance again: it lacks llama-cpp-python."
        return [Check("llama-cpp-python", "missing", "not installed", again)]
    try:
        library = described()
    except RuntimeFailed as error:
        return [Check("llama-cpp-python", "missing", f"{found}: {error.message}", error.remedy)]
    built_for = ", ".join(library.backends) or "the CPU only"
    return [
        Check("llama-cpp-python", "ok", f"{found}, built for {built_for}"),
        Check("instruction sets", "ok", ", ".join(library.instruction_sets)),
        _proof(),
        gpu_check(library.gpus, gpus_present(), built=bool(library.backends)),
    ]


def _proof() -> Check:
    """Say whether llama.cpp computes rightly here; where something is off, prove it anew."""
    name = "llama.cpp proof"
    try:
        found = proof(Store.default(os.environ).root, lambda text: None, doubting=True)
    except RuntimeFailed as error:
        return Check(name, "missing", error.message, error.remedy)
    if not found.why:
        return Check(name, "ok", "it computes rightly on this processor")
    detail = f"works without {found.precautions.without}: with it, its check {found.why}. {COST}"
    return Check(name, "note", detail, remedy())


def _torch() -> list[Check]:
    """Say whether the transformers runtime is here; torch itself is not imported: it is slow."""
    asked = load_config(os.environ).values.models.runtime
    try:
        found = f"torch {version('torch')}, transformers {version('transformers')}"
    except PackageNotFoundError:
        if asked != "transformers":
            return [Check("transformers", "ok", "not installed; llama.cpp runs what is here")]
        remedy = "pip install 'askance[torch]', or set `runtime` under [models] to another."
        return [Check("transformers", "missing", "not installed, and set as the runtime", remedy)]
    return [Check("transformers", "ok", found)]


def gpu_check(used: Sequence[Gpu], present: Sequence[Gpu], *, built: bool) -> Check:
    """Say what goes to a GPU, or why nothing does."""
    if used:
        cards = "; ".join(
            f"{gpu.name}, {size_text(gpu.memory.free)} of {size_text(gpu.memory.total)} free"
            for gpu in used
        )
        return Check("gpu", "ok", f"{cards}; {_offloaded(sum(gpu.memory.free for gpu in used))}")
    names = ", ".join(gpu.name for gpu in present)
    if not present:
        return Check("gpu", "ok", "none is here; every layer runs on the CPU")
    if not built:
        remedy = (
            "Install it again with GPU support: CMAKE_ARGS=-DGGML_CUDA=on (NVIDIA; for AMD "
            "-DGGML_HIP=on, for others -DGGML_VULKAN=on) pip install --force-reinstall "
            "--no-cache-dir --no-binary llama-cpp-python "
            f"llama-cpp-python=={version('llama-cpp-python')}"
        )
        return Check("gpu", "note", f"{names} is not used: llama.cpp was built without it", remedy)
    remedy = "Check the driver, and CUDA_VISIBLE_DEVICES or its like."
    return Check("gpu", "note", f"{names} is not used: llama.cpp finds no device", remedy)


def _offloaded(free: int) -> str:
    """Say how many layers of the models in use a GPU with so much free memory takes."""
    catalogue, store = known_models(os.environ)
    room = Room(catalogue, store, CONTEXT, lambda: free)
    used = roles_in_use(load_config(os.environ), catalogue)[0]
    here = [
        model_id
        for model_id, roles in used.items()
        if not ENCODERS.issuperset(roles) and store.state(catalogue.row(model_id)) == "present"
    ]
    said = [
        f"{there.layers} of {there.of} layers of {model_id}"
        for model_id, there in zip(here, room.places(*here), strict=True)
        if there
    ]
    if len(here) == 2 and not room.both(*here):
        said.append("one makes room for the other")
    return ", ".join(said) or "no model is here"


def _models() -> list[Check]:
    catalogue, store = known_models(os.environ)
    used, faults = roles_in_use(load_config(os.environ), catalogue)
    served = served_roles(load_config(os.environ), {})
    starter = () if served else catalogue.starter()
    needed = {row.id for row in starter} | {
        model_id for model_id, roles in used.items() if not ENCODERS.issuperset(roles)
    }
    checks = [
        Check("models", "note", fault, "Correct [models] in the settings.") for fault in faults
    ]
    for row in catalogue.rows:
        state = store.state(row)
        uses = f", in use: {', '.join(used[row.id])}" if row.id in used else ""
        detail = f"{state}, {size_text(row.total_size)}{uses}"
        if state == "present":
            checks.append(Check(f"model {row.id}", "ok", detail))
        elif row.id in needed:
            remedy = f"askance models pull {row.id}"
            checks.append(Check(f"model {row.id}", "missing", detail, remedy))
    return [*checks, Check("store", "ok", str(store.root))]


def _server() -> list[Check]:
    """Ask the server, if the settings name one, what it is; nothing of a person's is sent."""
    config = load_config(os.environ)
    address, served = server_address(config), served_roles(config, {})
    if address is not None and not served:
        runtime = config.values.models.runtime
        return [Check("server", "note", f"{address.url} is not used: the runtime is {runtime}")]
    checks = []
    for at in dict.fromkeys(served.values()):
        roles = ", ".join(role for role, other in served.items() if other == at)
        try:
            model = connected(config, at, lambda text: None)
        except AskanceError as error:
            checks.append(Check("server", "missing", error.message, error.remedy))
            continue
        checks.append(Check("server", "ok", f"{roles}: {model.about}; {where_text_goes(config)}"))
        model.close()
    return checks


def servers_found() -> Iterator[Check]:
    """Yield the model servers that answer on this machine, and how to use each."""
    from models.server.find import PORTS, servers_here  # the door to a network: shut until asked

    none = True
    for found in servers_here():
        none = False
        url = found.address.url
        if found.served is None:
            yield Check("server", "note", f"{url}: {found.fault}", f'[server] url = "{url}"')
        else:
            known = f", {found.served.context:,} tokens" if found.served.context else ""
            detail = f"{found.served.kind} at {url}: {found.served.model}{known}"
            yield Check("server", "ok", detail, f'Use it: [server] url = "{url}"')
    if none:
        ports = ", ".join(map(str, PORTS))
        yield Check("server", "note", f"no model server answers on this machine (ports {ports})")


def _settings() -> list[Check]:
    config = load_config(os.environ)
    there = "" if config.path.exists() else " (no file: defaults)"
    checks = [Check("settings", "ok", f"{config.path}{there}")]
    if not config.remembered:
        remedy = "Name a path after each question, or: askance sources add PATH"
        checks.append(Check("sources", "note", "none remembered", remedy))
    for path in config.remembered:
        source = look_at(path)
        state: Literal["ok", "note"] = "ok" if source.state == "ready" else "note"
        checks.append(Check("source", state, f"{path}: {source.state}", source.remedy))
    return checks


def _sandbox() -> Check:
    """Start a reading process and let it say what locks it down."""
    active = protection()
    if active is None:
        remedy = "Nothing can be read: a reading process does not start."
        return Check("sandbox", "missing", "no reading process starts", remedy)
    if {"landlock", "seccomp"} <= set(active):
        return Check("sandbox", "ok", f"readers are locked down: {', '.join(active)}")
    lacking = {
        "limits": "limits of memory and time",
        "landlock": "no other file can be opened (Landlock, Linux 5.13)",
        "seccomp": "no network, no other program (seccomp)",
    }
    without = "; ".join(words for name, words in lacking.items() if name not in active)
    return Check("sandbox", "note", f"not sandboxed; readers lack: {without}")


def _scans() -> Check:
    """Say whether scanned pages can be recognised, and in which languages."""
    folder = language_folder()
    if not is_ready() or folder is None:
        return Check(
            "scans", "note", "scanned pages are not recognised", "pip install 'askance[ocr]'"
        )
    return Check("scans", "ok", f"recognised in: {', '.join(languages(folder))}")


def _offline() -> Check:
    unset = [name for name, value in OFFLINE.items() if os.environ.get(name) != value]
    if unset:
        return Check("offline", "note", f"not set: {', '.join(unset)}", "Start it as `askance`.")
    return Check("offline", "ok", f"{len(OFFLINE)} variables keep libraries off the network")
