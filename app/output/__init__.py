"""Answers, trails and progress as text for people and as objects for `--json`."""
