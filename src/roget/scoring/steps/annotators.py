"""Score systems on several gold standards, average the scores, and compare the annotators.

Systems are scored on each gold standard separately. In addition, each annotator is scored on the
gold standards of the others, with the same measures, on the items that both have labelled. The
agreement between annotators indicates how high a system can be expected to score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from roget.core.io.paths import name_sources
from roget.core.types import Floats, Ints
from roget.errors import InputError, Notice, code_of
from roget.scoring.inputs import Inputs
from roget.scoring.labels import AlignedLabels, Labels, as_labels
from roget.scoring.labels.columns import choose_side
from roget.scoring.labels.labels import separate_groups
from roget.scoring.measures.base import Request, average_draws, divide, evaluate, list_requests
from roget.scoring.notices import merge_notices
from roget.scoring.options import PipelineOptions
from roget.scoring.results import (
    Comparison,
    GoldStandard,
    Score,
    ScoreRow,
    ScoreTable,
    SystemRow,
    none_if_nan,
)
from roget.scoring.signature import (
    choose_interval,
    describe_interval,
    read_signature,
    require_same_signature,
    write_signature,
)
from roget.scoring.steps.bootstrap import (
    Samples,
    assign_parts,
    effective_freedom,
    leave_parts_out,
)
from roget.scoring.steps.intervals import Jackknife, interval_bounds
from roget.scoring.steps.ranking import rank_systems, sort_notices, warn_about_main, warn_samples
from roget.scoring.systems import SystemScores

ANNOTATORS = "annotators"
"""Name of the row with the mean scores of all annotators."""

Values = dict[Score, float | None]
Ceiling = dict[tuple[str, str], Values]
"""Scores of annotators on other annotators' gold standards, keyed by (annotator, gold standard)."""

_SINGLE = ("cells", "matrix", "items", "chance", "cuts", "levels", "splits", "details", "by")
"""Options that require a single gold standard."""


def name_golds(gold: Any, golds: Any) -> dict[str, Any]:
    """Return a mapping from names to gold standards.

    A gold standard passed as NAME=FILE is called NAME. Otherwise its name is the file name or a
    number.
    """
    return name_sources(golds, "gold standards", gold)


def check_options(inputs: Inputs, *, keep: bool = False) -> None:
    """Raise InputError if an option requires a single gold standard."""
    options = inputs.options
    values = {name: getattr(options, name) for name in _SINGLE}
    values["sample_weight"] = inputs.sample_weight
    refused = [name for name, value in values.items() if value is not None and np.any(value)]
    refused += ["a table of classes or clusters"] if keep else []
    refused += ["--extra sample"] if options.extra == "sample" else []
    refused += ["--set several=cover"] if options.several == "cover" else []
    if refused:
        raise InputError(
            f"{refused[0]} requires a single gold standard; score each gold standard separately",
            code="conflicting-options",
        )


def read_golds(inputs: Inputs) -> dict[str, Labels]:
    """Read the labels of each gold standard, i.e. the labels assigned by each annotator."""
    options = inputs.options
    columns = choose_side(options.columns, "gold")
    return {
        name: as_labels(source, labels=options.labels, columns=columns, gold=True, name=name)
        for name, source in name_golds(inputs.gold, options.golds).items()
    }


def split_golds(inputs: Inputs, golds: Mapping[str, Labels]) -> dict[str, Inputs]:
    """Return separate inputs for each gold standard, with confidence intervals switched off."""
    options = replace(inputs.options, golds=(), ci=0)
    return {name: replace(inputs, gold=gold, options=options) for name, gold in golds.items()}


def without_baselines(inputs: Inputs) -> Inputs:
    """Return the inputs for a comparison of a single system without baselines."""
    options = replace(inputs.options, baselines=False)
    [system] = inputs.systems.values()
    return replace(inputs, systems={"system": system}, options=options, compared=True)


def pair_annotators(
    inputs: Inputs, golds: Mapping[str, Labels], name: str
) -> dict[tuple[str, str], Inputs]:
    """Return the inputs for scoring the other annotators on one annotator's gold standard."""
    options = replace(
        inputs.options, golds=(), ci=0, baselines=False, missing="drop", extra="drop", title=""
    )
    return {
        (other, name): replace(
            inputs,
            gold=golds[name],
            systems={other: labels},
            references={},
            options=options,
            compared=True,
        )
        for other, labels in golds.items()
        if other != name
    }


