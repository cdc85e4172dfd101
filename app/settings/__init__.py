"""Settings: where they come from, what they may be, how they are changed."""
