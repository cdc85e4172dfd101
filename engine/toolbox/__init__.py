"""The steps that a strategy is composed of."""
