"""Statistics of quadruples: back-off counts, attachment rates and lexical association."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, Self

import numpy as np

from roget.core.contents import require_arrays, require_range, require_texts
from roget.core.counts import Counts
from roget.core.counts.matrix import split_slot
from roget.core.quadruple import Quadruple
from roget.core.types import Array, BoolArray, Floats, Ints
from roget.learn.attachment.quads import NOUN, LemmatisedQuadruple

PARTS = ("vnpm", "vnp", "vpm", "npm", "vp", "np", "pm", "p")
"""Combinations of words that include the preposition, in column order.

The letters are v for the verb, n and m for the first and second noun, and p for the preposition.
"""

LEVELS = (slice(0, 1), slice(1, 4), slice(4, 7), slice(7, 8))
"""Columns of `PARTS` at each back-off level (Collins & Brooks 1995), from the quadruple to the
preposition alone.
"""

SMOOTHING = 2.0
"""Number of pseudo-tokens by which a combination of words is smoothed.

Their labels are distributed like the labels of the preposition.
"""

LOOSE_PARTS = ("v", "n", "m", "vn", "nm", "vm")
"""Combinations of words without the preposition, in column order. See `PARTS` for the letters."""
SHRINK = 3.0
"""Number of pseudo-quadruples by which an attachment rate is shrunk."""
FOLDS = 10

ANY = ""
"""Key that stands for all prepositions."""
OTHERS = 0.3
"""Weight of a quadruple from other text in lexical association (training quadruples: 1)."""

USUAL = 0.05
"""Prior probability that a noun is followed by a given preposition."""
ADDED = 0.5
"""Pseudo-count added to the numerator and the denominator of ratios."""
_ODDS = [PARTS.index(part) for part in ("vpm", "npm", "vp", "np", "pm")]
OUTSIDE = len(_ODDS) + 3
"""Number of features computed from other text."""


@dataclass(frozen=True)
class BackoffStage:
    """Coverage and accuracy of one stage of a model."""

    stage: str
    coverage: float
    accuracy: float | None
    """Fraction of correct decisions, or None if the stage decided nothing."""

    @classmethod
    def measure(cls, name: str, decided: BoolArray, right: BoolArray) -> Self:
        """Return the coverage and accuracy of a stage.

        `decided` and `right` are True for quadruples that the stage decided, and decided correctly.
        """
        accuracy = float(np.mean(right[decided])) if decided.any() else None
        return cls(name, float(np.mean(decided)), accuracy)


class Keyed:
    """A lookup table with a row of numbers for each key, and zeros for unknown keys."""

    names = ("keys", "values")
    kinds = "f"
    shape: tuple[int, ...] = ()
    range: tuple[float, float] = (0, 1e100)
    """Minimum (inclusive) and maximum (exclusive) of valid values."""

    def __init__(self, keys: Iterable[str], values: Array) -> None:
        self.keys, self.values = list(keys), values
        self._rows = {key: row for row, key in enumerate(self.keys)}

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Make a table from a mapping of keys to numbers."""
        dtype = np.float64 if cls.kinds == "f" else np.int64
        return cls(table, np.array(list(table.values()), dtype=dtype).reshape(-1, *cls.shape))

    def look_up(self, keys: Iterable[Sequence[str]], width: int) -> Array:
        """Return the values for the keys. Each element of `keys` is a sequence of `width` keys."""
        rows = [[self._rows.get(key, -1) for key in own] for own in keys]
        known = np.concatenate([self.values, np.zeros((1, *self.shape), self.values.dtype)])
        return known[np.array(rows, dtype=np.int64).reshape(-1, width)]

    def content(self) -> dict[str, Any]:
        """Return JSON values and arrays for the model folder."""
        return dict(zip(self.names, (self.keys, self.values), strict=True))

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """Restore an instance from stored values."""
        keys, values = cls.names
        require_texts(kept, keys)
        require_arrays(kept, {values: (cls.kinds, (len(kept[keys]), *cls.shape))})
        require_range(values, kept[values], *cls.range)
        return cls(kept[keys], kept[values])


