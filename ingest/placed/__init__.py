"""Rows and columns, told by where words stand on a page."""
