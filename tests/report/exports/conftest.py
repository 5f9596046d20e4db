"""A small thesaurus with known numbers, and one with hostile words."""

from __future__ import annotations

import numpy as np
import pytest

from roget import Counts
from roget.core.tree import Tree
from roget.learn.thesaurus import Thesaurus

WORDS = ["tea", "ale", "book", "bank"]
HOSTILE = [
    "<script>document.title='broken'</script>",
    "\"quoted\" 'twice' ''",
    'back\\slash \\n \\u0041 \\"',
    "{{ 7 * 7 }} {% raw %} ]]> &amp; &#60;",
    "*a* _b_ [c](javascript:alert(1)) `d` | e # f ~~g~~",
    "(a,b)c:1;[x]'",
    "שלום \u202egnp.exe",
    "👩‍👩‍👧 ñ ǅ",
    "a_b",
    "=1+1",
    ".",
    "..",
    "-",
    " ",
    "@en",
    "\x0b\u2028\x85x",
    "x" * 10_000,
]
BROKEN = ["tab\there", "line\nbreak", "carriage\rreturn", "\x00\x01\x7f\ufffe"]
"""Words that some formats have no way to write."""


@pytest.fixture(scope="session")
def small() -> Thesaurus:
    """Classes 0 > (1 > (3, 4), 2); tea and ale in 3, book in 2, bank half in 4, half in 2."""
    tree = Tree([-1, 0, 0, 1, 1], [1.5, 2.5, np.nan, np.nan, np.nan], [-1, -1, 0, 1, 2])
    belongs = [[0.05, 0.95, 0], [0, 1, 0], [1, 0, 0], [0.4, 0.05, 0.55]]
    counts = Counts([[9, 1, 0], [8, 2, 0], [0, 1, 7], [3, 3, 3]], WORDS, ["drink", "buy", "read"])
    centroids = [[0, 0.1, 0.9], [0.8, 0.2, 0], [0.3, 0.4, 0.3]]
    return Thesaurus.from_parts(counts, tree, belongs, centroids, [0.3, 0.5, 0.2])


def of_words(words: list[str]) -> Thesaurus:
    """Two classes that have these words by turns; contexts have the same names."""
    size = len(words)
    counts = Counts(np.eye(size, dtype=int) + 1, words, words)
    belongs = np.eye(2)[np.arange(size) % 2]
    centroids = belongs.T @ counts.matrix.toarray()
    centroids /= centroids.sum(axis=1, keepdims=True)
    return Thesaurus.from_parts(counts, Tree().split(0, 1.0), belongs, centroids, [0.5, 0.5])


@pytest.fixture(scope="session")
def hostile() -> Thesaurus:
    return of_words(HOSTILE)


@pytest.fixture(scope="session")
def broken() -> Thesaurus:
    return of_words([*HOSTILE, *BROKEN])


@pytest.fixture(scope="session")
def deep() -> Thesaurus:
    """A comb of 250 splits."""
    size = 251
    parents, clusters = [-1], [-1]
    for split in range(size - 1):
        inner = max(0, 2 * split - 1)
        parents += [inner, inner]
        clusters += [-1 if split < size - 2 else size - 1, split]
    values = np.where(np.array(clusters) < 0, 1.0, np.nan)
    counts = Counts(np.ones((size, 1), dtype=int), [f"w{n}" for n in range(size)], ["c"])
    return Thesaurus.from_parts(
        counts,
        Tree(parents, values, clusters),
        np.eye(size),
        np.ones((size, 1)),
        np.full(size, 1 / size),
    )
