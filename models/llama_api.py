"""Every low-level call into llama.cpp, and a self-test of what they assume.

llama-cpp-python is pinned to one version: its ctypes structures change with llama.cpp. No
other file touches them. The calls are thin: arrays in, arrays out, an exception on failure.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from pathlib import Path

import llama_cpp
import numpy as np
import numpy.typing as npt

from models.errors import MemorySpent, RuntimeFailed
from models.llama_thread import computing_thread
from models.machine import Gpu, Memory
from models.protocols import Cancelled, Sampling, Stopped
from models.runtime import Rows

PINNED = "0.3.36"
"""The version whose structures were checked; pyproject.toml pins the same."""

LOG_LEVEL_ERROR = 3
"""`GGML_LOG_LEVEL_ERROR` of this version; the Python package does not name it."""
CACHE_BYTES = 2
"""Of one number in the key-value cache, which is kept in float16."""
THOUGHT_MARKS = ("<think>", "</think>")
"""Written out even where they are control tokens, so that thoughts can be told from replies."""

DECODE_INVALID = -1
"""The status of a batch that llama.cpp refuses; beyond it are failures to compute."""

CPU_DEVICE, ACCELERATOR = 0, 3
"""Kinds of device in ggml: those that are no GPU."""

_log_lines: list[str] = []


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
def _collect_log(level: int, text: bytes, _data: ctypes.c_void_p) -> None:
    """Keep the last errors for an exception's message; llama.cpp never logs a prompt."""
    if level == LOG_LEVEL_ERROR:
        _log_lines.append(text.decode("utf-8", "replace").strip())
        del _log_lines[:-5]


