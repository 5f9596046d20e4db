"""Readers that convert corpora to `Tokens`, from which word–context pairs are extracted."""

SIDES = ("both", "left", "right", "apart", "each")
"""Values of the option `sides`: how to name the neighbours of a word in a window.

With "apart" and "each", the side or the position of a neighbour becomes part of the context's name.
"""
