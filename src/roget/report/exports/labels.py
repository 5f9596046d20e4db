"""A thesaurus as the labels of its words, to be scored: the other way round than an export.

Scoring knows nothing of thesauri; it finds this by the catalogue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roget.learn.thesaurus import Thesaurus
from roget.scoring.labels.hierarchy import Hierarchy
from roget.scoring.labels.labels import Labels

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile
    from roget.scoring.labels.table import Columns


def read(
    file: LabelFile | Thesaurus, *, columns: Columns | None = None, gold: bool = False
) -> Labels:
    """The words of a thesaurus or its folder, with its edits, at their places in its tree."""
    if isinstance(file, Thesaurus):
        return to_hierarchy(file, "the thesaurus").to_labels()
    return to_hierarchy(Thesaurus.load(file.source.path), file.name).to_labels()


def to_hierarchy(thesaurus: Thesaurus, source: str) -> Hierarchy:
    """The tree of a thesaurus with each word at its place."""
    tree = thesaurus.tree
    return Hierarchy(
        tree,
        tree.cluster[thesaurus.places],
        [str(word) for word in thesaurus.words],
        [thesaurus.labels.get(node, "") for node in range(tree.n_nodes)],
        kind="thesaurus(places)",
        source=source,
    )
