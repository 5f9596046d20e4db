"""Kinds of claims, the rules that decide them, and verdicts.

A rule is declared, with a date, before the run that decides it. It is never changed afterwards: if
a rule turns out to be wrong, a second rule with its own date is added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from roget.core.intervals import Interval, interval, wilson


class Kind(StrEnum):
    """How a published statement is tested."""

    RECOMPUTED = "recomputed"
    """Values are recomputed from the paper's data by its method."""
    ARITHMETIC = "arithmetic"
    """Printed numbers are compared with each other."""
    SHAPE = "shape"
    """The paper's method is applied to other data, so only rankings and shapes can agree."""


class Verdict(StrEnum):
    """The outcome of the test of a claim."""

    YES = "yes"
    NO = "differs"
    UNCLEAR = "cannot tell"
    MISPRINT = "misprint"
    """The value differs, and other printed numbers prove that the published value is wrong."""


@dataclass(frozen=True)
class Rule:
    """A published statement, and the test that decides whether it holds.

    Parameters
    ----------
    statement : the statement of the paper.
    kind : how the statement is tested.
    test : statistic, tolerance or test, seeds and data.
    dated : date of the declaration.
    """

    statement: str
    kind: Kind
    test: str
    dated: str


def recomputed(statement: str, test: str, dated: str) -> Rule:
    """Declare a rule for values that are recomputed from the paper's data by its method."""
    return Rule(statement, Kind.RECOMPUTED, test, dated)


def arithmetic(statement: str, test: str, dated: str) -> Rule:
    """Declare a rule that compares printed numbers with each other."""
    return Rule(statement, Kind.ARITHMETIC, test, dated)


def shape(statement: str, test: str, dated: str) -> Rule:
    """Declare a rule that predicts a ranking or the shape of a curve on other data."""
    return Rule(statement, Kind.SHAPE, test, dated)


def decide(holds: bool) -> Verdict:
    """Return the verdict of a deterministic test: "yes" or "differs"."""
    return Verdict.YES if holds else Verdict.NO


def decide_interval(low: float | None, high: float | None) -> Verdict:
    """Return "yes" if an interval lies above 0, "differs" if below 0, otherwise "cannot tell".

    >>> [str(decide_interval(*ends)) for ends in ((0.1, 0.2), (-0.2, -0.1), (-0.1, 0.1))]
    ['yes', 'differs', 'cannot tell']
    """
    if low is not None and low > 0:
        return Verdict.YES
    if high is not None and high < 0:
        return Verdict.NO
    return Verdict.UNCLEAR


def decide_mean(values: Sequence[float]) -> Verdict:
    """Test whether the mean of a statistic over seeds or samples is above 0.

    The test is the 95 % interval of the mean (Student's t). If all values are equal, their sign
    decides.

    >>> [str(decide_mean(values)) for values in ([1, 2, 3, 4], [-1, -1, -1], [-1, 2, 0])]
    ['yes', 'differs', 'cannot tell']
    """
    if min(values) == max(values):
        return decide(values[0] > 0)
    found: Interval = interval(values)
    return decide_interval(found.low, found.high)


def decide_share(hits: int, trials: int, bar: float = 0.5) -> Verdict:
    """Test whether a proportion exceeds `bar`, by its 95 % Wilson interval.

    >>> str(decide_share(8, 8)), str(decide_share(6, 8)), str(decide_share(0, 8))
    ('yes', 'cannot tell', 'differs')
    """
    low, high = wilson(hits, trials)
    return decide_interval(low - bar, high - bar)


def decide_all(verdicts: Iterable[Verdict]) -> Verdict:
    """Combine verdicts: "yes" if all are, "differs" if any does, otherwise "cannot tell".

    >>> str(decide_all([Verdict.YES, Verdict.UNCLEAR]))
    'cannot tell'
    """
    found = set(verdicts)
    if Verdict.NO in found:
        return Verdict.NO
    return Verdict.YES if found == {Verdict.YES} else Verdict.UNCLEAR


def decide_seeds(held: Sequence[bool]) -> Verdict:
    """Return "yes" if a statement holds for all seeds, "differs" if for none, else "cannot tell".

    >>> str(decide_seeds([True, True, False])), str(decide_seeds([False] * 3))
    ('cannot tell', 'differs')
    """
    if all(held):
        return Verdict.YES
    return Verdict.UNCLEAR if any(held) else Verdict.NO
