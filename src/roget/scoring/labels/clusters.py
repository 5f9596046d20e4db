"""Clusters one by one: a file with the items of one on each line, or a list of sets of items.

As community detection has them. An item may be in several, so that the labels are a cover.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.io.problems import Problems, plural
from roget.core.io.table import split_blanks
from roget.scoring.labels.labels import Coder, Factors, Labels, pack
from roget.scoring.labels.read import refuse_columns
from roget.scoring.labels.table import Columns, NoItems

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile


def read(file: LabelFile, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """The clusters of a file: items parted by tabs or blanks; the line is the cluster's name."""
    refuse_columns(file, columns, "a file of clusters", "the items of one cluster on each line")
    problems = Problems(file.name)
    clusters: dict[str, list[str]] = {}
    for line, text in file.lines():
        if not text.startswith("#") and text.strip():
            clusters[str(line)] = text.split("\t") if "\t" in text else split_blanks(text)
            if "" in map(str.strip, clusters[str(line)]):
                problems.add(line, "an item is empty; expected items parted by one tab each")
    problems.check()
    return gather(clusters.values(), list(clusters), file.name)


def gather(clusters: Iterable[Iterable[Any]], names: list[str] | None, source: str) -> Labels:
    """The labels of items that are listed cluster by cluster."""
    items, owners, codes = Coder(), [], []
    number = -1
    for number, members in enumerate(clusters):
        texts = [str(item).strip() for item in members]
        owners.append(items.codes(texts, len(texts)).astype(np.int64))
        codes.append(np.full(len(texts), number, dtype=np.int64))
    if not len(items):
        raise NoItems(f"{source}: no items")
    entries = np.concatenate(owners), np.concatenate(codes)
    packed = pack(*entries, np.ones(entries[0].size), len(items), number + 1)
    twice = entries[0].size - packed.codes.size
    warnings = []
    if twice:
        said = f"{plural(twice, 'item')} of {source} {'is' if twice == 1 else 'are'} named twice"
        warnings.append(f"{said} in one cluster: counted once")
    factors = Factors(packed.codes, names, number + 1)
    return Labels.of(
        factors,
        packed,
        items=items.names(),
        source=source,
        warnings=tuple(warnings),
        cover=True,
    )
