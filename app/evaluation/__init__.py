"""Evaluation runs as tables, plots and a page."""
