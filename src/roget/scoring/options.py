"""Options for the commands score, compare, agree and convert."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import filterfalse
from typing import Any, NamedTuple

from roget.core.options import Checked, copy_option, option
from roget.engines.options import EngineOptions
from roget.errors import InputError

AVERAGES = ("weighted", "unweighted", "pooled")
MISSING = ("cluster", "singletons", "unmatched", "drop", "error")
ANSWERS = ("weighted", "top")
SEVERAL = ("weights", "cover")
EXTRA = ("drop", "count", "unmatched", "sample")
BALANCES = ("class",)
INTERVALS = ("auto", "jackknife", "bca", "percentile")
BY = ("group",)
PAIRED = ("permutation", "bootstrap")
PAIRWISE = "pairs"
LACKING = ("drop", PAIRWISE, "cluster", "singletons", "error")
CONSENSUS = ("medoid", "average")
RANKED_BY = ("mean", "rank")
UNCERTAIN = ("tasks", "errors")
NONE = "none"
"""Baseline name that omits the automatic baselines."""
NO_SCORE = ("error", "drop-task", "drop-system", "worst")
RANK_INTERVALS = ("simultaneous", "marginal")


class Rules(NamedTuple):
    """Rules for averaging over groups, and for items that gold or the system does not contain."""

    average: str
    missing: str
    extra: str


RULES = Rules("weighted", "cluster", "drop")
OF_MENTIONS = Rules("pooled", "unmatched", "unmatched")
"""Default rules for coreference mentions, as in the CoNLL scorer."""


@dataclass(frozen=True)
class LabelOptions(Checked):
    """Options shared by `roget score` and `roget compare`."""

    measures: Any = option(
        None,
        many="repeated",
        flags=("--measure", "-m"),
        metavar="NAME",
        help="Measures, e.g. nvi,v(beta=0.5). `roget list measures` lists all measures. Default: "
        "homogeneity, completeness, v, vi, nvi, ari, ami, b3-f, one-to-one.",
    )
    entropy: str | Sequence[str] = option(
        ("ml", "jk"),
        many="repeated",
        flags=("--entropy", "-e"),
        metavar="NAME",
        help="Entropy estimators. `roget list entropies` lists all estimators. Default: ml and jk.",
    )
    average: str | None = option(
        None,
        choices=AVERAGES,
        help="Average over groups (words, documents): weighted (by number of items), unweighted, "
        "or pooled (one table for all groups). Default: weighted, or pooled for coreference.",
    )
    missing: str | None = option(
        None,
        choices=MISSING,
        called="rule for missing items",
        help="Treatment of items without a system label: cluster (one extra cluster per group), "
        "singletons, unmatched (counted only in gold), drop or error. Default: cluster "
        "(unmatched for coreference, singletons with --noise or pairs).",
    )
    noise: str | None = option(
        None,
        metavar="LABEL",
        help="Label that marks items in no cluster, e.g. -1. Each of these items becomes a "
        "separate cluster, unless --missing is passed.",
    )
    extra: str | None = option(
        None,
        choices=EXTRA,
        called="rule for extra items",
        help="Treatment of system items that are not in gold: drop, count (one class for each), "
        "unmatched (counted only in the system), or sample (gold is a sample of complete "
        "classes). Default: drop (unmatched for coreference).",
    )
    answers: str = option(
        "weighted",
        choices=ANSWERS,
        called="kind of answers",
        help="Weighted system labels to score: weighted (all labels with their weights) or top "
        "(only the label with the highest weight).",
    )
    several: str | None = option(
        None,
        choices=SEVERAL,
        called="meaning of several labels",
        help="How to read items with several labels: weights (fractional membership) or cover "
        "(full membership in each cluster). Default: weights (cover for files with one cluster "
        "per line).",
    )
    labels: str | None = option(
        None,
        choices="label formats",
        called="label format",
        help="Format of the label files. Default: inferred from names or contents.",
    )
    columns: Mapping[str, str] | None = option(
        None,
        many="pairs",
        metavar="ROLE=COLUMN",
        help="Columns to read as item, label, weight or group, e.g. item=doc,label=topic, or "
        "gold.label=topic for gold only.",
    )
    header: bool | None = option(
        None,
        help="Treat the first line of delimited files as a header (or as data). Default: detected.",
    )
    cut: Any = option(
        None,
        metavar="K|SCORE",
        help="Cut for trees: a number of clusters, or a score such as ami, for which the best "
        "cut is chosen. Default: ami.",
    )
    balance: str | None = option(
        None,
        choices=BALANCES,
        metavar="class",
        help="Weight the items so that all gold classes of a group have the same total weight.",
    )
    by: str | None = option(
        None,
        choices=BY,
        metavar="group",
        help="Also report the scores of each group (word, document, data set). CSV then contains "
        "only these scores.",
    )
    details: bool = option(
        False,
        help="Also show entropies, pair counts and sizes. For a single system, also show the "
        "worst groups, mixed clusters and scattered classes.",
    )
    all: bool = option(
        False,
        help="Show all scores, estimators and warnings. JSON and CSV always contain them.",
    )
    title: str = option("", help="Title for pages, reports and table captions.")
    golds: Any = option(
        (),
        many="repeated",
        flags=("--gold",),
        metavar="FILE",
        help="Gold standard by another annotator, as FILE or NAME=FILE. Scores are averaged over "
        "annotators, and their agreement is reported. Can be repeated.",
    )
    ci: int | None = option(
        None,
        minimum=0,
        metavar="N",
        expects="the number of bootstrap samples (e.g. 1000), not a level; intervals are always "
        "95 %, and 0 means none",
        help="Number of random samples of groups or items for 95% intervals and tests, e.g. "
        "1000; 0 = no intervals. Jackknife intervals do not depend on it. Default: only "
        "intervals that take less than a second.",
    )
    interval: str = option(
        "auto",
        choices=INTERVALS,
        help="Method for confidence intervals: jackknife, bca or percentile. For few groups or "
        "items, bca and percentile intervals are too narrow. Default: jackknife.",
    )
    seed: int = option(0, minimum=0, help="Random seed.")
    memory: str | None = option(
        None,
        metavar="SIZE",
        help="Memory limit for joining large files, e.g. 2GB. Larger data are spilled to disk. "
        "Default: half of RAM.",
    )
    engine: str = copy_option(EngineOptions, "engine", "local")
    scheduler: str | None = copy_option(EngineOptions, "scheduler", None)

    def __post_init__(self) -> None:
        """Check the options, and raise InputError if they conflict."""
        super().__post_init__()
        if self.noise is not None:
            object.__setattr__(self, "noise", single_label(self.noise))
        code = "conflicting-options"
        if self.several == "cover" and self.answers == "top":
            message = (
                "--set answers=top (one label per item) cannot be combined with --set several=cover"
            )
            raise InputError(message, code=code)
        if self.several == "cover" and self.engine != "local":
            raise InputError("--set several=cover requires --engine local", code=code)
        if self.engine == "local" and self.scheduler is not None:
            raise InputError(f"--set scheduler={self.scheduler} requires --engine dask", code=code)
        if self.engine != "local" and self.extra in ("sample", "unmatched"):
            raise InputError(f"--extra {self.extra} requires --engine local", code=code)
        if self.memory is not None:
            from roget.core.io.duck import read_memory

            read_memory(self.memory)


def single_label(noise: Any) -> str:
    """Return the noise label as text. It may be passed as a number, or as a list with one label.

    >>> single_label([-1]), single_label("-1")
    ('-1', '-1')
    """
    if not isinstance(noise, list | tuple | set | frozenset):
        return str(noise)
    if len(noise) != 1:
        raise InputError(f"noise={noise!r}: expected one label", code="invalid-option")
    return str(next(iter(noise)))


@dataclass(frozen=True)
class ScoreOptions(LabelOptions):
    """Options for `roget score`, which scores a single system."""

    baselines: bool = option(True, help="Also score baselines on the same gold standard.")
    cells: Any = option(
        None,
        metavar="FILE",
        help="Counted cells (gold, system, count[, group]) instead of GOLD and SYSTEM, e.g. the "
        "result of a GROUP BY query.",
    )
    matrix: Any = option(
        None,
        metavar="FILE",
        help="File with a contingency matrix (rows are classes), instead of GOLD and SYSTEM.",
    )
    items: Any = option(
        None,
        metavar="FILE",
        help="File for the labels and scores of each item (element-centric, B-cubed precision and "
        "recall), as CSV, TSV, Parquet or JSON lines.",
    )
    chance: int = option(
        0,
        minimum=0,
        metavar="N",
        expects="a number of random clusterings (e.g. 1000), or 0 for no test",
        help="Number of random clusterings of the same sizes for a test against chance (z and p), "
        "e.g. 1000.",
    )
    cuts: Any = option(
        None,
        metavar="CUTS",
        help="If the system is a tree, also score these cuts, given as numbers of clusters, e.g. "
        "1..500, 2,8,64 or all.",
    )
    levels: str | None = option(
        None,
        metavar="SEPARATOR",
        help="Separator in hierarchical labels, e.g. / in a/b/c, or 'lists' for JSON lists from "
        "general to specific. Each level is scored separately.",
    )


@dataclass(frozen=True)
class CompareOptions(LabelOptions):
    """Options for `roget compare`, which compares several systems."""

    baselines: Any = option(
        (),
        many="repeated",
        flags=("--baseline",),
        metavar="FILE",
        help="Baseline, as FILE or NAME=FILE: scored like a system, but not ranked or tested, and "
        "listed with the automatic baselines (`none` omits these). Can be repeated.",
    )
    splits: Sequence[str | os.PathLike[str]] = option(
        (),
        many="repeated",
        metavar="FOLDER",
        help="Also report supervised recall on the splits in FOLDER, i.e. pairs of files such as "
        "mapping.1.key and test.1.key. Can be repeated.",
    )
    main: str | None = option(
        None,
        metavar="SCORE",
        help="Score by which systems are sorted, e.g. v@jk. Default: ami, or v where AMI is "
        "undefined (conll for coreference).",
    )
    intervals: bool = option(
        True, help="Show confidence intervals in printed tables. JSON and CSV always contain them."
    )
    paired: str = option(
        "permutation",
        choices=PAIRED,
        called="test",
        help="Test for differences between systems (requires --ci): permutation (exchange the "
        "two systems in random groups or items) or bootstrap (resample groups or items).",
    )


@dataclass(frozen=True)
class PipelineOptions(ScoreOptions, CompareOptions):
    """All options of `roget score` and `roget compare`, as used by the scoring pipeline."""

    baselines: Any = option((), many="repeated", help="")
    """The baselines of `compare` (see `CompareOptions`), or False for none."""

    @property
    def automatic_baselines(self) -> bool:
        """True if one cluster, one cluster per item and random clusters are also scored."""
        given = self.baselines
        return given if isinstance(given, bool) else not any(map(_is_none, _as_list(given)))

    @property
    def own_baselines(self) -> Any:
        """The baselines that the caller passed: a list of sources, or a mapping from names."""
        given = self.baselines
        return given if isinstance(given, Mapping) else list(filterfalse(_is_none, _as_list(given)))


def _as_list(baselines: Any) -> list[Any]:
    """Return baselines as a list. The names of a mapping are not included."""
    if baselines is None or isinstance(baselines, bool | Mapping):
        return []
    return [baselines] if isinstance(baselines, str | os.PathLike) else list(baselines)


def _is_none(baseline: Any) -> bool:
    return isinstance(baseline, str) and baseline == NONE


@dataclass(frozen=True)
class AgreeOptions(Checked):
    """Options for `roget agree`, which compares clusterings without a gold standard."""

    measures: Any = copy_option(
        LabelOptions,
        "measures",
        None,
        help="One or more measures from `roget list measures`. The first one determines the "
        "typical clustering, the tree and the map. Default: ari, vi.",
    )
    entropy: str | Sequence[str] = copy_option(
        LabelOptions,
        "entropy",
        ("ml",),
        help="One or more entropy estimators from `roget list entropies`. Default: ml, which makes "
        "VI a metric.",
    )
    average: str | None = option(
        "weighted",
        choices=AVERAGES,
        help="Average over groups (words, documents): weighted (by number of items), "
        "unweighted, or pooled (one table for all groups).",
    )
    missing: str = copy_option(
        LabelOptions,
        "missing",
        "drop",
        choices=LACKING,
        help="Treatment of items that some clusterings do not contain: drop, pairs (compare each "
        "pair on its common items), cluster (one extra cluster), singletons or error.",
    )
    noise: str | None = copy_option(LabelOptions, "noise", None)
    answers: str = copy_option(LabelOptions, "answers", "weighted")
    labels: str | None = copy_option(LabelOptions, "labels", None)
    columns: Mapping[str, str] | None = copy_option(
        LabelOptions,
        "columns",
        None,
        help="Columns to read as item, label, weight or group, e.g. item=doc,label=topic.",
    )
    ci: int = copy_option(
        LabelOptions,
        "ci",
        0,
        help="If N is not 0, compute 95% jackknife intervals over groups, or over items if there "
        "are no groups.",
    )
    seed: int = copy_option(LabelOptions, "seed", 0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.noise is not None:
            object.__setattr__(self, "noise", single_label(self.noise))


@dataclass(frozen=True)
class RankOptions(Checked):
    """Options for `roget rank`, which ranks systems by their scores on several tasks."""

    by: str | None = option(
        None,
        choices=RANKED_BY,
        called="criterion",
        help="Ranking criterion: mean (mean score) or rank (mean rank, a Borda count, for tasks "
        "with different scales). Default: mean, or rank if lower scores are better on only some "
        "tasks.",
    )
    lower: Any = option(
        None,
        many="text",
        metavar="TASK,...",
        help="Tasks on which lower scores are better, or `all`.",
    )
    tasks: Any = option(
        None,
        many="text",
        metavar="COLUMN,...",
        help="Columns to read as tasks. Default: all numeric columns, except averages, ranks "
        "and standard errors.",
    )
    missing: str = option(
        "error",
        choices=NO_SCORE,
        called="rule for missing scores",
        help="Rule for missing scores: error (stop), drop-task (drop the task), drop-system "
        "(drop the system) or worst (use the worst score on the task).",
    )
    uncertainty: str | None = option(
        None,
        choices=UNCERTAIN,
        help="Source of uncertainty: tasks (the tasks are a sample from a domain) or errors (the "
        "tasks are fixed, and their scores have errors). Default: tasks, or errors for a single "
        "task.",
    )
    interval: str = option(
        "simultaneous",
        choices=RANK_INTERVALS,
        called="kind of interval",
        help="95% rank intervals in printed tables: simultaneous (joint confidence for all "
        "systems) or marginal (separate confidence for each system). JSON contains both.",
    )
    top: int = option(
        3,
        minimum=1,
        metavar="K",
        help="Also report the probability that a system ranks among the first K.",
    )
    details: bool = option(
        False,
        help="Also report all pairs of systems: the difference with its 95% interval and "
        "adjusted p, the fraction of tasks won, and the probability of ranking higher.",
    )
    system: str | None = option(
        None,
        metavar="COLUMN",
        help="Column that contains the system names. Default: a column named system, model or "
        "method. If there is no such column, the first column that does not contain numbers.",
    )
    columns: Mapping[str, str] | None = option(
        None,
        many="pairs",
        metavar="ROLE=COLUMN",
        help="Columns of a table with one row per score: system, task, score, and optionally se "
        "and run, e.g. task=dataset,score=accuracy.",
    )
    se: Any = option(
        None,
        metavar="FILE",
        help="Table of standard errors, with the same rows and columns as the table of scores. "
        "Default: columns such as NAME_se.",
    )
    samples: int = option(
        1000, minimum=100, metavar="N", help="Number of random samples for tests and probabilities."
    )
    title: str = copy_option(LabelOptions, "title", "")
    seed: int = copy_option(LabelOptions, "seed", 0)


@dataclass(frozen=True)
class ConsensusOptions(Checked):
    """Options for the consensus of several clusterings."""

    by: str = option(
        "medoid",
        choices=CONSENSUS,
        called="consensus",
        flags=("--consensus-by",),
        help="Consensus method: medoid (the clustering that agrees best with the others) or "
        "average (average linkage, for up to a few thousand items).",
    )
    clusters: int | None = option(
        None,
        minimum=1,
        help="Number of clusters in an average-linkage consensus. Default: the median number of "
        "clusters in the clusterings.",
    )
    at_least: float = option(
        0.5,
        positive=True,
        maximum=1.0,
        metavar="SHARE",
        help="Minimum fraction of clusterings that put two items in the same cluster, among the "
        "clusterings that contain both.",
    )
    most: int = option(
        20_000_000,
        minimum=1,
        metavar="PAIRS",
        help="Maximum number of item pairs to write.",
    )


@dataclass(frozen=True)
class ConvertOptions(Checked):
    """Options for `roget convert`, which writes labels in another format."""

    from_: str | None = option(
        None,
        choices="label formats",
        called="label format",
        flags=("--from", "--labels"),  # Error messages about label files mention --labels.
        help="Format of INPUT, if it cannot be inferred from the file name.",
    )
    to: str | None = option(
        None,
        choices="label formats",
        called="label format",
        help="Format of OUTPUT, if it cannot be inferred from the file name.",
    )
    columns: Mapping[str, str] | None = copy_option(LabelOptions, "columns", None)
