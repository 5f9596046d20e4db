"""What can be asked of comparisons on held-out text, and of decisions between verbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roget import catalogue
from roget.core.options import Checked, again, option, seed_option
from roget.learn.uses import BACKOFFS

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

    models: Sequence[str] = again(
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

    models: Sequence[str] = again(
        Shared, "models", ("unigram", "kneser-ney", "nearest", *OURS, "roget")
    )
    draws: int = option(5, minimum=1, help="How many draws.")
    pairs: int = option(104, minimum=1, help="How many pairs are deleted in each.")
