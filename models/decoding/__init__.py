"""Decoding over any runtime: batches, prompt caches, forms, chat templates, text."""
