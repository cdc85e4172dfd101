"""Attention of a model over passages, and compression by what it shows (YOURA)."""
