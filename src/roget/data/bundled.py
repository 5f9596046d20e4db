"""Samples that come with roget: counts and quadruples from AMALGUM."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from roget.core.quadruple import Quadruple
from roget.errors import InputError, UnknownName

if TYPE_CHECKING:
    from roget.core.counts import Counts

ATTRIBUTION = (
    "Counts derived from AMALGUM, Gessler et al. 2020, CC BY 4.0; "
    "source texts CC BY / CC BY-SA / public domain"
)


SAMPLES: dict[str, str] = {
    "verb_object": "nouns as objects of verbs, 110,270 tokens: words × contexts",
    "verb_slot_noun": "nouns as objects, subjects and after prepositions of verbs, 257,789 tokens",
    "pp_quads": "verb, noun, preposition, noun and where the phrase attaches, 31,889 times",
}


@overload
def sample(name: Literal["pp_quads"]) -> list[Quadruple]: ...
@overload
def sample(name: Literal["verb_object", "verb_slot_noun"] = "verb_object") -> Counts: ...
@overload
def sample(name: str) -> Counts | list[Quadruple]: ...
def sample(name: str = "verb_object") -> Counts | list[Quadruple]:
    """A bundled sample: `Counts` of nouns in contexts of verbs, or a list of `Quadruple`.

    >>> sample("verb_object")
    Counts: 9,994 words × 3,609 contexts, 66,626 entries, 110,270 tokens
    >>> sample("pp_quads")[0]
    Quadruple(verb='show', noun1='concentration', preposition='of',
              noun2='acrylamide', attachment='N')
    """
    path = sample_path(name)
    return _quadruples(path) if name == "pp_quads" else _counts(path)


def bundled_counts(name: str, default: str = "verb_object") -> Counts | None:
    """The counts that a name means: of a sample, or of the default one, which is called sample.

    None if there is none of that name, or if a file is called so.
    """
    from roget.core.counts import Counts

    known = default if name == "sample" else name
    if known not in SAMPLES or os.path.exists(name):
        return None
    found = sample(known)
    if not isinstance(found, Counts):
        raise InputError(f"{name} holds quadruples, not counts")
    return found


def sample_path(name: str) -> Path:
    """The Parquet file a bundled sample is read from."""
    if name not in SAMPLES:
        raise UnknownName("sample", name, SAMPLES)
    return Path(str(resources.files("roget.data"))) / "samples" / f"{name}.parquet"


def _quadruples(path: Path) -> list[Quadruple]:
    import duckdb

    with duckdb.connect() as connection:
        rows = connection.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
    return [Quadruple(*row) for row in rows]


def _counts(path: Path) -> Counts:
    from roget.core.counts import Counts

    read = Counts.read(path)
    slots = [name.rpartition(":")[0] for name in read.contexts]
    return Counts(
        read.matrix,
        read.words,
        read.contexts,
        slots=slots,
        relations=("obj", "subj", "obl:prep") if any(slots) else ("obj",),
        provenance={"source": ATTRIBUTION},
    )
