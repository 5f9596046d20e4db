"""Detect words whose use changed between two corpora or periods.

The change of a word is the Jensen–Shannon divergence between its contexts in the two corpora, minus
the divergence expected by chance. In the null model, the word's tokens are randomly reassigned to
the two corpora, with fixed totals. No simulation is needed: the divergence is a sum over contexts,
and the tokens of a context in the first corpus have a hypergeometric distribution.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from roget.core.counts import Counts
from roget.core.counts.matrix import Names, frozen, ranking, split_slot, unite_names
from roget.core.counts.views import log_dice
from roget.core.options import choose, options_of, with_options
from roget.core.progress import Progress, Report
from roget.core.types import Array, BoolArray, Floats, Ints
from roget.errors import InputError, Notice
from roget.learn.options import Compared, ShiftOptions

SURE = 1.6448536269514722
"""95 % quantile of the standard normal distribution, for confidence bounds."""

_HALF = 0.6744897501960817
"""75 % quantile of the standard normal distribution, for interquartile ranges."""

_ENOUGH = 50
"""Minimum number of words required to estimate how much words usually change."""

_ROUNDING = 1e-6
"""Smaller standard deviations are treated as rounding errors."""

_FLAT = 1e-9
"""Smaller fourth moments, relative to the squared variance, are treated as rounding errors."""

_CHUNK = 1 << 21
"""Number of probabilities to compute in one batch."""

_OF_TEXT = ("repairs", "terms", "function_words")
"""Settings that are inferred from the text, not chosen by the user."""

SET_ASIDE = "set aside"
"""Key in the provenance for words that occurred in the text but whose counts are not stored."""

_STRANGE = 0.5
"""Share of a corpus's tokens in contexts that the other corpus lacks, above which a warning is
shown.
"""


class ContextChange(NamedTuple):
    """A context whose frequency with a word changed."""

    context: str
    counts: tuple[int | float, int | float]
    """Number of occurrences of the word in the context, in the old and in the new corpus."""
    scores: tuple[float | None, float | None]
    """LogDice scores in both corpora, or None if the pair does not occur."""
    part: float
    """Contribution of the context to the divergence, in bits."""


@dataclass(frozen=True)
class WordShift:
    """The change of a word between two corpora."""

    word: str
    counts: tuple[int | float, int | float]
    """Number of occurrences in the old and in the new corpus."""
    divergence: float
    """Jensen–Shannon divergence of the context distributions in bits: 0 = identical, 1 =
    disjoint."""
    expected: float
    """Divergence expected by chance, in bits."""
    change: float
    """Divergence minus its expectation.

    It is near 0 for words whose use did not change, whether they are rare or frequent.
    """
    least: float
    """Lower bound of the 95 % confidence interval of the change. Words are ranked by it."""
    z: float
    """The change divided by its standard deviation under the null model."""
    p: float
    """p-value under the null model, which assumes independent tokens."""
    q: float
    """q-value: p adjusted for the false discovery rate."""
    p_usual: float
    """p-value of the change, relative to the usual change of words (see `find_usual`)."""
    q_usual: float
    """q-value: `p_usual` adjusted for the false discovery rate."""
    gained: tuple[ContextChange, ...]
    lost: tuple[ContextChange, ...]


@dataclass(frozen=True)
class NewWord:
    """A word that occurs in only one of the corpora."""

    word: str
    count: int | float
    expected: float
    """Expected occurrences in the other corpus if the word were equally frequent there."""
    p: float
    """Probability that all tokens are in this corpus by chance."""


@dataclass(frozen=True)
class ShiftResult:
    """The changes between two corpora."""

    totals: tuple[int | float, int | float]
    """Total number of tokens in the old and the new corpus."""
    changes: tuple[WordShift, ...]
    """The words with the highest lower bounds (`least`), or the requested words."""
    tested: int
    """Number of words with enough occurrences in both corpora."""
    changed: int
    """Number of tested words with q ≤ .05."""
    unusual: int
    """Number of tested words with q_usual ≤ .05, i.e. with an unusually large change."""
    usual: tuple[float, float]
    """Median and spread of the change over all words, in bits."""
    appeared: tuple[NewWord, ...]
    vanished: tuple[NewWord, ...]
    notes: tuple[str, ...]
    """Warnings about differences in how the corpora were counted, and about the results."""


class _Table(NamedTuple):
    """Counts of the compared words by context, in the old and the new corpus, without zeros."""

    rows: Ints
    columns: Ints
    old: Array
    new: Array
    totals: Array
    """Number of tokens of each word in each corpus, with shape (words, 2)."""


@with_options(ShiftOptions)
def shift(
    old: Counts,
    new: Counts,
    words: Iterable[str] = (),
    *,
    min_count: int = Compared.min_count,
    progress: Report | None = None,
    **options: Any,
) -> ShiftResult:
    """Find the words whose use changed most between two corpora, and the contexts that changed.

    Parameters
    ----------
    old, new
        The counts of the two corpora, made with the same settings.
    words
        Words to compare, in this order, even if they are rare. By default the n words that changed
        most, and up to n words that appeared or vanished.
    min_count
        Minimum number of occurrences of a word in each corpus, or in one corpus for words that
        occur only there.
    progress
        Called with a `Progress`, which holds the number of words done.

    Returns
    -------
    ShiftResult
        The changed words with their contexts, and the words that appeared or vanished.

    Raises
    ------
    InputError
        If the corpora have no context in common; NotCounted for a word that is in neither corpus.

    Examples
    --------
    >>> old = Counts([[30, 0], [10, 10]], ["mouse", "cat"], ["chase", "click"])
    >>> new = Counts([[5, 25], [12, 8]], ["mouse", "cat"], ["chase", "click"])
    >>> [(one.word, round(one.change, 2)) for one in shift(old, new).changes]
    [('mouse', 0.64), ('cat', -0.01)]
    """
    request = ShiftOptions(**choose(ShiftOptions, options))
    options_of(Compared)["min_count"].check(min_count)
    sides = (old, new)
    names, places = unite_names(one.contexts for one in sides)
    known = [np.isin(np.arange(names.size), places[at]) for at in (0, 1)]
    if not (known[0] & known[1]).any():
        raise InputError(
            "the two corpora have no context in common; count both with the same settings",
            code="no-common-contexts",
        )
    notes = [*_warn(sides, places, known, request.shared)]
    keep = known[0] & known[1] if request.shared else known[0] | known[1]
    chosen_words = list(dict.fromkeys(words))
    chosen = _choose(sides, chosen_words, min_count)
    table = _tabulate(sides, places, names.size, keep, chosen)
    seen = table.totals.min(axis=1) > 0
    parts = _parts(table.totals[table.rows], table.old, table.new)
    divergence = _add_up(table.rows, parts, len(chosen))
    expected, deviation, skew = _chance(table, progress)
    found, usual = _weigh(divergence, expected, deviation, skew, seen)
    order = (
        [chosen.index(word) for word in chosen_words if word in chosen]
        if chosen_words
        else ranking(found["least"].round(9), frozen(chosen)).tolist()[: request.n]
    )
    changes = []
    explained = _explain(sides, places, names, table, order, request.changes)
    for at, (gained, lost) in zip(order, explained, strict=True):
        weighed = {name: float(values[at]) for name, values in found.items()}
        counts = table.totals[at].tolist()
        changes.append(
            WordShift(
                word=chosen[at],
                counts=(counts[0], counts[1]),
                divergence=float(divergence[at]),
                expected=float(expected[at]),
                gained=gained,
                lost=lost,
                **weighed,
            )
        )
    appeared, vanished = (
        _list_arrivals(*pair, min_count, request.n, chosen_words)
        for pair in ((new, old), (old, new))
    )
    changed, unusual = (int(np.count_nonzero(found[q] <= 0.05)) for q in ("q", "q_usual"))
    return ShiftResult(
        totals=(old.total, new.total),
        changes=tuple(changes),
        tested=int(seen.sum()),
        changed=changed,
        unusual=unusual,
        usual=usual,
        appeared=appeared,
        vanished=vanished,
        notes=tuple(notes),
    )


def _warn(
    sides: tuple[Counts, Counts],
    places: Sequence[Ints],
    known: Sequence[BoolArray],
    shared: bool,
) -> Iterable[str]:
    """Yield warnings about differences in how the corpora were counted."""
    relations = [", ".join(one.relations) for one in sides]
    if all(relations) and relations[0] != relations[1]:
        yield Notice(
            f"the corpora have different relations: {' and '.join(relations)}",
            code="incompatible-counts",
        )
    recipes = [one.provenance.get("recipe", {}) for one in sides]
    rarest = [min(one.matrix.data, default=0) for one in sides]
    if all(recipes) and any(recipes[0].get(key) != recipes[1].get(key) for key in _OF_TEXT):
        yield Notice(
            "lemma repairs, terms or function words were inferred separately from each corpus, "
            "which can cause spurious changes; pass both texts, or count both with --set "
            "repair=false",
            code="incompatible-counts",
        )
    if sides[0].provenance.get("cuts") != sides[1].provenance.get("cuts") or (
        rarest[0] != rarest[1]
    ):
        yield Notice(
            "rare words, contexts or pairs were left out of one corpus but not the other",
            code="incompatible-counts",
        )
    if any(one.matrix.dtype.kind == "f" for one in sides):
        yield Notice(
            "fractional counts were rounded, so significance is approximate",
            code="incompatible-counts",
        )
    for at, called in enumerate(("old", "new")):
        total = sides[at].context_totals
        strange = float(total[~known[1 - at][places[at]]].sum() / (total.sum() or 1))
        if strange >= _STRANGE and not shared:
            yield Notice(
                f"{strange:.0%} of the tokens of the {called} corpus are in contexts that do not "
                "occur in the other corpus; if the two were counted differently, compare only "
                "shared contexts (--shared)",
                code="incompatible-counts",
            )


def _choose(sides: tuple[Counts, Counts], requested: Sequence[str], min_count: int) -> list[str]:
    """Return the words to compare: the requested words, or those frequent in both corpora."""
    totals = [dict(zip(one.words.tolist(), one.word_totals.tolist(), strict=True)) for one in sides]
    for word in requested:
        if word not in totals[0]:
            sides[1].word_id(word)  # Raise an error that suggests similar words.
    often = [
        word
        for word, count in totals[0].items()
        if count >= min_count and totals[1].get(word, 0) >= min_count
    ]
    more = [word for word in requested if word not in set(often)]
    return [*often, *(word for word in more if word in totals[0] and word in totals[1])]


def _tabulate(
    sides: tuple[Counts, Counts],
    places: Sequence[Ints],
    size: int,
    keep: BoolArray,
    words: Sequence[str],
) -> _Table:
    """Return the counts of the given words in both corpora."""
    keys, tokens, of = [], [], []
    for at, one in enumerate(sides):
        rows = np.array([one.word_id(word) for word in words], dtype=np.intp)
        cells = one.matrix[rows].tocoo()
        columns = places[at][cells.col]
        data = np.rint(cells.data).astype(np.int64)
        held = keep[columns] & (data > 0)
        keys.append(cells.row[held].astype(np.int64) * size + columns[held])
        tokens.append(data[held])
        of.append(np.full(int(held.sum()), at))
    found, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    both = np.zeros((2, found.size), np.int64)
    both[np.concatenate(of), inverse] = np.concatenate(tokens)
    rows, columns = np.divmod(found, size)
    totals = np.zeros((len(words), 2), np.int64)
    for at in (0, 1):
        np.add.at(totals[:, at], rows, both[at])
    return _Table(rows, columns, both[0], both[1], totals)


def _parts(totals: Array, old: Array, new: Array) -> Floats:
    """Return the contribution of each (word, context) cell to the word's divergence, in bits."""
    sizes = np.maximum(totals, 1)
    return _divergence(old / sizes[..., 0], new / sizes[..., 1])


