"""Pulls of models. The two processes that reach a network are started here."""
