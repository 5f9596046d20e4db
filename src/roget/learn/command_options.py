"""What can be asked of classes that are there: neighbours, preferences, attachment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roget.core.options import Checked, copy_option, option, seed_option
from roget.core.progress import Report

PARTS = ("noun", "verb")
"""Parts of speech that WordNets have classes of."""
WAYS = ("both", "classes", "counts")
SORTS = ("score", "count")
SENSES = ("even", "weighted")
"""How a word of a taxonomy is shared out over its classes: alike, or by their weights."""
ORDERS = ("corpus", "left", "right")
"""How lines of a concordance are ordered."""
BACKOFFS = ("auto", "discount", "interpolate", "none")
"""How models with classes use a word's own counts; auto is what the model does."""
ATTACHERS = ("best", "chain")
RULES = ("smoothed", "printed")
"""How the chain compares verb and noun: with smoothing and association, or as the paper prints it.
"""


@dataclass(frozen=True)
class NeighbourOptions(Checked):
    """Of the neighbours of a word."""

    n: int = option(10, minimum=1, flags=("--number", "-n"), help="How many neighbours.")
    by: str = option(
        "both",
        choices=WAYS,
        called="way to compare words",
        help="Compare what the classes of words do, what the words did themselves, or all "
        "that is known.",
    )


@dataclass(frozen=True)
class EditOptions(Checked):
    """Of the history of edits."""

    undo: bool = option(False, flags=("--undo",), help="Take back the last edit, or the last N.")
    redo: bool = option(False, flags=("--redo",), help="Do again what was taken back, or N of it.")
    n: int = option(
        1, minimum=1, flags=("--number", "-n"), help="How many edits --undo and --redo are for."
    )
    undo_to: int | None = option(
        None, minimum=0, metavar="N", help="Take back all but the first N edits."
    )
    dry_run: bool = option(
        False, flags=("--dry-run",), help="Tell what would be done, and write nothing."
    )
    language: str | None = option(
        None, metavar="TAG", help="Of labels, where a SKOS file has several."
    )


@dataclass(frozen=True)
class SketchOptions(Checked):
    """Of the sketch of a word."""

    beside: str | None = option(
        None, metavar="WORD2", help="Tell what only the one takes, what both, what only the other."
    )
    n: int = option(
        10, minimum=1, flags=("--number", "-n"), help="How many collocates of a relation."
    )
    relations: Sequence[str] = option(
        (),
        many="repeated",
        flags=("--relation", "-r"),
        metavar="R",
        help="Only this relation: a slot such as obj or obl:in, all of obl, or a preposition; "
        "repeatable.",
    )
    least: int | None = option(
        None,
        minimum=1,
        flags=("--min",),
        help="Leave out collocates seen less often. Default: 2, or 1 of words seen less than 100 "
        "times.",
    )
    sort: str = option("score", choices=SORTS, help="Collocates by logDice, or by count.")
    share: float = option(
        0.01,
        minimum=0,
        maximum=1,
        help="Leave out relations that have less of the word's uses; 0 for none.",
    )


@dataclass(frozen=True)
class WhyOptions(Checked):
    """Of the contexts and sentences behind a word's place, or behind the likeness of two."""

    context: str | None = option(None, metavar="NAME", help="Only this context, such as obj:have.")
    n: int = option(8, minimum=1, flags=("--number", "-n"), help="How many contexts.")
    lines: int | None = option(
        None,
        minimum=0,
        metavar="N",
        help="How many sentences of each word in each context. Default: 2, or 20 of a context that "
        "is named.",
    )
    sort: str = option(
        "corpus",
        choices=ORDERS,
        called="order of lines",
        help="Sentences in the order of the corpus, or by the words left or right of the keyword.",
    )


