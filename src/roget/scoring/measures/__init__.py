"""Measures of agreement between two clusterings, with one module per family."""

from roget.scoring.measures.base import Measure, parse

__all__ = ["Measure", "parse"]
