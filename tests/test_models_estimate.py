"""Memory told before loading, the pairs recommended from it, and what the machine shows."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from models.store.catalogue import load_catalogue
from models.store.estimate import (
    CHUNK,
    CONTEXT,
    SEQUENCES,
    Estimate,
    ModelUnusable,
    checked_header,
    estimate,
    estimate_row,
    rough_estimate,
)
from models.store.gguf import GgufHeader
from models.store.placement import (
    FreeMemory,
    both_placed,
    context_that_fits,
    place,
    smaller_model,
    too_large,
)
from models.store.recommendation import recommend
from models.store.store import Store
from models.system import machine
from models.system.machine import Gpu, MemoryBytes, gpus_present, is_x86, memory
from tests.support.toy_models import SHAPE, gguf

GB = 10**9
CODER = GgufHeader(
    architecture="qwen2",
    name="Qwen2.5 Coder 1.5B",
    licence="",
    context=32768,
    layers=28,
    embedding=1536,
    heads=12,
    kv_heads=(2,) * 28,
    key_length=128,
    value_length=128,
    vocabulary=151936,
    feed_forward=8960,
    quantisation="Q4_K_M",
    chat_template=True,
    splits=1,
    parameters=1_777_088_000,
    tensor_bytes=1_111_370_240,
    repacked_bytes=625_508_352,
)
FILE = 1_117_320_768


def test_the_cache_is_what_llama_cpp_allocates() -> None:
    found = estimate(CODER, 8192, FILE)
    assert found.cache == 224 << 20, "as llama.cpp says when it loads this model"
    compute = CHUNK * 4 * (151936 + 2 * 1536)
    assert round(compute / 2**20, 2) == 302.75
    assert found.buffers > compute
    assert found.needed == FILE + found.cache + found.buffers


def test_attention_that_is_read_is_held_for_a_decode_call() -> None:
    small = replace(CODER, embedding=896, heads=14)  # Qwen2.5 0.5B: 334 MiB for 256 tokens
    plain, reads = (estimate(small, 32768, FILE, reads=one) for one in (False, True))
    assert (reads.buffers - plain.buffers) / 2**20 == pytest.approx(660, abs=5)
    assert reads.needed - plain.needed == reads.buffers - plain.buffers
    few = [estimate(small, 1024, FILE, reads=one) for one in (False, True)]
    assert few[0] == few[1], "the room of the logits is enough"
    free = plain.needed
    assert context_that_fits(CODER, FILE, FreeMemory(free), 65536, reads=True) == 16384
    there = place(reads, FreeMemory(4 * GB, free))
    assert there
    assert 0 < there.layers < 28


def test_transformers_reads_attention_in_float32(tmp_path: Path) -> None:
    row = replace(load_catalogue().row("all-minilm-l6-v2"), size=10**8, parameters=10**8)
    assert rough_estimate(row, CONTEXT).weights == 10**8
    assert rough_estimate(row, CONTEXT, reads=True).weights == 4 * 10**8
    quantised = replace(row, format="gguf")
    assert rough_estimate(quantised, CONTEXT, reads=True).weights == 10**8


def test_a_context_is_at_most_what_the_model_was_made_for_and_is_rounded_up() -> None:
    assert estimate(CODER, 1 << 20, FILE).context == 32768
    assert estimate(CODER, 1, FILE).cache == estimate(CODER, 256, FILE).cache > 0


def test_layers_with_fewer_heads_take_less() -> None:
    half = replace(CODER, kv_heads=(2,) * 14 + (0,) * 14)
    assert estimate(half, 8192, FILE).cache * 2 == estimate(CODER, 8192, FILE).cache


def test_a_smaller_context_is_found_when_one_fits() -> None:
    free = estimate(CODER, 4096, FILE).needed
    assert context_that_fits(CODER, FILE, FreeMemory(free), 32768) == 4096
    assert context_that_fits(CODER, FILE, FreeMemory(free), 4096) == 2048
    assert context_that_fits(CODER, FILE, FreeMemory(FILE), 32768) is None
    assert context_that_fits(CODER, FILE, FreeMemory(FILE // 2, 2 * FILE), 32768) == 16384


WHOLE = estimate(CODER, 8192, FILE)


@pytest.mark.parametrize(
    ("gpu", "least", "most"),
    [(2 * WHOLE.needed, 28, 28), (WHOLE.needed // 2, 6, 19), (10**8, 0, 0)],
)
def test_layers_on_a_gpu_are_all_some_or_none(gpu: int, least: int, most: int) -> None:
    there = place(WHOLE, FreeMemory(8 * GB, gpu))
    assert there
    assert least <= there.layers <= most
    assert there.whole == (most == 28)
    assert there.gpu <= gpu
    each = (WHOLE.weights + WHOLE.cache) // 29
    assert there.main == (0 if there.whole else WHOLE.needed - there.layers * each)


def test_main_and_gpu_memory_are_two_pools() -> None:
    each = WHOLE.needed
    assert place(WHOLE, FreeMemory(each // 2, each // 2)) is None, "buffers are on both sides"
    assert place(WHOLE, FreeMemory(GB // 10, 2 * each)), "what is whole on the GPU needs no other"
    assert place(WHOLE, FreeMemory(0)), "nothing is refused where nobody knows"
    assert place(WHOLE, FreeMemory(each - 1)) is None


def test_two_models_stay_side_by_side_unless_that_costs_one_its_gpu() -> None:
    each = WHOLE.needed
    both = both_placed(WHOLE, WHOLE, FreeMemory(GB, 3 * each))
    assert both
    assert [one.whole for one in both] == [True, True]
    assert both_placed(WHOLE, WHOLE, FreeMemory(9 * GB, each + each // 2)) is None, "layers lost"
    split = both_placed(WHOLE, WHOLE, FreeMemory(9 * GB, each * 2 // 3))
    assert split, "neither is whole on this GPU, so they share it"
    assert split[0].layers > split[1].layers
    assert both_placed(WHOLE, WHOLE, FreeMemory(each + each // 2)) is None
    assert both_placed(WHOLE, WHOLE, FreeMemory(2 * each - FILE), same_file=True), "its pages"
    small = FreeMemory(2 * each - FILE - 1)
    assert both_placed(WHOLE, WHOLE, small, same_file=True) is None
    on_one = FreeMemory(GB, 2 * each - FILE)
    assert both_placed(WHOLE, WHOLE, on_one, same_file=True) is None, "a GPU shares no pages"


def test_the_refusal_names_what_fits() -> None:
    rows = load_catalogue()
    row, other = rows.row("qwen2.5-32b-instruct-q8_0"), rows.starter()[0]
    found = Estimate(8192, 34 * GB, 2 * GB, GB, 0, exact=False)
    refusal = too_large(found, row, FreeMemory(8 * GB), 2048, other)
    assert "needs about 37.0 GB with a context of 8192 tokens; 8.0 GB are free" in refusal.message
    assert refusal.remedy.startswith("With a context of 2048 tokens it fits.")
    assert other.id in refusal.remedy
    assert refusal.exit_code == 4
    assert "recommend" in too_large(found, row, FreeMemory(8 * GB), None, None).remedy


def test_what_is_not_here_is_estimated_roughly(tmp_path: Path) -> None:
    rows, store = load_catalogue(), Store(tmp_path)
    found = estimate_row(rows.row("qwen2.5-7b-instruct-q4_k_m"), store, CONTEXT)
    assert found is not None
    assert not found.exact
    assert 4.7 * GB < found.needed < 6.5 * GB
    assert estimate_row(rows.row("all-minilm-l6-v2"), store, CONTEXT) is None
    row = rows.row("qwen2.5-32b-instruct-q8_0")
    smaller = smaller_model(rows.rows, store, row, FreeMemory(12 * GB))
    assert smaller is not None
    assert smaller.id == "qwen2.5-14b-instruct-q4_k_m"
    assert smaller_model(rows.rows, store, row, FreeMemory(GB // 10)) is None


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (gguf(SHAPE | {"general.architecture": "frobnicator9"}), "architecture 'frobnicator9'"),
        (gguf()[:900], "cut short"),
        (b"junk", "does not begin like a GGUF"),
    ],
)
def test_what_cannot_be_loaded_is_refused_before_it_is(
    tmp_path: Path, data: bytes, says: str
) -> None:
    path = tmp_path / "toy.gguf"
    path.write_bytes(data)
    with pytest.raises(ModelUnusable, match="recommend") as caught:
        checked_header(path, "toy")
    assert says in caught.value.message
    assert caught.value.exit_code == 4


@pytest.mark.parametrize(
    ("device", "total", "cores", "generator"),
    [
        ("cpu", 2, 8, "qwen2.5-coder-1.5b-instruct-q4_k_m"),
        ("cpu", 8, 8, "qwen2.5-1.5b-instruct-q4_k_m"),
        ("cpu", 64, 2, "qwen2.5-1.5b-instruct-q4_k_m"),
        ("cpu", 64, 8, "qwen3-30b-a3b-instruct-2507-q4_k_m"),
        ("gpu", 8, 8, "qwen2.5-7b-instruct-q4_k_m"),
        ("gpu", 16, 8, "qwen2.5-14b-instruct-q4_k_m"),
        ("gpu", 24, 8, "mistral-small-24b-instruct-2501-q4_k_m"),
        ("gpu", 80, 8, "qwen2.5-32b-instruct-q8_0"),
    ],
)
def test_pairs_by_machine(
    tmp_path: Path, device: str, total: int, cores: int, generator: str
) -> None:
    found = recommend(
        *(load_catalogue(), Store(tmp_path)),
        device=device,  # type: ignore[arg-type]
        total=total * GB,
        free=total * GB,
        cores=cores,
    )
    assert found.generator.id == generator
    assert found.together == (found.needed <= total * GB)
    if total >= 8:
        assert found.together


def test_constants_are_those_the_runtime_uses() -> None:
    from models.llama import generator as llama

    assert (CONTEXT, CHUNK) == (llama.DEFAULT_CONTEXT, llama.CHUNK)
    assert SEQUENCES == llama.MAX_SEQUENCES + llama.KEPT_PROMPTS


def test_memory_is_the_machines_or_the_control_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meminfo = tmp_path / "meminfo"
    given = {"MemTotal": 8_000_000, "MemFree": 1, "MemAvailable": 6_000_000}
    others = ("Buffers", "Cached", "Shmem", "Active", "Inactive")  # psutil warns without them
    lines = {**given, **dict.fromkeys(others, 0)}
    meminfo.write_text("".join(f"{name}: {number} kB\n" for name, number in lines.items()))
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path))
    monkeypatch.setattr(machine, "CGROUP", tmp_path)
    assert memory() == MemoryBytes(8_192_000_000, 6_144_000_000)
    (tmp_path / "memory.max").write_text("max\n")
    assert memory().total == 8_192_000_000
    (tmp_path / "memory.max").write_text("2000000000\n")
    (tmp_path / "memory.current").write_text("500000000\n")
    assert memory() == MemoryBytes(2_000_000_000, 1_500_000_000)
    meminfo.unlink()
    assert memory() == MemoryBytes(2_000_000_000, 1_500_000_000)
    (tmp_path / "memory.max").unlink()
    assert memory() == MemoryBytes(0, 0)


def test_graphics_processors_are_found_though_nobody_uses_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "NVIDIA", tmp_path / "nvidia")
    monkeypatch.setattr(machine, "CARDS", tmp_path / "drm")
    assert gpus_present() == []
    card = tmp_path / "drm" / "card0" / "device"
    card.mkdir(parents=True)
    (card / "vendor").write_text("0x1002\n")
    (card / "mem_info_vram_total").write_text("8000\n")
    (card / "mem_info_vram_used").write_text("3000\n")
    assert gpus_present() == [Gpu("AMD", MemoryBytes(8000, 5000))]
    (tmp_path / "nvidia" / "0000:01:00.0").mkdir(parents=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert gpus_present() == [Gpu("NVIDIA", MemoryBytes(0, 0))]
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'NVIDIA H100, 81559, 80000'\n")
    program.chmod(0o700)
    mebibyte = 1 << 20
    assert gpus_present() == [Gpu("NVIDIA H100", MemoryBytes(81559 * mebibyte, 80000 * mebibyte))]


TAKEN = """
import os
import sys
from pathlib import Path

