"""Agreement between annotators, with missing judgements."""

from __future__ import annotations

import numpy as np

from roget.core.types import Ints

NONE = -1
"""Code of a missing judgement."""


def measure_alpha(codes: Ints) -> float | None:
    """Return Krippendorff's α of nominal judgements: 1 for perfect agreement, 0 for chance.

    `codes` has the shape (annotators, items).

    Items judged by fewer than two annotators are ignored. Return None if no items remain, or if all
    judgements are the same, because chance agreement is then perfect.

    >>> measure_alpha(np.array([[0, 1, 1, -1], [0, 1, 0, 2]]))
    0.444...
    """
    counts = _count(codes)
    judges = counts.sum(axis=1)
    paired = judges >= 2
    values = counts[paired].sum(axis=0)
    total = int(values.sum())
    if not total or (values > 0).sum() < 2:
        return None
    # Compute α = 1 − observed/expected disagreement. An item with m judgements has the weight m, so
    # divide its number of pairs by m − 1.
    disagreeing = judges[paired] ** 2 - (counts[paired] ** 2).sum(axis=1)
    observed = float((disagreeing / (judges[paired] - 1)).sum()) / total
    expected = float(total**2 - (values**2).sum()) / (total * (total - 1))
    return float(1 - observed / expected)


def measure_agreement(codes: Ints) -> float | None:
    """Return the fraction of pairs of judgements on the same item that agree.

    Return None if no item has two judgements.

    >>> measure_agreement(np.array([[0, 1, 1, -1], [0, 1, 0, 2]]))
    0.666...
    """
    counts = _count(codes)
    judges = counts.sum(axis=1)
    pairs = (judges * (judges - 1)).sum()
    return float((counts * (counts - 1)).sum() / pairs) if pairs else None


def _count(codes: Ints) -> Ints:
    """Count how many annotators gave each judgement.

    The result has the shape (items, judgements).
    """
    return np.stack(
        [(codes == code).sum(axis=0) for code in range(int(codes.max(initial=NONE)) + 1)]
        or [np.zeros(codes.shape[1], dtype=np.int64)],
        axis=1,
    )
