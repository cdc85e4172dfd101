"""Questions with their answers, from top to bottom."""
