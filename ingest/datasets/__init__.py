"""Original files of public question sets: one small function a set, one table of them."""
