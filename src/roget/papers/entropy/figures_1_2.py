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
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, heeds
from roget.report import Column, ReportTable
from roget.report.figures import GREY, SERIES
from roget.report.format import canvas
from roget.scoring.entropy import Histogram, LinearEstimator, get

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELLS = 10
SIZES = range(1, 101)
DRAWS = 1000
"""Number of cells, sample sizes and number of samples, as in the paper."""

SHAPES = {0: "uniform", 1: "s = 1", 2: "s = 2", 3: "s = 3", 4: "s = 4"}
"""Names of the distributions, keyed by the exponent of Zipf's law; exponent 0 is Figure 1."""

DRAWN = ("ml", "mm", "jk", "bub")
"""The estimators drawn in the paper."""

SAMPLED = (10, 20, 50)
"""Sample sizes at which all estimators are simulated."""

SHOWN = (10, 50)
"""Sample sizes shown in tables."""

KNOWN_SUPPORT = ("bub", "shrink", "nsb")
"""Estimators that are given the true number of cells."""

BUB_NON_EMPTY = "bub, m seen"
"""Name for BUB with the number of non-empty cells, which measures use for H(C) and H(K)."""

KNOWN = {
    0: (-0.533, -0.258, -0.039),
    1: (-0.479, -0.257, -0.089),
    2: (-0.329, -0.207, -0.114),
    3: (-0.187, -0.126, -0.078),
    4: (-0.107, -0.076, -0.049),
}
"""Exact biases of ml, mm and jk for samples of ten items, keyed by exponent.

The figures print no numbers, so these are the exact heights of the curves, computed independently
of this program.
"""

SMALL = 20
"""Sample size below which BUB fits all its coefficients jointly."""

FEW = 30
"""Maximum sample size at which no estimator overcorrects."""

MAX_DEVIATION = 4.0
"""Tolerance in standard errors. By chance, one of 75 means exceeds it in 1 of 200 runs."""


class Error(NamedTuple):
    """The bias and the root mean squared error of an estimator at one sample size."""

    bias: float
    rmse: float
    doubt: float
    """Standard error of the bias."""


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
    names = catalogue.names("entropies")
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
    """Return the histograms of many samples, one per row."""
    held = counts > 0
    starts = np.concatenate([[0], np.cumsum(held.sum(axis=1))[:-1]])
    return Histogram.from_counts(counts[held], starts)


