"""`roget.scorer`: measures as scorers of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roget.errors import InputError, Undefined
from roget.scoring.measures import Measure, parse
from roget.scoring.measures.base import list_requests
from roget.scoring.score import measure as measure_labels


@dataclass(frozen=True)
class Scorer:
    """A scorer for a fitted clusterer, the data and their gold labels; higher is better."""

    measure: Measure
    entropy: str
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """Return the score; distances are negated, undefined scores are NaN."""
        if y is None:
            raise InputError("scorer: pass the gold labels as y", code="missing-option")
        try:
            value = measure_labels(
                self.measure, y, _label(estimator, X), self.entropy, **self.options
            )
        except Undefined:
            return float("nan")
        return value if self.measure.direction == "higher" else -value


def scorer(measure: str | Measure, entropy: str = "ml", **options: Any) -> Scorer:
    """Return a scorer for `scoring=` of GridSearchCV, cross_validate and others.

    Parameters
    ----------
    measure, entropy
        Names of the catalogue, such as "v" and "jk".
    options
        As for `roget.score`: missing, noise, balance and so on.

    Examples
    --------
    >>> scorer("v", entropy="jk")
    Scorer(measure=V(beta=1.0), entropy='jk', options={})
    """
    requests = list_requests([parse(measure)], entropy)
    if len(requests) != 1:
        raise InputError(
            f"scorer: expected one measure and one estimator, not {len(requests)}",
            code="invalid-option",
        )
    return Scorer(requests[0][0], entropy, options)


def _label(estimator: Any, X: Any) -> Any:
    """Return the clusters of the data: predicted, or those of the fit."""
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    labels = np.asarray(estimator.labels_)
    size = X.shape[0] if hasattr(X, "shape") else len(X)
    if labels.shape[0] != size:
        raise InputError(
            f"scorer: {type(estimator).__name__} cannot predict and was fitted to "
            f"{labels.shape[0]} items, not to these {size}; score the items it was fitted to, with "
            "cv=[(rows, rows)]",
            code="length-mismatch",
        )
    return labels