@dataclass(frozen=True)
class ShiftOptions(Checked):
    """Of words whose use changed."""

    n: int = option(20, minimum=1, flags=("--number", "-n"), help="How many words.")
    told: int = option(
        5, minimum=1, help="How many contexts gained, and lost, are told of each word."
    )
    shared: bool = option(
        False, flags=("--shared",), help="Look only at contexts that both corpora have."
    )


@dataclass(frozen=True)
class CutOptions(Checked):
    """Of a cut through the classes."""

    words: bool = option(False, flags=("--words",), help="Let the cut go down to single words.")
    penalty: float = option(
        1.0, minimum=0, metavar="C", help="Above 1, fewer and broader classes; below, more."
    )
    senses: str = option(
        "even",
        choices=SENSES,
        help="Share a word out evenly over its senses, or as often as tagged.",
    )


@dataclass(frozen=True)
class PreferOptions(Checked):
    """Of the classes to choose from."""

    thesaurus: str | None = option(
        None,
        metavar="DIR|FILE",
        help="A thesaurus, or a SKOS file or child–parent table. Default: learnt from COUNTS.",
    )
    wordnet: str | os.PathLike[str] | None = option(
        None, metavar="PATH|wn:ID", help="WordNet: a dict folder, or by the package wn."
    )
    method: str = option(
        "comdl",
        choices="clusterers",
        help="How classes are learnt, if they are: by default small ones, found quickly.",
    )
    top: int | None = option(None, minimum=1, help="So many classes. Default: 12 as text.")
    seed: int = seed_option()


@dataclass(frozen=True)
class PlaceOptions(Checked):
    """Of placing words into a taxonomy."""

    n: int = option(3, minimum=1, flags=("--number", "-n"), help="Candidates for each word.")
    least: float = option(
        0.0, minimum=0, maximum=1, metavar="P", help="Leave out candidates less likely than this."
    )
    steps: int = option(
        2,
        minimum=0,
        maximum=2,
        help="Scores are the probability that a candidate is so many steps, up or down, from a "
        "true class, or nearer.",
    )
    spelling: bool = option(True, help="Let words that end alike vote too, beside contexts.")
    lines: int = option(
        3,
        minimum=0,
        help="Sentences of each candidate, where they were kept; tables and SKOS have none.",
    )
    seed: int = seed_option()


@dataclass(frozen=True)
class TaxonomyOptions(Checked):
    """Of the taxonomy, and of the words that are placed into it."""

    min_count: int = option(5, minimum=1, help="Leave out words that are seen less often.")
    part: str = option(
        "noun", choices=PARTS, called="part of speech", help="Of a WordNet: its nouns or its verbs."
    )
    language: str | None = option(
        None, metavar="TAG", help="The language of a SKOS file's labels, if it has several."
    )
    hide: int | None = option(
        None,
        minimum=1,
        metavar="N",
        help="Hide N words that the taxonomy has, and tell how near they are placed.",
    )


@dataclass(eq=False, repr=False)
class AttachOptions:
    """Of learning where prepositional phrases belong."""

    model: str | None = option(
        None,
        choices=ATTACHERS,
        called="model of attachment",
        help="best: by the likeness of all words; chain: thesaurus, WordNet, association, noun. "
        "Default: best, or the chain where a rule is asked for.",
    )
    pairs: Any = option(
        None,
        metavar="COUNTS",
        help="Counts of nouns in contexts such as obj:eat. Default: the bundled ones.",
    )
    thesauri: Sequence[Any] = option(
        (),
        many="repeated",
        flags=("--thesaurus",),
        metavar="DIR",
        help="A thesaurus of nouns, such as `roget build` makes; repeatable.",
    )
    wordnet: str | os.PathLike[str] | None = copy_option(PreferOptions, "wordnet", None)
    rule: str | None = option(
        None,
        choices=RULES,
        called="rule of the chain",
        help="What the chain compares: cuts smoothed, times the association of head and "
        "preposition; or plain probabilities, as Li & Abe (1996) print it. Default: smoothed.",
    )
    random_state: int = seed_option()
    progress: Report | None = None
