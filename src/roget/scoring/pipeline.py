"""The scoring pipeline: read, align, tabulate and evaluate one or more systems.

Both `score` and `compare` call `tabulate_systems` and `evaluate_systems`. Everything else is done
by steps before them (weights, cuts, levels, gold standards) or after them (intervals, tests,
details), each in a module of `scoring/steps`. Steps never call the pipeline. A step that needs
several runs provides one function that splits the inputs and another that joins the results. Rarely
used steps are imported only if they are requested, because importing all of them would slow down
every command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from roget.core.progress import Progress, Report
from roget.core.types import Floats
from roget.errors import InputError, Notice
from roget.scoring.inputs import Inputs
from roget.scoring.labels import AlignedLabels, Labels
from roget.scoring.labels.align import choose_rules
from roget.scoring.measures.base import (
    COVER_MEASURES,
    MENTION_MEASURES,
    Request,
    average_groups,
    evaluate,
    list_requests,
    parse,
)
from roget.scoring.notices import (
    warn_about_scores,
    warn_about_sides,
    warn_identical_inputs,
    warn_undefined,
    warn_unused_number,
)
from roget.scoring.options import PipelineOptions, Rules
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
from roget.scoring.steps.components import compute_components
from roget.scoring.steps.headline import (
    Headline,
    make_comparison_headline,
    make_headline,
    plan_comparison_intervals,
    plan_intervals,
    shorten_table,
)
from roget.scoring.systems import ScoredSystem, SystemScores
from roget.scoring.tables.baselines import DRAWS, make_baselines
from roget.scoring.tabulate import tabulate

if TYPE_CHECKING:
    from roget.scoring.steps.annotators import Ceiling
    from roget.scoring.steps.bootstrap import Samples


@dataclass
class Counter:
    """A progress counter for the scores of all systems and then for the bootstrap samples."""

    report: Report | None
    samples: int
    before: int = 0
    """The number of scores and samples that earlier stages have completed."""
    total: int = 0
    """The total number of scores and samples, or 0 until the first system has been read."""

    def step(self, done: int) -> None:
        """Report that `done` scores or samples of the current stage are complete."""
        if self.report is not None:
            self.report(Progress(self.before + done, self.total))


def score_inputs(
    inputs: Inputs, *, keep: bool = False, progress: Report | None = None
) -> ScoreTable:
    """Score one system. With `keep`, the result contains the contingency tables."""
    options = inputs.options
    if inputs.has_levels:
        return _score_levels(inputs, keep=keep, progress=progress)
    if options.golds:
        return _score_golds(inputs, keep=keep, progress=progress)
    _check_inputs(inputs)
    if options.extra == "sample":
        from roget.scoring.steps.entity_sample import score_sample

        return score_sample(inputs)
    counter = Counter(progress, (options.ci or 0) + options.chance)
    scores = tabulate_systems(inputs.align_systems(), inputs)
    evaluate_systems(scores, counter)
    samples, notes = _resample(scores, inputs, counter) if options.ci else (None, [])
    if notes:
        inputs = replace(inputs, options=replace(options, ci=None))
    table = _make_table(inputs, scores, samples, counter, keep=keep)
    return add_notices(table, notes) if notes else table


def _score_levels(inputs: Inputs, *, keep: bool, progress: Report | None) -> ScoreTable:
    """Score every level of the hierarchical labels."""
    from roget.scoring.steps.levels import split_levels

    levels = split_levels(inputs)
    if len(levels.inputs) > 1:
        progress = None
    joined = levels.join(
        {
            name: score_inputs(part, keep=keep, progress=progress)
            for name, part in levels.inputs.items()
        }
    )
    return joined if joined.headline is not None else shorten_table(joined, inputs.options)


def compare_inputs(inputs: Inputs, *, progress: Report | None = None) -> Comparison:
    """Compare several systems on one or several gold standards."""
    options = inputs.options
    if not inputs.systems:
        raise InputError("compare requires at least one system", code="missing-option")
    if options.golds:
        from roget.scoring.steps import annotators

        annotators.check_options(inputs)
        return _compare_golds(inputs, annotators.read_golds(inputs), progress)
    _check_inputs(inputs)
    counter = Counter(progress, options.ci or 0)
    aligned = inputs.align_systems()
    scores = tabulate_systems(aligned, inputs)
    evaluate_systems(scores, counter)
    if options.splits:
        from roget.scoring.steps.splits import add_split_recalls

        every = [*scores.systems, *scores.references]
        own = add_split_recalls(every, aligned.values(), options.splits, scores.weights)
        scores = replace(scores, own=own)
    samples, notes = _resample(scores, inputs, counter) if options.ci else (None, [])
    if notes:
        options = replace(options, ci=None)
    comparison = _make_comparison(scores, samples, options)
    return add_notices(comparison, notes) if notes else comparison


def tabulate_systems(aligned: Mapping[str, AlignedLabels], inputs: Inputs) -> SystemScores:
    """Tabulate every system and the baselines, and choose the scores to compute."""
    options, first = inputs.options, next(iter(aligned.values()))
    rules = choose_rules(
        first.gold, options.average, options.missing, options.extra, first.system, options.noise
    )
    # Other systems may have overlapping labels even if the first system does not, so also check the
    # option.
    cover = first.overlapping or (inputs.compared and options.several == "cover")
    requests = choose_requests(options, cover=cover, mentions=first.gold.mentions)
    if options.main:
        _find_main(options, requests)
    systems: list[ScoredSystem] = []
    references: list[ScoredSystem] = []
    for name, labels in aligned.items():
        sides = _prepare_sides(labels, inputs, requests, rules)
        if sides.leaves is not None and options.measures is None and not inputs.compared:
            # The only system is a tree, so add a measure for trees to the default measures.
            requests = [(parse("dendrogram-purity"), None), *requests]
        tables = tabulate(sides, pooled=rules.average == "pooled")
        values = np.full((len(requests), tables.groups or 1), np.nan)
        kind = references if name in inputs.references else systems
        kind.append(ScoredSystem(name, sides, tables, values, rules.average))
    systems[0].trivial.update({one.name: one.values for one in references})
    baselines = {}
    if options.automatic_baselines:
        # In a comparison, the baselines are the same for all systems, because random clusters have
        # the sizes of the gold classes.
        draws = max(1, DRAWS // systems[0].groups)
        baselines = make_baselines(
            systems[0].tables, options.seed, draws, like_gold=inputs.compared
        )
    weights = systems[0].weights
    return SystemScores(
        requests, systems, weights, rules, baselines=baselines, references=references
    )


def evaluate_systems(scores: SystemScores, counter: Counter) -> None:
    """Compute all requested scores of every system and of the baselines in every group."""
    requests, baselines = scores.requests, scores.baselines
    every = (*scores.systems, *scores.references)
    counter.total = len(every) * len(requests) + counter.samples
    for system in every:
        system.trivial.update({name: np.empty_like(system.values) for name in baselines})
        for i, request in enumerate(requests):
            system.values[i], reason = evaluate(system.tables, request)
            if reason is not None:
                system.reasons[i] = reason
            for name, baseline in baselines.items():
                system.trivial[name][i], _ = evaluate(baseline, request)
            counter.step(i + 1)
        counter.before += len(requests)
        # The baselines are scored only once, together with the first system.
        baselines = {}


def _prepare_sides(
    sides: AlignedLabels, inputs: Inputs, requests: Sequence[Request], rules: Rules
) -> AlignedLabels:
    """Apply item weights. If the system is a tree, cut it."""
    options = inputs.options
    if inputs.sample_weight is not None or options.balance is not None:
        from roget.scoring.steps.item_weights import weight_items

        sides = weight_items(sides, inputs.item_weights, options.balance)
    if sides.gold.tree is not None or sides.system.tree is not None:
        from roget.scoring.steps.cuts import cut_system

        sides = cut_system(sides, requests, options.cut, rules.average)
    elif options.cut is not None and not inputs.compared:
        raise InputError(
            f"{sides.system.source}: cut={options.cut} requires a system that is a tree; omit cut",
            code="needs-tree",
        )
    return sides


def _resample(
    scores: SystemScores, inputs: Inputs, counter: Counter
) -> tuple[Samples | None, list[Notice]]:
    """Return the bootstrap samples from which the requested intervals are computed.

    If intervals require groups and there are no groups, return the reason instead.
    """
    from roget.scoring.steps.bootstrap import resample

    try:
        samples = resample(scores, inputs.options, pairs=inputs.compared, step=counter.step)
    except InputError as error:
        if error.code != "needs-groups":
            raise
        return None, [Notice(f"no intervals and no tests: {error}", code="needs-groups")]
    counter.before += inputs.options.ci or 0
    return samples, []


Scored = TypeVar("Scored", ScoreTable, Comparison)


def add_notices(result: Scored, notices: Sequence[str]) -> Scored:
    """Return a result with additional warnings, which come first."""
    head: Any = result.headline
    if isinstance(head, Headline):
        head = replace(head, warnings=(*notices, *head.warnings))
        result = replace(result, headline=head)
    return replace(result, warnings=(*notices, *result.warnings))


def choose_requests(
    options: PipelineOptions, *, cover: bool, mentions: bool = False
) -> list[Request]:
    """Combine measures and estimators, and add supervised recall for each folder of splits."""
    usual = options.measures
    if usual is None and (cover or mentions):
        usual = COVER_MEASURES if cover else MENTION_MEASURES
    requests = list_requests(usual, options.entropy)
    if options.splits:
        from roget.scoring.steps.splits import OnSplits

        requests += [(OnSplits(Path(folder).name), None) for folder in options.splits]
    return requests


def _find_main(options: PipelineOptions, requests: Sequence[Request]) -> Score | None:
    """Return the requested main score, or raise UnknownName if it will not be computed."""
    known = [(str(measure), estimator) for measure, estimator in requests]
    return find_scores(options.main, known)[0] if options.main else None


def _check_inputs(inputs: Inputs) -> None:
    """Raise InputError if options conflict, before any input is read."""
    options, code = inputs.options, "conflicting-options"
    cover = options.several == "cover"
    requests = choose_requests(options, cover=cover)
    if options.measures is not None or cover:
        _find_main(options, requests)
    if options.items is not None:
        from roget.scoring.labels.write import check_suffix

        check_suffix(options.items)
    has_labels = inputs.gold is not None or any(one is not None for one in inputs.systems.values())
    counted = options.cells is not None or options.matrix is not None
    if counted and has_labels:
        raise InputError(
            "--cells and --matrix cannot be combined with gold and system; omit one or the other",
            code=code,
        )
    if options.cells is not None and options.matrix is not None:
        raise InputError("pass either --cells or --matrix, not both", code=code)
    if counted and options.items is not None:
        raise InputError("per-item scores require item labels; got a table of cells", code=code)
    if options.engine != "local" and options.splits:
        raise InputError(f"--set splits requires --engine local, not {options.engine}", code=code)
    if inputs.compared and options.extra == "sample":
        raise InputError(
            "--extra sample is not supported by compare; score each system separately", code=code
        )


def _make_table(
    inputs: Inputs, scores: SystemScores, samples: Samples | None, counter: Counter, *, keep: bool
) -> ScoreTable:
    """Return the table of a single system, with all requested scores and details."""
    options, requests, rules = inputs.options, scores.requests, scores.rules
    [system], measures = scores.systems, [measure for measure, _ in scores.requests]
    sides = system.sides
    rows = _list_rows(scores)
    if samples is not None:
        rows = _add_intervals(rows, samples)
    interval = describe_interval(options.ci, options.interval) if options.ci else "none"
    parts = sign_scores(sides, requests, rules, options, ci=interval, seed=options.seed)
    if options.chance:
        from roget.scoring.steps.chance import add_chance

        rows = add_chance(rows, system, requests, options, counter.step)
        parts["chance"] = str(options.chance)
    gaps = bool(np.isnan(system.values).any())
    cells = sum(int(part.outline.counts.size) for part in system.parts)
    judged = list(zip(rows, measures, strict=True))
    if sides.gold.mentions:
        # Compare only CoNLL with baselines: one big cluster per document has perfect recall, and
        # all baselines have the gold mentions.
        judged = [one for one in judged if one[0].measure == MENTION_MEASURES[0]]
    identical = warn_identical_inputs(
        inputs.gold, next(iter(inputs.systems.values())), options.columns
    )
    about_sides = (
        *warn_about_sides(sides, options.noise, *identical),
        *(warn_undefined(system.values, measures, system.reasons) if gaps else ()),
    )
    table = ScoreTable(
        signature=write_signature(parts),
        items=system.items,
        groups=system.groups,
        classes=system.classes,
        clusters=system.clusters,
        warnings=(
            *about_sides,
            *warn_about_scores(
                [row for row, _ in judged],
                [measure for _, measure in judged],
                float(system.sizes[0].sum()) / cells,
            ),
            *([] if samples is None else samples.list_warnings(requests)),
            *(warn_unused_number(rows, options) if options.ci else ()),
        ),
        rows=tuple(rows),
        title=options.title,
        own_components=(
            None
            if keep
            else compute_components(system.parts, list_estimators(requests), system.weights)
        ),
        scored=system if keep else None,
        chance=options.chance,
        headline=make_headline(rows, scores, about_sides, options),
        quick=plan_intervals(rows, scores, options),
        missing_items=sides.missing_items,
        extra_items=sides.extra_items,
    )
    if options.cuts is None and options.items is None and not (options.details or options.by):
        return table
    return _add_details(table, system, requests, rules, options)


def _add_details(
    table: ScoreTable,
    system: ScoredSystem,
    requests: Sequence[Request],
    rules: Rules,
    options: PipelineOptions,
) -> ScoreTable:
    """Add the requested cuts, details and group scores to a table, and write item scores."""
    if options.cuts is not None:
        from roget.scoring.steps.sweep import sweep_sides

        table = replace(table, sweep=sweep_sides(system.sides, rules, options))
    if options.items is not None:
        from roget.scoring.steps.items import score_each

        score_each(system.sides).write(options.items)
    if options.details or options.by:
        from roget.scoring.steps.diagnostics import diagnose, list_groups

        if options.details:
            table = replace(table, details=diagnose(system, requests[0]))
        if options.by:
            table = replace(table, by_group=tuple(list_groups(system, requests, table.main)))
    return table


def _list_rows(scores: SystemScores) -> list[ScoreRow]:
    """Return one row per score, including the baseline scores."""
    [system] = scores.systems
    means = average_groups(system.values, scores.weights, scores.own)
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
    """Return the reason why a mean is undefined, including the number of undefined groups."""
    undefined = int(np.isnan(values).sum())
    return reason if values.size == 1 else f"{reason} (in {undefined} of {values.size} groups)"


def _add_intervals(rows: list[ScoreRow], samples: Samples) -> list[ScoreRow]:
    """Add confidence bounds to all rows with a defined value."""
    return [
        row if row.value is None else replace(row, low=none_if_nan(low), high=none_if_nan(high))
        for row, low, high in zip(rows, samples.low[0], samples.high[0], strict=False)
    ]


def _make_comparison(
    scores: SystemScores, samples: Samples | None, options: PipelineOptions
) -> Comparison:
    """Return the comparison of all systems, with all requested scores and details."""
    from roget.scoring.steps.ranking import rank_systems, sort_notices, warn_about_main

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
    main = _find_main(options, requests)
    comparison = replace(
        comparison,
        chosen=main,
        title=options.title,
        show_intervals=options.intervals,
        show_details=options.details,
        components=tuple(compute_components(one.parts, estimators, one.weights) for one in systems),
    )
    notices = sort_notices(*comparison.warnings, *warn_about_main(comparison))
    comparison = replace(comparison, warnings=notices)
    comparison = replace(
        comparison,
        headline=make_comparison_headline(comparison, options, scores),
        quick=plan_comparison_intervals(comparison.main, scores, options),
    )
    if not options.by:
        return comparison
    from roget.scoring.steps.diagnostics import list_groups

    groups = (row for one in systems for row in list_groups(one, requests, comparison.main))
    return replace(comparison, by_group=tuple(groups))


_ONE_LABEL = {"system": "hard", "weights": "none"}
"""Signature fields that describe labels as hard.

