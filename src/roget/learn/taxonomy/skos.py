"""Read SKOS and SKOS-XL thesauri as classes and words, without network access."""

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
from roget.learn.taxonomy.taxonomy import ROOT, Taxonomy
from roget.learn.thesaurus.edits import Note
from roget.learn.thesaurus.thesaurus import LISTED

ROGET = "urn:x-roget:"
WORD, WORD_CLASS = ROGET + "Word", ROGET + "WordClass"
"""RDF types in roget's exports: words, and classes that are not words."""

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SKOS = "http://www.w3.org/2004/02/skos/core#"
XL = "http://www.w3.org/2008/05/skos-xl#"

BROADER, NARROWER = SKOS + "broader", SKOS + "narrower"
TOP, HAS_TOP = SKOS + "topConceptOf", SKOS + "hasTopConcept"
_LABELS = {SKOS + "prefLabel": 0, SKOS + "altLabel": 1, XL + "literalForm": -1}
"""Predicates of preferred and alternative labels, and of the text of SKOS-XL labels."""
_EXTENDED = {XL + "prefLabel": 0, XL + "altLabel": 1}
_OURS = {
    ROGET + name
    for name in (
        *("id", "split", "count", "memberships", "state"),
        *("levels", "buildLevels", "leftOut", "minChildren", "root"),
    )
}
"""Predicates defined by roget."""
_WRITTEN = {SKOS + "definition": "definition", SKOS + "editorialNote": "note"}
"""Predicates for definitions and notes."""
_ID = re.compile("class-([0-9]+)$")
"""Pattern that matches the end of class URIs in roget's exports."""
PREDICATES = {TYPE, BROADER, NARROWER, TOP, HAS_TOP, *_LABELS, *_EXTENDED, *_OURS, *_WRITTEN}


