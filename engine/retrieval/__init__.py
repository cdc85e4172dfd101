"""Passages of what was read, ranked for a question without an index."""