class QuadrupleCounts(Keyed):
    """Counts of N and V for each combination of words in `PARTS`.

    >>> pizza = LemmatisedQuadruple("eat", "pizza", "with", "fork")
    >>> seen = QuadrupleCounts.from_quadruples([pizza], [False])
    >>> seen.counts([LemmatisedQuadruple("eat", "pasta", "with", "fork")])[0].tolist()
    [[0, 0], [0, 0], [0, 1], [0, 0], [0, 1], [0, 0], [0, 1], [0, 1]]
    """

    names, kinds, shape, range = ("keys", "seen"), "iu", (2,), (0, 1 << 53)
    stages = ("quadruple", "triples", "pairs", "preposition", "default")

    @classmethod
    def from_quadruples(cls, quads: Iterable[LemmatisedQuadruple], nouns: Iterable[bool]) -> Self:
        """Count the combinations in quadruples. `nouns` is True where the label is N."""
        table: dict[str, list[int]] = {}
        for quad, noun in zip(quads, nouns, strict=True):
            for key in _keys(quad):
                table.setdefault(key, [0, 0])[0 if noun else 1] += 1
        return cls.from_table(table)

    def counts(self, quads: Iterable[LemmatisedQuadruple]) -> Ints:
        """Return the counts of N and V, with shape (quadruples, combinations, 2)."""
        return self.look_up(map(_keys, quads), len(PARTS))


def log_odds(counts: Any) -> Floats:
    """Return the log odds of N for each combination, minus the log odds for the preposition.

    Each combination is smoothed by two pseudo-tokens with the odds of the preposition, so the value
    of an unseen one is 0.
    """
    counts = np.asarray(counts, dtype=np.float64)
    # Add ½ to both counts of the preposition, which is the last column.
    shares = (counts[:, -1] + 0.5) / (counts[:, -1].sum(axis=1, keepdims=True) + 1)
    usual = np.log(shares[:, 0] / shares[:, 1])
    added = counts[:, :-1] + SMOOTHING * shares[:, None, :]
    return np.column_stack([np.log(added[..., 0] / added[..., 1]) - usual[:, None], usual])


def back_off(counts: Any) -> tuple[Floats, Ints]:
    """Return p(N) from the most specific level with counts, and the index of that level.

    The counts of a level are summed, as in Collins & Brooks (1995). For an unknown preposition,
    p(N) is 1.
    """
    counts = np.asarray(counts)
    # Start with the most general level and overwrite it with more specific ones.
    share = np.ones(len(counts))
    level = np.full(len(counts), len(LEVELS))
    for at in reversed(range(len(LEVELS))):
        both = counts[:, LEVELS[at]].sum(axis=1)
        seen = both.sum(axis=1) > 0
        share[seen] = both[seen, 0] / both[seen].sum(axis=1)
        level[seen] = at
    return share, level


def _keys(quad: LemmatisedQuadruple) -> list[str]:
    """Return the keys of a quadruple in the order of `PARTS`. Omitted words are empty strings."""
    v, n, p, m = quad
    return [
        f"{v}\t{n}\t{p}\t{m}", f"{v}\t{n}\t{p}\t", f"{v}\t\t{p}\t{m}", f"\t{n}\t{p}\t{m}",
        f"{v}\t\t{p}\t", f"\t{n}\t{p}\t", f"\t\t{p}\t{m}", f"\t\t{p}\t",
    ]  # fmt: skip