from models.store.catalogue import load_catalogue
from models.llama.generator import load_llama
from models.protocols import GenerationRequest
from models.store.store import Store


def resident(line):
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(one.split()[1]) for one in lines if one.startswith(line))


file = Store.default(os.environ).open(load_catalogue().row(sys.argv[1]))
before = resident("VmRSS")
model = load_llama(file, sys.argv[1])
next(iter(model.sample(GenerationRequest(("x " * 600,), max_tokens=1))))
print(resident("VmHWM") - before)
model.close()
"""


@pytest.mark.slow
def test_an_estimate_covers_what_loading_takes() -> None:
    row = load_catalogue().row("smollm2-135m-instruct-q4_1")
    store = Store.default(os.environ)
    found = estimate_row(row, store, CONTEXT)
    assert found is not None
    assert found.exact
    # In a process of its own: here, memory that earlier tests gave back would be taken again.
    command = [sys.executable, "-c", TAKEN, row.id]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert found.weights < int(told) < found.peak


@pytest.mark.parametrize(("machine", "is_one"), [("x86_64", True), ("aarch64", False)])
def test_no_copy_of_weights_is_made_on_x86(
    machine: str, is_one: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert is_x86() == is_one
    found = estimate(CODER, 8192, FILE)
    assert found.peak == found.needed + (0 if is_one else 625_508_352)
