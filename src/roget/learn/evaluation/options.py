"""What can be asked of comparisons on held-out text, decisions between verbs, and people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roget import catalogue
from roget.core.options import Checked, copy_option, option, seed_option
from roget.learn.command_options import BACKOFFS, NeighbourOptions

KINDS = ("intrusion", "reading")
"""What people are asked: which word does not belong, or whether the words belong together."""
SHOWN = ("frequent", "typical", "any")
"""Which words of a class people see."""
MOST = 50
"""How many of them, at most."""

OURS = catalogue.TOGETHER["roget"]


@dataclass(frozen=True)
class Shared(Checked):
    """Of comparing models."""

    models: Sequence[str] = option(
        (),
        many="repeated",
        choices="models",
        called="model",
        flags=("--model", "-m"),
        help="Models of `roget list models`; several may be named. Default: all that take seconds.",
    )
    top: int = option(1000, minimum=1, help="Take the so many most frequent words.")
    random_state: int = seed_option()


@dataclass(frozen=True)
class HeldoutOptions(Shared):
    """Of predicting text that models were not learnt from."""

    models: Sequence[str] = copy_option(
        Shared,
        "models",
        ("unigram", "mle", "absolute", "kneser-ney", "nearest", *OURS, "roget"),
    )
    splits: int = option(5, minimum=1, help="How many splits.")
    backoff: str = option(
        "auto",
        choices=BACKOFFS,
        help="Models with classes: own counts discounted (as auto does), interpolated, or classes "
        "alone (none).",
    )


@dataclass(frozen=True)
class DecideOptions(Shared):
    """Of deciding which of two verbs takes a noun."""

    models: Sequence[str] = copy_option(
        Shared, "models", ("unigram", "kneser-ney", "nearest", *OURS, "roget")
    )
    draws: int = option(5, minimum=1, help="How many draws.")
    pairs: int = option(104, minimum=1, help="How many pairs are deleted in each.")
    clusters: Sequence[int] | None = option(
        None,
        many=",",
        minimum=1,
        metavar="N,N,…",
        help="Models of one kind of classes: decide by the classes alone, Σ p(c|noun)·p(verb|c), "
        "with so many of them each.",
    )


@dataclass(frozen=True)
class RatingOptions(Checked):
    """Of holding similarities against people's ratings."""

    by: str = copy_option(NeighbourOptions, "by", "both")
    n: int = option(
        10, minimum=0, flags=("--number", "-n"), help="How many pairs at odds with people are told."
    )
    draws: int = option(
        1000,
        minimum=0,
        maximum=1_000_000,
        help="Bootstrap draws of pairs for 95 % intervals; 0 for none.",
    )
    random_state: int = seed_option()
    columns: str | Sequence[str | int] | Mapping[str, str | int] | None = option(
        None,
        many="text",
        metavar="A,B,C",
        help="Names or numbers of the columns: word, other, rating; or ROLE=COLUMN pairs, such as "
        "rating=SimLex999.",
    )


@dataclass(frozen=True)
class SheetOptions(Checked):
    """Of a sheet that people fill in."""

    kind: str = option(
        "intrusion",
        choices=KINDS,
        called="kind of sheet",
        help="Which word does not belong (intrusion), or do all belong together (reading).",
    )
    classes: int = option(40, minimum=1, help="How many classes, drawn at random.")
    words: int | None = option(
        None, minimum=2, maximum=MOST, help="Words of each. Default: 5, and 20 for reading."
    )
    shown: str = option(
        "frequent",
        choices=SHOWN,
        called="choice of words",
        help="The words of a class that are seen most, are nearest to its centroid, or any.",
    )
    level: int | None = option(
        None, minimum=2, metavar="K", help="Cut the tree at so many classes. Default: its leaves."
    )
    made_up: int | None = option(
        None,
        minimum=0,
        help="Reading: lines of words from all over among them, to see who reads. Default: one "
        "for every four classes.",
    )
    random_state: int = seed_option()


@dataclass(frozen=True)
class AnswerOptions(Checked):
    """Of sheets that were filled in."""

    columns: str | Sequence[str | int] | Mapping[str, str | int] | None = copy_option(
        RatingOptions,
        "columns",
        None,
        many="text",
        metavar="ROLE=COLUMN",
        help="Where filled sheets lost their header: line=1,answer=8.",
    )
