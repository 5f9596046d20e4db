"""Figures 1 and 2: bias of entropy estimators by sample size."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from roget import catalogue
from roget.core.information import xlogx
from roget.core.types import Array, Floats
from roget.papers.entropy.rules import FIGURES_1_2 as RULES
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, uses_options
from roget.papers.rules import decide
from roget.report import Column, ReportTable
from roget.report.figures import GREY, INK, SERIES
from roget.report.format import canvas
from roget.scoring.entropy import Histogram, LinearEstimator, get

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELLS = 10
SIZES = range(1, 101)
DRAWS = 1000
"""Number of cells, sample sizes and number of samples, as in the paper."""

SHAPES = {0: "uniform", 1: "s = 1", 2: "s = 2", 3: "s = 3", 4: "s = 4"}
"""Names of the distributions, keyed by the exponent of Zipf's law. Exponent 0 is Figure 1."""

DRAWN = ("ml", "mm", "jk", "bub")
"""The estimators plotted in the paper."""

SAMPLED = (10, 20, 50)
"""Sample sizes at which all estimators are simulated."""

SHOWN = (10, 50)
"""Sample sizes shown in tables."""

KNOWN_SUPPORT = ("bub", "bub(small=2)", "shrink", "nsb")
"""Estimators that are given the true number of cells."""

BUB_NON_EMPTY = "bub, m seen"
"""Name of the BUB variant that is given the number of non-empty cells instead of all cells."""

BANDED = "bub(small=2)"
"""Variant of BUB without the joint fit of all coefficients. BUB itself uses this fit for N < 20."""

VARIANTS = ("bub", BANDED)

MOST = 0.9
"""Minimum share of points at which a statement about curves must hold to count as true."""


class Error(NamedTuple):
    """The bias and the root mean squared error of an estimator at one sample size."""

    bias: float
    rmse: float
    doubt: float
    """Standard error of the estimated bias."""


Curves: TypeAlias = dict[tuple[int, str], Floats]
"""The bias at each sample size, keyed by (shape, estimator)."""

Trials: TypeAlias = dict[tuple[int, int, str], Error]
"""Errors, keyed by (shape, sample size, estimator)."""


def zipf(slope: int, cells: int = CELLS) -> Floats:
    """Return probabilities proportional to 1/rank^slope."""
    weights = np.arange(1, cells + 1) ** -float(slope)
    return np.asarray(weights / weights.sum())


def entropy(p: Floats) -> float:
    """Return the true entropy of a distribution, in nats."""
    return -float(xlogx(p).sum())


def expect(estimator: LinearEstimator, p: Floats, n: int) -> float:
    """Return the exact E[Ĥ] for n items, computed from the binomial distributions of cell counts.

    >>> p = np.array([0.5, 0.5])
    >>> round(expect(get("ml"), p, 2) / math.log(2), 12)  # both in one cell, or one in each
    0.5
    """
    from scipy.stats import binom

    counts = np.arange(1, n + 1)
    cells = binom.pmf(counts[:, None], n, p).sum(axis=1)
    return float(estimator.expect(Histogram(counts, cells), n, p.size))


def trace_biases(names: Iterable[str], sizes: Sequence[int] = SIZES) -> Curves:
    """Return the exact bias E[Ĥ] − H of linear estimators."""
    curves = {}
    for name in names:
        estimator = get(name)
        assert isinstance(estimator, LinearEstimator)
        for slope in SHAPES:
            p = zipf(slope)
            found = [expect(estimator, p, n) - entropy(p) for n in sizes]
            curves[slope, name] = np.array(found)
    return curves


def draw_errors(seed: int, draws: int = DRAWS) -> Trials:
    """Return the bias and root mean squared error of all estimators on the same samples."""
    rng = np.random.default_rng(seed)
    names = list_estimators()
    found = {}
    for slope in SHAPES:
        p = zipf(slope)
        for size in SAMPLED:
            samples = stack(rng.multinomial(size, p, size=draws))
            for name in (*names, BUB_NON_EMPTY):
                support = np.full(draws, CELLS) if name in KNOWN_SUPPORT else None
                errors = get("bub" if name == BUB_NON_EMPTY else name)(samples, support) - entropy(
                    p
                )
                found[slope, size, name] = Error(
                    float(errors.mean()),
                    math.sqrt(np.square(errors).mean()),
                    float(errors.std()) / math.sqrt(draws),
                )
    return found


def stack(counts: Array) -> Histogram:
    """Stack the histograms of many samples into an array with one row per sample."""
    held = counts > 0
    starts = np.concatenate([[0], np.cumsum(held.sum(axis=1))[:-1]])
    return Histogram.from_counts(counts[held], starts)


