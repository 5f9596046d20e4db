"""Readers that convert corpora to `Tokens`, from which word–context pairs are extracted."""

SIDES = ("both", "left", "right", "apart", "each")
"""Values of the option `sides`, which selects the neighbours to count in a window. With "apart" and
"each", the side or the position of a neighbour becomes part of the context's name."""
