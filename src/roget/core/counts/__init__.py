"""How often each word stands in each context: the table itself, its views, parts and files."""

from roget.core.counts.counts import Counts, NotCounted

__all__ = ["Counts", "NotCounted"]
