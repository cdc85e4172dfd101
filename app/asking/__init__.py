"""The engine in a process of its own, and what the screen and it say to each other."""
