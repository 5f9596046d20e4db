"""Read existing taxonomies: SKOS files, child–parent tables and WordNet."""

from __future__ import annotations

import os
from inspect import signature
from pathlib import Path

from roget import catalogue
from roget.core.io.address import is_remote
from roget.core.io.source import Source, local_file
from roget.core.progress import Report
from roget.core.types import PathLike
from roget.errors import InputError, UnknownName
from roget.learn.taxonomy.taxonomy import Taxonomy, make_thesaurus
from roget.learn.taxonomy.wordnet import PARTS
from roget.learn.thesaurus import Thesaurus

_FOLDERS = {"wordnet": "data.{}", "wordnet-tables": "{}_senses.tsv"}
"""Files by which each kind of WordNet folder is recognised. {} stands for the part of speech."""


def read(
    path: PathLike,
    kind: str | None = None,
    *,
    language: str | None = None,
    progress: Report | None = None,
) -> Thesaurus:
    """Read a SKOS file, a child–parent table, a WordNet folder or a lexicon wn:ID as a thesaurus.

    A taxonomy has no counts, so every word has a count of 1. The contexts of a word are the classes
    above it, so its neighbours are words in the same classes. If there are very many classes, only
    the largest are used as contexts. A word in several classes belongs equally to all of them, or
    in WordNet in proportion to the tag counts of its senses plus one. Each class keeps its first
    parent. `provenance["dropped"]` is the number of other parents. Classes without words are left
    out.

    Parameters
    ----------
    path
        The file or folder, or wn:ID for a lexicon of the `wn` package, e.g. wn:oewn:2024.
    kind
        A name listed by `roget list taxonomies`, if the kind cannot be inferred from the path.
    language
        Language of the labels to read, if a SKOS file has labels in several languages.
    progress
        Called with the number of bytes read.
    """
    taxonomy, place, chosen = _open(path, kind, language, None, progress)
    return make_thesaurus(taxonomy, place, chosen)


def taxonomy_of(
    path: PathLike,
    kind: str | None = None,
    *,
    language: str | None = None,
    part: str | None = None,
) -> Taxonomy:
    """Read the classes and words of a taxonomy file, with all parents of each class.

    `part` selects the nouns or the verbs of a WordNet. For the other parameters see `read`.
    """
    if part is not None and part not in PARTS:
        raise UnknownName("part of speech", part, PARTS)
    return _open(path, kind, language, part)[0]


def _open(
    path: PathLike,
    kind: str | None,
    language: str | None,
    part: str | None,
    progress: Report | None = None,
) -> tuple[Taxonomy, Path, str]:
    """Read a taxonomy. Return it with its path and kind."""
    if is_remote(os.fspath(path)):
        with local_file(path) as copy:
            found, _, chosen = _open(copy, kind, language, part, progress)
        return found, Path(path), chosen
    place = Path(path)
    if kind is None and os.fspath(path).startswith("wn:") and not os.path.exists(path):
        kind = "wn"
    if kind != "wn" and not os.path.exists(path):
        raise InputError(f"{place}: no such file or folder", code="file-not-found")
    chosen = _detect_kind(place) if kind is None else kind
    reader = catalogue.load("taxonomies", chosen)
    # Only readers of large formats support progress reports.
    more = {"progress": progress} if "progress" in signature(reader).parameters else {}
    taxonomy: Taxonomy = reader(place, language=language, part=part, **more)
    return taxonomy, place, chosen


def kind_of_folder(place: Path) -> str | None:
    """Return the kind of WordNet in a folder, or None for any other folder."""
    held = (
        kind
        for kind, name in _FOLDERS.items()
        for part in PARTS
        if (place / name.format(part)).is_file()
    )
    return next(held, None)


def _detect_kind(place: Path) -> str:
    """Infer the kind of a taxonomy from its file suffix, or from the files in its folder."""
    if place.is_dir():
        if kind := kind_of_folder(place):
            return kind
        raise InputError(
            f"{place}: neither a thesaurus nor a WordNet folder (data.noun, data.verb)",
            code="unsupported-format",
        )
    known = catalogue.suffixes("taxonomies")
    found = known.get(Source(str(place)).suffix)
    if found is None:
        raise InputError(
            f"{place}: unknown suffix; expected {' '.join(known)}, or one of the kinds "
            f"{' '.join(catalogue.names('taxonomies'))}",
            code="unsupported-format",
        )
    return found
