"""Questions answered by computing over items: a plan, its run, its table."""
