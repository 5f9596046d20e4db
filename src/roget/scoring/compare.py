"""`roget.compare`: several systems on one gold standard, with intervals, tests and ranks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from roget.core.progress import Progress, Report
from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.scoring import resample
from roget.scoring.cells.contingency import Contingency
from roget.scoring.comparison import Comparison, Pair, SystemRow
from roget.scoring.labels import Aligned, Labels
from roget.scoring.labels.align import choose_rules
from roget.scoring.measures.base import Asked, Request, average_groups, list_requests
from roget.scoring.options import CompareOptions
from roget.scoring.resample import Draws
from roget.scoring.result import note_undefined
from roget.scoring.score import (
    Answered,
    Reading,
    answer,
    check_options,
    defined,
    describe_interval,
    note_noise,
    sign,
    sign_rules,
    write_signature,
)
from roget.scoring.splits import OnSplits, Split, read_splits, supervised_recall
from roget.scoring.weigh import weigh

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
    labels: str | None = CompareOptions.labels,
    columns: Mapping[str, str] | None = CompareOptions.columns,
    splits: Sequence[str | os.PathLike[str]] = CompareOptions.splits,
    balance: str | None = CompareOptions.balance,
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
    heaviest label of weighted answers. `memory`, `engine` and `scheduler` are as in `roget.score`.
    """
    folders = {Path(folder).name: read_splits(folder) for folder in splits}
    asked: list[Request] = list_requests(measures, entropy)
    asked += [(OnSplits(folder), None) for folder in folders]
    check_options(
        CompareOptions,
        average=average,
        ci=ci,
        interval=interval,
        seed=seed,
        paired=paired,
        balance=balance,
    )
    tell = progress or (lambda now: None)
    reading = Reading(missing, noise, extra, labels, columns, answers, memory, engine, scheduler)
    if engine != "local" and folders:
        raise InputError(f"engine {engine}: splits need the items; use local")
    if extra == "sample":
        raise InputError("extra='sample' estimates scores of one system: see roget.score")
    left = reading.gold(gold) if folders else None
    answered: list[Answered] = []
    named = _name_systems(systems)
    with reading.counting(gold) as count:
        for name, source in named.items():
            sides = count(source) if left is None else None
            if sides is not None and ci and _draws_items(sides, average):
                if engine != "local":
                    raise InputError(
                        f"engine {engine}: intervals of systems without groups need the items; use "
                        "local, or roget score for each system"
                    )
                sides = None
            if sides is None:
                left = left or reading.gold(gold)
                right = reading.system(source)
                sides = reading.align(left, right)
            rules = choose_rules(sides.gold, average, missing, extra)
            sides = weigh(sides, balance=balance)
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
                _try_splits(one, left, right, list(folders.values()))
            answered.append(one)
            tell(Progress(len(answered), len(named) + ci))
    tested = describe_interval(ci, interval) + (f"+{paired}" if ci else "")
    signatures = [
        sign(system.sides, asked, rules.average, rules.missing, answers, tested, seed)
        | {"items": str(_items_of(system)), **sign_rules(noise, rules.extra)}
        for system in answered
    ]
    parts = _agree(answered, signatures)
    table = _Scored(asked, answered, answered[0].weigh(rules.average), noise)
    if ci and paired == "permutation" and table.weights.size == 1:
        raise InputError("the permutation test needs groups: without them, choose the bootstrap")
    draws = None
    if ci:
        draws = resample.draw(
            table.values,
            table.weights,
            [system.sides for system in answered],
            asked,
            ci,
            interval,
            seed,
            step=lambda done: tell(Progress(len(named) + done, len(named) + ci)),
        )
    return table.comparison(write_signature(parts), draws, paired, seed)


def _draws_items(sides: Aligned, average: str | None) -> bool:
    """Whether intervals draw items, the same for all systems: cells of each are not enough."""
    return average == "pooled" or sides.group_names is None or len(sides.group_names) == 1


