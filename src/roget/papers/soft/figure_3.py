"""Figure 3: relative entropy by number of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.information import bits
from roget.core.intervals import interval
from roget.core.types import Array, Floats
from roget.errors import InputError
from roget.learn.clustering.annealing.estimator import Annealing
from roget.learn.clustering.annealing.states import AnnealingPath
from roget.learn.clustering.soft.estimator import SoftAnnealing
from roget.learn.clustering.tokens import TokenCells, unigram
from roget.learn.evaluation.heldout import measure_losses
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, uses_options
from roget.papers.rules import decide, decide_all, decide_mean, decide_seeds
from roget.papers.soft.counts import FREQUENT, bundled
from roget.papers.soft.draws import SIZES, draw_curves, say, tabulate_means
from roget.papers.soft.rules import FIGURE_3 as RULES

SETS = ("train", "test", "new")

PAIRS = 756_721
"""Number of training pairs of the paper."""

DRAWS = 10
"""Number of random splits."""


@uses_options("counts", "random_state")
def figure_3(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 3 of Pereira, Tishby & Lee (1993): relative entropy by cluster number."""
    table, source = bundled(options)
    nouns, further = take_nouns(table)
    paths = [
        relative_entropy_path(
            nouns, SIZES, options.random_state + draw, further=further, prior="uniform"
        )
        for draw in range(DRAWS)
    ]
    sizes = [int(row["n_clusters"]) for row in min(paths, key=len)]
    rows = [{name: [path[at][name] for path in paths] for name in SETS} for at in range(len(sizes))]
    curves = {name: [interval(row[name]) for row in rows] for name in SETS}
    about = (
        f"The {len(nouns):,} most frequent object nouns, {nouns.total:,} pairs with "
        f"{nouns.drop_empty().shape[1]:,} verbs, from {source}; {DRAWS} random splits. All nouns "
        "have the same weight, as in the paper. The mean "
        "over nouns of KL(verbs of the noun ‖ Σ p(c|n) p(v|c)) in bits: for training tokens "
        "(train), for 10 % held-out tokens (test), and for the next "
        f"{len(further):,} nouns, which were not used for learning clusters; as in the paper, "
        "their p(c|n) comes from the same tokens (new). Predictions are mixed with .05 of the "
        "unigram, since unseen verbs would give infinite distances. ± is half the width of a 95 % "
        f"interval over splits. The paper has {PAIRS:,} training pairs; here there are "
        f"{round(0.9 * nouns.total):,}."
    )
    shown, sheet = tabulate_means(sizes, curves)
    return Reproduced(
        "Relative entropies (Pereira, Tishby & Lee 1993, Figure 3)",
        about=about,
        claims=judge(sizes, rows, round(0.9 * nouns.total)),
        tables=[shown],
        data=[{"n_clusters": size, **row} for size, row in zip(sizes, rows, strict=True)],
        sheet=sheet,
        picture=lambda: draw_curves(sizes, curves, "relative entropy (bits)"),
    )


def take_nouns(table: Counts) -> tuple[Counts, Counts]:
    """Return the counts of the `FREQUENT` most frequent nouns, and of the next most frequent."""
    both = table.top(2 * FREQUENT)
    first = table.top(FREQUENT).words.tolist()
    rest = sorted(set(both.words.tolist()).difference(first))
    if not rest:
        raise InputError(
            f"only {len(first)} nouns; at least {FREQUENT + 1} are required", code="too-little-text"
        )
    return both.select(words=first), both.select(words=rest)


