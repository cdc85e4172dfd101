"""How sure an answer is: signals of a reading, joined by a model fitted on answered questions."""
