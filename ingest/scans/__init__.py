"""Words of scanned pages and pictures."""
