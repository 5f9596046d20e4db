"""Additional training data (counts, quadruples, thesauri), and word vectors computed from them.

Words with similar contexts, or in the same classes of a thesaurus, have similar vectors.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.contents import Contents, array, texts
from roget.core.counts import Counts
from roget.core.counts.views import ppmi, unit
from roget.core.quadruple import Quadruple
from roget.data import sample
from roget.errors import InputError
from roget.learn.attachment.quads import (
    NOUN,
    Forms,
    LemmatisedQuadruple,
    make_forms,
    other_name,
    traits,
)
from roget.learn.attachment.statistics import split_context
from roget.learn.load import open_classes, open_counts
from roget.learn.representation.background import NONE
from roget.learn.representation.prior import Prior, open_prior
from roget.learn.representation.vectors import decompose
from roget.learn.taxonomy import taxonomy_of
from roget.learn.taxonomy.taxonomy import Taxonomy, climb
from roget.learn.treecut import WordHierarchy

Floats = npt.NDArray[np.float32]

Cells = Mapping[tuple[str, str], float]
"""Sparse matrix entries: counts of words in contexts, or membership weights of words in classes."""

DIMENSIONS = 200

OWN = 0.5
"""Maximum fraction of the training quadruples that may also occur in the bundled sample.

Above it, the bundled sample is not used as additional data.
"""

CLASSES = 0.35
"""Weight of thesaurus classes in word similarity. Contexts have the remaining weight."""

PRIOR = 0.5
"""Weight of prior vectors in word similarity. Contexts and classes share the remaining weight."""

SENSES = 0.5
"""Exponent applied to sense frequencies: 0 = all senses equal, 1 = in proportion to tag counts."""

Places = dict[str, dict[str, float]]


def tabulate(cells: Cells) -> tuple[list[str], list[str], Any]:
    """Build a sparse matrix from cells, and return it with its sorted row and column names."""
    keys = sorted(cells)
    rows, row = np.unique([key[0] for key in keys], return_inverse=True)
    columns, column = np.unique([key[1] for key in keys], return_inverse=True)
    values = np.array([cells[key] for key in keys], dtype=np.float64)
    table = sparse.csr_array((values, (row, column)), shape=(rows.size, columns.size))
    return rows.tolist(), columns.tolist(), table


@dataclass(frozen=True)
class StoredVectors(Contents):
    """Vectors of words and of surface features, rounded to float16."""

    words: list[str] = texts("words")
    table: Floats = array("f", "words", "dimensions", low=-1.01, below=1.01)
    """One unit vector per row."""
    hints: list[str] = texts("hints")
    hinted: Floats = array("f", "hints", "dimensions", low=-65505, below=65505)


class Vectors:
    """Unit vectors of words. Unknown words are represented by their surface features.

    `table` has one row per word in `words`, and `hinted` one row per surface feature in `hints`.
    The vector of an unknown word is the sum of its features' rows, scaled to unit length.
    """

    def __init__(
        self, words: Sequence[str], table: Floats, hints: Sequence[str], hinted: Floats
    ) -> None:
        self.words, self.table, self.hints, self.hinted = list(words), table, list(hints), hinted
        self._rows = {word: row for row, word in enumerate(self.words)}
        self._hints = {hint: row for row, hint in enumerate(self.hints)}

    def look_up(self, words: Sequence[str], raw: Sequence[str]) -> tuple[Any, Floats]:
        """Return the id and the vector of each word. Unknown words have the id −1."""
        places = np.array([self._rows.get(word, -1) for word in words], dtype=np.int64)
        found = self.table[places] if self.words else np.zeros((len(words), 0), dtype=np.float32)
        found[places < 0] = 0
        for at in np.flatnonzero(places < 0).tolist():
            known = [self._hints[name] for name in traits(raw[at]) if name in self._hints]
            if known:
                found[at] = unit(self.hinted[known].sum(axis=0, keepdims=True))[0]
        return places, found

    def combine(self, other: Vectors, weight: float) -> Vectors:
        """Combine these vectors with `other`, whose cosine similarity gets the given weight.

        If a word has only one of the two vectors, it is compared by this vector alone.
        """
        # Scale by √(1 − weight) and √weight. If a word has only one vector, `unit` undoes the
        # scaling.
        words = list(dict.fromkeys([*self.words, *other.words]))
        parts = []
        for one, share in ((self, 1 - weight), (other, weight)):
            wide = np.zeros((len(words), one.table.shape[1]), dtype=np.float32)
            at = np.array([one._rows.get(word, -1) for word in words])
            wide[at >= 0] = one.table[at[at >= 0]] * np.float32(np.sqrt(share))
            parts.append(wide)
        hinted = np.hstack(
            [self.hinted, np.zeros((len(self.hints), other.table.shape[1]), dtype=np.float32)]
        )
        return Vectors(words, unit(np.hstack(parts)), self.hints, hinted)

    def round(self) -> Vectors:
        """Round the vectors to the precision of stored models."""
        return Vectors.read(self.content())

    def content(self) -> dict[str, Any]:
        """Return the values to store in a model folder."""
        return {
            "words": self.words,
            "table": self.table.astype(np.float16),
            "hints": self.hints,
            "hinted": self.hinted.astype(np.float16),
        }

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Vectors:
        """Restore the vectors from stored values."""
        held = StoredVectors.read(kept)
        table, hinted = held.table.astype(np.float32), held.hinted.astype(np.float32)
        return cls(held.words, table, held.hints, hinted)


def embed_contexts(cells: Cells, seed: int, dimensions: int = DIMENSIONS) -> Vectors:
    """Return word vectors computed by truncated SVD of the PPMI matrix of words and contexts."""
    if not cells:
        return Vectors([], np.zeros((0, 0), np.float32), [], np.zeros((0, 0), np.float32))
    words, contexts, counts = tabulate(cells)
    times, seen = (np.asarray(counts.sum(axis=axis)).ravel() for axis in (1, 0))
    left, values, right = decompose(ppmi(counts, times, seen), dimensions, seed)
    hints = [at for at, name in enumerate(contexts) if name.startswith("^")]
    seen = seen[hints]
    rarity = np.maximum(np.log(seen.max(initial=1.0) / np.maximum(seen, 1e-9)), 0.1)
    hinted = (right[:, hints].T * rarity[:, None]).astype(np.float32)
    table = unit((left * values).astype(np.float32))
    return Vectors(words, table, [contexts[at] for at in hints], hinted)


def embed_classes(cells: Cells, seed: int) -> Vectors:
    """Return word vectors computed by truncated SVD of the class memberships of words.

    Each class is weighted by √(−ln(fraction of words in it)), so small classes count more.
    """
    if not cells:
        return Vectors([], np.zeros((0, 0), np.float32), [], np.zeros((0, 0), np.float32))
    words, _, shares = tabulate(cells)
    held = np.asarray(shares.sum(axis=0)).ravel() / len(words)
    weight = np.sqrt(np.maximum(-np.log(np.minimum(held, 1.0)), 0.0))
    left, values, _ = decompose(sparse.csr_array(shares * weight[None, :]), DIMENSIONS, seed)
    hints = np.zeros((0, values.size), dtype=np.float32)
    return Vectors(words, unit((left * values).astype(np.float32)), [], hints)


@dataclass
class Sources:
    """Additional training data: counts, quadruples from other text, and thesauri."""

    pairs: Counts | None = None
    """Counts of nouns in contexts such as "obj:eat" (object of "eat")."""
    quads: Sequence[Quadruple] = ()
    """Lemmatised quadruples from other text, labelled by a parser."""
    thesauri: Sequence[Any] = ()
    """Thesauri and taxonomies with classes of nouns."""
    verbs: Sequence[Taxonomy] = ()
    """Taxonomies with classes of verbs."""
    prior: Prior | None = None
    """Word vectors from another source."""

    def forms(self) -> Forms:
        """Make a lemmatiser from the frequencies of verbs and nouns in the counts."""
        verbs: Counter[str] = Counter()
        nouns: dict[str, float] = {}
        if self.pairs is not None:
            totals = self.pairs.context_totals.tolist()
            for context, count in zip(self.pairs.contexts.tolist(), totals, strict=True):
                verbs[split_context(context)[1]] += count
            totals = self.pairs.word_totals.tolist()
            nouns = dict(zip(self.pairs.words.tolist(), totals, strict=True))
        return make_forms(verbs, nouns)


def make_sources(
    quads: Sequence[Quadruple],
    pairs: Any,
    thesauri: Sequence[Any],
    wordnet: Any,
    vectors: Any = NONE,
) -> Sources:
    """Load the counts, the quadruples from other text, the thesauri and the prior vectors."""
    if isinstance(pairs, str | os.PathLike):
        pairs = open_counts(pairs, sample="verb_slot_noun")[0]
    counts = sample("verb_slot_noun") if pairs is None else pairs
    if not isinstance(counts, Counts):
        raise InputError(
            f"'pairs' has type {type(pairs).__name__}; expected Counts, or the path to stored "
            "counts",
            code="invalid-input",
        )
    # Use the bundled quadruples, unless the training data come from them.
    others = sample("pp_quads")
    bundled = {one[:4] for one in others}
    if sum(one[:4] in bundled for one in quads) > OWN * len(quads):
        # Otherwise the model would see the labels on which it may be tested.
        others = []
    nouns = [open_classes(one) if isinstance(one, str | os.PathLike) else one for one in thesauri]
    verbs = []
    if wordnet is not None:
        nouns.append(taxonomy_of(wordnet, part="noun"))
        verbs.append(taxonomy_of(wordnet, part="verb"))
    prior = vectors if isinstance(vectors, Prior) else None
    if prior is None and vectors not in (None, NONE):
        prior = open_prior(vectors)
    return Sources(counts, others, nouns, verbs, prior)


def spaces(
    quads: Sequence[Quadruple], normal: Sequence[LemmatisedQuadruple], sources: Sources, seed: int
) -> tuple[Vectors, Vectors]:
    """Return vectors of verbs and nouns from contexts, thesaurus classes and prior vectors."""
    verbs, nouns = tables(quads, normal, sources)
    found = []
    for table, thesauri in ((verbs, sources.verbs), (nouns, sources.thesauri)):
        vectors = embed_contexts(table, seed)
        if thesauri:
            cells = {
                (word, f"{at} {name}"): share
                for at, one in enumerate(thesauri)
                for word, classes in find_classes(one, vectors.words).items()
                for name, share in classes.items()
            }
            vectors = vectors.combine(embed_classes(cells, seed), CLASSES)
        if sources.prior is not None:
            given, known = sources.prior.prepare(vectors.words)
            names = [word for word, has in zip(vectors.words, known, strict=True) if has]
            hinted = np.zeros((0, given.shape[1]), dtype=np.float32)
            vectors = vectors.combine(Vectors(names, given[known], [], hinted), PRIOR)
        found.append(vectors.round())
    return found[0], found[1]


def tables(
    quads: Sequence[Quadruple], normal: Sequence[LemmatisedQuadruple], sources: Sources
) -> tuple[Cells, Cells]:
    """Count the contexts of verbs and nouns. Labels of the training quadruples are not used."""
    verbs: defaultdict[tuple[str, str], float] = defaultdict(float)
    nouns: defaultdict[tuple[str, str], float] = defaultdict(float)
    for noun, context, count in sources.pairs.rows() if sources.pairs is not None else ():
        slot, verb = split_context(context)
        nouns[noun, f"{slot}:{verb}"] += count
        verbs[verb, f"{slot}:{noun}"] += count
        verbs[verb, slot] += count
    for one in sources.quads:
        if one.attachment == NOUN:
            nouns[one.noun1, f"has {one.preposition}:{one.noun2}"] += 1
            nouns[one.noun2, f"of {one.preposition}:{one.noun1}"] += 1
            nouns[one.noun1, f"has {one.preposition}"] += 1
            nouns[one.noun2, f"of {one.preposition}"] += 1
    for verb, first, preposition, second in normal:
        nouns[first, f"obj:{verb}"] += 1
        verbs[verb, f"obj:{first}"] += 1
        for table, word in ((verbs, verb), (nouns, first)):
            table[word, f"before {preposition}:{second}"] += 1
            table[word, f"before {preposition}"] += 1
        nouns[second, f"after {preposition}"] += 1
        nouns[second, f"{preposition}:{verb}"] += 1
        nouns[second, f"after {preposition}:{first}"] += 1
    forms = {
        (word, trait)
        for quad, base in zip(quads, normal, strict=True)
        for word, raw in ((base.noun1, quad.noun1), (base.noun2, quad.noun2))
        for trait in traits(raw)
    }
    for form in forms:
        nouns[form] += 1
    return verbs, nouns


def find_classes(thesaurus: Any, words: Iterable[str]) -> Places:
    """Return the membership weights of each known word in its classes, at every tree level."""
    if isinstance(thesaurus, Taxonomy):
        return _in_taxonomy(thesaurus, words)
    hierarchy = WordHierarchy.from_source(thesaurus, words=False)
    names = list(words)
    found: Places = {}
    for word, row in zip(names, hierarchy.rows(list(map(other_name, names))).tolist(), strict=True):
        if row >= 0:
            part = slice(*hierarchy.shares.indptr[row : row + 2].tolist())
            nodes, shares = hierarchy.shares.indices[part], hierarchy.shares.data[part]
            found[word] = dict(zip(map(str, nodes.tolist()), shares.tolist(), strict=True))
    return found


def _in_taxonomy(taxonomy: Taxonomy, words: Iterable[str]) -> Places:
    """Return the weight of each known word in its concepts and in all broader concepts."""
    parents = taxonomy.acyclic()
    found: Places = {}
    for word in words:
        senses = taxonomy.words.get(other_name(word)) or taxonomy.words.get(word.capitalize())
        if not senses:
            continue
        weights = {name: weight**SENSES for name, weight in senses.items() if weight > 0}
        own: defaultdict[str, float] = defaultdict(float)
        for name, weight in weights.items():
            for one in climb([name], lambda name: parents.get(name, ())):
                own[one] += weight / sum(weights.values())
        found[word] = own
    return found
