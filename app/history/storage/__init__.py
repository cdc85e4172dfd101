"""The encrypted database: its key, its tables, its files."""
