"""Read trees in Newick format, whose leaves are the items."""

from __future__ import annotations

from collections.abc import Sequence

from roget.scoring.labels.columns import Columns
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.hierarchy import Hierarchy
from roget.scoring.labels.labels import Labels
from roget.scoring.labels.readers.base import LabelReader


def read_newick(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read a file with one tree."""
    return Hierarchy.from_newick(file.text(), file.name).to_labels()


def _sniff(lines: Sequence[str]) -> bool:
    return lines[0].startswith("(") and lines[-1].rstrip().endswith(");")


READER = LabelReader(
    "A tree in Newick format, whose leaves are the items.",
    (".nwk", ".newick", ".tree"),
    _sniff,
    labels=read_newick,
    is_tree=True,
)
