"""Agreement of people who judged the same things, as far as each of them did."""

from __future__ import annotations

import numpy as np

from roget.core.types import Ints

NONE = -1
"""Where somebody did not judge."""


def measure_alpha(codes: Ints) -> float | None:
    """Krippendorff's α of nominal judgements, people × things: 1 is perfect, 0 is chance.

    Things that fewer than two people judged say nothing. None if there are no others, or if all
    judgements are the same: then there is nothing to be agreed on.

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
    # Each thing's pairs of judgements weigh as much as it has judges.
    unlike = judges[paired] ** 2 - (counts[paired] ** 2).sum(axis=1)
    observed = float((unlike / (judges[paired] - 1)).sum()) / total
    expected = float(total**2 - (values**2).sum()) / (total * (total - 1))
    return float(1 - observed / expected)


def share_alike(codes: Ints) -> float | None:
    """Of pairs of people and things that both judged, the share judged alike; None without any.

    >>> share_alike(np.array([[0, 1, 1, -1], [0, 1, 0, 2]]))
    0.666...
    """
    counts = _count(codes)
    judges = counts.sum(axis=1)
    pairs = (judges * (judges - 1)).sum()
    return float((counts * (counts - 1)).sum() / pairs) if pairs else None


def _count(codes: Ints) -> Ints:
    """How many people gave each judgement to each thing: things × judgements."""
    return np.stack(
        [(codes == code).sum(axis=0) for code in range(int(codes.max(initial=NONE)) + 1)]
        or [np.zeros(codes.shape[1], dtype=np.int64)],
        axis=1,
    )