@uses_options("random_state")
def figures_1_2(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figures 1 and 2 of Li, Titov & Sporleder (2014): the bias of entropy estimators."""
    linear = [name for name in list_estimators() if isinstance(get(name), LinearEstimator)]
    curves, trials = trace_biases(linear), draw_errors(options.random_state)
    return Reproduced(
        "Bias of entropy estimators (Li, Titov & Sporleder 2014, Figures 1 and 2)",
        about=(
            f"Samples of N = 1 to 100 items from {CELLS} cells, equally likely (uniform) or by "
            "Zipf's law with exponent s; values in nats. The paper shows means over 1,000 "
            "samples and prints no values. Here, expectations are exact for estimators that are "
            f"sums over cells. BUB, shrink and NSB are given the number of cells, {CELLS}; the "
            "paper states neither what its BUB used nor how it was solved for N < 20: jointly "
            "for all coefficients (bub), or in the same way as for larger samples (bub(small=2))."
        ),
        claims=judge(curves),
        tables=[
            *(_table_exact(curves, size) for size in SHOWN),
            *(_table(trials, size) for size in SHOWN),
        ],
        notes=[_compare_means(curves, trials, linear)],
        data={
            "bias": [
                {"shape": SHAPES[slope], "entropy": name, "by_size": values.tolist()}
                for (slope, name), values in curves.items()
            ],
            "drawn": [
                {"shape": SHAPES[slope], "size": size, "entropy": name, **error._asdict()}
                for (slope, size, name), error in trials.items()
            ],
        },
        picture=partial(draw, curves),
    )


def list_estimators() -> list[str]:
    """Return the names of all estimators, with both variants of BUB."""
    names = catalogue.names("entropies")
    return [one for name in names for one in (VARIANTS if name == "bub" else (name,))]


def judge(curves: Curves) -> list[Claim]:
    """Test the paper's statements about its figures, for both variants of BUB."""
    off = {key: np.abs(values) for key, values in curves.items()}

    def compare(
        rule: str, slopes: Iterable[int], better: str, worse: str, first: int, share: float = MOST
    ) -> Claim:
        near, far = (np.array([off[slope, name][first - 1 :] for slope in slopes])
                     for name in (better, worse))  # fmt: skip
        wins = near < far
        where = ", ".join(SHAPES[slope] for slope in slopes)
        lost = float((near - far).max())
        return Claim(
            RULES[rule],
            f"{where if len(list(slopes)) < len(SHAPES) else 'all shapes'}, N ≥ {first}: {better} "
            f"is less biased than {worse}",
            "yes",
            f"at {wins.sum()} of {wins.size} points",
            decided=decide(bool(wins.mean() >= share)),
            reason=f"elsewhere, the bias of {better} is larger by up to {lost:.3f}",
        )

    claims = [compare("reduced", [*SHAPES], name, "ml", 2, 1.0) for name in ("mm", "jk", *VARIANTS)]
    claims += [compare("mm", [*SHAPES], name, "mm", 2) for name in ("jk", *VARIANTS)]
    claims += [compare("flat", [0, 1, 2], "jk", bub, 4) for bub in VARIANTS]
    claims += [compare("skewed", [s], bub, "jk", 2) for bub in VARIANTS for s in (3, 4)]
    for bub in VARIANTS:
        wins = [
            all(off[slope, bub][n - 1] < off[slope, other][n - 1] for other in ("ml", "mm", "jk"))
            for slope in SHAPES
            for n in (1, 2)
        ]
        claims.append(
            Claim(
                RULES["tiny"],
                f"N ≤ 2: {bub} is the least biased",
                "in most cases",
                f"in {sum(wins)} of {len(wins)} cases",
                decided=decide(2 * sum(wins) > len(wins)),
                reason="it is too high for skewed distributions",
            )
        )
    return claims


def _compare_means(curves: Curves, trials: Trials, linear: Sequence[str]) -> str:
    """Return a sentence on how far simulated means are from exact expectations."""
    far = max(
        abs(trials[slope, size, name].bias - float(curves[slope, name][size - 1]))
        / trials[slope, size, name].doubt
        for slope in SHAPES
        for size in SAMPLED
        for name in linear
    )
    return (
        f"Means of {DRAWS:,} samples are at most {far:.1f} standard errors from the exact values."
    )


def _table_exact(curves: Curves, size: int) -> ReportTable:
    """Return the exact biases of the paper's estimators at one sample size."""
    rows = [
        (name, *(f"{curves[slope, name][size - 1]:+.3f}" for slope in SHAPES))
        for name in (*DRAWN, BANDED)
    ]
    titles = tuple(SHAPES.values())
    return ReportTable.of((f"N = {size}", *titles), rows, titles, title="exact bias")


def _table(trials: Trials, size: int) -> ReportTable:
    names = dict.fromkeys(name for _, _, name in trials)
    rows = []
    for name in names:
        errors = [trials[slope, size, name] for slope in SHAPES]
        rows.append((name, *(f"{error.bias:+.3f} {error.rmse:.3f}" for error in errors)))
    columns = [Column(f"N = {size}"), *(Column(shape, right=True) for shape in SHAPES.values())]
    return ReportTable(
        columns, rows, f"{DRAWS:,} samples, N = {size}: bias and root mean squared error"
    )


def draw(curves: Curves) -> Figure:
    """Draw the expected estimates by sample size, one panel per shape."""
    figure = canvas(9, 5.4)
    panels = figure.subplots(2, 3, sharex=True).ravel()
    lines = ("-", "--", "-.", ":", (0, (5, 1)))
    styles = list(zip((*DRAWN, BANDED), (*SERIES, (INK, "v")), lines, strict=True))
    for axes, (slope, shape) in zip(panels, SHAPES.items(), strict=False):
        true = entropy(zipf(slope))
        axes.axhline(true, color=GREY, linewidth=1, label="true H")
        for name, (colour, marker), line in styles:
            axes.plot(
                SIZES, true + curves[slope, name], color=colour, linestyle=line, marker=marker,
                markersize=3.5, markevery=(4, 15), linewidth=1.2, label=name,
            )  # fmt: skip
        axes.set_title(shape if slope == 0 else f"Zipf, {shape}", fontsize=9)
        # BUB starts far above a small H, so limit the axis to keep the other curves
        # distinguishable.
        axes.set_ylim(0, min(axes.get_ylim()[1], 2.2 * true))
    for axes in (panels[0], panels[3]):
        axes.set_ylabel("expected entropy (nats)")
    for axes in panels[2:5]:
        axes.set_xlabel("sample size N")
        axes.tick_params(labelbottom=True)
    panels[5].set_axis_off()
    handles, labels = panels[0].get_legend_handles_labels()
    panels[5].legend(handles, labels, loc="center", frameon=False)
    return figure