def join_golds(
    options: PipelineOptions, on_each: Mapping[str, Comparison], ceiling: Ceiling
) -> Comparison:
    """Combine comparisons on several gold standards, adding means, intervals and annotators."""
    requests = list_requests(options.measures, options.entropy)
    scores = _gather(requests, on_each)
    samples, ends = None, None
    if options.ci and all(one.groups > 1 for one in on_each.values()):
        samples = _resample_groups(scores, list(on_each.values()), options)
    elif options.ci:
        ends = _jackknife_items(scores, list(on_each.values()), options.seed)
    paired = options.paired
    interval = describe_interval(options.ci, options.interval, paired if samples else None)
    signature = _sign(on_each, interval)
    joined = rank_systems(scores, signature, samples, paired=paired, seed=options.seed)
    rows = _add_golds(joined.rows, on_each, ends)
    for name in on_each:
        rows += _list_annotator(name, f"annotator {name}", ceiling, requests)
    rows += _list_annotator(None, ANNOTATORS, ceiling, requests)
    # Systems and annotators come first, then baselines.
    order = [row for row in rows if not row.trivial or row.annotator]
    order += [row for row in rows if row.trivial and not row.annotator]
    about = tuple(
        GoldStandard(name, one.items, one.groups, one.classes) for name, one in on_each.items()
    )
    joined = replace(
        joined,
        items=max(one.items for one in about),
        groups=max(one.groups for one in about),
        classes=float(np.mean([one.classes for one in about])),
        rows=tuple(order),
        warnings=(
            *merge_notices({name: one.warnings for name, one in on_each.items()}),
            *(_warn_untested(joined) if ends is not None else ()),
            *(warn_samples(scores, samples, joined.pairs) if samples is not None else ()),
        ),
        golds=about,
        scored=(),
        chosen=next(iter(on_each.values())).chosen,
        title=options.title,
        show_intervals=options.intervals,
    )
    # The notices of each gold standard are about its own scores.
    own = [one for one in joined.warnings if code_of(one) not in ("undefined", "below-baseline")]
    return replace(joined, warnings=sort_notices(*own, *warn_about_main(joined)))


def join_tables(compared: Comparison, tables: Sequence[ScoreTable], title: str) -> ScoreTable:
    """Return one system's score table with means over gold standards, including baselines."""
    tops = {(r.measure, r.entropy): r.value for r in compared.rows if r.system == ANNOTATORS}
    rows = []
    for at, row in enumerate(row for row in compared.rows if not row.trivial):
        each = [table.rows[at].baselines for table in tables]
        baselines = {name: _mean([one.get(name) for one in each]) for name in each[0]}
        baselines[ANNOTATORS] = tops[row.measure, row.entropy]
        values = {field.name: getattr(row, field.name) for field in fields(ScoreRow)}
        rows.append(ScoreRow(**values | {"baselines": baselines}))
    return ScoreTable(
        signature=compared.signature.replace("+bootstrap", ""),  # The differences were not tested.
        items=compared.items,
        groups=compared.groups,
        classes=compared.classes,
        clusters=float(np.mean([table.clusters for table in tables])),
        warnings=compared.warnings,
        rows=tuple(rows),
        title=title,
    )


