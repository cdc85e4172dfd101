"""The engine in a process of its own, and what a front end and it say to each other."""