@heeds("random_state")
def figures_1_2(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figures 1 and 2 of Li, Titov & Sporleder (2014): the bias of entropy estimators."""
    names = catalogue.names("entropies")
    linear = [name for name in names if isinstance(get(name), LinearEstimator)]
    curves, trials = trace_biases(linear), draw_errors(options.random_state)
    claims = [
        Claim(f"N = 10, {shape}: {name}", value, float(curves[slope, name][9]))
        for slope, shape in SHAPES.items()
        for name, value in zip(DRAWN, KNOWN[slope], strict=False)
    ]
    claims += [*_read_figures(curves), _agree(curves, trials, linear)]
    return Reproduced(
        "Bias of entropy estimators (Li, Titov & Sporleder 2014, Figures 1 and 2)",
        about=(
            f"Samples of N = 1 to 100 items from {CELLS} cells, equally likely (uniform) or by "
            "Zipf's law with exponent s; values in nats. The paper shows means over 1,000 samples. "
            "For estimators that are sums over cells, the expectation is exact here; the published "
            "values are the same expectations, computed independently. BUB, shrink and NSB are "
            "given the "
            f"number of cells, {CELLS}; the paper does not state what its BUB used."
        ),
        claims=claims,
        tables=[_table(trials, size) for size in SHOWN],
        notes=[_moral(curves)],
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


def _read_figures(curves: Curves) -> list[Claim]:
    """Check the paper's statements about its figures, for all distributions and sample sizes."""
    off = {key: np.abs(values) for key, values in curves.items()}
    from_two, from_four, from_small = (slice(n - 1, None) for n in (2, 4, SMALL))
    low = all((curves[slope, "ml"] < 0).all() for slope in SHAPES)

    def compare(
        what: str, slopes: Iterable[int], better: str, worse: str, sizes: slice, excuse: str = ""
    ) -> Claim:
        wins = np.concatenate(
            [off[slope, better][sizes] < off[slope, worse][sizes] for slope in slopes]
        )
        ours, holds = f"{wins.sum()} of {wins.size}", bool(wins.all())
        return Claim(what, "always", ours, holds=holds, remark=excuse, excused=bool(excuse))

    over = f"in larger uniform samples JK is too high, by up to {max(curves[0, 'jk'][33:]):.3f}"
    unknown_m = "BUB with known m is nearer below N = 20; the paper's BUB may not have known m"
    flat = "uniform, s = 1, 2: JK is nearer than BUB, N > 3"
    small = f"below N = {SMALL}, BUB is too high on skewed samples"
    return [
        Claim("plug-in is too low", "always", "always" if low else "not always"),
        compare("MM is nearer than plug-in, N ≥ 2", SHAPES, "mm", "ml", from_two),
        compare("JK is nearer than plug-in, N ≥ 2", SHAPES, "jk", "ml", from_two),
        compare(f"JK is nearer than MM, 2 ≤ N ≤ {FEW}", SHAPES, "jk", "mm", slice(1, FEW)),
        compare("JK is nearer than MM, N ≥ 2", SHAPES, "jk", "mm", from_two, over),
        compare(f"BUB is nearer than plug-in, N ≥ {SMALL}", SHAPES, "bub", "ml", from_small),
        compare("BUB is nearer than plug-in, N ≥ 2", SHAPES, "bub", "ml", from_two, small),
        compare(flat, (0, 1, 2), "jk", "bub", from_four, unknown_m),
        compare(f"s = 4: BUB is nearer than JK, N ≥ {SMALL}", (4,), "bub", "jk", from_small),
        compare("s = 3, 4: BUB is nearer than JK, N ≥ 2", (3, 4), "bub", "jk", from_two, small),
    ]


def _agree(curves: Curves, trials: Trials, linear: Sequence[str]) -> Claim:
    """Check that simulated means equal the exact expectations."""
    far = max(
        abs(trials[slope, size, name].bias - float(curves[slope, name][size - 1]))
        / trials[slope, size, name].doubt
        for slope in SHAPES
        for size in SAMPLED
        for name in linear
    )
    apart = f"at most {far:.1f} standard errors apart"
    return Claim(
        f"means of {DRAWS:,} samples and exact values", "equal", apart, holds=far < MAX_DEVIATION
    )


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


def _moral(curves: Curves) -> str:
    worst = max(curves[4, "bub"][1 : SMALL - 1])
    return (
        f"At s = 4 and 2 ≤ N < {SMALL}, BUB with {CELLS} known cells is up to {worst:.2f} too "
        f"high, while plug-in is at most {abs(curves[4, 'ml'][1]):.2f} too low, because most "
        "cells stay empty. The jackknife does not need the number of cells and is never far off."
    )


def draw(curves: Curves) -> Figure:
    """Draw the expected estimates by sample size, one panel per shape."""
    figure = canvas(9, 5.4)
    panels = figure.subplots(2, 3, sharex=True).ravel()
    lines = ("-", "--", "-.", ":")
    for axes, (slope, shape) in zip(panels, SHAPES.items(), strict=False):
        true = entropy(zipf(slope))
        axes.axhline(true, color=GREY, linewidth=1, label="true H")
        for name, (colour, marker), line in zip(DRAWN, SERIES, lines, strict=True):
            axes.plot(
                SIZES, true + curves[slope, name], color=colour, linestyle=line, marker=marker,
                markersize=3.5, markevery=(4, 15), linewidth=1.2, label=name,
            )  # fmt: skip
        axes.set_title(shape if slope == 0 else f"Zipf, {shape}", fontsize=9)
        # BUB starts far above a small H. Limit the axis to keep the other curves distinguishable.
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
