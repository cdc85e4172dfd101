"""SQLite files in which programs keep calendars, address books, messages, history."""
