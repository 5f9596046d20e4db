"""Ratings: agreement of a thesaurus with human ratings of similarity.

Human ratings of word pairs (SimLex-999, WordSim-353) are compared with similarities by Spearman's
ρ, which depends only on the order of the pairs. Pairs are resampled for intervals. The baseline is
the cosine of PPMI, computed from the counts without classes.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from roget.core.counts import Counts
from roget.core.counts.views import unit
from roget.core.intervals import Interval, bootstrap_interval
from roget.core.io.source import source_of
from roget.core.io.table import Columns, Roles, open_table
from roget.core.options import choose, with_options
from roget.core.types import Floats, Ints, PathLike
from roget.errors import InputError
from roget.learn.command_options import WAYS
from roget.learn.evaluation.options import RatingOptions
from roget.learn.representation.similarity import SMOOTHING
from roget.learn.thesaurus import Thesaurus, lookup

BASELINE = "PPMI cosine"
TREE = "tree"
"""Similarity in the tree: the smaller the smallest common class, the more similar."""

RATED = Roles(
    {
        "word": ("word1", "word 1", "word_1", "w1", "first"),
        "other": ("word2", "word 2", "word_2", "w2", "second"),
    },
    {
        "rating": (
            "simlex999",
            "human (mean)",
            "human",
            "score",
            "similarity",
            "relatedness",
            "mean",
        )
    },
    number="rating",
)
"""Known headers: SimLex-999 and WordSim-353; without a header, columns are in this order."""

_CELLS = 1 << 20
"""Batch size: ranks computed at once."""


class RatedPair(NamedTuple):
    """Two words and their human rating."""

    word: str
    other: str
    rating: float


class RatingOutlier(NamedTuple):
    """A pair with its rating and its similarity; ranks are from 1, the most similar first."""

    word: str
    other: str
    rating: float
    similarity: float
    rank: float
    own_rank: float


@dataclass(frozen=True)
class Correlation:
    """Spearman's ρ of a way to compare words, and its difference to the baseline."""

    way: str
    rho: Interval
    above: Interval | None
    """Over the same resamples; None for the baseline itself."""


@dataclass(frozen=True)
class Ratings:
    """Agreement of a thesaurus with ratings; `rows` begin with the requested way to compare."""

    rows: tuple[Correlation, ...]
    odd: tuple[RatingOutlier, ...]
    """Known pairs with the largest difference of ranks."""
    pairs: int
    known: int
    """Number of pairs with both words in the thesaurus; other pairs are excluded."""
    missing: tuple[str, ...]
    """Words that are not in the thesaurus."""
    unsure: tuple[str, ...]
    """Words that the thesaurus excluded as uncertain."""
    draws: int
    seed: int

    @property
    def coverage(self) -> float:
        """The share of known pairs."""
        return self.known / self.pairs


def read_ratings(path: PathLike, columns: Columns = None) -> list[RatedPair]:
    """Read rated pairs from a table: word, word and rating, with or without a header.

    Raises
    ------
    InputError
        If there is no column of ratings, or no pair.
    FormatError
        If words are missing or ratings are no numbers; it names the lines.
    """
    source = source_of(str(path))
    found = []
    with open_table(source, columns, roles=RATED, guess=True) as table:
        if "rating" not in table.places:
            raise InputError(
                f"{source.name}: which column has the ratings? Name it with --columns, e.g. "
                f"--columns word=1,other=2,rating={len(table.names)}",
                code="ambiguous-columns",
            )
        for texts, _, refuse in table.texts():
            word, other, text = (texts[role] for role in RATED.order)
            rating = _parse_rating(text)
            if not (word and other):
                refuse("a word is missing; expected two")
            elif not math.isfinite(rating):
                refuse(f"the rating is {text!r}; expected a number")
            else:
                found.append(RatedPair(word, other, rating))
    if not found:
        raise InputError(
            f"{source.name}: no pairs; expected rows of {RATED.shown}", code="empty-input"
        )
    return found


