"""The function `roget.compare`, which scores, tests and ranks several systems."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from roget.core.io.frames import FrameColumns, frame_columns, is_frame, is_lazy
from roget.core.io.paths import name_sources
from roget.core.io.problems import join_names
from roget.core.options import choose, with_options
from roget.core.progress import Report
from roget.errors import InputError, Notice
from roget.scoring.inputs import Inputs
from roget.scoring.labels.columns import NAMES as COLUMN_NAMES
from roget.scoring.labels.columns import choose_side
from roget.scoring.labels.files import is_thesaurus
from roget.scoring.measures.base import MeasureSpec
from roget.scoring.options import CompareOptions, PipelineOptions
from roget.scoring.pipeline import compare_inputs
from roget.scoring.results import Comparison
from roget.scoring.tables.baselines import NAMES

_PART = re.compile(r"part[-_.]?\d")
"""Pattern for file names in a partitioned table, as written by Spark or Dask."""


_ABOUT = re.compile(
    r"(read.?me|licen[cs]e|copying|changelog|provenance)(\.\w+)?$|.*\.(md|rst|pdf|html?|bib|py|sh)$",
    re.IGNORECASE,
)
"""Pattern for the names of files in a folder of systems that are documentation or programs."""


def list_systems(systems: Any) -> Any:
    """Return the columns of a data frame or the files in a folder as systems.

    Files in the folder that are not label files, such as README.md, are skipped. Other arguments
    are returned unchanged. This includes folders that contain a thesaurus or a
    partitioned table, which are single systems.
    """
    alone: str | None = None
    if isinstance(systems, str | os.PathLike):
        alone = os.fspath(systems)
    elif isinstance(systems, Sequence) and len(systems) == 1:
        alone = os.fspath(systems[0]) if isinstance(systems[0], str | os.PathLike) else None
    if alone is not None and os.path.isdir(alone):
        files = sorted(one.path for one in os.scandir(alone) if one.is_file())
        names = [os.path.basename(path) for path in files]
        files = [path for path in files if not os.path.basename(path).startswith((".", "_"))]
        files = [path for path in files if not _ABOUT.match(os.path.basename(path))]
        parts = any(map(_PART.match, names)) or is_thesaurus(alone)
        return systems if parts or not files else files
    if isinstance(systems, Mapping | Sequence | str | os.PathLike):
        return systems
    from roget.scoring.labels.precounted import gather_lazy, is_indexed
    from roget.scoring.labels.wide import find_shared, split_frame

    frame = FrameColumns(gather_lazy(systems)) if is_lazy(systems) else systems
    if not is_frame(frame):
        return systems
    named = frame_columns(frame)
    if "item" in find_shared(list(named), None, "the table"):
        return split_frame(frame, least=1)
    if is_indexed(systems):
        # Frames with a single column keep the index, by which they are joined with the gold labels.
        return {name: systems.iloc[:, [at]] for at, name in enumerate(named)}
    return dict(named)


def warn_skipped(systems: Any, listed: Any) -> list[Notice]:
    """Return a notice that names the documentation files in a folder of systems."""
    if listed is systems or not isinstance(listed, list):
        return []
    folder = os.path.dirname(listed[0])
    skipped = sorted(name for name in os.listdir(folder) if _ABOUT.match(name))
    if not skipped:
        return []
    text = f"skipped {join_names(skipped)} in the folder of systems"
    return [Notice(text, code="skipped-files")]


def split_file(systems: Mapping[str, Any], options: PipelineOptions) -> Mapping[str, Any] | None:
    """Split a table with one column per system into separate clusterings.

    Return None if several systems are passed, or if the label column is specified.
    """
    one = next(iter(systems.values())) if len(systems) == 1 else None
    columns = choose_side(options.columns, "system")
    if not isinstance(one, str | os.PathLike) or not os.path.isfile(one) or "label" in columns:
        return None
    from roget.scoring.labels.wide import read_columns

    return read_columns(one, options.labels, columns)


def name_baselines(options: PipelineOptions, systems: Mapping[str, Any]) -> dict[str, Any]:
    """Return the baselines of the caller, keyed by name."""
    named = name_sources(options.own_baselines, "baselines")
    for name in named:
        if name in systems or name in NAMES:
            other = "a system" if name in systems else "an automatic baseline"
            raise InputError(
                f"a baseline and {other} have the name {name!r}; rename the baseline, e.g. "
                "--baseline NAME=FILE",
                code="duplicate-name",
            )
    return named


_GOLD_NAMES = (*COLUMN_NAMES["gold"], "target")
"""Names of a column with gold labels."""


def split_gold(table: Any, options: PipelineOptions) -> tuple[Any, dict[str, Any]]:
    """Return the gold labels and the systems of a table with one column for each of them."""
    from roget.scoring.labels.wide import read_columns, split_frame

    columns = choose_side(options.columns, "gold")
    name = columns.pop("gold", None) or columns.pop("label", None)
    shared = {role: column for role, column in columns.items() if role != "system"}
    labels: dict[str, Any]
    if isinstance(table, str | os.PathLike):
        labels = read_columns(table, options.labels, shared)
    elif is_frame(table):
        labels = split_frame(table, shared)
    else:
        raise InputError("compare requires at least one system", code="missing-option")
    lowered = {str(one).lower(): one for one in labels}
    wanted = [str(name).lower()] if name else [*_GOLD_NAMES, "label", "labels"]
    gold = next((lowered[one] for one in wanted if one in lowered), None)
    if gold is None:
        raise InputError(
            f"cannot determine which of the columns {', '.join(map(str, labels))} holds the gold "
            "labels; specify it, e.g. --columns gold=NAME",
            code="ambiguous-columns",
        )
    return labels.pop(gold), labels


@with_options(CompareOptions)
def compare(
    gold: Any,
    systems: Mapping[Any, Any] | Sequence[Any] | None = None,
    measures: MeasureSpec | None = CompareOptions.measures,
    entropy: str | Sequence[str] = CompareOptions.entropy,
    *,
    progress: Report | None = None,
    **options: Any,
) -> Comparison:
    """Score several systems on one gold standard, and test the differences for significance.

    If `ci` (the number of random samples) is specified, every score gets a 95 % confidence
    interval, and the difference between every pair of systems is tested by a permutation test. The
    p-values are corrected for multiple tests by Holm's method. Intervals and tests are based on
    groups if there are any, and otherwise on items. `baselines` (a mapping from names to inputs, a
    list of paths, or False for none at all) are scored like systems, but neither ranked nor tested.
    If `golds` is specified, scores are means over
    several gold standards, and each annotator is also scored on the gold standards of the others.

    Parameters
    ----------
    gold
        The gold standard, as in `roget.score`. Without `systems`, a data frame or file with a
        column of gold labels and one column per system.
    systems
        A mapping from names to anything that `roget.score` accepts as a system, a data frame or
        file with one column per system (and a column of ids, if gold has ids), or a list of paths,
        which are named after their files.
    measures, entropy
        Names of measures and entropy estimators, such as "v(beta=0.5)" and "jk".
    progress
        Called with a `Progress` after each score and each bootstrap sample.

    Returns
    -------
    Comparison
        The scores of systems and baselines, with ranks. Printing it shows a report.

    Raises
    ------
    InputError
        If labels cannot be read or aligned; the message names the file and line.

    Examples
    --------
    >>> comparison = compare(["a", "a", "b"], {"one": [1, 1, 1], "two": [1, 1, 2]}, "ari")
    >>> [(row.system, row.value) for row in comparison.rows if row.rank == 1]
    [('two', 1.0)]
    """
    chosen = PipelineOptions(measures=measures, entropy=entropy, **choose(CompareOptions, options))
    if systems is None or (isinstance(systems, list | tuple) and not systems):
        gold, systems = split_gold(gold, chosen)
        chosen = replace(chosen, columns=None)
    if isinstance(measures, np.ndarray) or hasattr(measures, "iloc"):
        raise InputError(
            "found labels instead of measures; pass the systems as one dict: "
            "compare(gold, {'a': labels_a, 'b': labels_b})",
            code="invalid-option",
        )
    listed = list_systems(systems)
    named: Mapping[str, Any] = name_sources(listed, "systems")
    try:
        inputs = Inputs(
            gold, named, chosen, compared=True, references=name_baselines(chosen, named)
        )
        found = compare_inputs(inputs, progress=progress)
        notes = warn_skipped(systems, listed)
        return replace(found, warnings=(*found.warnings, *notes)) if notes else found
    except InputError as error:
        columns = split_file(named, chosen) if error.code == "ambiguous-columns" else None
        if columns is None:
            raise
    own = name_baselines(chosen, columns)
    inputs = Inputs(gold, columns, chosen, compared=True, references=own)
    found = compare_inputs(inputs, progress=progress)
    like_gold = [name for name in columns if name.lower() in _GOLD_NAMES]
    if not like_gold:
        return found
    text = (
        f"column {like_gold[0]} is ranked as a system; if it holds the gold labels, pass only this "
        f"file and --columns gold={like_gold[0]}"
    )
    return replace(found, warnings=(*found.warnings, Notice(text, code="identical-inputs")))
