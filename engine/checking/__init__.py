"""What the sentences of an answer state, and whether the passages cited for them state it too."""
