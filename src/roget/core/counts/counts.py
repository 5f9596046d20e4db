"""The class `Counts`: a sparse table with the number of times each word occurs in each context."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget._version import __version__
from roget.core.counts import matrix as matrices
from roget.core.counts import views as counts_views
from roget.core.counts.evidence import Evidence, unite
from roget.core.counts.matrix import Matrix, Names, frozen, tidy
from roget.core.io.problems import plural
from roget.core.io.table import Columns
from roget.core.notebook import ReportMixin
from roget.core.types import Array, PathLike
from roget.errors import InputError, UnknownName

Places: TypeAlias = npt.NDArray[np.intp]

_CHUNK = 1 << 18
"""Batch size: number of cells converted to Python objects at once."""

_ROUNDING = 1e-12
"""Tolerance for the sum of fractions. For example, .7 + .2 + .1 is not exactly 1."""

_MAX_COMPARED = 20_000
"""Maximum number of names compared to find suggestions. More comparisons would take seconds."""


class NotCounted(UnknownName):
    """Raised when a word or context is not in the counts.

    The message suggests similar names.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        near = difflib.get_close_matches(str(name), islice(known, _MAX_COMPARED), n=3, cutoff=0.6)
        hint = f": did you mean {' or '.join(map(repr, near))}?" if near else ""
        # The message of UnknownName lists all known names, of which there may be a million here.
        LookupError.__init__(self, f"the counts contain no {kind} {name!r}{hint}")


