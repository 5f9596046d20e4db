"""Options for `roget heldout`, `roget decide` and `roget judge`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roget import catalogue
from roget.core.options import Checked, copy_option, option, seed_option
from roget.learn.options import BACKOFFS, NeighbourOptions

KINDS = ("intrusion", "reading")
"""Kinds of sheets.

In "intrusion", annotators find the word that does not belong. In "reading", they judge whether the
words belong together.
"""
SHOWN = ("frequent", "typical", "any")
"""Ways to choose the words of a class that are shown."""
MAX_WORDS = 50
"""Maximum number of words per line of a sheet."""

OURS = catalogue.TOGETHER["roget"]


@dataclass(frozen=True)
class Shared(Checked):
    models: Sequence[str] = option(
        (),
        many="repeated",
        choices="models",
        called="model",
        flags=("--model", "-m"),
        help="Name of a model to compare (see `roget list models`). Can be repeated [default: "
        "all fast models].",
    )
    top: int = option(1000, minimum=1, help="Use only the N most frequent words.")
    random_state: int = seed_option()


@dataclass(frozen=True)
class HeldoutOptions(Shared):
    """Options for `roget heldout`."""

    models: Sequence[str] = copy_option(
        Shared,
        "models",
        ("unigram", "mle", "absolute", "kneser-ney", "nearest", *OURS, "roget"),
    )
    splits: int = option(5, minimum=1, help="Number of random splits.")
    backoff: str = option(
        "auto",
        choices=BACKOFFS,
        help="How a model combines a word's own counts with the estimate from its classes: "
        "discount (reduce the counts and back off), interpolate (weight by frequency), none "
        "(classes only) or auto (the model's default).",
    )


@dataclass(frozen=True)
class DecideOptions(Shared):
    """Options for `roget decide`."""

    models: Sequence[str] = copy_option(
        Shared, "models", ("unigram", "kneser-ney", "nearest", *OURS, "roget")
    )
    draws: int = option(5, minimum=1, help="Number of times to draw test pairs at random.")
    pairs: int = option(
        104, minimum=1, help="Number of test pairs to delete from the counts in each draw."
    )
    clusters: Sequence[int] | None = option(
        None,
        many=",",
        minimum=1,
        metavar="N,N,…",
        help="Numbers of clusters to test with each clusterer alone, by Σ p(c|noun)·p(verb|c).",
    )


@dataclass(frozen=True)
class RatingOptions(Checked):
    """Options for comparing similarities with human ratings."""

    by: str = copy_option(NeighbourOptions, "by", "both")
    n: int = option(
        10,
        minimum=0,
        flags=("--number", "-n"),
        help="Number of pairs to list, starting with the largest difference between similarity "
        "and rating.",
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
        help="Columns of the two words and the rating: names or numbers in this order, or "
        "ROLE=COLUMN (word, other, rating), e.g. rating=SimLex999.",
    )


@dataclass(frozen=True)
class SheetOptions(Checked):
    """Options for question sheets."""

    kind: str = option(
        "intrusion",
        choices=KINDS,
        called="kind of sheet",
        help="Question about each class: intrusion (which word does not belong?) or reading (do "
        "the words belong together?).",
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
        help="Words of a class to show: the most frequent, the most typical (nearest to the "
        "centroid) or any (at random).",
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
        help="Number of control lines with random words, for --kind reading [default: one per "
        "four classes].",
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
