"""Outlook's own files: messages, mailboxes, winmail.dat."""
