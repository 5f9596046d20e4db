"""Opening: a thesaurus from whatever holds one."""

from __future__ import annotations

import os
from pathlib import Path

from roget.learn.taxonomy import read
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.files import is_thesaurus

TAXONOMIES = (".ttl", ".nt", ".rdf", ".xml", ".owl", ".noun", ".verb")
"""Names that tell a taxonomy, and nothing else that roget reads."""

_WORDNETS = ("data.noun", "data.verb", "noun_senses.tsv", "verb_senses.tsv")


def open_thesaurus(path: str | os.PathLike[str], language: str | None = None) -> Thesaurus:
    """The thesaurus of a folder of ours, or of a taxonomy: SKOS, child–parent TSV, WordNet.

    `language` picks the labels of a SKOS file that has several.
    """
    place = Path(path)
    foreign = place.is_dir() and any((place / name).is_file() for name in _WORDNETS)
    if is_thesaurus(place) or (place.is_dir() and not foreign):
        return Thesaurus.load(place)
    return read(path, language=language)


def is_taxonomy(path: str | os.PathLike[str]) -> bool:
    """Whether a name tells that it holds a thesaurus: a folder, SKOS, WordNet; not a table."""
    place = Path(path)
    named = os.fspath(path).startswith("wn:") and not place.exists()
    return named or place.is_dir() or place.suffix.lower() in TAXONOMIES
