"""Taxonomies that people made, as thesauri: SKOS, child–parent tables, WordNet."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

from roget.errors import InputError, UnknownName
from roget.learn.taxonomy.grow import grown
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.thesaurus import Thesaurus

KINDS: dict[str, str] = {
    "skos": "roget.learn.taxonomy.skos",
    "tsv": "roget.learn.taxonomy.tsv",
    "wordnet": "roget.learn.taxonomy.wordnet",
}

_SUFFIXES = {
    **dict.fromkeys((".ttl", ".nt", ".rdf", ".xml", ".owl"), "skos"),
    **dict.fromkeys((".tsv", ".tab", ".txt"), "tsv"),
    **dict.fromkeys((".noun", ".verb"), "wordnet"),
}


def read(
    path: str | os.PathLike[str], kind: str | None = None, *, language: str | None = None
) -> Thesaurus:
    """The thesaurus of a SKOS file, a child–parent table or a WordNet folder.

    `kind` is skos, tsv or wordnet, if the name does not tell; `language` picks the labels of a
    SKOS file that has several.

    Nothing was counted here, so a word counts once, shared by the classes on its way from the
    root, which stand in for contexts (the largest ones, where there are very many): neighbours are
    words that share classes. A word of several classes belongs to all alike, in WordNet by how
    often each sense was tagged, plus one. A tree has one parent for each class: the first is
    kept, others are left out, and `provenance["dropped"]` says how many. Classes without words
    are left out as well.
    """
    place = Path(path)
    if not place.exists():
        raise InputError(f"{place}: there is no such file or folder")
    chosen = _told(place) if kind is None else kind
    if chosen not in KINDS:
        raise UnknownName("kind of taxonomy", chosen, KINDS)
    taxonomy: Taxonomy = importlib.import_module(KINDS[chosen]).read(place, language)
    return grown(taxonomy, place, chosen)


def _told(place: Path) -> str:
    if place.is_dir():
        if any((place / name).is_file() for name in ("data.noun", "data.verb")):
            return "wordnet"
        raise InputError(
            f"{place}: is neither a thesaurus nor a WordNet folder (data.noun, data.verb)"
        )
    told = _SUFFIXES.get(place.suffix.lower())
    if told is None:
        raise InputError(
            f"{place}: the name does not tell what it is; expected {' '.join(_SUFFIXES)}, "
            f"or one of the kinds {' '.join(KINDS)}"
        )
    return told