class Counts(ReportMixin):
    """A sparse table of word–context counts, with the words, the contexts and the provenance.

    The input is any SciPy sparse matrix or array, or a dense two-dimensional array. Counts are
    stored as int64 if all are whole numbers, else as float64. They must not be negative, and their
    sum must be less than 2^63. Words and contexts are distinct strings, by default "0", "1", …. A
    table in which all counts are 0 is valid, but cannot be read from or written to a file.

    >>> counts = Counts([[2, 1], [0, 3]], ["milk", "book"], ["drink", "read"])
    >>> counts
    Counts: 2 words × 2 contexts, 3 entries, 6 tokens
    >>> counts.count("book", "read")
    3
    >>> counts.top(1).words.tolist()
    ['book']

    Attributes: `matrix` (scipy.sparse.csr_array), `words`, `contexts` and `slots` (arrays of str;
    a slot is the relation of a context, such as obj, or "" if unknown), `relations` (the counted
    relations), `provenance` (a dict that describes the origin of the counts), and `evidence`
    (example sentences of pairs, or None). Do not modify the attributes in place.
    """

    kind = "counts"

    def __init__(
        self,
        matrix: Any,
        words: Iterable[str] | None = None,
        contexts: Iterable[str] | None = None,
        *,
        slots: Iterable[str] | None = None,
        relations: Sequence[str] = (),
        provenance: Mapping[str, Any] | None = None,
        evidence: Evidence | None = None,
    ) -> None:
        table = matrices.two_dimensional(matrix)
        self.words: Names = matrices.names(words, table.shape[0], "word")
        self.contexts: Names = matrices.names(contexts, table.shape[1], "context")
        self.matrix: Matrix = matrices.canonical(table, self.words, self.contexts)
        self.slots: Names = frozen([""] * table.shape[1] if slots is None else map(str, slots))
        if self.slots.size != self.contexts.size:
            raise InputError(
                f"slots and contexts must have the same length, got {self.slots.size:,} and "
                f"{self.contexts.size:,}",
                code="length-mismatch",
            )
        self.relations = (relations,) if isinstance(relations, str) else tuple(relations)
        self.provenance: dict[str, Any] = dict(provenance or {})
        self.evidence = evidence

    @classmethod
    def read(cls, path: PathLike, columns: Columns = None) -> Counts:
        """Read counts from a directory, a table (word, context[, count]), .npz or Matrix Market.

        `columns` assigns the columns of a table: "word=noun,context=verb,count=freq" (optionally
        with slot=…), or the names or numbers of the word, context and count columns. By default,
        columns are inferred from the header, or from a file name such as verb_object.tsv. If both
        are inconclusive, the first column contains words and the second contexts. Words and
        contexts from a table are sorted by total count, most frequent first, then alphabetically.
        """
        from roget.core.counts.formats import read

        return read(path, columns, cls)[0]

    @classmethod
    def from_pandas(cls, frame: Any, columns: Columns = None) -> Counts:
        """Make counts from a data frame with columns for word, context and, optionally, count.

        The frame may come from pandas, polars or another library that narwhals supports. `columns`
        assigns the columns as in `read`. By default, these are the columns named "word", "context"
        and "count", or the columns of a frame with two or three columns, in this order. If there is
        no count column, each row is one occurrence. Use `Counts(frame)` for a frame with one row
        per word and one column per context.

        >>> import pandas as pd
        >>> Counts.from_pandas(pd.DataFrame({"word": ["a", "b", "a"], "context": ["x", "x", "y"]}))
        Counts: 2 words × 2 contexts, 3 entries, 3 tokens
        """
        from roget.core.counts.frames import from_frame

        return from_frame(frame, columns, cls)

    def write(self, path: PathLike) -> None:
        """Write a .tsv, .tsv.gz or .npz file, or a counts directory, depending on the suffix.

        The output is written completely or not at all. A directory stores everything. An .npz file
        omits relations, provenance and evidence. A .tsv file stores only the counts, and omits
        words and contexts that have no counts.
        """
        from roget.core.counts.formats import write

        write(self, path)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of words and the number of contexts."""
        return int(self.words.size), int(self.contexts.size)

    @property
    def entries(self) -> int:
        """The number of (word, context) pairs with a positive count."""
        return int(self.matrix.nnz)

    @cached_property
    def word_totals(self) -> Array:
        """The exact number of occurrences of each word."""
        return matrices.row_totals(self.matrix)

    @cached_property
    def context_totals(self) -> Array:
        """The exact number of occurrences of each context."""
        return matrices.row_totals(self.matrix.T.tocsr())

    @cached_property
    def total(self) -> int | float:
        """The sum of all counts, i.e. the number of tokens."""
        data = self.matrix.data
        return int(data.sum()) if data.dtype.kind == "i" else math.fsum(data)

    @property
    def T(self) -> Counts:
        """The transposed table, in which words and contexts are exchanged. It has no slots."""
        transposed = tidy(self.matrix.T.tocsr())
        made = self._new(transposed, self.contexts, self.words, frozen([""] * self.words.size), "T")
        made.evidence = None if self.evidence is None else self.evidence.transpose()
        return made

    def __len__(self) -> int:
        return int(self.words.size)

    def __repr__(self) -> str:
        words, contexts = plural(len(self), "word", ","), plural(self.shape[1], "context", ",")
        entries = f"{self.entries:,} {'entry' if self.entries == 1 else 'entries'}"
        tokens = plural(self.total, "token", "," if isinstance(self.total, int) else ",.6g")
        return f"Counts: {words} × {contexts}, {entries}, {tokens}"

    def __eq__(self, other: object) -> bool:
        """Return True if words, contexts and counts are equal, in the same order."""
        if not isinstance(other, Counts):
            return NotImplemented
        mine, its = self.matrix, other.matrix
        return (
            mine.dtype == its.dtype
            and np.array_equal(self.words, other.words)
            and np.array_equal(self.contexts, other.contexts)
            and np.array_equal(mine.indptr, its.indptr)
            and np.array_equal(mine.indices, its.indices)
            and np.array_equal(mine.data, its.data)
        )

    __hash__ = None  # type: ignore[assignment]

    def word_id(self, word: str) -> int:
        """Return the row index of a word."""
        return _find(word, self._word_ids, "word")

    def context_id(self, context: str) -> int:
        """Return the column index of a context."""
        return _find(context, self._context_ids, "context")

    def __getitem__(self, word: str) -> dict[str, int | float]:
        """Return the contexts of a word with their counts, most frequent first.

        >>> Counts([[2, 1], [0, 3]], ["milk", "book"], ["drink", "read"])["milk"]
        {'drink': 2, 'read': 1}
        """
        row = self.word_id(word)
        begin, end = self.matrix.indptr[row : row + 2]
        order = begin + np.argsort(-self.matrix.data[begin:end], kind="stable")
        names = self.contexts[self.matrix.indices[order]].tolist()
        return dict(zip(names, self.matrix.data[order].tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the words."""
        return iter(self.words.tolist())

    def __contains__(self, word: object) -> bool:
        """Return True if the counts have this word."""
        return word in self._word_ids

    def count(self, word: str, context: str) -> int | float:
        """Return the number of occurrences of a word in a context."""
        row, column = self.word_id(word), self.context_id(context)
        begin, end = self.matrix.indptr[row : row + 2]
        at = begin + np.searchsorted(self.matrix.indices[begin:end], column)
        seen: int | float = 0
        if at < end and self.matrix.indices[at] == column:
            seen = self.matrix.data[at].item()
        return seen

    def rows(self) -> Iterator[tuple[str, str, int | float]]:
        """Yield a (word, context, count) tuple for every positive count, in row order."""
        cells = self.matrix.tocoo()
        for begin in range(0, self.entries, _CHUNK):
            part = slice(begin, begin + _CHUNK)
            yield from zip(
                self.words[cells.row[part]].tolist(),
                self.contexts[cells.col[part]].tolist(),
                cells.data[part].tolist(),
                strict=True,
            )

    def top(self, words: int | None = None, contexts: int | None = None) -> Counts:
        """Return the counts of only the most frequent words and contexts.

        Words and contexts are ranked by their totals in this table, with ties in alphabetical
        order. If a number is None, all words (or contexts) that still have counts are kept, in
        their original order.
        """
        rows, columns = (
            np.arange(size)
            if most is None
            else matrices.ranking(totals, texts)[: _positive(most, axis)]
            for axis, most, totals, texts, size in (
                ("words", words, self.word_totals, self.words, self.shape[0]),
                ("contexts", contexts, self.context_totals, self.contexts, self.shape[1]),
            )
        )
        kept = self._take(rows, columns, f"top(words={words}, contexts={contexts})")
        return kept._drop_unseen(rows=words is None, columns=contexts is None)

    def min_count(self, words: float = 0, contexts: float = 0, pairs: float = 0) -> Counts:
        """Return the counts without words, contexts and pairs that occur less often than a minimum.

        All three thresholds apply to the counts in this table. Words and contexts without remaining
        counts are also removed.
        """
        cut = self.matrix.copy()
        cut.data[cut.data < pairs] = 0
        step = f"min_count(words={words}, contexts={contexts}, pairs={pairs})"
        kept = self._new(tidy(cut), self.words, self.contexts, self.slots, step)
        return kept._take(
            np.flatnonzero(self.word_totals >= words),
            np.flatnonzero(self.context_totals >= contexts),
        )._drop_unseen()

    def select(
        self, words: Iterable[str] | None = None, contexts: Iterable[str] | None = None
    ) -> Counts:
        """Return the counts of the given words and contexts, in the given order.

        None selects all.
        """
        rows, columns = (
            np.arange(size) if names is None else _choose(names, ids, kind)
            for kind, names, ids, size in (
                ("word", words, self._word_ids, self.shape[0]),
                ("context", contexts, self._context_ids, self.shape[1]),
            )
        )
        return self._take(rows, columns, f"select({rows.size} words, {columns.size} contexts)")

    def cover(self, words: Iterable[str]) -> Counts:
        """Return the counts of exactly the given words, in the given order.

        Unknown words get rows of zeros.

        >>> Counts([[2, 1]], ["milk"]).cover(["book", "milk"]).word_totals.tolist()
        [0, 3]
        """
        listed = words if isinstance(words, str) else list(words)
        names = matrices.names(listed, len(listed), "word")
        rows = np.array([self._word_ids.get(word, -1) for word in names.tolist()], dtype=np.intp)
        known = np.flatnonzero(rows >= 0)
        lengths = np.zeros(rows.size, dtype=np.int64)
        part = self.matrix[rows[known]]
        lengths[known] = np.diff(part.indptr)
        ends = np.concatenate([[0], np.cumsum(lengths)])
        cells = part.data, part.indices, ends.astype(part.indptr.dtype)
        matrix = tidy(sparse.csr_array(cells, shape=(rows.size, self.shape[1])))
        step = f"cover({rows.size} words)"
        return self._new(matrix, names, self.contexts, self.slots, step)

    def drop_empty(self) -> Counts:
        """Return the table without the words and contexts whose counts are all 0."""
        return self._drop_unseen()

    def split(
        self, *fractions: float, random_state: int | np.random.Generator | None = None
    ) -> tuple[Counts, ...]:
        """Split the tokens at random into one part per fraction, and a last part with the remaining
        tokens.

        Each token is assigned independently, with the fractions as probabilities. Every part keeps
        all words and contexts of this table.

        >>> train, test = Counts([[60, 40]]).split(0.9, random_state=0)
        >>> train.total + test.total
        100
        """
        listed = ", ".join(map(str, fractions))
        if self.matrix.dtype.kind != "i":
            raise InputError(
                "split requires whole counts, but some are fractional", code="needs-whole-weights"
            )
        rest = 1 - math.fsum(fractions)
        if not fractions or not all(0 < part < 1 for part in fractions) or rest < _ROUNDING:
            raise InputError(
                f"split({listed}): each fraction must be above 0, and their sum below 1, because "
                f"the remaining tokens form the last part",
                code="invalid-option",
            )
        seed = random_state if isinstance(random_state, int | np.integer) else "given"
        random = np.random.default_rng(random_state)
        parts: list[Counts] = []
        for data in random.multinomial(self.matrix.data, [*fractions, rest]).T:
            matrix = self.matrix.copy()
            matrix.data = np.ascontiguousarray(data)
            step = f"split({listed}, random_state={seed})[{len(parts)}]"
            parts.append(self._new(tidy(matrix), self.words, self.contexts, self.slots, step))
        return tuple(parts)

    def merge(self, *others: Counts) -> Counts:
        """Return the sum of several tables, with the words and contexts of all tables.

        Words and contexts are sorted by total count, then alphabetically.
        """
        tables = (self, *others)
        if not all(isinstance(table, Counts) for table in tables):
            raise InputError("merge requires Counts", code="invalid-option")
        words, rows = matrices.unite_names(table.words for table in tables)
        contexts, columns = matrices.unite_names(table.contexts for table in tables)
        cells = [table.matrix.tocoo() for table in tables]
        matrix = matrices.from_cells(
            np.concatenate([to[part.row] for to, part in zip(rows, cells, strict=True)]),
            np.concatenate([to[part.col] for to, part in zip(columns, cells, strict=True)]),
            np.concatenate([part.data for part in cells]),
            (words.size, contexts.size),
        )
        slots = np.full(contexts.size, "", dtype=object)
        for to, table in zip(columns[::-1], tables[::-1], strict=True):
            slots[to] = np.where(table.slots != "", table.slots, slots[to])
        merged = self._new(matrix, words, contexts, frozen(slots))
        merged.relations = tuple(dict.fromkeys(name for t in tables for name in t.relations))
        merged.evidence = unite([table.evidence for table in tables if table.evidence])
        origins = [table.provenance for table in tables]
        merged.provenance = {
            "roget": __version__,
            "inputs": [file for one in origins for file in one.get("inputs", ())],
            "merged": [{key: one[key] for key in one if key != "inputs"} for one in origins],
        }
        return merged.ranked()

    def ranked(self) -> Counts:
        """Return the table with words and contexts sorted by total count, then alphabetically."""
        return self._take(
            matrices.ranking(self.word_totals, self.words),
            matrices.ranking(self.context_totals, self.contexts),
        )

    def largest_component(self) -> Counts:
        """Return the connected component with the most tokens.

        Words that share a context are connected.
        """
        if not self.entries:
            return self.drop_empty()
        from scipy.sparse.csgraph import connected_components

        words, contexts = self.shape
        cells = self.matrix.tocoo()
        # Build a bipartite graph. Words are nodes 0 to W − 1, and contexts are nodes W to W + C −
        # 1.
        links = (np.ones(cells.nnz, np.int8), (cells.row, cells.col + words))
        graph = sparse.coo_array(links, shape=(words + contexts, words + contexts))
        number, part = connected_components(graph, directed=False)
        word_part, context_part = np.split(part, [words])
        tokens = np.zeros(number, dtype=self.matrix.dtype)
        np.add.at(tokens, word_part, self.word_totals)
        # If several components tie for the most tokens, argmax returns the one with the first word.
        best = word_part[tokens[word_part].argmax()]
        rows, columns = np.flatnonzero(word_part == best), np.flatnonzero(context_part == best)
        return self._take(rows, columns, "largest_component()")

    def conditional(self) -> Matrix:
        """Return p(context | word) as a csr_array.

        The row of a word without counts contains only zeros.
        """
        totals = np.repeat(self.word_totals, np.diff(self.matrix.indptr))
        return counts_views.like(self.matrix, self.matrix.data / totals)

    def joint(self) -> Matrix:
        """Return p(word, context) as a csr_array."""
        return counts_views.like(self.matrix, self.matrix.data / np.float64(self.total or 1))

    def ppmi(self, shift: float = 1.0, smoothing: float = 1.0) -> Matrix:
        """Return the positive pointwise mutual information in nats, as a csr_array.

        PPMI = max(0, log(p(word, context) / (p(word)·p(context))) − log shift), where p(context) is
        proportional to the context's total to the power of `smoothing`. Values that differ from 0
        only by rounding errors are set to 0.
        """
        return counts_views.ppmi(
            self.matrix, self.word_totals, self.context_totals, shift=shift, smoothing=smoothing
        )

    @cached_property
    def _word_ids(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def _context_ids(self) -> dict[str, int]:
        return {context: column for column, context in enumerate(self.contexts)}

    def _new(
        self, matrix: Matrix, words: Names, contexts: Names, slots: Names, step: str | None = None
    ) -> Counts:
        """Return a table derived from this one, without validating the arrays and names again."""
        made = Counts.__new__(Counts)
        made.matrix, made.words, made.contexts, made.slots = matrix, words, contexts, slots
        for texts in (words, contexts, slots):
            texts.flags.writeable = False
        made.relations, made.evidence = self.relations, self.evidence
        made.provenance = dict(self.provenance)
        if step is not None:
            made.provenance["steps"] = [*self.provenance.get("steps", ()), step]
        return made

    def _take(self, rows: Places, columns: Places, step: str | None = None) -> Counts:
        matrix = tidy(self.matrix[rows][:, columns])
        words, contexts, slots = self.words[rows], self.contexts[columns], self.slots[columns]
        return self._new(matrix, words, contexts, slots, step)

    def _drop_unseen(self, rows: bool = True, columns: bool = True) -> Counts:
        words, contexts = np.arange(self.shape[0]), np.arange(self.shape[1])
        if rows:
            words = np.flatnonzero(np.diff(self.matrix.indptr))
        if columns:
            contexts = np.flatnonzero(np.bincount(self.matrix.indices, minlength=contexts.size))
        return self._take(words, contexts)


def _find(name: str, ids: Mapping[str, int], kind: str) -> int:
    place = ids.get(name)
    if place is None:
        raise NotCounted(kind, name, ids)
    return place


def _choose(names: Iterable[str], ids: Mapping[str, int], kind: str) -> Places:
    listed = names if isinstance(names, str) else list(names)
    texts = matrices.names(listed, len(listed), kind)
    return np.array([_find(text, ids, kind) for text in texts], dtype=np.intp)


def _positive(number: int, axis: str) -> int:
    if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < 1:
        raise InputError(
            f"top({axis}={number!r}): expected a whole number of 1 or more", code="invalid-option"
        )
    return int(number)
