"""Word sketches: the relations of a word, each with its typical collocates.

Collocates c of a word w are ranked within a relation R by logDice (Rychlý 2008),

    14 + log2(2·‖w,R,c‖ / (‖w,R,*‖ + ‖*,R,c‖))

where ‖*,R,c‖ is the total count of the context (R, c). The total is separate for each relation, so
verbs and nouns with the same spelling are not mixed. Words, contexts and pairs that were dropped as
too rare are not in the totals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roget.core.counts import Counts
from roget.core.counts.evidence import EvidenceLine
from roget.core.counts.matrix import split_slot
from roget.core.counts.views import log_dice
from roget.core.options import choose, with_options
from roget.core.types import Array, Floats, Ints
from roget.errors import InputError, UnknownName
from roget.learn.corpus.relations import UPOS
from roget.learn.options import SketchOptions

FREQUENT = 100
"""Minimum frequency of a word whose collocates must occur at least twice."""

_TURNED = "T"
"""Key in the provenance for counts in which words and contexts were exchanged."""

_NEAR = "near"
_PLAIN = "contexts of {w}"
_BEFORE, _AFTER = "{c} …", "… {c}"

_NAMES = {
    "subj": ("verbs with {w} as subject", _AFTER),
    "obj": ("verbs with {w} as object", _BEFORE),
    "iobj": ("verbs with {w} as recipient", ""),
    "~subj": ("subjects of {w}", _BEFORE),
    "~obj": ("objects of {w}", _AFTER),
    "~iobj": ("receivers of {w}", ""),
    "~prt": ("particles of {w}", _AFTER),
    "~amod": ("adjectives of {w}", _BEFORE),
    "amod": ("nouns that are {w}", _AFTER),
    "~advmod": ("adverbs of {w}", _AFTER),
    "advmod": ("words that {w} modifies", _AFTER),
    "xcomp": ("verbs with {w} as complement", "{c} to …"),
    "~xcomp": ("complements of {w}", "… to {c}"),
    "~compound": ("nouns before {w}", _BEFORE),
    "compound": ("nouns after {w}", _AFTER),
    "~nmod:poss": ("possessors of {w}", "{c}’s …"),
    "nmod:poss": ("possessions of {w}", "…’s {c}"),
    "nmod": ("nouns with {w} as genitive", _BEFORE),
    "~nmod": ("genitives of {w}", _AFTER),
    "conj": ("{w} and/or …", "… and {c}"),
    "appos": ("{w}, that is, …", "…, {c}"),
    "~flat": ("names after {w}", _AFTER),
    "flat": ("names before {w}", _BEFORE),
    _NEAR: ("words near {w}", "{c} near …"),
    "left": ("words before {w}", _BEFORE),
    "right": ("words after {w}", _AFTER),
}
"""A description of each relation, and a pattern for example phrases, in display order.

In a phrase, dots stand for the word and {c} for the collocate. The pattern is empty if there is no
such phrase.
"""

_PHRASES = {
    "obl": ("verbs … {p} {w}", "{c} {p} …"),
    "nmod": ("nouns … {p} {w}", "{c} {p} …"),
    "~obl": ("{w} {p} …", "… {p} {c}"),
    "~nmod": ("{w} {p} …", "… {p} {c}"),
}
"""Descriptions and patterns of relations with a preposition {p}. They are displayed last."""


@dataclass(frozen=True)
class Collocate:
    """A collocate of a word, or of two compared words, in a relation."""

    context: str
    """Name of the context in the counts, e.g. obj:have."""
    name: str
    """Name of the context without the relation, e.g. have."""
    counts: tuple[int | float, ...]
    """Number of occurrences with each word."""
    scores: tuple[float | None, ...]
    """logDice with each word, or None if they do not occur together."""

    @property
    def count(self) -> int | float:
        """Number of occurrences of the collocate with the word."""
        return self.counts[0]

    @property
    def score(self) -> float | None:
        """LogDice score of the collocate with the word."""
        return self.scores[0]

    @property
    def difference(self) -> float:
        """LogDice with the first word minus logDice with the second.

        A missing score counts as 0.
        """
        first, *other = (score or 0.0 for score in self.scores)
        return first - sum(other)


@dataclass(frozen=True)
class SketchRelation:
    """A relation of a word, with its collocates."""

    slot: str
    """The relation in the counts, e.g. obj, ~amod or obl:in. It is "" if the counts have no
    relations.
    """
    group: str
    """The preposition by which relations are grouped, or ""."""
    name: str
    """Description of the relation in plain English."""
    totals: tuple[int | float, ...]
    """Number of occurrences of each word in the relation."""
    shares: tuple[float, ...]
    """Number of occurrences in the relation, as a fraction of all occurrences of each word."""
    collocates: tuple[Collocate, ...]
    """The best collocates. In a comparison, they are sorted as `only`, `both` and `other`."""
    more: int
    """Number of further collocates that have enough occurrences but are not listed."""

    @property
    def total(self) -> int | float:
        """Number of occurrences of the word in the relation."""
        return self.totals[0]

    @property
    def share(self) -> float:
        """Fraction of the word's occurrences in the relation."""
        return self.shares[0]

    @property
    def only(self) -> tuple[Collocate, ...]:
        """Collocates of the first word only, most typical first."""
        return tuple(one for one in self.collocates if not any(one.counts[1:]))

    @property
    def both(self) -> tuple[Collocate, ...]:
        """Collocates of both words, sorted by the difference of their scores."""
        return tuple(one for one in self.collocates if one.count and any(one.counts[1:]))

    @property
    def other(self) -> tuple[Collocate, ...]:
        """Collocates of the second word only, most typical first."""
        return tuple(one for one in self.collocates if not one.count)


