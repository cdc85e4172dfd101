"""The llama.cpp runtime."""
