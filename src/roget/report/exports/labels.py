"""Label reader for thesaurus folders, so that `roget score` can evaluate a thesaurus.

It is registered in the catalogue because the scoring package must not import thesaurus code.
"""

from __future__ import annotations

from roget.learn.thesaurus import Thesaurus
from roget.scoring.labels.columns import Columns
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.hierarchy import Hierarchy
from roget.scoring.labels.labels import Labels
from roget.scoring.labels.readers.base import LabelReader


def read(file: LabelFile | Thesaurus, columns: Columns | None, gold: bool) -> Labels:
    """Return the main class of each word as labels, read from a thesaurus or its folder."""
    if isinstance(file, Thesaurus):
        return to_hierarchy(file, "the thesaurus").to_labels()
    return to_hierarchy(Thesaurus.load(file.path), file.name).to_labels()


def to_hierarchy(thesaurus: Thesaurus, source: str) -> Hierarchy:
    """Convert a thesaurus to a hierarchy in which each word belongs to its main class."""
    tree = thesaurus.tree
    return Hierarchy(
        tree,
        tree.cluster[thesaurus.places],
        [str(word) for word in thesaurus.words],
        [thesaurus.labels.get(node, "") for node in range(tree.n_nodes)],
        kind="thesaurus(places)",
        source=source,
    )


READER = LabelReader(
    "A thesaurus folder; the label of a word is its main class.", labels=read, is_tree=True
)
