"""Moves of words between classes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from roget.learn.clustering.memberships import one_hot
from roget.learn.growth.update import _move


def find_moves(labels, placed, together=None):
    """Return (row, source, target) of each move; all words are changed and none is calm."""
    labels = np.array(labels)
    k = int(labels.max()) + 1
    wide = SimpleNamespace(labels=labels, memberships=one_hot(labels, k), n_clusters=k)
    rows, none = np.arange(labels.size), np.array([], dtype=np.int64)
    # The last word stays where it is, so the noise is the lowest margin.
    together = np.arange(k) if together is None else np.array(together)
    calm = rows[-1:] if labels.size > 1 else none
    steps = _move(wide, np.array(placed), rows[:-1], calm, together)
    return [(int(step.rows[0]), step.source, step.target) for step in steps]


SURE, UNSURE = [1e-9, 1 - 1e-9], [1 - 1e-9, 1e-9]


def test_word_moves_to_the_class_supported_by_its_contexts():
    assert find_moves([0, 0, 1], [SURE, UNSURE, SURE]) == [(0, 0, 1)]


def test_class_keeps_its_last_word():
    assert find_moves([0, 0, 1], [SURE, SURE, SURE]) == [(0, 0, 1)]
    assert find_moves([0, 1, 1], [SURE, SURE, SURE]) == []


def test_words_do_not_move_within_a_merged_class():
    assert find_moves([0, 0, 1], [SURE, UNSURE, SURE], together=[5, 5]) == []
