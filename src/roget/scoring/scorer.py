"""The function `roget.scorer`, which makes scorers for scikit-learn."""

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
    """A callable that scores a fitted clusterer on data with gold labels. Higher is better."""

    measure: Measure
    entropy: str
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """Return the score, negated for distances and NaN if undefined."""
        if y is None:
            raise InputError("scorer requires gold labels; pass them as y", code="missing-option")
        try:
            value = measure_labels(
                self.measure, y, _label(estimator, X), self.entropy, **self.options
            )
        except Undefined:
            return float("nan")
        return value if self.measure.direction == "higher" else -value


def scorer(measure: str | Measure, entropy: str = "ml", **options: Any) -> Scorer:
    """Return a scorer for GridSearchCV etc., by default of the plug-in score, as in scikit-learn.

    Reports and `score(...)[name]` show the bias-corrected score; for it, pass `entropy="jk"`.

    Parameters
    ----------
    measure, entropy
        Names of a measure and an entropy estimator, such as "v" and "jk".
    options
        Options of `roget.score`, such as missing, noise or balance.

    Returns
    -------
    Scorer
        A callable with the arguments estimator, X and y.

    Raises
    ------
    InputError
        If there is more than one measure or estimator.

    Examples
    --------
    >>> scorer("v", entropy="jk")
    Scorer(measure=V(beta=1.0), entropy='jk', options={})
    """
    if not isinstance(measure, str | Measure):
        raise InputError(
            "scorer requires one measure; for several, pass scoring={name: roget.scorer(name), …}",
            code="invalid-option",
        )
    requests = list_requests([parse(measure)], entropy)
    if len(requests) != 1:
        raise InputError(
            f"scorer: expected one measure and one estimator, but got {len(requests)} combinations",
            code="invalid-option",
        )
    return Scorer(requests[0][0], entropy, options)


def _label(estimator: Any, X: Any) -> Any:
    """Return the clusters predicted for the data, or the labels of the fitted estimator."""
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    labels = np.asarray(estimator.labels_)
    size = X.shape[0] if hasattr(X, "shape") else len(X)
    if labels.shape[0] != size:
        raise InputError(
            f"scorer: {type(estimator).__name__} has no predict method and was fitted on "
            f"{labels.shape[0]} items, but there are {size}; score the items on which it was "
            "fitted, with cv=[(rows, rows)]",
            code="length-mismatch",
        )
    return labels
