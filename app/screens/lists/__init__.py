"""Screens with a list: sources, models, settings, kept conversations, help."""
