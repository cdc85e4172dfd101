"""Model files on disk and the runtimes that run them."""
