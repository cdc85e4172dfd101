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
"""Caught around a library that reads strangers' files, never around code of ours."""
