"""The runtime behind an OpenAI-compatible server."""
