"""Thesaurus: classes of any node, neighbours by their classes, and a folder that checks itself."""

from __future__ import annotations

import json
import math
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from roget import Counts, InputError
from roget.core.tree import Tree
from roget.errors import UnknownName
from roget.learn import thesaurus as module
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus_files import FILES


def random_thesaurus(seed, words=12, contexts=9, clusters=4, empty=0.5):
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
    return Thesaurus(
        counts,
        tree,
        sparse.csr_array(belongs),
        random.dirichlet(np.ones(contexts), clusters),
        random.dirichlet(np.ones(clusters)),
        steps=[{"step": 1, "beta": 1.5, "critical_beta": None, "free_energy": math.inf}],
        provenance={"clusterer": "none", "beta": 2.0},
    )


THESAURI = st.builds(
    random_thesaurus,
    st.integers(0, 10**6),
    st.integers(2, 15),
    st.integers(2, 9),
    st.integers(1, 6),
)


def clusters_below(tree, node):
    return [
        int(tree.cluster[leaf])
        for leaf in range(tree.n_nodes)
        if tree.cluster[leaf] >= 0 and node in tree.path(leaf)
    ]


def naive_kl(p, q):
    return sum(
        float(a) * (math.log(a) - math.log(b)) if b > 0 else math.inf
        for a, b in zip(p, q, strict=True)
        if a > 0
    )


def naive_centroid(t, node):
    below = clusters_below(t.tree, node)
    total = sum(t.mass[c] for c in below)
    return [
        sum(t.mass[c] * t.centroids[c][v] for c in below) / total for v in range(t.contexts.size)
    ]


def naive_place(t, row):
    node = 0
    while t.tree.children(node):
        node = max(
            t.tree.children(node),
            key=lambda child: sum(t.memberships[row, c] for c in clusters_below(t.tree, child)),
        )
    return node


@settings(max_examples=15)
@given(THESAURI)
def test_classes_are_as_defined(t):
    places = [naive_place(t, row) for row in range(len(t))]
    assert t.places.tolist() == places
    rows = t.counts.matrix.toarray() / t.counts.word_totals[:, None]
    for node in range(t.tree.n_nodes):
        one = t.word_class(node, n=3)
        below = clusters_below(t.tree, node)
        centroid = naive_centroid(t, node)
        assert t.centroid(node) == pytest.approx(centroid)
        assert one.mass == pytest.approx(sum(t.mass[c] for c in below))
        inside = [row for row, place in enumerate(places) if node in t.tree.path(place)]
        assert one.size == len(inside)
        distances = sorted(naive_kl(rows[r], centroid) for r in inside or range(len(t)))
        assert [word.distance for word in one.words] == pytest.approx(distances[:3])
        for word in one.words:
            row = t.counts.word_id(word.word)
            assert word.distance == pytest.approx(naive_kl(rows[row], centroid))
            assert word.probability == pytest.approx(sum(t.memberships[row, c] for c in below))
            assert not inside or row in inside
        root = naive_centroid(t, 0)
        gains = sorted(
            (p * math.log(p / q) for p, q in zip(centroid, root, strict=True) if p), reverse=True
        )
        found = [context.probability * context.lift for context in one.contexts]
        assert found == pytest.approx(gains[:3], abs=1e-8)
        assert one.label.split(", ")[: len(one.words)] == [word.word for word in one.words]


@settings(max_examples=15)
@given(THESAURI)
def test_memberships_and_cuts_agree_with_the_tree(t):
    k = t.tree.n_clusters
    for row, word in enumerate(t.words):
        leaves = t.membership(word)
        assert sum(leaves.values()) == pytest.approx(1)
        assert list(leaves.values()) == sorted(leaves.values(), reverse=True)
        for node, p in leaves.items():
            assert p == pytest.approx(t.memberships[row, t.tree.cluster[node]])
        assert t.path(word)[0] == 0
        assert t.path(word)[-1] == t.places[row]
    for asked in range(1, k + 1):
        tops = t.classes(asked, 1)
        labels = t.cut(asked)
        assert sum(one.size for one in tops) == len(t)
        assert sum(one.mass for one in tops) == pytest.approx(1)
        for row, word in enumerate(t.words):
            assert tops[labels[row]].node in t.path(word), "a class and its number are the same"
            held = t.membership(word, asked)
            assert sum(held.values()) == pytest.approx(1)
            assert set(held) <= {one.node for one in tops}
    assert [one.node for one in t.classes(n=1)] == [t.tree.leaf(c) for c in range(k)]


