"""Every prompt, as Markdown, and the modules that fill them."""
