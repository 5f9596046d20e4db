"""`roget.sweep`: the scores of every cut of a tree, from one cluster to all leaves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roget.core.io.values import whole_number
from roget.core.types import Ints
from roget.errors import InputError
from roget.scoring.labels import AlignedLabels
from roget.scoring.labels.align import choose_rules
from roget.scoring.labels.hierarchy import Hierarchy
from roget.scoring.measures.base import Asked, Request, list_requests
from roget.scoring.options import Rules, ScoreOptions
from roget.scoring.results import Shown, address, as_plain, defined, find_scores, hide_paths
from roget.scoring.score import ReadOptions, read_sides, sign, write_signature
from roget.scoring.steps.cuts import find_best, need_tree, score_cuts, table_cuts

MEASURES = ("v", "vi", "nvi", "q2", "ami")
"""Those of a sweep for which none were named."""

ALL = "all"
_RANGE = re.compile(r"(\d+)\s*\.\.\s*(\d+)")


@dataclass(frozen=True)
class SweepCurve:
    """One score at every cut."""

    measure: str
    entropy: str | None
    values: tuple[float | None, ...]
    direction: str
    best: int | None
    """The cut with the best value, of equal ones that of fewest clusters."""
    value: float | None
    """The value there."""

    @property
    def name(self) -> str:
        """Measure and estimator as texts name them: v@jk."""
        return address(self.measure, self.entropy)

    def as_dict(self) -> dict[str, Any]:
        """The curve as plain data."""
        best = None if self.best is None else {"cut": self.best, "value": self.value}
        return {
            "measure": self.measure,
            "entropy": self.entropy,
            "better": self.direction,
            "best": best,
            "values": list(self.values),
        }


@dataclass(frozen=True, repr=False)
class Sweep(Shown):
    """Scores of the cuts of a tree, one after the other; it prints and draws itself.

    `sweep["v", "jk"]` is a curve, whose `best` is the cut where it is best; `sweep.to_pandas()` has
    a row for each cut, `sweep.figure()` is a picture.
    """

    kind = "sweep"

    signature: str
    source: str
    items: int | float
    classes: int
    leaves: int
    cuts: tuple[int, ...]
    """Clusters of the tree, at each cut."""
    clusters: tuple[int, ...]
    """Those of them that hold an item of gold, and what was made up for missing ones."""
    curves: tuple[SweepCurve, ...]
    warnings: tuple[str, ...] = field(default=())

    def __getitem__(self, key: str | tuple[str, str | None]) -> SweepCurve:
        known = {(curve.measure, curve.entropy): curve for curve in self.curves}
        wanted = address(*key) if isinstance(key, tuple) else key
        return known[find_scores(wanted, known)[0]]

    def figure(self) -> Any:
        """The curves as a matplotlib Figure."""
        return self._report().picture()

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        sizes = "items", "classes", "leaves"
        data = self._plain("signature", *sizes, "warnings", "cuts", "clusters")
        return data | {"scores": as_plain(self.curves)}

    def __repr__(self) -> str:
        return f"<Sweep of {len(self.cuts)} cuts of {self.source}, {len(self.curves)} scores>"


def sweep(
    gold: Any,
    system: Any,
    cuts: str | int | Iterable[int] = ALL,
    measures: Asked | None = None,
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
        As in `roget.score`.
    system
        A tree: a `Hierarchy`, or the path of a thesaurus, a Newick file or a linkage.
    cuts
        "all", "1..500", "2,8,64", or numbers of clusters.
    measures, entropy
        Names of the catalogue; v, vi, nvi, q2 and ami if nothing is said.
    average, missing, noise, extra, labels, columns
        As in `roget.score`.

    Returns
    -------
    Sweep
        Curves over the cuts, and where each is best.

    Examples
    --------
    >>> from roget.scoring.labels.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_newick("((a,b),(c,d));")
    >>> found = sweep({"a": 1, "b": 1, "c": 2, "d": 2}, tree, measures="ari")
    >>> found.cuts, found["ari"].best
    ((1, 2, 3, 4), 2)
    """
    reading = ReadOptions(missing, noise, extra, labels, columns, by_item=True)
    sides = read_sides(gold, system, reading)
    rules = choose_rules(sides.gold, average, missing, extra)
    return sweep_sides(sides, cuts, measures, entropy, rules, "weighted", noise)


