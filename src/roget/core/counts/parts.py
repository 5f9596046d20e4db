"""Tables taken apart and put together: tokens dealt out, tables added, linked parts found."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.counts.matrix import Matrix, Names, from_cells, frozen, tidy
from roget.errors import InputError

Places = npt.NDArray[np.int64]

_NOTHING = 1e-12
"""A rest this small is rounding: .7, .2 and .1 leave nothing."""


def dealt(
    matrix: Matrix, fractions: Sequence[float], random_state: int | np.random.Generator | None
) -> list[Matrix]:
    """Each token in one part, chosen with these probabilities; the last part takes the rest."""
    if matrix.dtype.kind != "i":
        raise InputError("only whole counts can be split into tokens; these are fractional")
    rest = 1 - math.fsum(fractions)
    if not fractions or not all(0 < part < 1 for part in fractions) or rest < _NOTHING:
        raise InputError(
            f"split({', '.join(map(str, fractions))}): expected fractions above 0 that leave "
            "a rest, which is the last part"
        )
    random = np.random.default_rng(random_state)
    parts = []
    for data in random.multinomial(matrix.data, [*fractions, rest]).T:
        part = matrix.copy()
        part.data = np.ascontiguousarray(data)
        parts.append(tidy(part))
    return parts


def united(vocabularies: Sequence[Names]) -> tuple[Names, list[Places]]:
    """Every name once, in order of first sight, and for each vocabulary its places there."""
    ids: dict[str, int] = {}
    places = [
        np.fromiter((ids.setdefault(name, len(ids)) for name in texts), np.int64, texts.size)
        for texts in vocabularies
    ]
    return frozen(ids), places


def added(
    matrices: Sequence[Matrix],
    rows: Sequence[Places],
    columns: Sequence[Places],
    shape: tuple[int, int],
) -> Matrix:
    """The sum of matrices, each with the places in the sum of its rows and columns."""
    cells = [matrix.tocoo() for matrix in matrices]
    return from_cells(
        np.concatenate([to[part.row] for to, part in zip(rows, cells, strict=True)]),
        np.concatenate([to[part.col] for to, part in zip(columns, cells, strict=True)]),
        np.concatenate([part.data for part in cells]),
        shape,
    )


def largest_component(
    matrix: Matrix, word_totals: npt.NDArray[np.generic]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Rows and columns of the linked part with most tokens; of equal ones, the first word's."""
    from scipy.sparse.csgraph import connected_components

    words, contexts = matrix.shape
    cells = matrix.tocoo()
    links = (np.ones(cells.nnz, np.int8), (cells.row, cells.col + words))
    graph = sparse.coo_array(links, shape=(words + contexts, words + contexts))
    number, part = connected_components(graph, directed=False)
    of_word, of_context = np.split(part, [words])
    tokens = np.zeros(number, dtype=matrix.dtype)
    np.add.at(tokens, of_word, word_totals)
    best = of_word[tokens[of_word].argmax()]
    return np.flatnonzero(of_word == best), np.flatnonzero(of_context == best)
