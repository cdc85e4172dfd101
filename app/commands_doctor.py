"""`askance doctor`: what this installation can do, and what to do about the rest."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

import click

from app.commands_models import in_use
from app.commands_sources import look_at
from app.config import load_config
from app.exits import ExitCode
from app.options import json_option
from app.output import print_json
from app.plain import one_line
from app.report import size_text
from engine.recall import fastest_scan
from ingest.pool import protection
from models.catalogue import load_catalogue
from models.errors import RuntimeFailed
from models.offline import OFFLINE
from models.store import Store


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report."""

    name: str
    state: Literal["ok", "note", "missing"]
    """`note`: works, with a limit; `missing`: questions cannot be answered."""
    detail: str
    remedy: str | None = None


@click.command("doctor")
@json_option
def command(as_json: bool) -> int:
    """Say what works here. Opens no source, uses no network. Exit code 4: a model is missing."""
    checks = [*_machine(), _recall(), _runtime(), *_models(), *_settings(), _sandbox(), _offline()]
    if as_json:
        print_json({"checks": [asdict(check) for check in checks]})
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            click.echo(f"{check.state:<8}{check.name:<{width}}  {one_line(check.detail)}")
            if check.remedy:
                click.echo(f"{'':<{width + 10}}{one_line(check.remedy)}")
    missing = {check.name.split()[0] for check in checks if check.state == "missing"}
    if "model" in missing:
        return ExitCode.MODEL
    return ExitCode.FAILED if missing else ExitCode.ANSWERED


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
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):  # Windows has no sysconf
        return "unknown"
    return size_text(total)


def _recall() -> Check:
    scan = fastest_scan().name
    if scan == "compiled":
        return Check("recall", "ok", scan)
    remedy = "Install a C compiler, then Askance again: ranking is then three times as fast."
    return Check("recall", "note", f"{scan}: the compiled scan is not there", remedy)


def _runtime() -> Check:
    remedy = "Install Askance again: its llama-cpp-python does not load."
    try:
        found = version("llama-cpp-python")
    except PackageNotFoundError:
        return Check("llama-cpp-python", "missing", "not installed", remedy)
    try:
        from models.llama_api import gpu_offload_supported, self_test

        self_test()
    except RuntimeFailed as error:
        return Check("llama-cpp-python", "missing", error.message, error.remedy)
    except (ImportError, OSError, RuntimeError) as error:
        # ImportError: no package; OSError and RuntimeError: its shared library does not load.
        return Check("llama-cpp-python", "missing", f"{found}: {error}", remedy)
    offload = "GPU offload compiled in" if gpu_offload_supported() else "CPU only"
    return Check("llama-cpp-python", "ok", f"{found}, {offload}")


def _models() -> list[Check]:
    catalogue, store = load_catalogue(), Store.default(os.environ)
    used = in_use(load_config(os.environ), catalogue)
    needed = {row.id for row in catalogue.starter()} | set(used)
    checks = []
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


def _settings() -> list[Check]:
    config = load_config(os.environ)
    there = "" if config.path.exists() else " (no file: defaults)"
    checks = [Check("settings", "ok", f"{config.path}{there}")]
    if not config.sources:
        remedy = "Name a path after each question, or: askance sources add PATH"
        checks.append(Check("sources", "note", "none remembered", remedy))
    for path in config.sources:
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


def _offline() -> Check:
    unset = [name for name, value in OFFLINE.items() if os.environ.get(name) != value]
    if unset:
        return Check("offline", "note", f"not set: {', '.join(unset)}", "Start it as `askance`.")
    return Check("offline", "ok", f"{len(OFFLINE)} variables keep libraries off the network")
