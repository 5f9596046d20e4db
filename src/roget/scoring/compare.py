"""`roget.compare`: several systems on one gold standard, with intervals, tests and ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roget.core.io.paths import name_sources
from roget.core.options import choose, with_options
from roget.core.progress import Report
from roget.scoring.inputs import Inputs
from roget.scoring.measures.base import MeasureSpec
from roget.scoring.options import CompareOptions, PipelineOptions
from roget.scoring.pipeline import compare_inputs
from roget.scoring.results import Comparison


@with_options(CompareOptions)
def compare(
    gold: Any,
    systems: Mapping[str, Any] | Sequence[Any],
    measures: MeasureSpec | None = CompareOptions.measures,
    entropy: str | Sequence[str] = CompareOptions.entropy,
    *,
    progress: Report | None = None,
    **options: Any,
) -> Comparison:
    """Score several systems on one gold standard and test which of them differ.

    With `ci` bootstrap samples, every score has a 95 % interval, and every pair of systems a
    difference with interval and p, corrected for the number of pairs by Holm's method. Groups are
    resampled if there are any, else items; all systems are scored on the same samples. With
    `golds`, scores are means over several gold standards, and annotators, each scored on the
    others, are listed next to the systems.

    Parameters
    ----------
    gold
        The gold standard, as for `roget.score`.
    systems
        A mapping from names to anything `roget.score` accepts as a system, or a list of paths,
        which are named by their files.
    measures, entropy
        Names of the catalogue, such as "v(beta=0.5)" and "jk".
    progress
        Called with a `Progress` after each score and each bootstrap sample.

    Returns
    -------
    Comparison
        Rows for systems and baselines, with ranks; prints itself as a report.

    Raises
    ------
    InputError
        If labels cannot be read or aligned; the message names the place.

    Examples
    --------
    >>> found = compare(["a", "a", "b"], {"one": [1, 1, 1], "two": [1, 1, 2]}, "ari")
    >>> [(row.system, row.value) for row in found.rows if row.rank == 1]
    [('two', 1.0)]
    """
    chosen = PipelineOptions(measures=measures, entropy=entropy, **choose(CompareOptions, options))
    inputs = Inputs(gold, name_sources(systems, "systems"), chosen, compared=True)
    return compare_inputs(inputs, progress=progress)
