"""Samples that come with roget: counts and quadruples from AMALGUM."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

from roget.core.quadruple import Quadruple
from roget.errors import UnknownName

if TYPE_CHECKING:
    from roget.core.counts import Counts

ATTRIBUTION = (
    "Counts derived from AMALGUM, Gessler et al. 2020, CC BY 4.0; "
    "source texts CC BY / CC BY-SA / public domain"
)


class Sample(NamedTuple):
    """What a bundled sample holds, and the file it is read from."""

    about: str
    file: str


SAMPLES: dict[str, Sample] = {
    "verb_object": Sample(
        "nouns as objects of verbs, 110,270 tokens: words × contexts", "amalgum_slots.parquet"
    ),
    "verb_slot_noun": Sample(
        "nouns as objects, subjects and after prepositions of verbs, 257,789 tokens",
        "amalgum_slots.parquet",
    ),
    "pp_quads": Sample(
        "verb, noun, preposition, noun and where the phrase attaches, 31,889 times",
        "amalgum_quadruples.parquet",
    ),
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
    if name == "pp_quads":
        return _quadruples(path)
    return _slots(path, objects=name == "verb_object")


def sample_path(name: str) -> Path:
    """The Parquet file a bundled sample is read from."""
    if name not in SAMPLES:
        raise UnknownName("sample", name, SAMPLES)
    return Path(str(resources.files("roget.data"))) / "samples" / SAMPLES[name].file


def _quadruples(path: Path) -> list[Quadruple]:
    import duckdb

    with duckdb.connect() as connection:
        rows = connection.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
    return [Quadruple(*row) for row in rows]


def _slots(path: Path, *, objects: bool) -> Counts:
    import duckdb
    import numpy as np
    from scipy.sparse import coo_array

    from roget.core.counts import Counts

    context = "verb" if objects else "slot || ':' || verb"
    wanted = "WHERE slot = 'obj'" if objects else ""
    with duckdb.connect() as connection:
        rows = connection.execute(
            f"SELECT noun, {context} AS context, count FROM read_parquet(?) {wanted}", [str(path)]
        ).fetchnumpy()
    words, row = np.unique(rows["noun"], return_inverse=True)
    contexts, column = np.unique(rows["context"], return_inverse=True)
    slots = None if objects else [name.partition(":")[0] for name in contexts]
    return Counts(
        coo_array((rows["count"], (row, column))),
        words,
        contexts,
        slots=slots,
        relations=("obj",) if objects else ("obj", "subj", "obl:prep"),
        provenance={"source": ATTRIBUTION},
    ).ranked()
