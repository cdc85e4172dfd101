"""Other programs of the desktop: what opens a source, takes a copy, or shows a notice."""
