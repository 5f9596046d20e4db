"""Taxonomies that people made, as thesauri: SKOS, child–parent tables, WordNet."""

from __future__ import annotations

import os
from inspect import signature
from pathlib import Path

from roget import catalogue
from roget.core.io.source import Source, is_remote, local_file
from roget.core.progress import Report
from roget.core.types import PathLike
from roget.errors import InputError, UnknownName
from roget.learn.taxonomy.taxonomy import Taxonomy, grow
from roget.learn.taxonomy.wordnet import PARTS
from roget.learn.thesaurus import Thesaurus

_FOLDERS = {"wordnet": "data.{}", "wordnet-tables": "{}_senses.tsv"}
"""What a folder of each kind has for each part of speech."""


def read(
    path: PathLike,
    kind: str | None = None,
    *,
    language: str | None = None,
    progress: Report | None = None,
) -> Thesaurus:
    """The thesaurus of a SKOS file, a child–parent table or a WordNet folder, or of wn:ID.

    `kind` is one of `roget list taxonomies`, if the name does not tell; `language` picks the labels
    of a SKOS file that has several; `progress` is told how much of one is read. wn:ID is a lexicon
    of the package wn, such as wn:oewn:2024.

    Nothing was counted here, so a word counts once, shared by the classes on its way from the
    root, which stand in for contexts (the largest ones, where there are very many): neighbours are
    words that share classes. A word of several classes belongs to all alike, in WordNet by how
    often each sense was tagged, plus one. A tree has one parent for each class: the first is
    kept, others are left out, and `provenance["dropped"]` says how many. Classes without words
    are left out as well.
    """
    taxonomy, place, chosen = _open(path, kind, language, None, progress)
    return grow(taxonomy, place, chosen)


def taxonomy_of(
    path: PathLike,
    kind: str | None = None,
    *,
    language: str | None = None,
    part: str | None = None,
) -> Taxonomy:
    """The classes and words of the same files, as they are there: with all parents of a class.

    `part` takes only the nouns, or only the verbs, of a WordNet that has both.
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
    if is_remote(os.fspath(path)):
        with local_file(path) as copy:
            found, _, chosen = _open(copy, kind, language, part, progress)
        return found, Path(path), chosen
    place = Path(path)
    if kind is None and os.fspath(path).startswith("wn:") and not os.path.exists(path):
        kind = "wn"
    if kind != "wn" and not os.path.exists(path):
        raise InputError(f"{place}: there is no such file or folder")
    chosen = _detect_kind(place) if kind is None else kind
    reader = catalogue.load("taxonomies", chosen)
    # Those that take long tell how far they are.
    more = {"progress": progress} if "progress" in signature(reader).parameters else {}
    taxonomy: Taxonomy = reader(place, language=language, part=part, **more)
    return taxonomy, place, chosen


def kind_of_folder(place: Path) -> str | None:
    """Which kind of WordNet a folder holds, if it does."""
    held = (
        kind
        for kind, name in _FOLDERS.items()
        for part in PARTS
        if (place / name.format(part)).is_file()
    )
    return next(held, None)


def _detect_kind(place: Path) -> str:
    if place.is_dir():
        if kind := kind_of_folder(place):
            return kind
        raise InputError(
            f"{place}: is neither a thesaurus nor a WordNet folder (data.noun, data.verb)"
        )
    known = catalogue.suffixes("taxonomies")
    found = known.get(Source(str(place)).suffix)
    if found is None:
        raise InputError(
            f"{place}: the name does not tell what it is; expected {' '.join(known)}, "
            f"or one of the kinds {' '.join(catalogue.names('taxonomies'))}"
        )
    return found
