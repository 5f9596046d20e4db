"""Moves of words between classes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from roget.core.counts import Counts
from roget.learn.clustering.memberships import one_hot
from roget.learn.growth.update import _confirm, _move, _Moves


def find_moves(labels, margins, together=None, clear=5.0):
    """Return (row, source, target) of each move between the classes 0 and 1."""
    labels = np.array(labels)
    k = int(labels.max()) + 1
    wide = SimpleNamespace(labels=labels, memberships=one_hot(labels, k), n_clusters=k)
    rows = np.arange(len(margins))
    together = np.arange(k) if together is None else np.array(together)
    found = _Moves(1 - labels[rows], np.array(margins), np.full(len(margins), clear))
    steps = _move(wide, rows, found, together)
    return [(int(step.rows[0]), step.source, step.target) for step in steps]


def test_word_with_a_clear_margin_moves():
    assert find_moves([0, 0, 1], [20.0, -20.0]) == [(0, 0, 1)]
    assert find_moves([0, 0, 1], [20.0, -20.0], clear=20.0) == []


def test_class_keeps_its_last_word():
    assert find_moves([0, 0, 1], [20.0, 20.0]) == [(0, 0, 1)]
    assert find_moves([0, 1, 1], [20.0]) == []


def test_words_do_not_move_within_a_merged_class():
    assert find_moves([0, 0, 1], [20.0, -20.0], together=[5, 5]) == []


class Two:
    """Two classes, each with a context of its own; p(c|word) by the odds of their tokens."""

    n_clusters = 2

    def __init__(self, labels):
        self.labels = np.array(labels)

    def place(self, matrix):
        odds = np.exp(np.asarray(matrix @ np.array([[1.0, 0.0], [0.0, 1.0]])))
        return odds / odds.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("more", "margin"),
    [((0, 9), 6.0), ((0, 4), 4.0), ((9, 0), -9.0)],  # by all counts, by new ones, both against it
)
def test_margin_of_a_move_is_no_larger_than_that_of_the_new_tokens(more, margin):
    words = [f"w{at}" for at in range(41)]
    rows = np.array([[3, 0], *[[6, 0]] * 20, *[[0, 6]] * 20])
    before = Counts(rows, words, ["a", "b"])
    grown = rows.copy()
    grown[0] += more
    counts = Counts(grown, words, ["a", "b"])
    wide = Two([0] * 21 + [1] * 20)
    found = _confirm(wide, before, counts, np.array([0]), np.array([1]), np.array([6.0]))
    assert found.margins == pytest.approx([margin])
    # Halved words keep their classes, or lose all tokens, which gives no margin.
    assert found.clear == pytest.approx([np.log(2)])


def test_move_must_exceed_the_noise_of_halved_words():
    """Words of mixed use look like words of another class in half of the samples."""
    words = [f"w{at}" for at in range(61)]
    rows = np.array([[3, 0], *[[40, 39]] * 30, *[[39, 40]] * 30])
    before = Counts(rows, words, ["a", "b"])
    grown = rows.copy()
    grown[0] += (0, 40)
    counts = Counts(grown, words, ["a", "b"])
    wide = Two([0] * 31 + [1] * 30)
    found = _confirm(wide, before, counts, np.array([0]), np.array([1]), np.array([30.0]))
    assert found.margins == pytest.approx([30.0])
    assert 3 < found.clear[0] < 30
