"""Counts of words in contexts: the table, its views and its files."""

from roget.core.counts.counts import Counts, NotCounted

__all__ = ["Counts", "NotCounted"]