@settings(max_examples=15)
@given(THESAURI, st.integers(1, 20), st.sampled_from([4, 1 << 22]))
def test_neighbours_are_the_nearest_by_classes_and_counts(t, n, cells):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CELLS", cells)  # so small that the bound has to decide
        found = t.neighbours("w1", n)
    own = t.counts.matrix.toarray() / t.counts.word_totals[:, None]
    mixed = (t.memberships.toarray() @ t.centroids + own) / 2
    me = mixed[1]
    naive = {
        f"w{row}": (naive_kl(me, (me + it) / 2) + naive_kl(it, (me + it) / 2)) / 2
        for row, it in enumerate(mixed)
        if row != 1
    }
    assert len(found) == min(n, len(t) - 1)
    assert [one.distance for one in found] == pytest.approx(sorted(naive.values())[:n], abs=1e-9)
    for one in found:
        assert one.distance == pytest.approx(naive[one.word], abs=1e-9)


@settings(max_examples=15)
@given(THESAURI)
def test_information_is_that_of_both_tables(t):
    def mutual(joint):
        joint = joint / joint.sum()
        return naive_kl(joint.ravel(), np.outer(joint.sum(axis=1), joint.sum(axis=0)).ravel())

    classes, words = t.information()
    assert classes == pytest.approx(mutual(t.mass[:, None] * t.centroids), abs=1e-9)
    assert words == pytest.approx(mutual(t.counts.matrix.toarray()), abs=1e-9)


def test_zero_centroids_are_infinitely_far():
    counts = Counts([[3, 0], [0, 2], [0, 0]], ["a", "b", "never"])
    t = Thesaurus(counts, Tree().split(0, 2.0), np.eye(3)[:, [0, 1]] + [[0, 0], [0, 0], [1, 0]],
                  np.eye(2), [0.6, 0.4])  # fmt: skip
    assert [(one.word, one.distance) for one in t.nearest(1, 3)] == [
        ("a", 0.0), ("b", math.inf), ("never", math.inf)]  # fmt: skip
    assert t.word_class(2).label == "b"
    near = {one.word: one.distance for one in t.neighbours("never")}
    assert near == pytest.approx({"a": 0.0, "b": math.log(2)}), "a word never seen has its classes"
    assert repr(t) == "Thesaurus: 3 words in 2 classes, 2 contexts"


def test_a_class_of_no_words_is_named_by_the_nearest():
    counts = Counts([[3, 1], [2, 2]], ["a", "b"])
    t = Thesaurus(
        counts, Tree().split(0, 2.0), [[0.9, 0.1]] * 2, [[0.6, 0.4], [0.1, 0.9]], [0.9, 0.1]
    )
    assert t.word_class(2).size == 0
    assert t.word_class(2).label == "b, a"


def test_mistakes_are_explained():
    t = random_thesaurus(0)
    with pytest.raises(UnknownName, match=r"no word 'w99'.*did you mean"):
        t.neighbours("w99")
    with pytest.raises(InputError, match="cut into 5 clusters: expected 1 to 4"):
        t.classes(5)
    with pytest.raises(InputError, match="node 7"):
        t.word_class(7)
    with pytest.raises(InputError, match="0 neighbours"):
        t.neighbours("w1", 0)
    parts = (t.counts, t.tree, t.memberships, t.centroids, t.mass)
    for place, wrong, said in (
        (2, t.memberships[:3], "memberships of shape"),
        (2, t.memberships * 0.5, "add up to 0.5, not 1"),
        (3, t.centroids * -1, "centroids: a value is negative"),
        (3, t.centroids[:, :2], "centroids of shape"),
        (4, t.mass * math.nan, "mass: a value is negative or not a number"),
    ):
        given_parts = [*parts[:place], wrong, *parts[place + 1 :]]
        with pytest.raises(InputError, match=said):
            Thesaurus(*given_parts)
    with pytest.raises(InputError, match="SimpleNamespace is not fitted"):
        Thesaurus.from_clustering(t.counts, SimpleNamespace())


