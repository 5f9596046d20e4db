"""Vectors of words by contexts, classes and traits, and their combination."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from roget.core.counts import Counts
from roget.core.counts.views import unit
from roget.core.quadruple import Quadruple
from roget.errors import InputError
from roget.learn.attachment.quads import LemmatisedQuadruple
from roget.learn.attachment.sources import (
    Sources,
    Vectors,
    embed_classes,
    embed_contexts,
    find_classes,
    spaces,
    tables,
    tabulate,
)
from roget.learn.clustering.mdl.estimator import MDLTree
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.thesaurus import Thesaurus

TOKENS = {
    ("fork", "with:eat"): 4, ("spoon", "with:eat"): 3, ("pizza", "obj:eat"): 5,
    ("pasta", "obj:eat"): 4, ("pasta", "obj:cook"): 2, ("pizza", "obj:cook"): 1,
    ("Ford", "^Capital"): 2, ("fork", "obj:buy"): 1,
}  # fmt: skip


def cosine(vectors: Vectors, one: str, other: str) -> float:
    found = vectors.look_up([one, other], [one, other])[1]
    return float(found[0] @ found[1])


def test_words_with_common_contexts_are_similar() -> None:
    vectors = embed_contexts(TOKENS, seed=0)
    assert cosine(vectors, "fork", "spoon") > 0.3 > 0.01 > cosine(vectors, "fork", "pizza")
    assert cosine(vectors, "pasta", "pizza") > 0.3
    assert np.linalg.norm(vectors.table, axis=1) == pytest.approx(1, abs=1e-5)


def test_full_dimensions_give_cosines_of_mutual_information() -> None:
    words, contexts, counts = tabulate(TOKENS)
    dense = counts.toarray()
    weight = dense.sum(axis=0)
    result = np.zeros_like(dense)
    for i in range(len(words)):
        for j in range(len(contexts)):
            if dense[i, j]:
                expected = dense[i].sum() * weight[j] / weight.sum()
                result[i, j] = max(math.log(dense[i, j] / expected), 0)
    result /= np.maximum(np.linalg.norm(result, axis=1, keepdims=True), 1e-12)
    found = embed_contexts(TOKENS, seed=0).table
    assert found @ found.T == pytest.approx(result @ result.T, abs=1e-5)


def test_randomised_vectors_are_reproducible() -> None:
    rng = np.random.default_rng(0)
    made = Counter((f"w{rng.integers(60)}", f"c{rng.integers(50)}") for _ in range(3000))
    one, same, exact = (embed_contexts(made, seed=0, dimensions=size) for size in (40, 40, 60))
    assert np.array_equal(one.table, same.table)
    cosines = (one.table @ one.table.T)[np.triu_indices(60, 1)]
    full = (exact.table @ exact.table.T)[np.triu_indices(60, 1)]
    assert np.corrcoef(cosines, full)[0, 1] > 0.8


def test_unknown_words_get_vectors_of_their_traits() -> None:
    vectors = embed_contexts(TOKENS, seed=0)
    places, found = vectors.look_up(["nissan", "x", "fork"], ["Nissan", "x", "fork"])
    assert places.tolist() == [-1, -1, vectors.words.index("fork")]
    assert cosine(vectors, "Ford", "Ford") == pytest.approx(1, abs=1e-5)
    ford = vectors.table[vectors.words.index("Ford")]
    assert found[0] @ ford > 0.9
    assert not found[1].any()


def test_common_classes_make_words_similar_at_every_level() -> None:
    taxonomy = Taxonomy("thing", {name: name for name in ("thing", "food", "tool", "dish")})
    taxonomy.parents = {"food": ["thing"], "tool": ["thing"], "dish": ["food"]}
    for word, name in (("pizza", "dish"), ("pasta", "dish"), ("apple", "food"), ("fork", "tool")):
        taxonomy.add(word, name)
    places = find_classes(taxonomy, ["pizza", "pasta", "apple", "fork", "moon", "Fork"])
    assert places["pizza"] == {"dish": 1, "food": 1, "thing": 1}
    assert "moon" not in places
    cells = {(word, name): share for word, own in places.items() for name, share in own.items()}
    vectors = embed_classes(cells, seed=0)
    near, far, none = (cosine(vectors, "pizza", word) for word in ("pasta", "apple", "fork"))
    assert near == pytest.approx(1, abs=1e-5)
    assert near > far > none == pytest.approx(0, abs=1e-5)


def test_find_classes_handles_deep_and_cyclic_taxonomies() -> None:
    names = [str(at) for at in range(3000)]
    deep = Taxonomy("deep", dict(zip(names, names, strict=True)))
    deep.parents = {name: [str(at)] for at, name in enumerate(names[1:])}
    deep.add("leaf", names[-1])
    assert len(find_classes(deep, ["leaf"])["leaf"]) == 3000
    deep.parents["0"] = ["2999"]
    with pytest.raises(InputError, match="deep: "):
        find_classes(deep, ["leaf"])


def test_several_paths_to_a_class_count_once() -> None:
    taxonomy = Taxonomy("top", {name: name for name in ("top", "a", "b", "low")})
    taxonomy.parents = {"low": ["a", "b"], "a": ["top"], "b": ["top"]}
    taxonomy.add("word", "low")
    assert find_classes(taxonomy, ["word"])["word"] == {"low": 1, "a": 1, "b": 1, "top": 1}


def test_word_is_divided_among_its_senses() -> None:
    taxonomy = Taxonomy("top", {"a": "a", "b": "b"})
    taxonomy.add("bank", "a", 9.0)
    taxonomy.add("bank", "b", 1.0)
    assert find_classes(taxonomy, ["bank"])["bank"] == pytest.approx({"a": 0.75, "b": 0.25})


def test_learnt_thesaurus_places_words() -> None:
    counts = Counts([[9, 1, 0, 0], [8, 2, 0, 1], [0, 0, 7, 3], [1, 0, 6, 4]], list("abcd"))
    thesaurus = Thesaurus.from_clustering(counts, MDLTree(random_state=0).fit(counts))
    places = find_classes(thesaurus, ["a", "b", "d", "z"])
    assert set(places) == {"a", "b", "d"}
    assert places["a"] == places["b"] != places["d"]
    assert set(places["a"]) & set(places["d"]) == {"0"}


def test_combine_concatenates_weighted_vectors() -> None:
    one = Vectors(["a", "b"], unit([[1, 0], [0.6, 0.8]]), ["^s"], unit([[0, 1]]))
    other = Vectors(["b", "c"], unit([[1.0], [1.0]]), [], np.zeros((0, 1), np.float32))
    both = one.combine(other, 0.36)
    assert both.words == ["a", "b", "c"]
    assert np.linalg.norm(both.table, axis=1) == pytest.approx(1, abs=1e-6)
    # a is known by contexts only, c by classes only.
    assert cosine(both, "a", "b") == pytest.approx(0.6 * 0.8, abs=1e-6)
    assert cosine(both, "b", "c") == pytest.approx(0.6, abs=1e-6)
    assert cosine(both, "a", "c") == 0
    assert both.look_up(["x"], ["xs"])[1] == pytest.approx(np.array([[0, 1, 0]]))


def test_saved_vectors_are_the_same() -> None:
    made = embed_contexts(TOKENS, seed=0).round()
    again = Vectors.read(made.content())
    for name in ("words", "hints"):
        assert getattr(again, name) == getattr(made, name)
    assert np.array_equal(again.table, made.table)
    assert np.array_equal(again.hinted, made.hinted)


def test_vectors_without_counts_are_empty() -> None:
    for made in (embed_contexts({}, seed=0), embed_classes({}, seed=0)):
        places, found = made.look_up(["a"], ["a"])
        assert places.tolist() == [-1]
        assert found.shape == (1, 0)


def test_answers_are_not_contexts() -> None:
    normal = [LemmatisedQuadruple("eat", "pizza", "with", "fork")]
    made = [
        tables([Quadruple("eat", "pizza", "with", "fork", answer)], normal, Sources())
        for answer in "NV"
    ]
    assert made[0] == made[1]
    verbs, nouns = spaces([Quadruple(*normal[0], "N")], normal, Sources(), seed=0)
    assert verbs.words == ["eat"]
    assert nouns.words == ["fork", "pizza"]