def _add_up(groups: Ints, values: Floats, size: int) -> Floats:
    return np.asarray(np.bincount(groups, values, minlength=size), dtype=np.float64)


def _divergence(p: Floats, q: Floats) -> Floats:
    """Return ½·(p·log2(p/m) + q·log2(q/m)), where m is the mean of p and q."""
    total = np.zeros_like(p)
    middle = (p + q) / 2
    for one in (p, q):
        ratio = np.divide(one, middle, out=np.ones_like(one), where=one > 0)
        total += one * np.log2(ratio)
    return total / 2


def _chance(table: _Table, progress: Report | None) -> tuple[Floats, Floats, Floats]:
    """Return the mean, standard deviation and skewness of each word's divergence by chance.

    Contexts with the same number of tokens share one hypergeometric distribution. The mean is the
    sum over contexts. The variance also needs the covariances of contexts. To compute them, the
    contribution of a context is split into a part linear in its number of tokens, a quadratic part,
    and a remainder. For contexts with s and t of the word's N tokens, the linear parts have the
    correlation ρ = −√(s·t / ((N−s)·(N−t))) and the quadratic parts ρ². The correlation of the
    remainder is negligible.
    """
    words = len(table.totals)
    tokens = table.old + table.new
    # Group the contexts of each word by their number of tokens. `many` holds the group sizes.
    width = int(tokens.max(initial=0)) + 1
    keys, many = np.unique(table.rows * width + tokens, return_counts=True)
    rows, seen = np.divmod(keys, width)
    mean, variance, third = (np.zeros(words) for _ in range(3))
    ends = np.searchsorted(rows, np.arange(words + 1))
    cells = np.concatenate([[0], np.cumsum(seen + 1)])
    largest = int(table.totals.sum(axis=1).max(initial=0))
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, largest + 1)))])
    # Process batches of words with at most `_CHUNK` cells. A context with t tokens has t + 1
    # outcomes.
    begin = 0
    while begin < words:
        room = cells[ends[begin]] + _CHUNK
        end = max(begin + 1, int(np.searchsorted(cells[ends], room, "right")) - 1)
        part = slice(ends[begin], ends[end])
        here = slice(begin, end)
        mean[here], variance[here], third[here] = _moments(
            rows[part] - begin, seen[part], many[part], table.totals[here], factorial
        )
        begin = end
        if progress is not None:
            progress(Progress(begin, words))
    deviation = np.sqrt(np.maximum(variance, 0))
    real = deviation > _ROUNDING
    skew = np.divide(third, deviation**3, out=np.zeros(words), where=real)
    return mean, np.where(real, deviation, 0.0), skew