Systems with hard labels may be ranked together with systems that have weighted labels.
"""


def _sign_comparison(scores: SystemScores, options: PipelineOptions) -> dict[str, str]:
    """Return the common signature of all systems, or raise InputError if signatures differ."""
    interval = describe_interval(options.ci, options.interval, options.paired)
    signatures = [
        sign_scores(
            system.sides,
            scores.requests,
            scores.rules,
            options,
            ci=interval,
            seed=options.seed,
            items=str(system.items),
        )
        for system in (*scores.systems, *scores.references)
    ]
    # Hard labels are a special case of weighted labels, so use the same signature fields for all
    # systems, such as system:hard+weighted.
    for key, hard in _ONE_LABEL.items():
        several = next((parts[key] for parts in signatures if parts[key] != hard), hard)
        mixed = key == "system" and any(parts[key] == hard for parts in signatures)
        joined = f"{hard}+{several}" if mixed and several != hard else several
        signatures = [
            {**parts, key: joined} if parts[key] in (hard, several) else parts
            for parts in signatures
        ]
    own = {key for system in scores.systems for key in system.sides.signature_parts}
    names = (system.name for system in (*scores.systems, *scores.references))
    signed = dict(zip(names, signatures, strict=True))
    require_same_signature("scores cannot be ranked together", signed, own)
    parts = {key: value for key, value in signatures[0].items() if key not in own}
    parts |= {"splits": "pooled"} if options.splits else {}
    return parts | _sign_cut(scores.systems, options.cut)


def _sign_cut(systems: Sequence[ScoredSystem], cut: Any) -> dict[str, str]:
    """Return the signature field that describes how trees are cut, if any system is a tree."""
    if any(system.sides.leaves is not None for system in systems):
        from roget.scoring.steps.cuts import choose_cut, name_cut

        return {"cut": name_cut(choose_cut(systems[0].sides, cut))}
    if cut is not None:
        raise InputError(f"cut={cut} requires a system that is a tree; omit cut", code="needs-tree")
    return {}


def _compare_golds(
    inputs: Inputs, golds: Mapping[str, Labels], progress: Report | None
) -> Comparison:
    """Compare systems on several gold standards, and compare annotators with each other."""
    from roget.scoring.steps import annotators

    counter = Counter(progress, 2 * len(golds))
    counter.total = counter.samples
    on_each: dict[str, Comparison] = {}
    for name, part in annotators.split_golds(inputs, golds).items():
        on_each[name] = compare_inputs(part)
        counter.step(len(on_each))
    ceiling: Ceiling = {}
    for done, name in enumerate(golds, start=len(golds) + 1):
        ceiling |= _score_annotators(annotators.pair_annotators(inputs, golds, name))
        counter.step(done)
    joined = annotators.join_golds(inputs.options, on_each, ceiling)
    return replace(joined, headline=make_comparison_headline(joined, inputs.options))


def _score_annotators(pairs: Mapping[tuple[str, str], Inputs]) -> Ceiling:
    """Score each annotator on the others' gold standards, using items that both labelled."""
    ceiling: Ceiling = {}
    for key, part in pairs.items():
        try:
            compared = compare_inputs(part)
        except InputError as error:
            # Skip pairs of annotators who have no labelled items in common.
            if error.code != "no-common-items":
                raise
            continue
        ceiling[key] = {(row.measure, row.entropy): row.value for row in compared.rows}
    return ceiling


def _score_golds(inputs: Inputs, *, keep: bool, progress: Report | None) -> ScoreTable:
    """Score one system on several gold standards."""
    from roget.scoring.steps import annotators

    annotators.check_options(inputs, keep=keep)
    golds = annotators.read_golds(inputs)
    compared = _compare_golds(annotators.without_baselines(inputs), golds, progress)
    tables = [score_inputs(part) for part in annotators.split_golds(inputs, golds).values()]
    joined = annotators.join_tables(compared, tables, inputs.options.title)
    return shorten_table(joined, inputs.options)
