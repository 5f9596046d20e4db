"""What is asked of a table: measures, each under every entropy estimator that concerns it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from roget import catalogue
from roget.core.types import FloatArray
from roget.errors import InputError, Undefined
from roget.scoring.cells.baselines import Measurable
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

Values = FloatArray
"""NaN stands for "undefined" inside; it never leaves."""


Asked = str | Measure | Sequence[str | Measure]


def requests(measures: Asked | None, entropy: str | Sequence[str]) -> list[Request]:
    """Every measure under every estimator, each once, in the order given."""
    chosen = _listed("measure", DEFAULT_MEASURES if measures is None else measures)
    estimators = [str(name) for name in _listed("entropy estimator", entropy)]
    for name in estimators:
        catalogue.load("entropies", name)
    asked: list[Request] = []
    for wanted in map(parse, chosen):
        asked += [(wanted, name) for name in (estimators if wanted.uses_entropy else [None])]
    return list(dict.fromkeys(asked))


def _listed(kind: str, names: Asked) -> list[str | Measure]:
    """Names one by one; a text may hold several, parted by commas outside of brackets.

    >>> _listed("measure", "v(beta=2), ari")
    ['v(beta=2)', 'ari']
    """
    given = [names] if isinstance(names, str | Measure) else names
    if not isinstance(given, Sequence) or not given:
        raise InputError(f"no {kind} was chosen: {names!r}")
    found: list[str | Measure] = []
    for name in given:
        if isinstance(name, str):
            found += re.split(r"\s*,\s*(?![^(]*\))", name.strip())
        elif isinstance(name, Measure):
            found.append(name)
        else:
            raise InputError(f"{name!r} is not the name of a {kind}")
    return found


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
