"""The functions `roget.score`, `roget.measure` and `roget.contingency`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from roget.core.options import choose, options_of, with_options
from roget.core.progress import Report
from roget.errors import InputError, Undefined
from roget.scoring.inputs import Inputs, read_sides
from roget.scoring.measures import Measure, parse
from roget.scoring.measures.base import MeasureSpec
from roget.scoring.options import PipelineOptions, ScoreOptions
from roget.scoring.pipeline import score_inputs
from roget.scoring.results import ScoreTable
from roget.scoring.tables.statistics import Statistics
from roget.scoring.tabulate import tabulate

_ALIASES = {
    "y_true": "gold", "labels_true": "gold", "y_pred": "system", "labels_pred": "system",
}  # fmt: skip
"""Scikit-learn's names for gold and system labels."""


@with_options(ScoreOptions)
def score(
    gold: Any = None,
    system: Any = None,
    measures: MeasureSpec | None = ScoreOptions.measures,
    entropy: str | Sequence[str] = ScoreOptions.entropy,
    *,
    sample_weight: Any = None,
    keep: bool = False,
    progress: Report | None = None,
    **options: Any,
) -> ScoreTable:
    """Score a clustering against a gold standard.

    Measures that use entropies are computed with each entropy estimator.

    Parameters
    ----------
    gold, system
        The labels: a path, a sequence, a numpy, pandas, polars or arrow column, a mapping from
        items to labels, or an n×k weight matrix. If `system` is omitted, `gold` must contain both
        columns: it is a table, the path of a table, or an AnnData object with the columns in `obs`.
        Two pandas Series are joined by index. A system may be a tree: a thesaurus, a Newick file or
        a `Hierarchy`.
    measures, entropy
        Names of measures and entropy estimators, such as "v(beta=0.5)" and "jk".
    sample_weight
        The weights of the gold items, in the order of gold. Pair-counting measures and corrected
        entropies require integer weights.
    keep
        Whether to keep the contingency tables in the result, as required by
        `table.sets("clusters")`.
    progress
        Called with a `Progress` after each score and each bootstrap sample.

    Returns
    -------
    ScoreTable
        The scores and their signature. Printing it shows a report.

    Raises
    ------
    InputError
        If labels cannot be read or aligned; the message names the file and line.

    Examples
    --------
    >>> score(["a", "a", "b"], [1, 1, 2], "ari")["ari"]
    1.0
    """
    if _ALIASES.keys() & options:
        gold, system = take_labels(gold, system, options)
    chosen = PipelineOptions(measures=measures, entropy=entropy, **choose(ScoreOptions, options))
    inputs = Inputs(gold, {"": system}, chosen, sample_weight)
    return score_inputs(inputs, keep=keep, progress=progress)


def take_labels(gold: Any, system: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Return the gold and system labels. `options` may contain them under scikit-learn's names."""
    sides = {"gold": gold, "system": system}
    for theirs, name in _ALIASES.items():
        if theirs in options:
            if sides[name] is not None:
                raise InputError(
                    f"{theirs} is an alias of {name}; pass only one of them",
                    code="conflicting-options",
                )
            sides[name] = options.pop(theirs)
    return sides["gold"], sides["system"]


def measure(
    name: Any,
    gold: Any = None,
    system: Any = None,
    entropy: str = "ml",
    **options: Any,
) -> float:
    """Return the value of one measure, by default the plug-in score, as in scikit-learn.

    Reports and `score(...)[name]` show the bias-corrected score, which is
    `measure(name, gold, system, entropy="jk")`.

    Parameters
    ----------
    name
        A measure or its name, such as "v(beta=0.5)". It may also come after the labels, as in
        `measure(gold, system, "v")`.
    gold, system
        The labels, as in `roget.score`. They may be passed under scikit-learn's names (`y_true`,
        `labels_true`, …).
    entropy
        Name of an entropy estimator.
    options
        Options of `roget.score`, such as missing or noise, and parameters of the measure, such as
        beta.

    Returns
    -------
    float
        The value of the measure.

    Raises
    ------
    Undefined
        If the measure is undefined for these labels.

    Examples
    --------
    >>> measure("v", ["a", "a", "b"], [1, 1, 2])
    1.0
    >>> measure("v", ["a", "a", "b"], [1, 1, 2], beta=0.5)
    1.0
    """
    if isinstance(system, str | Measure) and not isinstance(name, str | Measure):
        name, gold, system = system, name, gold
    gold, system = take_labels(gold, system, options)
    if not isinstance(name, str | Measure):
        raise InputError(
            'expected the name of a measure, as in measure("v", gold, system); got '
            f"{type(name).__name__}",
            code="missing-option",
        )
    chosen = parse(name)
    own = {field.name for field in fields(chosen)} - set(options_of(ScoreOptions))
    if changed := {key: options.pop(key) for key in own & set(options)}:
        chosen = replace(chosen, **changed)
    row = score(gold, system, chosen, entropy, baselines=False, **options).rows[0]
    if row.value is None:
        raise Undefined(f"{row.measure}: {row.reason}")
    return row.value


def contingency(gold: Any, system: Any, *, missing: str = "cluster") -> Statistics:
    """Return the contingency table of a gold standard and a system.

    Parameters
    ----------
    gold, system
        The labels, as in `roget.score`.
    missing
        How to treat items without a system label, as in `roget.score`.

    Returns
    -------
    Statistics
        The table, whose method `measure` computes any measure.

    Examples
    --------
    >>> table = contingency(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> round(table.measure("nvi"), 4), round(table.measure("b3-f"), 4)
    (1.1887, 0.7059)
    """
    sides = read_sides(gold, system, PipelineOptions(missing=missing))
    table = tabulate(sides, pooled=True)
    assert isinstance(table, Statistics)
    return table
