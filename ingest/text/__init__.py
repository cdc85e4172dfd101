"""Text of people: decoded and cleaned, its quotes found, its days in words."""