def _moments(
    rows: Ints, seen: Array, many: Array, totals: Array, factorial: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the mean, variance and third central moment of the divergence of each word.

    Entry i stands for `many[i]` contexts of the word `rows[i]`, with `seen[i]` tokens each.
    """
    # 1. List all outcomes a + b = t of each entry: a tokens in the first corpus, b in the second.
    words = len(totals)
    first, second = totals[rows].T
    size = first + second
    cell = np.repeat(np.arange(rows.size), seen + 1)
    starts = np.cumsum(seen + 1) - (seen + 1)
    a = np.arange(cell.size) - starts[cell]
    t, n1, n2 = seen[cell], first[cell], second[cell]
    b = t - a
    can = (a <= n1) & (b <= n2)
    left1, left2 = np.where(can, n1 - a, 0), np.where(can, n2 - b, 0)

    def choose(n: Array, k: Array, rest: Array) -> Floats:
        return factorial[n] - factorial[k] - factorial[rest]

    # 2. Compute the probability of each outcome, and what it adds to the divergence.
    logs = choose(t, a, b) + choose(n1 + n2 - t, left1, left2) - choose(n1 + n2, n1, n2)
    weight = np.exp(np.where(can, logs, -np.inf))
    value = _divergence(a / np.maximum(n1, 1), b / np.maximum(n2, 1))

    def average(values: Floats) -> Floats:
        return _add_up(cell, weight * values, rows.size)

    def total(values: Floats) -> Floats:
        return _add_up(rows, many * values, words)

    # 3. Regress this value on the number of tokens, with a linear and a quadratic component.
    mean = average(value)
    away = value - mean[cell]
    off = a - average(a.astype(np.float64))[cell]
    spread = average(off**2)
    slope = _ratio(average(away * off), spread)
    # Make the quadratic component orthogonal to the linear component.
    curve = off**2 - (_ratio(average(off**3), spread))[cell] * off - spread[cell]
    bend = average(curve**2)
    bend[bend < _FLAT * spread**2] = 0  # With two outcomes, the remainder is only a rounding error.
    linear = slope * np.sqrt(spread)
    quadratic = _ratio(average(away * curve), np.sqrt(bend))
    # 4. Sum the variances, and add the covariances ρ·linear² and ρ²·quadratic² for all pairs of
    # contexts.
    near = np.sqrt(_ratio(seen.astype(np.float64), (size - seen).astype(np.float64)))
    variance = total(average(away**2))
    variance -= total(linear * near) ** 2 - total(linear**2 * near**2)
    variance += total(quadratic * near**2) ** 2 - total(quadratic**2 * near**4)
    # 5. Compute the third moment as if contexts were independent, but remove the effect of fixed
    # totals.
    common = _ratio(total(slope * spread), total(spread))
    third = total(average((away - common[rows][cell] * off) ** 3))
    return total(mean), variance, third


def _ratio(above: Floats, below: Floats) -> Floats:
    """Divide elementwise. Return 0 where the divisor is 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 1e-300)


