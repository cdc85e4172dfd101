"""Tensors of a calculation, watched while llama.cpp computes it."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import llama_cpp
import numpy as np
import numpy.typing as npt

from models.errors import RuntimeFailed


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
        if not self._names:  # llama.cpp asks this of every node, hundreds of times a token
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
                "This build of llama.cpp keeps attention in another number type than float32.",
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
