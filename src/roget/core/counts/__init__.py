"""Counts of words in contexts: the table, derived matrices and file formats."""

from roget.core.counts.counts import Counts, NotCounted

__all__ = ["Counts", "NotCounted"]
