"""Words whose use changed between two corpora or periods, how sure that is, and what changed.

The change of a word is the Jensen–Shannon divergence of its contexts in both, compared with what
chance gives where all its tokens are dealt out anew over the two, each as often as it was seen in
either. Mean and variance of that are worked out, not drawn: the divergence is a sum over contexts,
each of which has a hypergeometric number of its tokens in the first corpus.
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
from roget.errors import InputError
from roget.learn.command_options import ShiftOptions
from roget.learn.options import Compared

SURE = 1.6448536269514722
"""Standard deviations below which the truth is once in twenty times, if things are normal."""

_HALF = 0.6744897501960817
"""Half of a normal distribution is so many deviations from its middle, or fewer."""

_ENOUGH = 50
"""Words with fewer of which nothing is said about what is usual."""

_ROUNDING = 1e-6
"""Deviations below this are rounding: all ways to deal tokens out give the same divergence."""

_FLAT = 1e-9
"""A share of the fourth moment that is rounding."""

_CHUNK = 1 << 21
"""Cells of tables of probabilities that are worked out at a time."""

_OF_TEXT = ("repairs", "terms", "function_words")
"""What a recipe has found out in a text."""

SET_ASIDE = "set aside"
"""Where counts say in their provenance which words were seen, though how often is not known."""

_STRANGE = 0.5
"""The share of tokens in contexts that the other corpus lacks from which on a warning is due."""


class ContextChange(NamedTuple):
    """A context that a word took more often, or less often, than before."""

    context: str
    counts: tuple[int | float, int | float]
    """How often the word was seen in it, in the old and in the new corpus."""
    scores: tuple[float | None, float | None]
    """logDice in both; None where the word was never seen in it."""
    part: float
    """What it adds to the divergence, in bits."""


@dataclass(frozen=True)
class WordShift:
    """A word, and how much its use changed."""

    word: str
    counts: tuple[int | float, int | float]
    """How often it was seen, in the old and in the new corpus."""
    divergence: float
    """The Jensen–Shannon divergence of its contexts: 0 bits if alike, 1 if none is shared."""
    expected: float
    """The same by chance."""
    change: float
    """What is above chance: 0 if nothing changed, also of rare words."""
    least: float
    """The change less what chance makes of it once in twenty times, by which words are ranked."""
    z: float
    """Standard deviations above chance."""
    p: float
    """How likely such a divergence is by chance, if every token were drawn by itself."""
    q: float
    """The share of false findings if this word and all that are surer are taken (FDR)."""
    p_usual: float
    """How likely it is of words that changed as words usually do between the two."""
    q_usual: float
    """The rate of false findings by that."""
    gained: tuple[ContextChange, ...]
    lost: tuple[ContextChange, ...]


@dataclass(frozen=True)
class NewWord:
    """A word that one corpus has and the other lacks."""

    word: str
    count: int | float
    expected: float
    """How often it would be seen in the other, if it were as common there."""
    p: float
    """How likely it is by chance that all of its tokens are in one corpus."""


@dataclass(frozen=True)
class ShiftResult:
    """What changed between two corpora."""

    totals: tuple[int | float, int | float]
    """Tokens of both."""
    changes: tuple[WordShift, ...]
    """Words by how much they changed at least, or those asked for."""
    tested: int
    """Words that were seen often enough in both."""
    changed: int
    """Those of them whose q is .05 or less: more than chance."""
    unusual: int
    """Those of them whose q_usual is .05 or less: more than words usually do."""
    usual: tuple[float, float]
    """How much words change between the two, in bits: median and spread, chance taken out."""
    appeared: tuple[NewWord, ...]
    vanished: tuple[NewWord, ...]
    notes: tuple[str, ...]
    """What makes the comparison doubtful."""


class _Table(NamedTuple):
    """All cells of the words that are compared: word, context, tokens in the old and new corpus."""

    rows: Ints
    columns: Ints
    old: Array
    new: Array
    totals: Array
    """Tokens of each word in both: words × 2."""


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
    """The words whose use changed most between two corpora, and the contexts that say so.

    Parameters
    ----------
    old, new
        Counts of both, made in the same way.
    words
        Only these, in this order, however rare. Default: the n that changed most, and as many
        of those that appeared or vanished.
    min_count
        Only words seen so often in both; and, of one corpus alone, so often there.
    progress
        Called with a `Progress` of words.

    Returns
    -------
    Shift

    Raises
    ------
    InputError
        If the two have no context in common; NotCounted for a word that neither has.

    Examples
    --------
    >>> old = Counts([[30, 0], [10, 10]], ["mouse", "cat"], ["chase", "click"])
    >>> new = Counts([[5, 25], [12, 8]], ["mouse", "cat"], ["chase", "click"])
    >>> [(one.word, round(one.change, 2)) for one in shift(old, new).changes]
    [('mouse', 0.64), ('cat', -0.01)]
    """
    wanted = ShiftOptions(**choose(ShiftOptions, options))
    options_of(Compared)["min_count"].check(min_count)
    sides = (old, new)
    names, places = unite_names(one.contexts for one in sides)
    known = [np.isin(np.arange(names.size), places[at]) for at in (0, 1)]
    if not (known[0] & known[1]).any():
        raise InputError("the two have no context in common: count them in the same way")
    notes = [*_doubt(sides, places, known, wanted.shared)]
    keep = known[0] & known[1] if wanted.shared else known[0] | known[1]
    asked = list(dict.fromkeys(words))
    chosen = _choose(sides, asked, min_count)
    table = _tabulate(sides, places, names.size, keep, chosen)
    seen = table.totals.min(axis=1) > 0
    parts = _parts(table.totals[table.rows], table.old, table.new)
    divergence = _add_up(table.rows, parts, len(chosen))
    expected, deviation, skew = _chance(table, progress)
    found, usual = _weigh(divergence, expected, deviation, skew, seen)
    order = (
        [chosen.index(word) for word in asked if word in chosen]
        if asked
        else ranking(found["least"].round(9), frozen(chosen)).tolist()[: wanted.n]
    )
    changes = []
    told = _explain(sides, places, names, table, order, wanted.told)
    for at, (gained, lost) in zip(order, told, strict=True):
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
        _list_arrivals(*pair, min_count, wanted.n, asked) for pair in ((new, old), (old, new))
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


def _doubt(
    sides: tuple[Counts, Counts],
    places: Sequence[Ints],
    known: Sequence[BoolArray],
    shared: bool,
) -> Iterable[str]:
    """What makes a comparison of these counts doubtful."""
    relations = [", ".join(one.relations) for one in sides]
    if all(relations) and relations[0] != relations[1]:
        yield f"the relations counted are not the same: {' and '.join(relations)}"
    recipes = [one.provenance.get("recipe", {}) for one in sides]
    rarest = [min(one.matrix.data, default=0) for one in sides]
    if all(recipes) and any(recipes[0].get(key) != recipes[1].get(key) for key in _OF_TEXT):
        yield (
            "lemmas, terms or function words were found out in each corpus by itself, which makes "
            "differences of its own: give both texts, which are then read alike, or count both "
            "with --no-repair"
        )
    if sides[0].provenance.get("cuts") != sides[1].provenance.get("cuts") or (
        rarest[0] != rarest[1]
    ):
        yield "rare words, contexts or pairs were left out of one that were not of the other"
    if any(one.matrix.dtype.kind == "f" for one in sides):
        yield "counts are fractions, which are rounded: how sure a change is, is told roughly"
    for at, called in enumerate(("old", "new")):
        total = sides[at].context_totals
        strange = float(total[~known[1 - at][places[at]]].sum() / (total.sum() or 1))
        if strange >= _STRANGE and not shared:
            yield (
                f"{strange:.0%} of the {called} tokens are in contexts that the other lacks "
                "altogether: if they were not counted alike, look at shared ones only (--shared)"
            )


def _choose(sides: tuple[Counts, Counts], asked: Sequence[str], min_count: int) -> list[str]:
    """The words that are compared: those seen often enough in both, and those asked for."""
    totals = [dict(zip(one.words.tolist(), one.word_totals.tolist(), strict=True)) for one in sides]
    for word in asked:
        if word not in totals[0]:
            sides[1].word_id(word)  # which says what is near
    often = [
        word
        for word, count in totals[0].items()
        if count >= min_count and totals[1].get(word, 0) >= min_count
    ]
    more = [word for word in asked if word not in set(often)]
    return [*often, *(word for word in more if word in totals[0] and word in totals[1])]


def _tabulate(
    sides: tuple[Counts, Counts],
    places: Sequence[Ints],
    size: int,
    keep: BoolArray,
    words: Sequence[str],
) -> _Table:
    """The cells of some words in both corpora, side by side."""
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
    """What contexts add to the divergence of words with these totals, in bits."""
    sizes = np.maximum(totals, 1)
    return _divergence(old / sizes[..., 0], new / sizes[..., 1])


def _add_up(groups: Ints, values: Floats, size: int) -> Floats:
    return np.asarray(np.bincount(groups, values, minlength=size), dtype=np.float64)


def _divergence(p: Floats, q: Floats) -> Floats:
    """Half of p·log2(p/m) + q·log2(q/m), where m is the mean of p and q."""
    total = np.zeros_like(p)
    middle = (p + q) / 2
    for one in (p, q):
        ratio = np.divide(one, middle, out=np.ones_like(one), where=one > 0)
        total += one * np.log2(ratio)
    return total / 2


def _chance(table: _Table, progress: Report | None) -> tuple[Floats, Floats, Floats]:
    """Mean, standard deviation and skewness of each word's divergence if corpora were shuffled.

    Contexts that were seen equally often share one hypergeometric distribution. Means add up
    exactly. Variances have the covariances of contexts added, by the parts of the divergence that
    are linear and quadratic in the tokens of a context: those of two contexts have the
    correlations ρ and ρ² (and the rest next to none), with ρ = −√(s·t / ((N−s)·(N−t))).
    """
    words = len(table.totals)
    tokens = table.old + table.new
    # Of each word, how many contexts were seen t times, for each t.
    width = int(tokens.max(initial=0)) + 1
    keys, many = np.unique(table.rows * width + tokens, return_counts=True)
    rows, seen = np.divmod(keys, width)
    mean, variance, third = (np.zeros(words) for _ in range(3))
    ends = np.searchsorted(rows, np.arange(words + 1))
    cells = np.concatenate([[0], np.cumsum(seen + 1)])
    largest = int(table.totals.sum(axis=1).max(initial=0))
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, largest + 1)))])
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
    """Mean, variance and third central moment of the divergences of some words.

    Each entry stands for `many` contexts of the word in `rows` that were `seen` so often.
    """
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

    logs = choose(t, a, b) + choose(n1 + n2 - t, left1, left2) - choose(n1 + n2, n1, n2)
    weight = np.exp(np.where(can, logs, -np.inf))
    value = _divergence(a / np.maximum(n1, 1), b / np.maximum(n2, 1))

    def average(values: Floats) -> Floats:
        return _add_up(cell, weight * values, rows.size)

    def total(values: Floats) -> Floats:
        return _add_up(rows, many * values, words)

    mean = average(value)
    away = value - mean[cell]
    off = a - average(a.astype(np.float64))[cell]
    spread = average(off**2)
    slope = _ratio(average(away * off), spread)
    # The quadratic that is orthogonal to the linear part.
    curve = off**2 - (_ratio(average(off**3), spread))[cell] * off - spread[cell]
    bend = average(curve**2)
    bend[bend < _FLAT * spread**2] = 0  # two values have no curve, but for rounding
    linear = slope * np.sqrt(spread)
    quadratic = _ratio(average(away * curve), np.sqrt(bend))
    near = np.sqrt(_ratio(seen.astype(np.float64), (size - seen).astype(np.float64)))
    variance = total(average(away**2))
    variance -= total(linear * near) ** 2 - total(linear**2 * near**2)
    variance += total(quadratic * near**2) ** 2 - total(quadratic**2 * near**4)
    # Skewness as if contexts were independent, once what the fixed totals take away is taken out.
    common = _ratio(total(slope * spread), total(spread))
    third = total(average((away - common[rows][cell] * off) ** 3))
    return total(mean), variance, third


def _ratio(above: Floats, below: Floats) -> Floats:
    """A quotient, 0 where there is nothing to divide by."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 1e-300)


