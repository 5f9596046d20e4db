"""The scoring pipeline: read → align → tabulate → evaluate, for one system or many.

`evaluate_systems` is the procedure behind both `score` and `compare`. What else they offer are
steps before it (weights, cuts, levels, gold standards) and after it (intervals, tests, details),
one module each in `scoring/steps`. Steps never call the pipeline: those that need several runs
split the inputs, and join the results that the pipeline returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from roget.core.progress import Progress, Report
from roget.core.types import Floats
from roget.errors import InputError
from roget.scoring.inputs import Inputs
from roget.scoring.labels import AlignedLabels, Labels
from roget.scoring.labels.align import choose_rules
from roget.scoring.labels.write import check_suffix
from roget.scoring.measures.base import (
    Request,
    average_groups,
    list_requests,
    usual_measures,
)
from roget.scoring.measures.trees import DendrogramPurity
from roget.scoring.notices import (
    warn_about_scores,
    warn_about_sides,
    warn_identical_inputs,
    warn_undefined,
)
from roget.scoring.options import PipelineOptions
from roget.scoring.results import (
    Comparison,
    Score,
    ScoreRow,
    ScoreTable,
    find_scores,
    none_if_nan,
)
from roget.scoring.signature import (
    describe_interval,
    list_estimators,
    require_same_signature,
    sign_scores,
    write_signature,
)
from roget.scoring.steps import annotators, levels
from roget.scoring.steps.bootstrap import Samples, resample
from roget.scoring.steps.chance import add_chance
from roget.scoring.steps.components import compute_components
from roget.scoring.steps.cuts import check_cut, choose_cut, cut_system, name_cut
from roget.scoring.steps.diagnostics import diagnose, list_groups
from roget.scoring.steps.entity_sample import score_sample
from roget.scoring.steps.item_weights import weight_items
from roget.scoring.steps.items import write_items
from roget.scoring.steps.ranking import rank_systems
from roget.scoring.steps.splits import OnSplits, add_split_recall, read_splits
from roget.scoring.steps.sweep import sweep_sides
from roget.scoring.systems import ScoredSystem, SystemScores, score_system


class Counter:
    """Reports progress over the requests of all systems, and then over samples."""

    def __init__(self, report: Report | None, samples: int) -> None:
        self.report, self.samples = report, samples
        self.before = self.total = 0

    def start_system(self, systems: int, requests: int) -> None:
        """Set the total, which is known when the first system has been read."""
        self.total = systems * requests + self.samples

    def step(self, done: int) -> None:
        """Report that `done` steps of the current stage are finished."""
        if self.report is not None:
            self.report(Progress(self.before + done, self.total))

    def finish(self, steps: int) -> None:
        """End a stage of so many steps."""
        self.before += steps


def score_inputs(
    inputs: Inputs, *, keep: bool = False, progress: Report | None = None
) -> ScoreTable:
    """Score one system; `keep` stores its contingency tables in the result."""
    options = inputs.options
    if levels.has_levels(inputs):
        parts = levels.split_levels(inputs)
        if len(parts.inputs) > 1:
            progress = None
        tables = {
            name: score_inputs(part, keep=keep, progress=progress)
            for name, part in parts.inputs.items()
        }
        return parts.join(tables)
    if options.golds:
        return _score_golds(inputs, keep=keep, progress=progress)
    _check_inputs(inputs)
    if options.extra == "sample":
        return score_sample(inputs)
    counter = Counter(progress, options.ci + options.chance)
    scores = evaluate_systems(inputs, counter)
    samples = None
    if options.ci:
        samples = resample(scores, options, pairs=False, step=counter.step)
        counter.finish(options.ci)
    return _make_table(inputs, scores, samples, counter, keep=keep)


def compare_inputs(inputs: Inputs, *, progress: Report | None = None) -> Comparison:
    """Compare several systems on one gold standard, or on several."""
    options = inputs.options
    if not inputs.systems:
        raise InputError("no system to compare", code="missing-option")
    if options.golds:
        annotators.check_options(inputs)
        return _compare_golds(inputs, annotators.read_golds(inputs), progress)
    _check_inputs(inputs)
    counter = Counter(progress, options.ci)
    scores = evaluate_systems(inputs, counter)
    if options.ci and options.paired == "permutation" and scores.weights.size == 1:
        raise InputError(
            "the permutation test requires groups; use paired='bootstrap'", code="needs-groups"
        )
    samples = resample(scores, options, pairs=True, step=counter.step) if options.ci else None
    return _make_comparison(scores, samples, options)


def evaluate_systems(inputs: Inputs, counter: Counter | None = None) -> SystemScores:
    """Read, align, tabulate and evaluate every system."""
    options, counter = inputs.options, counter or Counter(None, 0)
    folders = {Path(folder).name: read_splits(folder) for folder in options.splits}
    requests: list[Request] = []
    systems: list[ScoredSystem] = []
    own: Floats | None = None
    for name, aligned, labels in inputs.align_systems():
        rules = choose_rules(aligned.gold, options.average, options.missing, options.extra)
        if not systems:
            # The first of several systems may be a trivial cover, so the option decides as well.
            cover = inputs.compared and options.several == "cover"
            requests = choose_requests(options, folders, cover=cover or aligned.overlapping)
            _find_main(options, requests)
        sides = weight_items(aligned, inputs.item_weights, options.balance)
        sides = cut_system(sides, requests, options.cut, rules.average)
        requests = _request_tree(inputs, sides, requests)
        counter.start_system(len(inputs.systems), len(requests))
        scored = score_system(
            sides,
            requests,
            pooled=rules.average == "pooled",
            name=name,
            # The baselines of the first system, with random clusters of gold's sizes, serve all.
            seed=options.seed if options.baselines and not systems else None,
            like_gold=inputs.compared,
            step=counter.step,
        )
        counter.finish(len(requests))
        if labels is not None and folders:
            own = add_split_recall(scored, inputs.gold_labels, labels, list(folders.values()))
        systems.append(scored)
    weights = systems[0].group_weights(rules.average)
    if own is not None:
        # These weights multiply the weights that all scores share, so divide by the latter.
        own = np.where(np.isnan(own), 1.0, own / weights)
    return SystemScores(requests, systems, weights, rules, own)


def choose_requests(
    options: PipelineOptions, folders: Iterable[str], *, cover: bool
) -> list[Request]:
    """Return every measure under every estimator, then supervised recall on each folder."""
    requests = list_requests(usual_measures(options.measures, cover=cover), options.entropy)
    return [*requests, *((OnSplits(folder), None) for folder in folders)]


def _find_main(options: PipelineOptions, requests: Sequence[Request]) -> Score | None:
    """Return the requested main score; raise if it is not among the requests."""
    known = [(str(measure), estimator) for measure, estimator in requests]
    return find_scores(options.main, known)[0] if options.main else None


def _request_tree(inputs: Inputs, sides: AlignedLabels, requests: list[Request]) -> list[Request]:
    """Add the default measure of whole trees to the default measures of a single system."""
    if inputs.compared or inputs.options.measures is not None or sides.leaves is None:
        return requests
    return [(DendrogramPurity(), None), *requests]


def _check_inputs(inputs: Inputs) -> None:
    """Raise if options exclude each other, before anything is read."""
    options, code = inputs.options, "conflicting-options"
    folders, cover = [Path(folder).name for folder in options.splits], options.several == "cover"
    requests = choose_requests(options, folders, cover=cover)
    if options.measures is not None or cover:
        _find_main(options, requests)
    if options.items is not None:
        check_suffix(options.items)
    given = inputs.gold is not None or any(one is not None for one in inputs.systems.values())
    if options.cells is not None and given:
        raise InputError("pass either cells, or gold and system", code=code)
    if options.cells is not None and options.items is not None:
        raise InputError("cells have no items, so item scores cannot be written", code=code)
    if options.engine != "local" and options.splits:
        raise InputError(f"engine {options.engine}: splits require engine='local'", code=code)
    if inputs.compared and options.extra == "sample":
        raise InputError("extra='sample' works with roget.score only", code=code)


def _make_table(
    inputs: Inputs, scores: SystemScores, samples: Samples | None, counter: Counter, *, keep: bool
) -> ScoreTable:
    """Return the scores of a single system with everything that was requested."""
    options, requests, rules = inputs.options, scores.requests, scores.rules
    [system], measures = scores.systems, [measure for measure, _ in scores.requests]
    check_cut(system.sides, options.cut)
    rows = _add_intervals(_list_rows(scores), samples)
    rows = add_chance(rows, system, requests, rules.average, options, counter.step)
    interval = describe_interval(options.ci, options.interval)
    parts = sign_scores(system.sides, requests, rules, options, ci=interval, seed=options.seed)
    parts |= {"chance": str(options.chance)} if options.chance else {}
    write_items(system.sides, options.items)
    table = ScoreTable(
        signature=write_signature(parts),
        items=system.items,
        groups=system.groups,
        classes=system.classes,
        clusters=system.clusters,
        warnings=(
            *warn_about_sides(
                system.sides,
                options.noise,
                *warn_identical_inputs(inputs.gold, *inputs.systems.values()),
            ),
            *warn_undefined(system.values, measures, system.reasons),
            *warn_about_scores(rows, measures, system.items / system.cells),
            *([] if samples is None else samples.warn_undefined(requests)),
        ),
        rows=tuple(rows),
        details=diagnose(system, requests[0]) if options.details else None,
        title=options.title,
        components=compute_components(system.parts(), list_estimators(requests), scores.weights),
        scored=system if keep else None,
        sweep=None if options.cuts is None else sweep_sides(system.sides, rules, options),
        chance=options.chance,
    )
    if options.by is None:
        return table
    return replace(table, by_group=tuple(list_groups(system, requests, table.main)))


def _list_rows(scores: SystemScores) -> list[ScoreRow]:
    """Return one row per request, with the scores of the baselines."""
    [system], means = scores.systems, scores.means[0]
    baselines = {
        name: average_groups(values, scores.weights) for name, values in system.trivial.items()
    }
    return [
        ScoreRow(
            str(measure),
            estimator,
            none_if_nan(means[i]),
            _explain(system.reasons[i], system.values[i]) if np.isnan(means[i]) else None,
            direction=measure.direction,
            baselines={name: none_if_nan(values[i]) for name, values in baselines.items()},
        )
        for i, (measure, estimator) in enumerate(scores.requests)
    ]


def _explain(reason: str, values: Floats) -> str:
    """Return the reason why a mean is undefined."""
    undefined = int(np.isnan(values).sum())
    return reason if values.size == 1 else f"{reason} (in {undefined} of {values.size} groups)"


def _add_intervals(rows: list[ScoreRow], samples: Samples | None) -> list[ScoreRow]:
    """Add the ends of intervals to the rows that have a value."""
    if samples is None:
        return rows
    return [
        row if row.value is None else replace(row, low=none_if_nan(low), high=none_if_nan(high))
        for row, low, high in zip(rows, samples.low[0], samples.high[0], strict=False)
    ]


def _make_comparison(
    scores: SystemScores, samples: Samples | None, options: PipelineOptions
) -> Comparison:
    """Return the comparison of all systems with everything that was requested."""
    requests, systems = scores.requests, scores.systems
    comparison = rank_systems(
        scores,
        write_signature(_sign_comparison(scores, options)),
        samples,
        paired=options.paired,
        seed=options.seed,
        noise=options.noise,
    )
    estimators = list_estimators(requests)
    comparison = replace(
        comparison,
        chosen=_find_main(options, requests),
        title=options.title,
        show_intervals=options.intervals,
        show_details=options.details,
        components=tuple(
            compute_components(one.parts(), estimators, scores.weights) for one in systems
        ),
    )
    if not options.by:
        return comparison
    groups = (row for one in systems for row in list_groups(one, requests, comparison.main))
    return replace(comparison, by_group=tuple(groups))


_ONE_LABEL = {"system": "hard", "weights": "none"}
"""Parts of the signature of systems with one label per item, which may join weighted ones."""


def _sign_comparison(scores: SystemScores, options: PipelineOptions) -> dict[str, str]:
    """Return the signature that all systems share; others are never ranked together."""
    interval = describe_interval(options.ci, options.interval)
    interval += f"+{options.paired}" if options.ci else ""
    signatures = [
        sign_scores(
            system.sides,
            scores.requests,
            scores.rules,
            options,
            ci=interval,
            seed=options.seed,
            items=str(_count_gold_items(system)),
        )
        for system in scores.systems
    ]
    for key, hard in _ONE_LABEL.items():
        several = next((parts[key] for parts in signatures if parts[key] != hard), hard)
        signatures = [
            {**parts, key: several} if parts[key] == hard else parts for parts in signatures
        ]
    told = {key for system in scores.systems for key in system.sides.told}
    names = (system.name for system in scores.systems)
    signed = dict(zip(names, signatures, strict=True))
    require_same_signature("scores cannot be ranked together", signed, told)
    parts = {key: value for key, value in signatures[0].items() if key not in told}
    parts |= {"splits": "pooled"} if options.splits else {}
    return parts | _sign_cut(scores.systems, options.cut)


def _sign_cut(systems: Sequence[ScoredSystem], cut: Any) -> dict[str, str]:
    """Return how trees among the systems were cut; the number of clusters may differ."""
    if any(system.sides.leaves is not None for system in systems):
        return {"cut": name_cut(choose_cut(systems[0].sides, cut))}
    check_cut(systems[0].sides, cut)
    return {}


def _count_gold_items(system: ScoredSystem) -> int | float:
    """Return the number of items of gold, which is the same for all systems."""
    if not system.sides.gold.absent:
        return system.items
    return int(sum(np.sum(part.table.mentions[0]) for part in system.parts()))


def _compare_golds(
    inputs: Inputs, golds: Mapping[str, Labels], progress: Report | None
) -> Comparison:
    """Compare systems on several gold standards, and the annotators with each other."""
    counter = Counter(progress, 2 * len(golds))
    counter.start_system(0, 0)
    on_each: dict[str, Comparison] = {}
    for name, part in annotators.split_golds(inputs, golds).items():
        on_each[name] = compare_inputs(part)
        counter.step(len(on_each))
    ceiling: annotators.Ceiling = {}
    for done, name in enumerate(golds, start=len(golds) + 1):
        ceiling |= _score_annotators(annotators.pair_annotators(inputs, golds, name))
        counter.step(done)
    return annotators.join_golds(inputs.options, on_each, ceiling)


def _score_annotators(pairs: Mapping[tuple[str, str], Inputs]) -> annotators.Ceiling:
    """Score annotators on another's gold standard, on the items that both have labelled."""
    found: annotators.Ceiling = {}
    for key, part in pairs.items():
        try:
            compared = compare_inputs(part)
        except InputError as error:
            # Annotators may have labelled different items.
            if error.code != "no-common-items":
                raise
            continue
        found[key] = {(row.measure, row.entropy): row.value for row in compared.rows}
    return found


def _score_golds(inputs: Inputs, *, keep: bool, progress: Report | None) -> ScoreTable:
    """Score one system on several gold standards."""
    annotators.check_options(inputs, keep=keep)
    golds = annotators.read_golds(inputs)
    compared = _compare_golds(annotators.without_baselines(inputs), golds, progress)
    tables = [score_inputs(part) for part in annotators.split_golds(inputs, golds).values()]
    return annotators.join_tables(compared, tables, inputs.options.title)
