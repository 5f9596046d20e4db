"""Figure 5 with entropies corrected for bias, as in Li, Titov & Sporleder (2014)."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, uses_options
from roget.papers.rules import decide_mean
from roget.papers.v_measure.figure_5 import RISES, score_features
from roget.papers.v_measure.rules import BIAS as RULES
from roget.papers.v_measure.sweep import JK, SHUFFLED, Scores, correlate, find_change
from roget.report import ReportTable
from roget.report.figures import BLUE, GREY, ORANGE, set_log
from roget.report.format import canvas
from roget.report.sweep import choose_cuts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVES = {"v": "V (ml)", JK: "V (jk)", "ami": "AMI", SHUFFLED: "V (ml), shuffled classes"}


@uses_options("features", "random_state")
def bias(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 5 of Rosenberg & Hirschberg (2007) with entropies corrected for bias."""
    scores, source, _ = score_features(options)
    shown = choose_cuts(scores.as_sweep(source))
    rows = [
        (str(scores.ks[at]), *(f"{scores.average(name)[at]:.3f}" for name in CURVES))
        for at in shown
    ]
    titles = ("k", *CURVES.values())
    return Reproduced(
        "The rise of V with the number of clusters, explained by bias",
        about=(
            f"The clusterings of v-measure/figure-5: {source}. V by plug-in entropies, as in "
            "Rosenberg & Hirschberg (2007); V by jackknife entropies, as in Li, Titov & "
            "Sporleder (2014); mutual information adjusted for chance (AMI); and V by plug-in "
            "entropies after the classes were shuffled, so that clusters contain no information "
            "about them."
        ),
        claims=judge(scores),
        tables=[ReportTable.of(titles, rows, titles)],
        notes=[_conclude(scores)],
        data={
            "k": list(scores.ks),
            **{name: scores.values[name].tolist() for name in CURVES},
        },
        picture=partial(draw, scores),
    )


def judge(scores: Scores) -> list[Claim]:
    """Test the statements of both papers about V and the number of clusters."""
    (first, last), (low, high) = (find_change(scores, name, RISES) for name in ("v", SHUFFLED))
    gap = {"gap": scores.values["v"] - scores.values[JK]}
    ranks = correlate(Scores(scores.ks, gap, scores.items, scores.classes), "gap")
    begin, end = _ends(scores)
    return [
        Claim(
            RULES["rise"], f"V (ml) from k = {begin} to {end:,}", "increases",
            f"{first.mean():.3f}, then {last.mean():.3f}",
            decided=decide_mean((last - first).tolist()),
        ),
        Claim(
            RULES["plug-in"], "V (ml) − V (jk)", "larger for more clusters",
            f"rank correlation with k {fmean(ranks):.2f}",
            decided=decide_mean([rank - 0.9 for rank in ranks]),
        ),
        Claim(
            RULES["chance"], f"rise of V (ml) from k = {begin} to {end:,}", "due to bias",
            f"{(last - first).mean():+.3f}; shuffled {(high - low).mean():+.3f}",
            decided=decide_mean(((high - low) - (last - first) / 2).tolist()),
        ),
    ]  # fmt: skip


def _ends(scores: Scores) -> tuple[int, int]:
    return scores.ks[int(np.searchsorted(scores.ks, RISES))], scores.ks[-1]


def _conclude(scores: Scores) -> str:
    """Return a sentence that describes how each curve changes with the number of clusters."""
    begin, end = _ends(scores)
    parts = []
    for name, label in CURVES.items():
        first, last = find_change(scores, name, RISES)
        parts.append(f"{label} {first.mean():.3f} → {last.mean():.3f}")
    return f"From k = {begin} to {end:,}: {'; '.join(parts)}."


def draw(scores: Scores) -> Figure:
    """Draw the means of all curves by number of clusters."""
    figure = canvas(6, 4)
    axes = figure.subplots()
    styles = ((BLUE, "-"), (ORANGE, "--"), ("#2c7a4b", "-."), (GREY, ":"))
    for (name, label), (colour, line) in zip(CURVES.items(), styles, strict=True):
        axes.plot(scores.ks, scores.average(name), line, color=colour, label=label)
    set_log(axes, "x", scores.ks[0], scores.ks[-1])
    axes.set(xlabel="number of clusters", ylabel=f"score, mean of {len(scores)} {scores.unit}")
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.legend(frameon=False)
    return figure
