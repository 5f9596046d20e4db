"""Several clusterings of the same items, and the contingency tables of all pairs of clusterings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

from roget.core.io.address import is_remote
from roget.core.io.frames import is_frame
from roget.core.io.paths import name_sources
from roget.core.io.problems import plural
from roget.core.types import BoolArray, Codes, Floats, Ints
from roget.errors import InputError, Notice
from roget.scoring.labels import Labels
from roget.scoring.labels.align import example, find_unknown, join, mark_noise
from roget.scoring.labels.files import is_thesaurus
from roget.scoring.labels.formats import list_files
from roget.scoring.labels.labels import fill, separate_groups, take
from roget.scoring.options import PAIRWISE
from roget.scoring.steps.bootstrap import leave_parts_out
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.keys import compact, count_pairs

_SHOWN = 3
"""Maximum number of clusterings named in a warning."""


def name_clusterings(
    sources: Any, labels: str | None = None, columns: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return a mapping from names to clusterings, given a mapping, a list of paths or a table.

    A folder or a glob pattern is expanded to its files, with one clustering per file.
    """
    if isinstance(sources, str | os.PathLike):
        sources = [sources]
    if isinstance(sources, Mapping):
        return name_sources(sources, "clusterings")
    if is_frame(sources):
        from roget.scoring.labels.wide import split_frame

        return dict(split_frame(sources, columns))
    sources = list(sources)
    paths = [isinstance(source, str | os.PathLike) for source in sources]
    one = os.fspath(sources[0]) if paths == [True] else ""
    if os.path.isfile(one) or (is_remote(one) and "*" not in one):
        from roget.scoring.labels.wide import read_columns

        return dict(read_columns(one, labels, columns))
    runs = zip(sources, paths, strict=True)
    listed = (list_runs(os.fspath(one)) if is_path else [one] for one, is_path in runs)
    return name_sources(chain.from_iterable(listed), "clusterings")


def list_runs(path: str) -> list[str]:
    """Return the files in a folder or the files that match a pattern.

    Return other paths unchanged.
    """
    return [path] if is_thesaurus(path) else list_files(path)


class Coded(NamedTuple):
    """The cluster codes of one clustering. Clusters in different groups have different codes."""

    codes: Codes
    """The cluster code of each item. Items that are not in the clustering have arbitrary codes."""
    groups: Ints
    """The group of each cluster."""
    present: BoolArray | None
    """A mask of the items that the clustering contains, or None if it contains all items."""

    @property
    def mask(self) -> BoolArray:
        """A mask of the items that the clustering contains."""
        return np.ones(self.codes.size, dtype=bool) if self.present is None else self.present


