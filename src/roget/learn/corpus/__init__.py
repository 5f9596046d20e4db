"""Reading text: every reader turns its input into `Tokens`, from which relations are drawn."""

SIDES = ("both", "left", "right", "apart", "each")
"""Which neighbours a window counts, and whether their side or place is part of a context's name."""
