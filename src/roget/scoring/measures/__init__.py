"""Measures of agreement, one family per module; the catalogue lists them by name."""

from roget.scoring.measures.base import Measure, parse

__all__ = ["Measure", "parse"]
