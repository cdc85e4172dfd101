"""Reads a person's files, read-only, when asked. Knows formats, not questions."""
