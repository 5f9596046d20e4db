"""Scores of k-means clusterings for many k, shared by Figures 4 and 5."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from roget.core.types import Floats
from roget.papers.reproduction import Claim, Reproduced
from roget.papers.rules import Rule, decide, decide_mean
from roget.report import Cell, Column, ReportTable
from roget.report.figures import BLUE, ORANGE
from roget.report.sweep import choose_cuts
from roget.report.sweep import draw as draw_sweep
from roget.scoring.measures.base import list_requests
from roget.scoring.score import contingency
from roget.scoring.signature import sign_measures, write_signature
from roget.scoring.steps.cuts import find_best
from roget.scoring.steps.sweep import Sweep, SweepCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEASURES = ("v", "vi", "q2", "homogeneity", "completeness", "ami")
JK, SHUFFLED = "v (jk)", "v, shuffled"
"""V with jackknife entropies, and V after the classes were shuffled among the items."""

SHOWN = ("v", JK, "ami", "vi", "q2", "homogeneity", "completeness")
"""Columns of tables: V by plug-in entropies and its two corrections come first."""

DRAWN = ("v", "q2", "vi", "homogeneity")
"""Measures drawn in the paper. Completeness is drawn in the panel of homogeneity."""

RANGED = ("v", JK, "ami")
"""Columns of tables that show the range over initialisations."""

MAX_CLUSTERS = 1000
"""Maximum number of clusters."""

MAX_SIZES = 30
"""Number of values of k to try, before duplicates are removed."""

STARTS = 4
"""Number of random initialisations for each number of clusters."""

SEEDS = 2**32
"""Upper bound (exclusive) of scikit-learn's random seeds."""

STEPS = 100
"""Maximum number of k-means iterations."""


@dataclass(frozen=True)
class Scores:
    """Scores of k-means: an array of shape (initialisations, numbers of clusters) per measure."""

    ks: tuple[int, ...]
    values: Mapping[str, Floats]
    items: int
    classes: int
    unit: str = "starts"

    def average(self, measure: str) -> Floats:
        """Return the mean over initialisations."""
        return np.asarray(self.values[measure].mean(axis=0))

    def find_peaks(self, measure: str) -> list[int]:
        """Return the number of clusters with the highest value, for each initialisation."""
        return [self.ks[at] for at in self.values[measure].argmax(axis=1).tolist()]

    def find_drops(self, measure: str) -> Floats:
        """Return, for each initialisation, the relative decrease from the maximum to the last
        value."""
        values = self.values[measure]
        return np.asarray(1 - values[:, -1] / values.max(axis=1))

    def as_sweep(self, source: str) -> Sweep:
        """Convert the means over initialisations to a sweep over numbers of clusters."""
        asked = list_requests(MEASURES, "ml")
        curves = []
        for wanted, entropy in asked:
            mean = self.average(str(wanted))
            at = find_best(mean, wanted.direction)
            best = None if at is None else self.ks[at]
            value = None if at is None else float(mean[at])
            values = tuple(mean.tolist())
            curves.append(SweepCurve(str(wanted), entropy, values, wanted.direction, best, value))
        parts = {**sign_measures(asked), "clusterer": "KMeans", "starts": str(len(self))}
        return Sweep(
            write_signature(parts), source, self.items, self.classes, self.items,
            self.ks, self.ks, tuple(curves),
        )  # fmt: skip

    def __len__(self) -> int:
        return int(next(iter(self.values.values())).shape[0])


def list_ks(items: int) -> tuple[int, ...]:
    """Return log-spaced numbers of clusters, up to 1000 or the number of items if that is smaller.

    The numbers 10 and 35, at which the paper's curves have maxima, are included.

    >>> list_ks(40)
    (1, 2, 3, 4, 5, 7, 9, 10, 11, 14, 17, 22, 28, 35, 36)
    """
    ratios = np.rint(np.geomspace(1, MAX_CLUSTERS, MAX_SIZES)).astype(int).tolist()
    return tuple(sorted(k for k in {*ratios, 10, 35} if k <= items))


