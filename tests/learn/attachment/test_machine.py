"""The kernel machine against explicit kernels and machines refitted without a quadruple."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from roget.learn.attachment import machine as machines
from roget.learn.attachment.machine import EXACT, LINEAR, NOISE, OTHERS, FeatureRows, Machine


def drawn(n: int, prepositions: str = "p", seed: int = 0, words: int = 6) -> FeatureRows:
    """Quadruples of few words with random vectors."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(words, 4)).astype(np.float32)
    table /= np.sqrt(np.square(table).sum(axis=1, keepdims=True))
    ids = rng.integers(0, words, (n, 3))
    return FeatureRows(
        ids,
        (table[ids[:, 0]], table[ids[:, 1]], table[ids[:, 2]]),
        np.array(rng.choice(list(prepositions), n), dtype=object),
        rng.normal(size=(n, 2)).astype(np.float32),
    )


def by_hand(a: FeatureRows, i: int, b: FeatureRows, j: int, pooled: bool) -> float:
    """K of one pair, term by term."""
    product = 1.0
    for at in range(3):
        pairs = zip(a.vectors[at][i], b.vectors[at][j], strict=True)
        cosine = max(sum(float(x) * float(y) for x, y in pairs), 0)
        same = a.words[i, at] == b.words[j, at] and a.words[i, at] >= 0
        product *= (1 + (1 - EXACT) * cosine + EXACT * same) / 2
    linear = sum(float(x) * float(y) for x, y in zip(a.evidence[i], b.evidence[j], strict=True))
    other = pooled and a.prepositions[i] != b.prepositions[j]
    return (product + LINEAR * linear) * (OTHERS if other else 1)


@pytest.mark.parametrize("pooled", [False, True])
def test_kernel_equals_explicit_formula(pooled: bool) -> None:
    a, b = drawn(5, "pq"), drawn(7, "pq", seed=1)
    a.words[0] = -1  # words nobody knows are not the same
    b.words[0] = -1
    found = machines.kernel(a, b, pooled)
    for i in range(5):
        for j in range(7):
            assert found[i, j] == pytest.approx(by_hand(a, i, b, j, pooled), abs=1e-5)


def ridge(items: FeatureRows, answers: Any, asked: FeatureRows, pooled: bool) -> list[float]:
    """mean + k·(K + λ)⁻¹·(y − mean), in double precision."""
    goal = [1.0 if noun else -1.0 for noun in answers]
    mean = sum(goal) / (len(goal) + 2)
    size = len(items)
    table = [[by_hand(items, i, items, j, pooled) for j in range(size)] for i in range(size)]
    weights = np.linalg.solve(np.array(table) + NOISE * np.eye(size), np.array(goal) - mean)
    return [
        mean + math.fsum(by_hand(asked, i, items, j, pooled) * weights[j] for j in range(size))
        for i in range(len(asked))
    ]


def test_scores_equal_ridge_regression() -> None:
    items, asked = drawn(30, "pq"), drawn(6, "pqr", seed=3)
    answers = np.random.default_rng(1).random(30) < 0.5
    machine, _ = Machine.fit(items, answers, np.random.default_rng(0))
    # Prepositions as rare as these have one machine for all, also for new ones.
    assert machine.scores(asked) == pytest.approx(ridge(items, answers, asked, True), abs=1e-3)


def test_left_out_scores_equal_machines_without_the_quadruple(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(machines, "RARE", 10)
    items = drawn(40, "p")
    answers = np.random.default_rng(1).random(40) < 0.5
    _, left_out = Machine.fit(items, answers, np.random.default_rng(0))
    goal = np.where(answers, 1.0, -1.0)
    # The mean is that of all: only the weights are without the quadruple.
    mean = goal.sum() / 42
    for at in (0, 13, 39):
        rest, one = items.select(np.delete(np.arange(40), at)), items.select(np.array([at]))
        pairs = machines.kernel(rest, rest, False) + NOISE * np.eye(39)
        weights = np.linalg.solve(pairs, np.delete(goal, at) - mean)
        expected = mean + float((machines.kernel(one, rest, False) @ weights)[0])
        assert left_out[at] == pytest.approx(expected, abs=2e-3)


def test_frequent_prepositions_have_their_own_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "RARE", 15)
    items = drawn(60, "ppppqqqqrs")
    machine, _ = Machine.fit(items, np.arange(60) % 2 == 0, np.random.default_rng(0))
    assert sorted(machine.blocks) == ["", "p", "q"]
    rows = np.concatenate([block.rows for block in machine.blocks.values()])
    assert np.array_equal(np.sort(rows), np.arange(60))


def test_large_groups_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "RARE", 10)
    monkeypatch.setattr(machines, "MAX_QUADRUPLES", 25)
    monkeypatch.setattr(machines, "CELLS", 100)
    items, answers = drawn(60), np.arange(60) % 2 == 0
    machine, left_out = Machine.fit(items, answers, np.random.default_rng(0))
    again, same = Machine.fit(items, answers, np.random.default_rng(0))
    assert len(machine.items) == 25
    assert np.array_equal(left_out, same)
    assert np.all(np.abs(left_out) > 0)
    assert np.array_equal(machine.scores(items), again.scores(items))


def test_no_machine_for_a_new_preposition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "RARE", 5)
    items, answers = drawn(30), np.arange(30) % 3 > 0
    machine, _ = Machine.fit(items, answers, np.random.default_rng(0))
    new = drawn(2, "z", seed=5)
    assert machine.scores(new) == pytest.approx(machine.blocks["p"].mean)


def test_indefinite_kernel_gets_more_noise() -> None:
    # Cosines cut off at 0 need not make a definite matrix.
    items = drawn(120, "p", words=60)
    answers = np.random.default_rng(2).random(120) < 0.5
    strong = FeatureRows(
        items.words, tuple(50 * part for part in items.vectors), items.prepositions, items.evidence
    )  # type: ignore[arg-type]
    machine, left_out = Machine.fit(strong, answers, np.random.default_rng(0))
    assert np.isfinite(left_out).all()
    assert all(np.isfinite(block.weights).all() for block in machine.blocks.values())
