"""The function `roget.sweep`, which scores many cuts of a tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roget.core.io.values import whole_number
from roget.core.types import Ints
from roget.errors import InputError, Notice
from roget.scoring.inputs import read_sides
from roget.scoring.labels import AlignedLabels
from roget.scoring.labels.align import choose_rules
from roget.scoring.labels.hierarchy import Hierarchy
from roget.scoring.measures.base import MeasureSpec, Request, list_requests
from roget.scoring.notices import hide_paths
from roget.scoring.options import PipelineOptions, Rules, ScoreOptions
from roget.scoring.results import Result, as_plain, find_scores, none_if_nan, score_key
from roget.scoring.signature import sign_scores, write_signature
from roget.scoring.steps.cuts import find_best, require_tree, score_cuts, table_cuts

MEASURES = ("v", "vi", "nvi", "q2", "ami")
"""Default measures for a sweep."""

ALL = "all"
_RANGE = re.compile(r"(\d+)\s*\.\.\s*(\d+)")


@dataclass(frozen=True)
class SweepCurve:
    """The values of one score at every cut."""

    measure: str
    entropy: str | None
    values: tuple[float | None, ...]
    direction: str
    best: int | None
    """The number of clusters at the best cut.

    If cuts are tied, the one with the fewest clusters is best.
    """
    value: float | None
    """The value at the best cut."""

    @property
    def name(self) -> str:
        """The name of the score, such as v@jk."""
        return score_key(self.measure, self.entropy)

    def as_dict(self) -> dict[str, Any]:
        """Return the curve as a dictionary."""
        best = None if self.best is None else {"cut": self.best, "value": self.value}
        return {
            "measure": self.measure,
            "entropy": self.entropy,
            "better": self.direction,
            "best": best,
            "values": list(self.values),
        }


@dataclass(frozen=True, repr=False)
class Sweep(Result):
    """The scores of many cuts of a tree, which can be printed and plotted.

    `sweep["v", "jk"]` is a curve, whose `best` is the best cut. `sweep.to_pandas()` returns a data
    frame with one row per cut, and `sweep.figure()` returns a matplotlib figure.
    """

    kind = "sweep"

    signature: str
    source: str
    items: int | float
    classes: int
    leaves: int
    cuts: tuple[int, ...]
    """The requested number of clusters in each cut."""
    clusters: tuple[int, ...]
    """The number of non-empty clusters in each cut, including clusters for missing items."""
    curves: tuple[SweepCurve, ...]
    warnings: tuple[str, ...] = field(default=())

    def __getitem__(self, key: str | tuple[str, str | None]) -> SweepCurve:
        """Return the curve for a measure, or for a measure and an estimator."""
        known = {(curve.measure, curve.entropy): curve for curve in self.curves}
        name = score_key(*key) if isinstance(key, tuple) else key
        return known[find_scores(name, known)[0]]

    def figure(self) -> Any:
        """Return the curves as a matplotlib figure."""
        return self._report().picture()

    def as_dict(self) -> dict[str, Any]:
        """Return the result as a JSON-serialisable dictionary."""
        sizes = "items", "classes", "leaves"
        data = self._plain("signature", *sizes, "warnings", "cuts", "clusters")
        return data | {"scores": as_plain(self.curves)}

    def __repr__(self) -> str:
        return f"<Sweep of {len(self.cuts)} cuts of {self.source}, {len(self.curves)} scores>"


def sweep(
    gold: Any,
    system: Any,
    cuts: str | int | Iterable[int] = ALL,
    measures: MeasureSpec | None = None,
    entropy: str | Sequence[str] = ScoreOptions.entropy,
    *,
    average: str | None = ScoreOptions.average,
    missing: str | None = ScoreOptions.missing,
    noise: str | int | None = ScoreOptions.noise,
    extra: str | None = ScoreOptions.extra,
    labels: str | None = ScoreOptions.labels,
    columns: Mapping[str, str] | None = ScoreOptions.columns,
) -> Sweep:
    """Score many cuts of a tree against a gold standard.

    Parameters
    ----------
    gold
        The gold standard, as in `roget.score`.
    system
        A tree: a `Hierarchy`, or the path of a thesaurus, a Newick file or a linkage matrix.
    cuts
        Numbers of clusters, as an iterable or a string: "all", "1..500" or "2,8,64".
    measures, entropy
        Names of measures (by default v, vi, nvi, q2 and ami) and entropy estimators.
    average, missing, noise, extra, labels, columns
        As in `roget.score`.

    Returns
    -------
    Sweep
        The curve of each score over the cuts, with its best cut.

    Examples
    --------
    >>> from roget.scoring.labels.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_newick("((a,b),(c,d));")
    >>> curves = sweep({"a": 1, "b": 1, "c": 2, "d": 2}, tree, measures="ari")
    >>> curves.cuts, curves["ari"].best
    ((1, 2, 3, 4), 2)
    """
    options = PipelineOptions(
        measures=measures,
        entropy=entropy,
        missing=missing,
        noise=noise,  # type: ignore[arg-type]
        extra=extra,
        labels=labels,
        columns=columns,
        cuts=cuts,
    )
    sides = read_sides(gold, system, options, by_item=True)
    rules = choose_rules(sides.gold, average, missing, extra, sides.system, options.noise)
    return sweep_sides(sides, rules, options)


def sweep_sides(sides: AlignedLabels, rules: Rules, options: PipelineOptions) -> Sweep:
    """Score the cuts of a tree that has already been aligned with the gold labels."""
    tree, _ = require_tree(sides)
    requests = _choose_requests(options.measures, options.entropy)
    numbers, warnings = list_cuts(options.cuts, tree)
    curves = []
    for (measure, estimator), values in zip(
        requests, score_cuts(sides, numbers, requests, rules.average), strict=True
    ):
        at = find_best(values, measure.direction)
        curves.append(
            SweepCurve(
                str(measure),
                estimator,
                tuple(map(none_if_nan, values.tolist())),
                measure.direction,
                None if at is None else int(numbers[at]),
                None if at is None else float(values[at]),
            )
        )
    parts = sign_scores(sides, requests, rules, options, tree=tree.kind, cut=_name_cuts(numbers))
    return Sweep(
        signature=write_signature({k: v for k, v in parts.items() if k not in ("ci", "seed")}),
        source=tree.source,
        items=sides.items,
        classes=int(np.unique(sides.gold.codes).size),
        leaves=tree.n_leaves,
        cuts=tuple(numbers.tolist()),
        clusters=tuple(table_cuts(sides, numbers).clusters.tolist()),
        curves=tuple(curves),
        warnings=hide_paths((*sides.warnings, *warnings), sides.gold.source, sides.system.source),
    )


def _choose_requests(measures: MeasureSpec | None, entropy: str | Sequence[str]) -> list[Request]:
    """Return the requested scores, excluding measures of whole trees."""
    requests = list_requests(MEASURES if measures is None else measures, entropy)
    kept = [request for request in requests if "tree" not in request[0].needs]
    if not kept:
        raise InputError(
            f"{requests[0][0]} is a measure of whole trees and is undefined for single cuts; use "
            "another measure",
            code="conflicting-options",
        )
    return kept


def list_cuts(cuts: Any, tree: Hierarchy) -> tuple[Ints, list[str]]:
    """Return the requested cuts that exist in the tree, and warnings about cuts that do not."""
    numbers = _parse(cuts, tree.n_leaves)
    if numbers is None:
        return tree.cuts, []
    if not numbers.size or numbers.min() < 1:
        raise InputError(f"cuts={cuts!r}: expected numbers of clusters ≥ 1", code="invalid-option")
    most = tree.n_leaves
    if numbers.min() > most:
        raise InputError(
            f"cuts={cuts!r}: {tree.source} has only {most} leaves", code="invalid-option"
        )
    kept = np.intersect1d(numbers, tree.cuts)
    warnings: list[str] = []
    if numbers.max() > most:
        text = f"{tree.source}: the tree has {most} leaves; cuts into more clusters are omitted"
        warnings.append(Notice(text, code="nearest-cut"))
    within = np.unique(numbers[numbers <= most])
    if kept.size < within.size:
        # If no cut has the requested number of clusters, use the next smaller number.
        nearest = np.unique([tree.nearest_cut(k) for k in within.tolist()])
        text = (
            f"{tree.source}: some nodes of the tree have more than two children, so only "
            f"{nearest.size} of the {within.size} requested cuts exist"
        )
        warnings.append(Notice(text, code="nearest-cut"))
        kept = nearest
    return kept, warnings


def _parse(cuts: Any, leaves: int) -> Ints | None:
    """Parse the requested numbers of clusters. Return None for "all".

    Ranges are truncated at one more than the number of leaves.

    >>> _parse("1..4, 8", 10).tolist(), _parse("8..1000000000", 10).tolist()
    ([1, 2, 3, 4, 8], [8, 9, 10, 11])
    """
    if isinstance(cuts, str):
        if cuts.strip() == ALL:
            return None
        listed: list[int] = []
        for part in cuts.split(","):
            text = part.strip()
            span = _RANGE.fullmatch(text)
            first, last = map(whole_number, span.groups() if span else (text, text))
            if first is None or last is None or first > last:
                raise InputError(
                    f"cuts={cuts[:60]!r}: expected a range (1..500), a list (2,8,64) or {ALL}, not "
                    f"{text[:60]!r}",
                    code="invalid-option",
                )
            listed += range(first, max(first, min(last, leaves + 1)) + 1)
        return np.unique(listed)
    try:
        numbers = np.unique(np.array([cuts] if isinstance(cuts, int) else list(cuts)))
    except TypeError:
        raise InputError(
            f"cuts={cuts!r}: expected numbers of clusters or {ALL!r}", code="invalid-option"
        ) from None
    if numbers.size and numbers.dtype.kind not in "iu":
        raise InputError(
            f"cuts={cuts!r}: expected whole numbers of clusters", code="invalid-option"
        )
    return numbers.astype(np.int64)


def _name_cuts(cuts: Ints) -> str:
    """Describe the cuts as in signatures, e.g. 1..500 or 2+8+64."""
    if cuts.size > 1 and np.all(np.diff(cuts) == 1):
        return f"{cuts[0]}..{cuts[-1]}"
    few = "+".join(map(str, cuts.tolist()))
    return few if cuts.size <= 10 else f"{cuts[0]}..{cuts[-1]}({cuts.size})"
