"""Compares strategies and settings on questions with known answers."""
