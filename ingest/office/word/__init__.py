"""Texts: docx, doc and rtf."""
