"""Parts of screens. They draw what they are given; nothing is read or computed here."""
