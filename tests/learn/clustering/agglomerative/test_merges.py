"""Greedy merges against naive code that compares all pairs at every step."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from roget.learn.clustering.agglomerative.merges import BLOCK, Merges, merge_words, weigh_words


def entropy(row: Any) -> float:
    total = sum(row)
    return -sum(x / total * math.log(x / total) for x in row if x > 0)


def divergence(one: Any, other: Any) -> float:
    """(p(a) + p(b)) times the Jensen–Shannon divergence, by entropies."""
    both = [a + b for a, b in zip(one, other, strict=True)]
    inner = sum(one) * entropy(one) + sum(other) * entropy(other)
    return sum(both) * entropy(both) - inner


def naive(joint: Any) -> list[tuple[int, int, float]]:
    clusters = {at: list(row) for at, row in enumerate(joint)}
    done = []
    while len(clusters) > 1:
        pairs = [(a, b) for a in clusters for b in clusters if a < b]
        losses = {pair: divergence(clusters[pair[0]], clusters[pair[1]]) for pair in pairs}
        one, other = min(pairs, key=lambda pair: losses[pair])
        done.append((one, other, losses[one, other]))
        clusters[one] = [a + b for a, b in zip(clusters[one], clusters.pop(other), strict=True)]
    return done


def table(words: int, contexts: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    means = rng.dirichlet(np.full(contexts, 0.3), 4)
    counts = np.array([rng.multinomial(rng.integers(2, 60), means[n % 4]) for n in range(words)])
    counts[:, 0] += 1
    return counts


@pytest.mark.parametrize("prior", ["empirical", "uniform"])
@pytest.mark.parametrize("seed", range(4))
def test_every_merge_is_the_cheapest(seed: int, prior: str) -> None:
    counts = table(45, 12, seed)
    joint = weigh_words(np.asarray(counts), prior)
    dense = joint.toarray()
    assert dense.sum() == pytest.approx(1)
    found, expected = merge_words(joint), naive(dense)
    assert found.whole
    np.testing.assert_allclose(found.losses, [loss for *_, loss in expected], atol=1e-12)
    assert found.pairs.tolist() == [[one, other] for one, other, _ in expected]


def test_all_information_is_lost_in_the_end() -> None:
    joint = weigh_words(table(80, 20, 9), "empirical")
    dense = joint.toarray()
    independent = dense.sum(axis=1, keepdims=True) * dense.sum(axis=0)
    seen = dense > 0
    result = float(np.sum(dense[seen] * np.log(dense[seen] / independent[seen])))
    assert merge_words(joint).losses.sum() == pytest.approx(result, rel=1e-9)


def test_identical_words_are_merged_first_at_no_cost() -> None:
    counts = np.repeat([[6, 3, 0, 0], [0, 2, 2, 4], [1, 1, 1, 1]], 20, axis=0)
    found = merge_words(weigh_words(counts, "uniform"))
    np.testing.assert_allclose(found.losses[:57], 0, atol=1e-15)
    assert (found.losses[57:] > 0.01).all()
    assert [len(set(found.label(3)[20 * n : 20 * n + 20])) for n in range(3)] == [1, 1, 1]


def test_stopped_run_resumes_to_the_same_end() -> None:
    joint = weigh_words(table(3 * BLOCK, 15, 3), "empirical")
    whole = merge_words(joint)

    def stop(merges: Merges) -> None:
        raise KeyboardInterrupt

    part = merge_words(joint, report=stop)
    assert not part.whole
    assert part.losses.size == BLOCK
    rest = merge_words(joint, part)
    assert np.array_equal(rest.pairs, whole.pairs)
    np.testing.assert_allclose(rest.losses, whole.losses, atol=1e-15)


def test_interrupt_before_the_first_merge_is_raised() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        merge_words(weigh_words(table(3 * BLOCK, 15, 3), "empirical"), pause=stop)


def test_gaps_are_closed_when_the_buffers_are_full() -> None:
    """Rows are written behind the others, and move when there is no room left."""
    joint = weigh_words(table(60, 25, 5), "empirical")
    found = merge_words(joint)
    room = 2 * joint.nnz + joint.shape[1]
    written = joint.nnz + sum(
        int(np.count_nonzero(joint.toarray()[found.label(60 - step) == c].sum(axis=0)))
        for step in range(1, 60)
        for c in [found.label(60 - step)[found.pairs[step - 1, 0]]]
    )
    assert written > room, "the table is large enough to try it"
    np.testing.assert_allclose(
        found.losses, [loss for *_, loss in naive(joint.toarray())], atol=1e-12
    )


def test_labels_and_tree_agree() -> None:
    joint = weigh_words(table(40, 12, 1), "empirical")
    found = merge_words(joint)
    for k in (1, 2, 5, 17, 40):
        labels, tree = found.label(k), found.tree(k, 100.0)
        assert sorted(set(labels.tolist())) == list(range(k))
        assert tree.n_clusters == k
        for fewer in (1, 2, 5, 17, 40):
            if fewer <= k:
                coarse = tree.cut(fewer)[labels]
                pairs = set(zip(coarse.tolist(), found.label(fewer).tolist(), strict=True))
                assert len(pairs) == fewer, "a cut has the clusters there were when so many"
        inner = tree.value[~np.isnan(tree.value)]
        assert sorted(inner) == pytest.approx(sorted(100 * found.losses[::-1][: k - 1]))


def test_single_word_is_not_merged() -> None:
    found = merge_words(weigh_words(np.array([[3, 1]]), "empirical"))
    assert found.whole
    assert found.label(1).tolist() == [0]
    assert found.tree(1).n_clusters == 1
