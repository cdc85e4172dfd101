"""Conversations that are kept, encrypted, because the person asked for it."""
