"""`roget.scorer`: a measure as scikit-learn's searches and validations want it."""

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
    """Called with a fitted clusterer, the data and their gold labels; higher is better."""

    measure: Measure
    entropy: str
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """The score; distances are turned, and NaN stands for undefined."""
        if y is None:
            raise InputError("scorer: no gold labels; give them as y")
        try:
            value = measure_labels(
                self.measure, y, _label(estimator, X), self.entropy, **self.options
            )
        except Undefined:
            return float("nan")
        return value if self.measure.direction == "higher" else -value


def scorer(measure: str | Measure, entropy: str = "ml", **options: Any) -> Scorer:
    """A scorer for `scoring=` of GridSearchCV, cross_validate and the like.

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
    asked = list_requests([parse(measure)], entropy)
    if len(asked) != 1:
        raise InputError(f"scorer: one measure and one estimator, not {len(asked)}")
    return Scorer(asked[0][0], entropy, options)


def _label(estimator: Any, X: Any) -> Any:
    """The clusters of the data: predicted, or those found when it was fitted to them."""
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    labels = np.asarray(estimator.labels_)
    size = X.shape[0] if hasattr(X, "shape") else len(X)
    if labels.shape[0] != size:
        raise InputError(
            f"scorer: {type(estimator).__name__} cannot predict, and its labels are of "
            f"{labels.shape[0]} other items, not of these {size}; score what it was fitted to, "
            "with cv=[(rows, rows)]"
        )
    return labels
