"""SKOS and SKOS-XL thesauri, as classes and words; nothing is fetched."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from roget.core.io.source import source_of
from roget.core.io.values import whole_number
from roget.core.progress import Report
from roget.errors import InputError
from roget.learn.taxonomy import triples
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.thesaurus.edits import Note
from roget.learn.thesaurus.nodes import LISTED

ROGET = "urn:x-roget:"
WORD, WORD_CLASS = ROGET + "Word", ROGET + "WordClass"
"""What our own exports call concepts that are words, and classes whose labels are no words."""

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SKOS = "http://www.w3.org/2004/02/skos/core#"
XL = "http://www.w3.org/2008/05/skos-xl#"

BROADER, NARROWER = SKOS + "broader", SKOS + "narrower"
TOP, HAS_TOP = SKOS + "topConceptOf", SKOS + "hasTopConcept"
_LABELS = {SKOS + "prefLabel": 0, SKOS + "altLabel": 1, XL + "literalForm": -1}
"""Texts: preferred labels, alternative ones, and those of labels that are things of their own."""
_EXTENDED = {XL + "prefLabel": 0, XL + "altLabel": 1}
_OURS = {
    ROGET + name
    for name in ("id", "split", "count", "memberships", "state", "levels", "minChildren")
}
"""What our own exports tell programs."""
_WRITTEN = {SKOS + "definition": "definition", SKOS + "editorialNote": "note"}
"""What people write about classes and words."""
_ID = re.compile("class-([0-9]+)$")
"""How addresses of our classes end."""
PREDICATES = {TYPE, BROADER, NARROWER, TOP, HAS_TOP, *_LABELS, *_EXTENDED, *_OURS, *_WRITTEN}


@dataclass
class Concepts:
    """What a file says of its concepts: addresses, links and labels in one language."""

    kinds: dict[str, set[str]] = field(
        default_factory=lambda: {WORD: set(), WORD_CLASS: set(), SKOS + "Concept": set()}
    )
    """Type → what is of it."""
    broader: dict[str, set[str]] = field(default_factory=dict)
    """Concept → what it calls broader."""
    narrower: dict[str, set[str]] = field(default_factory=dict)
    """Concept → what calls it narrower."""
    tops: set[str] = field(default_factory=set)
    labels: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)
    """Concept → its preferred and its alternative labels."""
    spoken: set[str] = field(default_factory=set)
    """The languages of labels."""
    told: dict[str, dict[str, str]] = field(default_factory=dict)
    """What our exports tell programs: name → subject → text."""
    written: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Subject and "definition" or "note" → what people wrote."""

    @property
    def concepts(self) -> set[str]:
        """Everything that is called a concept, or stands where only a concept can."""
        linked = [*self.broader.values(), *self.narrower.values()]
        return self.kinds[SKOS + "Concept"].union(self.tops, self.broader, self.narrower, *linked)

    def above(self, concept: str) -> set[str]:
        """The concepts above one; of ours, which say it both ways, as the concept itself says."""
        broader = self.broader.get(concept, set())
        if broader and (concept in self.kinds[WORD] or concept in self.kinds[WORD_CLASS]):
            return broader
        return broader | self.narrower.get(concept, set())

    def note(self, concept: str) -> Note:
        """What was written about a concept."""
        return Note(*("\n".join(self.written.get((concept, name), ())) for name in Note._fields))


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
    ids = read_ids(found, place)
    counts = _numbers(found.told.get("count", {}), place)
    splits = _numbers(found.told.get("split", {}), place)
    shares = found.told.get("memberships", {})
    by_id = {str(id): concept for concept, id in ids.items()}
    taxonomy = Taxonomy(
        source_of(str(place)).stem, language=language or min(found.spoken, default=None)
    )
    for concept in sorted(found.concepts, key=_natural):
        preferred, others = found.labels.get(concept, ([], []))
        above = sorted(found.above(concept), key=_natural)
        if concept in words and above:
            for word in preferred:
                for name, share in _share(above, shares.get(concept, ""), by_id).items():
                    taxonomy.add(word, name, share)
                if concept in counts:
                    taxonomy.counts[word] = counts[concept]
                if any(note := found.note(concept)):
                    taxonomy.word_notes[word] = note
            continue
        if concept in named and any(note := found.note(concept)):
            taxonomy.notes[concept] = note
        if concept in named and concept in ids:
            taxonomy.ids[concept] = ids[concept]
        if concept in splits:
            taxonomy.order[concept] = splits[concept]
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
    written: dict[tuple[str, str], list[tuple[str, str]]] = {}
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
            found.broader.setdefault(subject, set()).add(object)
        elif predicate == NARROWER:
            found.narrower.setdefault(object, set()).add(subject)
        elif predicate == TOP:
            found.tops.add(subject)
        elif predicate == HAS_TOP:
            found.tops.add(object)
        elif predicate in _OURS:
            found.told.setdefault(predicate.removeprefix(ROGET), {})[subject] = object
        elif tongue is not None and (not wanted or not tongue or speaks(tongue, wanted)):
            written.setdefault((subject, _WRITTEN[predicate]), []).append((tongue, object))
    found.spoken = heard.keys() - {""}
    _check_languages(found.spoken, place, language)
    found.written = {
        about: sorted(text for tongue, text in texts if heard.get(tongue, False) or wanted)
        for about, texts in written.items()
    }
    for label, said in forms.items():
        for holder in holders.get(label, ()):
            labels.setdefault(holder, set()).update(said)
    for (concept, rank), texts in sorted(labels.items()):
        known = found.labels.setdefault(concept, ([], []))
        known[rank].extend(text for text in sorted(texts) if not rank or text not in known[0])
    return found


def _share(above: list[str], told: str, by_id: Mapping[str, str]) -> dict[str, float]:
    """How much of a word each class has: as told, where its classes are still those.

    A word that was put into other classes belongs to these, by what is told of them or else alike.
    """
    pairs = [part.partition(":") for part in told.split()]
    try:
        known = {by_id[id]: float(share) for id, _, share in pairs if id in by_id}
    except ValueError:
        known = {}
    listed = {name for name, share in known.items() if share >= LISTED}
    if known.keys() >= set(above) >= listed:
        return known
    return {name: known.get(name, 0.0) or 1 / len(above) for name in above}


def read_ids(found: Concepts, place: Path, *, by_address: bool = False) -> dict[str, int]:
    """The ids of classes, if asked by their addresses where none is told; no two are the same."""
    told = dict(found.told.get("id", {}))
    for concept in found.kinds[WORD_CLASS] - told.keys() if by_address else ():
        if match := _ID.search(concept):
            told[concept] = match[1]
    ids: dict[str, int] = {}
    holders: dict[int, str] = {}
    for concept, text in sorted(told.items()):
        id = whole_number(text)
        if id is None:
            raise InputError(
                f"{place}: {concept:.80} has the id {text!r:.60}: expected a whole number"
            )
        if id in holders:
            raise InputError(
                f"{place}: {holders[id]} and {concept} have the id {id}: expected one class of it"
            )
        ids[concept] = id
        holders[id] = concept
    return ids


def _numbers(told: Mapping[str, str], place: Path) -> dict[str, float]:
    """What is told of subjects, as numbers."""
    found = {}
    for subject, text in told.items():
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not 0 <= number < math.inf:
            raise InputError(f"{place}: {subject} has the number {text!r:.60}: expected 0 or more")
        found[subject] = number
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
