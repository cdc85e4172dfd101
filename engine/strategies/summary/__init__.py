"""Summaries of whatever a question names: its scope, what is read of it, what may be shown."""
