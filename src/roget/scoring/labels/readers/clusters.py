"""Read lists of clusters: each line, or each set in a list, contains the items of one cluster.

This format is common in community detection. Items may be in several clusters, so the labels are a
cover.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from roget.core.io.problems import Problems, plural
from roget.core.io.table import split_blanks
from roget.errors import Notice
from roget.scoring.labels.columns import Columns
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.labels import Coder, LabelCodes, Labels, NoItems
from roget.scoring.labels.readers.base import LabelReader, refuse_columns


def read_clusters(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read one cluster per line, with items separated by tabs or spaces.

    The line number is the name of the cluster.
    """
    refuse_columns(file, columns, "a file of clusters", "the items of one cluster on each line")
    problems = Problems(file.name)
    clusters: dict[str, list[str]] = {}
    for line, text in file.lines():
        if not text.startswith("#") and text.strip():
            items = text.split("\t") if "\t" in text else split_blanks(text)
            clusters[str(line)] = items
            if "" in map(str.strip, items):
                message = "an item is empty; expected items separated by single tabs"
                problems.add(line, message, code="empty-field")
    problems.check()
    return collect_clusters(clusters.values(), list(clusters), file.name)


def collect_clusters(
    clusters: Iterable[Iterable[Any]], names: list[str] | None, source: str
) -> Labels:
    """Convert clusters (collections of items) to labels."""
    items, owners, codes = Coder(), [], []
    number = -1
    for number, members in enumerate(clusters):
        texts = [str(item).strip() for item in members]
        owners.append(items.codes(texts, len(texts)).astype(np.int64))
        codes.append(np.full(len(texts), number, dtype=np.int64))
    if not len(items):
        raise NoItems(f"{source}: no items")
    entries = LabelCodes(np.concatenate(codes), number + 1, names)
    packed = entries.pack(np.concatenate(owners), np.ones(entries.codes.size), len(items))
    repeats = entries.codes.size - packed.codes.size
    warnings = []
    if repeats:
        verb = "is" if repeats == 1 else "are"
        text = f"{plural(repeats, 'item')} of {source} {verb} listed twice in one cluster"
        warnings.append(Notice(f"{text} and counted once", code="repeated-rows"))
    return Labels(
        **packed._asdict(), items=list(items), source=source, warnings=tuple(warnings), cover=True
    )


READER = LabelReader("The items of one cluster on each line.", (".cmty",), labels=read_clusters)
