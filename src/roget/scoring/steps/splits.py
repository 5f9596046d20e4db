"""Supervised recall on predefined splits, as in the SemEval-2010 word sense induction task.

Each split has a mapping part, which is used to assign a class to each cluster, and a test part, on
which the predicted classes are evaluated. Both parts are label files that contain the items and
their classes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from roget.core.types import Floats, Ints
from roget.errors import InputError, Undefined
from roget.scoring.labels.align import AlignedLabels, example, join
from roget.scoring.labels.labels import Labels, heaviest
from roget.scoring.labels.read import as_labels
from roget.scoring.measures.base import Measure
from roget.scoring.systems import ScoredSystem

Split: TypeAlias = tuple[Labels, Labels]
"""A mapping part and a test part."""

_PART = re.compile(r"(mapping|test)\.(\d+)((?:\.\w+)*)")


class SplitRecall(NamedTuple):
    """The recall (fraction of correct test items) per group and over all items."""

    groups: Floats
    """The recall of each group over the test items of all splits, or NaN if it has no test items.
    """
    shares: Floats
    """The fraction of test items in each group, averaged over splits."""

    @property
    def pooled(self) -> float:
        """The recall over all test items, averaged over splits."""
        return float(np.nansum(self.groups * self.shares))


@dataclass(frozen=True)
class OnSplits(Measure):
    """Supervised recall on the splits in a folder. Best value: 1.

    This class defines only the name and the direction of the score. The value depends on individual
    items and is computed by `supervised_recall`.
    """

    folder: str = ""

    name = "supervised-recall"
    needs = ()
    reference = "Manandhar et al. 2010"

    def compute(self, *statistics: Any) -> float:
        """Raise Undefined, because a contingency table does not identify items."""
        raise Undefined("supervised recall on splits requires individual items")

    def __str__(self) -> str:
        return f"{self.name}[{self.folder}]"


def supervised_recall(gold: Labels, system: Labels, splits: Sequence[Split]) -> SplitRecall:
    """Return the recall on predefined splits, with each cluster mapped to its majority class.

    The class of a cluster is its most frequent class in the mapping part, with ties resolved by the
    alphabetical order of class names. Clusters in different groups are different clusters. A test
    item without a label, or in a cluster without a class, counts as wrong. If labels are weighted,
    only an item's label with the highest weight counts. Ties are again resolved alphabetically.
    Items and groups are taken from gold, classes from the splits.

    >>> from roget.scoring.labels import as_labels
    >>> gold = as_labels({"a": "x", "b": "x", "c": "y", "d": "y"})
    >>> system = as_labels({"a": 1, "b": 1, "c": 2, "d": 2})
    >>> mapping, test = as_labels({"a": "x"}), as_labels({"b": "x", "d": "y"})
    >>> supervised_recall(gold, system, [(mapping, test)]).pooled
    0.5
    """
    if not splits:
        raise InputError("supervised recall requires at least one split", code="missing-option")
    groups = np.zeros(len(gold), np.int64) if gold.groups is None else gold.groups.astype(np.int64)
    n_groups = 1 if gold.groups is None else len(gold.group_names or ())
    clusters = _number_private(_align_heaviest(gold, system), groups)
    ranks = _rank_classes(part for split in splits for part in split)
    correct, shares = np.zeros(n_groups), np.zeros(n_groups)
    for mapping, test in splits:
        mapped, mapped_classes = _match_items(mapping, gold, ranks)
        tested, tested_classes = _match_items(test, gold, ranks)
        if not tested.size:
            raise InputError(f"{test.source}: the test part has no labels", code="empty-input")
        meaning = _map_clusters(clusters[mapped], mapped_classes, clusters, len(ranks))
        # Items without a label are in cluster −1, which selects the last entry of `meaning` (no
        # class).
        right = meaning[clusters[tested]] == tested_classes
        test_groups, every = groups[tested], right.size * len(splits)
        shares += np.bincount(test_groups, minlength=n_groups) / every
        correct += np.bincount(test_groups[right], minlength=n_groups) / every
    with np.errstate(invalid="ignore"):
        return SplitRecall(correct / shares, shares)


def add_split_recalls(
    systems: Sequence[ScoredSystem],
    aligned: Iterable[AlignedLabels],
    folders: Sequence[str | os.PathLike[str]],
    weights: Floats,
) -> Floats:
    """Fill in supervised recall for all systems.

    Return additional group weights for supervised recall.
    """
    parts = [read_splits(folder) for folder in folders]
    own = np.full_like(systems[0].values, np.nan)
    for system, sides in zip(systems, aligned, strict=True):
        assert sides.unaligned is not None
        own = add_split_recall(system, *sides.unaligned, parts)
    # The result will be multiplied by the group weights that all scores share, so divide by these
    # weights here.
    return np.where(np.isnan(own), 1.0, own / weights)


def add_split_recall(
    system: ScoredSystem, gold: Labels, labels: Labels, folders: Sequence[Sequence[Split]]
) -> Floats:
    """Fill in the last rows of a system's scores with supervised recall on each folder of splits.

    Return group weights for these scores, so that their mean is the recall over all items, as in
    the shared task. The weights for all other scores are NaN.
    """
    own = np.full_like(system.values, np.nan)
    sources = {"": labels} | {name: _label_baseline(gold, name) for name in system.trivial}
    for number, parts in enumerate(folders, start=len(system.values) - len(folders)):
        for name, source in sources.items():
            values = system.trivial[name] if name else system.values
            if source is None:
                continue
            recall = supervised_recall(gold, source, parts)
            if system.groups == 1:
                values[number] = recall.pooled
            else:
                numbers = {str(one): at for at, one in enumerate(gold.group_names or ())}
                rows = [numbers[str(one)] for one in system.sides.group_names or ()]
                values[number], own[number] = recall.groups[rows], recall.shares[rows]
        system.reasons.pop(number, None)
    return own


def _label_baseline(gold: Labels, name: str) -> Labels | None:
    """Return the labels of a baseline, or None for the random baseline."""
    size = len(gold)
    codes = {"one cluster": np.zeros(size, np.int64), "one per item": np.arange(size)}.get(name)
    if codes is None:
        return None
    return replace(
        gold, codes=codes, n_labels=size, names=None, weights=None, indptr=None, offset=0, made=0
    )


def read_splits(folder: str | os.PathLike[str]) -> list[Split]:
    """Read all splits in a folder, which contains file pairs such as mapping.1.key and test.1.key.

    The files may have any label format.
    """
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{place}: no such folder", code="file-not-found")
    splits: dict[int, dict[str, Path]] = {}
    for path in sorted(place.iterdir()):
        match = _PART.fullmatch(path.name)
        if match and path.is_file():
            part, number = match[1], int(match[2])
            first = splits.setdefault(number, {}).setdefault(part, path)
            if first is not path:
                raise InputError(
                    f"{place}: split {number} has two {part} files, {first.name} and {path.name}; "
                    "remove one",
                    code="duplicate-name",
                )
    if not splits:
        raise InputError(
            f"{place}: no splits in this folder; expected pairs of files named mapping.1.key and "
            "test.1.key",
            code="empty-input",
        )
    for number, parts in splits.items():
        if len(parts) == 1:
            [(part, path)] = parts.items()
            other = "test" if part == "mapping" else "mapping"
            raise InputError(
                f"{path}: the file {other}.{number} of the same split is missing",
                code="file-not-found",
            )
    return [
        (as_labels(parts["mapping"], gold=True), as_labels(parts["test"], gold=True))
        for _, parts in sorted(splits.items())
    ]


def _align_heaviest(gold: Labels, system: Labels) -> Ints:
    """Return the highest-weighted system label of each gold item, or −1 if it has no label."""
    rows = join(gold, system)
    codes = heaviest(system)
    return codes if rows is None else np.where(rows >= 0, codes[rows], -1)


def _number_private(codes: Ints, groups: Ints) -> Ints:
    """Return consecutive codes for (group, label) pairs. Missing labels keep the code −1."""
    labelled = codes >= 0
    result = np.full(codes.size, -1, dtype=np.int64)
    keys = groups[labelled] * (int(codes.max(initial=0)) + 1) + codes[labelled]
    result[labelled] = np.unique(keys, return_inverse=True)[1]
    return result


def _rank_classes(parts: Iterable[Labels]) -> dict[str, int]:
    """Return the alphabetical rank of each class that occurs in the splits."""
    names = {part.label(code) for part in parts for code in np.unique(part.codes).tolist()}
    return {name: rank for rank, name in enumerate(sorted(names))}


def _match_items(labels: Labels, gold: Labels, ranks: dict[str, int]) -> tuple[Ints, Ints]:
    """Return the gold positions and class ranks of the labelled items in one part of a split."""
    if labels.items is None or gold.items is None:
        without = gold if gold.items is None else labels
        raise InputError(
            f"{without.source}: item ids are required to join splits with gold; add an id column",
            code="missing-column",
        )
    rows = join(labels, gold)
    if rows is None:
        rows = np.arange(len(gold))
    if rows.min(initial=0) < 0:
        extra = example(labels, int(np.argmin(rows)))
        raise InputError(
            f"{labels.source}: item {extra} is not in {gold.source}", code="extra-items"
        )
    codes = heaviest(labels)
    names = map(labels.label, range(labels.n_labels))
    lookup = np.array([ranks.get(name, -1) for name in names], dtype=np.int64)
    return rows[codes >= 0], lookup[codes[codes >= 0]]


def _map_clusters(clusters: Ints, classes: Ints, every: Ints, n_classes: int) -> Ints:
    """Return the most frequent class of each cluster, or −1 if unknown.

    The last element is −1, for items without a label.
    """
    known = clusters >= 0
    pairs, counts = np.unique(clusters[known] * n_classes + classes[known], return_counts=True)
    owners, meant = np.divmod(pairs, n_classes)
    # Sort by cluster, then by decreasing count, then by class. The first class of each cluster is
    # its majority class.
    order = np.lexsort((meant, -counts, owners))
    first = order[np.diff(owners[order], prepend=-1) > 0]
    meaning = np.full(int(every.max(initial=-1)) + 2, -1, dtype=np.int64)
    meaning[owners[first]] = meant[first]
    return meaning
