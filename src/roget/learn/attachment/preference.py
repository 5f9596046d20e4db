"""p(noun|head) as it is kept: how much of a noun lies in a class, times the class's density."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.folder import need_csr
from roget.learn.attachment.vectors import tabulate

Floats = npt.NDArray[np.float64]

_CSR = ("data", "indices", "indptr")
CHUNK = 1 << 16
_GAP = "\t"


class Preference:
    """p(noun|head) = Σ share of the noun in a class · density of the class with the head.

    shares: csr_array, words × classes. density: csr_array, heads × classes. times: how often each
    head was seen.
    """

    def __init__(
        self, words: Sequence[str], heads: Sequence[str], shares: Any, density: Any, times: Floats
    ) -> None:
        self.words, self.heads = list(words), list(heads)
        self.shares, self.density, self.times = shares, density, times
        self._words = {word: at for at, word in enumerate(self.words)}
        self._heads = {head: at for at, head in enumerate(self.heads)}

    def probability(self, words: Sequence[str], heads: Sequence[str]) -> Floats:
        """p of each word with the head beside it; 0 where either is not known."""
        rows = np.array([self._words.get(word, -1) for word in words], dtype=np.int64)
        columns = np.array([self._heads.get(head, -1) for head in heads], dtype=np.int64)
        out = np.zeros(rows.size)
        known = np.flatnonzero((rows >= 0) & (columns >= 0))
        for begin in range(0, known.size, CHUNK):
            part = known[begin : begin + CHUNK]
            cells = self.shares[rows[part]].multiply(self.density[columns[part]])
            out[part] = np.asarray(cells.sum(axis=1)).ravel()
        return out

    def smoothed(self, words: Sequence[str], heads: Sequence[str]) -> Floats:
        """p of each word with the head beside it, as if seen once more like its kind of head."""
        places = [self._heads.get(head, -1) for head in heads]
        times = np.append(self.times, 0.0)[places]
        usual = self.probability(words, [kind_of(head) for head in heads])
        return np.asarray((times * self.probability(words, heads) + usual) / (times + 1))

    def content(self) -> dict[str, Any]:
        """What is to be kept."""
        kept: dict[str, Any] = {
            "words": self.words,
            "heads": self.heads,
            "n_classes": self.shares.shape[1],
            "times": self.times,
        }
        for name, table in (("shares", self.shares), ("density", self.density)):
            kept |= {f"{name}_{part}": getattr(table, part) for part in _CSR}
        return kept

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """From what was kept."""
        shapes = {"shares": len(kept["words"]), "density": len(kept["heads"])}
        shares, density = (
            need_csr([kept[f"{name}_{part}"] for part in _CSR], (rows, kept["n_classes"]))
            for name, rows in shapes.items()
        )
        return cls(kept["words"], kept["heads"], shares, density, kept["times"])


def head_of(kind: str, word: str, preposition: str) -> str:
    """A verb (V) or noun (N) with its preposition; all of the kind with it, if the word is ""."""
    return _GAP.join((kind, word, preposition))


def kind_of(head: str) -> str:
    """All heads of the same kind with the same preposition."""
    kind, *_, preposition = head.split(_GAP)
    return head_of(kind, "", preposition)


def by_words(pairs: Iterable[tuple[str, str]]) -> Preference:
    """Shares of words themselves, of pairs (noun, head) that were seen."""
    words, heads, matrix = tabulate(Counter(pairs))
    totals = np.asarray(matrix.sum(axis=0)).ravel()
    density = sparse.csr_array((matrix / totals[None, :]).T)
    return Preference(words, heads, sparse.eye_array(len(words), format="csr"), density, totals)


def by_cut(thesaurus: Any, pairs: Iterable[tuple[str, str]]) -> Preference:
    """The tree cuts of a thesaurus for the heads of pairs (noun, head) that were seen.

    Kinds of heads have the mean of the cuts of theirs.
    """
    from roget.core.counts import Counts
    from roget.learn.treecut import TreeCut

    words, heads, matrix = tabulate(Counter(pairs))
    model = TreeCut(thesaurus).fit(Counts(matrix, words, heads))
    density = model.density_
    used = np.flatnonzero(np.bincount(density.indices, minlength=density.shape[1]))
    shares = sparse.csr_array(model.hierarchy_.shares[:, used])
    known = np.flatnonzero(np.diff(shares.indptr))
    spelt = [str(word).lower() for word in model.hierarchy_.words[known]]
    # Where two words differ by capitals only, the more common spelling comes first.
    first = {word: at for at, word in reversed(list(enumerate(spelt)))}
    rows = np.array(list(first.values()), dtype=np.int64)
    times = np.asarray(matrix.sum(axis=0)).ravel()
    kinds, kind = np.unique([kind_of(head) for head in heads], return_inverse=True)
    seen = sparse.csr_array((times, (kind, np.arange(times.size))))
    totals = np.asarray(seen.sum(axis=1)).ravel()
    density = density[:, used]
    density = sparse.vstack([density, (seen @ density).multiply(1 / totals[:, None])])
    return Preference(
        list(first),
        [*heads, *kinds.tolist()],
        shares[known[rows]],
        sparse.csr_array(density),
        np.append(times, totals),
    )
