"""Mail: mailboxes, messages, their parts and what is attached to them."""
