"""What parsers of damaged files are seen to raise, besides errors of their own."""

DAMAGED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NotImplementedError,
    OSError,
    RecursionError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
)
"""Caught around each library that reads strangers' files and, last, around each file."""
