"""`roget.compare`: several systems on one gold standard, with intervals, tests and ranks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from roget.core.io.paths import name_sources
from roget.core.io.problems import join_names
from roget.core.progress import Progress, Report
from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.scoring.comparison import Comparison, Pair, SystemRow
from roget.scoring.labels import Labels
from roget.scoring.labels.align import choose_rules
from roget.scoring.measures.base import (
    Asked,
    Request,
    average_groups,
    list_requests,
    usual_measures,
)
from roget.scoring.options import CompareOptions
from roget.scoring.results import defined, find_scores, merge_notes, note_undefined
from roget.scoring.score import (
    ReadOptions,
    ScoredSystem,
    answer,
    check_options,
    describe_interval,
    list_estimators,
    refuse_unlike,
    sign,
    warn_of,
    write_signature,
)
from roget.scoring.steps import bootstrap
from roget.scoring.steps.bootstrap import Draws
from roget.scoring.steps.components import outline
from roget.scoring.steps.diagnostics import list_groups
from roget.scoring.steps.item_weights import weigh
from roget.scoring.steps.splits import OnSplits, Split, read_splits, supervised_recall
from roget.scoring.tables.statistics import Outline

SIGNIFICANT = 0.05


def compare(
    gold: Any,
    systems: Mapping[str, Any] | Sequence[Any],
    measures: Asked | None = CompareOptions.measures,
    entropy: str | Sequence[str] = CompareOptions.entropy,
    *,
    average: str | None = CompareOptions.average,
    missing: str | None = CompareOptions.missing,
    noise: str | int | None = CompareOptions.noise,
    extra: str | None = CompareOptions.extra,
    answers: str = CompareOptions.answers,
    several: str | None = CompareOptions.several,
    labels: str | None = CompareOptions.labels,
    columns: Mapping[str, str] | None = CompareOptions.columns,
    splits: Sequence[str | os.PathLike[str]] = CompareOptions.splits,
    cut: Any = CompareOptions.cut,
    balance: str | None = CompareOptions.balance,
    golds: Any = CompareOptions.golds,
    main: str | None = CompareOptions.main,
    title: str = CompareOptions.title,
    intervals: bool = CompareOptions.intervals,
    by: str | None = CompareOptions.by,
    details: bool = CompareOptions.details,
    baselines: bool = CompareOptions.baselines,
    ci: int = CompareOptions.ci,
    interval: str = CompareOptions.interval,
    paired: str = CompareOptions.paired,
    seed: int = CompareOptions.seed,
    memory: str | None = CompareOptions.memory,
    engine: str = CompareOptions.engine,
    scheduler: str | None = CompareOptions.scheduler,
    progress: Report | None = None,
) -> Comparison:
    """Score several systems on one gold standard and say which differ.

    `systems` maps names to anything `roget.score` takes, or lists paths (named by their files).
    With `ci` draws, every score has a 95 % interval and every pair of systems a difference with
    interval and p, corrected for the number of pairs by Holm's method. Groups are drawn where
    there are groups, else items; every system meets the same draws. `splits` are folders with
    mapping and test parts, each of which adds a supervised recall. `answers="top"` keeps only the
    heaviest label of weighted answers. `main` is the score to sort by, such as "v@jk"; without it
    the first under which no trivial answer does as well as the best system. `title` is what pages
    and captions say; `intervals=False` leaves intervals out of tables for people, `details` adds
    what scores are made of, `by="group"` the scores of each group. Systems that
    are trees are scored at a `cut`. It, `memory`, `engine` and `scheduler` are as in `roget.score`.
    With `golds`, other gold standards by name or as a list, scores are the mean over all of them,
    and annotators, each scored on the others, stand beside the systems.
    """
    given = dict(locals())
    if golds:
        from roget.scoring.steps.annotators import compare_golds

        return compare_golds(**given)
    folders = {Path(folder).name: read_splits(folder) for folder in splits}
    measures = usual_measures(measures, cover=several == "cover")
    asked, chosen = _ask(measures, entropy, folders, main if measures else None)
    check_options(CompareOptions, **given)
    tell = progress or (lambda now: None)
    reading = ReadOptions(
        missing, noise, extra, labels, columns, answers, memory, engine, scheduler, several=several
    )
    if engine != "local" and folders:
        raise InputError(f"engine {engine}: splits need the items; use local")
    if extra == "sample":
        raise InputError("extra='sample' estimates scores of one system: see roget.score")
    left = reading.read(gold, "gold") if folders else None
    answered: list[ScoredSystem] = []
    own: Floats | None = None
    named = name_sources(systems, "systems")
    if not named:
        raise InputError("no system to compare")
    with reading.counting(gold) as count:
        for name, source in named.items():
            sides = count(source) if left is None else None
            if sides is not None and ci and not bootstrap.has_groups(sides):
                if engine != "local":
                    raise InputError(
                        f"engine {engine}: intervals of systems without groups need the items; use "
                        "local, or roget score for each system"
                    )
                sides = None
            if sides is None:
                left = left or reading.read(gold, "gold")
                right = reading.read(source, "system")
                sides = reading.align(left, right)
            rules = choose_rules(sides.gold, average, missing, extra)
            sides = weigh(sides, balance=balance)
            if not answered:
                usual = usual_measures(measures, cover=sides.overlapping)
                asked, chosen = _ask(usual, entropy, folders, main)
            if sides.system.tree is not None or sides.gold.tree is not None:
                from roget.scoring.steps.cuts import cut_tree, note_whole

                if folders:
                    raise InputError(f"{name}: splits are tried on labels, not on trees")
                sides = note_whole(cut_tree(sides, cut, average=rules.average), asked)
            one = answer(
                sides,
                asked,
                pooled=rules.average == "pooled",
                name=name,
                # Trivial answers, with random ones of the gold standard's own sizes, serve all.
                seed=seed if baselines and not answered else None,
                like_gold=True,
            )
            if folders and left is not None:
                own = _try_splits(one, left, right, list(folders.values()))
            answered.append(one)
            tell(Progress(len(answered), len(named) + ci))
    tested = describe_interval(ci, interval) + (f"+{paired}" if ci else "")
    signatures = [
        sign(one.sides, asked, rules, answers, noise, tested, seed, items=str(_items_of(one)))
        for one in answered
    ]
    parts = _agree(answered, signatures) | ({"splits": "pooled"} if folders else {})
    parts |= _sign_cut(answered, cut)
    weights = answered[0].weigh(rules.average)
    if own is not None:
        # Beside the weights that all scores share, which they undo.
        own = np.where(np.isnan(own), 1.0, own / weights)
    table = SystemScores(asked, answered, weights, own, noise)
    if ci and paired == "permutation" and table.weights.size == 1:
        raise InputError("the permutation test needs groups: without them, choose the bootstrap")
    draws = None
    if ci:
        draws = bootstrap.draw(
            table.values,
            table.weights,
            [system.sides for system in answered],
            asked,
            ci,
            interval,
            seed,
            own=own,
            step=lambda done: tell(Progress(len(named) + done, len(named) + ci)),
            engine=engine,
            scheduler=scheduler,
        )
    found = table.comparison(write_signature(parts), draws, paired, seed)
    found = replace(
        found,
        chosen=chosen or None,
        title=title,
        show_intervals=intervals,
        show_details=details,
        outlines=tuple(outline(one.parts(), list_estimators(asked), weights) for one in answered),
    )
    groups = [row for one in answered for row in list_groups(one, asked, found.main)] if by else ()
    return replace(found, by_group=tuple(groups))


def _ask(
    measures: Asked | None, entropy: str | Sequence[str], folders: Iterable[str], main: str | None
) -> tuple[list[Request], Any]:
    """Every score that is wanted, and the one to sort by, if it is named."""
    asked: list[Request] = list_requests(measures, entropy)
    asked += [(OnSplits(folder), None) for folder in folders]
    known = [(str(measure), estimator) for measure, estimator in asked]
    return asked, main and find_scores(main, known)[0]


def _items_of(system: ScoredSystem) -> int | float:
    """Items that were scored: gold's, which are the same for all systems."""
    if not system.sides.gold.absent:
        return system.items
    return int(sum(np.sum(part.table.mentions[0]) for part in system.parts()))


