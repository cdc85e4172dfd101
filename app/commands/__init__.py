"""The commands, one module each, and what their flags mean."""
