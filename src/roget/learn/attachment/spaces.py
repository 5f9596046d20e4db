"""Where the likeness of verbs and nouns comes from: counts, quadruples, classes of thesauri."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roget.core.quadruple import Quadruple
from roget.learn.attachment.evidence import parted
from roget.learn.attachment.quads import NOUN
from roget.learn.attachment.vectors import Table, Vectors, classed, embedded
from roget.learn.attachment.words import Forms, Normal, make_forms, other_name, traits

if TYPE_CHECKING:
    from roget.core.counts import Counts
    from roget.learn.taxonomy.taxonomy import Taxonomy

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
        nouns: Counter[str] = Counter()
        if self.pairs is not None:
            for context, count in zip(
                self.pairs.contexts.tolist(), self.pairs.context_totals.tolist(), strict=True
            ):
                verbs[parted(context)[1]] += count
            for noun, count in zip(
                self.pairs.words.tolist(), self.pairs.word_totals.tolist(), strict=True
            ):
                nouns[noun] += count
        return make_forms(verbs, nouns)


def spaces(
    quads: Sequence[Quadruple], normal: Sequence[Normal], sources: Sources, seed: int
) -> tuple[Vectors, Vectors]:
    """Vectors of verbs and of nouns, by contexts and, where thesauri are given, by classes."""
    verbs, nouns = tables(quads, normal, sources)
    found = []
    for table, thesauri in ((verbs, sources.verbs), (nouns, sources.thesauri)):
        vectors = embedded(table, seed)
        if thesauri:
            places: Places = {}
            for at, one in enumerate(thesauri):
                for word, classes in places_in(one, vectors.words).items():
                    own = places.setdefault(word, {})
                    own.update({f"{at} {name}": share for name, share in classes.items()})
            vectors = vectors.beside(classed(places, seed), CLASSES)
        found.append(vectors.rounded())
    return found[0], found[1]


def tables(
    quads: Sequence[Quadruple], normal: Sequence[Normal], sources: Sources
) -> tuple[Table, Table]:
    """Verbs and nouns with their contexts; no answer of the quadruples learnt from is looked at."""
    verbs, nouns = Table(), Table()
    for noun, context, count in sources.pairs.rows() if sources.pairs is not None else ():
        slot, verb = parted(context)
        nouns.add(noun, f"{slot}:{verb}", count)
        verbs.add(verb, f"{slot}:{noun}", count)
        verbs.add(verb, slot, count)
    for one in sources.quads:
        if one.attachment == NOUN:
            nouns.add(one.noun1, f"has {one.preposition}:{one.noun2}")
            nouns.add(one.noun2, f"of {one.preposition}:{one.noun1}")
            nouns.add(one.noun1, f"has {one.preposition}")
            nouns.add(one.noun2, f"of {one.preposition}")
    for verb, first, preposition, second in normal:
        phrase = f"before {preposition}:{second}"
        nouns.add(first, f"obj:{verb}")
        verbs.add(verb, f"obj:{first}")
        for table, word in ((verbs, verb), (nouns, first)):
            table.add(word, phrase)
            table.add(word, f"before {preposition}")
        nouns.add(second, f"after {preposition}")
        nouns.add(second, f"{preposition}:{verb}")
        nouns.add(second, f"after {preposition}:{first}")
    forms: dict[tuple[str, str], None] = {}
    for quad, base in zip(quads, normal, strict=True):
        for word, raw in ((base.noun1, quad.noun1), (base.noun2, quad.noun2)):
            forms |= dict.fromkeys((word, trait) for trait in traits(raw))
    for word, trait in forms:
        nouns.add(word, trait)
    return verbs, nouns


def places_in(thesaurus: Any, words: Iterable[str]) -> Places:
    """How much of each word lies in each class, at every level; words not in it are left out."""
    from roget.learn.taxonomy.taxonomy import Taxonomy

    if isinstance(thesaurus, Taxonomy):
        return _in_taxonomy(thesaurus, words)
    from roget.learn.treecut import Hierarchy

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
    above: dict[str, set[str]] = {}
    found: Places = {}
    for word in words:
        senses = taxonomy.words.get(other_name(word)) or taxonomy.words.get(word.capitalize())
        if not senses:
            continue
        weights = {name: weight**SENSES for name, weight in senses.items() if weight > 0}
        own = found[word] = {}
        for name, weight in weights.items():
            for one in _closure(name, parents, above):
                own[one] = own.get(one, 0.0) + weight / sum(weights.values())
    return found


def _closure(
    name: str, parents: Mapping[str, Sequence[str]], done: dict[str, set[str]]
) -> set[str]:
    """A class with all classes above it; none lies above itself."""
    waiting = [name]
    while waiting:
        above = parents.get(waiting[-1], ())
        missing = [one for one in above if one not in done]
        if missing:
            waiting += missing
        else:
            last = waiting.pop()
            done[last] = {last}.union(*(done[one] for one in above))
    return done[name]
