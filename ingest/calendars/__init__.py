"""Calendars and address cards, both made of content lines."""