def _try_splits(
    system: ScoredSystem, gold: Labels, answers_given: Labels, folders: Sequence[Sequence[Split]]
) -> Floats:
    """Fill in the last rows of scores: supervised recall on each folder of splits.

    Returns what weighs each group under these requests, so that the average is that over items, as
    in the task; NaN where all scores are weighed alike.
    """
    own = np.full_like(system.values, np.nan)
    tried = {"": answers_given} | {n: _answer_trivially(gold, n) for n in system.trivial}
    for number, parts in enumerate(folders, start=len(system.values) - len(folders)):
        for name, given in tried.items():
            values = system.trivial[name] if name else system.values
            if given is None:
                continue
            recall = supervised_recall(gold, given, parts)
            if system.groups == 1:
                values[number] = recall.pooled
            else:
                numbers = {str(one): at for at, one in enumerate(gold.group_names or ())}
                rows = [numbers[str(one)] for one in system.sides.group_names or ()]
                values[number], own[number] = recall.groups[rows], recall.shares[rows]
        system.reasons.pop(number, None)
    return own


def _answer_trivially(gold: Labels, name: str) -> Labels | None:
    """The labels of a trivial answer, for scores that need items; None for random ones."""
    size = len(gold)
    codes = {"one cluster": np.zeros(size, np.int64), "one per item": np.arange(size)}.get(name)
    if codes is None:
        return None
    return replace(
        gold, codes=codes, n_labels=size, names=None, weights=None, indptr=None, offset=0, made=0
    )