@dataclass(frozen=True)
class Sketch:
    """The relations of one word, or of two compared words."""

    words: tuple[str, ...]
    totals: tuple[int | float, ...]
    """Total number of occurrences of each word."""
    relations: tuple[SketchRelation, ...]
    least: int
    """Minimum number of occurrences of a collocate in the sketch."""
    left: tuple[str, ...]
    """Relations that are not shown, because the word or all its collocates are too rare in them."""

    @property
    def word(self) -> str:
        """The word, or the first word of a comparison."""
        return self.words[0]

    @property
    def other(self) -> str | None:
        """The second word of a comparison, or None."""
        return self.words[1] if len(self.words) > 1 else None


@with_options(SketchOptions)
def sketch(
    counts: Counts,
    word: str,
    compare: str | None = SketchOptions.compare,
    n: int = SketchOptions.n,
    **options: Any,
) -> Sketch:
    """Return the relations of a word with their collocates, or compare two words.

    In a comparison, a collocate or relation is shown if it is frequent enough with at least one of
    the words.

    Parameters
    ----------
    counts
        Counts of words in contexts. Their slots are the relations.
    word, compare
        The word, and optionally a second word to compare it with.
    n
        Number of collocates per relation; for two words, per relation and kind (`only`, `both`,
        `other`).

    Returns
    -------
    Sketch
        The relations with their collocates.

    Raises
    ------
    NotCounted
        If a word is not in the counts; UnknownName for an unknown relation.

    Examples
    --------
    >>> counts = Counts([[4, 1], [4, 3]], ["tea", "milk"], ["obj:drink", "obj:spill"],
    ...                 slots=["obj", "obj"])
    >>> [relation] = sketch(counts, "tea", least=1).relations
    >>> relation.name
    'verbs with “tea” as object'
    >>> [(one.name, one.count, round(one.score, 2)) for one in relation.collocates]
    [('drink', 4, 13.3), ('spill', 1, 11.83)]
    """
    return Sketches(counts).sketch(word, compare, n, **options)


def find_lines(counts: Counts, word: str, context: str, n: int) -> list[EvidenceLine]:
    """Return the stored example sentences for a word and a context."""
    return [] if counts.evidence is None else counts.evidence.lines(word, context, n)


