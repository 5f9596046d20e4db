"""Words as vectors: what lies between counts and whatever compares words."""

from roget.learn.representation.vectors import Representation, decompose, weigh

__all__ = ["Representation", "decompose", "weigh"]