_ONE_LABEL = {"system": "hard", "weights": "none"}
"""How the signature has answers of one label: beside others, a label of weight 1."""


def _sign_cut(answered: Sequence[ScoredSystem], cut: Any) -> dict[str, str]:
    """How the trees among the systems were cut, the number of clusters being each one's own."""
    if all(system.sides.leaves is None for system in answered):
        if cut is not None:
            raise InputError(f"cut={cut}, but no system is a tree; leave it out")
        return {}
    from roget.scoring.steps.cuts import choose_cut, name_cut

    return {"cut": name_cut(choose_cut(answered[0].sides, cut))}


def _agree(
    answered: Sequence[ScoredSystem], signatures: Sequence[dict[str, str]]
) -> dict[str, str]:
    """The signature all systems share; scores with different ones are never ranked together."""
    for key, hard in _ONE_LABEL.items():
        several = next((parts[key] for parts in signatures if parts[key] != hard), hard)
        signatures = [
            {**parts, key: several} if parts[key] == hard else parts for parts in signatures
        ]
    told = {key for system in answered for key in system.sides.told}
    names = (system.name for system in answered)
    signed = dict(zip(names, signatures, strict=True))
    refuse_unlike("scores cannot be ranked", signed, told)
    return {key: value for key, value in signatures[0].items() if key not in told}


@dataclass(frozen=True, eq=False)
class SystemScores:
    """All scores, systems first and then trivial answers, and what follows from them."""

    asked: Sequence[Request]
    answered: Sequence[ScoredSystem]
    weights: Floats
    own: Floats | None = None
    """Weights that groups have under a request, beside those they have under all."""
    noise: Any = None

    @property
    def names(self) -> list[str]:
        return [*(system.name for system in self.answered), *self.answered[0].trivial]

    @cached_property
    def values(self) -> Floats:
        """Systems and trivial answers × requests × groups."""
        trivial = self.answered[0].trivial.values()
        return np.stack([*(system.values for system in self.answered), *trivial])

    @cached_property
    def means(self) -> Floats:
        return average_groups(self.values, self.weights, self.own)

    def ranks(self) -> Ints:
        """Rank of each system under each request, 1 the best, ties sharing; 0 where undefined."""
        means = self.means[: len(self.answered)]
        better = np.array([1.0 if m.direction == "higher" else -1.0 for m, _ in self.asked])
        keyed = np.where(np.isnan(means), np.nan, np.round(means * better, 12))
        above = (keyed[None, :, :] > keyed[:, None, :]).sum(axis=1)
        return np.where(np.isnan(keyed), 0, above + 1)

    def pairs(self, draws: Draws, paired: str, seed: int) -> list[Pair]:
        """Differences of all pairs of systems, with interval and corrected p."""
        both = list(combinations(range(len(self.answered)), 2))
        if not both:
            return []
        names, found = self.names, []
        for r, (measure, entropy) in enumerate(self.asked):
            # One score at a time: all differences of all draws at once would fill the memory.
            columns = self._tested(r, np.array(both), draws, paired, seed)
            for at, (i, j) in enumerate(both):
                numbers = (defined(column[at]) for column in columns)
                found.append(Pair(names[i], names[j], str(measure), entropy, *numbers))
        return found

    def _tested(
        self, r: int, both: Ints, draws: Draws, paired: str, seed: int
    ) -> tuple[Floats, ...]:
        """Difference, ends of its interval, p and corrected p of every pair under one score."""
        a, b = both.T
        difference = self.means[a, r] - self.means[b, r]
        drawn = draws.drawn[:, a, r] - draws.drawn[:, b, r]
        low, high = bootstrap.interval_ends("percentile", difference, drawn, bootstrap.NO_JACKKNIFE)
        if paired == "permutation":
            values = self.values[:, r]
            gaps = values[a] - values[b]
            weights = self.weights if self.own is None else self.weights * self.own[r]
            p = bootstrap.permutation_p(gaps, weights, drawn.shape[0], seed + 1)
        else:
            p = bootstrap.bootstrap_p(difference, drawn)
        p = np.where(np.isnan(difference), np.nan, p)
        return difference, low, high, p, bootstrap.holm(p)

    def _notes(self, system: ScoredSystem) -> tuple[str, ...]:
        measures = [measure for measure, _ in self.asked]
        undefined = note_undefined(system.values, measures, system.reasons)
        return warn_of(system.sides, self.noise, *undefined)

    def comparison(self, signed: str, draws: Draws | None, paired: str, seed: int) -> Comparison:
        """Everything that was found out."""
        pairs = [] if draws is None else self.pairs(draws, paired, seed)
        marks = _marks(self, pairs)
        firsts = None if draws is None else _firsts(self, draws.drawn)
        ranks, means = self.ranks(), self.means
        rows = []
        for s, name in enumerate(self.names):
            trivial = s >= len(self.answered)
            clusters = None if trivial else self.answered[s].clusters
            for r, (measure, entropy) in enumerate(self.asked):
                value = defined(means[s, r])
                reason = None if trivial else self.answered[s].reasons.get(r)
                rows.append(
                    SystemRow(
                        str(measure),
                        entropy,
                        value,
                        reason if value is None else None,
                        None if draws is None else defined(draws.low[s, r]),
                        None if draws is None else defined(draws.high[s, r]),
                        measure.direction,
                        system=name,
                        trivial=trivial,
                        clusters=clusters,
                        rank=None if trivial or not ranks[s, r] else int(ranks[s, r]),
                        letters=None if trivial else marks.get((s, r)),
                        first=None if trivial or firsts is None else float(firsts[s, r]),
                    )
                )
        first = self.answered[0]
        return Comparison(
            signature=signed,
            items=first.items,
            groups=first.groups,
            classes=first.classes,
            warnings=(
                *merge_notes({one.name: self._notes(one) for one in self.answered}),
                *_note_hard(self.answered),
                *_note_same(self.answered),
            ),
            rows=tuple(rows),
            pairs=tuple(pairs),
            answered=tuple(self.answered),
        )


