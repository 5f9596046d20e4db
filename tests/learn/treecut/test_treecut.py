"""A tree cut is the shortest of all cuts, and a probability distribution."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from roget.core.counts import Counts, NotCounted
from roget.core.tree import Tree
from roget.errors import InputError
from roget.learn.taxonomy import taxonomy_of
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.thesaurus import Thesaurus
from roget.learn.treecut import TreeCut, WordHierarchy
from support.errors import refused
from support.examples import few

WORDS = "abcdefgh"


def thesaurus_of(parents, memberships):
    """A thesaurus of a tree and of words that belong to its leaves."""
    inner = set(parents[1:])
    leaves = [node for node in range(len(parents)) if node not in inner]
    cluster = [leaves.index(node) if node in leaves else -1 for node in range(len(parents))]
    tree = Tree(parents, [math.nan] * len(parents), cluster)
    k, words = len(leaves), list(WORDS[: len(memberships)])
    counts = Counts(np.ones((len(words), 1)), words, ["c"])
    labels = {node: f"n{node}" for node in range(len(parents))}
    return Thesaurus.from_parts(
        counts, tree, memberships, np.ones((k, 1)), np.full(k, 1 / k), labels=labels
    )


@st.composite
def thesauri(draw, soft=True):
    n_nodes = draw(st.integers(1, 7))
    parents = [-1] + [draw(st.integers(0, node - 1)) for node in range(1, n_nodes)]
    k = n_nodes - len(set(parents[1:]))
    n_words = draw(st.integers(1, 5))
    if soft and draw(st.booleans()):
        weights = st.lists(st.integers(0, 3), min_size=k, max_size=k).filter(any)
        rows = np.array([draw(weights) for _ in range(n_words)], dtype=float)
        return thesaurus_of(parents, rows / rows.sum(axis=1, keepdims=True))
    rows = np.zeros((n_words, k))
    rows[np.arange(n_words), [draw(st.integers(0, k - 1)) for _ in range(n_words)]] = 1
    return thesaurus_of(parents, rows)


@st.composite
def tables(draw, words=5, heads=2, whole=False):
    number = st.integers(0, 9) if whole else st.sampled_from([0, 0, 1, 2, 5, 40, 0.25, 1.5])
    row = st.lists(number, min_size=heads, max_size=heads)
    cells = [draw(row) for _ in range(words)]
    return Counts(np.array(cells), list(WORDS[:words]), [f"h{at}" for at in range(heads)])


def all_cuts(thesaurus, single):
    """Every cut as a list of {(word, leaf): share}, from the tree and the memberships alone."""
    leaf = {int(c): node for node, c in enumerate(thesaurus.tree.cluster) if c >= 0}
    cells = thesaurus.memberships.tocoo()
    places = [
        ((str(thesaurus.words[row]), leaf[int(column)]), share)
        for row, column, share in zip(cells.row, cells.col, cells.data, strict=True)
    ]

    def under(node):
        leaves = set(thesaurus.tree.leaves(node).tolist())
        return {place: share for place, share in places if place[1] in leaves}

    def cuts(node):
        if not under(node):
            return
        yield [under(node)]
        below = [child for child in thesaurus.tree.children(node) if under(child)]
        if below:
            for parts in itertools.product(*(list(cuts(child)) for child in below)):
                yield [piece for part in parts for piece in part]
        elif single:
            yield [{place: share} for place, share in under(node).items()]

    return list(cuts(0))


def naive_length(cut, counts, head, penalty=1.0):
    """(nodes − 1)/2·log|S| − Σ over each share of each token of log p."""
    seen = {word: counts.count(word, head) for word in counts.words.tolist()}
    total = sum(seen[word] * share for piece in cut for (word, _), share in piece.items())
    length = penalty * (len(cut) - 1) / 2 * math.log(max(total, 2))
    for piece in cut:
        size = sum(piece.values())
        f = sum(seen[word] * share for (word, _), share in piece.items())
        for (word, _), share in piece.items():
            if seen[word]:
                length -= seen[word] * share * math.log(f / total * share / size)
    return length


def piece(thesaurus, hierarchy, node):
    """What lies under a node of a cut: {(word, leaf): share}, by the thesaurus."""
    if node >= hierarchy.n_classes:
        leaf = int(hierarchy.origin[hierarchy.tree.parent[node]])
        wanted, rows = [leaf], [int(hierarchy.origin[node])]
    else:
        wanted = thesaurus.tree.leaves(int(hierarchy.origin[node])).tolist()
        rows = range(len(thesaurus))
    return {
        (str(thesaurus.words[row]), leaf): share
        for row in rows
        for leaf, share in thesaurus.membership(str(thesaurus.words[row])).items()
        if leaf in wanted
    }


def counts_for(thesaurus, table):
    return table.select(words=thesaurus.words[: len(table)].tolist())


@few(2)
@given(thesauri(), tables(), st.booleans(), st.sampled_from([1.0, 0.0, 0.3, 4.0]))
def test_no_cut_has_a_shorter_description(thesaurus, table, single, penalty):
    counts = counts_for(thesaurus, table)
    model = TreeCut(thesaurus, words=single, penalty=penalty).fit(counts)
    cuts = all_cuts(thesaurus, single)
    for head, length in zip(counts.contexts, model.description_length_, strict=True):
        known = any(counts.count(word, head) for word in counts.words)
        least = min(naive_length(cut, counts, head, penalty) for cut in cuts) if known else 0.0
        assert length == pytest.approx(least, rel=1e-6, abs=1e-6)
        found = model.cut(head, empty=True)
        nodes = [one.node for one in found]
        # A cut: each word lies under its nodes wholly, and once.
        covered = np.asarray(model.hierarchy_.shares[:, nodes].sum(axis=1)).ravel()
        assert covered == pytest.approx(np.ones(len(thesaurus)))
        # And it is as short as is claimed.
        if known:
            cut = [piece(thesaurus, model.hierarchy_, node) for node in nodes]
            assert naive_length(cut, counts, head, penalty) == pytest.approx(length)


@few(2)
@given(thesauri(), tables(), st.booleans())
def test_probabilities_equal_those_of_the_cut(thesaurus, table, single):
    counts = counts_for(thesaurus, table)
    model = TreeCut(thesaurus, words=single).fit(counts)
    words = thesaurus.words.tolist()
    shares = model.hierarchy_.shares.toarray()
    for head in counts.contexts.tolist():
        p = model.probability(words, head)
        cut = model.cut(head, empty=True)
        known = sum(counts.count(word, head) for word in words if word in set(counts.words))
        assert p.sum() == pytest.approx(1.0 if known else 0.0)
        assert sum(one.probability for one in cut) == pytest.approx(1.0 if known else 0.0)
        right = [
            sum(one.probability * shares[row, one.node] / one.size for one in cut)
            for row in range(len(words))
        ]
        assert p == pytest.approx(np.array(right))
        for one in cut:
            seen = sum(count for _, count in one.words)
            assert one.probability == pytest.approx(seen / known if known else 0.0)
        assert [one.probability for one in cut] == sorted(
            (one.probability for one in cut), reverse=True
        )


@few(2)
@given(thesauri(), tables(whole=True), st.integers(2, 50))
def test_more_counts_never_raise_the_cut(thesaurus, table, times):
    counts = counts_for(thesaurus, table)
    more = Counts(counts.matrix * times, counts.words, counts.contexts)
    few, many = (TreeCut(thesaurus).fit(one) for one in (counts, more))
    for head, total in zip(counts.contexts, counts.context_totals, strict=True):
        if total < 3:  # log|S| grows by a larger factor than the counts
            continue
        parent = many.hierarchy_.tree.parent
        higher = {one.node for one in few.cut(head, empty=True)}
        for one in many.cut(head, empty=True):
            node = one.node
            while node not in higher and node:
                node = int(parent[node])
            assert node in higher


@few(2)
@given(thesauri(), tables())
def test_heads_are_independent(thesaurus, table):
    counts = counts_for(thesaurus, table)
    together = TreeCut(thesaurus).fit(counts)
    for head in counts.contexts.tolist():
        alone = TreeCut(thesaurus).fit(counts.select(contexts=[head]))
        assert {one[:4] for one in alone.cut(head)} == {one[:4] for one in together.cut(head)}


def test_results_do_not_depend_on_batch_size(monkeypatch):
    thesaurus = thesaurus_of([-1, 0, 0], [[1, 0], [1, 0], [0, 1], [0.5, 0.5]])
    counts = Counts(np.arange(20).reshape(4, 5), list("abcd"))
    whole = TreeCut(thesaurus).fit(counts)
    monkeypatch.setattr("roget.learn.treecut.estimator.ENTRIES", 3)
    parts = TreeCut(thesaurus).fit(counts)
    assert parts.description_length_.tolist() == whole.description_length_.tolist()
    assert [parts.cut(head) for head in counts.contexts] == [
        whole.cut(head) for head in counts.contexts
    ]


def test_single_word_has_probability_one():
    thesaurus = thesaurus_of([-1], [[1.0]])
    model = TreeCut(thesaurus).fit(Counts([[3]], ["a"], ["h"]))
    (only,) = model.cut("h")
    assert only[:4] == (0, "0", "n0", 1.0)
    assert only.words == (("a", 3.0),)
    assert model.probability("a", "h").tolist() == [1.0]
    assert model.description_length_.tolist() == [0.0]


def test_leaf_without_counts_has_probability_zero():
    rows = np.repeat(np.eye(2), 4, axis=0)
    model = TreeCut(thesaurus_of([-1, 0, 0], rows), words=False).fit(
        Counts([[50], [60]], ["a", "b"], ["h"])
    )
    assert [(one.label, one.probability) for one in model.cut("h")] == [("n1", 1.0)]
    whole = model.cut("h", empty=True)
    assert [(one.label, one.probability) for one in whole] == [("n1", 1.0), ("n2", 0.0)]
    assert model.probability(list("abcdefgh"), "h").tolist() == [0.25] * 4 + [0.0] * 4


def test_cut_reaches_words_where_they_differ():
    rows = np.repeat(np.eye(2), 2, axis=0)
    counts = Counts([[500], [0], [30], [29]], list("abcd"), ["h"])
    model = TreeCut(thesaurus_of([-1, 0, 0], rows)).fit(counts)
    assert [(one.id, one.label) for one in model.cut("h")] == [("", "a"), ("2", "n2")]
    assert model.probability("b", "h")[0] == 0
    broad = TreeCut(thesaurus_of([-1, 0, 0], rows), penalty=1000).fit(counts)
    assert [one.label for one in broad.cut("h")] == ["n0"]


def test_unknown_words_have_no_probability_and_are_listed():
    thesaurus = thesaurus_of([-1, 0, 0], [[1, 0], [0, 1]])
    counts = Counts([[3, 0, 0], [1, 0, 0], [4, 2, 0]], ["a", "b", "?"], ["h", "i", "none"])
    model = TreeCut(thesaurus).fit(counts)
    assert model.unknown_.tolist() == [0.5, 1.0, 1.0]
    assert model.probability(["a", "?"], "h")[1] == 0
    assert model.probability("a", ["i", "none", "never"]).tolist() == [0, 0, 0]
    for head in ("i", "none"):
        (root,) = model.cut(head)
        assert root[:4] == (0, "0", "n0", 0.0)
        assert root.words == ()
    assert model.description_length_[1:].tolist() == [0.0, 0.0]
    with pytest.raises(NotCounted, match="'hh'"):
        model.cut("hh")
    none = TreeCut(thesaurus).fit(Counts(np.zeros((1, 0)), ["a"]))
    assert none.description_length_.size == 0
    assert none.probability("a", "h").tolist() == [0.0]


def test_words_are_found_regardless_of_case():
    taxonomy = Taxonomy("t", {"x": "x", "y": "y"})
    for word, name in (("Bible", "x"), ("god", "x"), ("God", "y")):
        taxonomy.add(word, name)
    model = TreeCut(taxonomy).fit(Counts([[5], [9]], ["bible", "god"], ["read"]))
    assert dict(word for one in model.cut("read") for word in one.words) == {"Bible": 5, "god": 9}
    assert model.unknown_.tolist() == [0.0]


def test_probability_broadcasts_words_and_heads(monkeypatch):
    thesaurus = thesaurus_of([-1, 0, 0], [[1, 0], [0, 1]])
    model = TreeCut(thesaurus).fit(Counts([[30, 1], [1, 30]], list("ab"), ["h", "i"]))
    both = model.probability(["a", "a"], ["h", "i"])
    assert both.tolist() == model.probability("a", ["h", "i"]).tolist()
    assert both[0] == model.probability(["a"], ["h"])[0] > both[1]
    assert model.probability([], "h").tolist() == model.probability([], []).tolist() == []
    # In any order, and more than are worked out at a time.
    monkeypatch.setattr("roget.learn.treecut.estimator.PAIRS", 3)
    nouns, heads = list("abbab?aab"), list("hiihihhiz")
    alone = [model.probability(noun, head)[0] for noun, head in zip(nouns, heads, strict=True)]
    assert model.probability(nouns, heads).tolist() == alone
    with refused("length-mismatch", 2, 3):
        model.probability(["a", "b"], ["h", "h", "h"])


DIAMOND = "dog\tpet\ncat\tpet\ndog\tguard\npet\tanimal\npet\tfriend\nguard\tperson\nanimal\tthing\n"
DIAMOND += "friend\tperson\nperson\tthing\nthing\t\n"


def naive_shares(taxonomy, weighted=False):
    """{(word, way from a top to its class): share}, by recursion over all ways up."""

    def ways(name):
        above = taxonomy.parents.get(name, [])
        if not above:
            return [((name,), 1.0)]
        return [
            ((*way, name), share / len(above)) for parent in above for way, share in ways(parent)
        ]

    found = {}
    for word, classes in taxonomy.words.items():
        total = sum(classes.values())
        for name, weight in classes.items():
            for way, share in ways(name):
                part = weight / total if weighted else 1 / len(classes)
                found[word, way] = found.get((word, way), 0) + share * part
    return found


def shares_of(hierarchy):
    """The same, from a hierarchy whose words are nodes."""
    found = {}
    for node in range(hierarchy.n_classes, hierarchy.tree.n_nodes):
        way, at = [], int(hierarchy.tree.parent[node])
        while at >= 0:
            way.append(hierarchy.identifier(at))
            at = int(hierarchy.tree.parent[at])
        # The words of a class with parts have a copy of it of their own.
        way = [name for name, after in itertools.pairwise([*way, None]) if name != after]
        row = int(hierarchy.origin[node])
        key = str(hierarchy.words[row]), tuple(name for name in reversed(way) if name)
        found[key] = found.get(key, 0) + float(hierarchy.shares[[row]][:, [node]].sum())
    return found


def test_word_is_divided_among_senses_and_parents(tmp_path):
    (tmp_path / "t.tsv").write_text(DIAMOND)
    taxonomy = taxonomy_of(tmp_path / "t.tsv")
    found = shares_of(WordHierarchy.from_source(taxonomy))
    assert found == pytest.approx(naive_shares(taxonomy))
    assert found["dog", ("thing", "animal", "pet")] == 0.25
    assert found["dog", ("thing", "person", "guard")] == 0.5


@st.composite
def taxonomies(draw):
    n = draw(st.integers(1, 6))
    names = [f"c{at}" for at in range(n)]
    taxonomy = Taxonomy("top", {name: name for name in names})
    for at in range(1, n):
        above = draw(st.lists(st.sampled_from(names[:at]), max_size=3, unique=True))
        if above:
            taxonomy.parents[names[at]] = above
    for word in WORDS[: draw(st.integers(1, 4))]:
        for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=3)):
            taxonomy.add(word, name)
    return taxonomy


@few(2)
@given(taxonomies(), st.booleans())
def test_shares_equal_naive_computation_for_any_taxonomy(taxonomy, weighted):
    hierarchy = WordHierarchy.from_source(taxonomy, senses="weighted" if weighted else "even")
    assert shares_of(hierarchy) == pytest.approx(naive_shares(taxonomy, weighted))
    roots = hierarchy.shares[:, [0]].toarray().ravel()
    assert roots == pytest.approx(np.ones(len(taxonomy.words)))
    depth = [0] * hierarchy.tree.n_nodes
    for node in range(1, hierarchy.tree.n_nodes):
        assert hierarchy.tree.parent[node] < node
        depth[node] = depth[hierarchy.tree.parent[node]] + 1
        assert node in hierarchy.tree.children(int(hierarchy.tree.parent[node]))
    assert hierarchy.tree.depths.tolist() == depth
    # The lowest classes are the same nodes without the words.
    classes = WordHierarchy.from_source(taxonomy, words=False)
    assert classes.tree.n_nodes == hierarchy.n_classes
    assert classes.tree.parent.tolist() == hierarchy.tree.parent[: hierarchy.n_classes].tolist()


def test_cycle_is_refused_or_broken():
    taxonomy = Taxonomy("loop", {"x": "x", "y": "y"}, {"x": ["y"], "y": ["x"]})
    taxonomy.add("a", "x")
    with pytest.raises(InputError, match=r"loop: .*'x' > 'y'"):
        TreeCut(taxonomy).fit(Counts([[1]], ["a"]))
    taxonomy.loops = True
    assert taxonomy.acyclic() == {"x": ["y"], "y": []}
    model = TreeCut(taxonomy).fit(Counts([[1]], ["a"], ["h"]))
    assert model.probability("a", "h").tolist() == [1.0]


def test_too_many_copies_are_refused(monkeypatch):
    monkeypatch.setattr("roget.learn.taxonomy.taxonomy.MAX_NODES", 10)
    taxonomy = Taxonomy("lattice")
    names = ["top", *(f"{side}{level}" for level in range(4) for side in "lr")]
    taxonomy.labels = {name: name for name in names}
    for level in range(4):
        for side in "lr":
            above = ["top"] if not level else [f"l{level - 1}", f"r{level - 1}"]
            taxonomy.parents[f"{side}{level}"] = above
    taxonomy.add("a", "l3")
    with pytest.raises(InputError, match=r"lattice: .* 10 "):
        WordHierarchy.from_source(taxonomy)


def test_invalid_arguments_are_refused():
    thesaurus = thesaurus_of([-1], [[1.0]])
    counts = Counts([[1]], ["a"])
    with refused("invalid-input", "str"):
        TreeCut("wordnet").fit(counts)
    with refused("invalid-input", "ndarray"):
        TreeCut(thesaurus).fit(np.ones((1, 1)))
    with refused("unknown-name", "evne", "even"):
        TreeCut(Taxonomy("t", {"x": "x"}), senses="evne").fit(counts)
    with refused("empty-input", "t:"):
        TreeCut(Taxonomy("t", {"x": "x"})).fit(counts)
    for penalty in (-1, math.nan, math.inf, "a", None):
        with refused("invalid-option", "penalty", repr(penalty)):
            TreeCut(thesaurus, penalty=penalty).fit(counts)


@pytest.mark.parametrize(
    ("weights", "even"), [((0, 0), True), ((-1, 2), False), ((math.nan, 1), False)], ids=str
)
def test_invalid_weights_of_senses_are_refused(weights, even):
    taxonomy = Taxonomy("t", {"x": "x", "y": "y"})
    for name, weight in zip("xy", weights, strict=True):
        taxonomy.add("a", name, weight)
    with pytest.raises(InputError, match=r"t: 'a' .*\[.*\]"):
        WordHierarchy.from_source(taxonomy, senses="weighted")
    if even:
        assert shares_of(WordHierarchy.from_source(taxonomy)) == pytest.approx(
            naive_shares(taxonomy)
        )
    else:
        with pytest.raises(InputError, match=r"t: 'a'"):
            WordHierarchy.from_source(taxonomy)


def test_tree_cut_is_an_estimator():
    thesaurus = thesaurus_of([-1, 0, 0], [[1, 0], [0, 1]])
    model = TreeCut(WordHierarchy.from_source(thesaurus), penalty=2.0)
    assert clone(model, safe=False).get_params()["penalty"] == 2.0
    counts = Counts([[3], [9]], list("ab"), ["h"])
    first = model.fit(counts)
    hierarchy = first.hierarchy_
    assert first is model
    assert model.fit(counts).hierarchy_ is hierarchy
    other = WordHierarchy.from_source(thesaurus, words=False)
    assert model.set_params(thesaurus=other).fit(counts).hierarchy_ is other
    assert (
        model.set_params(thesaurus=thesaurus, words=False).fit(counts).hierarchy_.tree.n_nodes == 3
    )


def test_empty_classes_are_excluded_from_cuts():
    rows = [[1.0, 0, 0], [0, 1.0, 0]]
    counts = Counts([[1000], [1]], list("ab"), ["h"])
    model = TreeCut(thesaurus_of([-1, 0, 0, 0], rows), words=False).fit(counts)
    assert [one.label for one in model.cut("h", empty=True)] == ["n1", "n2"]
    length = naive_length([{("a", 1): 1.0}, {("b", 2): 1.0}], counts, "h")
    assert model.description_length_[0] == pytest.approx(length)
