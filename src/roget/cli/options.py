"""Options that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from roget.core.counts import Counts

ThesaurusArgument = Annotated[
    str,
    typer.Argument(
        metavar="THESAURUS",
        help="A thesaurus; or a taxonomy: SKOS, child–parent TSV, a WordNet folder.",
    ),
]
CountsArgument = Annotated[
    str,
    typer.Argument(metavar="COUNTS", help="Counts: a folder, a table, a thesaurus; or 'sample'."),
]
Figures = Annotated[str | None, typer.Option(metavar="FOLDER", help="Also write pictures there.")]


def read_counts(name: str, columns: Any, sample: str = "nouns") -> Counts:
    """The counts that are named, or a sample; what there is to tell of them goes to stderr."""
    from roget.learn.opening import open_counts

    counts, notes = open_counts(name, columns, sample=sample)
    tell_notes(notes)
    return counts


def target_of(inputs: Sequence[str], output: str | None, doing: str, metavar: str) -> str:
    """The output, once it is sure that something is to be done and where it is written."""
    from roget.errors import InputError

    if not inputs:
        raise InputError(f"nothing to {doing}")
    if output is None:
        raise InputError(f"name what to write: -o {metavar}")
    return output


def tell_notes(notes: Sequence[str]) -> None:
    """What there is to tell besides the answer, on stderr."""
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
