"""Conversations written to a file of the person's."""