class Tendencies(Keyed):
    """The tendency of word combinations to attach to V (−2) or N (2).

    The rate of a combination is Σ(y − mean of y for the preposition)/(occurrences + 3), with y = 1
    for N and −1 for V.
    """

    range = (-2, 2)

    @classmethod
    def from_quadruples(cls, quads: Sequence[LemmatisedQuadruple], nouns: BoolArray) -> Self:
        """Estimate the rates from quadruples. `nouns` is True where the label is N."""
        # 1. Compute the mean of y (1 for N, −1 for V) for each preposition, with two
        # pseudo-quadruples of mean 0.
        goal = np.where(nouns, 1.0, -1.0).tolist()
        usual: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 2.0])
        for quad, one in zip(quads, goal, strict=True):
            usual[quad.preposition][0] += one
            usual[quad.preposition][1] += 1
        # 2. Compute the mean deviation from this mean for each combination, with `SHRINK`
        # pseudo-quadruples.
        table: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, SHRINK])
        for quad, one in zip(quads, goal, strict=True):
            total, times = usual[quad.preposition]
            for key in _loose_keys(quad):
                table[key][0] += one - total / times
                table[key][1] += 1
        return cls.from_table({key: total / times for key, (total, times) in table.items()})

    def features(self, quads: Sequence[LemmatisedQuadruple]) -> Floats:
        """Return the rate of each combination in each quadruple, or 0 if it is unknown."""
        return self.look_up(map(_loose_keys, quads), len(LOOSE_PARTS))

    @classmethod
    def cross_fit(
        cls, quads: Sequence[LemmatisedQuadruple], nouns: BoolArray, rng: np.random.Generator
    ) -> Floats:
        """Return the features of each fold, estimated from the other nine folds.

        Leave-one-out estimates would reveal the label of the omitted quadruple. Identical
        quadruples are in the same fold.
        """
        numbers = {quad: at for at, quad in enumerate(dict.fromkeys(quads))}
        shuffled = rng.permutation(len(numbers)) % FOLDS
        fold = shuffled[[numbers[quad] for quad in quads]]
        out = np.zeros((len(quads), len(LOOSE_PARTS)))
        for at in range(FOLDS):
            inside, outside = (np.flatnonzero(here).tolist() for here in (fold == at, fold != at))
            learnt = cls.from_quadruples([quads[row] for row in outside], nouns[outside])
            out[inside] = learnt.features([quads[row] for row in inside])
        return out


def _loose_keys(quad: LemmatisedQuadruple) -> list[str]:
    """Return the keys of a quadruple in the order of `LOOSE_PARTS`."""
    v, n, _, m = quad
    return [f"{v}\t\t", f"\t{n}\t", f"\t\t{m}", f"{v}\t{n}\t", f"\t{n}\t{m}", f"{v}\t\t{m}"]


class Association(Keyed):
    """Lexical association (Hindle & Rooth 1993): p(prep|head), smoothed.

    p(prep|head) = (f(head, prep) + f(all heads, prep)/f(all heads)) / (f(head) + 1), where f(head,
    prep) counts phrases attached to the head, f(head) all quadruples with the head, and heads are
    verbs or first nouns. The score of the noun is p(prep|noun)·p(no phrase|verb), and the score of
    the verb is p(prep|verb)·p(no phrase|noun). p(no phrase|head) is the smoothed share of its
    quadruples in which the phrase attaches to the other head.
    """

    names = ("keys", "counts")

    @classmethod
    def from_quadruples(
        cls,
        quads: Sequence[LemmatisedQuadruple],
        nouns: Sequence[bool],
        others: Iterable[tuple[LemmatisedQuadruple, bool]] = (),
    ) -> Self:
        """Count the training quadruples, and `others` with a lower weight.

        `nouns` is True where the label is N.
        """
        counts: defaultdict[str, float] = defaultdict(float)
        own = zip(quads, nouns, repeat(1.0))
        for quad, noun, times in chain(own, ((*one, OTHERS) for one in others)):
            counts[quad.preposition] += times
            for kind, word, its in (("V", quad.verb, not noun), ("N", quad.noun1, noun)):
                counts[kind] += times
                counts[f"{kind}\t{word}"] += times
                for preposition in (quad.preposition, ANY) if its else ():
                    counts[f"{kind}\t{word}\t{preposition}"] += times
                    counts[f"{kind}\t\t{preposition}"] += times
        return cls.from_table(counts)

    def share(self, quads: Sequence[LemmatisedQuadruple], noun: bool) -> Floats:
        """Return the score of the noun for each quadruple, or of the verb if `noun` is False."""
        nouns = [("N", quad.noun1) for quad in quads]
        verbs = [("V", quad.verb) for quad in quads]
        own, other = (nouns, verbs) if noun else (verbs, nouns)
        prepositions = [quad.preposition for quad in quads]
        return self._smooth(own, prepositions) * (1 - self._smooth(other, repeat(ANY)))

    def log_ratio(self, quads: Sequence[LemmatisedQuadruple]) -> Floats:
        """Return ln(noun score / verb score), or 0 for an unknown preposition.

        If it is above 0, the phrase attaches to the noun.
        """
        known = [quad.preposition in self._rows for quad in quads]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.log(self.share(quads, True) / self.share(quads, False))
        return np.where(known, ratio, 0.0)

    def _smooth(self, heads: Iterable[tuple[str, str]], prepositions: Iterable[str]) -> Floats:
        """Return the smoothed p(prep|head) for pairs of heads and prepositions."""
        keys = (
            (f"{kind}\t{word}\t{preposition}", f"{kind}\t{word}", f"{kind}\t\t{preposition}", kind)
            for (kind, word), preposition in zip(heads, prepositions, strict=False)
        )
        both, head, usual, everything = self.look_up(keys, 4).T
        return np.asarray((both + usual / np.maximum(everything, 1.0)) / (head + 1))


