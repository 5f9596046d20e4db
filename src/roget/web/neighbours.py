"""Neighbours of words, quickly: a good guess at who may be near, then exact distances of these."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.learn.thesaurus import OWN, Thesaurus

Floats = npt.NDArray[np.float64]

GUESSED = 64
"""Words whose distance is worked out exactly, at most."""

CELLS = 400_000
"""Cells of the table worked on: of many contexts, fewer words are tried."""

FEWEST = 32

TINY = 1e-300

GROUPS = 128
"""Groups of contexts by which the classes of words are compared at first."""


class Neighbours:
    """The distances of `Thesaurus.neighbours`, worked out for the likeliest words only.

    Words are guessed by the Bhattacharyya coefficient Σ √(p·q), which follows the Jensen–Shannon
    divergence closely: of their own counts, and of what their classes say of groups of contexts.
    Where there are hardly more words than are tried, nothing is guessed.
    """

    def __init__(self, thesaurus: Thesaurus, guessed: int = GUESSED) -> None:
        room = CELLS // max(thesaurus.contexts.size, 1)
        self.thesaurus, self.guessed = thesaurus, min(guessed, max(room, FEWEST))
        self._own = sparse.csr_array(thesaurus.counts.conditional(), dtype=np.float64)
        self._seen = np.asarray(thesaurus.counts.word_totals > 0)
        self._roots = sparse.csr_array(np.sqrt(self._own), dtype=np.float32)
        self._profiles = self._grouped()
        self._information = np.full(len(thesaurus), np.nan)

    def _grouped(self) -> npt.NDArray[np.float32]:
        """√p of groups of contexts by the classes of each word: words × groups."""
        centroids, mass = self.thesaurus.centroids, self.thesaurus.mass
        owner = np.argmax(centroids * mass[:, None], axis=0) % GROUPS
        at = np.arange(owner.size), owner
        shape = owner.size, int(owner.max(initial=0)) + 1
        group = sparse.csr_array((np.ones(owner.size), at), shape=shape)
        by_class = self.thesaurus.memberships @ np.asarray(centroids @ group)
        return np.asarray(np.sqrt(np.maximum(by_class, 0.0)), dtype=np.float32)

    def of(self, row: int, n: int) -> list[tuple[int, float]]:
        """Rows and distances (nats) of the n words nearest to a row."""
        size = len(self.thesaurus)
        rows = np.delete(np.arange(size), row) if size <= self.guessed + 1 else self._likely(row)
        if not rows.size:
            return []
        distances = self._divergences(row, rows)
        best = np.lexsort((rows, distances))[:n]
        return [(int(rows[at]), float(distances[at])) for at in best]

    def _likely(self, row: int) -> npt.NDArray[np.intp]:
        mine = np.zeros(self._roots.shape[1], dtype=np.float32)
        begin, end = self._roots.indptr[row : row + 2]
        mine[self._roots.indices[begin:end]] = self._roots.data[begin:end]
        # Not by BLAS: on a busy machine its threads wait for each other longer than this takes.
        near = np.einsum("ij,j->i", self._profiles, self._profiles[row]) + self._roots @ mine
        near[row] = -1.0
        return np.argpartition(-near, self.guessed)[: self.guessed]

    def _divergences(self, row: int, rows: npt.NDArray[np.intp]) -> Floats:
        rows = np.concatenate([[row], rows])
        profiles = self._exact(rows)
        # Σ p log p of a word is the same whomever it is compared with.
        new = np.isnan(self._information[rows])
        self._information[rows[new]] = _information(profiles[new])
        information = self._information[rows]
        middle = _information((profiles[1:] + profiles[0]) / 2)
        return np.asarray(np.maximum((information[0] + information[1:]) / 2 - middle, 0.0))

    def _exact(self, rows: npt.NDArray[np.intp]) -> Floats:
        weight = np.where(self._seen[rows], OWN, 0.0)[:, None]
        belongs = self.thesaurus.memberships[rows]
        # Only the classes that matter, or centroids of half precision would all be converted.
        used = np.unique(belongs.indices)
        by_class = belongs[:, used] @ self.thesaurus.centroids[used].astype(np.float64)
        return np.asarray((1 - weight) * by_class + weight * self._own[rows].toarray())


def _information(table: Floats) -> Floats:
    """Σ p log p of each row; what xlogx gives, in fewer passes over a large table."""
    logs = np.log(np.maximum(table, TINY))
    return np.asarray(np.einsum("ij,ij->i", table, logs))
