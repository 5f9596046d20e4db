"""Cut systems that are trees: choose a cut, and score many cuts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from roget.core.io.values import DIGITS, whole_number
from roget.core.types import Floats, Ints
from roget.errors import InputError, Notice
from roget.scoring.labels import AlignedLabels, Labels
from roget.scoring.labels.hierarchy import Hierarchy
from roget.scoring.labels.labels import harden
from roget.scoring.measures.base import Request, evaluate, list_requests
from roget.scoring.results import score_key
from roget.scoring.systems import ScoredSystem
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.cut_tables import CutTables
from roget.scoring.tabulate import tabulate

MAIN, WEIGHTED = "ami", "v@jk"
"""The default scores for choosing a cut: AMI, and bias-corrected V for weighted items.

AMI does not favour many small clusters, but is undefined for weighted items.
"""

_CELLS = 1 << 20
"""Maximum total number of contingency cells in a batch of cuts."""


def choose_cut(sides: AlignedLabels, cut: Any) -> Any:
    """Return the requested number of clusters, or the score used to choose the cut."""
    if cut is not None:
        return cut
    return WEIGHTED if _is_weighted(sides) else MAIN


def _is_weighted(sides: AlignedLabels) -> bool:
    """Return True if gold labels are weighted or items have fractional weights."""
    counts = sides.counts
    return sides.gold.weighted or (counts is not None and counts.dtype.kind == "f")


def parse_cut(cut: Any) -> int | Request:
    """Parse a number of clusters, or the name of the score used to choose the cut.

    >>> parse_cut("37"), str(parse_cut("ami")[0])
    (37, 'ami')
    """
    text = str(cut).strip()
    if text.lstrip("-").isdecimal():
        number = whole_number(text)
        if not number:
            raise InputError(
                f"cut={text[:40]}: expected a number of clusters ≥ 1, with at most {DIGITS} digits",
                code="invalid-option",
            )
        return number
    name, _, entropy = text.partition("@")
    requests = list_requests([name], entropy or "jk")
    if len(requests) != 1 or requests[0][0].best is None or "tree" in requests[0][0].needs:
        raise InputError(
            f"cut={text!r}: expected a number of clusters or a score such as {MAIN}",
            code="invalid-option",
        )
    return requests[0]


def name_cut(cut: Any) -> str:
    """Return the name by which a cut is recorded in signatures.

    >>> name_cut("v"), name_cut(37)
    ('best-v@jk', '37')
    """
    chosen = parse_cut(cut)
    if isinstance(chosen, int):
        return str(chosen)
    return f"best-{score_key(str(chosen[0]), chosen[1])}"


def cut_system(
    sides: AlignedLabels, requests: Sequence[Request], cut: Any, average: str
) -> AlignedLabels:
    """Cut a system that is a tree into clusters. A flat system is returned unchanged."""
    if sides.gold.tree is not None:
        raise InputError(
            f"{sides.gold.source}: a gold standard cannot be a tree; pass flat labels, e.g. from "
            "one cut",
            code="needs-flat-labels",
        )
    tree = sides.system.tree
    if tree is None:
        return sides
    if sides.system.absent:
        raise InputError(
            "unmatched items are not supported for trees; pass --missing cluster --extra drop",
            code="conflicting-options",
        )
    k, name, warnings = _choose_clusters(sides, tree, choose_cut(sides, cut), average)
    parts = {**sides.signature_parts, "tree": tree.kind, "cut": name}
    whole = [str(measure) for measure, _ in requests if "elements" in measure.needs]
    if whole:
        text = (
            f"{whole[0]} is computed for the whole tree; to score the cut into K clusters instead, "
            "use `roget score --set cuts=K`"
        )
        warnings.append(Notice(text, code="whole-tree"))
        parts["elements"] = "tree"
    return replace(
        sides,
        system=_label_cut(sides.system, tree, k),
        leaves=sides.system,
        warnings=(*sides.warnings, *warnings),
        signature_parts=parts,
    )


def _choose_clusters(
    sides: AlignedLabels, tree: Hierarchy, cut: Any, average: str
) -> tuple[int, str, list[str]]:
    """Choose a cut. Return its number of clusters, its name in signatures, and warnings."""
    chosen = parse_cut(cut)
    if isinstance(chosen, int):
        k = tree.nearest_cut(chosen)
        if k == chosen:
            return k, str(k), []
        text = (
            f"{tree.source}: the tree has no cut into {chosen} clusters; the cut into {k} clusters "
            "is scored instead"
        )
        return k, str(k), [Notice(text, code="nearest-cut")]
    cuts = tree.cuts
    [values] = score_cuts(sides, cuts, [chosen], average)
    at = find_best(values, chosen[0].direction)
    name = name_cut(cut).removeprefix("best-")
    if at is None:
        raise InputError(
            f"{tree.source}: {name} is undefined for every cut; pass --set cut=K", code="undefined"
        )
    k = int(cuts[at])
    text = (
        f"{tree.source}: the tree with {tree.n_leaves} leaves is cut into {k} clusters, for which "
        f"{name} is best ({values[at]:.3f}). This choice uses the gold labels, so the scores are "
        "too high. To choose the cut yourself, pass --set cut=K"
    )
    return k, f"{k}(best-{name})", [Notice(text, code="cut-by-gold")]


def _label_cut(labels: Labels, tree: Hierarchy, k: int) -> Labels:
    """Replace leaf labels by the clusters of a cut.

    Clusters added for missing items are kept.
    """
    tops = tree.tree.cut_nodes(k)
    lookup = np.append(tree.tree.cut_leaves(k), tops.size + np.arange(labels.made))
    return replace(
        labels,
        codes=lookup[labels.codes],
        n_labels=tops.size + labels.made,
        names=[tree.name(node) for node in tops.tolist()],
        offset=0,
        tree=None,
    )


def find_best(values: Floats, direction: str) -> int | None:
    """Return the index of the first best value, or None if all values are undefined."""
    if np.isnan(values).all():
        return None
    return int(np.nanargmax(values) if direction == "higher" else np.nanargmin(values))


def score_cuts(
    sides: AlignedLabels, cuts: Ints, requests: Sequence[Request], average: str = "weighted"
) -> Iterator[Floats]:
    """Yield the values of each requested score at all cuts of the tree (NaN if undefined)."""
    tree, leaves = require_tree(sides)
    if sides.groups is not None or _is_weighted(sides):
        # If there are groups or weights, score each cut separately as a flat system.
        means = []
        for k in cuts.tolist():
            flat = replace(sides, system=_label_cut(leaves, tree, k), leaves=None)
            tables = tabulate(flat, pooled=average == "pooled")
            scores = np.array([evaluate(tables, request)[0] for request in requests])
            means.append(ScoredSystem("", flat, tables, scores, average).means())
        yield from np.array(means).T
        return
    every = table_cuts(sides, cuts)
    # Many measures are computed for all cuts together, without tables. The other measures require
    # the table of each cut. Tables are made in batches of cuts.
    known = [request for request in requests if every.supports(request[0])]
    parts = [[evaluate(part, one)[0] for one in known] for part in every.parts()] if known else []
    values = dict(zip(known, map(np.concatenate, zip(*parts, strict=True)), strict=True))
    for request in requests:
        if request in values:
            yield values[request]
            continue
        batch = np.cumsum(every.cells) // _CELLS
        split = np.split(cuts, np.flatnonzero(np.diff(batch)) + 1)
        tabled = (replace(every, cuts=part).table for part in split)
        yield np.concatenate([evaluate(table, request)[0] for table in tabled])


def table_cuts(sides: AlignedLabels, cuts: Ints) -> CutTables:
    """Return statistics for several cuts of the system's tree, given hard gold labels."""
    tree, leaves = require_tree(sides)
    gold = replace(harden(sides.gold), groups=None) if sides.gold.weighted else sides.gold
    whole = Contingency.from_labels(gold, leaves, times=sides.counts)
    return CutTables(whole, tree.grow(leaves.made), cuts, leaves.made)


def require_tree(sides: AlignedLabels) -> tuple[Hierarchy, Labels]:
    """Return the system's tree and the leaf of each item, or raise InputError for a flat system."""
    leaves = sides.system if sides.leaves is None else sides.leaves
    if leaves.tree is None:
        raise InputError(
            f"{leaves.source}: cuts require a system that is a tree", code="needs-tree"
        )
    return leaves.tree, leaves
