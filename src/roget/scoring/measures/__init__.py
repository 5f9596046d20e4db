"""Measures, one family per file; the catalogue knows them by name."""

from roget.scoring.measures.base import Measure, parse

__all__ = ["Measure", "parse"]
