"""Screens that ask for one thing and return it."""
