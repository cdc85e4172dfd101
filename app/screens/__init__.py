"""Terminal screens. They draw from the same events as the command line."""