def _note_hard(answered: Sequence[ScoredSystem]) -> list[str]:
    """Systems that give one label to each item beside others that give several."""
    hard = [system.name for system in answered if system.sides.system.kind == "hard"]
    kinds = {system.sides.system.kind for system in answered} - {"hard"}
    if not hard or not kinds:
        return []
    beside = {
        "weighted": "beside weighted answers its weight is 1",
        "cover": "beside covers it is the only set that the item is in",
    }[kinds.pop()]
    give = "gives" if len(hard) == 1 else "give"
    return [f"{', '.join(hard)} {give} one label to each item: {beside}"]


def _note_same(answered: Sequence[ScoredSystem]) -> list[str]:
    """Systems whose tables are the same but for the clusters' names."""
    alike: dict[bytes, list[str]] = {}
    for system in answered:
        key = b"".join(_fingerprint(part.outline) for part in system.parts())
        alike.setdefault(key, []).append(system.name)
    return [
        f"{join_names(names)} have the same table of classes and clusters: are they one submission?"
        for names in alike.values()
        if len(names) > 1
    ]


def _fingerprint(table: Outline) -> bytes:
    """The same for two tables with the same columns, in whatever order."""
    cells = np.stack(
        [table.rows.astype(np.uint64), table.counts.astype(np.float64).view(np.uint64)]
    )
    mixed = np.bitwise_xor.reduce((cells + _ODD) * _ODD, axis=0) * _ODD[1]
    mixed ^= mixed >> np.uint64(29)
    order = np.argsort(table.columns, kind="stable")
    starts = np.flatnonzero(np.diff(table.columns[order], prepend=-1))
    return np.sort(np.add.reduceat((mixed * _ODD[0])[order], starts)).tobytes()


_ODD = np.array([[0x9E3779B97F4A7C15], [0xD6E8FEB86659FD93]], dtype=np.uint64)


def _marks(table: SystemScores, pairs: Sequence[Pair]) -> dict[tuple[int, int], str]:
    """Letters: systems that share one are not shown to differ."""
    if not pairs:
        return {}
    apart = {
        (pair.a, pair.b, pair.measure, pair.entropy)
        for pair in pairs
        if pair.p_holm is not None and pair.p_holm < SIGNIFICANT
    }
    names, ranks = table.names, table.ranks()
    marks: dict[tuple[int, int], str] = {}
    for r, (measure, entropy) in enumerate(table.asked):
        order = [s for s in np.argsort(ranks[:, r], kind="stable").tolist() if ranks[s, r]]

        def differ(i: int, j: int, key: tuple[str, str | None] = (str(measure), entropy)) -> bool:
            i, j = min(i, j), max(i, j)
            return (names[i], names[j], *key) in apart

        marks.update({(s, r): mark for s, mark in bootstrap.letters(order, differ).items()})
    return marks


def _firsts(table: SystemScores, drawn: Floats) -> Floats:
    """How often each system is first over the draws; a tie is shared."""
    systems = drawn[:, : len(table.answered)]
    better = np.array([1.0 if m.direction == "higher" else -1.0 for m, _ in table.asked])
    keyed = np.where(np.isnan(systems), -np.inf, systems * better)
    best = keyed == keyed.max(axis=1, keepdims=True)
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))
