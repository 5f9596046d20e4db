"""Mean errors of the estimators on simulated samples."""

from __future__ import annotations

import math

import numpy as np
import pytest

from roget.scoring.entropy import Histogram, get

DRAWS = 1000
# Root mean squared error in nats: Zipf(1) over m cells, 100 items; "*" is told the true m.
MEASURED = {
    10: {"ml": 0.087, "mm": 0.078, "jk": 0.078, "bub": 0.077, "bub*": 0.076}
    | {"grassberger": 0.081, "chao-shen": 0.074},
    30: {"ml": 0.199, "mm": 0.129, "jk": 0.121, "bub": 0.121, "bub*": 0.119}
    | {"grassberger": 0.123, "chao-shen": 0.120},
    100: {"ml": 0.481, "mm": 0.300, "jk": 0.205, "bub": 0.298, "bub*": 0.253}
    | {"grassberger": 0.194, "chao-shen": 0.169},
    300: {"ml": 0.882, "mm": 0.629, "jk": 0.443, "bub": 0.629, "bub*": 0.276}
    | {"grassberger": 0.389, "chao-shen": 0.354},
}


def zipf_errors(m: int, names: list[str]) -> dict[str, float]:
    p = 1.0 / np.arange(1, m + 1)
    p /= p.sum()
    truth = -float(p @ np.log(p))
    counts = np.random.default_rng(20_14).multinomial(100, p, size=DRAWS)
    seen = counts > 0
    starts = np.concatenate(([0], np.cumsum(seen.sum(axis=1))[:-1]))
    samples, support = Histogram.from_counts(counts[seen], starts), np.full(DRAWS, m)
    errors = {}
    for name in names:
        values = get(name.rstrip("*"))(samples, support if name.endswith("*") else None)
        errors[name] = math.sqrt(np.mean((values - truth) ** 2))
    return errors


@pytest.mark.parametrize("m", list(MEASURED))
def test_errors_on_zipf_samples(m: int) -> None:
    """The tolerance is 0.015 nats: both sides are simulated, with errors of a few thousandths."""
    found = zipf_errors(m, list(MEASURED[m]))
    assert found == pytest.approx(MEASURED[m], abs=0.015)


def test_estimators_that_know_support_have_smaller_error_if_most_cells_are_unseen() -> None:
    found = zipf_errors(300, ["ml", "jk", "cwj", "bub*", "shrink*"])
    assert max(found["bub*"], found["shrink*"], found["cwj"]) < found["jk"] < found["ml"] / 1.5
