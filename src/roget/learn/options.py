"""Options for `roget build`, and for commands that use a thesaurus or a taxonomy."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from roget import catalogue
from roget.core.options import Checked, Option, check, copy_option, option, seed_option
from roget.core.progress import Report
from roget.errors import InputError, UnknownName
from roget.learn.clustering.options import CLUSTERS, method_options
from roget.learn.counting.options import CountOptions as Counting

AUTO = "auto"
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

_OURS = ("n_clusters", "random_state", "checkpoint", "progress", "background", "vectors")
"""Arguments of a clusterer that `build` sets itself. They are not available as options."""


@dataclass(frozen=True)
class BuildOptions(Counting):
    """Counting options, with the defaults of `roget build`."""

    min_count: int = copy_option(Counting, "min_count", 5)
    evidence: int = copy_option(Counting, "evidence", 3)


@dataclass(frozen=True)
class Placing(BuildOptions):
    """Counting options, with defaults for placing words in a taxonomy.

    One example sentence per pair is kept in memory, without a size limit.
    """

    evidence: int = copy_option(Counting, "evidence", 1)
    evidence_size: float = copy_option(Counting, "evidence_size", 0.0)


@dataclass(frozen=True)
class Compared(Counting):
    """Counting options, with defaults for comparing two corpora."""

    min_count: int = copy_option(Counting, "min_count", 20)
    """Minimum count of a word in each of the two corpora."""


@dataclass(frozen=True)
class Plan:
    """Options for building a thesaurus from counts."""

    method: str = option(
        "spherical",
        choices="clusterers",
        help="Clustering method: spherical (word vectors by direction), soft (annealing), "
        "symmetric (soft classes of word–context pairs), mdl or comdl (minimum description "
        "length).",
    )
    clusters: int | str | None = option(
        AUTO, flags=CLUSTERS, metavar="K|auto", help="Number of word classes."
    )
    top: int | None = option(20_000, minimum=1, help="Use only the N most frequent words.")
    random_state: int | None = seed_option()
    """Random seed, or None for a different result in each run.

    A run without a seed cannot be resumed.
    """
    heldout: bool = option(
        True,
        help="Evaluate the classes on held-out tokens. Without the evaluation, a run takes about "
        "half as long.",
    )
    names: str | os.PathLike[str] | None = option(
        None,
        metavar="TAXONOMY",
        help="Name classes after a taxonomy: WordNet, a SKOS file, a child–parent table, or "
        "another thesaurus.",
    )
    background: Any = option(
        AUTO,
        metavar="COUNTS|none|auto",
        help="Counts of a large corpus to add for clustering: a counts folder or table, auto "
        "(bundled counts for the language, if there are any) or none.",
    )
    """Background counts. In Python, this can also be a Counts object."""
    vectors: Any = option(
        AUTO,
        metavar="FILE|bundled|none|auto",
        help="Word vectors to add for clustering: bundled (English), auto (bundled for English "
        "texts with a background), none, a word2vec, GloVe or fastText file, or a .npy file with "
        "the words in a .txt file.",
    )
    """Word vectors. In Python, this can also be a `Prior`."""
    own: Mapping[str, Any] = field(default_factory=dict)
    """Options of the clustering method, keyed as in `own_options`."""

    def __post_init__(self) -> None:
        check(self)
        if self.n_clusters is not None and self.n_clusters < 1:
            raise InputError(
                f"'clusters' is {self.clusters}; expected at least 1, or {AUTO}",
                code="invalid-option",
            )
        for name, value in self.own.items():
            methods = own_options().get(name)
            if methods is None:
                raise UnknownName("option", name, own_options())
            if self.method not in methods:
                raise InputError(
                    f"{name} {value} does not apply to the method {self.method}; it is an option "
                    f"of {' and '.join(methods)}",
                    code="conflicting-options",
                )
            methods[self.method].check(value)

    @property
    def n_clusters(self) -> int | None:
        """Requested number of clusters, or None if the method chooses it."""
        if self.clusters in (None, AUTO):
            return None
        try:
            return int(self.clusters)
        except (TypeError, ValueError):
            raise InputError(
                f"'clusters' is {self.clusters!r}; expected an integer or {AUTO}",
                code="invalid-option",
            ) from None

    @property
    def arguments(self) -> dict[str, Any]:
        """Keyword arguments for the clusterer."""
        return {own_options()[name][self.method].name: value for name, value in self.own.items()}


def own_options() -> dict[str, dict[str, Option]]:
    """Return the options of all methods in the catalogue, by option name and method.

    If counting or `Plan` has an option of the same name, the name gets the prefix "method_".
    """
    taken = {one.name for kind in (BuildOptions, Plan) for one in fields(kind)}
    options: dict[str, dict[str, Option]] = {}
    for method in catalogue.names("clusterers"):
        for name, one in method_options(method).items():
            if one.flags != CLUSTERS and name not in _OURS:
                unique = f"method_{name}" if name in taken else name
                options.setdefault(unique, {})[method] = one
    return options


def offered() -> list[Option]:
    """Return the options of all methods, one per name.

    The help text lists the methods that have the option.
    """
    listed = []
    for name, methods in own_options().items():
        first = next(iter(methods.values()))
        helps: dict[str, list[str]] = {}
        for method, one in methods.items():
            helps.setdefault(one.help, []).append(method)
        text = " ".join(f"{', '.join(these)}: {help}" for help, these in helps.items())
        listed.append(replace(first, name=name, help=text, flags=()))
    return listed


@dataclass(frozen=True)
class NeighbourOptions(Checked):
    """Options for `roget neighbours`."""

    n: int = option(10, minimum=1, flags=("--number", "-n"), help="Number of neighbours to list.")
    by: str = option(
        "both",
        choices=WAYS,
        called="way to compare words",
        help="Compare words by their contexts (counts), by their classes, or by both.",
    )


@dataclass(frozen=True)
class EditOptions(Checked):
    """Options for `roget edit`."""

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
    """Options for `roget sketch`."""

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
    """Options for `roget why`."""

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
    """Options for `roget shift`."""

    n: int = option(20, minimum=1, flags=("--number", "-n"), help="Number of words to list.")
    changes: int = option(
        5, minimum=1, help="Number of gained and of lost contexts to list per word."
    )
    shared: bool = option(
        False, flags=("--shared",), help="Compare only contexts that occur in both corpora."
    )


@dataclass(frozen=True)
class CutOptions(Checked):
    """Options for tree cut models."""

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
    """Options for `roget prefer` that specify the classes of the tree cuts."""

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
class CorpusOptions(Checked):
    """Options for reading and counting text."""

    reader: str | None = copy_option(Counting, "reader", None)
    encoding: str = copy_option(Counting, "encoding", "utf-8")
    processes: int | None = copy_option(Counting, "processes", None)
    memory: str | None = copy_option(Counting, "memory", None)
    engine: str = copy_option(Counting, "engine", "local")
    scheduler: str | None = copy_option(Counting, "scheduler", None)

    def plan(self, min_count: int, part: str) -> Placing:
        """Return the counting options for words of the given part of speech."""
        relation = None if part == "noun" else f"{part}s"
        return Placing(**vars(self), min_count=min_count, relation=relation)


@dataclass(frozen=True)
class PlaceOptions(Checked):
    """Options for `roget place`."""

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
    """Options for `roget place` that specify the taxonomy and the words to place."""

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
    """Options for `roget attach`."""

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
