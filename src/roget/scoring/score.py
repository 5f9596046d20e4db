"""`roget.score`: the scores of one system, and `roget.measure` and `roget.contingency`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roget.core.options import choose, with_options
from roget.core.progress import Report
from roget.errors import Undefined
from roget.scoring.inputs import Inputs, read_sides
from roget.scoring.measures import Measure, parse
from roget.scoring.measures.base import MeasureSpec
from roget.scoring.options import PipelineOptions, ScoreOptions
from roget.scoring.pipeline import score_inputs
from roget.scoring.results import ScoreTable
from roget.scoring.tables.statistics import Statistics
from roget.scoring.tabulate import tabulate


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
    """Score a system's clustering against a gold standard.

    Measures that use entropies are computed under each estimator.

    Parameters
    ----------
    gold, system
        Paths, sequences, numpy, pandas, polars or arrow columns, mappings from item to label, or
        n×k weight matrices. Without `system`, `gold` is a table (or the path of one) with a column
        for each side, or AnnData with such columns in `obs`. Two pandas Series are joined by
        index. A system may be a tree: a thesaurus, a Newick file, a `Hierarchy`.
    measures, entropy
        Names of the catalogue, such as "v(beta=0.5)" and "jk".
    sample_weight
        A weight for each item of gold, in its order, instead of a weight column of its file.
        Measures of pairs and corrected entropies need whole weights.
    keep
        Keep the contingency tables, so `table.sets("clusters")` can list all clusters.
    progress
        Called with a `Progress` after each score and each bootstrap sample.

    Returns
    -------
    ScoreTable
        Rows of values with their signature; prints itself as a report.

    Raises
    ------
    InputError
        If labels cannot be read or aligned; the message names the place.

    Examples
    --------
    >>> score(["a", "a", "b"], [1, 1, 2], "ari")["ari"]
    1.0
    """
    chosen = PipelineOptions(measures=measures, entropy=entropy, **choose(ScoreOptions, options))
    inputs = Inputs(gold, {"": system}, chosen, sample_weight)
    return score_inputs(inputs, keep=keep, progress=progress)


def measure(
    name: str | Measure, gold: Any, system: Any, entropy: str = "ml", **options: Any
) -> float:
    """Return the value of one measure; raise `Undefined` if it has none.

    >>> measure("v", ["a", "a", "b"], [1, 1, 2])
    1.0
    """
    row = score(gold, system, parse(name), entropy, baselines=False, **options).rows[0]
    if row.value is None:
        raise Undefined(f"{row.measure}: {row.reason}")
    return row.value


def contingency(gold: Any, system: Any, *, missing: str = "cluster") -> Statistics:
    """Return the contingency table of two labellings, which computes any measure.

    >>> table = contingency(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> round(table.measure("nvi"), 4), round(table.measure("b3-f"), 4)
    (1.1887, 0.7059)
    """
    sides = read_sides(gold, system, PipelineOptions(missing=missing))
    table = tabulate(sides, pooled=True)
    assert isinstance(table, Statistics)
    return table
