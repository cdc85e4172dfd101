"""Counts and adds rows of tables: sheets, CSV, tables of documents and pages."""
