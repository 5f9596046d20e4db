"""Figures 3 and 4: effect of the entropy estimator on scores and ranks, by number of clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from roget.papers.entropy.rules import FIGURES_3_4 as RULES
from roget.papers.entropy.semeval import ESTIMATORS, TABLE_1, find_task, score_task
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, MissingData, Reproduced
from roget.papers.rules import decide
from roget.report import ReportTable
from roget.report.figures import BLUE, GREY, ORANGE
from roget.report.format import canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SINGLETONS = "1ClI"
"""The baseline with one cluster per instance, which the paper's figures omit."""


class FigurePoint(NamedTuple):
    """A system in the task: its clusters per word, and its V and rank under each estimator."""

    name: str
    clusters: float
    v: Mapping[str, float]
    ranks: Mapping[str, int]


def read_printed() -> list[FigurePoint]:
    """Return all rows of Table 1 as printed."""
    return [
        FigurePoint(
            name,
            row.clusters,
            {one: value / 100 for one, value in zip(ESTIMATORS, row.v, strict=True)},
            dict(zip(ESTIMATORS, row.ranks, strict=True)),
        )
        for name, row in TABLE_1.items()
    ]


def score_points(options: ReproduceOptions) -> list[FigurePoint]:
    """Score and rank the systems whose output is available."""
    rows = score_task(find_task(options))
    ranks: dict[str, dict[str, int]] = {name: {} for name in rows}
    for estimator in ESTIMATORS:
        for name, row in rows.items():
            above = sum(other.v[estimator] > row.v[estimator] for other in rows.values())
            ranks[name][estimator] = above + 1
    return [FigurePoint(name, row.clusters, row.v, ranks[name]) for name, row in rows.items()]


def figures_3_4(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figures 3 and 4 of Li, Titov & Sporleder (2014): estimators, clusters and ranks."""
    printed = read_printed()
    try:
        ours = score_points(options)
    except MissingData:
        ours = []
    claims = [
        claim
        for source, points, prefix in (
            ("as printed", printed, "printed-"),
            ("our scores", ours, ""),
        )
        if points
        for claim in _read_figures(points, source, prefix)
    ]
    at_hand = f" and for the {len(ours)} with available output" if ours else ""
    return Reproduced(
        "Estimators, numbers of clusters and ranks (Li, Titov & Sporleder 2014, Figures 3 and 4)",
        about=(
            f"SemEval-2010 task 14. For the {len(printed)} systems of Table 1 as printed{at_hand}: "
            "the decrease of V from plug-in to the jackknife and to BUB by clusters per word, and "
            "the changes of ranks. τ is Kendall's τ without the baseline of one cluster per "
            "instance."
            + ("" if ours else " The output of the systems is not available; pass --data FOLDER.")
        ),
        claims=claims,
        tables=[_table(ours or printed)],
        data={
            source: [{**point._asdict(), "v": dict(point.v)} for point in points]
            for source, points in (("printed", printed), ("ours", ours))
        },
        picture=partial(draw, printed, ours),
    )


def _read_figures(points: Sequence[FigurePoint], source: str, prefix: str) -> list[Claim]:
    """Test the paper's statements about both figures."""
    claims = []
    systems = [point for point in points if point.name != SINGLETONS]
    for other in ("jk", "bub"):
        tau, p = correlate(systems, other)
        claims.append(
            Claim(
                RULES[f"{prefix}tau"],
                f"{source}: V (ml) − V ({other})",
                "grows with clusters",
                f"τ = {tau:.2f}, p = {p:.1g}",
                decided=decide(tau > 0 and p < 0.05),
            )
        )
    for other in ("jk", "bub"):
        kept = sum(point.ranks["ml"] == point.ranks[other] for point in points)
        ours, what = f"{kept} of {len(points)}", f"{source}: unchanged ranks, ml to {other}"
        verdict = decide(2 * kept < len(points))
        claims.append(Claim(RULES[f"{prefix}kept"], what, "a minority", ours, decided=verdict))
    alone = next(point for point in points if point.name == SINGLETONS)
    places = f"{alone.ranks['ml']}, then {alone.ranks['bub']} of {len(points)}"
    first_then_last = (alone.ranks["ml"], alone.ranks["bub"]) == (1, len(points))
    return [
        *claims,
        Claim(
            RULES[f"{prefix}singletons"],
            f"{source}: one per instance",
            "first by ml, last by bub",
            places,
            decided=decide(first_then_last),
        ),
    ]


def correlate(points: Sequence[FigurePoint], other: str) -> tuple[float, float]:
    """Return Kendall's τ between numbers of clusters and decreases in V, with its p-value.

    The decrease is V under ml minus V under the estimator `other`.
    """
    from scipy.stats import kendalltau

    lost = [point.v["ml"] - point.v[other] for point in points]
    found = kendalltau([point.clusters for point in points], lost)
    return float(found.statistic), float(found.pvalue)


def _table(points: Sequence[FigurePoint]) -> ReportTable:
    titles = ("", "clusters", "ml − jk", "ml − bub", "rank ml", "jk", "bub")
    rows = [
        (
            point.name,
            f"{point.clusters:.1f}",
            *(f"{point.v['ml'] - point.v[other]:.3f}" for other in ("jk", "bub")),
            *(str(point.ranks[one]) for one in ("ml", "jk", "bub")),
        )
        for point in sorted(points, key=lambda point: -point.clusters)
    ]
    return ReportTable.of(titles, rows, numbers=titles[1:])


def draw(printed: Sequence[FigurePoint], ours: Sequence[FigurePoint]) -> Figure:
    """Draw V's decrease by number of clusters (top), and ranks against plug-in ranks (bottom)."""
    figure = canvas(7.5, 6.5)
    panels = figure.subplots(2, 2)
    known = {point.name: point for point in ours}
    for column, other in enumerate(("jk", "bub")):
        above, below = panels[0, column], panels[1, column]
        for points, label, style in (
            (printed, "as printed", {"marker": "o", "edgecolors": GREY, "facecolors": "none"}),
            (ours, "our scores", {"marker": "x", "color": BLUE}),
        ):
            drawn = [point for point in points if point.name != SINGLETONS]
            lost = [point.v["ml"] - point.v[other] for point in drawn]
            clusters = [point.clusters for point in drawn]
            above.scatter(clusters, lost, s=28, linewidths=1.2, label=label, **style)
        above.set(xlabel="clusters per word", ylabel=f"V (ml) − V ({other})")
        below.plot([1, len(printed)], [1, len(printed)], color=GREY, linewidth=0.8)
        for here in (False, True):
            shown = [point for point in printed if (point.name in known) == here]
            ranks = [[point.ranks[one] for point in shown] for one in ("ml", other)]
            below.scatter(
                *ranks, s=22, marker="s" if here else "o", color=ORANGE if here else GREY,
                label="output available" if here else "not available",
            )  # fmt: skip
        below.set(xlabel="printed rank by V (ml)", ylabel=f"printed rank by V ({other})")
    if ours:
        panels[0, 0].legend()
        panels[1, 0].legend()
    return figure
