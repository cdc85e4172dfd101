"""Where a question is typed: the prompt and its filters."""
