"""Corpus readers: each converts its input to `Tokens`, from which pairs are extracted."""

SIDES = ("both", "left", "right", "apart", "each")
"""Values of the option `sides`: the neighbours that a window counts. With "apart" and "each", the
side or the position of a neighbour becomes part of the context's name."""
