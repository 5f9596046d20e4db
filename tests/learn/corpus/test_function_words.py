"""Detection of function words from text alone."""

from __future__ import annotations

import numpy as np
import pytest

from roget.learn.corpus.base import Strings, Tokens
from roget.learn.corpus.function_words import LEAST, find_function_words


def batch(words, texts, size=20):
    """Sentences of equal length."""
    ids = np.array([words.id(text) for text in texts], np.int32)
    return Tokens(np.append(np.arange(0, ids.size, size), ids.size), ids)


@pytest.fixture
def text():
    """Words of a topic that changes, between "ka" and "lo"; "star" belongs to the first topic."""
    generator = np.random.default_rng(3)
    found = []
    for topic in range(60):
        for place in range(100):
            name = f"w{topic}.{int(40 * generator.random() ** 2)}"
            found += [name, "ka" if generator.random() < 0.6 else "lo"]
            found += ["star"] * (topic == 0 and place < 25)
    return found


def test_frequent_words_in_any_position_are_function_words(text):
    words = Strings()
    assert find_function_words([batch(words, text)], words) == ("ka", "lo")


def test_batches_are_treated_as_one_text(text):
    words = Strings()
    cut = len(text) // 3 // 20 * 20
    parts = [batch(words, text[:cut]), batch(words, text[cut:])]
    assert find_function_words(parts, words) == ("ka", "lo")


def test_short_text_has_no_function_words(text):
    words = Strings()
    assert find_function_words([batch(words, text[: LEAST - 1])], words) == ()
    assert find_function_words([], words) == ()
