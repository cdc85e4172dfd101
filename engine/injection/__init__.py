"""Text in evidence that gives orders to a model, found and kept from the models."""
