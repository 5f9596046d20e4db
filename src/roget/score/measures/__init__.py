"""Measures, one family per file; the catalogue knows them by name."""

from roget.score.measures.base import Measure, parse

__all__ = ["Measure", "parse"]
