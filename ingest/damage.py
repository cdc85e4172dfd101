"""What parsers raise on damaged files, besides errors of their own, as far as we have seen."""

from struct import error as StructError
from zlib import error as ZlibError

DAMAGED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    NotImplementedError,
    OSError,
    RecursionError,
    RuntimeError,
    StopIteration,
    StructError,
    TypeError,
    ValueError,
    ZlibError,
)
"""Caught around each library that reads foreign files and, last, around each file."""
