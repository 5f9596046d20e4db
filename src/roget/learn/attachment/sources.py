"""What a model may learn from besides its quadruples: counts, other quadruples, thesauri."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roget.core.counts import Counts
from roget.core.quadruple import Quadruple
from roget.data import sample
from roget.errors import InputError
from roget.learn.attachment.quads import NOUN
from roget.learn.attachment.tally import split_context
from roget.learn.attachment.vectors import Cells, Vectors, classed, embedded
from roget.learn.attachment.words import Forms, Normal, make_forms, other_name, traits
from roget.learn.opening import open_classes, open_counts
from roget.learn.taxonomy import taxonomy_of
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.treecut import Hierarchy

OWN = 0.5
"""Where more of the quadruples than this are bundled ones, these are no other text."""

CLASSES = 0.35
"""How much of the likeness of two words is that of their classes, where thesauri know both."""

SENSES = 0.5
"""The power of the weights of a word's senses: between all alike and as often as tagged."""

Places = dict[str, dict[str, float]]


@dataclass
class Sources:
    """What is known besides the quadruples that are learnt from."""

    pairs: Counts | None = None
    """Nouns in contexts such as "obj:eat"."""
    quads: Sequence[Quadruple] = ()
    """Quadruples of other text by base forms, with answers that a parser gave."""
    thesauri: Sequence[Any] = ()
    """Thesauri or taxonomies of nouns."""
    verbs: Sequence[Taxonomy] = ()
    """Taxonomies of verbs."""

    def forms(self) -> Forms:
        """Base forms, chosen among the verbs and nouns of the counts."""
        verbs: Counter[str] = Counter()
        nouns: dict[str, float] = {}
        if self.pairs is not None:
            totals = self.pairs.context_totals.tolist()
            for context, count in zip(self.pairs.contexts.tolist(), totals, strict=True):
                verbs[split_context(context)[1]] += count
            totals = self.pairs.word_totals.tolist()
            nouns = dict(zip(self.pairs.words.tolist(), totals, strict=True))
        return make_forms(verbs, nouns)


def sources_of(
    quads: Sequence[Quadruple], pairs: Any, thesauri: Sequence[Any], wordnet: Any
) -> Sources:
    """Counts, quadruples of other text, and thesauri, opened where they are given by name."""
    if isinstance(pairs, str | os.PathLike):
        pairs = open_counts(pairs, sample="verb_slot_noun")[0]
    counts = sample("verb_slot_noun") if pairs is None else pairs
    if not isinstance(counts, Counts):
        raise InputError(
            f"pairs {type(pairs).__name__}: expected Counts, or the name of their file"
        )
    others = sample("pp_quads")
    bundled = {one[:4] for one in others}
    if sum(one[:4] in bundled for one in quads) > OWN * len(quads):
        # A test on the rest of the sample would find its own answers there.
        others = []
    nouns = [open_classes(one) if isinstance(one, str | os.PathLike) else one for one in thesauri]
    verbs = []
    if wordnet is not None:
        nouns.append(taxonomy_of(wordnet, part="noun"))
        verbs.append(taxonomy_of(wordnet, part="verb"))
    return Sources(counts, others, nouns, verbs)


def spaces(
    quads: Sequence[Quadruple], normal: Sequence[Normal], sources: Sources, seed: int
) -> tuple[Vectors, Vectors]:
    """Vectors of verbs and of nouns, by contexts and, where thesauri are given, by classes."""
    verbs, nouns = tables(quads, normal, sources)
    found = []
    for table, thesauri in ((verbs, sources.verbs), (nouns, sources.thesauri)):
        vectors = embedded(table, seed)
        if thesauri:
            cells = {
                (word, f"{at} {name}"): share
                for at, one in enumerate(thesauri)
                for word, classes in places_in(one, vectors.words).items()
                for name, share in classes.items()
            }
            vectors = vectors.beside(classed(cells, seed), CLASSES)
        found.append(vectors.rounded())
    return found[0], found[1]


def tables(
    quads: Sequence[Quadruple], normal: Sequence[Normal], sources: Sources
) -> tuple[Cells, Cells]:
    """Verbs and nouns with their contexts; no answer of the quadruples learnt from is looked at."""
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


def places_in(thesaurus: Any, words: Iterable[str]) -> Places:
    """How much of each word lies in each class, at every level; words not in it are left out."""
    if isinstance(thesaurus, Taxonomy):
        return _in_taxonomy(thesaurus, words)
    hierarchy = Hierarchy.of(thesaurus, words=False)
    names = list(words)
    found: Places = {}
    for word, row in zip(names, hierarchy.rows(list(map(other_name, names))).tolist(), strict=True):
        if row >= 0:
            part = slice(*hierarchy.shares.indptr[row : row + 2].tolist())
            nodes, shares = hierarchy.shares.indices[part], hierarchy.shares.data[part]
            found[word] = dict(zip(map(str, nodes.tolist()), shares.tolist(), strict=True))
    return found


def _in_taxonomy(taxonomy: Taxonomy, words: Iterable[str]) -> Places:
    """A class has all of what its parts have, whichever way up."""
    parents = taxonomy.acyclic()
    found: Places = {}
    for word in words:
        senses = taxonomy.words.get(other_name(word)) or taxonomy.words.get(word.capitalize())
        if not senses:
            continue
        weights = {name: weight**SENSES for name, weight in senses.items() if weight > 0}
        own: defaultdict[str, float] = defaultdict(float)
        for name, weight in weights.items():
            for one in _closure(name, parents):
                own[one] += weight / sum(weights.values())
        found[word] = own
    return found


def _closure(name: str, parents: Mapping[str, Sequence[str]]) -> set[str]:
    """A class with all classes above it."""
    found, waiting = {name}, [name]
    while waiting:
        more = set(parents.get(waiting.pop(), ())) - found
        found |= more
        waiting += more
    return found
