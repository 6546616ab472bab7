"""How a subscriber likes to be written to: which emails they want, and every change of that."""
