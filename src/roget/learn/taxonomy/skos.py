"""SKOS and SKOS-XL thesauri, as classes and words; nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from roget.core.io.source import source_of
from roget.core.progress import Report
from roget.errors import InputError
from roget.learn.taxonomy import triples
from roget.learn.taxonomy.taxonomy import Taxonomy

WORD, WORD_CLASS = "urn:x-roget:Word", "urn:x-roget:WordClass"
"""What our own exports call concepts that are words, and classes whose labels are no words."""

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SKOS = "http://www.w3.org/2004/02/skos/core#"
XL = "http://www.w3.org/2008/05/skos-xl#"

BROADER, NARROWER = SKOS + "broader", SKOS + "narrower"
TOP, HAS_TOP = SKOS + "topConceptOf", SKOS + "hasTopConcept"
_LABELS = {SKOS + "prefLabel": 0, SKOS + "altLabel": 1, XL + "literalForm": -1}
"""Texts: preferred labels, alternative ones, and those of labels that are things of their own."""
_EXTENDED = {XL + "prefLabel": 0, XL + "altLabel": 1}
PREDICATES = {TYPE, BROADER, NARROWER, TOP, HAS_TOP, *_LABELS, *_EXTENDED}


@dataclass
class Concepts:
    """What a file says of its concepts: addresses, links and labels in one language."""

    kinds: dict[str, set[str]] = field(
        default_factory=lambda: {WORD: set(), WORD_CLASS: set(), SKOS + "Concept": set()}
    )
    """Type → what is of it."""
    links: set[tuple[str, str]] = field(default_factory=set)
    """Each concept and one that is broader."""
    tops: set[str] = field(default_factory=set)
    labels: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)
    """Concept → its preferred and its alternative labels."""
    spoken: set[str] = field(default_factory=set)
    """The languages of labels."""

    @property
    def concepts(self) -> set[str]:
        """Everything that is called a concept, or stands where only a concept can."""
        return self.kinds[SKOS + "Concept"].union(self.tops, *self.links)


def read(
    place: Path,
    language: str | None = None,
    part: str | None = None,
    progress: Report | None = None,
) -> Taxonomy:
    """The taxonomy of a SKOS file: concepts are classes, and their labels the words in them.

    Labels are preferred and alternative ones of SKOS or SKOS-XL, in one language or in none. Of
    several broader concepts the first by address is kept.
    """
    found = gather(triples.read(place, PREDICATES, progress), place, language)
    if not found.concepts:
        raise InputError(f"{place}: there is no skos:Concept")
    words, named = found.kinds[WORD], found.kinds[WORD_CLASS]
    parents: dict[str, list[str]] = {}
    for low, high in sorted(found.links, key=lambda link: (_natural(link[0]), _natural(link[1]))):
        parents.setdefault(low, []).append(high)
    taxonomy = Taxonomy(
        source_of(str(place)).stem, language=language or min(found.spoken, default=None)
    )
    for concept in sorted(found.concepts, key=_natural):
        preferred, others = found.labels.get(concept, ([], []))
        above = parents.get(concept, [])
        if concept in words and above:
            for word in preferred:
                for name in above:
                    taxonomy.add(word, name)
            continue
        # A class of ours has an alternative label where its own was not alone.
        first = [*others, *preferred] if concept in named else [*preferred, *others]
        taxonomy.labels[concept] = first[0] if first else re.split("[#/:]", concept)[-1]
        if above:
            taxonomy.parents[concept] = above
        for word in () if concept in named else dict.fromkeys(first):
            taxonomy.add(word, concept)
    return taxonomy


def gather(
    statements: Iterable[triples.Triple], place: Path, language: str | None = None
) -> Concepts:
    """What statements say of concepts, with the labels of one language.

    Labels of other languages are dropped as they come, so that a file of many takes the memory of
    one.
    """
    found, wanted = Concepts(), (language or "").lower()
    labels: dict[tuple[str, int], set[str]] = {}
    # A label of SKOS-XL is a thing of its own: who has it, and what it says.
    holders: dict[str, list[tuple[str, int]]] = {}
    forms: dict[str, list[str]] = {}
    heard: dict[str, bool] = {"": True}
    """Whether the labels of a language are kept."""
    for subject, predicate, object, tongue in statements:
        if predicate in _LABELS:
            if tongue is None or not object:
                continue
            if tongue not in heard:
                # A second one is an error in the end, which names all of them.
                heard[tongue] = speaks(tongue, wanted) if wanted else len(heard) == 1
            if not heard[tongue]:
                continue
            rank = _LABELS[predicate]
            if rank < 0:
                forms.setdefault(subject, []).append(object)
            else:
                labels.setdefault((subject, rank), set()).add(object)
        elif predicate in _EXTENDED:
            holders.setdefault(object, []).append((subject, _EXTENDED[predicate]))
        elif predicate == TYPE:
            if object in found.kinds:
                found.kinds[object].add(subject)
        elif predicate == BROADER:
            found.links.add((subject, object))
        elif predicate == NARROWER:
            found.links.add((object, subject))
        elif predicate == TOP:
            found.tops.add(subject)
        elif predicate == HAS_TOP:
            found.tops.add(object)
    found.spoken = heard.keys() - {""}
    _check_languages(found.spoken, place, language)
    for label, said in forms.items():
        for holder in holders.get(label, ()):
            labels.setdefault(holder, set()).update(said)
    for (concept, rank), texts in sorted(labels.items()):
        known = found.labels.setdefault(concept, ([], []))
        known[rank].extend(text for text in sorted(texts) if not rank or text not in known[0])
    return found


def _check_languages(spoken: set[str], place: Path, language: str | None) -> None:
    listed = ", ".join(sorted(spoken))
    if language is None and len(spoken) > 1:
        raise InputError(f"{place}: labels in {listed}: name one language")
    if language and spoken and not any(speaks(tongue, language.lower()) for tongue in spoken):
        raise InputError(f"{place}: no label in {language!r}; there are {listed}")


def speaks(tongue: str, wanted: str) -> bool:
    """Whether a language is one that is asked for, or a kind of it."""
    return tongue == wanted or tongue.startswith(wanted + "-")


def _natural(address: str) -> tuple[list[tuple[int, str]], str]:
    """Sorts class-2 before class-10."""
    parts = re.split("([0-9]{1,18})", address)
    found = [(int(part), "") if at % 2 else (-1, part) for at, part in enumerate(parts)]
    return found, address
