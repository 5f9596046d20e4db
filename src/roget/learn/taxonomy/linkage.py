"""Read dendrograms from .npz files with a SciPy linkage matrix and its words."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from roget.core.folder import read_npz
from roget.core.io.source import source_of
from roget.core.tree import check_merges
from roget.core.types import Array
from roget.errors import InputError
from roget.learn.taxonomy.taxonomy import Taxonomy


def read(place: Path, language: str | None = None, part: str | None = None) -> Taxonomy:
    """Read a linkage matrix Z and its words as a taxonomy. Each merge becomes a class.

    The last merge is the root. A merge at the same height as its parent is joined with the parent.
    The optional array `labels` holds the names of the merges.
    """
    merges, words, labels = _load(place)
    n = len(words)
    above = np.full(n + len(merges), -1, dtype=np.int64)
    pairs = merges[:, :2].astype(np.int64)
    above[pairs] = (n + np.arange(len(merges)))[:, None]
    height = np.concatenate((np.zeros(n), merges[:, 2]))
    top = above.size - 1
    # Join connected merges of equal height into one class, with the name of the last merge.
    home = np.arange(above.size)
    for node in range(top - 1, n - 1, -1):
        if height[node] == height[above[node]]:
            home[node] = home[above[node]]
    taxonomy = Taxonomy(source_of(str(place)).stem)
    for node in range(top, n - 1, -1):
        if home[node] != node:
            continue
        name = f"merge {node - n}"
        taxonomy.labels[name] = str(labels[node - n]) or name
        taxonomy.order[name] = -float(height[node])
        if node != top:
            taxonomy.parents[name] = [f"merge {home[above[node]] - n}"]
    for row, word in enumerate(words.tolist()):
        taxonomy.add(word, f"merge {home[above[row]] - n}")
    return taxonomy


def _load(place: Path) -> tuple[Array, Array, Array]:
    """Read the merges, words and labels, and check that they are consistent."""
    found = read_npz(place, packed=True, kinds="iufU")
    if not {"Z", "words"} <= found.keys():
        raise InputError(
            f"{place}: array 'Z' or 'words' is missing; expected a linkage matrix Z and its words",
            code="unsupported-format",
        )
    merges, words = found["Z"], found["words"]
    labels = found.get("labels", np.full(len(merges), "", dtype=np.str_))
    if merges.ndim != 2 or merges.shape[1] != 4 or merges.dtype.kind not in "iuf":
        raise InputError(
            f"{place}: 'Z' has shape {merges.shape}; expected n − 1 rows of 4 numbers",
            code="not-a-tree",
        )
    if words.shape != (len(merges) + 1,) or labels.shape != (len(merges),):
        raise InputError(
            f"{place}: {len(merges)} merges, {words.size} words and {labels.size} labels; expected "
            "one word more than merges, and a label for each merge",
            code="length-mismatch",
        )
    if words.dtype.kind != "U" or labels.dtype.kind != "U" or len(set(words.tolist())) < len(words):
        raise InputError(
            f"{place}: 'words' and 'labels' must be strings, and 'words' must be unique",
            code="duplicate-name",
        )
    _check(merges, place)
    return merges, words, labels


def _check(merges: Array, place: Path) -> None:
    """Raise an error if the linkage matrix is invalid."""
    # Ignore the sizes in the last column, which other tools may use differently.
    problem = check_merges(merges[:, :2])
    if problem:
        raise InputError(f"{place}: Z: {problem}", code="not-a-tree")
    height = merges[:, 2]
    if not np.isfinite(height).all() or (np.diff(height) < 0).any() or (height < 0).any():
        raise InputError(
            f"{place}: the heights of Z must be non-negative and must not decrease",
            code="not-a-tree",
        )
