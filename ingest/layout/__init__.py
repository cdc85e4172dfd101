"""Blocks, rows and columns of a document, laid out as text."""
