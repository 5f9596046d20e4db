"""Read SKOS and SKOS-XL thesauri as classes and words; nothing is downloaded."""

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
"""Types in our exports: concepts that are words, and classes whose labels are not words."""

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SKOS = "http://www.w3.org/2004/02/skos/core#"
XL = "http://www.w3.org/2008/05/skos-xl#"

BROADER, NARROWER = SKOS + "broader", SKOS + "narrower"
TOP, HAS_TOP = SKOS + "topConceptOf", SKOS + "hasTopConcept"
_LABELS = {SKOS + "prefLabel": 0, SKOS + "altLabel": 1, XL + "literalForm": -1}
"""Label predicates: preferred, alternative, and the literal form of SKOS-XL labels."""
_EXTENDED = {XL + "prefLabel": 0, XL + "altLabel": 1}
_OURS = {
    ROGET + name
    for name in ("id", "split", "count", "memberships", "state", "levels", "minChildren")
}
"""Predicates of our exports."""
_WRITTEN = {SKOS + "definition": "definition", SKOS + "editorialNote": "note"}
"""Predicates of definitions and notes."""
_ID = re.compile("class-([0-9]+)$")
"""End of the addresses of our classes."""
PREDICATES = {TYPE, BROADER, NARROWER, TOP, HAS_TOP, *_LABELS, *_EXTENDED, *_OURS, *_WRITTEN}


@dataclass
class Concepts:
    """The concepts of a file: addresses, links, and labels in one language."""

    kinds: dict[str, set[str]] = field(
        default_factory=lambda: {WORD: set(), WORD_CLASS: set(), SKOS + "Concept": set()}
    )
    """Type → concepts."""
    broader: dict[str, set[str]] = field(default_factory=dict)
    """Concept → concepts it calls broader."""
    narrower: dict[str, set[str]] = field(default_factory=dict)
    """Concept → concepts that call it narrower."""
    tops: set[str] = field(default_factory=set)
    labels: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)
    """Concept → its preferred and its alternative labels."""
    spoken: set[str] = field(default_factory=set)
    """The languages of labels."""
    told: dict[str, dict[str, str]] = field(default_factory=dict)
    """Values of our own predicates: name → subject → text."""
    written: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Subject and "definition" or "note" → texts."""

    @property
    def concepts(self) -> set[str]:
        """All subjects typed as concepts or linked like concepts."""
        linked = [*self.broader.values(), *self.narrower.values()]
        return self.kinds[SKOS + "Concept"].union(self.tops, self.broader, self.narrower, *linked)

    def above(self, concept: str) -> set[str]:
        """Return the broader concepts; our exports state both directions, so only its own."""
        broader = self.broader.get(concept, set())
        if broader and (concept in self.kinds[WORD] or concept in self.kinds[WORD_CLASS]):
            return broader
        return broader | self.narrower.get(concept, set())

    def note(self, concept: str) -> Note:
        """Return the definition and note of a concept."""
        return Note(*("\n".join(self.written.get((concept, name), ())) for name in Note._fields))


def read(
    place: Path,
    language: str | None = None,
    part: str | None = None,
    progress: Report | None = None,
) -> Taxonomy:
    """Read the taxonomy of a SKOS file: concepts are classes, and their labels are words.

    Labels are preferred and alternative labels of SKOS or SKOS-XL, in one language or without
    language. Broader concepts are sorted by address.
    """
    found = gather(triples.read(place, PREDICATES, progress), place, language)
    if not found.concepts:
        raise InputError(f"{place}: no skos:Concept", code="empty-input")
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
        # Our exports put the plain label second if it is not unique.
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
    """Collect the concepts of statements, with the labels of one language.

    Labels of other languages are dropped immediately, to save memory.
    """
    found, wanted = Concepts(), (language or "").lower()
    labels: dict[tuple[str, int], set[str]] = {}
    # A SKOS-XL label is a resource: the concepts that have it, and its literal forms.
    holders: dict[str, list[tuple[str, int]]] = {}
    forms: dict[str, list[str]] = {}
    written: dict[tuple[str, str], list[tuple[str, str]]] = {}
    # Whether the labels of a language are kept.
    heard: dict[str, bool] = {"": True}
    for subject, predicate, object, tongue in statements:
        if predicate in _LABELS:
            if tongue is None or not object:
                continue
            if tongue not in heard:
                # A second language is an error at the end, which lists all of them.
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
    """Return the share of each class in a word: as exported, if its classes are unchanged.

    A word that was moved belongs to its new classes, with the exported shares or else equally.
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
    """Return the unique ids of classes; with `by_address`, missing ids are read off addresses."""
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
                f"{place}: {concept:.80} has the id {text!r:.60}: expected a whole number",
                code="invalid-input",
            )
        if id in holders:
            raise InputError(
                f"{place}: {holders[id]} and {concept} have the same id {id}", code="duplicate-name"
            )
        ids[concept] = id
        holders[id] = concept
    return ids


def _numbers(told: Mapping[str, str], place: Path) -> dict[str, float]:
    """Parse the values of subjects as numbers."""
    found = {}
    for subject, text in told.items():
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not 0 <= number < math.inf:
            raise InputError(
                f"{place}: {subject} has the value {text!r:.60}: expected a number ≥ 0",
                code="bad-count",
            )
        found[subject] = number
    return found


def _check_languages(spoken: set[str], place: Path, language: str | None) -> None:
    listed = ", ".join(sorted(spoken))
    if language is None and len(spoken) > 1:
        raise InputError(
            f"{place}: labels in several languages ({listed}): choose one with --language",
            code="label-language",
        )
    if language and spoken and not any(speaks(tongue, language.lower()) for tongue in spoken):
        raise InputError(
            f"{place}: no label in {language!r}; languages: {listed}", code="label-language"
        )


def speaks(tongue: str, wanted: str) -> bool:
    """Return whether a language tag equals a requested one, or is a variant of it."""
    return tongue == wanted or tongue.startswith(wanted + "-")


def _natural(address: str) -> tuple[list[tuple[int, str]], str]:
    """Return a sort key that puts class-2 before class-10."""
    parts = re.split("([0-9]{1,18})", address)
    found = [(int(part), "") if at % 2 else (-1, part) for at, part in enumerate(parts)]
    return found, address
