"""Table 1: a clustering that people prefer, compared with one cluster per item."""

from __future__ import annotations

import math

import numpy as np

from roget.papers.nvi.rules import TABLE_1 as RULES
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced
from roget.scoring.tables.contingency import Contingency

MEASURES = {"v": "V", "vi": "VI", "nvi": "NVI", "nvi-k": "NVI_K"}
CLASSES = ITEMS = 10
"""Ten classes of ten items each."""

ROW = (7, 1, 1, 1, 0, 0, 0, 0, 0, 0)
"""Number of items of the first class in each cluster of solution R.

The rows of the other classes are shifted copies of this row.
"""

PRINTED = {
    "singletons": {"v": (0.667, 3), "vi": (2.303, 3), "nvi": (1.0, 0), "nvi-k": (0.5, 1)},
    "solution R": {"v": (0.587, 3), "vi": (1.88, 2), "nvi": (0.81, 2), "nvi-k": (0.81, 2)},
}
"""Printed values, each with its number of decimals."""


def solutions() -> dict[str, Contingency]:
    """Return the contingency tables of both clusterings, with classes as rows."""
    alone = np.repeat(np.eye(CLASSES, dtype=np.int64), ITEMS, axis=1)
    shifted = np.array([np.roll(ROW, step) for step in range(CLASSES)])
    tables = {"singletons": alone, "solution R": shifted}
    return {name: Contingency.from_table(table) for name, table in tables.items()}


def table_1(options: ReproduceOptions) -> Reproduced:
    """Reproduce Table 1 of Reichart & Rappoport (2009): a good clustering and singletons."""
    values = {
        name: {measure: table.measure(measure) for measure in MEASURES}
        for name, table in solutions().items()
    }
    claims = [
        _compare(name, measure, values[name][measure]) for name in PRINTED for measure in MEASURES
    ]
    claims += [_prefer(measure, values) for measure in MEASURES]
    return Reproduced(
        "A good clustering and one cluster per item (Reichart & Rappoport 2009, Table 1)",
        about=(
            "There are a hundred items in ten classes of ten, and logarithms are natural. In "
            "solution R, each of the ten clusters has seven items of one class and three items "
            "of three other classes. All thirty respondents preferred it to a hundred clusters "
            "of one item."
        ),
        claims=claims,
        data=values,
    )


def _compare(name: str, measure: str, ours: float) -> Claim:
    published, digits = PRINTED[name][measure]
    what = f"{name}: {MEASURES[measure]}"
    cut = math.floor(ours * 10**digits) / 10**digits == published
    return Claim(
        RULES["value"], what, published, ours, digits, misprint=_prove(name, measure),
        reason="the printed value is truncated instead of rounded" if cut else "",
    )  # fmt: skip


def _prove(name: str, measure: str) -> str:
    """Compute V, NVI or NVI_K from the printed VI, since both entropies are log 10 in solution R.

    Return the computation if it contradicts the printed value.
    """
    if name != "solution R" or measure == "vi":
        return ""
    (vi, places), (printed, digits) = PRINTED[name]["vi"], PRINTED[name][measure]
    h = math.log(CLASSES)
    value = 1 - vi / (2 * h) if measure == "v" else vi / h
    error = 0.5 * 10**-places / (2 * h if measure == "v" else h)
    if abs(value - printed) <= 0.5 * 10**-digits + error:
        return ""
    formula = f"1 − {vi}/(2 · {h:.3f})" if measure == "v" else f"{vi}/{h:.3f}"
    return f"{formula} = {value:.3f} ± {error:.3f} with the printed VI and H(C) = H(K) = log 10"


def _prefer(measure: str, values: dict[str, dict[str, float]]) -> Claim:
    """Check which clustering a measure prefers.

    A higher V is preferred. For all other measures, a lower value is preferred.
    """
    best = max if measure == "v" else min
    published, ours = (
        best(PRINTED, key=lambda name: table[name][measure])
        for table in ({n: {m: v[0] for m, v in row.items()} for n, row in PRINTED.items()}, values)
    )
    return Claim(RULES["prefers"], f"{MEASURES[measure]} prefers", published, ours)
