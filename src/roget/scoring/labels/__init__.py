"""Read labels from files, arrays, mappings and tables, and join gold and system labels."""

from roget.scoring.labels.align import AlignedLabels, align
from roget.scoring.labels.labels import Labels
from roget.scoring.labels.read import as_labels, read_pair

__all__ = ["AlignedLabels", "Labels", "align", "as_labels", "read_pair"]
