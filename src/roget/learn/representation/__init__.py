"""Words as vectors: what lies between counts and whatever compares words."""

from roget.learn.representation.singular import decompose
from roget.learn.representation.vectors import Representation, weigh

__all__ = ["Representation", "decompose", "weigh"]
