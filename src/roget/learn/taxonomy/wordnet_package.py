"""Wordnets that the package wn has at hand, in any language: wn:ID, such as wn:oewn:2024."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roget.errors import InputError, MissingExtra
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.taxonomy.wordnet import PARTS, Synset, taxonomy_of_parts

LINKS = ("hypernym", "instance_hypernym")


def read(place: Path, part: str | None = None, language: str | None = None) -> Taxonomy:
    """The taxonomy of the nouns and verbs of a lexicon, or of one part only.

    Nothing is fetched: a lexicon is there once `python -m wn download ID` has brought it.
    """
    try:
        wn: Any = importlib.import_module("wn")
    except ImportError:
        raise MissingExtra("wn", "wordnet", "reading a lexicon by its name") from None
    id = str(place).removeprefix("wn:")
    try:
        # A lexicon alone: links are not borrowed from others.
        lexicon = wn.Wordnet(id, expand="")
    except wn.Error as error:
        there = ", ".join(sorted(f"wn:{one.specifier()}" for one in wn.lexicons())) or "none"
        raise InputError(
            f"wn:{id}: {error}; there are {there}; python -m wn download {id} may bring it"
        ) from None
    wanted = [one for one in PARTS if part in (None, one)]
    parts = {one: synsets for one in wanted if (synsets := lexicon.synsets(pos=one[0]))}
    if not parts:
        raise InputError(f"wn:{id}: there are no {' or '.join(f'{one}s' for one in wanted)}")
    return taxonomy_of_parts({one: _synsets(found) for one, found in parts.items()})


def _synsets(found: Any) -> Iterator[Synset]:
    for one in found:
        senses = [(sense.word().lemma(), 1.0 + sum(sense.counts())) for sense in one.senses()]
        yield Synset(one.id, senses, [above.id for above in one.get_related(*LINKS)])
