"""Figure 3: number of clusters found in simulated data, and distance to the true model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from roget.core.intervals import interval
from roget.core.types import Array, Floats
from roget.learn.clustering.mdl.estimator import MDLTree
from roget.learn.clustering.notices import ignore_trivial
from roget.papers.mdl.rules import FIGURE_3 as RULES
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced
from roget.papers.rules import Verdict, decide_all, decide_mean
from roget.report import Column, ReportTable
from roget.report.figures import GREY, SERIES
from roget.report.format import canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOUNS, VERBS, CLUSTERS = 40, 30, 4
"""Numbers of nouns, verbs and clusters in the true model.

The paper states only the number of clusters.
"""

SIZES = (100, 300, 1000, 3000, 10_000, 30_000)
TRIALS = 10

WAYS: dict[str, dict[str, Any]] = {
    "MDL": {"estimator": "mdl", "search": "auto"},
    "MLE": {"estimator": "mle", "search": "auto"},
    "MDL, as printed": {"estimator": "mdl", "search": "paper"},
    "MLE, as printed": {"estimator": "mle", "search": "paper"},
}
"""Estimator and search strategy of each method. All methods use the criterion of the paper."""

LINES = dict(zip(WAYS, ("-", "--", ":", "-."), strict=True))
DISTANCES = (0.003, 0.01, 0.03, 0.1, 0.3, 1, 3)
"""Ticks on the distance axis, in bits."""


PRINTED_SEARCH = (
    "the search stops only if one side becomes empty, for which it would have to leave a local "
    "optimum noun by noun"
)


class Truth(NamedTuple):
    """A true model that generates pairs: the cluster of each noun, and P(noun, verb)."""

    labels: Array
    joint: Floats


class SimulationRow(NamedTuple):
    """Means over the trials of one method at one data size. The distance is in bits.

    Fields that end in `_half` contain half the width of the mean's 95 % interval, or 0 for a single
    trial.
    """

    way: str
    size: int
    leaves: float
    distance: float
    leaves_half: float = 0.0
    distance_half: float = 0.0
    trials: tuple[tuple[int, float], ...] = ()
    """Number of clusters and distance in each trial."""


def truth(rng: np.random.Generator) -> Truth:
    """Return a random true model, in which clusters have equal size and equiprobable nouns."""
    labels = np.arange(NOUNS) * CLUSTERS // NOUNS
    clusters = rng.dirichlet(np.ones(CLUSTERS) * 5)
    verbs = rng.dirichlet(np.ones(VERBS) * 0.5, size=CLUSTERS)
    shares = clusters[labels] / np.bincount(labels)[labels]
    return Truth(labels, shares[:, None] * verbs[labels])


def estimate_pairs(counts: Array, labels: Array) -> Floats:
    """Return P(n, v) = f(C, v) / (|S|·|C|), equation 6 of the paper."""
    held = np.equal.outer(np.unique(labels), labels).astype(np.float64)
    sizes = held.sum(axis=1)
    return np.asarray(held.T @ (held @ counts / sizes[:, None]) / counts.sum())


def distance(estimate: Floats, true: Floats) -> float:
    """Return D(estimate ‖ true) in bits.

    The reverse divergence is infinite if any pair is unseen.
    """
    seen = estimate > 0
    return float(np.sum(estimate[seen] * np.log2(estimate[seen] / true[seen])))


def simulation(sizes: Sequence[int] = SIZES, trials: int = TRIALS) -> list[SimulationRow]:
    """Run all methods on the same samples from the same true models."""
    results: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        model = truth(rng)
        for size in sizes:
            counts = rng.multinomial(size, model.joint.ravel()).reshape(model.joint.shape)
            seen = np.flatnonzero(counts.sum(axis=1))
            for way, how in WAYS.items():
                tree = MDLTree(criterion="li-abe", random_state=trial, **how)
                # Suppress warnings, because MLE may put every noun into a cluster of its own.
                with ignore_trivial():
                    tree.fit(counts[seen])
                # An unseen noun has probability 0 under every clustering.
                guess = np.zeros(model.joint.shape)
                guess[seen] = estimate_pairs(counts[seen], tree.labels_)
                found = tree.n_clusters_, distance(guess, model.joint)
                results.setdefault((way, size), []).append(found)
    rows = []
    for (way, size), trial_by_trial in results.items():
        means = [interval(one) for one in zip(*trial_by_trial, strict=True)]
        halves = [0.0 if one.high is None else one.high - (one.mean or 0.0) for one in means]
        values = [one.mean or 0.0 for one in means]
        row = SimulationRow(way, size, values[0], values[1], halves[0], halves[1])
        rows.append(row._replace(trials=tuple(trial_by_trial)))
    return rows


def figure_3(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 3 of Li & Abe (1996): clusters found, and distance to the true model."""
    rows = simulation()
    about = (
        f"Simulation: {NOUNS} nouns in {CLUSTERS} true clusters, {VERBS} verbs, means of {TRIALS} "
        "trials with 95 % intervals, by the description length of the paper (MDL) and by its data "
        "part only (MLE). MDL and MLE find the best split and make it if it shortens the "
        'description; "as printed" is the annealing of the paper, which splits unless one side '
        "becomes empty. The distance is D(estimate ‖ truth) in bits; the reverse is infinite."
    )
    return Reproduced(
        "Number of clusters and KL distance by data size (Li & Abe 1996, Figure 3)",
        about=about,
        claims=judge(rows),
        tables=[
            _table("(a) clusters", rows, "leaves", ".1f"),
            _table("(b) KL distance, bits", rows, "distance", ".4f"),
        ],
        data=[row._asdict() for row in rows],
        sheet=ReportTable.of(SimulationRow._fields[:-1], [row[:-1] for row in rows]),
        picture=partial(draw, rows),
    )