def _name_systems(systems: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Systems by name; paths are named by their files."""
    if isinstance(systems, str | os.PathLike):
        systems = [systems]
    if isinstance(systems, Mapping):
        named = dict(systems)
    else:
        named = {}
        for number, source in enumerate(systems, start=1):
            name = (
                Path(source).stem if isinstance(source, str | os.PathLike) else f"system {number}"
            )
            if name in named:
                raise InputError(
                    f"two systems are named {name!r}: give names of your own (NAME=FILE)"
                )
            named[name] = source
    if not named:
        raise InputError("no system to compare")
    return named


def _items_of(system: Answered) -> int | float:
    """Items that were scored: gold's, which are the same for all systems."""
    if not system.sides.gold.absent:
        return system.items
    return int(sum(np.sum(part.table.mentions[0]) for part in system.parts()))


def _try_splits(
    system: Answered, gold: Labels, answers_given: Labels, folders: Sequence[Sequence[Split]]
) -> None:
    """Fill in the last rows of scores: supervised recall on each folder of splits."""
    for number, parts in enumerate(folders, start=len(system.values) - len(folders)):
        recall = supervised_recall(gold, answers_given, parts)
        if system.groups == 1:
            system.values[number] = recall.pooled
        else:
            by_name = dict(zip(map(str, gold.group_names or ()), recall.groups, strict=True))
            system.values[number] = [by_name[str(name)] for name in system.sides.group_names or ()]
        system.reasons.pop(number, None)


def _agree(answered: Sequence[Answered], signatures: Sequence[dict[str, str]]) -> dict[str, str]:
    """The signature all systems share; scores with different ones are never ranked together."""
    first = signatures[0]
    for system, parts in zip(answered, signatures, strict=True):
        for key, value in parts.items():
            if first[key] != value:
                raise InputError(
                    f"scores cannot be ranked together: {key} is {first[key]} for "
                    f"{answered[0].name} but {value} for {system.name}"
                )
    return first


@dataclass(frozen=True, eq=False)
class _Scored:
    """All scores, systems first and then trivial answers, and what follows from them."""

    asked: Sequence[Request]
    answered: Sequence[Answered]
    weights: Floats
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
        return average_groups(self.values, self.weights)

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
        low, high = resample.interval_ends("percentile", difference, drawn, resample.NO_JACKKNIFE)
        if paired == "permutation":
            values = self.values[:, r]
            gaps = values[a] - values[b]
            p = resample.permutation_p(gaps, self.weights, drawn.shape[0], seed + 1)
        else:
            p = resample.bootstrap_p(difference, drawn)
        p = np.where(np.isnan(difference), np.nan, p)
        return difference, low, high, p, resample.holm(p)

    def _notes(self, system: Answered) -> list[str]:
        measures = [measure for measure, _ in self.asked]
        undefined = note_undefined(system.values, measures, system.reasons)
        return [*system.sides.warnings, *note_noise(system.sides, self.noise), *undefined]

    def comparison(self, signed: str, draws: Draws | None, paired: str, seed: int) -> Comparison:
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
                *(f"{one.name}: {text}" for one in self.answered for text in self._notes(one)),
                *_note_same(self.answered),
            ),
            rows=tuple(rows),
            pairs=tuple(pairs),
            answered=tuple(self.answered),
        )


def _note_same(answered: Sequence[Answered]) -> list[str]:
    """Systems whose tables are the same but for the clusters' names."""
    alike: dict[bytes, list[str]] = {}
    for system in answered:
        key = b"".join(_fingerprint(part.table) for part in system.parts())
        alike.setdefault(key, []).append(system.name)
    return [
        f"{', '.join(names[:-1])} and {names[-1]} have the same table of classes and clusters: are "
        "they one submission?"
        for names in alike.values()
        if len(names) > 1
    ]


def _fingerprint(table: Contingency) -> bytes:
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


def _marks(table: _Scored, pairs: Sequence[Pair]) -> dict[tuple[int, int], str]:
    """Letters: systems that share one do not differ significantly."""
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

        marks.update({(s, r): mark for s, mark in resample.letters(order, differ).items()})
    return marks


def _firsts(table: _Scored, drawn: Floats) -> Floats:
    """How often each system is first over the draws; a tie is shared."""
    systems = drawn[:, : len(table.answered)]
    better = np.array([1.0 if m.direction == "higher" else -1.0 for m, _ in table.asked])
    keyed = np.where(np.isnan(systems), -np.inf, systems * better)
    best = keyed == keyed.max(axis=1, keepdims=True)
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))
