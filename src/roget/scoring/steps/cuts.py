"""A tree as a system: which cut of it is scored, and how that is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from roget.core.io.values import DIGITS, whole_number
from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.scoring.labels import AlignedLabels, Labels
from roget.scoring.labels.hierarchy import Hierarchy
from roget.scoring.labels.labels import harden
from roget.scoring.measures.base import Request, evaluate, list_requests
from roget.scoring.results import address
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.cut_tables import CutTables

MAIN, WEIGHTED = "ami", "v@jk"
"""The score whose best cut is taken where none is named: one that clusters of one item do not win;
and the same of weighted items, which chance is not known for."""

_CELLS = 1 << 20
"""Cells of the tables of several cuts that are made at a time."""


def choose_cut(sides: AlignedLabels, cut: Any) -> Any:
    """The cut that was named, or else by which score it is chosen."""
    if cut is not None:
        return cut
    return WEIGHTED if _is_weighted(sides) else MAIN


def _is_weighted(sides: AlignedLabels) -> bool:
    """Whether items count in parts: gold's labels have weights, or the items themselves."""
    counts = sides.counts
    return sides.gold.weighted or (counts is not None and counts.dtype.kind == "f")


def parse_cut(cut: Any) -> int | Request:
    """A number of clusters, or the score that chooses it.

    >>> parse_cut("37"), str(parse_cut("ami")[0])
    (37, 'ami')
    """
    text = str(cut).strip()
    if text.lstrip("-").isdecimal():
        number = whole_number(text)
        if not number:
            raise InputError(f"cut={text[:40]}: expected 1 cluster or more, in {DIGITS} digits")
        return number
    name, _, entropy = text.partition("@")
    asked = list_requests([name], entropy or "jk")
    if len(asked) != 1 or asked[0][0].best is None or "tree" in asked[0][0].needs:
        raise InputError(f"cut={text!r}: expected a number of clusters, or a score such as {MAIN}")
    return asked[0]


def name_cut(cut: Any) -> str:
    """How a signature names the way in which trees were cut.

    >>> name_cut("v"), name_cut(37)
    ('best-v@jk', '37')
    """
    chosen = parse_cut(cut)
    if isinstance(chosen, int):
        return str(chosen)
    return f"best-{address(str(chosen[0]), chosen[1])}"


def cut_tree(sides: AlignedLabels, cut: Any, *, average: str = "weighted") -> AlignedLabels:
    """The sides with the tree cut into clusters: so many, or as many as a score finds best."""
    if sides.gold.tree is not None:
        raise InputError(
            f"{sides.gold.source}: a tree, which has no levels to score; give gold as labels, such "
            "as one cut of it"
        )
    tree = sides.system.tree
    if tree is None:
        if cut is not None:
            raise InputError(f"{sides.system.source}: cut={cut}, but this is no tree; leave it out")
        return sides
    if sides.system.absent:
        raise InputError("unmatched items are not in a tree: say --missing cluster --extra drop")
    cut = choose_cut(sides, cut)
    chosen = parse_cut(cut)
    if isinstance(chosen, int):
        k = tree.nearest_cut(chosen)
        said, warnings = str(k), []
        if k != chosen:
            warnings.append(f"{tree.source} has no cut into {chosen} clusters: {k} are scored")
    else:
        cuts = tree.cuts
        [values] = score_cuts(sides, cuts, [chosen], average)
        at = find_best(values, chosen[0].direction)
        name = name_cut(cut).removeprefix("best-")
        if at is None:
            raise InputError(f"{tree.source}: {name} is undefined for every cut; say --cut K")
        k = int(cuts[at])
        said = f"{k}(best-{name})"
        warnings = [
            f"{tree.source} is cut into {k} of {tree.n_leaves} clusters, where {name} is best "
            f"({values[at]:.3f}): chosen by looking at gold, so that scores of this cut are "
            "flattered; --cut K chooses without"
        ]
    return replace(
        sides,
        system=_label_cut(sides.system, tree, k),
        leaves=sides.system,
        warnings=(*sides.warnings, *warnings),
        told={**sides.told, "tree": tree.kind, "cut": said},
    )


def note_whole(sides: AlignedLabels, asked: Sequence[Request]) -> AlignedLabels:
    """The sides of a tree with a word on measures of clusters that see all of it."""
    names = [str(wanted) for wanted, _ in asked if "elements" in wanted.needs]
    if sides.leaves is None or not names:
        return sides
    note = f"{names[0]} is that of the whole tree; --cuts K has that of the cut into K clusters"
    told = {**sides.told, "elements": "tree"}
    return replace(sides, warnings=(*sides.warnings, note), told=told)


def _label_cut(labels: Labels, tree: Hierarchy, k: int) -> Labels:
    """The clusters of a cut in the place of leaves; those made up for items stay as they are."""
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
    """Where a score is best, of equal ones the first; None where it is nowhere defined."""
    if np.isnan(values).all():
        return None
    return int(np.nanargmax(values) if direction == "higher" else np.nanargmin(values))


def score_cuts(
    sides: AlignedLabels, cuts: Ints, asked: Sequence[Request], average: str = "weighted"
) -> Iterator[Floats]:
    """The value of each request at each cut of the system's tree, NaN where there is none."""
    from roget.scoring.score import answer, average_answers

    tree, leaves = need_tree(sides)
    if sides.groups is not None or _is_weighted(sides):
        # Each cut for itself, by the same way as any flat system.
        found = []
        for k in cuts.tolist():
            flat = replace(sides, system=_label_cut(leaves, tree, k), leaves=None)
            one = answer(flat, asked, pooled=average == "pooled")
            found.append(average_answers(one, average))
        yield from np.array(found).T
        return
    tables = table_cuts(sides, cuts)
    known = [request for request in asked if tables.knows(request[0])]
    parts = [[evaluate(part, one)[0] for one in known] for part in tables.parts()] if known else []
    values = dict(zip(known, map(np.concatenate, zip(*parts, strict=True)), strict=True))
    for request in asked:
        if request in values:
            yield values[request]
            continue
        batch = np.cumsum(tables.cells) // _CELLS
        split = np.split(cuts, np.flatnonzero(np.diff(batch)) + 1)
        tabled = (replace(tables, cuts=part).table for part in split)
        yield np.concatenate([evaluate(table, request)[0] for table in tabled])


def table_cuts(sides: AlignedLabels, cuts: Ints) -> CutTables:
    """The statistics of cuts of the system's tree, over all items of hard labels."""
    tree, leaves = need_tree(sides)
    gold = replace(harden(sides.gold), groups=None) if sides.gold.weighted else sides.gold
    whole = Contingency.from_labels(gold, leaves, times=sides.counts)
    return CutTables(whole, tree.grow(leaves.made), cuts, leaves.made)


def need_tree(sides: AlignedLabels) -> tuple[Hierarchy, Labels]:
    """The system's tree, whether it has been cut or not, and the items' leaves in it."""
    leaves = sides.system if sides.leaves is None else sides.leaves
    if leaves.tree is None:
        raise InputError(f"{leaves.source}: cuts are those of a tree, and this is none")
    return leaves.tree, leaves
