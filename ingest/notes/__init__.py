"""Exports of programs for notes and bookmarks."""
