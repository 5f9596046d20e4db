"""How labels get in: files, arrays, mappings and tables, and the joining of two sides."""

from roget.score.labels.align import Aligned, align
from roget.score.labels.base import Labels
from roget.score.labels.memory import as_labels
from roget.score.labels.pair import read_pair

__all__ = ["Aligned", "Labels", "align", "as_labels", "read_pair"]
