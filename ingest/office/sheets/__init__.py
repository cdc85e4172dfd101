"""Workbooks: xlsx, xls and xlsb."""