@settings(max_examples=5)
@given(THESAURI)
def test_everything_comes_back(tmp_path_factory, t):
    folder = tmp_path_factory.mktemp("save") / "a.thesaurus"
    t.save(folder)
    again = Thesaurus.load(folder)
    assert again.counts == t.counts
    assert again.tree == t.tree
    assert again.memberships.toarray().tolist() == t.memberships.toarray().tolist()
    assert again.centroids.tolist() == t.centroids.tolist()
    assert again.mass.tolist() == t.mass.tolist()
    assert again.provenance == t.provenance
    assert again.steps == ({"step": 1, "beta": 1.5, "critical_beta": None, "free_energy": None},)
    assert [one.label for one in again.classes()] == [one.label for one in t.classes()]
    assert sorted(path.name for path in folder.parent.iterdir()) == ["a.thesaurus"]


@pytest.fixture
def folder(tmp_path):
    random_thesaurus(1).save(tmp_path / "t")
    return tmp_path / "t"


@pytest.mark.parametrize("name", FILES)
def test_a_faulty_file_is_named(folder, name):
    file = folder / name
    whole = file.read_bytes()
    middle = len(whole) // 2
    file.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    with pytest.raises(InputError, match=f"{name}: the file was changed"):
        Thesaurus.load(folder)
    file.write_bytes(whole[:-1])
    with pytest.raises(InputError, match=rf"{name}: [\d,]+ bytes; thesaurus.json says"):
        Thesaurus.load(folder)
    file.unlink()
    with pytest.raises(InputError, match=f"{name}: the file is missing"):
        Thesaurus.load(folder)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": 2}, "version 2 of the format; this roget reads up to version 1: update"),
        ({"format": "roget.counts"}, "the format is 'roget.counts'"),
        ({"tree": [1]}, "'tree' is"),
        ({"tree": {"parent": [-1], "value": [None], "cluster": [0]}}, "memberships of shape"),
        ({"shape": [1, 1, 1]}, "not a whole thesaurus"),
        ({"dtype": "float16"}, "'dtype' is"),
        ({"files": {}}, "says nothing of words.parquet"),
    ],
)
def test_a_manifest_that_makes_no_sense(folder, change, said):
    place = folder / "thesaurus.json"
    place.write_text(json.dumps(json.loads(place.read_text()) | change))
    with pytest.raises(InputError, match=said):
        Thesaurus.load(folder)


def test_other_folders_are_neither_read_nor_replaced(folder, tmp_path):
    with pytest.raises(InputError, match="no such directory"):
        Thesaurus.load(tmp_path / "absent")
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match=r"not a thesaurus: it has no thesaurus.json"):
        Thesaurus.load(tmp_path / "mine")
    with pytest.raises(InputError, match="is not a thesaurus, so it is not replaced"):
        random_thesaurus(2).save(tmp_path / "mine")
    random_thesaurus(2).save(folder)
    assert Thesaurus.load(folder).counts == random_thesaurus(2).counts
    shutil.rmtree(folder)
    (tmp_path / "t").write_text("a file")
    with pytest.raises(InputError, match="it is a file"):
        random_thesaurus(2).save(tmp_path / "t")


def test_nothing_in_the_arrays_is_run(folder):
    import hashlib

    file = folder / "centroids.npz"
    np.savez(file, centroids=np.array([print], dtype=object), mass=np.ones(4))
    place = folder / "thesaurus.json"
    record = json.loads(place.read_text())
    data = file.read_bytes()
    record["files"]["centroids.npz"] = {
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    place.write_text(json.dumps(record))
    with pytest.raises(InputError, match=r"centroids.npz: cannot be read as arrays"):
        Thesaurus.load(folder)
