"""Model files on disk, the catalogue that binds them, and what their headers say."""