class Slots(Keyed):
    """Counts, in other text, of verbs, nouns, their combinations, and nouns after verbs."""

    names = ("slots", "slot_counts")


@dataclass(frozen=True, eq=False)
class SlotCounts:
    """Counts from other text: labelled quadruples, and nouns in relations such as "with:eat".

    >>> pairs = Counts([[3, 0], [1, 4]], ["fork", "pizza"], ["with:eat", "obj:eat"])
    >>> quads = [Quadruple("eat", "pizza", "with", "fork", "V")]
    >>> new = [LemmatisedQuadruple("eat", "pizza", "with", "fork")]
    >>> found = SlotCounts.from_sources(quads, pairs).features(new)
    >>> found.shape
    (1, 8)
    """

    tally: QuadrupleCounts
    slots: Slots

    @classmethod
    def from_sources(cls, quads: Sequence[Quadruple], pairs: Counts | None) -> Self:
        """Count lemmatised quadruples, and nouns in contexts such as "with:eat"."""
        tally = QuadrupleCounts.from_quadruples(
            [LemmatisedQuadruple(*one[:4]) for one in quads], [one[4] == NOUN for one in quads]
        )
        slots: defaultdict[str, float] = defaultdict(float)
        for noun, context, count in pairs.rows() if pairs is not None else ():
            slot, verb = split_context(context)
            # Such a noun counts as both the first and the second noun.
            for key in _slot_keys(LemmatisedQuadruple(verb, noun, slot, noun)):
                slots[key] += count
        return cls(tally, Slots.from_table(slots))

    def features(self, quads: Sequence[LemmatisedQuadruple]) -> Floats:
        """Return eight features for each quadruple. They are near 0 for unknown words.

        The first five are the log odds of N for five combinations of words, each minus the log odds
        for the preposition alone. The other three are log ratios. They compare the rate of the
        preposition after the verb with its rate after all verbs, its rate after the first noun with
        the prior rate, and the second noun in phrases that modify verbs with the same noun in
        phrases that modify nouns.
        """
        counts = self.tally.counts(quads)
        by_noun = counts[..., 0]
        seen = self.slots.look_up(map(_slot_keys, quads), 6)
        everything, prep, verb, both, noun, second = seen.T
        # Estimate p(prep) over all verbs.
        usual = np.where(prep > 0, prep / np.maximum(everything, 1), 1.0)
        takes = np.log((both + 2 * usual) / ((verb + 2) * usual) + 1e-3)
        columns = [
            *log_odds(counts)[:, _ODDS].T,
            np.where(prep > 0, takes, 0.0),
            np.log((by_noun[:, PARTS.index("np")] + ADDED) / (USUAL * noun + ADDED)),
            np.log((second + ADDED) / (by_noun[:, PARTS.index("pm")] + ADDED)),
        ]
        return np.column_stack(columns)

    def content(self) -> dict[str, Any]:
        """Return the values to store in a model folder."""
        return self.tally.content() | self.slots.content()

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """Restore an instance from stored values."""
        return cls(QuadrupleCounts.read(kept), Slots.read(kept))


def _slot_keys(quad: LemmatisedQuadruple) -> list[str]:
    """Return the six keys under which a quadruple is counted in `Slots`.

    They stand for the total, the preposition, the verb, the verb with the preposition, the first
    noun, and the preposition with the second noun.
    """
    v, n, p, m = quad
    return ["\t", f"p\t{p}", f"v\t{v}", f"vp\t{v}\t{p}", f"n\t{n}", f"pm\t{p}\t{m}"]


def split_context(context: str) -> tuple[str, str]:
    """Split a context such as "with:eat" into relation ("obj" by default) and verb."""
    slot, verb = split_slot(context)
    return slot or "obj", verb