def self_test() -> None:
    """Check version and structure layout once. Raises `RuntimeFailed` on a mismatch."""
    if llama_cpp.__version__ != PINNED:
        raise RuntimeFailed(
            f"llama-cpp-python {llama_cpp.__version__} is installed; Askance needs {PINNED}.",
            remedy=f"Install it again: pip install llama-cpp-python=={PINNED}.",
        )
    context = llama_cpp.llama_context_default_params()
    model = llama_cpp.llama_model_default_params()
    sane = 0 < context.n_batch <= 1 << 16 and context.n_seq_max == 1 and not model.vocab_only
    if not sane:
        raise RuntimeFailed(
            "The llama.cpp library does not match its Python structures.",
            remedy="Reinstall llama-cpp-python without a cached wheel.",
        )
    llama_cpp.llama_log_set(_collect_log, ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()


def gpu_offload_supported() -> bool:
    """Say whether this build of llama.cpp can offload layers to a GPU."""
    return bool(llama_cpp.llama_supports_gpu_offload())


def instruction_sets() -> list[str]:
    """Return the features of this CPU that this build uses."""
    said: str = llama_cpp.llama_print_system_info().decode("utf-8", "replace")
    parts = [part.partition(":")[2] or part for part in said.split("|")]
    pairs = [part.partition("=") for part in parts]
    return [name.strip() for name, _, value in pairs if value.strip() == "1"]


def backends() -> list[str]:
    """Return what this build of llama.cpp computes with besides the CPU: "CUDA", "Vulkan"."""
    ggml = _devices()
    kinds = (ggml.ggml_backend_reg_get(index) for index in range(ggml.ggml_backend_reg_count()))
    names = [ggml.ggml_backend_reg_name(kind).decode("utf-8", "replace") for kind in kinds]
    return [name for name in names if name != "CPU"]


def gpus_used() -> list[Gpu]:
    """Return the GPUs that this build of llama.cpp can use, with their memory as it is now."""
    ggml = _devices()
    found = []
    for index in range(ggml.ggml_backend_dev_count()):
        device = ggml.ggml_backend_dev_get(index)
        if ggml.ggml_backend_dev_type(device) in (CPU_DEVICE, ACCELERATOR):
            continue
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        ggml.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
        name = ggml.ggml_backend_dev_description(device).decode("utf-8", "replace")
        found.append(Gpu(name, Memory(total.value, free.value)))
    return found


class LlamaModel:
    """A loaded GGUF file: weights and vocabulary."""

    def __init__(self, path: Path, *, gpu_layers: int) -> None:
        """Map the file. Raises `RuntimeFailed` when llama.cpp refuses it."""
        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = gpu_layers
        _log_lines.clear()
        self.pointer = llama_cpp.llama_model_load_from_file(bytes(path), params)
        if not self.pointer:
            raise RuntimeFailed(
                f"llama.cpp could not load the model: {_last_error()}.",
                remedy="Run `askance models verify`, then pull the model again.",
                path=path,
            )
        self.vocab = llama_cpp.llama_model_get_vocab(self.pointer)
        self.chat_template: bytes | None = llama_cpp.llama_model_chat_template(self.pointer, None)
        self.train_context = int(llama_cpp.llama_model_n_ctx_train(self.pointer))
        self.vocab_size = int(llama_cpp.llama_vocab_n_tokens(self.vocab))
        self.layers = int(llama_cpp.llama_model_n_layer(self.pointer))
        self.heads = int(llama_cpp.llama_model_n_head(self.pointer))
        self.adds_bos = bool(llama_cpp.llama_vocab_get_add_bos(self.vocab))
        recurrent = llama_cpp.llama_model_is_recurrent(self.pointer)
        self.cuts = not (recurrent or llama_cpp.llama_model_is_hybrid(self.pointer))
        """Whether a cached sequence can be cut back; a recurrent state cannot."""
        self.window = int(llama_cpp.llama_model_n_swa(self.pointer))
        """Tokens back that some layers attend to at most; 0 where all attend to everything."""
        self._marks = self._control_marks()

    def _control_marks(self) -> dict[int, bytes]:
        tokenized = {text: self.tokenize(text, special=True) for text in THOUGHT_MARKS}
        return {ids[-1]: text.encode() for text, ids in tokenized.items() if len(ids) == 1}

    def cache_bytes(self, context: int) -> int:
        """Return about how much memory a context of so many tokens takes beside the weights."""
        kept_heads = int(llama_cpp.llama_model_n_head_kv(self.pointer))
        width = int(llama_cpp.llama_model_n_embd(self.pointer)) // self.heads
        return 2 * CACHE_BYTES * self.layers * kept_heads * width * context

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Return token ids; with `special`, template markers become their control tokens."""
        data = text.encode("utf-8", "replace")
        room = len(data) + 8
        buffer = (llama_cpp.llama_token * room)()
        count = llama_cpp.llama_tokenize(
            self.vocab, data, len(data), buffer, room, special, special
        )
        if count < 0:
            raise RuntimeFailed("The text could not be tokenised.", remedy="Report this.")
        return list(buffer[:count])

    def piece(self, token: int) -> bytes:
        """Return the bytes of one token; control tokens give none, but for thought marks."""
        if token in self._marks:
            return self._marks[token]
        buffer = ctypes.create_string_buffer(64)
        size = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, 64, 0, False)
        if size < 0:
            buffer = ctypes.create_string_buffer(-size)
            size = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, -size, 0, False)
        return bytes(buffer.raw[:size])

    @cached_property
    def pieces(self) -> list[bytes]:
        """The bytes of every token. Reading them takes a tenth of a second, once."""
        return [self.piece(token) for token in range(self.vocab_size)]

    @cached_property
    def ends(self) -> list[int]:
        """The tokens that end a reply."""
        return [token for token in range(self.vocab_size) if self.is_end(token)]

    def is_end(self, token: int) -> bool:
        """Say whether the token ends a reply."""
        return bool(llama_cpp.llama_vocab_is_eog(self.vocab, token))

    def control_texts(self) -> list[str]:
        """Return the written forms of all control tokens, longest first."""
        texts = []
        for token in range(self.vocab_size):
            if llama_cpp.llama_vocab_is_control(self.vocab, token):
                texts.append(self._text(token))
        return sorted(texts, key=len, reverse=True)

    def _text(self, token: int) -> str:
        if token < 0:
            return ""
        return str(llama_cpp.llama_vocab_get_text(self.vocab, token).decode("utf-8", "replace"))

    def first_and_last_texts(self) -> tuple[str, str]:
        """Return what a template calls `bos_token` and `eos_token`; empty where there is none."""
        bos = llama_cpp.llama_vocab_bos(self.vocab)
        return self._text(bos), self._text(llama_cpp.llama_vocab_eos(self.vocab))

    def apply_template(self, turns: Sequence[tuple[str, str]]) -> str | None:
        """Return the chat prompt of (role, content) turns, opened for the reply.

        None where llama.cpp does not know the model's template. A model without one gets the
        usual, ChatML.
        """
        chat = (llama_cpp.llama_chat_message * len(turns))()
        for slot, (role, content) in zip(chat, turns, strict=True):
            slot.role = role.encode()
            slot.content = content.encode("utf-8", "replace")
        room = 2 * sum(len(content.encode("utf-8", "replace")) for _, content in turns) + 4096
        buffer = ctypes.create_string_buffer(room)
        size = llama_cpp.llama_chat_apply_template(
            self.chat_template or b"chatml", chat, len(turns), True, buffer, room
        )
        if not 0 <= size <= room:
            return None
        return buffer.raw[:size].decode("utf-8", "replace")

    def grammar(self, gbnf: str) -> LlamaGrammar:
        """Parse a grammar. Raises `ValueError`."""
        return LlamaGrammar(self, gbnf)

    def close(self) -> None:
        """Free the weights."""
        if self.pointer:
            llama_cpp.llama_model_free(self.pointer)
            self.pointer = None


def _c_library() -> ctypes.CDLL:
    return ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)


class AbortFlag:
    """Tells llama.cpp, which asks after every node of its graph, whether to go on.

    What it calls is the C library's `strlen` on a buffer: 0 for an empty one, 1 with a byte in
    it. A Python function would be called just as often, wait for the interpreter's lock each
    time, and swallow a Ctrl-C that arrives inside.
    """

    def __init__(self) -> None:
        """Begin lowered."""
        self.buffer = ctypes.create_string_buffer(2)
        self.callback = ctypes.cast(_c_library().strlen, llama_cpp.ggml_abort_callback)

    @property
    def raised(self) -> bool:
        """Whether it was hoisted."""
        return self.buffer[0] != b"\0"

    def hoist(self) -> None:
        """Let the calculation that runs end at once."""
        self.buffer[0] = b"x"

    def lower(self) -> None:
        """Let the next one run."""
        self.buffer[0] = b"\0"


class LlamaContext:
    """A key-value cache over a model, and the batch that feeds it."""

    def __init__(
        self,
        model: LlamaModel,
        *,
        context: int,
        sequences: int,
        threads: int,
        chunk: int,
        watcher: TensorWatcher | None = None,
    ) -> None:
        """Allocate for `context` tokens shared by `sequences` sequences.

        `kv_unified` lets every sequence use the whole; without it each gets its share only.
        With a `watcher`, flash attention is off, or there would be nothing to watch.
        Raises `RuntimeFailed` when memory is short.
        """
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = context
        params.n_batch = params.n_ubatch = chunk
        params.n_seq_max = sequences
        params.n_threads = params.n_threads_batch = threads
        params.kv_unified = True
        params.no_perf = True
        # "auto" is on, except where the device that holds a layer has no kernel for it.
        params.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO
        if watcher is not None:
            params.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
            params.cb_eval = watcher.callback
        self._watcher = watcher
        _log_lines.clear()
        self.pointer = llama_cpp.llama_init_from_model(model.pointer, params)
        if not self.pointer:
            raise MemorySpent(
                f"llama.cpp could not allocate a context of {context} tokens: {_last_error()}.",
                remedy="Close other programs or choose a smaller model.",
            )
        self.memory = llama_cpp.llama_get_memory(self.pointer)
        self.chunk = chunk
        self.vocab_size = model.vocab_size
        self._batch = llama_cpp.llama_batch_init(chunk, 0, 1)
        self._abort = AbortFlag()
        llama_cpp.llama_set_abort_callback(
            self.pointer, self._abort.callback, ctypes.addressof(self._abort.buffer)
        )

    def decode(self, rows: Rows, stopped: Stopped | None = None) -> None:
        """Run one batch of at most `chunk` rows.

        Ctrl-C and `stopped()` end it within milliseconds where the CPU computes; a GPU finishes
        the batch. What it computed by then is in the cache, and the caller has to cut it.
        Raises `Cancelled`, `MemorySpent` and `RuntimeFailed`.
        """
        if not self.pointer:
            raise RuntimeFailed("The model was unloaded while it was at work.", remedy="Ask again.")
        batch = self._batch
        batch.n_tokens = len(rows)
        for i, (token, position, sequence, wanted) in enumerate(rows):
            batch.token[i] = token
            batch.pos[i] = position
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = sequence
            batch.logits[i] = wanted
        self._abort.lower()
        _log_lines.clear()
        status = computing_thread().call(
            lambda: int(llama_cpp.llama_decode(self.pointer, batch)), stopped, self._abort.hoist
        )
        if self._watcher is not None:
            self._watcher.reraise()
        if self._abort.raised:
            raise Cancelled
        if status != 0:
            failure = MemorySpent if status < DECODE_INVALID else RuntimeFailed
            raise failure(
                f"llama.cpp failed to decode a batch (status {status}): {_last_error()}.",
                remedy="Lower --max-context or choose a smaller model.",
            )

    def logits(self, row: int) -> npt.NDArray[np.float32]:
        """Return the logits of a batch row that wanted them, shape (vocabulary,).

        They are llama.cpp's own memory: what is written there is what a sampler sees, and the
        next batch overwrites them.
        """
        values = llama_cpp.llama_get_logits_ith(self.pointer, row)
        return np.ctypeslib.as_array(values, shape=(self.vocab_size,))

    def sampler(self, sampling: Sampling, seed: int) -> LlamaSampler:
        """Return what draws the tokens of one sequence."""
        return LlamaSampler(self, sampling, seed)

    def copy_sequence(self, source: int, target: int, start: int = 0, end: int = -1) -> None:
        """Let `target` share the cells of `source` at these positions; nothing is computed."""
        llama_cpp.llama_memory_seq_cp(self.memory, source, target, start, end)

    def cut_sequence(self, sequence: int, start: int = 0) -> None:
        """Forget the sequence from position `start` on.

        An iterator that somebody still holds calls this when the model is long closed.
        """
        if self.pointer:
            llama_cpp.llama_memory_seq_rm(self.memory, sequence, start, -1)

    def clear(self) -> None:
        """Forget every sequence."""
        llama_cpp.llama_memory_clear(self.memory, False)

    def close(self) -> None:
        """Free the cache."""
        if self.pointer:
            llama_cpp.llama_batch_free(self._batch)
            llama_cpp.llama_free(self.pointer)
            self.pointer = None


class LlamaSampler:
    """Temperature, top-k, top-p, min-p, then a draw: what transformers does."""

    def __init__(self, context: LlamaContext, sampling: Sampling, seed: int) -> None:
        """Build the chain; a temperature of 0 is greedy and needs none."""
        self._context = context
        self.pointer = None
        if sampling.temperature <= 0:
            return
        params = llama_cpp.llama_sampler_chain_default_params()
        self.pointer = llama_cpp.llama_sampler_chain_init(params)
        # Temperature does not change which tokens are the likeliest k, and k are fewer to scale.
        self._add(llama_cpp.llama_sampler_init_top_k(sampling.top_k))
        self._add(llama_cpp.llama_sampler_init_temp(sampling.temperature))
        self._add(llama_cpp.llama_sampler_init_top_p(sampling.top_p, 1))
        self._add(llama_cpp.llama_sampler_init_min_p(sampling.min_p, 1))
        self._add(llama_cpp.llama_sampler_init_dist(seed & 0xFFFFFFFF))

    def _add(self, sampler: object) -> None:
        llama_cpp.llama_sampler_chain_add(self.pointer, sampler)

    def draw(self, row: int) -> int:
        """Draw a token from the logits of a batch row."""
        if self.pointer is None:
            return int(self._context.logits(row).argmax())
        return int(llama_cpp.llama_sampler_sample(self.pointer, self._context.pointer, row))

    def close(self) -> None:
        """Free the chain."""
        if self.pointer:
            llama_cpp.llama_sampler_free(self.pointer)
            self.pointer = None


class LlamaGrammar:
    """A grammar and how far a reply has come in it."""

    def __init__(self, model: LlamaModel, gbnf: str) -> None:
        """Parse it. Raises `ValueError`."""
        self.pointer = llama_cpp.llama_sampler_init_grammar(model.vocab, gbnf.encode(), b"root")
        if not self.pointer:
            raise ValueError("llama.cpp cannot read this grammar")
        self._all = self._candidates(np.arange(model.vocab_size, dtype=np.int32))

    def _candidates(self, tokens: npt.NDArray[np.int32]) -> npt.NDArray[np.void]:
        """Return llama.cpp's `llama_token_data` for these tokens."""
        data = np.zeros(len(tokens), dtype=[("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])
        data["id"] = tokens
        return data

    def _apply(self, data: npt.NDArray[np.void]) -> npt.NDArray[np.float32]:
        """Return the logits, minus infinity where the grammar forbids the token."""
        array = llama_cpp.llama_token_data_array(
            data=data.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_token_data)),
            size=len(data),
            selected=-1,
            sorted=False,
        )
        llama_cpp.llama_sampler_apply(self.pointer, ctypes.byref(array))
        logits: npt.NDArray[np.float32] = data["logit"]
        return logits

    def allows(self, token: int) -> bool:
        """Say whether the reply may go on with this token."""
        one = self._candidates(np.array([token], dtype=np.int32))
        return bool(np.isfinite(self._apply(one)[0]))

    def mask(self, logits: npt.NDArray[np.float32]) -> None:
        """Forbid, in place, what the grammar does. Looks at every token: milliseconds."""
        self._all["logit"] = logits
        logits[:] = self._apply(self._all)

    def accept(self, token: int) -> None:
        """Go on. The token must be allowed: llama.cpp ends the process otherwise."""
        llama_cpp.llama_sampler_accept(self.pointer, token)

    def close(self) -> None:
        """Free it."""
        if self.pointer:
            llama_cpp.llama_sampler_free(self.pointer)
            self.pointer = None


class TensorWatcher:
    """Hands chosen tensors of a calculation to a function, as soon as each is computed."""

    def __init__(self, visit: Callable[[str, TensorReader], bool]) -> None:
        """`visit` is given a name and a reader; False ends the calculation there."""
        self._visit = visit
        self._names: frozenset[bytes] = frozenset()
        self._error: Exception | None = None
        self.callback = llama_cpp.ggml_backend_sched_eval_callback(self._called)

    def look_for(self, names: Iterable[str]) -> None:
        """Choose the tensors by name, from the next calculation on."""
        self._names = frozenset(name.encode() for name in names)

    def _called(self, tensor: int, asking: bool, _data: object) -> bool:
        if not self._names:  # asked of every node: some hundred a token
            return False
        name = _ggml().ggml_get_name(tensor)
        if asking:
            return name in self._names
        try:
            return self._visit(name.decode(), TensorReader(tensor))
        except Exception as error:  # noqa: BLE001 -- ctypes would print and drop it
            self._error = error
            return False

    def reraise(self) -> None:
        """Raise what `visit` raised."""
        error, self._error = self._error, None
        if error is not None:
            raise error


class TensorReader:
    """A float32 tensor of a calculation, on whatever device; valid while it is visited."""

    def __init__(self, tensor: int) -> None:
        """Look at its size. Raises `RuntimeFailed` for another type of number."""
        self._tensor = tensor
        self.size = int(_ggml().ggml_nelements(tensor))
        if int(_ggml().ggml_nbytes(tensor)) != 4 * self.size:
            raise RuntimeFailed(
                "This build of llama.cpp keeps attention in another form than float32.",
                remedy="Reinstall llama-cpp-python without a cached wheel.",
            )

    def read(self, start: int, out: npt.NDArray[np.float32]) -> None:
        """Fill `out` with the numbers from `start` on."""
        _ggml().ggml_backend_tensor_get(self._tensor, out.ctypes.data, 4 * start, 4 * out.size)


@cache
def _ggml() -> ctypes.CDLL:
    """Return ggml's own functions, which the Python package does not wrap.

    On Linux and macOS a look-up in libllama also finds those of the libraries it is linked with.
    """
    library: ctypes.CDLL = llama_cpp.llama_cpp._lib
    if sys.platform == "win32":
        library = ctypes.CDLL(str(Path(llama_cpp.__file__).parent / "lib" / "ggml-base.dll"))
    library.ggml_get_name.argtypes = [ctypes.c_void_p]
    library.ggml_get_name.restype = ctypes.c_char_p
    for function in (library.ggml_nelements, library.ggml_nbytes):
        function.argtypes = [ctypes.c_void_p]
        function.restype = ctypes.c_size_t
    library.ggml_backend_tensor_get.argtypes = [
        *(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
    ]
    library.ggml_backend_tensor_get.restype = None
    return library


@cache
def _devices() -> ctypes.CDLL:
    """Return ggml's lists of backends and devices, looked up in libllama on every system."""
    library: ctypes.CDLL = llama_cpp.llama_cpp._lib
    library.ggml_backend_reg_count.restype = ctypes.c_size_t
    library.ggml_backend_reg_get.argtypes = [ctypes.c_size_t]
    library.ggml_backend_reg_get.restype = ctypes.c_void_p
    library.ggml_backend_reg_name.argtypes = [ctypes.c_void_p]
    library.ggml_backend_reg_name.restype = ctypes.c_char_p
    library.ggml_backend_dev_count.restype = ctypes.c_size_t
    library.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    library.ggml_backend_dev_get.restype = ctypes.c_void_p
    library.ggml_backend_dev_type.argtypes = [ctypes.c_void_p]
    library.ggml_backend_dev_description.argtypes = [ctypes.c_void_p]
    library.ggml_backend_dev_description.restype = ctypes.c_char_p
    library.ggml_backend_dev_memory.argtypes = [
        *(ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t))
    ]
    return library


def _last_error() -> str:
    return _log_lines[-1] if _log_lines else "no reason given"