def _list_annotator(
    name: str | None, title: str, ceiling: Ceiling, requests: Sequence[Request]
) -> list[SystemRow]:
    """Return the mean scores of one or all annotators on other annotators' gold standards."""
    rows = []
    for measure, entropy in requests:
        key = str(measure), entropy
        each = {gold: values.get(key) for (who, gold), values in ceiling.items() if name == who}
        some = [values.get(key) for (who, _), values in ceiling.items() if name in (None, who)]
        value = _mean(some)
        rows.append(
            SystemRow(
                *key,
                value,
                None if value is not None else "no item was labelled by two annotators",
                direction=measure.direction,
                system=title,
                trivial=True,
                annotator=True,
                golds=each,
            )
        )
    return rows


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of the defined values, or None if all values are undefined."""
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def _gather(requests: Sequence[Request], on_each: Mapping[str, Comparison]) -> SystemScores:
    """Return the scores of all systems, treating gold standards as groups."""
    first = next(iter(on_each.values()))
    # The shape is (systems and baselines, scores, gold standards). The last axis must be contiguous
    # in memory, because rounding errors of sums depend on the memory layout.
    values = [
        [np.nan if r.value is None else r.value for r in one.rows] for one in on_each.values()
    ]
    stacked = np.stack(values, axis=-1).reshape(-1, len(requests), len(values))
    systems = []
    for at, one in enumerate(first.scored):
        reasons: dict[int, str] = {}
        for compared in on_each.values():
            reasons = {**compared.scored[at].reasons, **reasons}
        # Only the first system stores baselines. Their values follow the values of all systems.
        trivial = dict(zip(one.trivial, stacked[len(first.scored) :], strict=False))
        systems.append(replace(one, values=stacked[at], reasons=reasons, trivial=trivial))
    return SystemScores(requests, systems, np.ones(len(on_each)))


def _sign(on_each: Mapping[str, Comparison], interval: str) -> str:
    """Return the common signature of all gold standards, plus the number of gold standards."""
    signed = {name: read_signature(one.signature) for name, one in on_each.items()}
    require_same_signature("gold standards cannot be combined", signed, ("items", "gold"))
    each = list(signed.values())
    first = each[0] | {
        "gold": "+".join(dict.fromkeys(parts["gold"] for parts in each)),
        "items": "+".join(parts["items"] for parts in each),
    }
    more = {"ci": interval, "golds": f"{len(each)}xmean", "annotators": "drop"}
    return write_signature(first | more)


Ends = tuple[Floats, Floats]


def _warn_untested(joined: Comparison) -> list[str]:
    """If there are several systems, warn that the differences between them are not tested."""
    if len(joined.systems) < 2:
        return []
    text = (
        "with several gold standards without groups, intervals are jackknife intervals over items, "
        "and differences between systems are not tested"
    )
    return [Notice(text, code="untested")]


def _resample_groups(
    scores: SystemScores, compared: Sequence[Comparison], options: PipelineOptions
) -> Samples:
    """Return bootstrap samples of groups, using the same groups for all gold standards."""
    numbers: dict[str, int] = {}
    parts: list[tuple[Floats, Floats, Ints]] = []
    for one in compared:
        first = one.scored[0]
        values = np.stack([*(s.values for s in one.scored), *first.trivial.values()])
        places = [numbers.setdefault(name, len(numbers)) for name in first.group_names]
        items = first.sizes[0].astype(np.float64)
        weights = np.ones_like(items) if options.average == "unweighted" else items
        parts.append((values, weights, np.array(places)))
    count = len(numbers)
    random = np.random.default_rng(options.seed)
    times = random.multinomial(count, np.full(count, 1 / count), size=options.ci)
    # `times` contains the number of times that each group occurs in each bootstrap sample. A
    # jackknife sample contains every group once, except for the group that is left out.
    drawn, without = (
        _mean_golds([average_draws(values, some[:, at] * weights) for values, weights, at in parts])
        for some in (times.astype(np.float64), 1.0 - np.eye(count))
    )
    sizes = np.zeros(count)
    for _, weights, at in parts:
        sizes[at] += weights
    method = choose_interval(options.interval)
    jackknife = Jackknife(without, np.ones(count), float(effective_freedom(sizes)))
    bounds = interval_bounds(method, scores.means, drawn, jackknife, scores.requests)
    systems = len(scores.systems)
    return Samples(drawn, *bounds, jackknife, method, scores.means, systems=systems)


def _mean_golds(values: Sequence[Floats]) -> Floats:
    """Return the mean of each score over the gold standards for which it is defined."""
    stacked = np.stack(values)
    defined = ~np.isnan(stacked)
    sums = np.where(defined, stacked, 0.0).sum(axis=0)
    means: Floats = divide(sums, defined.sum(axis=0), np.nan)
    return means


def _jackknife_items(scores: SystemScores, compared: Sequence[Comparison], seed: int) -> Ends:
    """Return jackknife intervals over items.

    Each block of items is left out of all gold standards at once.
    """
    numbers: dict[Any, int] = {}
    for one in compared:
        if one.groups > 1:
            raise InputError(
                "some gold standards have groups and others do not; pass --average pooled to "
                "compute intervals",
                code="needs-groups",
            )
        for item in _list_items(one.scored[0].sides):
            numbers.setdefault(item, len(numbers))
    parts = assign_parts(len(numbers), seed)
    count = int(parts.max()) + 1
    without = []
    for one in compared:
        systems = []
        for system in one.scored:
            sides = system.sides
            if sides.gold.weighted or sides.system.weighted or sides.counts is not None:
                raise InputError(
                    "confidence intervals for weighted labels require groups", code="needs-groups"
                )
            own = parts[[numbers[item] for item in _list_items(sides)]]
            gold, labels = (
                separate_groups(side, sides.groups) for side in (sides.gold, sides.system)
            )
            sizes = gold.n_labels, labels.n_labels
            left = leave_parts_out(gold.codes, labels.codes, sizes, own, count)
            systems.append([evaluate(left, request)[0] for request in scores.requests])
        without.append(np.array(systems).transpose(2, 0, 1))
    jackknife = Jackknife(_mean_golds(without), np.ones(count), resolution=1 / len(numbers))
    means = scores.means[: len(compared[0].scored)]
    nothing = np.empty((0, *means.shape))
    return interval_bounds("jackknife", means, nothing, jackknife, scores.requests)


def _list_items(sides: AlignedLabels) -> Sequence[Any]:
    """Return a key for each item: (group, id) if there are groups, otherwise the id or position."""
    gold = sides.gold
    if gold.items is None:
        return range(len(gold))
    if gold.groups is None:
        return gold.items
    names = [str(name) for name in gold.group_names or ()]
    return [(names[g], item) for g, item in zip(gold.groups.tolist(), gold.items, strict=True)]


def _add_golds(
    rows: Sequence[SystemRow], on_each: Mapping[str, Comparison], ends: Ends | None
) -> list[SystemRow]:
    """Add each gold standard's scores to the rows, and jackknife intervals if available."""
    complete = []
    for at, row in enumerate(rows):
        values = {name: compared.rows[at].value for name, compared in on_each.items()}
        row = replace(row, golds=values)
        # Baseline rows come last and have no intervals.
        if ends is not None and at < ends[0].size and row.value is not None:
            low, high = (none_if_nan(end.flat[at]) for end in ends)
            row = replace(row, low=low, high=high)
        complete.append(row)
    return complete
