"""Original files of public question sets: a small function for each set, one table of all."""
