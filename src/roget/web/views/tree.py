"""View: the tree of classes, stored as columns."""

from __future__ import annotations

from typing import Any, TypedDict

from roget.learn.thesaurus.quality import DOUBTFUL, unsorted
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import Sheet, StaticPage, View


class TreeData(TypedDict):
    """Data of the tree view. Entry i of each list describes node i."""

    revision: int
    """The revision to which these nodes belong. Edits that refer to nodes must include it."""
    parent: list[int]
    value: list[float | None]
    words: list[int]
    share: list[float]
    label: list[str]
    given: list[int]
    """Nodes with a label written by a user."""
    ids: list[int]
    trust: list[float | None]
    """The trust in each class. For a class with subclasses, it is a mean over its leaf classes."""
    doubts: dict[str, str]
    """The reasons for low trust in leaf classes, by node."""
    unsorted: list[int]
    """Leaf classes whose trust is so low that booklets and SKOS exports leave them out."""
    hidden: list[int]
    """Nodes between two levels, which are not shown in the tree."""
    made: list[int | None]
    """For each split node, the number of classes after the split. It is None for leaves."""


def make(snapshot: ThesaurusSnapshot) -> TreeData:
    """Return the whole tree."""
    thesaurus = snapshot.thesaurus
    nodes, classes_after = range(thesaurus.tree.n_nodes), dict(thesaurus.tree.splits)
    return {
        "revision": snapshot.revision,
        "parent": thesaurus.tree.parent.tolist(),
        "value": [snapshot.split_value(node) for node in nodes],
        "words": snapshot.sizes,
        "share": snapshot.shares,
        "label": snapshot.labels,
        "given": sorted(thesaurus.labels),
        "ids": thesaurus.ids.tolist(),
        "trust": snapshot.trust,
        "doubts": {
            str(node): found.reason
            for node in thesaurus.tree.cluster_nodes.tolist()
            if (found := thesaurus.trust(node)) is not None and found.trust < DOUBTFUL
        },
        "unsorted": sorted(unsorted(thesaurus)),
        "hidden": [node for node in nodes if node not in snapshot.shown],
        "made": [classes_after.get(node) for node in nodes],
    }


def sheet(data: TreeData, _: ThesaurusSnapshot) -> Sheet:
    """Return the CSV table of this view, with one row per class."""
    names = ("parent", "value", "words", "share", "label", "trust")
    rows = [
        [node, *(data[name][node] for name in names), int(node in data["unsorted"])]  # type: ignore[literal-required]
        for node in range(len(data["parent"]))
    ]
    return ["node", *names, "unsorted"], rows


def embed(page: StaticPage) -> dict[str, Any]:
    """Return this view's data for the static page."""
    return {"tree": make(page.snapshot)}


VIEW = View("tree", make, TreeData, sheet=sheet, static=embed)
