"""Quality of classes: the mutual information that they preserve, and how far each can be trusted.

The trust in a class is the estimated probability that a reader calls it coherent. It is a logistic
function of three statistics of the class's most frequent words, with a constant added if prior
vectors were used. The weights were fitted to 384 classes of nine thesauri, which one or two persons
had judged without seeing any statistics (`benchmarks/trust.py`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from roget.core.counts.views import unit
from roget.core.information import kl
from roget.core.types import Array, Floats, Ints

if TYPE_CHECKING:
    from roget.learn.thesaurus.thesaurus import Thesaurus

READ = 12
"""Number of words by which a class is judged. The most frequent words are used."""

DOUBTFUL = 0.7
"""Classes whose trust is below this value are shown with the reason for it."""

UNSORTED = 0.5
"""Trust below which a class is called unsorted, because it is probably not coherent.

By default, unsorted classes are left out of booklets and SKOS exports.
"""

FEW = 100
"""Maximum number of words in a thesaurus for which no class is called unsorted.

Users can read all words of such a thesaurus.
"""

ENOUGH = (1_000_000, 150_000)
"""Minimum number of words in a text for most classes to be coherent, without and with background
counts."""

INTERCEPT = -7.027
PRIOR = 1.705
"""Constant added to the logit if prior vectors were used.

The words of a class then have more in common than their contexts show.
"""
LARGEST = 6.35
"""Maximum of the logarithm of the occurrences. Larger values did not occur when the weights were
fitted."""


HIGHEST = 0.95
"""Maximum of the trust as shown to users. Higher values mean "at least 95 %", because the readers
did not judge enough classes for finer distinctions."""


def cap(trust: float) -> float:
    """Return the trust as shown to users, which is at most `HIGHEST`."""
    return min(trust, HIGHEST)


def format_trust(trust: float) -> str:
    """Format the trust in a class.

    >>> format_trust(0.62), format_trust(0.999)
    ('0.62', '≥ 0.95')
    """
    return f"≥ {HIGHEST:.2f}" if trust >= HIGHEST else f"{trust:.2f}"


class Figure(NamedTuple):
    """A statistic on which the trust in a class depends."""

    weight: float
    usual: float
    """Mean of the statistic over the classes to which the weights were fitted."""
    reason: str
    """The reason for low trust if this statistic is low."""


FIGURES = {
    "similarity": Figure(13.28, 0.268, "its frequent words differ in meaning"),
    "shared": Figure(74.46, 0.0262, "its frequent words share few contexts"),
    "occurrences": Figure(0.479, 3.93, "its words have few occurrences"),
}
"""The statistics, in the order of the fields of `ClassTrust`."""


class ClassTrust(NamedTuple):
    """The trust in a class, and the statistics from which it is computed."""

    trust: float
    """Estimated probability that a reader calls the class coherent."""
    similarity: float
    """Mean cosine between the vectors of two words."""
    shared: float
    """Mean cosine between the context weights of two words.

    High values mean many shared contexts.
    """
    occurrences: float
    """Geometric mean of the words' numbers of occurrences in the text."""

    @classmethod
    def of(
        cls, similarity: float, shared: float, occurrences: float, prior: bool = False
    ) -> ClassTrust:
        """Return the trust for given statistics. `prior` is True if prior vectors were used."""
        figures = similarity, shared, occurrences
        usual = sum(one.weight * one.usual for one in FIGURES.values())
        logit = INTERCEPT + usual + sum(_terms(figures)) + prior * PRIOR
        return cls(1 / (1 + math.exp(-logit)), *figures)

    @property
    def reason(self) -> str:
        """A description of the statistic that lowers the trust most."""
        return min(zip(_terms(self[1:]), FIGURES.values(), strict=True))[1].reason


class Information(NamedTuple):
    """Mutual information between classes and contexts, and between words and contexts, in nats."""

    classes: float
    words: float


def information(thesaurus: Thesaurus) -> Information:
    """Return the mutual information between classes and contexts, and between words and contexts.

    I(classes; contexts) = Σ p(c)·KL(p(v|c) ‖ p(v)) is at most I(words; contexts).
    """
    kept = float(thesaurus.mass @ _divergences(thesaurus))
    return Information(kept, thesaurus.index.words.information)


def _divergences(thesaurus: Thesaurus) -> Floats:
    """Return KL(centroid ‖ average) of each cluster, reusing values from before the edits."""
    draft, profiles = thesaurus.edited, thesaurus.index.profiles
    if draft is None:
        return profiles.divergences
    learnt, known = draft.base.index.profiles, draft.memory.divergences
    units = draft.units()
    for cluster, some in enumerate(units):
        if some not in known:
            if len(some) == 1 and some[0] < learnt.mass.size:
                known[some] = float(learnt.divergences[some[0]])
            else:
                known[some] = kl(profiles.centroids[cluster], profiles.average)
    return np.array([known[some] for some in units])


