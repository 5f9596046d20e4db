"""Supervised recall on given splits, as in the word sense induction task of SemEval-2010.

Each split has a mapping part, on which clusters learn the class they stand for, and a test part,
on which that is tried. The parts are label files of their own, with the classes of their items.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from roget.core.types import Floats, Ints
from roget.errors import InputError, Undefined
from roget.scoring.labels.align import example, join
from roget.scoring.labels.labels import Labels, heaviest
from roget.scoring.labels.read import as_labels
from roget.scoring.measures.base import Measure

Split: TypeAlias = tuple[Labels, Labels]
"""The mapping part and the test part."""

_PART = re.compile(r"(mapping|test)\.(\d+)((?:\.\w+)*)")


class SplitRecall(NamedTuple):
    """How many test items are right: per group, and over all items whatever their group."""

    groups: Floats
    """Recall over the test items of each group of gold in all splits; NaN if none tests it."""
    shares: Floats
    """The share of each group in the test items, averaged over splits: what weighs its recall."""

    @property
    def pooled(self) -> float:
        """Recall over all test items, averaged over splits."""
        return float(np.nansum(self.groups * self.shares))


@dataclass(frozen=True)
class OnSplits(Measure):
    """1 is best: supervised recall on the splits of a folder. It needs items, so that only
    `supervised_recall` can compute it; here it has its name and direction.
    """

    folder: str = ""

    name = "supervised-recall"
    needs = ()
    reference = "Manandhar et al. 2010"

    def compute(self, *statistics: Any) -> float:
        raise Undefined("supervised recall on given splits needs the items of a system")

    def __str__(self) -> str:
        return f"{self.name}[{self.folder}]"


def supervised_recall(gold: Labels, system: Labels, splits: Sequence[Split]) -> SplitRecall:
    """The recall of a system whose clusters take the class they meet most in the mapping part.

    Clusters and classes are private to a group. Of classes met equally often the one whose name
    sorts first as text is taken. A test item without an answer, or whose cluster was not met, is
    wrong. Of a weighted answer only the heaviest label counts (of equal ones the first as text).
    Gold says which items there are and what their groups are; the classes are those of the splits.

    >>> from roget.scoring.labels import as_labels
    >>> gold = as_labels({"a": "x", "b": "x", "c": "y", "d": "y"})
    >>> system = as_labels({"a": 1, "b": 1, "c": 2, "d": 2})
    >>> mapping, test = as_labels({"a": "x"}), as_labels({"b": "x", "d": "y"})
    >>> supervised_recall(gold, system, [(mapping, test)]).pooled
    0.5
    """
    if not splits:
        raise InputError("supervised recall needs at least one split")
    groups = np.zeros(len(gold), np.int64) if gold.groups is None else gold.groups.astype(np.int64)
    n_groups = 1 if gold.groups is None else len(gold.group_names or ())
    clusters = _private(_answers(gold, system), groups)
    ranks = _ranks(part for split in splits for part in split)
    found, shares = np.zeros(n_groups), np.zeros(n_groups)
    for mapping, test in splits:
        learnt, learnt_classes = _part(mapping, gold, ranks)
        tried, tried_classes = _part(test, gold, ranks)
        if not tried.size:
            raise InputError(f"{test.source}: no item has a label to test")
        meaning = _meanings(clusters[learnt], learnt_classes, clusters, len(ranks))
        # The last place is that of cluster −1, no answer, which never means a class.
        right = meaning[clusters[tried]] == tried_classes
        tested, every = groups[tried], right.size * len(splits)
        shares += np.bincount(tested, minlength=n_groups) / every
        found += np.bincount(tested[right], minlength=n_groups) / every
    with np.errstate(invalid="ignore"):
        return SplitRecall(found / shares, shares)


def read_splits(folder: str | os.PathLike[str]) -> list[Split]:
    """The splits of a folder with files mapping.1.key and test.1.key, mapping.2.key and so on.

    Any label format will do, told by name or content.
    """
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{place}: no such folder of splits")
    found: dict[int, dict[str, Path]] = {}
    for path in sorted(place.iterdir()):
        match = _PART.fullmatch(path.name)
        if match and path.is_file():
            part, number = match[1], int(match[2])
            first = found.setdefault(number, {}).setdefault(part, path)
            if first is not path:
                raise InputError(
                    f"{place}: {first.name} and {path.name} are both the {part} part of split "
                    f"{number}; expected one"
                )
    if not found:
        raise InputError(
            f"{place}: no splits; expected pairs of files named mapping.1.key and test.1.key"
        )
    for number, parts in found.items():
        if len(parts) == 1:
            [(part, path)] = parts.items()
            other = "test" if part == "mapping" else "mapping"
            raise InputError(f"{path}: split {number} has no partner file {other}.{number}")
    return [
        (as_labels(parts["mapping"], gold=True), as_labels(parts["test"], gold=True))
        for _, parts in sorted(found.items())
    ]


def _answers(gold: Labels, system: Labels) -> Ints:
    """The system's heaviest label of each gold item, −1 for none."""
    rows = join(gold, system)
    codes = heaviest(system)
    return codes if rows is None else np.where(rows >= 0, codes[rows], -1)


def _private(codes: Ints, groups: Ints) -> Ints:
    """Codes without holes for (group, label), so that no two groups share a label; −1 stays."""
    answered = codes >= 0
    result = np.full(codes.size, -1, dtype=np.int64)
    keys = groups[answered] * (int(codes.max(initial=0)) + 1) + codes[answered]
    result[answered] = np.unique(keys, return_inverse=True)[1]
    return result


def _ranks(parts: Iterable[Labels]) -> dict[str, int]:
    """A number for each class of the splits, in the order of their names."""
    names = {part.label(code) for part in parts for code in np.unique(part.codes).tolist()}
    return {name: rank for rank, name in enumerate(sorted(names))}


def _part(labels: Labels, gold: Labels, ranks: dict[str, int]) -> tuple[Ints, Ints]:
    """The items of a part that have a class: their rows in gold, and the ranks of their classes."""
    if labels.items is None or gold.items is None:
        without = gold if gold.items is None else labels
        raise InputError(f"{without.source}: no item ids; a split is joined with gold by them")
    rows = join(labels, gold)
    if rows is None:
        rows = np.arange(len(gold))
    if rows.min(initial=0) < 0:
        stranger = example(labels, int(np.argmin(rows)))
        raise InputError(f"{labels.source}: the item {stranger} is not in {gold.source}")
    codes = heaviest(labels)
    names = map(labels.label, range(labels.n_labels))
    lookup = np.array([ranks.get(name, -1) for name in names], dtype=np.int64)
    return rows[codes >= 0], lookup[codes[codes >= 0]]


def _meanings(clusters: Ints, classes: Ints, every: Ints, n_classes: int) -> Ints:
    """The class of each cluster, −1 if it was not met, with one more place that is always −1."""
    met = clusters >= 0
    pairs, counts = np.unique(clusters[met] * n_classes + classes[met], return_counts=True)
    owners, meant = np.divmod(pairs, n_classes)
    order = np.lexsort((meant, -counts, owners))
    first = order[np.diff(owners[order], prepend=-1) > 0]
    meaning = np.full(int(every.max(initial=-1)) + 2, -1, dtype=np.int64)
    meaning[owners[first]] = meant[first]
    return meaning
