"""SKOS thesauri, read through rdflib; nothing is fetched."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from roget.catalogue import name_extra
from roget.core.io.source import source_of
from roget.errors import InputError
from roget.learn.taxonomy.taxonomy import Taxonomy

WORD, WORD_CLASS = "urn:x-roget:Word", "urn:x-roget:WordClass"
"""What our own exports call concepts that are words, and classes whose labels are no words."""

_SYNTAX = {".ttl": "turtle", ".nt": "nt", ".rdf": "xml", ".xml": "xml", ".owl": "xml"}


def read(place: Path, language: str | None = None, part: str | None = None) -> Taxonomy:
    """The taxonomy of a SKOS file: concepts are classes, and their labels the words in them.

    Labels are preferred and alternative ones, in one language or in none. Of several broader
    concepts the first by address is kept.
    """
    with name_extra():
        from rdflib import RDF, SKOS, Graph, URIRef
    graph = _fill(Graph(), place)
    labels = _labels(graph, place, language)
    links = {(str(low), str(high)) for low, high in graph.subject_objects(SKOS.broader)}
    links |= {(str(low), str(high)) for high, low in graph.subject_objects(SKOS.narrower)}
    words, named, concepts = (
        set(map(str, graph.subjects(RDF.type, URIRef(kind))))
        for kind in (WORD, WORD_CLASS, SKOS.Concept)
    )
    # Everything that is called a concept, or stands where only a concept can.
    concepts = concepts.union(*links)
    concepts |= set(map(str, graph.subjects(SKOS.topConceptOf)))
    concepts |= set(map(str, graph.objects(predicate=SKOS.hasTopConcept)))
    if not concepts:
        raise InputError(f"{place}: there is no skos:Concept")
    parents: dict[str, list[str]] = {}
    for low, high in sorted(links, key=lambda link: (_natural(link[0]), _natural(link[1]))):
        parents.setdefault(low, []).append(high)
    taxonomy = Taxonomy(source_of(str(place)).stem)
    for concept in sorted(concepts, key=_natural):
        preferred, others = labels.get(concept, ([], []))
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


def _fill(graph: Any, place: Path) -> Any:
    """The graph with what a file says."""
    source = source_of(str(place))
    try:
        graph.parse(
            data=b"".join(source.chunks()),
            format=_SYNTAX.get(source.suffix, "turtle"),
            publicID=place.resolve().as_uri(),
        )
    except OSError:
        raise
    except Exception as error:  # each of rdflib's parsers has errors of its own
        said = " ".join(str(error).split())[:200]
        raise InputError(f"{place}: cannot be read as RDF: {said}") from None
    return graph


def _labels(
    graph: Any, place: Path, language: str | None
) -> dict[str, tuple[list[str], list[str]]]:
    """The preferred and the alternative labels of each concept, in the language asked for."""
    from rdflib import SKOS

    listed = [
        (str(subject), rank, str(value), (getattr(value, "language", None) or "").lower())
        for rank, name in enumerate((SKOS.prefLabel, SKOS.altLabel))
        for subject, value in graph.subject_objects(name)
    ]
    spoken = sorted({tongue for *_, tongue in listed} - {""})
    if language is None and len(spoken) > 1:
        raise InputError(f"{place}: labels in {', '.join(spoken)}: name one language")
    wanted = (language or "").lower()
    if wanted and spoken and not any(_speaks(tongue, wanted) for tongue in spoken):
        raise InputError(f"{place}: no label in {language!r}; there are {', '.join(spoken)}")
    found: dict[str, tuple[list[str], list[str]]] = {}
    for subject, rank, text, tongue in sorted(listed):
        if text and (not wanted or not tongue or _speaks(tongue, wanted)):
            found.setdefault(subject, ([], []))[rank].append(text)
    return found


def _speaks(tongue: str, wanted: str) -> bool:
    return tongue == wanted or tongue.startswith(wanted + "-")


def _natural(address: str) -> tuple[list[tuple[int, str]], str]:
    """Sorts class-2 before class-10."""
    parts = re.split("([0-9]{1,18})", address)
    found = [(int(part), "") if at % 2 else (-1, part) for at, part in enumerate(parts)]
    return found, address
