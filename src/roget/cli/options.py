"""Options that several commands share."""

from __future__ import annotations

import enum
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from roget.cli import choices

if TYPE_CHECKING:
    from roget.core.counts import Counts


class Average(enum.StrEnum):
    """How the scores of groups become one."""

    weighted = enum.auto()
    unweighted = enum.auto()
    pooled = enum.auto()


class Missing(enum.StrEnum):
    """What becomes of items the system left out."""

    cluster = enum.auto()
    singletons = enum.auto()
    drop = enum.auto()
    error = enum.auto()


class Interval(enum.StrEnum):
    """How intervals are made."""

    auto = enum.auto()
    bca = enum.auto()
    percentile = enum.auto()
    jackknife = enum.auto()


class Answers(enum.StrEnum):
    """What becomes of weighted answers."""

    weighted = enum.auto()
    top = enum.auto()


Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="NAME",
        help="A measure of `roget list measures`, such as nvi or v(beta=0.5); repeatable. "
        "Default: homogeneity, completeness, v, vi, nvi, ari, ami, b3-f, one-to-one.",
    ),
]
Entropies = Annotated[
    list[str] | None,
    typer.Option(
        "--entropy",
        "-e",
        metavar="NAME",
        help="An estimator of `roget list entropies`; repeatable. Default: ml and jk.",
    ),
]
AverageOption = Annotated[
    Average,
    typer.Option(
        "--average",
        help="How the scores of groups (words, documents) become one: mean weighted by items, "
        "plain mean, or one table of all items whose labels are private to their group.",
    ),
]
MissingOption = Annotated[
    Missing,
    typer.Option(
        "--missing",
        help="Items without an answer: one extra cluster per group, a cluster each, "
        "left out of the score, or an error.",
    ),
]
AnswersOption = Annotated[
    Answers,
    typer.Option(
        "--answers",
        help="Weighted answers of a system: scored as they are, or only the heaviest label.",
    ),
]
LabelsOption = Annotated[
    str | None,
    choices.option(
        "label formats", "--labels", help="Format of the label files, if the name misleads."
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ROLE=COLUMN",
        help="Which column is the item, label, weight or group: item=doc,label=topic.",
    ),
]
Baselines = Annotated[bool, typer.Option(help="Also score trivial answers on the same gold.")]
CI = Annotated[
    int,
    typer.Option(
        metavar="DRAWS", min=0, help="Give 95% intervals from so many bootstrap draws, say 1000."
    ),
]
IntervalOption = Annotated[
    Interval,
    typer.Option(
        "--interval", help="Kind of interval; auto is BCa over groups, jackknife over items."
    ),
]
LAST_SEED = 2**31
Seed = Annotated[int, typer.Option(min=0, max=LAST_SEED, help="Seed of everything random.")]
ThesaurusArgument = Annotated[
    str,
    typer.Argument(
        metavar="THESAURUS",
        help="A thesaurus; or a taxonomy: SKOS, child–parent TSV, a WordNet folder.",
    ),
]
CountsArgument = Annotated[
    str, typer.Argument(metavar="COUNTS", help="Counts: a folder or a table; or 'sample'.")
]


def parse_columns(given: Sequence[str] | None) -> dict[str, str] | None:
    """`item=doc,label=topic` as a mapping."""
    if not given:
        return None
    from roget.core.io.table import pair_columns

    return pair_columns(",".join(given))


def read_counts(name: str, columns: str | None, sample: str = "verb_object") -> Counts:
    """The counts that are named, or a sample; what there is to tell of them goes to stderr."""
    from roget.learn.opening import open_counts

    counts, notes = open_counts(name, columns or None, sample=sample)
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
