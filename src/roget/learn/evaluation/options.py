"""Options of comparisons on held-out text, decisions between verbs, and human judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roget import catalogue
from roget.core.options import Checked, copy_option, option, seed_option
from roget.learn.command_options import BACKOFFS, NeighbourOptions

KINDS = ("intrusion", "reading")
"""Questions: which word does not belong, or do the words belong together?"""
SHOWN = ("frequent", "typical", "any")
"""Which words of a class are shown."""
MOST = 50
"""Maximum number of words shown."""

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
        help="Model to compare, a name of `roget list models`; repeatable [default: all that take "
        "seconds].",
    )
    top: int = option(1000, minimum=1, help="Use only the N most frequent words.")
    random_state: int = seed_option()


@dataclass(frozen=True)
class HeldoutOptions(Shared):
    """Options of predicting held-out text."""

    models: Sequence[str] = copy_option(
        Shared,
        "models",
        ("unigram", "mle", "absolute", "kneser-ney", "nearest", *OURS, "roget"),
    )
    splits: int = option(5, minimum=1, help="Number of random splits.")
    backoff: str = option(
        "auto",
        choices=BACKOFFS,
        help="Backoff of models with classes: discount = own counts discounted, interpolate = own "
        "counts weighted by frequency, none = classes only; auto = that of the model.",
    )


@dataclass(frozen=True)
class DecideOptions(Shared):
    """Options of deciding which of two verbs takes a noun."""

    models: Sequence[str] = copy_option(
        Shared, "models", ("unigram", "kneser-ney", "nearest", *OURS, "roget")
    )
    draws: int = option(5, minimum=1, help="Number of random draws of pairs.")
    pairs: int = option(104, minimum=1, help="Number of pairs deleted in each draw.")
    clusters: Sequence[int] | None = option(
        None,
        many=",",
        minimum=1,
        metavar="N,N,…",
        help="Decide by the classes of a clusterer alone, Σ p(c|noun)·p(verb|c), with each of "
        "these numbers of clusters.",
    )


@dataclass(frozen=True)
class RatingOptions(Checked):
    """Options of comparing similarities with human ratings."""

    by: str = copy_option(NeighbourOptions, "by", "both")
    n: int = option(
        10,
        minimum=0,
        flags=("--number", "-n"),
        help="Number of pairs to list that disagree most with the ratings.",
    )
    draws: int = option(
        1000,
        minimum=0,
        maximum=1_000_000,
        help="Number of bootstrap samples for 95 % intervals; 0 for none.",
    )
    random_state: int = seed_option()
    columns: str | Sequence[str | int] | Mapping[str, str | int] | None = option(
        None,
        many="text",
        metavar="A,B,C",
        help="Columns of word, other and rating, by name or number; or ROLE=COLUMN pairs, e.g. "
        "rating=SimLex999.",
    )


@dataclass(frozen=True)
class SheetOptions(Checked):
    """Options of a sheet to fill in."""

    kind: str = option(
        "intrusion",
        choices=KINDS,
        called="kind of sheet",
        help="Question: intrusion = which word does not belong; reading = do all words belong "
        "together?",
    )
    classes: int = option(40, minimum=1, help="Number of classes, drawn at random.")
    words: int | None = option(
        None,
        minimum=2,
        maximum=MOST,
        help="Number of words of each class [default: 5, or 20 for reading].",
    )
    shown: str = option(
        "frequent",
        choices=SHOWN,
        called="choice of words",
        help="Words of a class to show: the most frequent, the most typical (nearest to its "
        "centroid), or random ones.",
    )
    level: int | None = option(
        None,
        minimum=2,
        metavar="K",
        help="Cut the tree at K classes [default: its leaves].",
    )
    made_up: int | None = option(
        None,
        minimum=0,
        help="Number of made-up lines among those for reading, as a control [default: one for "
        "every four classes].",
    )
    random_state: int = seed_option()


@dataclass(frozen=True)
class AnswerOptions(Checked):
    """Options of filled-in sheets."""

    columns: str | Sequence[str | int] | Mapping[str, str | int] | None = copy_option(
        RatingOptions,
        "columns",
        None,
        many="text",
        metavar="ROLE=COLUMN",
        help="Columns of filled-in sheets without a header: line=1,answer=8.",
    )