def judge(sizes: Sequence[int], rows: Sequence[dict[str, list[float]]], pairs: int) -> list[Claim]:
    """Test the paper's statements about the three curves, given the number of training pairs."""
    train, test, new = (np.array([row[name] for row in rows]) for name in SETS)
    falls = [bool((np.diff(one) < 0).all()) for one in train.T]
    least = int(test.mean(axis=1).argmin())
    sides = [test[end] - test[least] for end in (0, -1)]
    gain = new[0] - new.min(axis=0)
    rises = [curve[-1] - curve.min(axis=0) for curve in (test, new)]
    fewer = f"other data, with {pairs:,} training pairs instead of {PAIRS:,}"
    return [
        Claim(
            RULES["train"], "train", "decreases monotonically",
            f"in {sum(falls)} of {len(falls)} splits", decided=decide_seeds(falls),
        ),
        Claim(
            RULES["minimum"], "test", "decreases, then increases",
            f"lowest at {sizes[least]}, {mean(-sides[0])} from 1 cluster, {mean(sides[1])} to "
            f"{sizes[-1]}",
            decided=decide_all(decide_mean(side.tolist()) for side in sides),
            reason="there is no minimum between the smallest and the largest number of clusters",
        ),
        Claim(
            RULES["position"], "minimum of test", "206 clusters", f"{sizes[least]} clusters",
            decided=decide(sizes[least] in (128, 256)), reason=fewer,
        ),
        Claim(
            RULES["gain"], "gain for new nouns", "over 1 bit", f"{mean(gain)} bits",
            decided=decide_mean((gain - 1).tolist()), reason=fewer,
        ),
        Claim(
            RULES["sharper"], "overtraining, new nouns and test", "sharper for new nouns",
            f"{mean(rises[1])} and {mean(rises[0])} bits",
            decided=decide_mean((rises[1] - rises[0]).tolist()),
        ),
    ]  # fmt: skip


def mean(values: Floats) -> str:
    """Format the mean of values with its sign and half the width of its interval."""
    found = interval(values.tolist())
    return f"{found.mean:+.2f}" if found.low is None else say(found)


def relative_entropy_path(
    counts: Counts,
    ks: Iterable[int],
    random_state: int | None = None,
    *,
    model: Annealing | None = None,
    new: float = 0.1,
    further: Counts | None = None,
    prior: str = "empirical",
) -> list[dict[str, float]]:
    """Return the KL divergence of training, test and new words by number of clusters, in bits.

    10 % of the words are new: they are not used for learning clusters. 10 % of all tokens are test
    tokens. `train`, `test` and `new` are means over words, with equal weight as in the paper, of
    KL(distribution of the word ‖ Σ p(c|n) p(v|c)). For test and new words, the distribution is that
    of the test tokens, and p(c|n) is estimated from the other tokens. `train_loss`, `test_loss` and
    `new_loss` are −log2 p(v|n) per token. All predictions are mixtures of the model (.95) and the
    unigram (.05). The default model is that of the paper.

    With `further` counts (same contexts), their words are the only new words, as in the paper:
    p(c|n) and the distribution use all their tokens. With the prior "uniform", all words have the
    same weight in the clusters, as in the paper.
    """
    rng = np.random.default_rng(random_state)
    train, held = counts.split(0.9, random_state=rng)
    matrix, outside = train.matrix, held.matrix
    known = train.word_totals > 0
    fresh = known & (rng.random(len(counts)) < (new if further is None else 0.0))
    learnt, unseen = np.flatnonzero(known & ~fresh), np.flatnonzero(fresh)
    if not learnt.size:
        raise InputError("no words left for training; pass more counts", code="too-little-text")
    base = matrix[learnt]
    given, asked = matrix[unseen], outside[unseen]
    if further is not None:
        given = asked = further.matrix
    seed = int(rng.integers(2**31))
    walker = AnnealingPath(base, (model or SoftAnnealing()).method, prior=prior, seed=seed)
    background = unigram(base)
    rows = []
    for beta, found in walker.points(ks):
        parts = {
            "train": (base, found.memberships),
            "test": (outside[learnt], found.memberships),
            "new": (asked, found.place(given)),
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
    """Return the mean KL divergence of words from the model, and the loss per token, in bits."""
    found = sparse.coo_array(tokens, dtype=np.float64)
    rows, columns = found.coords
    seen = TokenCells(rows, columns, found.data, np.empty(0), background[columns])
    predicted = seen.smooth(seen.predict(membership, centroids))
    loss, divergence = measure_losses(found, np.log(predicted))
    return bits(divergence), bits(loss)