def sweep_kmeans(
    X: Any, labels: Sequence[Any], ks: Sequence[int], seed: int, starts: int = STARTS
) -> Scores:
    """Cluster the rows of X with k-means, initialised with random rows, and score each k."""
    rows = _tidy(X)
    classes = np.unique(np.asarray(labels), return_inverse=True)[1]
    shuffled = np.random.default_rng(seed).permutation(classes)
    names = (*MEASURES, JK, SHUFFLED)
    found = np.empty((len(names), starts, len(ks)))
    # With a single thread, sums do not depend on the number of cores.
    with threadpool_limits(1), warnings.catch_warnings():
        # If there are fewer distinct rows than clusters, some clusters stay empty, which is
        # harmless.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for start, at in np.ndindex(starts, len(ks)):
            model = KMeans(
                ks[at], init="random", n_init=1, max_iter=STEPS, random_state=(seed + start) % SEEDS
            )
            clusters = model.fit_predict(rows)
            table = contingency(classes, clusters)
            found[:, start, at] = [
                *(table.measure(name) for name in MEASURES),
                table.measure("v", "jk"),
                contingency(shuffled, clusters).measure("v"),
            ]
    values = dict(zip(names, found, strict=True))
    return Scores(tuple(ks), values, rows.shape[0], int(classes.max()) + 1)


def _tidy(X: Any) -> Any:
    """Convert rows to float32 with 32-bit indices, as scikit-learn requires."""
    if not sparse.issparse(X):
        return np.asarray(X, dtype=np.float32)
    small = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sparse.csr_array((X.data.astype(np.float32), *small), shape=X.shape)


def correlate(
    scores: Scores, measure: str, first: int = 1, other: str | None = None
) -> list[float]:
    """Return the Spearman correlation of a measure with k or with another measure, for k ≥ first.

    The result has one value for each initialisation.
    """
    at = int(np.searchsorted(scores.ks, first))
    partner = [scores.ks[at:]] * len(scores) if other is None else scores.values[other][:, at:]
    pairs = zip(scores.values[measure][:, at:], partner, strict=True)
    return [float(spearmanr(one, two).statistic) for one, two in pairs]


def find_change(scores: Scores, measure: str, first: int) -> tuple[Floats, Floats]:
    """Return the values at the smallest k ≥ `first`, and at the largest k."""
    values = scores.values[measure]
    return values[:, int(np.searchsorted(scores.ks, first))], values[:, -1]


def claim_growth(rule: Rule, scores: Scores) -> Claim:
    """Test whether VI grows with the number of clusters."""
    ranks = correlate(scores, "vi")
    least = int(scores.ks[int(scores.average("vi").argmin())])
    return Claim(
        rule, "VI with more clusters", "grows", f"rank correlation {np.mean(ranks):.2f}",
        decided=decide_mean([rank - 0.9 for rank in ranks]),
        reason=f"its mean is lowest at k = {least}",
    )  # fmt: skip


def claim_peak(rule: Rule, scores: Scores, measure: str, k: int) -> Claim:
    """Test whether a measure has its maximum at the paper's number of clusters."""
    peaks = scores.find_peaks(measure)
    return Claim(
        rule, f"maximum of {measure.upper()}", f"k = {k}", _range(peaks),
        decided=decide(min(peaks) <= k <= max(peaks)), reason="other data",
    )  # fmt: skip


def claim_sum(rule: Rule, what: str, shares: Sequence[str]) -> Claim:
    """Test whether printed percentages add up to 100. Any other sum proves a misprint."""
    total = sum(map(float, shares))
    error = sum(0.5 * 10.0 ** -len(share.partition(".")[2]) for share in shares)
    proof = f"{' + '.join(shares)} = {total:.1f}, not 100 ± {error:.2f}"
    return Claim(rule, what, 100.0, total, 0, within=error, misprint=proof)


