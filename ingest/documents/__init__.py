"""Documents of other kinds: plain text, JSON, CSV, LaTeX, notebooks, e-books."""