def trust(thesaurus: Thesaurus, node: int) -> ClassTrust | None:
    """Return the trust in a class, or None if fewer than two of its words have vectors.

    Trust is defined only for classes that were learnt from word vectors (`SphericalTree`).
    """
    known = thesaurus.clustering.representation
    vectors, weights = thesaurus.index.vectors, thesaurus.index.context_weights
    if vectors is None or known is None:
        return None
    rows = thesaurus.inside(node)
    totals = np.asarray(thesaurus.counts.word_totals, dtype=np.float64)[rows]
    good = (totals > 0) & vectors[rows].any(axis=1)
    rows, totals = rows[good], totals[good]
    first = np.argsort(-totals, kind="stable")[:READ]
    if first.size < 2:
        return None
    rows, totals = rows[first], totals[first]
    occurrences = float(np.exp(np.log(totals).mean()))
    cosines = mean_cosine(vectors[rows]), mean_cosine(weights[rows])
    return ClassTrust.of(*cosines, occurrences, bool(known.prior))


def unsorted(thesaurus: Thesaurus) -> dict[int, ClassTrust]:
    """Return the leaf classes with low trust, by node.

    Classes that a user has named are excluded.
    """
    if len(thesaurus) <= FEW or thesaurus.tree.n_clusters < 2:
        return {}
    base, found = thesaurus.base, {}
    learnt = {int(base.ids[node]): label for node, label in base.labels.items()}
    for node in thesaurus.tree.cluster_nodes.tolist():
        if thesaurus.labels.get(node) != learnt.get(int(thesaurus.ids[node])):
            continue
        one = thesaurus.trust(node)
        if one is not None and one.trust < UNSORTED:
            found[node] = one
    return found


def mean_trust(thesaurus: Thesaurus) -> list[float | None]:
    """Return the trust in each class, by node.

    For a class with subclasses, it is the mean over its leaf classes, weighted by their words. It
    is None if the trust is unknown for all leaf classes.
    """
    tree, sizes = thesaurus.tree, thesaurus.index.places.sizes
    words, sums = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    for node in tree.cluster_nodes.tolist():
        if (one := thesaurus.trust(node)) is not None:
            words[node], sums[node] = sizes[node], sizes[node] * one.trust
    words, sums = tree.sum_up(words), tree.sum_up(sums)
    return [float(a / b) if b else None for a, b in zip(sums, words, strict=True)]


def find_vectors(thesaurus: Thesaurus) -> Array | None:
    """Return the vectors of all words, or None if the classes were not made from vectors.

    Rows of words that were not learnt are 0.
    """
    known = thesaurus.clustering.representation
    if known is None or known.rows is None:
        return None if known is None else known.vectors
    # Words that were not learnt have row −1, which selects the last row. Their values are set to 0.
    return np.asarray(known.vectors[known.rows] * (known.rows >= 0)[:, None])


def weigh_words(thesaurus: Thesaurus) -> Any:
    """Return the context weights of all words scaled to length 1. See `find_vectors`."""
    known = thesaurus.clustering.representation
    if known is None or known.rows is None:
        return None if known is None else unit(known.weights)
    return unit(known.weights)[known.rows].multiply((known.rows >= 0)[:, None]).tocsr()


def mean_cosine(rows: Any) -> float:
    """Return the mean cosine over all pairs of unit rows, (|Σ x|² − n) / (n·(n − 1))."""
    n, sums = rows.shape[0], np.asarray(rows.sum(axis=0), dtype=np.float64).ravel()
    return float((sums @ sums - n) / (n * (n - 1)))


def centrality(vectors: Array, totals: Floats, rows: Ints) -> Floats:
    """Return the cosine between each word of a class and the mean of the class's other words.

    In the mean, words are weighted by the square root of their numbers of occurrences.
    """
    part = vectors[rows].astype(np.float64) * np.sqrt(totals[rows])[:, None]
    rest = part.sum(axis=0) - part
    lengths = np.linalg.norm(rest, axis=1) * np.linalg.norm(part, axis=1)
    return np.asarray(np.einsum("ij,ij->i", part, rest) / np.maximum(lengths, 1e-12))


def _terms(figures: tuple[float, ...]) -> list[float]:
    """Return the terms of the logit, relative to a class with average statistics."""
    values = *figures[:2], min(math.log(max(figures[2], 1e-9)), LARGEST)
    return [one.weight * (x - one.usual) for one, x in zip(FIGURES.values(), values, strict=True)]