def join_scores(parts: Sequence[Scores]) -> Scores:
    """Combine the scores of several data sets for the same k along the initialisation axis."""
    values = {
        name: np.concatenate([part.values[name] for part in parts]) for name in parts[0].values
    }
    return replace(parts[0], values=values)


def _range(ks: Sequence[int]) -> str:
    """Format the range of k over initialisations.

    >>> _range([24, 35, 24]), _range([10, 10])
    ('k = 24 to 35', 'k = 10')
    """
    low, high = min(ks), max(ks)
    return f"k = {low:,}" if low == high else f"k = {low:,} to {high:,}"


def show(
    title: str,
    about: str,
    scores: Scores,
    sweep: Sweep,
    claims: Sequence[Claim],
    notes: Sequence[str] = (),
    **data: int,
) -> Reproduced:
    """Return the reproduction of a figure. `data` contains further facts about the items."""
    return Reproduced(
        title,
        about=about,
        claims=claims,
        tables=[tabulate_some(scores, sweep)],
        notes=notes,
        data={**data, **sweep.as_dict()},
        sheet=tabulate_all(scores),
        picture=partial(draw, scores, sweep),
    )


def tabulate_some(scores: Scores, sweep: Sweep) -> ReportTable:
    """Return a table for selected k: the mean over initialisations and half the range."""
    rows = []
    for at in choose_cuts(sweep):
        cells: list[str | Cell] = [str(scores.ks[at])]
        for name in SHOWN:
            values = scores.values[name][:, at]
            strong = name in MEASURES and sweep[name].best == scores.ks[at]
            text = f"{values.mean():.3f}"
            if name in RANGED:
                text += f" ±{float(np.ptp(values)) / 2:.3f}"
            cells.append(Cell(text, strong=strong))
        rows.append(cells)
    title = f"means of {len(scores)} {scores.unit}, ± half the range; v by plug-in entropies"
    return ReportTable(Column.numbers("k", *SHOWN), rows, title=title)


def tabulate_all(scores: Scores) -> ReportTable:
    """Return a table of all clusterings, for spreadsheets."""
    rows = [
        (k, start, *(float(scores.values[name][start, at]) for name in SHOWN))
        for at, k in enumerate(scores.ks)
        for start in range(len(scores))
    ]
    return ReportTable.of(("k", "start", *SHOWN), rows)


def draw(scores: Scores, sweep: Sweep) -> Figure:
    """Draw the curves of the paper, with the range over initialisations."""
    figure = draw_sweep(replace(sweep, curves=tuple(sweep[name] for name in DRAWN)))
    first, *_, last = figure.axes
    for axes, name in zip(figure.axes, DRAWN, strict=True):
        _draw_span(axes, scores, name, BLUE)
    # Also plot bias-corrected V, and AMI for comparison.
    curves = [
        first.plot(scores.ks, scores.average(name), line, color=colour, lw=1.3, label=name)[0]
        for name, colour, line in (("v", BLUE, "-"), (JK, ORANGE, "--"), ("ami", ORANGE, ":"))
    ]
    first.legend(handles=curves, frameon=False, fontsize=7)
    first.set_ylabel("v, ami ↑")
    # Homogeneity and completeness share a panel, because one rises as the other falls.
    last.plot(scores.ks, scores.average("completeness"), "--", color=ORANGE, lw=1.3)
    _draw_span(last, scores, "completeness", ORANGE)
    marks = [
        last.plot([], [], line, color=colour, label=name)[0]
        for name, colour, line in (("homogeneity", BLUE, "-"), ("completeness", ORANGE, "--"))
    ]
    last.set_ylabel("h, c ↑")
    last.legend(handles=marks, frameon=False, fontsize=7)
    return figure


def _draw_span(axes: Axes, scores: Scores, name: str, colour: str) -> None:
    values = scores.values[name]
    low, high = values.min(axis=0), values.max(axis=0)
    axes.fill_between(scores.ks, low, high, color=colour, alpha=0.2, lw=0)
