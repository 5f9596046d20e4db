"""What is asked of a table: measures, each under every entropy estimator that concerns it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from roget import catalogue
from roget.errors import InputError, Undefined
from roget.scoring.baselines import Measurable
from roget.scoring.measures import Measure, parse

DEFAULT_MEASURES = (
    "homogeneity",
    "completeness",
    "v",
    "vi",
    "nvi",
    "ari",
    "ami",
    "b3-f",
    "one-to-one",
)
DEFAULT_ENTROPIES = ("ml", "jk")

Request = tuple[Measure, str | None]
"""A measure and the name of an estimator, None where it uses none."""

Values = npt.NDArray[np.float64]
"""NaN stands for "undefined" inside; it never leaves."""


def requests(measures: str | Sequence[str] | None, entropy: str | Sequence[str]) -> list[Request]:
    """Every measure under every estimator, each once, in the order given."""
    chosen = _listed(measures or DEFAULT_MEASURES)
    estimators = _listed(entropy)
    if not estimators:
        raise InputError("no entropy estimator was chosen")
    for name in estimators:
        catalogue.load("entropies", name)
    asked: list[Request] = []
    for wanted in map(parse, chosen):
        asked += [(wanted, name) for name in (estimators if wanted.uses_entropy else [None])]
    return list(dict.fromkeys(asked))


def _listed(names: str | Sequence[str]) -> list[str]:
    """Names one by one; a text may hold several, parted by commas outside of brackets.

    >>> _listed("v(beta=2), ari")
    ['v(beta=2)', 'ari']
    """
    texts = [names] if isinstance(names, str) else names
    return [name for text in texts for name in re.split(r"\s*,\s*(?![^(]*\))", text.strip())]


def answers(
    table: Measurable, asked: Sequence[Request], reasons: dict[int, str] | None = None
) -> Values:
    """The value of every request, NaN where undefined; `reasons` collects why."""
    values = np.full(len(asked), np.nan)
    for i, (wanted, estimator) in enumerate(asked):
        try:
            values[i] = table.measure(wanted, estimator or "ml")
        except Undefined as error:
            if reasons is not None:
                reasons.setdefault(i, str(error))
    return values
