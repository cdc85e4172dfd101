"""Which kind of work a question needs, and which stages run for it."""
