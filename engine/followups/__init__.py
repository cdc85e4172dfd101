"""A follow-up and what it means after the questions and answers before it."""
