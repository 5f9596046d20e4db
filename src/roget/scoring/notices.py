"""Warnings about scores that may be misleading."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from shlex import quote
from typing import Any

import numpy as np

from roget.core.io.problems import join_names
from roget.core.types import Floats
from roget.errors import Notice, code_of
from roget.scoring.labels import AlignedLabels
from roget.scoring.labels.align import find_noise, is_called
from roget.scoring.labels.columns import choose_side
from roget.scoring.measures import Measure
from roget.scoring.options import LabelOptions
from roget.scoring.results import ScoreRow
from roget.scoring.signature import choose_interval

THIN_CELL = 5.0
"""Number of items per non-empty cell below which plug-in entropies are unreliable."""

DISAGREEMENT = 0.05
"""Difference between plug-in and corrected scores (absolute or relative) that causes a warning."""

_EXAMPLES = 3
"""Maximum number of examples in a warning."""

_BASELINES = {
    "one cluster": "one big cluster",
    "one per item": "one cluster per item",
    "random": "random clusters of the same sizes",
}


def reword(notice: str, text: str) -> str:
    """Replace the text of a notice, and keep its code if it has one."""
    code = code_of(notice)
    return text if code is None else Notice(text, code=code)


def hide_paths(texts: Iterable[str], *sources: str) -> tuple[str, ...]:
    """Replace absolute paths by file names, so that results do not reveal local folders."""
    long = {one: PurePath(one).name for one in sources if PurePath(one).is_absolute()}
    for path, name in sorted(long.items(), reverse=True):
        texts = [reword(text, text.replace(path, name)) for text in texts]
    return tuple(texts)


def merge_notices(notices: Mapping[str, Iterable[str]]) -> list[str]:
    """Merge the notices about several systems or gold standards, listing identical texts once.

    Each text is prefixed with the names to which it applies, unless it applies to all of them.

    >>> merge_notices({"a": ["late", "long"], "b": ["late"]})
    ['late', 'a: long']
    """
    subjects: dict[str, list[str]] = {}
    for name, texts in notices.items():
        for text in texts:
            subjects.setdefault(text, []).append(name)
    return [
        text if len(names) == len(notices) > 1 else reword(text, f"{join_names(names)}: {text}")
        for text, names in subjects.items()
    ]


def warn_about_sides(sides: AlignedLabels, noise: str | None, *more: str) -> tuple[str, ...]:
    """Return all warnings about the gold and system labels, followed by the warnings in `more`.

    They include warnings about a label that may mark noise, and about a specified noise label that
    does not occur. Folders are removed from paths in the warnings.
    """
    texts = [*sides.warnings]
    if noise is not None:
        names = (s.label(code) for s in (sides.gold, sides.system) for code in range(s.n_labels))
        if not any(is_called(name, noise) for name in names):
            text = f"no item has the noise label '{noise}'"
            texts.append(Notice(text, code="unused-noise-label"))
    elif (label := find_noise(sides.system)) is not None:
        text = (
            f"{sides.system.source}: label {label!r} is scored as an ordinary cluster; if it marks "
            f"noise, pass --noise {quote(label)} (one cluster per item) or --noise {quote(label)} "
            "--missing drop (items excluded)"
        )
        texts.append(Notice(text, code="noise-label"))
    texts += more
    return hide_paths(texts, sides.gold.source, sides.system.source) if texts else ()


def warn_identical_inputs(
    gold: Any, system: Any, columns: Mapping[str, Any] | None = None
) -> list[str]:
    """Warn if gold and system are the same object, or the same column of the same file."""
    if choose_side(columns, "gold") != choose_side(columns, "system"):
        return []
    paths = [side for side in (gold, system) if isinstance(side, str | os.PathLike)]
    same = len(paths) == 2 and os.path.realpath(paths[0]) == os.path.realpath(paths[1])
    if not same and (gold is not system or gold is None):
        return []
    text = "gold and system are the same input, so all scores are perfect"
    return [Notice(text, code="identical-inputs")]


def warn_unused_number(rows: Sequence[ScoreRow], options: LabelOptions) -> list[str]:
    """Return a notice if a number of samples was requested that the jackknife does not use."""
    method = choose_interval(options.interval)
    if method != "jackknife" or all(row.low is None for row in rows):
        return []
    text = (
        f"jackknife intervals do not depend on the number in --ci {options.ci}: they leave out "
        "every item or group once, or 200 blocks of items"
    )
    return [Notice(text, code="unused-number")]


def warn_undefined(
    values: Floats, measures: Sequence[Measure], reasons: Mapping[int, str]
) -> list[str]:
    """Warn about averages that exclude groups with undefined scores.

    `values` has the shape (measures, groups).
    """
    groups = values.shape[1]
    undefined = np.isnan(values).sum(axis=1)
    return [
        Notice(
            f"{measure} is undefined in {undefined[i]} of {groups} groups, which are excluded from "
            f"the average ({reasons.get(i, 'no value')})",
            code="undefined-groups",
        )
        for i, measure in enumerate(measures)
        if 0 < 2 * undefined[i] <= groups
    ]


def warn_about_scores(
    rows: Sequence[ScoreRow], measures: Sequence[Measure], items_per_cell: float
) -> list[str]:
    """Return all warnings about one system's scores.

    `measures` contains the measure for each row.
    """
    warnings = [*_warn_baselines(rows, measures), *_warn_bias(rows)]
    if items_per_cell < THIN_CELL and any(row.entropy == "ml" for row in rows):
        text = (
            f"sparse table ({items_per_cell:.1f} items per non-empty cell): plug-in (ml) scores "
            "are unreliable"
        )
        warnings.append(Notice(text, code="sparse-table"))
    return warnings


def _warn_baselines(rows: Sequence[ScoreRow], measures: Sequence[Measure]) -> Iterator[str]:
    """Warn about each baseline that scores at least as well as the system on some measure."""
    for name, description in _BASELINES.items():
        beaten = []
        for row, measure in zip(rows, measures, strict=True):
            baseline = row.baselines.get(name)
            # Skip measures on which the baseline always has the best score.
            if row.value is None or baseline is None or baseline == measure.best:
                continue
            if measure.best is None and name == "one per item":
                continue
            if not measure.better(row.value, baseline):
                beaten.append((row, f"{row.value:.3f} vs {baseline:.3f}"))
        if beaten:
            examples = [f"{row.title} {values}" for row, values in beaten]
            # If the measure loses with all estimators, omit the estimator from the name.
            won = {row.measure for row in rows if all(row is not one for one, _ in beaten)}
            names = [row.title if row.measure in won else row.measure for row, _ in beaten]
            named = join_names(list(dict.fromkeys(names)), len(names))
            text = f"on {named} the system is no better than {description}: {_shorten(examples)}"
            yield Notice(text, code="below-baseline")


def _warn_bias(rows: Sequence[ScoreRow]) -> Iterator[str]:
    """Warn if the plug-in and the corrected value of a score differ noticeably."""
    plain = {row.measure: row.value for row in rows if row.entropy == "ml"}
    examples = []
    for row in rows:
        value = plain.get(row.measure)
        if row.entropy in (None, "ml") or row.value is None or value is None:
            continue
        if abs(row.value - value) > max(DISAGREEMENT, DISAGREEMENT * abs(value)):
            examples.append(f"{row.measure} {value:.3f} (ml) vs {row.value:.3f} ({row.entropy})")
    if examples:
        text = "plug-in and bias-corrected scores differ; report the bias-corrected scores"
        yield Notice(f"{text}: {_shorten(examples)}", code="bias")


def _shorten(texts: Sequence[str]) -> str:
    """Join the first few of several texts, and append the number of omitted texts."""
    more = f"; and {len(texts) - _EXAMPLES} more" if len(texts) > _EXAMPLES else ""
    return "; ".join(texts[:_EXAMPLES]) + more
