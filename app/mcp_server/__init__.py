"""What other programs ask through the Model Context Protocol."""
