"""Agreement of a thesaurus with human similarity ratings.

Spearman's ρ compares the ratings of word pairs (SimLex-999, WordSim-353) with similarities.
Confidence intervals come from bootstrap samples of pairs. The baseline is the cosine of PPMI
vectors, which does not use classes.
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
from roget.learn.evaluation.options import RatingOptions
from roget.learn.options import WAYS
from roget.learn.representation.similarity import SMOOTHING
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.neighbours import compare_words

BASELINE = "PPMI cosine"
TREE = "tree"
"""Name of the similarity based on the tree.

Words are similar if their lowest common class is small.
"""

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
"""Columns of a table of ratings in default order, with the headers of SimLex and WordSim."""

_CELLS = 1 << 20
"""Number of ranks to compute in one batch."""


class RatedPair(NamedTuple):
    """Two words and their human rating."""

    word: str
    other: str
    rating: float


class RatingOutlier(NamedTuple):
    """A pair whose ranks by rating and by similarity are very different.

    Rank 1 is the most similar pair.
    """

    word: str
    other: str
    rating: float
    similarity: float
    rank: float
    own_rank: float


@dataclass(frozen=True)
class Correlation:
    """Spearman's ρ between a similarity and the ratings, and its difference from the baseline."""

    way: str
    rho: Interval
    above: Interval | None
    """Difference from the baseline in the same bootstrap samples. None for the baseline itself."""


@dataclass(frozen=True)
class Ratings:
    """Agreement of a thesaurus with human ratings.

    The first of `rows` is the requested similarity.
    """

    rows: tuple[Correlation, ...]
    odd: tuple[RatingOutlier, ...]
    """The pairs whose ranks by rating and by similarity differ most."""
    pairs: int
    known: int
    """Number of pairs with both words in the thesaurus. All other pairs are excluded."""
    missing: tuple[str, ...]
    """Words that are not in the thesaurus."""
    unsure: tuple[str, ...]
    """Words that were left out of the thesaurus because their class was uncertain."""
    draws: int
    seed: int

    @property
    def coverage(self) -> float:
        """Fraction of pairs with both words in the thesaurus."""
        return self.known / self.pairs


