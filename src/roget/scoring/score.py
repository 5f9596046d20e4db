"""`roget.score`: labels in, a table of scores out; what it shares with `roget.compare`.

Both read and join two sides, make one table of cells per group, ask every measure of each
table, and sign what they give.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from roget import catalogue
from roget._version import __version__
from roget.core.options import options_of
from roget.core.progress import Progress, Report
from roget.core.types import Array, Codes, Floats, Ints
from roget.errors import InputError, Undefined
from roget.scoring.entropy import get as get_estimator
from roget.scoring.labels import AlignedLabels, Labels, align, as_labels, read_pair
from roget.scoring.labels.align import choose_rules, find_noise, is_called
from roget.scoring.labels.labels import as_cover, harden, keep_apart, take
from roget.scoring.labels.read import ONE_SIDE, count_large, refuse_tree
from roget.scoring.labels.table import choose_side, has_several
from roget.scoring.measures import Measure, parse
from roget.scoring.measures.base import (
    Asked,
    Measurable,
    Request,
    average_groups,
    evaluate,
    list_requests,
    usual_measures,
)
from roget.scoring.options import RULES, LabelOptions, Rules, ScoreOptions
from roget.scoring.results import (
    ScoreRow,
    ScoreTable,
    advise,
    defined,
    hide_paths,
    note_undefined,
)
from roget.scoring.steps.components import outline
from roget.scoring.tables import baselines as trivial
from roget.scoring.tables.contingency import Contingency, Leaves
from roget.scoring.tables.statistics import Separate, Statistics

_COMMON = (str, os.PathLike, list, tuple, np.ndarray, Mapping, Labels)
"""Sides that no library of frames has to be asked about."""


def score(
    gold: Any = None,
    system: Any = None,
    measures: Asked | None = ScoreOptions.measures,
    entropy: str | Sequence[str] = ScoreOptions.entropy,
    *,
    average: str | None = ScoreOptions.average,
    missing: str | None = ScoreOptions.missing,
    noise: str | int | None = ScoreOptions.noise,
    extra: str | None = ScoreOptions.extra,
    answers: str = ScoreOptions.answers,
    several: str | None = ScoreOptions.several,
    labels: str | None = ScoreOptions.labels,
    columns: Mapping[str, str] | None = ScoreOptions.columns,
    title: str = ScoreOptions.title,
    golds: Any = ScoreOptions.golds,
    baselines: bool = ScoreOptions.baselines,
    ci: int = ScoreOptions.ci,
    interval: str = ScoreOptions.interval,
    by: str | None = ScoreOptions.by,
    chance: int = ScoreOptions.chance,
    details: bool = ScoreOptions.details,
    keep: bool = False,
    cut: Any = ScoreOptions.cut,
    cuts: Any = ScoreOptions.cuts,
    levels: str | None = ScoreOptions.levels,
    cells: Any = ScoreOptions.cells,
    items: str | os.PathLike[str] | None = ScoreOptions.items,
    sample_weight: Any = None,
    balance: str | None = ScoreOptions.balance,
    seed: int = ScoreOptions.seed,
    memory: str | None = ScoreOptions.memory,
    engine: str = ScoreOptions.engine,
    scheduler: str | None = ScoreOptions.scheduler,
    progress: Report | None = None,
) -> ScoreTable:
    """Score a system's clustering against a gold standard.

    Measures that use entropies are computed under each estimator.

    Parameters
    ----------
    gold, system
        Paths, sequences, numpy, pandas, polars or arrow columns, mappings from item to label, or
        n×k weight matrices; with `system` left out, `gold` is a table, or the path of one, with a
        column for each side, or AnnData with such columns in `obs`. Two pandas Series are joined by
        their index. A system may be a tree: a thesaurus, a Newick file, a `Hierarchy`.
    measures, entropy
        Names of the catalogue, such as "v(beta=0.5)" and "jk".
    average
        How the scores of groups (words, documents) become one: weighted by size, unweighted, or
        pooled into one table. Those of mentions are pooled if nothing is said, others weighted.
    missing
        What becomes of items the system left out: see `roget.scoring.labels.align`. Mentions are
        unmatched if nothing is said, others are one extra cluster.
    noise
        The label of items in no cluster, such as -1; they are treated as missing ones.
    extra
        What becomes of items that gold does not know: dropped, counted as a class each, unmatched,
        or gold is a sample of whole classes, from which precision, recall and F of all items are
        estimated. Mentions are unmatched if nothing is said, others dropped.
    answers
        "top" keeps only the heaviest label of a weighted answer.
    several
        Whether several labels of an item are shares of it ("weights") or sets that it is in, each
        in full ("cover"); see docs/covers.md. Lists of sets of items are covers by themselves.
    labels, columns
        The format of the files and the columns to read, where they do not tell themselves.
    title
        What pages and captions call the table.
    golds
        Other gold standards, by name or as a list: scores are the mean over all, beside how well
        annotators agree, each scored on the others.
    baselines
        Whether the table says what trivial answers would get.
    ci, interval
        With `ci` draws, every score has a 95 % interval (auto, bca, percentile or jackknife) over
        drawn groups, or over drawn items where there are none.
    by
        "group" adds the scores of each group: `table.by_group`, and what goes to frames.
    keep
        Whether the table keeps the cells, so that `table.sets("clusters")` can list them all.
    chance
        With so many draws, every score has z and p of being better than random answers whose
        clusters have the same sizes: see `roget.scoring.steps.chance`.
    details
        Adds the groups with the worst first score, the clusters that mix classes and the
        scattered classes.
    memory
        What joining large files may use, such as "2GB"; more goes to disk.
    engine, scheduler
        Where files are joined and counted: "local", or "dask" with the address of a cluster.
    cut, cuts
        Where the system is a tree: the number of clusters into which it is cut, or the score whose
        best cut is taken (ami, if nothing is said); and the cuts that `sweep` of the result has:
        "1..500", "all" or numbers.
    levels
        What parts the levels of labels such as "a/b/c"; or "lists", where each item has a list of
        labels from general to special. Every level is scored.
    cells
        In the place of gold and system, a table or the path of one with columns gold, system, count
        and perhaps group: what one GROUP BY in any database gives.
    items
        The path of a CSV, TSV, Parquet or JSON lines file, to which labels and scores of each item
        are written; see `roget.score_items`.
    sample_weight, balance
        A weight for each item of gold, in its order, in the place of a weight column of its file;
        "class" weighs items so that all classes of a group count the same. Measures of pairs and
        corrected entropies need whole weights.

    Returns
    -------
    ScoreTable
        Rows of values with their signature; it prints itself.

    Raises
    ------
    InputError
        Labels that cannot be read or joined; the message names the place.

    Examples
    --------
    >>> score(["a", "a", "b"], [1, 1, 2], "ari")["ari"]
    1.0
    """
    options = dict(locals())
    leveled = any(hasattr(side, "to_labels") and side.levels for side in (gold, system))
    if levels is not None or leveled or has_several(columns):
        from roget.scoring.steps.levels import score_levels

        return score_levels(options)
    if golds:
        from roget.scoring.steps.annotators import score_golds

        return score_golds(**options)
    check_options(ScoreOptions, **options)
    asked = list_requests(measures, entropy)
    if cells is None:
        reading = ReadOptions(
            missing, noise, extra, labels, columns, answers, memory, engine, scheduler,
            several=several,
        )  # fmt: skip
        if extra == "sample":
            from roget.scoring.steps.entity_sample import score_sample

            if sample_weight is not None or balance is not None:
                raise InputError("extra='sample' needs items that all count the same")
            if chance:
                raise InputError("extra='sample' has no random answers to test against")
            return replace(score_sample(gold, system, measures, reading), title=title)
        if items is not None:
            from roget.scoring.labels.write import check_suffix

            check_suffix(items)
            reading = replace(reading, by_item=True)
        if sample_weight is not None:
            from roget.scoring.labels.precounted import match_index

            # Weights are of items, in gold's order, which cells do not have.
            reading = replace(reading, by_item=True)
            sample_weight = match_index(gold, sample_weight, "sample_weight")
        sides = read_sides(gold, system, reading)
        sides = replace(sides, warnings=(*sides.warnings, *_note_same(gold, system)))
    else:
        from roget.scoring.labels.precounted import read_cells

        if gold is not None or system is not None:
            raise InputError("cells are given in the place of gold and system, not beside them")
        if items is not None:
            raise InputError("cells have no items whose scores could be written")
        rule = missing or RULES.missing
        sides = read_cells(cells, rule, labels, columns, None if noise is None else str(noise))
    rules = choose_rules(sides.gold, average, missing, extra)
    average = rules.average
    asked = list_requests(usual_measures(measures, cover=sides.overlapping), entropy)
    if sample_weight is not None or balance is not None:
        from roget.scoring.steps.item_weights import weigh

        sides = weigh(sides, sample_weight, balance)
    swept = None
    trees = [side.tree for side in (sides.gold, sides.system)]
    if any(one is not None for one in (*trees, cut, cuts)):
        from roget.scoring.measures.trees import DendrogramPurity
        from roget.scoring.steps.cuts import cut_tree, note_whole
        from roget.scoring.steps.sweep import sweep_sides

        sides = note_whole(cut_tree(sides, cut, average=average), asked)
        if cuts is not None:
            swept = sweep_sides(sides, cuts, measures, entropy, rules, answers, noise)
        if measures is None and sides.leaves is not None:
            asked = [(DendrogramPurity(), None), *asked]
    if items is not None:
        from roget.scoring.steps.items import score_each

        score_each(sides).write(items)
    tell = progress or (lambda now: None)
    total = len(asked) + ci + chance
    found = answer(
        sides,
        asked,
        pooled=average == "pooled",
        seed=seed if baselines else None,
        step=lambda done: tell(Progress(done, total)),
    )
    rows = _list_rows(found, asked, average)
    if ci:
        from roget.scoring.steps.bootstrap import draw

        ends = draw(
            found.values[None],
            found.weigh(average),
            [sides],
            asked,
            ci,
            interval,
            seed,
            pairs=False,
            step=lambda done: tell(Progress(len(asked) + done, total)),
            engine=engine,
            scheduler=scheduler,
        )
        rows = [
            replace(row, low=defined(low), high=defined(high)) if row.value is not None else row
            for row, low, high in zip(rows, ends.low[0], ends.high[0], strict=True)
        ]
    if chance:
        from roget.scoring.steps.chance import try_chance

        before = len(asked) + ci
        tried = try_chance(
            found, asked, average, chance, seed, lambda done: tell(Progress(before + done, total))
        )
        # Random answers are flat, and say nothing of a whole tree.
        whole = [sides.leaves is not None and wanted.sees_tree for wanted, _ in asked]
        rows = [
            row if of_tree else replace(row, z=z, p=p)
            for row, (z, p), of_tree in zip(rows, tried, whole, strict=True)
        ]
    diagnosis = None
    if details:
        from roget.scoring.steps.diagnostics import diagnose

        diagnosis = diagnose(found, asked[0])
    wanted, estimators = [wanted for wanted, _ in asked], list_estimators(asked)
    parts = sign(sides, asked, rules, answers, noise, describe_interval(ci, interval), seed)
    parts |= {"chance": str(chance)} if chance else {}
    table = ScoreTable(
        signature=write_signature(parts),
        items=found.items,
        groups=found.groups,
        classes=found.classes,
        clusters=found.clusters,
        warnings=(
            *warn_of(sides, noise),
            *note_undefined(found.values, wanted, found.reasons),
            *advise(rows, wanted, found.items / found.cells),
        ),
        rows=tuple(rows),
        details=diagnosis,
        title=title,
        outline=outline(found.parts(), estimators, found.weigh(average)),
        answered=found if keep else None,
        sweep=swept,
        chance=chance,
    )
    if by is None:
        return table
    from roget.scoring.steps.diagnostics import list_groups

    return replace(table, by_group=tuple(list_groups(found, asked, table.main)))


def _list_rows(found: ScoredSystem, asked: Sequence[Request], average: str) -> list[ScoreRow]:
    """One row for each request, beside what trivial answers get."""
    weights = found.weigh(average)
    means = average_answers(found, average)
    against = {name: average_groups(values, weights) for name, values in found.trivial.items()}
    return [
        ScoreRow(
            str(wanted),
            estimator,
            defined(means[i]),
            _explain(found.reasons[i], found.values[i]) if np.isnan(means[i]) else None,
            direction=wanted.direction,
            baselines={name: defined(scores[i]) for name, scores in against.items()},
        )
        for i, (wanted, estimator) in enumerate(asked)
    ]


def average_answers(found: ScoredSystem, average: str) -> Floats:
    """The mean of each request over the groups."""
    return average_groups(found.values, found.weigh(average))


def measure(
    name: str | Measure, gold: Any, system: Any, entropy: str = "ml", **options: Any
) -> float:
    """One value; raises Undefined where there is none.

    >>> measure("v", ["a", "a", "b"], [1, 1, 2])
    1.0
    """
    row = score(gold, system, parse(name), entropy, baselines=False, **options).rows[0]
    if row.value is None:
        raise Undefined(f"{row.measure}: {row.reason}")
    return row.value


def contingency(gold: Any, system: Any, *, missing: str = "cluster") -> Statistics:
    """The table of two labellings, to ask any number of measures of.

    >>> table = contingency(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> round(table.measure("nvi"), 4), round(table.measure("b3-f"), 4)
    (1.1887, 0.7059)
    """
    table = make_tables(read_sides(gold, system, ReadOptions(missing)), pooled=True)
    assert isinstance(table, Statistics)
    return table


def check_options(kind: type, /, **values: Any) -> None:
    """Refuse what cannot be done, before any work is; what is no option is passed over."""
    for name, one in options_of(kind).items():
        if name in values:
            one.check(values[name])


@dataclass(frozen=True)
class ReadOptions:
    """How both sides are read and joined."""

    missing: str | None = LabelOptions.missing
    noise: Any = LabelOptions.noise
    extra: str | None = LabelOptions.extra
    labels: str | None = LabelOptions.labels
    columns: Mapping[str, str] | None = LabelOptions.columns
    answers: str = LabelOptions.answers
    memory: str | None = LabelOptions.memory
    engine: str = LabelOptions.engine
    scheduler: str | None = LabelOptions.scheduler
    by_item: bool = False
    """Whether items are needed one by one, so that cells will not do."""
    several: str | None = LabelOptions.several
    levels: str | None = None
    """What parts the levels of labels."""

    def __post_init__(self) -> None:
        check_options(LabelOptions, **vars(self))
        if self.several == "cover" and self.answers == "top":
            raise InputError("answers='top' keeps one label of each item, which is no cover")
        if self.several == "cover" and self.engine != "local":
            raise InputError("several='cover': for the engine local only")
        if self.engine == "local" and self.scheduler is not None:
            raise InputError(f"scheduler {self.scheduler}: for the engine dask only")
        if self.engine != "local" and self.extra in ("sample", "unmatched"):
            raise InputError(f"extra={self.extra!r}: for the engine local only")
        if self.memory is not None:
            from roget.core.io.duck import read_memory

            read_memory(self.memory)
        if self.noise is not None:
            object.__setattr__(self, "noise", str(self.noise))

    def read(self, source: Any, side: str) -> Labels:
        """The labels of gold or of a system; of the latter, with answers="top", the heaviest."""
        chosen, gold, form = choose_side(self.columns, side), side == "gold", self.labels
        if self.levels is not None or has_several(chosen):
            from roget.scoring.labels.nested import read_levels

            given = read_levels(source, self.levels, form, chosen, gold=gold)
        else:
            given = as_labels(source, labels=form, columns=chosen, gold=gold, several=self.several)
        top = self.answers == "top" and given.weighted and not gold
        return harden(given) if top else given

    def align(self, gold: Labels, system: Labels) -> AlignedLabels:
        """Both sides joined; beside a cover, several labels of the other side are one too."""
        if (gold.overlapping or system.overlapping) and gold.cover != system.cover:
            gold, system = (side if side.cover else as_cover(side) for side in (gold, system))
        return align(gold, system, self.missing, self.noise, self.extra)

    @contextmanager
    def counting(self, gold: Any) -> Iterator[Callable[[Any], AlignedLabels | None]]:
        """What gives the cells of gold and a system's large files, where cells say it all."""
        if self.engine == "local":
            yield partial(self._count_here, gold)
            return
        from roget.scoring.labels.dask_join import DaskJoin

        make = partial(catalogue.load("engines", self.engine), self.scheduler, None)
        with DaskJoin(make, gold, self.labels, self.columns, self.noise) as spread:
            # A file with both sides' columns has nothing to join.
            yield (
                lambda system: (
                    self._count_here(gold, None)
                    if system is None
                    else spread.count(refuse_tree(system), *self.rules[1:])
                )
            )

    @property
    def rules(self) -> Rules:
        """Those for items of tables, which are no mentions."""
        return choose_rules(None, None, self.missing, self.extra)

    def _count_here(self, gold: Any, system: Any) -> AlignedLabels | None:
        _, missing, extra = self.rules
        if self.by_item or extra == "unmatched" or self.several == "cover":
            return None
        read = (self.labels, self.columns, self.noise, self.memory, extra)
        return count_large(gold, system, missing, *read)


def read_sides(gold: Any, system: Any, reading: ReadOptions) -> AlignedLabels:
    """Both sides read and joined; without a system, gold is a file of two aligned columns."""
    if all(isinstance(side, str) and side == "-" for side in (gold, system)):
        raise InputError(ONE_SIDE)
    with reading.counting(gold) as count:
        counted = count(system)
    if counted is not None:
        return counted
    if system is None and gold is None:
        raise InputError("nothing to score: give gold and system, or cells")
    columns, items = reading.columns, None
    if not all(side is None or isinstance(side, _COMMON) for side in (gold, system)):
        from roget.scoring.labels import precounted

        if system is None and precounted.is_lazy(gold):
            return precounted.count_frame(gold, reading.rules.missing, columns, reading.noise)
        both = precounted.read_both(gold, columns) if system is None else None
        if both is not None:
            return reading.align(*both)
        if reading.rules.extra == "drop" and not reading.by_item:
            joined = precounted.join_frames(
                gold, system, reading.rules.missing, columns, reading.noise
            )
            if joined is not None:
                return joined
        system = precounted.match_index(gold, system)
        items = precounted.list_index(gold, system) if reading.by_item else None
        gold, system = (
            precounted.collect_side(
                side, choose_side(columns, name), f"the {name} labels", gold=name == "gold"
            )
            if precounted.is_lazy(side)
            else side
            for name, side in (("gold", gold), ("system", system))
        )
    if system is None:
        if not isinstance(gold, str | os.PathLike):
            raise InputError("the system's labels are missing: give them as second argument")
        return reading.align(*read_pair(gold, labels=reading.labels, columns=columns))
    sides = reading.read(gold, "gold"), reading.read(system, "system")
    if items is not None:
        sides = replace(sides[0], items=items), replace(sides[1], items=items)
    return reading.align(*sides)


def make_tables(sides: AlignedLabels, *, pooled: bool) -> Statistics | Separate:
    """The statistics of every group, or of all items together."""
    gold, system, groups = sides.gold.need_flat(), sides.system.need_flat(), sides.groups
    unmatched = gold.absent or system.absent
    if sides.overlapping and (unmatched or sides.weighed or sides.counts is not None):
        raise InputError(
            "items that are in several clusters need to count the same and to be on both sides: "
            "say --missing cluster --extra drop, and give no weights or counts of items"
        )
    if unmatched and (gold.weighted or system.weighted or sides.weighed):
        raise InputError(
            "unmatched items need one label for each, and no weights: say --missing cluster "
            "--extra drop, or --answers top"
        )
    if not (gold.weighted or system.weighted):
        n_groups = 1 if groups is None else int(groups.max()) + 1
        table = Contingency.from_labels(gold, system, groups, n_groups, sides.counts)
        if sides.leaves is not None and sides.leaves.tree is not None:
            below = Contingency.from_labels(gold, sides.leaves, groups, n_groups, sides.counts)
            if groups is not None and not pooled:
                below = below.by_group(gold.n_labels)
            grown = sides.leaves.tree.grow(sides.leaves.made)
            table = replace(table, leaves=Leaves(below, grown))
        if groups is None:
            return table
        if pooled:
            return table.pool_documents(gold.n_labels) if unmatched else table
        table = table.by_group(gold.n_labels)
        if table.fractional:
            # Each for itself: some groups may have whole counts all the same.
            return Separate([table.block(group) for group in range(n_groups)])
        return table
    make = _choose_table(sides)
    if groups is None:
        return make(gold, system)
    if pooled and not sides.overlapping:
        raise InputError("pooling groups is not possible with weighted answers: average them")
    if pooled:
        return make(keep_apart(gold, groups), keep_apart(system, groups))
    parts = ([_renumber(take(side, of)) for side in (gold, system)] for of in list_groups(groups))
    return Separate([make(*part) for part in parts])


def _choose_table(sides: AlignedLabels) -> Callable[[Labels, Labels], Statistics]:
    """What makes the statistics of items that have several labels."""
    from roget.scoring.tables.cover_table import CoverTable
    from roget.scoring.tables.weighted import WeightedTable

    kind = CoverTable if sides.overlapping else WeightedTable
    return partial(kind.from_labels, cut=sides.leaves is not None)


def list_groups(groups: Codes) -> list[Ints]:
    """The items of each group."""
    order = np.argsort(groups, kind="stable")
    cuts = np.searchsorted(groups[order], np.arange(int(groups.max()) + 2))
    return [order[begin:end] for begin, end in pairwise(cuts)]


def _renumber(labels: Labels) -> Labels:
    """Codes from 0 on: a group's tables should not be as wide as all groups' labels."""
    used, codes = np.unique(labels.codes, return_inverse=True)
    names = [labels.label(code) for code in used.tolist()]
    return replace(labels, codes=codes, n_labels=used.size, names=names, offset=0, made=0)


@dataclass(frozen=True, eq=False)
class ScoredSystem:
    """One system's answers, joined with gold, and its scores: requests × groups."""

    name: str
    sides: AlignedLabels
    tables: Statistics | Separate
    values: Floats
    reasons: dict[int, str]
    trivial: dict[str, Floats] = field(default_factory=dict)
    """The scores of trivial answers, where asked for."""

    @property
    def groups(self) -> int:
        """How many groups were scored."""
        return int(self.values.shape[1])

    def parts(self) -> Sequence[Statistics]:
        """One source of statistics for all groups, or one for each."""
        tables = self.tables
        return [tables] if isinstance(tables, Statistics) else tables.tables

    @cached_property
    def sizes(self) -> list[Array]:
        """Items, classes and clusters of each group."""
        sizes = [(part.n, part.sizes.classes, part.sizes.clusters) for part in self.parts()]
        return [np.hstack(column) for column in zip(*sizes, strict=True)]

    @property
    def cells(self) -> int:
        """Cells that hold something, over all groups."""
        return sum(int(part.outline.counts.size) for part in self.parts())

    @property
    def group_names(self) -> list[str]:
        """The names of the groups that were scored; one for all where there are none."""
        names = self.sides.group_names
        if names is None or len(names) != self.groups:
            return ["all items"]
        return [str(name) for name in names]

    @property
    def items(self) -> int | float:
        """How many items were scored."""
        total: int | float = self.sizes[0].sum().item()
        return total

    @property
    def classes(self) -> float:
        """Gold classes, on average per group."""
        return float(np.mean(self.sizes[1]))

    @property
    def clusters(self) -> float:
        """Clusters, on average per group."""
        return float(np.mean(self.sizes[2]))

    def weigh(self, average: str) -> Floats:
        """The weight of each group in an average."""
        items = self.sizes[0].astype(np.float64)
        return items if average == "weighted" else np.ones_like(items)


def answer(
    sides: AlignedLabels,
    asked: Sequence[Request],
    *,
    pooled: bool,
    name: str = "",
    seed: int | None = None,
    like_gold: bool = False,
    step: Callable[[int], None] = lambda done: None,
) -> ScoredSystem:
    """Every request of every group, and with a seed the same of the trivial answers."""
    tables = make_tables(sides, pooled=pooled)
    found = ScoredSystem(name, sides, tables, np.full((len(asked), tables.groups or 1), np.nan), {})
    others: dict[str, Measurable] = {}
    if seed is not None:
        draws = max(1, trivial.DRAWS // found.groups)
        others = trivial.make_group_baselines(tables, seed, draws, like_gold=like_gold)
        found.trivial.update({other: np.empty_like(found.values) for other in others})
    for i, request in enumerate(asked):
        found.values[i], reason = evaluate(tables, request)
        if reason is not None:
            found.reasons[i] = reason
        for other, its in others.items():
            found.trivial[other][i], _ = evaluate(its, request)
        step(i + 1)
    return found


def list_estimators(asked: Sequence[Request]) -> list[str]:
    """The names of the entropy estimators that requests use."""
    return list(dict.fromkeys(name for _, name in asked if name is not None))


def sign(
    sides: AlignedLabels,
    asked: Sequence[Request],
    rules: Rules,
    answers: str,
    noise: Any,
    ci: str = "none",
    seed: int = 0,
    **more: str,
) -> dict[str, str]:
    """The signature's parts: everything a score depends on beside the data.

    The last ones, with `more` before them, are told where they are not as usual.
    """
    weighed = {"weighed": "+".join(sides.weighed)} if sides.weighed else {}
    told = {} if noise is None else {"noise": str(noise)}
    if rules.extra != RULES.extra:
        told["extra"] = rules.extra
    return {
        "roget": __version__,
        "gold": sides.gold.kind,
        "system": sides.system.kind,
        "average": rules.average if sides.groups is not None else "none",
        "answers": "top" if answers == "top" else "given",
        "weights": "per-item" if "weighted" in (sides.gold.kind, sides.system.kind) else "none",
        "missing": rules.missing,
        **sign_measures(asked),
        "ci": ci,
        "seed": str(seed),
        **weighed,
        **sides.told,
        **more,
        **told,
    }


def sign_measures(asked: Sequence[Request]) -> dict[str, str]:
    """The parts of a signature that say what was measured."""
    entropies = list_estimators(asked)
    supports = {get_estimator(name).joint_support for name in entropies}
    named = sorted("CxK" if support == "product" else "seen" for support in supports)
    return {
        "entropy": ",".join(entropies) or "none",
        "support": "+".join(named) or "none",
        "measures": ",".join(dict.fromkeys(str(wanted) for wanted, _ in asked)),
    }


def warn_of(sides: AlignedLabels, noise: Any, *notes: str) -> tuple[str, ...]:
    """What there is to say of two sides, and perhaps some notes, without paths of files."""
    said = *sides.warnings, *_note_noise(sides, noise), *notes
    return hide_paths(said, sides.gold.source, sides.system.source)


def _note_noise(sides: AlignedLabels, noise: Any) -> list[str]:
    """A doubt about a label that most likely stands for no cluster, and is scored as one."""
    if noise is not None:
        names = (s.label(code) for s in (sides.gold, sides.system) for code in range(s.n_labels))
        if any(is_called(name, str(noise)) for name in names):
            return []
        return [f"no item is labelled '{noise}', which was declared as noise: nothing was done"]
    found = find_noise(sides.system)
    if found is None:
        return []
    return [
        f"{found!r} of {sides.system.source} is scored as one cluster like any other; if it stands "
        f"for items in no cluster, say --noise {found} (see --missing for what they become)"
    ]


def _note_same(gold: Any, system: Any) -> list[str]:
    """What is said where both sides are one and the same."""
    paths = [side for side in (gold, system) if isinstance(side, str | os.PathLike)]
    same = len(paths) == 2 and os.path.realpath(paths[0]) == os.path.realpath(paths[1])
    if same or (gold is system and gold is not None):
        return ["gold and system are the same: the scores are those of a perfect clustering"]
    return []


def write_signature(parts: Mapping[str, str]) -> str:
    """The parts as one line without blanks."""
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def refuse_unlike(
    what: str, signed: Mapping[str, Mapping[str, str]], free: Collection[str]
) -> None:
    """Raise if scores that have names are signed unlike, but for parts that are each one's own."""
    first, parts = next(iter(signed.items()))
    for name, others in signed.items():
        for key, value in others.items():
            if key not in free and parts.get(key) != value:
                raise InputError(
                    f"{what} together: {key} is {parts.get(key)} for {first} but {value} for {name}"
                )


def describe_interval(ci: int, interval: str) -> str:
    """The intervals as the signature names them."""
    return f"{ci}x{interval}" if ci else "none"


def _explain(reason: str, values: Floats) -> str:
    undefined = int(np.isnan(values).sum())
    return reason if values.size == 1 else f"{reason} (so in {undefined} of {values.size} groups)"
