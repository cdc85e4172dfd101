"""An answer: its text, its Markdown, its sources."""