class Sketches:
    """Sketches of the words in a table of counts, which share precomputed data.

    Parameters
    ----------
    counts : Counts
    """

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self._names, self._slot_of, self._known = _find_slots(counts)
        self._totals = counts.context_totals

    @property
    def slots(self) -> list[str]:
        """All relations of the counts. A context without a relation has the relation ""."""
        return [*self._names]

    def name(self, slot: str, word: str | None = None) -> str:
        """Return the description of a relation. If it is unknown, return `slot`."""
        form = self._form(slot)[0] or slot or _PLAIN
        return form.replace("{w}", "the word" if word is None else f"“{_drop_tag(word)}”")

    def phrase(self, column: int) -> str:
        """Return a context as a phrase with dots for the word, e.g. “have …”, or its name.

        >>> contexts, slots = ["obj:drink", "nmod:of:cup"], ["obj", "nmod:of"]
        >>> counts = Counts([[4, 1]], ["tea"], contexts, slots=slots)
        >>> [Sketches(counts).phrase(column) for column in (0, 1)]
        ['drink …', 'cup of …']
        """
        context = str(self.counts.contexts[column])
        slot = self._names[self._slot_of[column]]
        form = self._form(slot)[1]
        return form.replace("{c}", _drop_tag(_drop_slot(context, slot))) or context

    def _form(self, slot: str) -> tuple[str, str]:
        """Return the description and the phrase pattern of a relation, or "" if unknown."""
        relation, preposition = self._known[slot]
        name, pattern = (_PHRASES if preposition else _NAMES).get(relation, ("", ""))
        spelt = preposition.replace("_", " ")
        return name.replace("{p}", spelt), pattern.replace("{p}", spelt)

    @with_options(SketchOptions)
    def sketch(
        self,
        word: str,
        compare: str | None = SketchOptions.compare,
        n: int = SketchOptions.n,
        **options: Any,
    ) -> Sketch:
        """Return the sketch of a word. See the function `sketch`."""
        request = SketchOptions(compare, n, **choose(SketchOptions, options))
        if word == compare:
            raise InputError(
                f"cannot compare {word!r} with itself; choose another word", code="invalid-option"
            )
        words = (word,) if compare is None else (word, compare)
        rows = [self.counts.word_id(one) for one in words]
        chosen = self._choose(request.relations)
        totals = tuple(self.counts.word_totals[row].item() for row in rows)
        least = request.least or (2 if max(totals) >= FREQUENT else 1)
        columns, seen = self._look_up(rows)
        slots = self._slot_of[columns]
        in_slots = np.zeros((len(words), len(self._names)), seen.dtype)
        for one, into in zip(seen, in_slots, strict=True):
            np.add.at(into, slots, one)
        scores = log_dice(seen, in_slots[:, slots], self._totals[columns])
        plain = np.where(seen > 0, scores, 0.0)
        strength = (seen if request.sort == "count" else plain).sum(axis=0)
        lean = plain[0] - plain[-1]
        often = seen.max(axis=0) >= least
        found, left = [], []
        for number in self._order(in_slots):
            slot, tokens = self._names[number], tuple(in_slots[:, number].tolist())
            shares = tuple(of / all if of else 0.0 for of, all in zip(tokens, totals, strict=True))
            at = np.flatnonzero((slots == number) & often)
            small = max(shares) < request.share if chosen is None else number not in chosen
            if small or not at.size:
                if chosen is None or number in chosen:
                    left.append(slot)
                continue
            if compare is None:
                listed = self._first(columns, strength, at, n)
            else:
                listed = self._part(columns, seen, lean, strength, at, n)
            found.append(
                SketchRelation(
                    slot,
                    self._known[slot][1],
                    self.name(slot, word if compare is None else None),
                    tokens,
                    shares,
                    tuple(
                        self._make_collocate(columns[i], slot, seen[:, i], scores[:, i])
                        for i in listed
                    ),
                    int(at.size) - len(listed),
                )
            )
        return Sketch(words, totals, tuple(found), least, tuple(left))

    def _look_up(self, rows: Sequence[int]) -> tuple[Ints, Array]:
        """Return the columns of the words' contexts, and the count of each word in each context."""
        matrix = self.counts.matrix
        spans = [slice(*matrix.indptr[row : row + 2]) for row in rows]
        if len(rows) == 1:
            return matrix.indices[spans[0]], matrix.data[None, spans[0]]
        # The stable sort is fast for concatenated sorted sequences.
        columns = np.sort(np.concatenate([matrix.indices[span] for span in spans]), kind="stable")
        columns = columns[np.diff(columns, prepend=-1) > 0]
        seen = np.zeros((len(rows), columns.size), matrix.dtype)
        for into, span in zip(seen, spans, strict=True):
            into[np.searchsorted(columns, matrix.indices[span])] = matrix.data[span]
        return columns, seen

    def _choose(self, relations: Sequence[str]) -> set[int] | None:
        """Return the indices of the requested relations, or None for all of them."""
        if isinstance(relations, str):
            relations = [relations]
        chosen: set[int] = set()
        for name in relations:
            some = {
                number
                for number, slot in enumerate(self._names)
                if name == slot or name in self._known[slot]
            }
            if not some:
                parts = (part for both in self._known.values() for part in both)
                known = {*self._names, *parts}
                raise UnknownName("relation", name, known - {""}, few=self._main_relations())
            chosen |= some
        return chosen if relations else None

    def _main_relations(self) -> list[str]:
        """Return the names of relations without prepositions, most frequent first."""
        tokens: dict[str, float] = {}
        totals = np.bincount(self._slot_of, self._totals, len(self._names))
        for slot, total in zip(self._names, totals.tolist(), strict=True):
            relation = self._known[slot][0]
            tokens[relation] = tokens.get(relation, 0) + total
        return sorted(filter(None, tokens), key=lambda one: (-tokens[one], one))

    def _order(self, in_slots: Array) -> list[int]:
        """Return the relations in display order. Prepositions come last, sorted by frequency."""
        tokens = in_slots.sum(axis=0)
        groups: dict[str, float] = {}
        seen = np.flatnonzero(tokens).tolist()
        for number in seen:
            group = self._known[self._names[number]][1]
            groups[group] = groups.get(group, 0) + tokens[number]

        def place(number: int) -> tuple[Any, ...]:
            slot = self._names[number]
            relation, group = self._known[slot]
            if group:
                return 2, -groups[group], group, [*_PHRASES].index(relation), slot
            if relation in _NAMES:
                return 0, [*_NAMES].index(relation), slot
            return 1, -tokens[number], slot

        return sorted(seen, key=place)

    def _part(
        self, columns: Ints, seen: Array, lean: Floats, strength: Array, at: Ints, n: int
    ) -> list[int]:
        """Return the n best collocates of only the first word, of both, and of only the second."""
        one, other = seen[:, at] > 0
        only, both, others = (
            self._first(columns, strength, at[kind], n)
            for kind in (one & ~other, one & other, other & ~one)
        )
        both.sort(key=lambda i: (-lean[i], self.counts.contexts[columns[i]]))
        return [*only, *both, *others]

    def _first(self, columns: Ints, strength: Array, at: Ints, n: int) -> list[int]:
        """Return the n collocates with the highest scores. Ties are broken alphabetically."""
        if at.size > n:
            bar = np.partition(strength[at], at.size - n)[at.size - n]
            at = at[strength[at] >= bar]
        contexts = self.counts.contexts
        found: list[int] = at.tolist()
        found.sort(key=lambda i: (-strength[i], contexts[columns[i]]))
        return found[:n]

    def _make_collocate(self, column: int, slot: str, seen: Array, scores: Floats) -> Collocate:
        """Return a collocate from its column, counts and scores."""
        context = str(self.counts.contexts[column])
        name = _drop_slot(context, slot)
        known = tuple(None if np.isnan(one) else float(one) for one in scores)
        return Collocate(context, name, tuple(seen.tolist()), known)


