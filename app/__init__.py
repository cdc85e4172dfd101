"""What a person touches: command line and terminal screens."""
