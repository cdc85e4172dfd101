"""What several commands share: flags, questions to the person, follow-ups, completion."""
