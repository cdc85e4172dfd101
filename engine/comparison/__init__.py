"""Which of two: what sources state of each is read by a model, and compared by the program."""