@dataclass(frozen=True, eq=False)
class Panel:
    """Several clusterings of the same list of items."""

    names: Sequence[str]
    sides: Sequence[Labels]
    items: Sequence[str] | None
    groups: Codes | None
    group_names: Sequence[str] | None
    warnings: tuple[str, ...]
    pooled: bool = False

    def __len__(self) -> int:
        return len(self.sides)

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.sides[0])

    @property
    def weighted(self) -> bool:
        """True if items may belong to several clusters."""
        return any(side.weighted for side in self.sides)

    @property
    def n_groups(self) -> int:
        """The number of contingency tables per pair: the number of groups, or 1 if pooled."""
        return 1 if self.groups is None or self.pooled else int(self.groups.max()) + 1

    @cached_property
    def coded(self) -> list[Coded]:
        """The cluster codes of each clustering."""
        return [self.code(side) for side in self.sides]

    def code(self, side: Labels) -> Coded:
        """Return the cluster codes of one clustering of these items."""
        present = None if side.complete else side.answered()
        codes: Ints = separate_groups(side, self.groups).codes.astype(np.int64)
        if present is not None:
            # Missing items get an arbitrary code, which is never used because no table counts these
            # items.
            codes = np.where(present, codes, codes[int(np.argmax(present))])
        codes, old = compact(codes, ordered=False)
        narrow = np.min_scalar_type(max(old.size - 1, 0))
        parts = old // side.n_labels if self.groups is not None and not self.pooled else old * 0
        return Coded(codes.astype(narrow), parts, present)

    def clusters(self) -> Floats:
        """Return the mean number of clusters per group for each clustering."""
        groups = 1 if self.groups is None else int(self.groups.max()) + 1
        if self.weighted:
            return np.array([np.unique(side.codes).size for side in self.sides]) / groups
        return np.array([one.groups.size for one in self.coded]) / groups

    def shared(self, i: int, j: int) -> BoolArray | None:
        """Return a mask of the items in both clusterings, or None if both contain all items."""
        one, two = self.coded[i].present, self.coded[j].present
        if one is None or two is None:
            return two if one is None else one
        return one & two

    def codes(self, i: int, j: int) -> tuple[Codes, Codes]:
        """Return the cluster codes of the shared items in both clusterings, as two arrays."""
        kept = self.shared(i, j)
        one, two = self.coded[i].codes, self.coded[j].codes
        return (one, two) if kept is None else (one[kept], two[kept])

    def cells(self, i: int, j: int) -> tuple[Ints, Ints, Ints]:
        """Return the rows, columns and counts of the non-empty cells for a pair of clusterings."""
        rows, width = self.coded[i].groups.size, self.coded[j].groups.size
        keys, counts = count_pairs(*self.codes(i, j), width, rows * width)
        return *np.divmod(keys, width), counts

    def tables(self, pairs: Sequence[tuple[int, int]]) -> tuple[Contingency | None, Ints]:
        """Tabulate several pairs of clusterings in one table, with a block for each pair and group.

        Return the table, or None if no pair has common items, and the indices of its non-empty
        blocks. The index of a block is pair index · number of groups + group index.
        """
        parts: list[tuple[Ints, Ints, Ints]] = []
        blocks: list[Ints] = []
        row = column = 0
        for at, (i, j) in enumerate(pairs):
            rows, columns, counts = self.cells(i, j)
            parts.append((rows + row, columns + column, counts))
            blocks.append(at * self.n_groups + self.coded[i].groups)
            row += self.coded[i].groups.size
            column += self.coded[j].groups.size
        rows, columns, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
        if not rows.size:
            return None, np.empty(0, dtype=np.int64)
        table = Contingency.from_cells(rows, columns, counts)
        block = np.concatenate(blocks)[table.class_codes]
        cuts = np.flatnonzero(np.diff(block, prepend=-1))
        return replace(table, cuts=cuts), block[cuts]

    def without(self, i: int, j: int, parts: Codes, count: int) -> Contingency:
        """Tabulate the remaining items when each block of items is left out.

        The tables are returned as the groups of a single table.
        """
        kept = self.shared(i, j)
        one, two = self.codes(i, j)
        sizes = self.coded[i].groups.size, self.coded[j].groups.size
        return leave_parts_out(one, two, sizes, parts if kept is None else parts[kept], count)

    def batches(self, most: int) -> Iterator[list[tuple[int, int]]]:
        """Yield all pairs i < j of clusterings, in batches of about `most` contingency cells."""
        batch: list[tuple[int, int]] = []
        cells = 0
        sizes = [one.groups.size for one in self.coded]
        for i, j in combinations(range(len(self)), 2):
            batch.append((i, j))
            cells += min(self.size, sizes[i] * sizes[j])
            if cells >= most:
                yield batch
                batch, cells = [], 0
        if batch:
            yield batch


def align_clusterings(
    names: Sequence[str], labels: Sequence[Labels], missing: str, noise: str | None = None
) -> Panel:
    """Align several clusterings by item.

    `missing` specifies how to treat items that some clusterings do not contain: "drop" excludes
    them, "pairs" compares each pair of clusterings on its common items, "cluster" puts them into
    one extra cluster, "singletons" puts each into a separate cluster, and "error" raises
    InputError. Items with the label `noise` are treated as missing.
    """
    sides = [side if noise is None else mark_noise(side, noise) for side in labels]
    # Step 1: collect the items of all clusterings. If some clusterings have groups, use these
    # groups for all clusterings.
    whole = next((side for side in sides if side.groups is not None), sides[0])
    all_items = replace(
        whole, codes=np.zeros(len(whole), dtype=np.int64), n_labels=1, names=None, indptr=None,
        weights=None, complete=True, item_weights=None,
    )  # fmt: skip
    warnings = [text for side in labels for text in side.warnings]
    # The row of each item in each clustering, or −1 if the clustering does not contain the item.
    positions: list[Ints] = []
    for side in sides:
        rows = join(all_items, side)
        if rows is None:
            rows = np.arange(len(side))
        unknown = find_unknown(side, rows)
        if unknown.size:
            all_items, added = _extend(all_items, side, unknown, warnings)
            rows = np.concatenate((rows, added))
        positions.append(rows)
    # Step 2: arrange each clustering in the order of all items.
    size = len(all_items)
    lined = [
        take(
            replace(side, items=None, groups=None, group_names=None, item_weights=None),
            np.concatenate((rows, np.full(size - rows.size, -1))) if rows.size < size else rows,
        )
        for side, rows in zip(sides, positions, strict=True)
    ]
    # Step 3: apply the option `missing`, and renumber the remaining groups.
    lined, kept = _handle_missing(names, lined, all_items, missing, warnings)
    if kept is not None:
        all_items = take(all_items, kept)
    groups, group_names = all_items.groups, all_items.group_names
    if groups is not None and group_names is not None:
        used, groups = np.unique(groups, return_inverse=True)
        group_names = [group_names[code] for code in used.tolist()]
    unique = tuple(dict.fromkeys(warnings))
    return Panel(list(names), lined, all_items.items, groups, group_names, unique)


