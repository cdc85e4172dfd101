"""What a question says of itself: operators, filters, people, other words for it."""
