"""Remembered sources, and places that a newcomer may want to remember."""
