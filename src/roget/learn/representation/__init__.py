"""Vector representations of words, computed from counts. They are used to compare words."""

from roget.learn.representation.vectors import Representation, decompose, weigh

__all__ = ["Representation", "decompose", "weigh"]
