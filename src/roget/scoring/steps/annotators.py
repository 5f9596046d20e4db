"""Several gold standards: the scores on each, their mean, and how well annotators agree.

Systems are scored on each gold standard as on one. Annotators are scored on each other by the same
measures, on the items that both have labelled: what can be expected of a system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from roget.core.io.paths import name_sources
from roget.core.options import options_of
from roget.core.progress import Progress, Report
from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.scoring.compare import SystemScores, compare
from roget.scoring.comparison import Comparison, GoldStandard, SystemRow
from roget.scoring.labels import AlignedLabels, Labels, as_labels
from roget.scoring.labels.labels import keep_apart
from roget.scoring.labels.table import choose_side
from roget.scoring.measures.base import Request, average_draws, divide, evaluate, list_requests
from roget.scoring.options import CompareOptions
from roget.scoring.results import ScoreRow, ScoreTable, defined, merge_notes, read_signature
from roget.scoring.score import (
    check_options,
    describe_interval,
    refuse_unlike,
    score,
    write_signature,
)
from roget.scoring.steps import bootstrap

ANNOTATORS = "annotators"
"""The mean of all of them, beside trivial answers."""


def name_golds(gold: Any, golds: Any) -> dict[str, Any]:
    """All gold standards by name: of their files, or as NAME=FILE; others are numbered."""
    return name_sources(golds, "gold standards", gold)


def compare_golds(
    gold: Any, golds: Any, systems: Any, progress: Report | None = None, **options: Any
) -> Comparison:
    """Score several systems on several gold standards; the options are those of `compare`."""
    _refuse(options, "splits", "details", "by")
    return _compare(_read(name_golds(gold, golds), options), systems, progress, options)


def _compare(
    named: Mapping[str, Labels],
    systems: Any,
    progress: Report | None,
    options: Mapping[str, Any],
) -> Comparison:
    check_options(CompareOptions, **options)
    if options["ci"] and options["paired"] == "permutation":
        raise InputError("on several gold standards the test is the bootstrap")
    tell = progress or (lambda now: None)
    steps = 2 * len(named)
    plain = {**options, "ci": 0}
    on_each: dict[str, Comparison] = {}
    for name, one in named.items():
        on_each[name] = compare(one, systems, **plain)
        tell(Progress(len(on_each), steps))
    ceiling = _score_annotators(named, plain, lambda done: tell(Progress(len(named) + done, steps)))
    asked = list_requests(options["measures"], options["entropy"])
    table = _gather(asked, on_each)
    tested = describe_interval(options["ci"], options["interval"])
    draws, ends = None, None
    if options["ci"] and all(one.groups > 1 for one in on_each.values()):
        draws = _draw_groups(table, list(on_each.values()), options)
    elif options["ci"]:
        ends = _leave_items_out(table, asked, list(on_each.values()), options["seed"])
    signed = _sign(on_each, tested if draws is None else f"{tested}+bootstrap")
    found = table.comparison(signed, draws, "bootstrap", options["seed"])
    rows = _spread(found.rows, on_each, ends)
    for name in on_each:
        rows += _annotator(name, f"annotator {name}", ceiling, asked)
    rows += _annotator(None, ANNOTATORS, ceiling, asked)
    order = [row for row in rows if not row.trivial or row.annotator]
    order += [row for row in rows if row.trivial and not row.annotator]
    about = tuple(
        GoldStandard(name, one.items, one.groups, one.classes) for name, one in on_each.items()
    )
    return replace(
        found,
        items=max(one.items for one in about),
        groups=max(one.groups for one in about),
        classes=float(np.mean([one.classes for one in about])),
        rows=tuple(order),
        warnings=(
            *merge_notes({name: one.warnings for name, one in on_each.items()}),
            *(_note_untested(found) if ends is not None else ()),
        ),
        golds=about,
        answered=(),
        chosen=next(iter(on_each.values())).chosen,
        title=options["title"],
        show_intervals=options["intervals"],
    )


def score_golds(
    gold: Any, golds: Any, system: Any, progress: Report | None = None, **options: Any
) -> ScoreTable:
    """Score one system on several gold standards; the options are those of `score`."""
    known = options_of(CompareOptions)
    # What comparing does not know needs items, or is told of one gold standard.
    _refuse(options, *(name for name in options if name not in known), "details", "by")
    named = _read(name_golds(gold, golds), options)
    shared = {name: value for name, value in options.items() if name in known}
    more = {"splits": (), "main": None, "intervals": True, "paired": "bootstrap"}
    asked = shared | more | {"baselines": False}
    compared = _compare(named, {"system": system}, progress, asked)
    tables = [score(one, system, **options | {"ci": 0}) for one in named.values()]
    tops = {(r.measure, r.entropy): r.value for r in compared.rows if r.system == ANNOTATORS}
    rows = []
    for at, row in enumerate(row for row in compared.rows if not row.trivial):
        each = [table.rows[at].baselines for table in tables]
        baselines = {name: _mean([one.get(name) for one in each]) for name in each[0]}
        baselines[ANNOTATORS] = tops[row.measure, row.entropy]
        found = {field.name: getattr(row, field.name) for field in fields(ScoreRow)}
        rows.append(ScoreRow(**found | {"baselines": baselines}))
    return ScoreTable(
        signature=compared.signature.replace("+bootstrap", ""),  # one system meets no other
        items=compared.items,
        groups=compared.groups,
        classes=compared.classes,
        clusters=float(np.mean([table.clusters for table in tables])),
        warnings=compared.warnings,
        rows=tuple(rows),
        title=options["title"],
    )


def _refuse(options: Mapping[str, Any], *names: str) -> None:
    """Refuse what would have to be said of each gold standard by itself."""
    asked = [name for name in names if options[name] is not None and bool(np.any(options[name]))]
    asked += ["extra='sample'"] if options["extra"] == "sample" else []
    asked += ["several='cover'"] if options["several"] == "cover" else []
    if asked:
        what = "a table of classes or clusters" if asked[0] == "keep" else asked[0]
        raise InputError(f"{what} goes with one gold standard: score on each by itself")


def _read(named: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Labels]:
    """The labels of each gold standard, which serve as gold and, for annotators, as system."""
    columns = choose_side(options["columns"], "gold")
    return {
        name: as_labels(source, labels=options["labels"], columns=columns, gold=True, name=name)
        for name, source in named.items()
    }


Ceiling = dict[tuple[str, str], dict[tuple[str, str | None], float | None]]
"""Scores of an annotator on another's gold standard, by (annotator, gold standard)."""


