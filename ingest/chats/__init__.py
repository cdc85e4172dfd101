"""Chats, as the programs export them."""
