"""Weights, vectors, and vectors of new words."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from roget.learn.representation.vectors import (
    Representation,
    decompose_exactly,
    spread,
    weigh,
)


def draw(words: int, contexts: int, seed: int = 0, kinds: int = 4) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    kind = np.arange(words) * kinds // words
    rates = np.where(np.arange(contexts) % kinds == kind[:, None], 3.0, 0.3)
    return sparse.csr_array(rng.poisson(rates).astype(float))


def test_weights_equal_explicit_logarithms() -> None:
    counts = np.array([[6.0, 2, 0], [1, 0, 3]])
    found = weigh(sparse.csr_array(counts), counts.sum(axis=0)).toarray()
    for i, j in np.ndindex(2, 3):
        ratio = counts[i, j] * counts.sum() / (counts[i].sum() * counts[:, j].sum())
        assert found[i, j] == pytest.approx(max(0.0, np.log(ratio)) if ratio else 0.0, rel=1e-6)


def test_vectors_equal_a_dense_decomposition() -> None:
    counts = draw(40, 60)
    found = Representation.learn(counts, widths=(40, 40))
    weights = weigh(counts, np.asarray(counts.sum(axis=0)).ravel()).toarray()
    # With all dimensions, cosines of vectors are cosines of rows, and both blocks say the same.
    rows = weights / np.linalg.norm(weights, axis=1, keepdims=True)
    np.testing.assert_allclose(found.vectors @ found.vectors.T, rows @ rows.T, atol=2e-3)


def test_training_words_are_embedded_at_their_vectors() -> None:
    counts = draw(300, 500)
    found = Representation.learn(counts, widths=(20, 30))
    again = found.embed(counts)
    np.testing.assert_allclose(np.sum(again * found.vectors, axis=1), 1, atol=2e-3)
    assert not found.embed(sparse.csr_array((2, 500))).any()


def test_coordinated_word_is_coordinated_with_itself() -> None:
    counts = draw(30, 40)
    words = np.array([f"w{n}" for n in range(30)], dtype=object)
    contexts = np.array([f"conj:w{n}" for n in range(20)] + [f"obj:v{n}" for n in range(20)])
    plain = Representation.learn(counts, widths=(5, 5)).weights.toarray()
    looped = Representation.learn(counts, words=words, contexts=contexts, widths=(5, 5))
    more = looped.weights.toarray() - plain
    rows, columns = np.nonzero(more > 1e-6)
    assert rows.tolist() == columns.tolist() == list(range(20))
    np.testing.assert_allclose(more[rows, columns], plain.max(axis=1)[:20], rtol=1e-5)


def test_saved_representation_is_read_and_checked() -> None:
    found = Representation.learn(draw(50, 60), widths=(5, 8)).keep(np.array([3, -1, 7]))
    assert found.keep(np.array([1, 0, -1, 2])).rows.tolist() == [-1, 3, -1, 7]
    kept = found.to_arrays()
    again = Representation.from_arrays(kept)
    assert np.array_equal(again.vectors, found.vectors)
    assert again.n_words == 3
    assert np.array_equal(again.embed(draw(4, 60, 1)), found.embed(draw(4, 60, 1)))
    for name, wrong in (
        ("rows", np.array([50])), ("rows", np.array([0.5])), ("width", np.array([99])),
        ("vectors", kept["vectors"][:-1]), ("totals", np.full(60, np.nan)),
        ("weights.indices", kept["weights.indices"] + 60),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=name.partition(".")[0]):
            Representation.from_arrays({**kept, name: wrong})


def test_smoothing_equals_explicit_sum() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(12, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    common = np.array([0, 2, 4, 6, 8])
    found = spread(vectors, vectors[common], common, share=0.4, nearest=2)
    for row in range(12):
        cosines = {c: float(vectors[row] @ vectors[c]) for c in common if c != row}
        best = sorted(cosines, key=lambda c: -cosines[c])[:2]
        weights = np.array([max(cosines[c], 0) ** 3 for c in best])
        near = weights @ vectors[best] / max(weights.sum(), 1e-12)
        mixed = 0.6 * vectors[row] + 0.4 * near
        np.testing.assert_allclose(found[row], mixed / np.linalg.norm(mixed), atol=1e-5)


def test_exact_decomposition_equals_the_svd() -> None:
    random = np.random.default_rng(0)
    table = sparse.random_array((60, 90), density=0.2, format="csr", rng=random, dtype=np.float32)
    left, values = decompose_exactly(table, 7)
    expected = np.linalg.svd(table.toarray())
    assert np.allclose(values, expected[1][:7], rtol=1e-4)
    assert np.allclose(np.abs((left * expected[0][:, :7]).sum(axis=0)), 1, atol=1e-3)
