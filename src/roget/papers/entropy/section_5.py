"""Section 5: size of the corrections to each entropy."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from roget.papers.entropy.semeval import ESTIMATORS, TABLE_1, ScoredAnswer, find_task, score_task
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced
from roget.report import ReportTable

N_SYSTEMS = 5
"""Number of systems to compare. The ones with the most clusters are used, excluding baselines."""

BASELINES = ("1ClI", "MFS", "Random")
SIDES = ("H(c)", "H(k)", "H(k,c)")

PRINTED = {
    ("jk", "H(k)"): 0.08,
    ("jk", "H(k,c)"): 0.16,
    ("bub", "H(k)"): 0.15,
    ("bub", "H(k,c)"): 0.06,
}
SMALL = 0.02
"""Maximum correction of H(c) according to the paper."""


def section_5(options: ReproduceOptions) -> Reproduced:
    """Reproduce Section 5 of Li, Titov & Sporleder (2014): the corrections of each entropy."""
    rows = score_task(find_task(options))
    wanted, chosen = rank_clusters(TABLE_1), rank_clusters(rows)
    shared = [name for name in wanted if name in rows]
    corrected = {
        name: {key: correct(rows[name], *key) for key in product(ESTIMATORS[1:], SIDES)}
        for name in chosen
    }
    means = {
        key: sum(corrected[name][key] for name in chosen) / len(chosen)
        for key in product(("jk", "bub"), SIDES)
    }
    other = f"other systems: {len(shared)} of the paper's {N_SYSTEMS} are available"
    claims = [
        Claim(
            f"{side}: {estimator} − ml",
            value,
            means[estimator, side],
            2,
            remark=other,
            excused=True,
        )
        for (estimator, side), value in PRINTED.items()
    ]
    claims += [
        Claim(
            f"H(c): {estimator} − ml",
            f"< {SMALL}",
            f"{means[estimator, 'H(c)']:.4f}",
            holds=means[estimator, "H(c)"] < SMALL,
        )
        for estimator in ("jk", "bub")
    ]
    claims += [_compare(rows, estimator) for estimator in ("jk", "bub")]
    shown = list(product(ESTIMATORS[1:], SIDES[1:]))
    titles = ("difference to ml in nats", "clusters", *map(": ".join, shown))
    lines = [
        (name, f"{rows[name].clusters:.1f}", *(f"{found[key]:+.3f}" for key in shown))
        for name, found in corrected.items()
    ]
    return Reproduced(
        "Which entropies are corrected most (Li, Titov & Sporleder 2014, Section 5)",
        about=(
            f"SemEval-2010 task 14, the {N_SYSTEMS} systems with the most clusters per word: in "
            "the "
            f"paper {', '.join(wanted)}; of the available systems {', '.join(chosen)}. Differences "
            "of entropies between two estimators in nats, averaged over words like V."
        ),
        claims=claims,
        tables=[ReportTable.of(titles, lines, numbers=titles[1:])],
        notes=[
            "The paper expects the largest corrections for joint entropies, yet prints .15 for "
            "H(k) and .06 for H(k,c) under BUB; the two may be exchanged. Here BUB corrects H(k,c) "
            "more than H(k) in every system, like the jackknife."
        ],
        data={
            name: {" ".join(key): value for key, value in found.items()}
            for name, found in corrected.items()
        },
    )


def rank_clusters(rows: Mapping[str, ScoredAnswer] | Mapping[str, object]) -> list[str]:
    """Return the systems with the most clusters according to Table 1, excluding baselines."""
    systems = [name for name in rows if name not in BASELINES]
    return sorted(systems, key=lambda name: -TABLE_1[name].clusters)[:N_SYSTEMS]


def correct(row: ScoredAnswer, estimator: str, side: str) -> float:
    """Return the correction of H(c), H(k) or H(k,c): the estimate minus the plug-in entropy."""
    at = SIDES.index(side)
    return row.entropies[estimator][at] - row.entropies["ml"][at]


def _compare(rows: Mapping[str, ScoredAnswer], estimator: str) -> Claim:
    """Check that the joint entropy is corrected more than the entropy of the clusters."""
    systems = [name for name in rows if name not in BASELINES]
    more = sum(
        correct(rows[name], estimator, "H(k,c)") > correct(rows[name], estimator, "H(k)")
        for name in systems
    )
    ours = f"{more} of {len(systems)} systems"
    what = f"H(k,c) corrected more than H(k), {estimator}"
    if estimator == "jk":
        return Claim(what, "yes", ours, holds=more == len(systems))
    return Claim(what, "no", ours, holds=more == 0, excused=True, remark="see below")
