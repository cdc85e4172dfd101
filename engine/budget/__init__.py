"""What an answer may spend, in tokens, and how long the rest of it takes."""
