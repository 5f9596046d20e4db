"""Inputs for scoring: read a gold standard and systems, and align them by item."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from roget import catalogue
from roget.core.io.frames import is_lazy
from roget.core.io.source import STANDARD_INPUT
from roget.errors import InputError, InputErrors
from roget.scoring.labels import AlignedLabels, Labels, align, as_labels, read_pair
from roget.scoring.labels.align import choose_rules
from roget.scoring.labels.columns import choose_side, has_several
from roget.scoring.labels.files import ONE_SIDE
from roget.scoring.labels.formats import refuse_tree
from roget.scoring.labels.labels import as_cover, harden
from roget.scoring.labels.read import are_small, count_large
from roget.scoring.options import PipelineOptions, Rules

COMMON = (str, os.PathLike, list, tuple, np.ndarray, Mapping, Labels)
"""Input types that are recognised without importing a data-frame library."""

Count = Callable[[Any], AlignedLabels | None]
"""A function that counts contingency cells without loading items.

It returns None if this is impossible.
"""


@dataclass(frozen=True, eq=False)
class Inputs:
    """A gold standard, systems by name, and the options for reading and scoring them."""

    gold: Any
    systems: Mapping[str, Any]
    options: PipelineOptions
    sample_weight: Any = None
    """The weights of the gold items, in the order of the gold labels."""
    compared: bool = False
    """True if systems are compared with each other."""
    references: Mapping[str, Any] = field(default_factory=dict)
    """Baselines supplied by the caller, keyed by name. They are scored like systems but not ranked.
    """
    by_item: bool = False
    """True if individual items are required, because a contingency table is not sufficient."""

    @property
    def has_levels(self) -> bool:
        """True if labels are hierarchical and each level is scored separately."""
        sides, columns = (self.gold, *self.systems.values()), self.options.columns
        leveled = any(hasattr(type(side), "to_labels") and side.levels for side in sides)
        return leveled or self.options.levels is not None or bool(columns and has_several(columns))

    @property
    def needs_items(self) -> bool:
        """True if an option requires individual items, in the order of the gold labels."""
        options = self.options
        return bool(
            self.by_item
            or self.sample_weight is not None
            or options.items is not None
            or options.splits
        )

    @cached_property
    def item_weights(self) -> Any:
        """The item weights. A pandas Series is aligned with the gold labels by its index."""
        if self.sample_weight is None:
            return None
        from roget.scoring.labels.precounted import match_index

        return match_index(self.gold, self.sample_weight, "sample_weight", self.options.columns)

    @property
    def rules(self) -> Rules:
        """The options for missing and extra items when the input is a contingency table.

        A table cannot contain coreference mentions, so their special rules do not apply.
        """
        options = self.options
        return choose_rules(None, None, options.missing, options.extra, noise=options.noise)

    def align_systems(self) -> dict[str, AlignedLabels]:
        """Read the systems and the baselines, and align each of them with the gold standard."""
        options = self.options
        if options.cells is not None or options.matrix is not None:
            return {name: self._read_cells() for name in self.systems}
        aligned: dict[str, AlignedLabels] = {}
        known = GoldLabels(self)
        every, errors = {**self.systems, **self.references}, []
        local = options.engine == "local"
        with nullcontext(self._count_here) if local else self._open_counter() as count:
            for name, system in every.items():
                try:
                    sources, items = (self.gold, system), None
                    if isinstance(system, str) and system == STANDARD_INPUT == self.gold:
                        raise InputError(ONE_SIDE, code="conflicting-options")
                    # Reading small files is faster than counting cells with DuckDB, and so is
                    # reading the system labels once the gold labels have been read.
                    if known.labels is None and not (local and are_small(self.gold, system)):
                        sides = self._count_system(count, system)
                        if sides is not None:
                            aligned[name] = sides
                            continue
                    if system is None:
                        gold, labels = self._read_both()
                    else:
                        if not (isinstance(self.gold, COMMON) and isinstance(system, COMMON)):
                            sources, items = self._prepare_frames(system)
                        # The gold labels are read again only if their source has changed.
                        if known.labels is None or sources[0] is not known.source:
                            known.labels = read_side(sources[0], "gold", options)
                            known.source = sources[0]
                        gold = known.labels
                        labels = read_side(sources[1], "system", options)
                    left, right = (
                        side if items is None else replace(side, items=items)
                        for side in (gold, labels)
                    )
                    sides = self.align(left, right)
                    if options.splits:
                        sides = replace(sides, unaligned=(gold, labels))
                    aligned[name] = sides
                except InputError as error:
                    # Report the broken files of all systems at once, unless gold is broken.
                    about_options = error.code == "conflicting-options"
                    if len(every) == 1 or about_options or not (local and known.readable()):
                        raise
                    errors.append(error)
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise InputErrors(f"{len(errors)} of {len(every)} systems cannot be scored", errors)
        return aligned

    def _count_system(self, count: Count, system: Any) -> AlignedLabels | None:
        """Count the contingency cells of a system, or return None if items are required."""
        sides = count(system)
        if sides is None and not (
            isinstance(self.gold, COMMON) and (system is None or isinstance(system, COMMON))
        ):
            sides = self._count_frames(system)
        joint = self.compared and self.options.ci
        # Comparisons resample the same items for all systems, so individual items are required
        # unless there are groups.
        if sides is None or not joint or has_groups(sides):
            return sides
        if self.options.engine != "local":
            raise InputError(
                f"engine {self.options.engine}: confidence intervals for several systems without "
                "groups require individual items; pass --engine local, or use `roget score` for "
                "each system separately",
                code="conflicting-options",
            )
        return None

    def _prepare_frames(self, system: Any) -> tuple[tuple[Any, Any], list[Any] | None]:
        """Return the gold and system inputs, and the item ids if they are required.

        Lazy frames are loaded into memory, and pandas Series and frames are aligned by index.
        """
        from roget.scoring.labels import precounted

        columns = self.options.columns
        gold, system = self.gold, precounted.match_index(self.gold, system, columns=columns)
        items = precounted.list_index(gold, system, columns) if self.needs_items else None
        gold, system = precounted.keep_index(gold, system, columns)
        gold, system = self._index_series(gold, system)
        return (self._collect(gold, "gold"), self._collect(system, "system")), items

    def _index_series(self, gold: Any, system: Any) -> tuple[Any, Any]:
        """Return both sides, with the index of a Series as its item ids if the other side has ids.

        Whether a file has ids is known only when it is read, so it is returned as labels.
        """
        from roget.scoring.labels import precounted

        sides = {"gold": gold, "system": system}
        for name, other in (("gold", "system"), ("system", "gold")):
            if not precounted.is_indexed_series(sides[name]):
                continue
            if isinstance(sides[other], str | os.PathLike):
                sides[other] = read_side(sides[other], other, self.options)
            columns = choose_side(self.options.columns, other)
            if precounted.has_ids(sides[other], columns):
                sides[name] = precounted.index_series(sides[name])
        return sides["gold"], sides["system"]

    def align(self, gold: Labels, system: Labels) -> AlignedLabels:
        """Align the labels of gold and system by item.

        If either is a cover (overlapping clusters), the other is treated as a cover, too.
        """
        if (gold.overlapping or system.overlapping) and gold.cover != system.cover:
            gold, system = (side if side.cover else as_cover(side) for side in (gold, system))
        return align(gold, system, self.options.missing, self.options.noise, self.options.extra)

    def _read_both(self) -> tuple[Labels, Labels]:
        """Read gold and system from two columns of one file, data frame or AnnData object."""
        gold, options = self.gold, self.options
        if gold is None:
            raise InputError(
                "nothing to score; pass a gold standard and a system, or cells",
                code="missing-option",
            )
        if not isinstance(gold, COMMON):
            from roget.scoring.labels import precounted

            both = precounted.read_both(gold, options.columns)
            if both is not None:
                return both
        if not isinstance(gold, str | os.PathLike):
            raise InputError(
                "the system's labels are missing; pass them as the second argument",
                code="missing-option",
            )
        return read_pair(
            gold, labels=options.labels, columns=options.columns, header=options.header
        )

    def _read_cells(self) -> AlignedLabels:
        """Read a contingency table from a list of cells or a matrix."""
        options = self.options
        if options.matrix is not None:
            from roget.scoring.labels.matrix import read_matrix

            return read_matrix(
                options.matrix, self.rules.missing, self.options.noise, options.header
            )
        from roget.scoring.labels.precounted import read_cells

        return read_cells(
            options.cells,
            self.rules.missing,
            options.labels,
            options.columns,
            self.options.noise,
            options.header,
        )

    def _collect(self, side: Any, name: str) -> Any:
        """Load the label columns of a lazy frame into memory. Return other inputs unchanged."""
        from roget.scoring.labels import precounted

        if isinstance(side, COMMON) or not is_lazy(side):
            return side
        columns = choose_side(self.options.columns, name)
        return precounted.collect_side(side, columns, f"the {name} labels", gold=name == "gold")

    def _count_frames(self, system: Any) -> AlignedLabels | None:
        """Count cells with the library of the data frames, or return None if this is impossible."""
        gold, columns = self.gold, self.options.columns
        from roget.scoring.labels import precounted

        if system is None:
            if not is_lazy(gold):
                return None
            return precounted.count_frame(gold, self.rules.missing, columns, self.options.noise)
        if self.needs_items or self.rules.extra != "drop":
            return None
        return precounted.join_frames(gold, system, self.rules.missing, columns, self.options.noise)

    @contextmanager
    def _open_counter(self) -> Iterator[Count]:
        """Yield a function that counts the contingency tables of large files on a Dask cluster."""
        options = self.options
        from roget.scoring.labels.dask_join import DaskJoin

        make = partial(catalogue.load("engines", options.engine), options.scheduler, None)
        read = options.labels, options.columns, self.options.noise, options.header
        with DaskJoin(make, self.gold, *read) as join:
            # A file with columns for both gold and system does not need a join.
            yield (
                lambda system: (
                    self._count_here(None)
                    if system is None
                    else join.count(refuse_tree(system), *self.rules[1:])
                )
            )

    def _count_here(self, system: Any) -> AlignedLabels | None:
        """Count the cells of large files in this process, or return None if this is impossible."""
        options, (_, missing, extra) = self.options, self.rules
        if self.needs_items or extra == "unmatched" or options.several == "cover":
            return None
        read = (
            options.labels,
            options.columns,
            self.options.noise,
            options.memory,
            extra,
            options.header,
        )
        return count_large(self.gold, system, missing, *read)


@dataclass(eq=False)
class GoldLabels:
    """The gold labels, which are read once for all systems."""

    inputs: Inputs
    labels: Labels | None = None
    source: Any = None

    def readable(self) -> bool:
        """Return True if the gold labels can be read, so that an error is about a system."""
        gold = self.inputs.gold
        if self.labels is None and isinstance(gold, COMMON):
            try:
                self.labels, self.source = read_side(gold, "gold", self.inputs.options), gold
            except InputError:
                return False
        return self.labels is not None


def read_side(source: Any, side: str, options: PipelineOptions) -> Labels:
    """Read the gold labels or the system labels.

    If answers="top", keep only the system label with the highest weight for each item.
    """
    columns = choose_side(options.columns, side)
    arguments: dict[str, Any] = {
        "labels": options.labels,
        "columns": columns,
        "gold": side == "gold",
        "header": options.header,
    }
    if options.levels is None and not (columns and has_several(columns)):
        labels = as_labels(source, several=options.several, **arguments)
    else:
        from roget.scoring.labels.levels import read_levels

        labels = read_levels(source, separator=options.levels, **arguments)
    if side == "system" and options.answers == "top" and labels.weighted:
        return harden(labels)
    return labels


def read_sides(
    gold: Any, system: Any, options: PipelineOptions | None = None, *, by_item: bool = False
) -> AlignedLabels:
    """Read and align a gold standard and one system."""
    inputs = Inputs(gold, {"": system}, options or PipelineOptions(), by_item=by_item)
    return inputs.align_systems()[""]


def has_groups(sides: AlignedLabels) -> bool:
    """Return True if there are several groups, so that groups can be resampled."""
    return sides.groups is not None and int(np.max(sides.groups)) > 0