def _weigh(
    divergence: Floats, expected: Floats, deviation: Floats, skew: Floats, seen: BoolArray
) -> tuple[dict[str, Floats], tuple[float, float]]:
    """Return statistics of the changes by name, and the usual change (see `find_usual`)."""
    change = np.where(seen, divergence - expected, 0.0)
    known = deviation > 0
    middle, spread = find_usual(change[known], deviation[known])
    wide = np.sqrt(deviation**2 + spread**2)
    z, beyond = (
        np.divide(above, by, out=np.zeros_like(change), where=known)
        for above, by in ((change, deviation), (change - middle, wide))
    )
    bent = skew * np.divide(deviation, wide, out=np.zeros_like(wide), where=known) ** 3
    p = np.where(known, _tail(z, skew), 1.0)
    p_usual = np.where(known, np.maximum(p, _tail(beyond, bent)), 1.0)
    found = {"change": change, "least": change - SURE * deviation, "z": z}
    found |= {"p": p, "q": control_fdr(p), "p_usual": p_usual, "q_usual": control_fdr(p_usual)}
    return found, (middle, spread)


def find_usual(changes: Floats, deviations: Floats) -> tuple[float, float]:
    """Return the usual change of words: the median, and the spread that chance does not explain.

    Tokens of one document or genre are not independent, so most words differ between two corpora by
    more than chance. Changes are assumed to be normally distributed, and their variance is the sum
    of the usual variance and the variance due to chance. The usual spread is chosen so that half of
    the words lie within the quartiles (an empirical null, Efron 2004). If there are too few words,
    both values are 0.
    """
    if changes.size < _ENOUGH:
        return 0.0, 0.0
    middle = max(float(np.median(changes)), 0.0)
    off = np.abs(changes - middle)

    def share(spread: float) -> float:
        return float(np.mean(off <= _HALF * np.sqrt(deviations**2 + spread**2)))

    low, high = 0.0, float(off.max()) / _HALF
    if share(low) >= 0.5:
        return middle, 0.0
    for _ in range(50):
        tried = (low + high) / 2
        low, high = (low, tried) if share(tried) >= 0.5 else (tried, high)
    return middle, high


