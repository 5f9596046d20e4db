"""Naive versions of the class models' formulas, on dense tables and plain loops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def kneser_ney(train: Any, discounts: Sequence[float]) -> Any:
    """p(v|n): counts less a discount by how often, the rest by how many words a context is seen
    with less one; what is taken there is shared out evenly."""
    words, contexts = train.shape
    types = [sum(1 for n in range(words) if train[n][v] > 0) for v in range(contexts)]
    seen = sum(1 for value in types if value)
    lower = [(max(value - 1, 0) + seen / contexts) / sum(types) for value in types]
    return discounted(train, discounts, [lower] * words)


def discounted(train: Any, discounts: Sequence[float], lower: Any) -> Any:
    """p(v|n) by discounts for counts of 1, 2, … and the last for all larger, and what is below."""
    rows = []
    for n, row in enumerate(train):
        total = sum(row)
        if not total:
            rows.append(list(lower[n]))
            continue
        own, left = [], 0.0
        for count in row:
            cut = discounts[min(int(count), len(discounts)) - 1] if count else 0.0
            own.append((count - cut) / total)
            left += cut / total
        rows.append([p + left * q for p, q in zip(own, lower[n], strict=True)])
    return np.array(rows)


def loss(p: Any, tokens: Any) -> float:
    """−log p per token."""
    spent = total = 0.0
    for n, row in enumerate(tokens):
        for v, count in enumerate(row):
            if count:
                spent -= count * math.log(p[n][v])
                total += count
    return spent / total


def decision_error(whole: Any, scores: Any, pairs: Any, band: Any) -> tuple[float, float]:
    """Wrong decisions, over all and exceptional triples, by asking about every pair and rival."""
    totals = whole.sum(axis=0)
    wrong, odd = [], []
    for noun, verb in pairs:
        for rival in band:
            if (noun, rival) in pairs or whole[noun][rival] == whole[noun][verb]:
                continue
            right = whole[noun][verb] > whole[noun][rival]
            says = scores[noun][verb] > scores[noun][rival]
            tie = scores[noun][verb] == scores[noun][rival]
            wrong.append(0.5 if tie else float(says != right))
            if (right and totals[verb] < totals[rival]) or (
                not right and totals[verb] > totals[rival]
            ):
                odd.append(wrong[-1])
    return sum(wrong) / len(wrong), sum(odd) / len(odd) if odd else math.nan
