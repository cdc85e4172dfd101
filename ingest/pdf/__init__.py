"""PDF, by pdfium and pypdf."""
