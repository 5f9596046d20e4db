"""Naive formulas for tables, with exact fractions where possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

Table = Sequence[Sequence[int]]


def plug_in(counts: Sequence[int]) -> float:
    """Return the entropy of the relative frequencies, summed without loss."""
    n = sum(counts)
    return math.fsum(c / n * (math.log(n) - math.log(c)) for c in counts)


def miller_madow(counts: Sequence[int]) -> float:
    """Return Ĥ + (K − 1)/2N (Miller 1955)."""
    return plug_in(counts) + (len(counts) - 1) / (2 * sum(counts))


def jackknife(counts: Sequence[int]) -> float:
    """Return N·Ĥ − (N − 1)·mean of Ĥ with each item left out in turn."""
    n = sum(counts)
    if n == 1:
        return plug_in(counts)
    left = []
    for at, count in enumerate(counts):
        rest = [c - (i == at) for i, c in enumerate(counts)]
        left.append(count * plug_in([c for c in rest if c]))
    return n * plug_in(counts) - (n - 1) / n * math.fsum(left)


def grassberger(counts: Sequence[int]) -> float:
    """Return log N − Σ n·G(n)/N with G₁ = −γ − log 2, G₂ = 2 − γ − log 2 (Grassberger 2003)."""
    n = sum(counts)
    total = []
    for count in counts:
        value = -0.57721566490153286 - math.log(2)
        value += math.fsum(2 / (2 * i + 1) for i in range(count // 2))
        total.append(count * value)
    return math.log(n) - math.fsum(total) / n


ESTIMATORS: dict[str, Callable[[Sequence[int]], float]] = {
    "ml": plug_in,
    "mm": miller_madow,
    "jk": jackknife,
    "grassberger": grassberger,
}


def entropy(counts: Sequence[int], estimator: str) -> float:
    """Return an estimate of the entropy."""
    return ESTIMATORS[estimator](counts)


def homogeneity(c: float, k: float, joint: float) -> float | None:
    """Return 1 − H(C|K)/H(C)."""
    return (c + k - joint) / c if abs(c) > 1e-9 else None


def v(c: float, k: float, joint: float) -> float | None:
    """Return 2·I/(H(C) + H(K)), the harmonic mean of homogeneity and completeness."""
    if min(abs(c), abs(k), abs(c + k), abs(c + k - joint)) < 1e-9:
        return None
    return 2 * (c + k - joint) / (c + k)


FORMULAS: dict[str, Callable[[float, float, float], float | None]] = {
    "mi": lambda c, k, joint: c + k - joint,
    "vi": lambda c, k, joint: 2 * joint - c - k,
    "homogeneity": homogeneity,
    "completeness": lambda c, k, joint: homogeneity(k, c, joint),
    "v": v,
    "nvi": lambda c, k, joint: (2 * joint - c - k) / c if abs(c) > 1e-9 else None,
}


def pairs(count: int) -> int:
    """Return the number of pairs of items."""
    return count * (count - 1) // 2


def count_pairs(table: Table) -> tuple[int, int, int, int]:
    """Return the number of pairs: together in both, in gold, in the system, and all."""
    rows, columns = (
        [sum(row) for row in table],
        [sum(column) for column in zip(*table, strict=True)],
    )
    both = sum(pairs(x) for row in table for x in row)
    return both, sum(map(pairs, rows)), sum(map(pairs, columns)), pairs(sum(rows))


def rand(table: Table) -> Fraction | None:
    """Return the share of pairs on which both agree."""
    both, gold, system, total = count_pairs(table)
    return Fraction(total + 2 * both - gold - system, total) if total else None


def ari(table: Table) -> Fraction | None:
    """Return the Rand index adjusted for chance."""
    both, gold, system, total = count_pairs(table)
    if not total or (gold + system) * total == 2 * gold * system:
        return None
    chance = Fraction(gold * system, total)
    return (both - chance) / (Fraction(gold + system, 2) - chance)


def jaccard(table: Table) -> Fraction | None:
    """Return the share of joined pairs that are joined in both."""
    both, gold, system, _ = count_pairs(table)
    return Fraction(both, gold + system - both) if gold + system > both else None


def b3_precision(table: Table) -> Fraction:
    """Return Σ x²/b/N with the cells x and the cluster sizes b."""
    n = sum(map(sum, table))
    sizes = [sum(column) for column in zip(*table, strict=True)]
    return sum(
        (Fraction(x * x, sizes[k] * n) for row in table for k, x in enumerate(row) if x),
        Fraction(0),
    )


def purity(table: Table) -> Fraction:
    """Return the share of items in the largest class of their cluster."""
    return Fraction(sum(map(max, zip(*table, strict=True))), sum(map(sum, table)))


def turn(formula: Callable[[Table], Fraction | None]) -> Callable[[Table], Fraction | None]:
    """Return the formula with classes and clusters exchanged."""
    return lambda table: formula([*zip(*table, strict=True)])


def mutual(table: Table) -> float:
    """Return the plug-in mutual information, cell by cell."""
    n = sum(map(sum, table))
    rows, columns = (
        [sum(row) for row in table],
        [sum(column) for column in zip(*table, strict=True)],
    )
    return math.fsum(
        x / n * math.log(Fraction(n * x, rows[c] * columns[k]))
        for c, row in enumerate(table)
        for k, x in enumerate(row)
        if x
    )


TABLE_FORMULAS: dict[str, Callable[[Table], Fraction | float | None]] = {
    "rand": rand,
    "ari": ari,
    "jaccard": jaccard,
    "b3-precision": b3_precision,
    "b3-recall": turn(b3_precision),
    "purity": purity,
    "inverse-purity": turn(purity),
    "mi": mutual,
}

INVARIANT = (
    "homogeneity", "completeness", "v", "vi", "nvi", "nmi", "ami", "purity", "rand", "ari",
    "jaccard", "fm", "paired-f", "b3-precision", "b3-recall", "b3-f", "one-to-one", "van-dongen",
)  # fmt: skip
"""Measures that are compared for items with whole weights."""
