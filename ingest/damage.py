"""What parsers of damaged files are seen to raise, besides errors of their own."""

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
"""Caught around each library that reads strangers' files and, last, around each file."""