def _table(title: str, rows: Sequence[SimulationRow], column: str, form: str) -> ReportTable:
    sizes = sorted({row.size for row in rows})
    lines = []
    for way in dict.fromkeys(row.way for row in rows):
        here = {row.size: row for row in rows if row.way == way}
        cells = [f"{getattr(here[size], column):{form}}" for size in sizes]
        if column == "leaves":
            cells = [f"{c} ± {here[n].leaves_half:.1f}" for c, n in zip(cells, sizes, strict=True)]
        lines.append((way, *cells))
    columns = [Column("|S|"), *(Column(f"{size:,}", right=True) for size in sizes)]
    return ReportTable(columns, lines, title)


def judge(rows: Sequence[SimulationRow]) -> list[Claim]:
    """Test the paper's statements about both panels, for each search."""
    of = {(row.way, row.size): np.array(row.trials, dtype=np.float64) for row in rows}
    sizes = sorted({row.size for row in rows})
    claims = []
    for search, why in ((", as printed", PRINTED_SEARCH), ("", "")):
        mdl, mle = (np.array([of[way + search, n] for n in sizes]) for way in ("MDL", "MLE"))
        name = search.removeprefix(", ") or "best split"
        more = mle[:, :, 0] - mdl[:, :, 0]
        nearer = mle[:, :, 1] - mdl[:, :, 1]
        verdicts = [decide_mean(one.tolist()) for one in nearer]
        claims += [
            Claim(
                RULES["number"], f"{name}: clusters by MDL at {sizes[-1]:,} pairs",
                float(CLUSTERS), float(mdl[-1, :, 0].mean()), 0,
                decided=decide_mean((0.5 - np.abs(mdl[-1, :, 0] - CLUSTERS)).tolist()), reason=why,
            ),
            Claim(
                RULES["overfits"], f"{name}: more clusters by MLE", "at every size",
                f"at least {more.mean(axis=1).min():.1f} more on average",
                decided=decide_mean(more.min(axis=0).tolist()),
                reason="both find few clusters in small samples" if more.min() <= 0 else "",
            ),
            Claim(
                RULES["nearer"], f"{name}: MDL is nearer to the truth", "at every size",
                f"confirmed at {verdicts.count(Verdict.YES)} of {len(sizes)} sizes",
                decided=decide_all(verdicts),
                reason=", ".join(
                    f"{n:,} pairs: {verdict}" for n, verdict in zip(sizes, verdicts, strict=True)
                    if verdict != Verdict.YES
                ),
            ),
        ]  # fmt: skip
    return claims


def draw(rows: Sequence[SimulationRow]) -> Figure:
    """Draw both panels."""
    figure = canvas(9, 4)
    panels = figure.subplots(1, 2)
    titles = {"leaves": "clusters", "distance": "KL distance (bits)"}
    sizes = sorted({row.size for row in rows})
    for axes, (column, title) in zip(panels, titles.items(), strict=True):
        for (way, line), (colour, marker) in zip(LINES.items(), SERIES, strict=True):
            here = [row for row in rows if row.way == way]
            axes.errorbar(
                [row.size for row in here],
                [getattr(row, column) for row in here],
                [getattr(row, f"{column}_half") for row in here],
                color=colour, marker=marker, linestyle=line, label=way, markersize=4, capsize=2,
            )  # fmt: skip
        axes.set(xscale="log", xlabel="data size (pairs)", ylabel=title)
        axes.set_xticks(sizes, labels=[f"{size:,}" for size in sizes])
        axes.minorticks_off()
    panels[0].axhline(CLUSTERS, color=GREY, linewidth=0.8)
    panels[0].legend()
    panels[1].set_yscale("log")
    panels[1].set_yticks(DISTANCES, labels=[f"{value:g}" for value in DISTANCES])
    panels[1].minorticks_off()
    return figure
