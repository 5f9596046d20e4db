"""Held-out evaluation: how well clusters predict tokens and words they were not learnt from.

Figure 3 of Pereira, Tishby & Lee (1993) is `relative_entropy_path`; the losses beneath it serve
the choice of the number of clusters as well. Nats per token, except in the rows of the path.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.errors import InputError, MissingExtra
from roget.learn.clustering.soft.data import Array, Floats

CELLS = 1 << 22
"""Cells × clusters worked on at a time."""

SMOOTHING = 0.05
"""The part of every prediction that is the unigram's: a cluster may not know a context."""

WEIGHT_STEPS = 500


@dataclass(frozen=True, eq=False)
class Cells:
    """Tokens to be predicted: word, context and how often, with what is known of the word."""

    rows: Array
    columns: Array
    counts: Floats
    word: Floats
    """p(v|n) by the word's own training counts."""
    unigram: Floats
    """p(v), add ½."""

    def predicted(self, membership: Any, centroids: Array) -> Floats:
        """Σ p(c|n) p(v|c) of every cell."""
        out = np.empty(self.rows.size)
        columns = np.ascontiguousarray(centroids.T)
        step = max(1, CELLS // centroids.shape[0])
        for begin in range(0, out.size, step):
            part = slice(begin, begin + step)
            rows = membership[self.rows[part]]
            dense = rows.toarray() if sparse.issparse(rows) else rows
            out[part] = np.einsum("ij,ij->i", dense, columns[self.columns[part]])
        return out

    def loss(self, predicted: Floats) -> float:
        """The mean −log of a prediction over all tokens, nats."""
        return -float(np.sum(self.counts * np.log(predicted)) / np.sum(self.counts))


def cells(train: Any, heldout: Any) -> Cells:
    """The tokens of one matrix, as the other one, of the same shape, sees them."""
    given = sparse.csr_array(train, dtype=np.float64)
    wanted = sparse.coo_array(heldout)
    totals = np.asarray(given.sum(axis=1)).ravel()
    shares = given / np.where(totals > 0, totals, 1.0)[:, None]
    rows, columns = wanted.coords
    word = np.asarray(sparse.csr_array(shares)[rows, columns]).ravel()
    background = unigram(given)
    return Cells(rows, columns, wanted.data.astype(np.float64), word, background[columns])


def unigram(matrix: Any) -> Floats:
    """p(v) of every context, half a token added to each."""
    totals = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel() + 0.5
    return np.asarray(totals / totals.sum())


def mixed(stack: Floats, counts: Floats) -> Floats:
    """The weights, found by EM, with which the rows together predict tokens best."""
    weights = np.full(stack.shape[0], 1.0 / stack.shape[0])
    total = counts.sum()
    for _ in range(WEIGHT_STEPS):
        joint = weights[:, None] * stack
        new = (joint / joint.sum(axis=0)) @ counts / total
        change = float(np.abs(new - weights).max())
        weights = new
        if change < 1e-6:
            break
    return weights


def backoff(tokens: Cells, *classes: Floats) -> Floats:
    """Predictions of word → classes → unigram, weights tuned on each half for the other half.

    Without classes: word → unigram, what they have to beat.
    """
    components = np.stack([tokens.word, *classes, tokens.unigram])
    halves = np.arange(tokens.counts.size) % 2
    if tokens.counts.size < 2:
        return np.asarray(components.mean(axis=0))
    predicted = np.empty(tokens.counts.size)
    for half in (0, 1):
        here, there = halves == half, halves != half
        weights = mixed(components[:, there], tokens.counts[there])
        predicted[here] = weights @ components[:, here]
    # A half in which the unigram was of no use must not make the other half impossible.
    return np.maximum(predicted, 1e-9 * tokens.unigram)


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
    from roget.learn.clustering.soft.walk import Walker

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
    walker = Walker(base, model=model, prior=prior, seed=seed)
    background = unigram(base)
    rows = []
    for point in walker.points(ks):
        parts = {
            "train": (base, point.membership),
            "test": (outside[learnt], point.membership),
            "new": (outside[unseen], point.place(matrix[unseen])),
        }
        row: dict[str, float] = {"n_clusters": point.n_clusters, "beta": point.beta}
        for name, (tokens, membership) in parts.items():
            row[name], row[f"{name}_loss"] = _divergence(
                tokens, membership, point.centroids, background
            )
        rows.append(row)
    return rows


def _divergence(
    tokens: Any, membership: Any, centroids: Array, background: Floats
) -> tuple[float, float]:
    """Mean KL of the words' distributions from the model's, and loss per token; bits."""
    table = sparse.csr_array(tokens, dtype=np.float64)
    totals = np.asarray(table.sum(axis=1)).ravel()
    if not totals.sum() > 0:
        return math.nan, math.nan
    found = table.tocoo()
    rows, columns = found.coords
    seen = Cells(rows, columns, found.data, np.empty(0), background[columns])
    predicted = (1 - SMOOTHING) * seen.predicted(membership, centroids) + SMOOTHING * seen.unigram
    own = found.data / totals[rows]
    per_word = np.bincount(rows, own * np.log(own / predicted), minlength=totals.size)
    return float(per_word[totals > 0].mean()) / math.log(2), seen.loss(predicted) / math.log(2)


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