def _score_annotators(
    named: Mapping[str, Labels], options: Mapping[str, Any], step: Any
) -> Ceiling:
    """Every annotator on every other's items, those that both have labelled."""
    alone = dict(options) | {"baselines": False, "missing": "drop", "extra": "drop", "title": ""}
    found: Ceiling = {}
    for done, (name, gold) in enumerate(named.items(), start=1):
        for other, labels in named.items():
            if other == name:
                continue
            try:
                compared = compare(gold, {other: labels}, **alone)
            except InputError as error:
                # Annotators may well have been given other items.
                if "no item of" not in str(error):
                    raise
                continue
            found[other, name] = {(r.measure, r.entropy): r.value for r in compared.rows}
        step(done)
    return found


def _annotator(
    name: str | None, called: str, ceiling: Ceiling, asked: Sequence[Request]
) -> list[SystemRow]:
    """The rows of one annotator, the mean over the others; of all without a name."""
    rows = []
    for measure, entropy in asked:
        key = str(measure), entropy
        each = {gold: got.get(key) for (who, gold), got in ceiling.items() if name == who}
        value = _mean([got.get(key) for (who, _), got in ceiling.items() if name in (None, who)])
        rows.append(
            SystemRow(
                *key,
                value,
                None if value is not None else "no two annotators have an item in common",
                direction=measure.direction,
                system=called,
                trivial=True,
                annotator=True,
                golds=each,
            )
        )
    return rows


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean of those that are defined."""
    held = [value for value in values if value is not None]
    return sum(held) / len(held) if held else None


def _gather(asked: Sequence[Request], on_each: Mapping[str, Comparison]) -> SystemScores:
    """The scores of all systems, with gold standards in the place of groups."""
    first = next(iter(on_each.values()))
    # Systems and trivial answers × requests × gold standards, the last side by side in memory: the
    # order in which numbers are added up depends on it.
    values = [
        [np.nan if r.value is None else r.value for r in one.rows] for one in on_each.values()
    ]
    stacked = np.stack(values, axis=-1).reshape(-1, len(asked), len(values))
    answered = []
    for at, one in enumerate(first.answered):
        reasons: dict[int, str] = {}
        for compared in on_each.values():
            reasons = {**compared.answered[at].reasons, **reasons}
        # Those of the first system, if any, which come after all systems.
        trivial = dict(zip(one.trivial, stacked[len(first.answered) :], strict=False))
        answered.append(replace(one, values=stacked[at], reasons=reasons, trivial=trivial))
    return SystemScores(asked, answered, np.ones(len(on_each)))


def _sign(on_each: Mapping[str, Comparison], tested: str) -> str:
    """The signature that all share, with what several gold standards add."""
    signed = {name: read_signature(one.signature) for name, one in on_each.items()}
    refuse_unlike("gold standards cannot be put", signed, ("items", "gold"))
    each = list(signed.values())
    first = each[0] | {
        "gold": "+".join(dict.fromkeys(parts["gold"] for parts in each)),
        "items": "+".join(parts["items"] for parts in each),
    }
    more = {"ci": tested, "golds": f"{len(each)}xmean", "annotators": "drop"}
    return write_signature(first | more)


Ends = tuple[Floats, Floats]


def _note_untested(found: Comparison) -> list[str]:
    if len(found.systems) < 2:
        return []
    said = "on several gold standards without groups, intervals are the jackknife's over items"
    return [f"{said}, and systems are not tested against each other"]


def _draw_groups(
    table: SystemScores, compared: Sequence[Comparison], options: Mapping[str, Any]
) -> bootstrap.Draws:
    """The same groups are drawn from all gold standards that have them."""
    numbers: dict[str, int] = {}
    parts: list[tuple[Floats, Floats, Ints]] = []
    average = "unweighted" if options["average"] == "unweighted" else "weighted"
    for one in compared:
        first = one.answered[0]
        values = np.stack([*(s.values for s in one.answered), *first.trivial.values()])
        places = [numbers.setdefault(name, len(numbers)) for name in first.group_names]
        parts.append((values, first.weigh(average), np.array(places)))
    count = len(numbers)
    random = np.random.default_rng(options["seed"])
    times = random.multinomial(count, np.full(count, 1 / count), size=options["ci"])
    drawn, without = (
        _mean_golds([average_draws(values, of[:, at] * weights) for values, weights, at in parts])
        for of in (times.astype(np.float64), 1.0 - np.eye(count))
    )
    method = "bca" if options["interval"] == "auto" else options["interval"]
    jackknife = bootstrap.JackknifeDraws(without, np.ones(count))
    return bootstrap.Draws(drawn, *bootstrap.interval_ends(method, table.means, drawn, jackknife))


def _mean_golds(values: Sequence[Floats]) -> Floats:
    """The mean over gold standards, of those that have a value."""
    stacked = np.stack(values)
    held = ~np.isnan(stacked)
    means: Floats = divide(np.where(held, stacked, 0.0).sum(axis=0), held.sum(axis=0), np.nan)
    return means


def _leave_items_out(
    table: SystemScores, asked: Sequence[Request], compared: Sequence[Comparison], seed: int
) -> Ends:
    """Intervals by the jackknife: the same items are left out of all gold standards."""
    numbers: dict[Any, int] = {}
    for one in compared:
        if one.groups > 1:
            raise InputError(
                "intervals need groups in all gold standards or in none: say --average pooled"
            )
        for item in _items(one.answered[0].sides):
            numbers.setdefault(item, len(numbers))
    parts = bootstrap.deal_parts(len(numbers), seed)
    count = int(parts.max()) + 1
    without = []
    for one in compared:
        systems = []
        for system in one.answered:
            sides = system.sides
            if sides.gold.weighted or sides.system.weighted or sides.counts is not None:
                raise InputError("intervals for weighted answers need groups to draw from")
            of = parts[[numbers[item] for item in _items(sides)]]
            gold, answers = (keep_apart(side, sides.groups) for side in (sides.gold, sides.system))
            sizes = gold.n_labels, answers.n_labels
            left = bootstrap.leave_out(gold.codes, answers.codes, sizes, of, count)
            systems.append([evaluate(left, request)[0] for request in asked])
        without.append(np.array(systems).transpose(2, 0, 1))
    jackknife = bootstrap.JackknifeDraws(_mean_golds(without), np.ones(count))
    means = table.means[: len(compared[0].answered)]
    return bootstrap.interval_ends("jackknife", means, np.empty((0, *means.shape)), jackknife)


def _items(sides: AlignedLabels) -> Sequence[Any]:
    """What tells items apart: their group and id, or where they stand."""
    gold = sides.gold
    if gold.items is None:
        return range(len(gold))
    if gold.groups is None:
        return gold.items
    names = [str(name) for name in gold.group_names or ()]
    return [(names[g], item) for g, item in zip(gold.groups.tolist(), gold.items, strict=True)]


def _spread(
    rows: Sequence[SystemRow], on_each: Mapping[str, Comparison], ends: Ends | None
) -> list[SystemRow]:
    """The rows with the scores on each gold standard, and with intervals if these came alone."""
    found = []
    for at, row in enumerate(rows):
        of = {name: compared.rows[at].value for name, compared in on_each.items()}
        row = replace(row, golds=of)
        # Trivial answers, whose rows come last, have none.
        if ends is not None and at < ends[0].size and row.value is not None:
            low, high = (defined(end.flat[at]) for end in ends)
            row = replace(row, low=low, high=high)
        found.append(row)
    return found
