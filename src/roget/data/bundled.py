"""Bundled data: samples and background counts from the AMALGUM corpus, and prior vectors."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from roget.core.quadruple import Quadruple
from roget.errors import UnknownName

if TYPE_CHECKING:
    from roget.core.counts import Counts

ATTRIBUTION = (
    "Counts derived from AMALGUM, Gessler et al. 2020, CC BY 4.0; "
    "source texts CC BY / CC BY-SA / public domain"
)

QUADRUPLES = "pp_quads"
"""Name of the sample that contains quadruples instead of counts."""

SAMPLES: dict[str, str] = {
    "nouns": "nouns in all their syntactic relations (preset nouns), 573,565 tokens",
    "verb_object": "nouns as objects of verbs, 110,270 tokens: words × contexts",
    "verb_slot_noun": "nouns as objects, subjects and prepositional objects of verbs, 257,789 "
    "tokens",
    "documents": "distinctive stems in 1,885 documents of five genres: documents × stems",
    "pp_quads": "prepositional phrase attachment: 31,889 quadruples of verb, noun, preposition and "
    "noun",
}
"""Names and descriptions of the bundled samples."""

_RELATIONS: dict[str, tuple[str, ...]] = {
    "documents": (),
    "nouns": ("nouns",),
    "verb_object": ("obj",),
    "verb_slot_noun": ("obj", "subj", "obl:prep"),
}

BACKGROUNDS: dict[str, str] = {
    "english-nouns": "English nouns in all their relations (preset nouns)",
    "english-verbs": "English verbs (preset verbs)",
    "english-adjectives": "English adjectives (preset adjectives)",
}
"""Names and descriptions of the background counts.

There is one table for each preset of relations.
"""

PRIORS: dict[str, str] = {
    "english": "vectors of 20,000 English nouns, verbs and adjectives, computed by the encoder "
    "all-MiniLM-L6-v2",
}
"""Names and descriptions of the prior vectors."""


@overload
def sample(name: Literal["pp_quads"]) -> list[Quadruple]: ...
@overload
def sample(
    name: Literal["nouns", "verb_object", "verb_slot_noun", "documents"] = "nouns",
) -> Counts: ...
@overload
def sample(name: str) -> Counts | list[Quadruple]: ...
def sample(name: str = "nouns") -> Counts | list[Quadruple]:
    """Load a bundled sample: `Counts` of nouns in their contexts, or a list of `Quadruple`.

    >>> sample()
    Counts: 5,682 words × 34,286 contexts, 383,674 entries, 573,565 tokens
    >>> sample("verb_object")
    Counts: 9,994 words × 3,609 contexts, 66,626 entries, 110,270 tokens
    >>> sample("pp_quads")[0]
    Quadruple(verb='show', noun1='concentration', preposition='of',
              noun2='acrylamide', attachment='N')
    """
    path = sample_path(name)
    if name == QUADRUPLES:
        from roget.core.io.duck import database, parquet

        with database() as connection:
            rows = connection.execute(f"FROM {parquet(path)}").fetchall()
        return [Quadruple(*row) for row in rows]
    from roget.core.counts import Counts
    from roget.core.counts.matrix import split_slot

    read = Counts.read(path)
    return Counts(
        read.matrix,
        read.words,
        read.contexts,
        slots=[split_slot(context)[0] for context in read.contexts],
        relations=_RELATIONS[name],
        provenance={"source": ATTRIBUTION},
    )


def background(name: str) -> Counts:
    """Return bundled background counts, such as "english-nouns"."""
    from roget.core.counts import Counts
    from roget.core.counts.matrix import split_slot

    read = Counts.read(background_path(name))
    return Counts(
        read.matrix,
        read.words,
        read.contexts,
        slots=[split_slot(context)[0] for context in read.contexts],
        relations=(name.rpartition("-")[2],),
        provenance={"source": ATTRIBUTION, "language": "en"},
    )


def background_path(name: str) -> Path:
    """Return the path of the Parquet file with bundled background counts."""
    if name not in BACKGROUNDS:
        raise UnknownName("background", name, BACKGROUNDS)
    return Path(str(resources.files("roget.data"))) / "backgrounds" / f"{name}.parquet"


def prior_path(name: str) -> Path:
    """Return the path of the .npy file with bundled prior vectors."""
    if name not in PRIORS:
        raise UnknownName("prior", name, PRIORS)
    return Path(str(resources.files("roget.data"))) / "priors" / f"{name}.npy"


def is_sample(name: str) -> bool:
    """Return True if a name is the name of a sample rather than the path of an existing file.

    The name "sample" is an alias for the sample "nouns".
    """
    return (name == "sample" or name in SAMPLES) and not os.path.exists(name)


def sample_path(name: str) -> Path:
    """Return the path of the Parquet file with a bundled sample."""
    if name not in SAMPLES:
        raise UnknownName("sample", name, SAMPLES)
    return Path(str(resources.files("roget.data"))) / "samples" / f"{name}.parquet"
