"""Opening: counts and thesauri from whatever holds them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from roget.catalogue import suffixes
from roget.core.counts import Counts
from roget.data import bundled_counts
from roget.errors import InputError
from roget.learn.counting.sides import heads_first
from roget.learn.taxonomy import read, taxonomy_of
from roget.learn.taxonomy.taxonomy import Taxonomy
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


def open_classes(path: str | os.PathLike[str]) -> Thesaurus | Taxonomy:
    """The thesaurus of a folder of ours; of a taxonomy its nouns, with all their parents."""
    if is_thesaurus(Path(path)):
        return Thesaurus.load(path)
    return taxonomy_of(path, part="noun")


def open_counts(
    name: str | os.PathLike[str],
    columns: Sequence[str | int] | None = None,
    *,
    sample: str = "verb_object",
) -> tuple[Counts, tuple[str, ...]]:
    """The counts of a folder, a table or a bundled sample, and what there is to tell of them.

    `sample` is the one that is simply called so. Where header or name of a table are of the kind of
    verb_object.tsv, its words are in the second column.
    """
    bundled = bundled_counts(os.fspath(name), sample)
    if bundled is not None:
        if columns is not None:
            raise InputError(f"columns {','.join(map(str, columns))}: {name} comes with roget")
        return bundled, ()
    swapped = heads_first([name]) if columns is None else None
    counts = Counts.read(name, columns=columns)
    if swapped is None:
        return counts, ()
    return counts.T, (f"columns are {swapped}: the second one's are the words (else --columns)",)


def is_taxonomy(path: str | os.PathLike[str]) -> bool:
    """Whether a name tells that it holds a thesaurus: a folder, SKOS, WordNet; not a table."""
    place = Path(path)
    named = os.fspath(path).startswith("wn:") and not place.exists()
    return named or place.is_dir() or place.suffix.lower() in (*TAXONOMIES, *suffixes("taxonomies"))
