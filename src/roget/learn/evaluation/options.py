"""Options of `roget heldout`, `roget decide` and `roget judge`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roget import catalogue
from roget.core.options import Checked, copy_option, option, seed_option
from roget.learn.command_options import BACKOFFS, NeighbourOptions

KINDS = ("intrusion", "reading")
"""Kinds of sheets: find the word that does not belong, or judge whether the words belong
together."""
SHOWN = ("frequent", "typical", "any")
"""Ways to choose which words of a class are shown."""
MAX_WORDS = 50
"""Maximum number of words per line of a sheet."""

OURS = catalogue.TOGETHER["roget"]


@dataclass(frozen=True)
class Shared(Checked):
    """Options shared by the model-comparison commands."""

    models: Sequence[str] = option(
        (),
        many="repeated",
        choices="models",
        called="model",
        flags=("--model", "-m"),
        help="Name of a model to compare (see `roget list models`); repeatable "
        "[default: all fast models].",
    )
    top: int = option(1000, minimum=1, help="Use only the N most frequent words.")
    random_state: int = seed_option()


@dataclass(frozen=True)
class HeldoutOptions(Shared):
    """Options of `roget heldout`."""

    models: Sequence[str] = copy_option(
        Shared,
        "models",
        ("unigram", "mle", "absolute", "kneser-ney", "nearest", *OURS, "roget"),
    )
    splits: int = option(5, minimum=1, help="Number of random splits.")
    backoff: str = option(
        "auto",
        choices=BACKOFFS,
        help="How models combine a word's own counts with its classes: discount = back off from "
        "discounted counts, interpolate = weight the counts by frequency, none = classes only, "
        "auto = the default of the model.",
    )


@dataclass(frozen=True)
class DecideOptions(Shared):
    """Options of `roget decide`."""

    models: Sequence[str] = copy_option(
        Shared, "models", ("unigram", "kneser-ney", "nearest", *OURS, "roget")
    )
    draws: int = option(5, minimum=1, help="Number of times that test pairs are drawn at random.")
    pairs: int = option(
        104, minimum=1, help="Number of test pairs deleted from the counts in each draw."
    )
    clusters: Sequence[int] | None = option(
        None,
        many=",",
        minimum=1,
        metavar="N,N,…",
        help="Decide with the classes of each clusterer alone, by Σ p(c|noun)·p(verb|c), for these "
        "numbers of clusters.",
    )


@dataclass(frozen=True)
class RatingOptions(Checked):
    """Options for comparing similarities with human ratings."""

    by: str = copy_option(NeighbourOptions, "by", "both")
    n: int = option(
        10,
        minimum=0,
        flags=("--number", "-n"),
        help="Number of pairs to list, starting with those whose similarity differs most from the "
        "rating.",
    )
    draws: int = option(
        1000,
        minimum=0,
        maximum=1_000_000,
        help="Number of bootstrap samples for 95 % confidence intervals; 0 = no intervals.",
    )
    random_state: int = seed_option()
    columns: str | Sequence[str | int] | Mapping[str, str | int] | None = option(
        None,
        many="text",
        metavar="A,B,C",
        help="Columns of the first word, the second word and the rating, by name or number, or as "
        "ROLE=COLUMN with the roles word, other and rating, e.g. rating=SimLex999.",
    )


@dataclass(frozen=True)
class SheetOptions(Checked):
    """Options for question sheets."""

    kind: str = option(
        "intrusion",
        choices=KINDS,
        called="kind of sheet",
        help="Question asked about each class: intrusion = which word does not belong, reading = "
        "do the words belong together.",
    )
    classes: int = option(40, minimum=1, help="Number of classes to sample at random.")
    words: int | None = option(
        None,
        minimum=2,
        maximum=MAX_WORDS,
        help="Number of words to show per class [default: 5, or 20 with --kind reading].",
    )
    shown: str = option(
        "frequent",
        choices=SHOWN,
        called="choice of words",
        help="Which words of a class to show: frequent = the most frequent, typical = the nearest "
        "to the class centroid, any = random ones.",
    )
    level: int | None = option(
        None,
        minimum=2,
        metavar="K",
        help="Cut the tree into K classes [default: use the leaf classes].",
    )
    made_up: int | None = option(
        None,
        minimum=0,
        help="With --kind reading, number of control lines with random words "
        "[default: one per four classes].",
    )
    random_state: int = seed_option()


@dataclass(frozen=True)
class AnswerOptions(Checked):
    """Options for reading filled-in sheets."""

    columns: str | Sequence[str | int] | Mapping[str, str | int] | None = copy_option(
        RatingOptions,
        "columns",
        None,
        many="text",
        metavar="ROLE=COLUMN",
        help="Columns of filled-in sheets that have no header, e.g. line=1,answer=8.",
    )
