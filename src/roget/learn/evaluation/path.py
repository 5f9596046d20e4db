"""Figure 3 of Pereira, Tishby & Lee (1993): relative entropies against the number of clusters."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.information import bits
from roget.core.types import Array, Floats
from roget.errors import InputError, MissingExtra
from roget.learn.clustering.tokens import Cells, unigram
from roget.learn.evaluation.heldout import losses


def relative_entropy_path(
    counts: Counts,
    ks: Iterable[int],
    random_state: int | None = None,
    *,
    model: str = "asymmetric",
    prior: str = "empirical",
    new: float = 0.1,
    test: float = 0.1,
) -> list[dict[str, float]]:
    """For each number of clusters, how far training, test and new words are from the model, bits.

    One in ten words is new: no cluster is learnt from it. Of all words' tokens one in ten is test.
    `train`, `test` and `new` are the mean over words of KL(word's distribution ‖ Σ p(c|n) p(v|c)),
    every word alike as in the paper; the distribution of a test or new word is that of its test
    tokens, and p(c|n) comes from its other tokens. `train_loss`, `test_loss` and `new_loss` are
    −log2 p(v|n) per token. All predictions are .95 of the model's and .05 of the unigram's.
    """
    from roget import catalogue
    from roget.learn.clustering.annealing.walk import Walker

    rng = np.random.default_rng(random_state)
    train, held = counts.split(1 - test, random_state=rng)
    matrix, outside = train.matrix, held.matrix
    known = train.word_totals > 0
    fresh = known & (rng.random(len(counts)) < new)
    learnt, unseen = np.flatnonzero(known & ~fresh), np.flatnonzero(fresh)
    if not learnt.size:
        raise InputError("no words are left to learn from: the counts are too few")
    base = matrix[learnt]
    seed = int(rng.integers(2**31))
    named = catalogue.load("clusterers", {"asymmetric": "soft"}.get(model, model))
    walker = Walker(base, named().method, prior=prior, seed=seed)
    background = unigram(base)
    rows = []
    for beta, found in walker.points(ks):
        parts = {
            "train": (base, found.memberships),
            "test": (outside[learnt], found.memberships),
            "new": (outside[unseen], found.place(matrix[unseen])),
        }
        row: dict[str, float] = {"n_clusters": found.n_clusters, "beta": beta}
        for name, (tokens, membership) in parts.items():
            row[name], row[f"{name}_loss"] = _divergence(
                tokens, membership, found.centroids, background
            )
        rows.append(row)
    return rows


def _divergence(
    tokens: Any, membership: Any, centroids: Array, background: Floats
) -> tuple[float, float]:
    """Mean KL of the words' distributions from the model's, and loss per token; bits."""
    found = sparse.coo_array(tokens, dtype=np.float64)
    rows, columns = found.coords
    seen = Cells(rows, columns, found.data, np.empty(0), background[columns])
    predicted = seen.smooth(seen.predicted(membership, centroids))
    loss, divergence = losses(found, np.log(predicted))
    return bits(divergence), bits(loss)


def figure(
    rows: Sequence[dict[str, float]],
    path: str | os.PathLike[str],
    *,
    chosen: tuple[int, float] | None = None,
) -> None:
    """Draw a path of relative entropies against the number of clusters, into a file.

    `chosen` marks a number of clusters and its β.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "figures", "drawing a figure") from None
    canvas = Figure(figsize=(6, 4), layout="constrained")
    axes = canvas.subplots()
    ks = [row["n_clusters"] for row in rows]
    for name, style in (("train", "o-"), ("test", "s-"), ("new", "^-")):
        axes.plot(ks, [row[name] for row in rows], style, label=name, markersize=4)
    if chosen is not None:
        axes.axvline(chosen[0], color="grey", linestyle=":")
        axes.annotate(
            f"K = {chosen[0]}, β = {chosen[1]:.3g}",
            (chosen[0], 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(4, -12),
            textcoords="offset points",
        )
    axes.set_xscale("log")
    axes.set_xlabel("number of clusters")
    axes.set_ylabel("relative entropy (bits)")
    axes.legend()
    canvas.savefig(path)