def _weigh(
    divergence: Floats, expected: Floats, deviation: Floats, skew: Floats, seen: BoolArray
) -> tuple[dict[str, Floats], tuple[float, float]]:
    """How large changes are and how sure, and how large they usually are."""
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
    """How much words usually change: the median, and the spread that chance does not explain.

    Tokens of one document are alike, and so are those of a genre: most words differ between two
    corpora by more than single tokens would. Words are taken to change by a normal amount, to
    which chance adds its own; the spread is such that half of the words are as near to the median
    as they should be (an empirical null, Efron 2004). With few words, nothing is taken for usual.
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
    """p(Z ≥ z) of a gamma distribution with that skewness, moved and stretched to mean 0 and 1."""
    from scipy.special import gammaincc, ndtr

    bent = np.maximum(skew, 1e-3)
    reach = 2 / bent
    p = gammaincc(reach**2, np.maximum(z + reach, 0) * reach)
    return np.asarray(np.where(skew > 1e-3, p, ndtr(-z)))


def control_fdr(p: Floats) -> Floats:
    """Benjamini & Hochberg's (1995) q of each p: the rate of false findings up to there.

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
    """The contexts that each of some words gained, and those that it lost."""
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
        told = []
        for more in (rates[1] > rates[0], rates[1] < rates[0]):
            some = np.flatnonzero(more)
            best = some[ranking(parts[some], names[columns[some]])[:n]]
            both = (map(tuple, side[:, best].T.tolist()) for side in (counts, known))
            facts = names[columns[best]], *both, parts[best].tolist()
            told.append(tuple(map(ContextChange, *facts)))
        yield told


def _list_arrivals(
    here: Counts, there: Counts, min_count: int, n: int, asked: Sequence[str]
) -> tuple[NewWord, ...]:
    """The words that only one has, the most frequent first; or those of them that are asked for."""
    lacking, wanted = {*there.words.tolist(), *there.provenance.get(SET_ASIDE, ())}, {*asked}
    fair = there.total / ((here.total + there.total) or 1)
    found = [
        NewWord(word, count, count * there.total / (here.total or 1), (1 - fair) ** count)
        for word, count in zip(here.words.tolist(), here.word_totals.tolist(), strict=True)
        if (word in wanted if asked else count >= min_count) and word not in lacking
    ]
    found.sort(key=lambda one: (-one.count, one.word))
    return tuple(found if asked else found[:n])