def _tail(z: Floats, skew: Floats) -> Floats:
    """Return p(Z ≥ z) for a gamma variable Z with mean 0, variance 1 and the given skewness."""
    from scipy.special import gammaincc, ndtr

    bent = np.maximum(skew, 1e-3)
    reach = 2 / bent
    p = gammaincc(reach**2, np.maximum(z + reach, 0) * reach)
    return np.asarray(np.where(skew > 1e-3, p, ndtr(-z)))


def control_fdr(p: Floats) -> Floats:
    """Return the q-value of each p-value (Benjamini & Hochberg 1995).

    >>> control_fdr(np.array([0.01, 0.04, 0.03, 0.5])).round(3).tolist()
    [0.04, 0.053, 0.053, 0.5]
    """
    order = np.argsort(p, kind="stable")
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    q = np.empty(p.size)
    q[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(q, 1.0)


def _explain(
    sides: tuple[Counts, Counts],
    places: Sequence[Ints],
    names: Names,
    table: _Table,
    words: Sequence[int],
    n: int,
) -> Iterator[list[tuple[ContextChange, ...]]]:
    """Yield the n contexts that each word gained most and the n contexts it lost most."""
    totals = np.zeros((2, names.size))
    each = np.full(names.size, "", dtype=object)
    for at in (1, 0):
        totals[at, places[at]] = sides[at].context_totals
        each[places[at]] = sides[at].slots
    if not any(each):
        each[:] = [split_slot(name)[0] for name in names]
    slots = np.unique(each.astype(str), return_inverse=True)[1]
    for word in words:
        span = slice(*np.searchsorted(table.rows, [word, word + 1]))
        columns = table.columns[span]
        counts = np.stack([table.old[span], table.new[span]])
        parts = _parts(table.totals[word], counts[0], counts[1])
        size = slots.max(initial=0) + 1
        of_slot = np.stack([np.bincount(slots[columns], one, size) for one in counts])
        scores = log_dice(counts, of_slot[:, slots[columns]], totals[:, columns])
        known = scores.astype(object)
        known[np.isnan(scores)] = None
        rates = counts / np.maximum(table.totals[word][:, None], 1)
        both_sides = []
        for more in (rates[1] > rates[0], rates[1] < rates[0]):
            some = np.flatnonzero(more)
            best = some[ranking(parts[some], names[columns[some]])[:n]]
            both = (map(tuple, side[:, best].T.tolist()) for side in (counts, known))
            facts = names[columns[best]], *both, parts[best].tolist()
            both_sides.append(tuple(map(ContextChange, *facts)))
        yield both_sides


def _list_arrivals(
    here: Counts, there: Counts, min_count: int, n: int, requested: Sequence[str]
) -> tuple[NewWord, ...]:
    """Return words that occur only in corpus `here`: the requested words, or the most frequent."""
    present = {*there.words.tolist(), *there.provenance.get(SET_ASIDE, ())}
    chosen = {*requested}
    fair = there.total / ((here.total + there.total) or 1)
    found = [
        NewWord(word, count, count * there.total / (here.total or 1), (1 - fair) ** count)
        for word, count in zip(here.words.tolist(), here.word_totals.tolist(), strict=True)
        if (word in chosen if requested else count >= min_count) and word not in present
    ]
    found.sort(key=lambda one: (-one.count, one.word))
    return tuple(found if requested else found[:n])
