"""From a question to a cited answer. No terminal, no network, no file formats."""