def _drop_slot(context: str, slot: str) -> str:
    """Return a context without its relation, e.g. have for obj:have."""
    prefix = f"{slot}:"
    return context.removeprefix(prefix) if slot and context != prefix else context


def _drop_tag(word: str) -> str:
    """Return a word without its part of speech, e.g. drink for drink/VERB."""
    bare, _, tag = word.rpartition("/")
    return bare if bare and tag in UPOS else word


def _find_slots(counts: Counts) -> tuple[list[str], Ints, dict[str, tuple[str, str]]]:
    """Return the relations of all contexts: names, an index for each context, and parsed names.

    If the counts have no relations, infer them from the names of contexts.
    """
    each: Sequence[str] = counts.slots.tolist()
    if not any(each):
        prefixes = (split_slot(context)[0] for context in counts.contexts.tolist())
        each = [slot if _parse(slot)[0] else "" for slot in prefixes]
    numbers: dict[str, int] = {}
    of_context = np.array([numbers.setdefault(slot, len(numbers)) for slot in each], np.int64)
    names, alone = [*numbers], _sole_relation(counts)
    known = {}
    for slot in names:
        known[slot] = (alone, slot) if alone in _PHRASES and slot else _parse(slot or alone)
    return names, of_context, known


def _parse(slot: str) -> tuple[str, str]:
    """Split a slot into relation and preposition. An unknown part is "".

    >>> _parse("~nmod:because_of"), _parse("~nmod:poss"), _parse("dislocated")
    (('~nmod', 'because_of'), ('~nmod:poss', ''), ('', ''))
    """
    if slot in _NAMES:
        return slot, ""
    relation, _, preposition = slot.partition(":")
    return (relation, preposition) if relation in _PHRASES and preposition else ("", "")


def _sole_relation(counts: Counts) -> str:
    """Return the only relation of counts whose context names omit the relation."""
    if _TURNED in counts.provenance.get("steps", ()):
        return ""
    if counts.provenance.get("recipe", {}).get("window"):
        return _NEAR
    relation = counts.relations[0] if len(counts.relations) == 1 else ""
    relation = relation.removesuffix(":prep")
    return relation if relation in _NAMES or relation in _PHRASES else ""
