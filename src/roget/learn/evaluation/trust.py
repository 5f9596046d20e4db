"""Measure how reliable classes are, by learning them again from 90 % of the tokens.

The held-out trial has already learnt these classes, so no further clustering is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.types import Floats, Ints
from roget.errors import Notice

KEY = "trust"
"""Key under which the provenance records the reliability statistics."""

RECURS = 0.5
"""Minimum Jaccard similarity for a class to count as recurring.

Below .5, a class counts as dissolved (Hennig 2007).
"""

STABLE, UNSTABLE = 0.7, 0.4
"""Thresholds of the adjusted Rand index.

Classes are stable at or above the first value, and unstable below the second.
"""

SCARCE = 15
"""Median number of occurrences per word below which a text alone is too small.

Most classes learnt from such a text contain unrelated words.
"""

FEWEST = 100
"""Minimum number of words for a warning. Users can check a smaller number themselves."""


@dataclass(frozen=True)
class Trust:
    """Reliability statistics for the classes of a thesaurus."""

    words: int
    occurrences: float
    """Median number of occurrences per word in the text."""
    background: bool
    """True if background counts were added."""
    agreement: float | None = None
    """Adjusted Rand index of these classes and classes learnt from a random 90 % of the tokens.

    None if not measured.
    """
    classes: int = 0
    recurring: int | None = None
    """Number of classes that recur (see `RECURS`)."""

    @property
    def verdict(self) -> str:
        """Reliability of the classes as one word: stable, fair, unstable or unmeasured."""
        if self.agreement is None:
            return "unmeasured"
        if self.agreement >= STABLE:
            return "stable"
        return "unstable" if self.agreement < UNSTABLE else "fair"

    @property
    def is_scarce(self) -> bool:
        """True if no background was added and the text is too small to learn good classes."""
        few = self.occurrences < SCARCE or self.verdict == "unstable"
        return self.words >= FEWEST and few and not self.background

    @classmethod
    def from_json(cls, record: Mapping[str, Any] | None) -> Trust | None:
        """Read statistics written by `to_json`. Return None for an empty record."""
        if not record:
            return None
        return cls(**{one.name: record[one.name] for one in fields(cls) if one.name in record})

    def to_json(self) -> dict[str, Any]:
        """Return all statistics and the verdict as JSON-compatible values."""
        return {**asdict(self), "verdict": self.verdict}


def gauge(
    counts: Counts, labels: Ints, again: Ints | None, kept: Ints, *, background: bool
) -> Trust:
    """Return the reliability statistics for the classes of the given words.

    Parameters
    ----------
    counts
        The counts of the text.
    labels, again
        The class of each word in the thesaurus and in the second run. None if there was no second
        run.
    kept
        Rows of the words that are in the thesaurus.
    background
        True if background counts were added.
    """
    tokens = np.asarray(counts.word_totals, dtype=np.float64)[kept]
    middle = float(np.median(tokens)) if kept.size else 0.0
    first = labels[kept]
    classes = int(np.unique(first).size)
    if again is None or not kept.size:
        return Trust(int(kept.size), middle, background, classes=classes)
    from sklearn.metrics import adjusted_rand_score

    found = compare_classes(first, again[kept])
    return Trust(
        int(kept.size),
        middle,
        background,
        float(adjusted_rand_score(first, again[kept])),
        classes,
        int((found >= RECURS).sum()),
    )


def compare_classes(first: Ints, second: Ints) -> Floats:
    """Return each class's highest Jaccard similarity to a class of another clustering.

    >>> compare_classes(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 6])).tolist()
    [0.6666666666666666, 0.5]
    """
    a, b = (np.unique(one, return_inverse=True)[1] for one in (first, second))
    table = sparse.coo_array((np.ones(a.size), (a, b))).toarray()
    union = table.sum(axis=1)[:, None] + table.sum(axis=0)[None, :] - table
    return np.asarray((table / union).max(axis=1))


def describe(trust: Trust) -> list[str]:
    """Describe the reliability of the classes in one or two lines."""
    lines = [f"{trust.occurrences:,.0f} occurrences per word (median)"]
    if trust.agreement is None:
        return [f"{lines[0]}; the stability of the classes was not measured"]
    return [
        f"{trust.verdict} classes: {trust.recurring:,} of {trust.classes:,} recur "
        f"without 10 % of the tokens (ARI {trust.agreement:.2f})",
        *lines,
    ]


def warn(trust: Trust) -> Notice | None:
    """Return a warning if the classes are unreliable, or None."""
    each = f"{trust.occurrences:,.0f} occurrences per word"
    if trust.is_scarce:
        text = (
            f"too little text for reliable classes ({each}); add text, or add background "
            "counts with --background"
        )
        return Notice(text, code="unstable-classes")
    if trust.verdict == "unstable" and trust.words >= FEWEST:
        text = f"unstable classes ({each}); add text, or request fewer classes (--clusters)"
        return Notice(text, code="unstable-classes")
    return None
