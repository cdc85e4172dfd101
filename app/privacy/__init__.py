"""What the program does to keep files to itself, and how it proves it."""
