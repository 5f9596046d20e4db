"""Figure 3: relative entropies against the number of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.information import bits
from roget.core.types import Array, Floats
from roget.errors import InputError
from roget.learn.clustering.annealing.choose import choose
from roget.learn.clustering.annealing.estimator import Annealing
from roget.learn.clustering.annealing.states import Walker
from roget.learn.clustering.soft.estimator import SoftAnnealing
from roget.learn.clustering.tokens import Cells, unigram
from roget.learn.evaluation.heldout import measure_losses
from roget.learn.opening import open_counts
from roget.papers.options import Options
from roget.papers.reproduction import Reproduced, heeds
from roget.report import Column, Table
from roget.report.format import canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FREQUENT = 1000
"""Nouns, as in the paper."""

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@heeds("counts", "random_state")
def figure_3(options: Options) -> Reproduced:
    """Figure 3 of Pereira, Tishby & Lee (1993): relative entropy against the number of clusters"""
    # Not the counts of Figure 1, which may lack rare pairs: with those, no test set has a minimum.
    table, _ = open_counts(options.counts or "verb_object")
    nouns = table.top(FREQUENT).drop_empty()
    rows = relative_entropy_path(nouns, SIZES, random_state=options.random_state)
    best = choose(nouns, SoftAnnealing(random_state=options.random_state))
    source = options.counts or "the bundled sample (AMALGUM)"
    words, contexts = nouns.shape
    about = (
        f"{words:,} nouns by {contexts:,} verbs, {nouns.total:,} pairs; from {source}. "
        "The mean over nouns of KL(the noun's verbs ‖ Σ p(c|n) p(v|c)) in bits: of the tokens "
        "learnt from (train), of one token in ten held out (test), and of nouns no "
        "cluster was learnt from (new); and the loss per held-out token. All with .05 of "
        "the unigram."
    )
    titles = ("clusters", "β", "train", "test", "new", "test loss")
    names = ("train", "test", "new", "test_loss")
    least = min(rows, key=lambda row: row["test"])
    texts = [
        (
            str(row["n_clusters"]),
            f"{row['beta']:.2f}",
            *(f"{row[name]:.3f}" for name in names),
            "least for test" if row is least else "",
        )
        for row in rows
    ]
    notes = [
        "Chosen on a tenth of the tokens, as the back-off of a noun's own counts: "
        f"{best.n_clusters} clusters, β = {best.beta:.2f}.",
        "In the paper (756,721 training pairs): train falls throughout, test is lowest at 206 "
        "clusters, new nouns gain over one bit.",
    ]
    return Reproduced(
        "Relative entropies (Pereira, Tishby & Lee 1993, Figure 3)",
        about=about,
        tables=[Table([*(Column(title, right=True) for title in titles), Column()], texts)],
        notes=notes,
        data={"rows": rows, "chosen": {"n_clusters": best.n_clusters, "beta": best.beta}},
        sheet=Table.of(rows[0], [tuple(row.values()) for row in rows]),
        picture=partial(draw_path, rows, chosen=(best.n_clusters, best.beta)),
    )


def draw_path(
    rows: Sequence[dict[str, float]], *, chosen: tuple[int, float] | None = None
) -> Figure:
    """Draw a path of relative entropies against the number of clusters.

    `chosen` marks a number of clusters and its β.
    """
    figure = canvas(6, 4)
    axes = figure.subplots()
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
    return figure


def relative_entropy_path(
    counts: Counts,
    ks: Iterable[int],
    random_state: int | None = None,
    *,
    model: Annealing | None = None,
    new: float = 0.1,
) -> list[dict[str, float]]:
    """For each number of clusters, how far training, test and new words are from the model, bits.

    One in ten words is new: no cluster is learnt from it. Of all words' tokens one in ten is test.
    `train`, `test` and `new` are the mean over words of KL(word's distribution ‖ Σ p(c|n) p(v|c)),
    every word alike as in the paper; the distribution of a test or new word is that of its test
    tokens, and p(c|n) comes from its other tokens. `train_loss`, `test_loss` and `new_loss` are
    −log2 p(v|n) per token. All predictions are .95 of the model's and .05 of the unigram's. The
    model is the paper's, unless another is given.
    """
    rng = np.random.default_rng(random_state)
    train, held = counts.split(0.9, random_state=rng)
    matrix, outside = train.matrix, held.matrix
    known = train.word_totals > 0
    fresh = known & (rng.random(len(counts)) < new)
    learnt, unseen = np.flatnonzero(known & ~fresh), np.flatnonzero(fresh)
    if not learnt.size:
        raise InputError("no words are left to learn from: the counts are too few")
    base = matrix[learnt]
    seed = int(rng.integers(2**31))
    walker = Walker(base, (model or SoftAnnealing()).method, prior="empirical", seed=seed)
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
    loss, divergence = measure_losses(found, np.log(predicted))
    return bits(divergence), bits(loss)
