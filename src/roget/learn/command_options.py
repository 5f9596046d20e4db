"""Options of commands that use existing classes, such as neighbours, edit, sketch and place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roget.core.options import Checked, copy_option, option, seed_option
from roget.core.progress import Report

PARTS = ("noun", "verb")
"""Parts of speech that WordNet classes can have."""
WAYS = ("both", "classes", "counts")
SORTS = ("score", "count")
SENSES = ("even", "weighted")
"""Ways to distribute a word over its senses: equally, or by weights."""
ORDERS = ("corpus", "left", "right")
"""Sort orders for the lines of a concordance."""
BACKOFFS = ("auto", "discount", "interpolate", "none")
"""Ways in which class models use a word's own counts. "auto" selects the model's default."""
ATTACHERS = ("best", "chain")
RULES = ("smoothed", "printed")
"""Rules of the chain model for choosing between verb and noun: smoothed, or as in the paper."""


@dataclass(frozen=True)
class NeighbourOptions(Checked):
    """Options of `roget neighbours`."""

    n: int = option(10, minimum=1, flags=("--number", "-n"), help="Number of neighbours to list.")
    by: str = option(
        "both",
        choices=WAYS,
        called="way to compare words",
        help="Compare words by their contexts (counts), by their classes, or by both.",
    )


@dataclass(frozen=True)
class EditOptions(Checked):
    """Options of `roget edit`."""

    undo: bool = option(False, flags=("--undo",), help="Undo the last edit, or the last N.")
    redo: bool = option(False, flags=("--redo",), help="Redo the last undone edit, or the last N.")
    n: int = option(
        1,
        minimum=1,
        flags=("--number", "-n"),
        help=("Number of edits to undo or redo (used with --undo and --redo)."),
    )
    undo_to: int | None = option(
        None, minimum=0, metavar="N", help="Undo all but the first N edits."
    )
    dry_run: bool = option(
        False, flags=("--dry-run",), help="Show the changes without writing anything."
    )
    language: str | None = option(
        None,
        metavar="TAG",
        help="Language of the labels to read from a SKOS file that has labels in several "
        "languages.",
    )


@dataclass(frozen=True)
class SketchOptions(Checked):
    """Options of `roget sketch`."""

    compare: str | None = option(
        None,
        metavar="WORD2",
        help="Word to compare with. Collocates are listed in three groups: with the first word "
        "only, with both words, and with the second word only.",
    )
    n: int = option(
        10, minimum=1, flags=("--number", "-n"), help="Number of collocates to list per relation."
    )
    relations: Sequence[str] = option(
        (),
        many="repeated",
        flags=("--relation", "-r"),
        metavar="R",
        help="Show only this relation, e.g. obj, obl:in, obl (with any preposition) or in (any "
        "relation with this preposition). Can be repeated.",
    )
    least: int | None = option(
        None,
        minimum=1,
        flags=("--min",),
        help="Minimum number of occurrences of a collocate [default: 2, or 1 if the word has "
        "fewer than "
        "100 occurrences].",
    )
    sort: str = option("score", choices=SORTS, help="Sort collocates by logDice or by count.")
    share: float = option(
        0.01,
        minimum=0,
        maximum=1,
        help="Show only relations with at least this share of the word's occurrences.",
    )


@dataclass(frozen=True)
class WhyOptions(Checked):
    """Options of `roget why`."""

    context: str | None = option(
        None, metavar="NAME", help="Show only this context, e.g. obj:have."
    )
    n: int = option(8, minimum=1, flags=("--number", "-n"), help="Number of contexts to list.")
    lines: int | None = option(
        None,
        minimum=0,
        metavar="N",
        help="Number of example sentences to print per word and context [default: 2, or 20 with "
        "--context].",
    )
    sort: str = option(
        "corpus",
        choices=ORDERS,
        called="order of lines",
        help="Order of the sentences: as in the corpus, or sorted by the words to the left or "
        "right.",
    )


@dataclass(frozen=True)
class ShiftOptions(Checked):
    """Options of `roget shift`."""

    n: int = option(20, minimum=1, flags=("--number", "-n"), help="Number of words to list.")
    changes: int = option(
        5, minimum=1, help="Number of gained and of lost contexts to list per word."
    )
    shared: bool = option(
        False, flags=("--shared",), help="Compare only contexts that occur in both corpora."
    )


@dataclass(frozen=True)
class CutOptions(Checked):
    """Options of tree cut models."""

    words: bool = option(
        False, flags=("--words",), help="Allow single words as classes of the cut."
    )
    penalty: float = option(
        1.0,
        minimum=0,
        metavar="C",
        help="Weight of the penalty on the number of classes. Values above 1 give fewer classes.",
    )
    senses: str = option(
        "even",
        choices=SENSES,
        help="How to distribute a word's count over its senses: even (equally) or weighted (by "
        "tag counts).",
    )


@dataclass(frozen=True)
class PreferOptions(Checked):
    """Options of `roget prefer` that specify the classes of the tree cuts."""

    thesaurus: str | None = option(
        None,
        metavar="DIR|FILE",
        help="A thesaurus, SKOS file or child–parent table [default: classes learnt from COUNTS].",
    )
    wordnet: str | os.PathLike[str] | None = option(
        None,
        metavar="PATH|wn:ID",
        help="WordNet: its `dict` folder, or a lexicon of the Python package `wn`.",
    )
    method: str = option(
        "comdl",
        choices="clusterers",
        help="Clustering method for classes learnt from COUNTS.",
    )
    top: int | None = option(
        None, minimum=1, help="Maximum number of classes to list [default in text output: 12]."
    )
    seed: int = seed_option()


@dataclass(frozen=True)
class PlaceOptions(Checked):
    """Options of `roget place`."""

    n: int = option(
        3, minimum=1, flags=("--number", "-n"), help="Number of candidates to list per word."
    )
    least: float = option(
        0.0,
        minimum=0,
        maximum=1,
        metavar="P",
        help="List only candidates with at least this score.",
    )
    steps: int | None = option(
        None,
        minimum=0,
        maximum=2,
        metavar="N",
        help="Score each candidate by the probability that a correct class is within N steps of "
        "it in the tree [default: 2, or less in small trees].",
    )
    spelling: bool = option(
        True, help=("Use words with the same ending as additional evidence for a class.")
    )
    lines: int = option(
        3,
        minimum=0,
        help="Number of example sentences to print per candidate, if sentences are stored.",
    )
    background: Any = option(
        "auto",
        metavar="COUNTS|none|auto",
        help="Counts of a large corpus to add to the input: a counts folder or table, auto "
        "(bundled counts for the language, if there are any) or none.",
    )
    seed: int = seed_option()


@dataclass(frozen=True)
class TaxonomyOptions(Checked):
    """Options of `roget place` that specify the taxonomy and the words to place."""

    min_count: int = option(5, minimum=1, help="Minimum number of occurrences of a word.")
    part: str = option(
        "noun",
        choices=PARTS,
        called="part of speech",
        help="Part of speech of the classes, if the taxonomy is a WordNet.",
    )
    language: str | None = option(
        None,
        metavar="TAG",
        help="Language of the labels to read from a SKOS file that has labels in several "
        "languages.",
    )
    hide: int | None = option(
        None,
        minimum=1,
        metavar="N",
        help="Test the method on N words of the taxonomy: hide them and try to place them.",
    )


@dataclass(eq=False, repr=False)
class AttachOptions:
    """Options of `roget attach`."""

    model: str | None = option(
        None,
        choices=ATTACHERS,
        called="model of attachment",
        help="Attachment model: best (compare all words by similarity) or chain (back off from "
        "thesaurus to WordNet to association) [default: best, or chain if --rule is passed].",
    )
    pairs: Any = option(
        None,
        metavar="COUNTS",
        help="Counts of nouns in contexts such as obj:eat [default: bundled counts].",
    )
    thesauri: Sequence[Any] = option(
        (),
        many="repeated",
        flags=("--thesaurus",),
        metavar="DIR",
        help="A thesaurus of nouns created by `roget build`. Can be repeated.",
    )
    wordnet: str | os.PathLike[str] | None = copy_option(PreferOptions, "wordnet", None)
    vectors: Any = option(
        "none",
        metavar="FILE|bundled|none",
        help="Word vectors to use with the model `best`: bundled (English), none, a word2vec, "
        "GloVe or fastText file, or a .npy file with the words in a .txt file.",
    )
    rule: str | None = option(
        None,
        choices=RULES,
        called="rule of the chain",
        help="Decision rule of the model `chain`: smoothed (tree cuts and associations) or "
        "printed (plain probabilities as in Li & Abe 1996) [default: smoothed].",
    )
    random_state: int = seed_option()
    progress: Report | None = None
