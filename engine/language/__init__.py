"""Tokens, stems, sentences, dates and languages: what is true of any text."""