def sweep_sides(
    sides: AlignedLabels,
    cuts: Any,
    measures: Asked | None,
    entropy: str | Sequence[str],
    rules: Rules,
    answers: str,
    noise: Any,
) -> Sweep:
    """The same of sides that are joined, whether the tree has been cut or not."""
    tree, _ = need_tree(sides)
    asked = _choose(measures, entropy)
    numbers, notes = list_cuts(cuts, tree)
    curves = []
    for (measure, estimator), values in zip(
        asked, score_cuts(sides, numbers, asked, rules.average), strict=True
    ):
        at = find_best(values, measure.direction)
        curves.append(
            SweepCurve(
                str(measure),
                estimator,
                tuple(map(defined, values.tolist())),
                measure.direction,
                None if at is None else int(numbers[at]),
                None if at is None else float(values[at]),
            )
        )
    parts = sign(sides, asked, rules, answers, noise, tree=tree.kind, cut=_name_cuts(numbers))
    return Sweep(
        signature=write_signature({k: v for k, v in parts.items() if k not in ("ci", "seed")}),
        source=tree.source,
        items=sides.items,
        classes=int(np.unique(sides.gold.codes).size),
        leaves=tree.n_leaves,
        cuts=tuple(numbers.tolist()),
        clusters=tuple(table_cuts(sides, numbers).clusters.tolist()),
        curves=tuple(curves),
        warnings=hide_paths((*sides.warnings, *notes), sides.gold.source, sides.system.source),
    )


def _choose(measures: Asked | None, entropy: str | Sequence[str]) -> list[Request]:
    """What is asked of each cut: not what looks at the whole tree."""
    asked = list_requests(MEASURES if measures is None else measures, entropy)
    kept = [request for request in asked if "tree" not in request[0].needs]
    if not kept:
        raise InputError(f"{asked[0][0]} is of whole trees: name a measure of cuts as well")
    return kept


def list_cuts(cuts: Any, tree: Hierarchy) -> tuple[Ints, list[str]]:
    """The cuts that are meant, and what is said of those that the tree does not have."""
    found = _parse(cuts, tree.n_leaves)
    if found is None:
        return tree.cuts, []
    if not found.size or found.min() < 1:
        raise InputError(f"cuts={cuts!r}: expected numbers of clusters, from 1 on")
    most = tree.n_leaves
    if found.min() > most:
        raise InputError(f"cuts={cuts!r}: {tree.source} has {most} leaves, so at most so many")
    kept = np.intersect1d(found, tree.cuts)
    notes = []
    if found.max() > most:
        notes.append(f"{tree.source} has {most} leaves: cuts end there")
    within = np.unique(found[found <= most])
    if kept.size < within.size:
        # Those that it jumps over are the same as the next smaller one.
        nearest = np.unique([tree.nearest_cut(k) for k in within.tolist()])
        notes.append(
            f"{tree.source} splits nodes into more than two: it has {nearest.size} of "
            f"{within.size} of these cuts"
        )
        kept = nearest
    return kept, notes


def _parse(cuts: Any, leaves: int) -> Ints | None:
    """Numbers of clusters; None for all. Of a range beyond the leaves, the first beyond is kept.

    >>> _parse("1..4, 8", 10).tolist(), _parse("8..1000000000", 10).tolist()
    ([1, 2, 3, 4, 8], [8, 9, 10, 11])
    """
    if isinstance(cuts, str):
        if cuts.strip() == ALL:
            return None
        found: list[int] = []
        for part in cuts.split(","):
            text = part.strip()
            span = _RANGE.fullmatch(text)
            first, last = map(whole_number, span.groups() if span else (text, text))
            if first is None or last is None or first > last:
                raise InputError(
                    f"cuts={cuts[:60]!r}: expected 1..500, 2,8,64 or {ALL}; found {text[:60]!r}"
                )
            found += range(first, max(first, min(last, leaves + 1)) + 1)
        return np.unique(found)
    try:
        numbers = np.unique(np.array([cuts] if isinstance(cuts, int) else list(cuts)))
    except TypeError:
        raise InputError(f"cuts={cuts!r}: expected numbers of clusters, or {ALL!r}") from None
    if numbers.size and numbers.dtype.kind not in "iu":
        raise InputError(f"cuts={cuts!r}: expected whole numbers of clusters")
    return numbers.astype(np.int64)


def _name_cuts(cuts: Ints) -> str:
    """Cuts in a signature: 1..500, or 2+8+64."""
    if cuts.size > 1 and np.all(np.diff(cuts) == 1):
        return f"{cuts[0]}..{cuts[-1]}"
    few = "+".join(map(str, cuts.tolist()))
    return few if cuts.size <= 10 else f"{cuts[0]}..{cuts[-1]}({cuts.size})"
