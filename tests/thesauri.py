"""Thesauri for tests: random ones, and one with obvious classes."""

from __future__ import annotations

import json
import math

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from folders import unseal
from roget import Counts
from roget.core.tree import Tree
from roget.learn.clustering.memberships import one_hot
from roget.learn.thesaurus import Thesaurus


def random_thesaurus(seed, words=12, contexts=9, clusters=4, empty=0.5, labels=None):
    """Any tree, any memberships; centroids that have nothing to do with the counts."""
    random = np.random.default_rng(seed)
    tree = Tree()
    for k in range(1, clusters):
        tree = tree.split(int(random.integers(k)), 1.0 + k)
    belongs = random.dirichlet(np.ones(clusters) * 0.5, words)
    belongs[random.random(belongs.shape) < 0.3] = 0
    belongs[:, 0] += 1e-3
    belongs /= belongs.sum(axis=1, keepdims=True)
    matrix = random.poisson(3, (words, contexts)) * (random.random((words, contexts)) > empty)
    matrix[:, 0] += 1
    counts = Counts(matrix, [f"w{n}" for n in range(words)], [f"v{n}" for n in range(contexts)])
    return Thesaurus.from_parts(
        counts,
        tree,
        sparse.csr_array(belongs),
        random.dirichlet(np.ones(contexts), clusters),
        random.dirichlet(np.ones(clusters)),
        steps=[{"step": 1, "beta": 1.5, "critical_beta": None, "free_energy": math.inf}],
        provenance={"clusterer": "none", "beta": 2.0},
        labels=labels,
    )


THESAURI = st.builds(
    random_thesaurus,
    st.integers(0, 10**6),
    st.integers(2, 15),
    st.integers(2, 9),
    st.integers(1, 6),
)

FAMILIES = {
    "drinks": ["tea", "ale", "milk", "wine"],
    "texts": ["book", "poem", "play"],
    "arms": ["gun", "knife", "sword", "bow", "spear"],
    "homes": ["hut", "house"],
}


def planted(reverse=False, left_out=()):
    """Four families, one class each, in two pairs; or the same, all numbered backwards."""
    names = sorted(FAMILIES, reverse=True) if reverse else list(FAMILIES)
    first = ("homes", "arms") if reverse else ("drinks", "texts")
    order = [*first, *(name for name in names if name not in first)]
    # Splits: the first pair from the second, then each pair.
    tree = Tree().split(0, 1.5).split(0, 2.0).split(1, 2.5)
    order = [order[0], order[2], order[1], order[3]]  # cluster 2 was split from 0, 3 from 1
    owner = {word: order.index(name) for name, words in FAMILIES.items() for word in words}
    words = sorted(set(owner) - set(left_out), reverse=reverse)
    belongs = np.zeros((len(words), 4))
    matrix = np.zeros((len(words), 8), dtype=np.int64)
    for row, word in enumerate(words):
        belongs[row, owner[word]] = 1
        matrix[row, 2 * owner[word] : 2 * owner[word] + 2] = 3 + row, 2
    counts = Counts(matrix, words, [f"{name}-{n}" for name in order for n in (1, 2)])
    sums = belongs.T @ matrix + 0.01
    mass = matrix.sum(axis=1) @ belongs / matrix.sum()
    centroids = sums / sums.sum(axis=1, keepdims=True)
    return Thesaurus.from_parts(counts, tree, belongs, centroids, mass, provenance={"beta": 3.0})


MIXED, EACH, CONTEXTS = 10, 30, 25
"""Families of words, words and contexts of each."""


def mixtures(seed=0, share=0.5, tokens=400):
    """Ten families of thirty words, and ten words that are drawn from two families each."""
    random = np.random.default_rng(seed)
    profiles = np.zeros((MIXED, MIXED * CONTEXTS + 20))
    for family in range(MIXED):
        own = slice(family * CONTEXTS, (family + 1) * CONTEXTS)
        profiles[family, own] = 0.8 * random.dirichlet(np.ones(CONTEXTS))
        profiles[family] += 0.2 * random.dirichlet(np.ones(profiles.shape[1]))
    home = np.repeat(np.arange(MIXED), EACH)
    table = [random.multinomial(tokens, profiles[one]) for one in home]
    pairs = [(one, (one + 2) % MIXED) for one in range(MIXED)]
    for one, other in pairs:
        table.append(
            random.multinomial(tokens, (1 - share) * profiles[one] + share * profiles[other])
        )
    words = [f"w{row}" for row in range(home.size)] + [f"m{row}" for row in range(MIXED)]
    counts = Counts(np.array(table), words, [f"c{column}" for column in range(profiles.shape[1])])
    return counts, np.concatenate([home, np.arange(MIXED)]), pairs


def hard(counts, home):
    """The thesaurus of words that are in one class each, side by side."""
    k = int(home.max()) + 1
    sums = (one_hot(home, k).T @ counts.matrix).toarray() + 0.01
    mass = sums.sum(axis=1)
    tree = Tree.flat(k)
    return Thesaurus.from_parts(
        counts, tree, one_hot(home, k), sums / mass[:, None], mass / mass.sum()
    )


def words_of(thesaurus, node):
    """The words that have their place in a class."""
    return {str(word) for word in thesaurus.words if node in thesaurus.path(word)}


def same(one, other):
    """Whether two thesauri say the same of everything."""
    return (
        one.counts == other.counts
        and one.tree == other.tree
        and one.labels == other.labels
        and one.memberships.toarray().tolist() == other.memberships.toarray().tolist()
        and one.centroids.tolist() == other.centroids.tolist()
        and one.mass.tolist() == other.mass.tolist()
        and one.places.tolist() == other.places.tolist()
    )


def as_version_1(folder):
    """The folder as roget wrote it before there were labels and edits."""
    place = unseal(folder)
    record = json.loads(place.read_text())
    del record["labels"], record["clustering"]
    place.write_text(json.dumps(record))
    (folder / "edits.json").unlink()


def written(folder):
    """The bytes of each file in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def noisy(families=5, size=30, columns=1500, seed=0):
    """Counts of planted families; the words of the last one are rare, in random contexts."""
    rng = np.random.default_rng(seed)
    rows = []
    for family in range(families):
        likely = rng.dirichlet(np.full(columns, 0.02))
        for _ in range(size):
            good = family + 1 < families
            chosen = likely if good else np.full(columns, 1 / columns)
            rows.append(rng.multinomial(150 if good else 12, chosen))
    words = [f"w{at}" for at in range(len(rows))]
    return Counts(np.array(rows), words), np.repeat(np.arange(families), size)
