"""Retrieval strategies, one class each, found through `registry`."""