def _parse_rating(text: str) -> float:
    """Parse a number; spreadsheets of many countries write 7,35."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return math.nan


@with_options(RatingOptions)
def judge_ratings(
    thesaurus: Thesaurus, ratings: PathLike | Sequence[RatedPair], **options: Any
) -> Ratings:
    """Compare the similarities of a thesaurus with human ratings of word pairs.

    The requested way to compare words comes first, with its outliers; the others follow, as
    in `Thesaurus.neighbours`.

    Parameters
    ----------
    thesaurus
        Any, also a taxonomy that was read as one.
    ratings
        A table of word, word and rating, or pairs.

    Raises
    ------
    InputError
        If the thesaurus has fewer than three of the pairs.
    """
    asked = RatingOptions(**choose(RatingOptions, options))
    by, draws, seed = asked.by, asked.draws, asked.random_state
    given = (
        read_ratings(ratings, asked.columns)
        if isinstance(ratings, str | os.PathLike)
        else [RatedPair(*pair) for pair in ratings]
    )
    # Only pairs with both words in the thesaurus can be compared.
    rows = np.array([[_find(thesaurus, word) for word in pair[:2]] for pair in given], dtype=int)
    known = np.all(rows.reshape(-1, 2) >= 0, axis=1)
    if known.sum() < 3:
        such = f" (the first is {given[0].word!r}, {given[0].other!r})" if given else ""
        raise InputError(
            f"{int(known.sum())} of {len(given)} pairs{such} have both words in the thesaurus; "
            "at least 3 are needed",
            code="too-little-text",
        )
    left, right = rows[known].T
    people = np.array([pair.rating for pair in given])[known]
    ways = (by, *(way for way in WAYS if way != by))
    # Similarities of the pairs in every way, with the tree and the baseline last.
    alike = {way: lookup.similarities(thesaurus, left, right, way) for way in ways}
    alike |= {TREE: _share_classes(thesaurus, left, right)}
    alike |= {BASELINE: cosine_of_counts(thesaurus.counts, left, right)}
    table = np.array([people, *alike.values()])
    found = np.array([correlate(people, one) for one in table[1:]])
    drawn = _draw(table, draws, seed)
    chosen = [pair for pair, good in zip(given, known, strict=True) if good]
    # Words that are missing, apart from words that the thesaurus excluded.
    lacking = dict.fromkeys(
        word
        for pair, (a, b) in zip(given, rows, strict=True)
        for word, row in ((pair.word, a), (pair.other, b))
        if row < 0
    )
    aside = [word for word in lacking if {word, word.lower()} & thesaurus.unsure.keys()]
    return Ratings(
        tuple(_compare(way, at, found, drawn) for at, way in enumerate(alike)),
        _find_odd(chosen, people, alike[by], asked.n),
        len(given),
        len(chosen),
        tuple(word for word in lacking if word not in aside),
        tuple(aside),
        draws,
        seed,
    )


def _find(thesaurus: Thesaurus, word: str) -> int:
    """Return the row of a word, as written or in lower case; −1 if missing or without tokens."""
    row = next((thesaurus.rows[one] for one in (word, word.lower()) if one in thesaurus.rows), -1)
    return row if row >= 0 and thesaurus.counts.word_totals[row] > 0 else -1


def correlate(values: Floats, others: Floats) -> Any:
    """Return Spearman's ρ along the last axis; nan if all values are equal.

    >>> float(correlate(np.array([1.0, 2.0, 3.0]), np.array([2.0, 9.0, 4.0])))
    0.5
    """
    # Pearson's correlation of the ranks, ties having their mean rank.
    ranks = [stats.rankdata(one, axis=-1) for one in (values, others)]
    one, other = (rank - rank.mean(axis=-1, keepdims=True) for rank in ranks)
    long = np.sqrt((one**2).sum(axis=-1) * (other**2).sum(axis=-1))
    with np.errstate(invalid="ignore"):
        return np.where(long > 0, (one * other).sum(axis=-1) / np.where(long > 0, long, 1), np.nan)


def cosine_of_counts(counts: Counts, left: Ints, right: Ints) -> Floats:
    """Return the cosine of PPMI for pairs of words, with context totals to the power 0.75."""
    weights = unit(counts.ppmi(smoothing=SMOOTHING))
    return np.asarray(weights[left].multiply(weights[right]).sum(axis=1)).ravel().round(9)


def _share_classes(thesaurus: Thesaurus, left: Ints, right: Ints) -> Floats:
    """Return −ln of the share of words in the smallest common class."""
    tree, sizes = thesaurus.tree, thesaurus.index.places.sizes
    ways = {node: tree.path(node) for node in np.unique(thesaurus.places[[*left, *right]]).tolist()}
    found = []
    for pair in thesaurus.places[np.array([left, right])].T.tolist():
        both = zip(*(ways[node] for node in pair), strict=False)
        found.append([a for a, b in both if a == b][-1])
    return np.asarray(-np.log(sizes[found] / sizes[0]))


def _draw(table: Floats, draws: int, seed: int) -> Floats:
    """Return ρ of each row with the first over resampled columns: samples × other rows."""
    rng, size = np.random.default_rng(seed), table.shape[1]
    found = np.empty((draws, table.shape[0] - 1))
    # In batches: a batch holds resamples × pairs ranks.
    step = max(1, _CELLS // table.size)
    for begin in range(0, draws, step):
        some = rng.integers(size, size=(min(step, draws - begin), size))
        people = table[0][some]
        for at, row in enumerate(table[1:]):
            found[begin : begin + len(some), at] = correlate(people, row[some])
    return found


def _compare(way: str, at: int, found: Floats, drawn: Floats) -> Correlation:
    above = None
    if at != found.size - 1:
        above = _interval(found[at] - found[-1], drawn[:, at] - drawn[:, -1])
    return Correlation(way, _interval(found[at], drawn[:, at]), above)


def _interval(value: float, drawn: Floats) -> Interval:
    return bootstrap_interval(float(value), drawn) if math.isfinite(value) else Interval(None)


def _find_odd(
    pairs: Sequence[RatedPair], people: Floats, own: Floats, n: int
) -> tuple[RatingOutlier, ...]:
    """Return the pairs whose ranks differ most."""
    ranks, mine = (stats.rankdata(-values) for values in (people, own))
    order = np.argsort(-np.abs(ranks - mine), kind="stable")[:n]
    found = []
    for at in order.tolist():
        word, other, rating = pairs[at]
        found.append(
            RatingOutlier(word, other, rating, *(float(one[at]) for one in (own, ranks, mine)))
        )
    return tuple(found)