def read_ratings(path: PathLike, columns: Columns = None) -> list[RatedPair]:
    """Read a table of word pairs and ratings, with or without a header.

    Raises
    ------
    InputError
        If there is no rating column, or there are no pairs.
    FormatError
        If words are missing or ratings are not numbers. The message lists the lines.
    """
    source = source_of(str(path))
    found = []
    with open_table(source, columns, roles=RATED, guess=True) as table:
        if "rating" not in table.places:
            raise InputError(
                f"{source.name}: cannot identify the column with the ratings; specify it, e.g. "
                f"--columns word=1,other=2,rating={len(table.names)}",
                code="ambiguous-columns",
            )
        for texts, _, refuse in table.texts():
            word, other, text = (texts[role] for role in RATED.order)
            rating = _parse_rating(text)
            if not (word and other):
                refuse("a word is missing; expected two words per line")
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
    """Parse a number with a decimal point or comma. Return nan if it is invalid."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return math.nan


@with_options(RatingOptions)
def judge_ratings(
    thesaurus: Thesaurus, ratings: PathLike | Sequence[RatedPair], **options: Any
) -> Ratings:
    """Compare the similarities of a thesaurus with human ratings of word pairs.

    The first row of the result is the similarity requested with `by`. The other similarities of
    `Thesaurus.neighbours` follow. Outliers refer to the requested similarity.

    Parameters
    ----------
    thesaurus
        A thesaurus, or a taxonomy read as a thesaurus.
    ratings
        A file with the columns word, word and rating, or a sequence of rated pairs.

    Raises
    ------
    InputError
        If fewer than three pairs are in the thesaurus.
    """
    request = RatingOptions(**choose(RatingOptions, options))
    by, draws, seed = request.by, request.draws, request.random_state
    rated = (
        read_ratings(ratings, request.columns)
        if isinstance(ratings, str | os.PathLike)
        else [RatedPair(*pair) for pair in ratings]
    )
    rows = np.array([[_find(thesaurus, word) for word in pair[:2]] for pair in rated], dtype=int)
    known = np.all(rows.reshape(-1, 2) >= 0, axis=1)
    if known.sum() < 3:
        example = f" (the first is {rated[0].word!r}, {rated[0].other!r})" if rated else ""
        raise InputError(
            f"{int(known.sum())} of {len(rated)} pairs{example} have both words in the thesaurus; "
            "at least 3 are needed",
            code="too-little-text",
        )
    left, right = rows[known].T
    people = np.array([pair.rating for pair in rated])[known]
    ways = (by, *(way for way in WAYS if way != by))
    # Compute all similarities of the pairs. The last two are the tree and the baseline.
    similarities = {way: compare_words(thesaurus, left, right, way) for way in ways}
    similarities |= {TREE: _share_classes(thesaurus, left, right)}
    similarities |= {BASELINE: cosine_of_counts(thesaurus.counts, left, right)}
    table = np.array([people, *similarities.values()])
    found = np.array([correlate(people, one) for one in table[1:]])
    drawn = _draw(table, draws, seed)
    chosen = [pair for pair, good in zip(rated, known, strict=True) if good]
    # List the missing words, with a separate list of uncertain words.
    missing = dict.fromkeys(
        word
        for pair, (a, b) in zip(rated, rows, strict=True)
        for word, row in ((pair.word, a), (pair.other, b))
        if row < 0
    )
    left_out = [word for word in missing if {word, word.lower()} & thesaurus.unsure.keys()]
    return Ratings(
        tuple(_compare(way, at, found, drawn) for at, way in enumerate(similarities)),
        _find_odd(chosen, people, similarities[by], request.n),
        len(rated),
        len(chosen),
        tuple(word for word in missing if word not in left_out),
        tuple(left_out),
        draws,
        seed,
    )


def _find(thesaurus: Thesaurus, word: str) -> int:
    """Return the row of a word or of its lower-case form, or −1 if the word has no tokens."""
    row = next((thesaurus.rows[one] for one in (word, word.lower()) if one in thesaurus.rows), -1)
    return row if row >= 0 and thesaurus.counts.word_totals[row] > 0 else -1


def correlate(values: Floats, others: Floats) -> Any:
    """Return Spearman's ρ along the last axis, or nan if all values are equal.

    >>> float(correlate(np.array([1.0, 2.0, 3.0]), np.array([2.0, 9.0, 4.0])))
    0.5
    """
    # Compute Pearson's correlation of the ranks. Ties get their mean rank.
    ranks = [stats.rankdata(one, axis=-1) for one in (values, others)]
    one, other = (rank - rank.mean(axis=-1, keepdims=True) for rank in ranks)
    long = np.sqrt((one**2).sum(axis=-1) * (other**2).sum(axis=-1))
    with np.errstate(invalid="ignore"):
        return np.where(long > 0, (one * other).sum(axis=-1) / np.where(long > 0, long, 1), np.nan)


def cosine_of_counts(counts: Counts, left: Ints, right: Ints) -> Floats:
    """Return the cosine of smoothed PPMI vectors for pairs of words."""
    weights = unit(counts.ppmi(smoothing=SMOOTHING))
    return np.asarray(weights[left].multiply(weights[right]).sum(axis=1)).ravel().round(9)


def _share_classes(thesaurus: Thesaurus, left: Ints, right: Ints) -> Floats:
    """Return −ln(share of all words in the lowest common class) for each pair of words."""
    tree, sizes = thesaurus.tree, thesaurus.index.places.sizes
    ways = {node: tree.path(node) for node in np.unique(thesaurus.places[[*left, *right]]).tolist()}
    found = []
    for pair in thesaurus.places[np.array([left, right])].T.tolist():
        both = zip(*(ways[node] for node in pair), strict=False)
        found.append([a for a, b in both if a == b][-1])
    return np.asarray(-np.log(sizes[found] / sizes[0]))


def _draw(table: Floats, draws: int, seed: int) -> Floats:
    """Return bootstrap samples of ρ between the first row and each other row."""
    rng, size = np.random.default_rng(seed), table.shape[1]
    found = np.empty((draws, table.shape[0] - 1))
    # Work in batches of at most `_CELLS` ranks.
    step = max(1, _CELLS // table.size)
    for begin in range(0, draws, step):
        some = rng.integers(size, size=(min(step, draws - begin), size))
        people = table[0][some]
        for at, row in enumerate(table[1:]):
            found[begin : begin + len(some), at] = correlate(people, row[some])
    return found


def _compare(way: str, at: int, found: Floats, drawn: Floats) -> Correlation:
    """Return ρ of one similarity, and its difference from the baseline (the last similarity)."""
    above = None
    if at != found.size - 1:
        above = _interval(found[at] - found[-1], drawn[:, at] - drawn[:, -1])
    return Correlation(way, _interval(found[at], drawn[:, at]), above)


def _interval(value: float, drawn: Floats) -> Interval:
    """Return the bootstrap interval of a value, or an empty interval if the value is undefined."""
    return bootstrap_interval(float(value), drawn) if math.isfinite(value) else Interval(None)


def _find_odd(
    pairs: Sequence[RatedPair], people: Floats, own: Floats, n: int
) -> tuple[RatingOutlier, ...]:
    """Return the n pairs whose ranks by rating and by similarity differ most."""
    ranks, mine = (stats.rankdata(-values) for values in (people, own))
    order = np.argsort(-np.abs(ranks - mine), kind="stable")[:n]
    found = []
    for at in order.tolist():
        word, other, rating = pairs[at]
        found.append(
            RatingOutlier(word, other, rating, *(float(one[at]) for one in (own, ranks, mine)))
        )
    return tuple(found)
