"""Compare several systems: rows with ranks, significance tests and warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from roget.core.io.problems import join_names
from roget.errors import Notice, code_of
from roget.scoring.notices import merge_notices, warn_about_sides, warn_undefined
from roget.scoring.ranks.rank_sets import find_differences, rank_bounds, split_tiers
from roget.scoring.results import (
    Comparison,
    Pair,
    Score,
    SystemRow,
    explain_untestable,
    none_if_nan,
    score_key,
)
from roget.scoring.steps.bootstrap import Samples
from roget.scoring.steps.significance import (
    compare_pairs,
    count_firsts,
    mark_systems,
    warn_few_units,
)
from roget.scoring.systems import ScoredSystem, SystemScores
from roget.scoring.tables.statistics import Outline


def rank_systems(
    scores: SystemScores,
    signature: str,
    samples: Samples | None,
    *,
    paired: str,
    seed: int,
    noise: str | None = None,
) -> Comparison:
    """Return the comparison of all systems. Significance tests require bootstrap samples."""
    pairs = [] if samples is None else compare_pairs(scores, samples, paired, seed)
    marks = mark_systems(scores, pairs)
    intervals = bound_ranks(scores, pairs)
    firsts = None if samples is None else count_firsts(scores, samples.drawn)
    rows = []
    for row, (s, r) in _list_rows(scores, samples):
        if row.trivial:
            rows.append(row)
            continue
        rank = int(scores.ranks[s, r]) or None
        first = None if firsts is None else float(firsts[s, r])
        low, high, tier = intervals.get((s, r), (None, None, None))
        rows.append(
            replace(
                row,
                rank=rank,
                rank_low=low,
                rank_high=high,
                tier=tier,
                letters=marks.get((s, r)),
                first=first,
            )
        )
    first_system, every = scores.systems[0], (*scores.systems, *scores.references)
    return Comparison(
        signature=signature,
        items=first_system.items,
        groups=first_system.groups,
        classes=first_system.classes,
        warnings=sort_notices(
            *merge_notices({one.name: _warn_system(one, scores, noise) for one in every}),
            *_warn_identical_systems(scores.systems),
            *_warn_mixed_labels(scores.systems),
            *([] if samples is None else warn_samples(scores, samples, pairs)),
        ),
        rows=tuple(rows),
        pairs=tuple(pairs),
        scored=tuple(scores.systems),
    )


def warn_about_main(comparison: Comparison) -> list[Notice]:
    """Return notices about undefined scores, and about a baseline that no system beats."""
    return [*_warn_undefined(comparison), *_warn_baseline(comparison)]


def _warn_undefined(comparison: Comparison) -> Iterator[Notice]:
    """Yield a notice for each reason why scores of some or all systems are undefined."""
    systems: dict[Score, list[str]] = {}
    reasons: dict[Score, str] = {}
    for row in comparison.rows:
        if row.value is None and not row.trivial:
            systems.setdefault((row.measure, row.entropy), []).append(row.system)
            reasons.setdefault((row.measure, row.entropy), row.reason or "no value")
    named: dict[tuple[str, str], list[str]] = {}
    for score, names in systems.items():
        same = [one for one in comparison.scores if one[0] == score[0]]
        # Name only the measure if it is undefined under all its estimators.
        called = score[0] if all(systems.get(one) == names for one in same) else score_key(*score)
        every = len(names) == len(comparison.systems)
        key = reasons[score], "all systems" if every else join_names(names)
        named.setdefault(key, []).append(called)
    weighted = bool(comparison.scored) and comparison.scored[0].sides.gold.weighted
    hint = ". The gold labels have weights, which --set answers=top does not change"
    for (reason, who), scores in named.items():
        distinct = list(dict.fromkeys(scores))
        verb = "is" if len(distinct) == 1 else "are"
        text = f"{join_names(distinct)} {verb} undefined for {who}: {reason}"
        yield Notice(text + hint if weighted else text, code="undefined")


def _warn_baseline(comparison: Comparison) -> list[Notice]:
    """Return a notice if no system beats the best baseline on the main score."""
    main = [row for row in comparison.rows if (row.measure, row.entropy) == comparison.main]
    ours, baselines = (
        [row for row in main if row.trivial == side and row.value is not None and not row.annotator]
        for side in (False, True)
    )
    if not ours or not baselines:
        return []
    sign = -1.0 if ours[0].direction == "lower" else 1.0
    best, baseline = (max(rows, key=lambda r: sign * (r.value or 0)) for rows in (ours, baselines))
    assert best.value is not None
    assert baseline.value is not None
    if sign * best.value > sign * baseline.value + TIE:
        return []
    text = (
        f"on the main score, {score_key(*comparison.main)}, no system beats the baseline "
        f"'{baseline.system}' ({baseline.value:.3f}); the best system is {best.system} "
        f"({best.value:.3f})"
    )
    return [Notice(text, code="below-baseline")]


TIE = 1e-12
"""Tolerance within which two scores are considered equal."""

_SERIOUS = ("no-labels", "undefined", "below-baseline", "identical-systems", "mixed-labels")
"""Codes of notices that are listed first, because they make systems or ranks doubtful."""


def sort_notices(*notices: str) -> tuple[str, ...]:
    """Return notices with the most serious kinds first.

    >>> notices = Notice("few", code="few-groups"), Notice("none", code="no-labels")
    >>> sort_notices(*notices)
    ('none', 'few')
    """
    return tuple(sorted(notices, key=lambda one: code_of(one) not in _SERIOUS))


def bound_ranks(
    scores: SystemScores, pairs: Sequence[Pair]
) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Return the rank bounds and the tier, keyed by system index and score index.

    Like the significance letters, they are derived from the corrected p-values of all pairs.
    Systems with an undefined score have no rank. There are no bounds if no test could find a
    difference.
    """
    found: dict[tuple[int, int], tuple[int, int, int]] = {}
    size = len(scores.systems)
    tests = size * (size - 1) // 2
    for r in range(len(scores.requests) if pairs else 0):
        p = np.ones((size, size))
        own = pairs[r * tests : (r + 1) * tests]
        if explain_untestable(own):
            continue
        p[np.triu_indices(size, 1)] = [1.0 if x.p_holm is None else x.p_holm for x in own]
        p = np.minimum(p, p.T)
        ranked = np.flatnonzero(scores.ranks[:size, r])
        # Tied systems have equal ranks, and rank 1 is best.
        places = -scores.ranks[ranked, r].astype(np.float64)
        better = find_differences(places, p[np.ix_(ranked, ranked)])
        numbers = np.stack([*rank_bounds(better), split_tiers(places, better)], axis=1).tolist()
        found |= {(int(s), r): tuple(row) for s, row in zip(ranked, numbers, strict=True)}
    return found