def _extend(known: Labels, side: Labels, rows: Ints, warnings: list[str]) -> tuple[Labels, Ints]:
    """Add the new items of a clustering to the known items, except items without a group."""
    groups, group_names = known.groups, list(known.group_names or ())
    if groups is not None:
        if side.groups is None:
            text = (
                f"{side.source}: {plural(rows.size, 'item')} without a group "
                f"{'is' if rows.size == 1 else 'are'} excluded"
            )
            warnings.append(Notice(text, code="missing-items"))
            return known, rows[:0]
        numbers = {name: code for code, name in enumerate(group_names)}
        theirs = [str(name) for name in side.group_names or ()]
        for name in theirs:
            if numbers.setdefault(name, len(numbers)) == len(group_names):
                group_names.append(name)
        lookup = np.array([numbers[name] for name in theirs])
        groups = np.concatenate((groups, lookup[side.groups[rows]]))
    items = [*(known.items or ()), *((side.items or ())[row] for row in rows.tolist())]
    codes = np.zeros(len(items), dtype=np.int64)
    named = group_names if groups is not None else None
    return replace(known, codes=codes, items=items, groups=groups, group_names=named), rows


def _handle_missing(
    names: Sequence[str],
    sides: list[Labels],
    all_items: Labels,
    missing: str,
    warnings: list[str],
) -> tuple[list[Labels], Ints | None]:
    """Apply the option `missing`. Return the labels, and the items to keep (None for all items)."""
    have = np.stack([side.answered() for side in sides])
    anywhere = have.any(axis=0)
    whole = have.all(axis=0)
    if not anywhere.any():
        raise InputError("no clustering contains any items", code="empty-input")
    if whole.all():
        return sides, None
    lacking = np.count_nonzero(~have[:, anywhere], axis=1)
    items, left = int(anywhere.sum()), int((anywhere & ~whole).sum())
    worst = [at for at in np.argsort(-lacking, kind="stable")[:_SHOWN].tolist() if lacking[at]]
    listed = ", ".join(f"{names[at]} lacks {lacking[at]:,}" for at in worst)
    more = ", …" if np.count_nonzero(lacking) > len(worst) else ""
    text = f"{left:,} of {plural(items, 'item', ',')} are not in every clustering ({listed}{more})"
    if missing == "error" and left:
        at = int(np.argmax(anywhere & ~whole))
        raise InputError(f"{text}, e.g. {example(all_items, at)}", code="missing-items")
    kept = np.flatnonzero(whole if missing == "drop" else anywhere)
    if not kept.size:
        raise InputError(
            f"no item is in every clustering ({listed}{more}); pass --missing {PAIRWISE} to "
            "compare each pair on its common items",
            code="no-common-items",
        )
    becomes = {
        "drop": "they are excluded "
        f"(pass --missing {PAIRWISE} to compare each pair on its common items)",
        PAIRWISE: "each pair is compared on its common items",
        "cluster": "they form one extra cluster in each clustering that lacks them",
        "singletons": "each of them forms a separate cluster in each clustering that lacks it",
    }
    if left:
        warnings.append(Notice(f"{text}: {becomes[missing]}", code="missing-items"))
    if kept.size < whole.size:
        sides = [take(side, kept) for side in sides]
    if missing == "drop":
        sides = [replace(side, complete=True) for side in sides]
    elif missing in ("cluster", "singletons"):
        sides = [
            side
            if side.answered().all()
            else fill(side, ~side.answered(), together=missing == "cluster")
            for side in sides
        ]
    return sides, kept if kept.size < whole.size else None
