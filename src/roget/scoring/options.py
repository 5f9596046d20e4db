"""All that can be asked of scoring and comparing."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from roget.core.options import Checked, copy_option, option
from roget.engines.options import EngineOptions

AVERAGES = ("weighted", "unweighted", "pooled")
MISSING = ("cluster", "singletons", "unmatched", "drop", "error")
ANSWERS = ("weighted", "top")
SEVERAL = ("weights", "cover")
EXTRA = ("drop", "count", "unmatched", "sample")
BALANCES = ("class",)
INTERVALS = ("auto", "bca", "percentile", "jackknife")
BY = ("group",)
PAIRED = ("bootstrap", "permutation")
PAIRWISE = "pairs"
LACKING = ("drop", PAIRWISE, "cluster", "singletons", "error")
CONSENSUS = ("medoid", "average")


class Rules(NamedTuple):
    """How scores of groups become one, and what becomes of items that one side only has."""

    average: str
    missing: str
    extra: str


RULES = Rules("weighted", "cluster", "drop")
OF_MENTIONS = Rules("pooled", "unmatched", "unmatched")
"""Those of the scorers of coreference."""


@dataclass(frozen=True)
class LabelOptions(Checked):
    """What is measured, and how labels become one score."""

    measures: Any = option(
        None,
        many="repeated",
        flags=("--measure", "-m"),
        metavar="NAME",
        help="A measure of `roget list measures`, such as nvi or v(beta=0.5), or several. Default: "
        "homogeneity, completeness, v, vi, nvi, ari, ami, b3-f, one-to-one.",
    )
    entropy: str | Sequence[str] = option(
        ("ml", "jk"),
        many="repeated",
        flags=("--entropy", "-e"),
        metavar="NAME",
        help="An estimator of `roget list entropies`, or several. Default: ml and jk.",
    )
    average: str | None = option(
        None,
        choices=AVERAGES,
        help="How the scores of groups (words, documents) become one: mean weighted by items, "
        "plain mean, or one table of all items whose labels are private to their group. Default: "
        "weighted; of mentions pooled.",
    )
    missing: str | None = option(
        None,
        choices=MISSING,
        called="rule for missing items",
        help="Items without an answer: one extra cluster per group, a cluster each, counted in "
        "gold alone, left out of the score, or an error. Default: cluster; of mentions unmatched.",
    )
    noise: str | None = option(
        None,
        metavar="LABEL",
        help="The label of items in no cluster, such as -1: they are treated as missing ones.",
    )
    extra: str | None = option(
        None,
        choices=EXTRA,
        called="rule for extra items",
        help="Items that gold does not know: dropped, counted as a class each, counted in the "
        "system alone, or gold taken as a sample of whole classes, from which precision, recall "
        "and F are estimated. Default: drop; of mentions unmatched.",
    )
    answers: str = option(
        "weighted",
        choices=ANSWERS,
        called="kind of answers",
        help="Weighted answers of a system: scored as they are, or only the heaviest label.",
    )
    several: str | None = option(
        None,
        choices=SEVERAL,
        called="meaning of several labels",
        help="What several labels of an item are: shares of it by their weights, or sets that it "
        "is in, each in full. Default: weights; of clusters that are listed one by one, cover.",
    )
    labels: str | None = option(
        None,
        choices="label formats",
        called="label format",
        help="Format of the label files, if the name misleads.",
    )
    columns: Mapping[str, str] | None = option(
        None,
        many="pairs",
        metavar="ROLE=COLUMN",
        help="Which column is the item, label, weight or group: item=doc,label=topic; of one side "
        "gold.label=topic.",
    )
    cut: Any = option(
        None,
        metavar="K|SCORE",
        help="Where a system is a tree: score its cut into K clusters, or that with the best "
        "SCORE, such as ami or v@jk. Default: ami.",
    )
    balance: str | None = option(
        None,
        choices=BALANCES,
        metavar="class",
        help="Weigh items so that all gold classes (of a group) count the same.",
    )
    by: str | None = option(
        None,
        choices=BY,
        metavar="group",
        help="Also give the scores of each group (word, document, data set); csv has these only.",
    )
    details: bool = option(
        False,
        help="Also show entropies, pairs of items and sizes; of one system the worst groups, "
        "clusters that mix classes and scattered classes.",
    )
    title: str = option("", help="What pages, reports and captions of tables call it.")
    golds: Any = option(
        (),
        many="repeated",
        flags=("--gold",),
        metavar="FILE",
        help="Another gold standard beside GOLD, of another annotator, as FILE or NAME=FILE; may "
        "be repeated. Scores are the mean over all, beside how well annotators agree.",
    )
    baselines: bool = option(True, help="Also score trivial answers on the same gold.")
    ci: int = option(
        0,
        minimum=0,
        metavar="DRAWS",
        expects="a number of draws, or 0 for no interval; intervals are 95% ones, ci=1000 is usual",
        help="Give 95% intervals from so many bootstrap draws, say 1000: over groups, or over "
        "items where there are none.",
    )
    interval: str = option(
        "auto",
        choices=INTERVALS,
        help="Kind of interval; auto is BCa over groups, jackknife over items.",
    )
    seed: int = option(0, minimum=0, help="Seed of everything random.")
    memory: str | None = option(
        None,
        metavar="SIZE",
        help="For joining large files, such as 2GB; more goes to disk. Default: half of it all.",
    )
    engine: str = copy_option(EngineOptions, "engine", "local")
    scheduler: str | None = copy_option(EngineOptions, "scheduler", None)


@dataclass(frozen=True)
class ScoreOptions(LabelOptions):
    """Of one system."""

    cells: Any = option(
        None,
        metavar="FILE",
        help="In the place of GOLD and SYSTEM: a table of cells (gold, system, count[, group]) "
        "that any database has counted.",
    )
    items: Any = option(
        None,
        metavar="FILE",
        help="Also write labels and scores of each item (element-centric, B-cubed precision and "
        "recall) as CSV, TSV, Parquet or JSON lines.",
    )
    chance: int = option(
        0,
        minimum=0,
        metavar="DRAWS",
        expects="a number of random answers, or 0 for no test; chance=1000 is usual",
        help="Also give z and p of being better than chance, by so many random answers with the "
        "same cluster sizes, say 1000.",
    )
    cuts: Any = option(
        None,
        metavar="CUTS",
        help="Where the system is a tree: also score all these cuts of it: 1..500, 2,8,64 or all.",
    )
    levels: str | None = option(
        None,
        metavar="SIGN",
        help="What parts the levels of labels from general to special, such as / in a/b/c; or "
        "'lists' where JSON has a list of labels for each item. Each level is scored.",
    )


@dataclass(frozen=True)
class CompareOptions(LabelOptions):
    """Of several systems."""

    splits: Sequence[str | os.PathLike[str]] = option(
        (),
        many="repeated",
        metavar="FOLDER",
        help="Also give supervised recall on the splits of a folder with files mapping.1.key and "
        "test.1.key, mapping.2.key …; or of several.",
    )
    main: str | None = option(
        None,
        metavar="SCORE",
        help="The score that systems are sorted by, such as v@jk or ari. Default: the first under "
        "which no trivial answer does as well as the best system.",
    )
    intervals: bool = option(
        True, help="Show the intervals in tables for people; JSON and csv always have them."
    )
    paired: str = option(
        "bootstrap",
        choices=PAIRED,
        called="test",
        help="Test of the difference of two systems (needs a number of draws).",
    )


@dataclass(frozen=True)
class AgreeOptions(Checked):
    """Of several clusterings without a gold standard."""

    measures: Any = copy_option(
        LabelOptions,
        "measures",
        None,
        help="A measure of `roget list measures`, or several; the first tells which clustering is "
        "typical, and draws tree and map. Default: ari, vi.",
    )
    entropy: str | Sequence[str] = copy_option(
        LabelOptions,
        "entropy",
        ("ml",),
        help="An estimator of `roget list entropies`, or several. Default: ml, under which VI is a "
        "metric.",
    )
    average: str | None = option(
        "weighted",
        choices=AVERAGES,
        help="How the scores of groups (words, documents) become one: mean weighted by items, "
        "plain mean, or one table of all items whose labels are private to their group.",
    )
    missing: str = copy_option(
        LabelOptions,
        "missing",
        "drop",
        choices=LACKING,
        help="Items that a clustering lacks: left out of all, left out of its pairs only (for "
        "resamples), one extra cluster, a cluster each, or an error.",
    )
    noise: str | None = copy_option(LabelOptions, "noise", None)
    answers: str = copy_option(LabelOptions, "answers", "weighted")
    labels: str | None = copy_option(LabelOptions, "labels", None)
    columns: Mapping[str, str] | None = copy_option(
        LabelOptions,
        "columns",
        None,
        help="Which column is the item, label, weight or group: item=doc,label=topic.",
    )
    ci: int = copy_option(
        LabelOptions,
        "ci",
        0,
        help="Give 95% intervals: BCa from so many draws of groups, or, where there are none, the "
        "jackknife's over items.",
    )
    seed: int = copy_option(LabelOptions, "seed", 0)


@dataclass(frozen=True)
class ConsensusOptions(Checked):
    """Of what many clusterings have in common."""

    by: str = option(
        "medoid",
        choices=CONSENSUS,
        called="consensus",
        flags=("--consensus-by",),
        help="The clustering that agrees best with the others, or average-link of how often items "
        "are together (of a few thousand items).",
    )
    clusters: int | None = option(
        None,
        minimum=1,
        help="Clusters of an average-link consensus. Default: the median of the clusterings'.",
    )
    at_least: float = option(
        0.5,
        positive=True,
        maximum=1.0,
        metavar="SHARE",
        help="Of the clusterings that have both items of a pair, those in which they are together.",
    )
    most: int = option(
        20_000_000,
        minimum=1,
        metavar="PAIRS",
        help="Pairs of items that are looked at and written at most.",
    )


@dataclass(frozen=True)
class ConvertOptions(Checked):
    """Of writing labels in another format."""

    from_: str | None = option(
        None,
        choices="label formats",
        called="label format",
        flags=("--from", "--labels"),  # messages about label files speak of --labels
        help="Format of INPUT, if the name misleads.",
    )
    to: str | None = option(
        None,
        choices="label formats",
        called="label format",
        help="Format of OUTPUT, if the name does not tell.",
    )
    columns: Mapping[str, str] | None = copy_option(LabelOptions, "columns", None)
