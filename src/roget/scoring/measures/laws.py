"""Mathematical properties of the measures: metric, constant baseline, monotone, linear cost.

The tests check every property on generated clusterings, and the table of properties in the
documentation is generated from this module. Symmetry and ranges are declared by the measures.
"""

from __future__ import annotations

from typing import NamedTuple

from roget.scoring.measures.base import Need, parse

METRICS = (
    "vi", "vi-logn", "vi-2logn", "van-dongen", "misclassification", "mirkin",
    "correlation-distance",
)  # fmt: skip
"""Distances that satisfy the triangle inequality with plug-in entropies."""

BASELINES = {
    "ami": 0.0,
    "smi": 0.0,
    "ari": 0.0,
    "gamma": 0.0,
    "sokal-sneath": 0.5,
    "blanc-precision": 0.5,
    "blanc-recall": 0.5,
}
"""The mean score of random clusterings, for measures whose mean does not depend on the cluster
sizes.
"""

MONOTONE = (
    "homogeneity", "completeness", "v", "vi", "nvi", "vi-logn", "vi-2logn", "mi", "nmi",
    "zk-entropy", "ami", "purity", "inverse-purity", "f", "larsen", "micro-precision",
    "micro-recall", "many-to-one", "van-dongen", "one-to-one", "misclassification", "rand", "ari",
    "gamma", "correlation-distance", "sokal-sneath", "jaccard", "fm", "mirkin",
    "paired-precision", "paired-recall", "paired-f", "b3-precision", "b3-recall", "b3-f",
    "ceaf-m", "ceaf-m-precision", "ceaf-m-recall", "cluster-recall", "muc", "muc-precision",
    "muc-recall", "lea", "lea-precision", "lea-recall",
)  # fmt: skip
"""Measures that never get worse when two clusters within one class are merged, or when a cluster is
split without splitting a class (Gösgens et al. 2021).
"""

_LINEAR_NEEDS: set[Need] = {"entropies", "sizes", "pairs", "bcubed", "joint", "table"}
_MATCHING = (
    "ceaf-e", "ceaf-e-precision", "ceaf-e-recall", "conll", "nca", "psi", "rmi",
    "greedy-one-to-one", "meila-heckerman",
)  # fmt: skip
"""Measures whose running time is not linear in the number of cells.

They match cells, sort them, or sum over their sizes.
"""


class Properties(NamedTuple):
    """The properties of a measure. False means that the property is not claimed."""

    symmetric: bool
    metric: bool
    baseline: float | None
    """The mean score of random clusterings, or None if it depends on their sizes."""
    monotone: bool
    linear: bool
    """True if the running time is linear in the number of non-empty cells."""


def list_properties(name: str) -> Properties:
    """Return the properties of a measure.

    >>> list_properties("sokal-sneath")
    Properties(symmetric=True, metric=False, baseline=0.5, monotone=True, linear=True)
    """
    measure = parse(name)
    linear = set(measure.needs) <= _LINEAR_NEEDS and measure.name not in _MATCHING
    return Properties(
        bool(measure.symmetric),
        name in METRICS,
        BASELINES.get(name),
        name in MONOTONE,
        linear and not getattr(measure, "splits", 0),
    )
