"""Screens about one answer, above the chat."""
