"""HTML as a person sees it."""
