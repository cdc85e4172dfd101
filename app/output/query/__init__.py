"""What was understood of a question: filters, what was inferred, the follow-up."""