def warn_samples(scores: SystemScores, samples: Samples, pairs: Sequence[Pair]) -> list[str]:
    """Return the warnings about intervals and tests."""
    return [*warn_few_units(pairs), *samples.list_warnings(scores.requests)]


def _list_rows(
    scores: SystemScores, samples: Samples | None
) -> Iterator[tuple[SystemRow, tuple[int, int]]]:
    """Yield the scores of systems and baselines as unranked rows, with system and score indices."""
    every = {one.name: one for one in (*scores.systems, *scores.references)}
    for s, name in enumerate(scores.names):
        trivial, system = s >= len(scores.systems), every.get(name)
        for r, (measure, entropy) in enumerate(scores.requests):
            value = none_if_nan(scores.means[s, r])
            reason = None if system is None else system.reasons.get(r)
            row = SystemRow(
                str(measure),
                entropy,
                value,
                reason if value is None else None,
                None if samples is None else none_if_nan(samples.low[s, r]),
                None if samples is None else none_if_nan(samples.high[s, r]),
                measure.direction,
                system=name,
                trivial=trivial,
                clusters=None if system is None else system.clusters,
            )
            yield row, (s, r)


def _warn_system(system: ScoredSystem, scores: SystemScores, noise: str | None) -> tuple[str, ...]:
    """Return the warnings about the labels and undefined scores of one system."""
    measures = [measure for measure, _ in scores.requests]
    undefined = warn_undefined(system.values, measures, system.reasons)
    return warn_about_sides(system.sides, noise, *undefined)


def _warn_mixed_labels(systems: Sequence[ScoredSystem]) -> list[str]:
    """Warn if some systems have one label per item and other systems have several."""
    hard = [system.name for system in systems if system.sides.system.kind == "hard"]
    kinds = {system.sides.system.kind for system in systems} - {"hard"}
    if not hard or not kinds:
        return []
    meaning = {
        "weighted": "the other systems divide items among labels by weight, so scores differ "
        "even if the best labels are equal; to compare the best labels, pass --set "
        "answers=top",
        "cover": "the other systems assign items to several clusters, so scores differ even if "
        "the first clusters are equal",
    }[kinds.pop()]
    verb = "has" if len(hard) == 1 else "have"
    text = f"{join_names(hard)} {verb} one label per item: {meaning}"
    return [Notice(text, code="mixed-labels")]


def _warn_identical_systems(systems: Sequence[ScoredSystem]) -> list[str]:
    """Warn about systems whose clusters differ only in their names."""
    same: dict[bytes, list[str]] = {}
    for system in systems:
        key = b"".join(_fingerprint(part.outline) for part in system.parts)
        same.setdefault(key, []).append(system.name)
    return [
        Notice(
            f"{join_names(names)} have identical contingency tables; check whether they are the "
            "same submission",
            code="identical-systems",
        )
        for names in same.values()
        if len(names) > 1
    ]


def _fingerprint(table: Outline) -> bytes:
    """Return a hash of a table that does not depend on the order of the columns."""
    cells = np.stack(
        [table.rows.astype(np.uint64), table.counts.astype(np.float64).view(np.uint64)]
    )
    # Hash the row and the count of each cell, sum the hashes of each column, and sort the sums.
    mixed = np.bitwise_xor.reduce((cells + _ODD) * _ODD, axis=0) * _ODD[1]
    mixed ^= mixed >> np.uint64(29)
    order = np.argsort(table.columns, kind="stable")
    starts = np.flatnonzero(np.diff(table.columns[order], prepend=-1))
    return np.sort(np.add.reduceat((mixed * _ODD[0])[order], starts)).tobytes()


_ODD = np.array([[0x9E3779B97F4A7C15], [0xD6E8FEB86659FD93]], dtype=np.uint64)
"""Odd multipliers for a multiplicative hash."""