@dataclass
class Concepts:
    """The concepts of a file by URI, with their links and their labels in one language."""

    kinds: dict[str, set[str]] = field(
        default_factory=lambda: {WORD: set(), WORD_CLASS: set(), SKOS + "Concept": set()}
    )
    """Concepts by RDF type."""
    broader: dict[str, set[str]] = field(default_factory=dict)
    """For each concept, the targets of its skos:broader links."""
    narrower: dict[str, set[str]] = field(default_factory=dict)
    """For each concept, the concepts that have a skos:narrower link to it."""
    tops: set[str] = field(default_factory=set)
    labels: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)
    """Preferred and alternative labels of each concept."""
    languages: set[str] = field(default_factory=set)
    """Languages of all labels in the file."""
    own: dict[str, dict[str, str]] = field(default_factory=dict)
    """Values of roget's own predicates, by predicate and subject."""
    written: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Definitions and notes, by subject and kind ("definition" or "note")."""

    @property
    def concepts(self) -> set[str]:
        """All resources with the type of a concept or with links between concepts."""
        linked = [*self.broader.values(), *self.narrower.values()]
        return self.kinds[SKOS + "Concept"].union(self.tops, self.broader, self.narrower, *linked)

    def above(self, concept: str) -> set[str]:
        """Return the broader concepts of a concept.

        Both skos:broader and skos:narrower links are used. Roget's exports contain both, so reading
        `broader` is sufficient for them.
        """
        broader = self.broader.get(concept, set())
        if broader and (concept in self.kinds[WORD] or concept in self.kinds[WORD_CLASS]):
            return broader
        return broader | self.narrower.get(concept, set())

    def note(self, concept: str) -> Note:
        """Return the definition and the note of a concept."""
        return Note(*("\n".join(self.written.get((concept, name), ())) for name in Note._fields))


def read(
    place: Path,
    language: str | None = None,
    part: str | None = None,
    progress: Report | None = None,
) -> Taxonomy:
    """Read a SKOS file as a taxonomy in which concepts are classes and their labels are words.

    Words are the preferred and alternative labels of SKOS or SKOS-XL, in one language or without a
    language tag. Broader concepts are sorted by URI.
    """
    found = gather(triples.read(place, PREDICATES, progress), place, language)
    if not found.concepts:
        raise InputError(f"{place}: no skos:Concept found", code="empty-input")
    words, named = found.kinds[WORD], found.kinds[WORD_CLASS]
    ids = read_ids(found, place)
    counts = _numbers(found.own.get("count", {}), place)
    splits = _numbers(found.own.get("split", {}), place)
    shares = found.own.get("memberships", {})
    by_id = {str(id): concept for concept, id in ids.items()}
    taxonomy = Taxonomy(
        source_of(str(place)).stem, language=language or min(found.languages, default=None)
    )
    for id in _numbers(found.own.get("root", {}), place).values():
        taxonomy.ids[ROOT] = int(id)
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
        # Roget's exports make preferred labels unique, and keep the original as the alternative
        # label.
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
    """Collect the concepts in RDF statements, with their labels in one language.

    Labels in other languages are dropped immediately to save memory.
    """
    found, requested = Concepts(), (language or "").lower()
    labels: dict[tuple[str, int], set[str]] = {}
    # In SKOS-XL, a label is a separate resource. `holders` lists the concepts with this label.
    holders: dict[str, list[tuple[str, int]]] = {}
    forms: dict[str, list[str]] = {}
    written: dict[tuple[str, str], list[tuple[str, str]]] = {}
    # For each language, store True if its labels are kept.
    kept_languages: dict[str, bool] = {"": True}
    for subject, predicate, object, tag in statements:
        if predicate in _LABELS:
            if tag is None or not object:
                continue
            if tag not in kept_languages:
                # If no language is requested, keep only labels in the first language found. If
                # there are several languages, an error is raised after reading.
                kept_languages[tag] = (
                    matches(tag, requested) if requested else len(kept_languages) == 1
                )
            if not kept_languages[tag]:
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
            found.own.setdefault(predicate.removeprefix(ROGET), {})[subject] = object
        elif tag is not None and (not requested or not tag or matches(tag, requested)):
            written.setdefault((subject, _WRITTEN[predicate]), []).append((tag, object))
    found.languages = kept_languages.keys() - {""}
    _check_languages(found.languages, place, language)
    found.written = {
        about: sorted(text for tag, text in texts if kept_languages.get(tag, False) or requested)
        for about, texts in written.items()
    }
    for label, texts_of in forms.items():
        for holder in holders.get(label, ()):
            labels.setdefault(holder, set()).update(texts_of)
    for (concept, rank), texts in sorted(labels.items()):
        known = found.labels.setdefault(concept, ([], []))
        known[rank].extend(text for text in sorted(texts) if not rank or text not in known[0])
    return found


def _share(above: list[str], exported: str, by_id: Mapping[str, str]) -> dict[str, float]:
    """Return the memberships of a word in its classes.

    If its classes are unchanged, these are the exported values. If the word was moved, new classes
    get equal weights.
    """
    pairs = [part.partition(":") for part in exported.split()]
    try:
        known = {by_id[id]: float(share) for id, _, share in pairs if id in by_id}
    except ValueError:
        known = {}
    listed = {name for name, share in known.items() if share >= LISTED}
    if known.keys() >= set(above) >= listed:
        return known
    return {name: known.get(name, 0.0) or 1 / len(above) for name in above}


def read_ids(found: Concepts, place: Path, *, by_address: bool = False) -> dict[str, int]:
    """Return the ids of classes. If `by_address` is True, take missing ids from URIs."""
    texts = dict(found.own.get("id", {}))
    for concept in found.kinds[WORD_CLASS] - texts.keys() if by_address else ():
        if match := _ID.search(concept):
            texts[concept] = match[1]
    ids: dict[str, int] = {}
    holders: dict[int, str] = {}
    for concept, text in sorted(texts.items()):
        id = whole_number(text)
        if id is None:
            raise InputError(
                f"{place}: {concept:.80} has the id {text!r:.60}; expected an integer",
                code="invalid-input",
            )
        if id in holders:
            raise InputError(
                f"{place}: {holders[id]} and {concept} have the same id {id}", code="duplicate-name"
            )
        ids[concept] = id
        holders[id] = concept
    return ids


def _numbers(texts: Mapping[str, str], place: Path) -> dict[str, float]:
    """Parse the value of each subject as a non-negative number."""
    found = {}
    for subject, text in texts.items():
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not 0 <= number < math.inf:
            raise InputError(
                f"{place}: {subject} has the value {text!r:.60}; expected a number ≥ 0",
                code="bad-count",
            )
        found[subject] = number
    return found


def _check_languages(languages: set[str], place: Path, language: str | None) -> None:
    """Raise an error if a language must be specified, or if the specified one has no labels."""
    listed = ", ".join(sorted(languages))
    if language is None and len(languages) > 1:
        raise InputError(
            f"{place}: labels are in several languages ({listed}); choose one with --language",
            code="label-language",
        )
    if language and languages and not any(matches(one, language.lower()) for one in languages):
        raise InputError(
            f"{place}: no labels in {language!r}; available languages: {listed}",
            code="label-language",
        )


def matches(tag: str, requested: str) -> bool:
    """Return True if a language tag equals the requested one or is a variant of it."""
    return tag == requested or tag.startswith(requested + "-")


def _natural(address: str) -> tuple[list[tuple[int, str]], str]:
    """Return a sort key that puts class-2 before class-10."""
    parts = re.split("([0-9]{1,18})", address)
    found = [(int(part), "") if at % 2 else (-1, part) for at, part in enumerate(parts)]
    return found, address
