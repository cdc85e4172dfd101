"""The proof that llama.cpp's library computes rightly on this processor."""
