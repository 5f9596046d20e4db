"""What is typical: words near a centroid, contexts that stand out; and what must be so."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from roget.core.information import xlogx
from roget.errors import InputError
from roget.learn.thesaurus.values import TypicalContext

if TYPE_CHECKING:
    from roget.learn.thesaurus.lookup import Floats, Rows
    from roget.learn.thesaurus.thesaurus import Thesaurus


def own_information(conditional: Any) -> Floats:
    """Σ p log p of each word's distribution: minus its entropy."""
    table = conditional.copy()
    table.data = xlogx(table.data)
    return np.asarray(table.sum(axis=1)).ravel()


def nearest_rows(
    centroid: Floats, conditional: Any, information: Floats, rows: Rows, n: int
) -> tuple[Rows, Floats]:
    """Of some words, the n nearest to a centroid by KL(word ‖ class), and how far they are."""
    with np.errstate(divide="ignore"):
        logs = np.log(centroid)
    table = conditional if rows.size == conditional.shape[0] else conditional[rows]
    distances = np.maximum(information[rows] - table @ logs, 0.0)
    # A word that was never seen is near to nothing.
    distances[np.diff(table.indptr) == 0] = math.inf
    if 0 < n < rows.size:
        near = distances <= np.partition(distances, n - 1)[n - 1]
        rows, distances = rows[near], distances[near]
    best = np.argsort(distances, kind="stable")[:n]
    return rows[best], distances[best]


def distinct(
    here: Floats, average: Floats, contexts: npt.NDArray[Any], n: int
) -> Iterator[TypicalContext]:
    """The n contexts that set a distribution apart from the average: p·log(p / average)."""
    seen = np.flatnonzero((here > 0) & (average > 0))
    p, lift = here[seen], np.log(here[seen] / average[seen])
    # At the root no context stands out, but for the last digits: the most frequent are typical.
    for at in np.lexsort((-p, -p * lift.round(9)))[:n]:
        yield TypicalContext(str(contexts[seen[at]]), float(p[at]), float(lift[at]))


def check(thesaurus: Thesaurus) -> None:
    """Say what does not fit together in a thesaurus, if anything."""
    found, k = thesaurus.clustering, thesaurus.tree.n_clusters
    for name, right in (
        ("memberships", (len(thesaurus), k)),
        ("centroids", (k, thesaurus.contexts.size)),
    ):
        if getattr(found, name).shape != right:
            raise InputError(f"{name} of shape {getattr(found, name).shape}: expected {right}")
    sums = np.asarray(thesaurus.memberships.sum(axis=1)).ravel()
    if not np.allclose(sums, 1.0, atol=1e-4):
        worst = int(np.argmax(np.abs(sums - 1)))
        word = str(thesaurus.words[worst])
        raise InputError(f"the memberships of {word!r} add up to {sums[worst]:g}, not 1")
    for node, label in thesaurus.labels.items():
        thesaurus.tree.children(node)  # a node that is not there is an error
        if not isinstance(label, str) or not label.strip():
            raise InputError(f"the label of node {node} is {label!r}: expected a text")
