"""The chat, and the parts it is made of."""
