"""Hierarchies in every format: Newick, merges, paths, and roget's own exports."""

from __future__ import annotations

import gzip
import json
import time

import numpy as np
import pytest

from roget import Hierarchy, InputError, score
from roget.scoring.labels import as_labels
from roget.scoring.labels.hierarchy import is_linkage
from support.errors import list_problems, notice, refused

GOLD = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 1}


def clusters(tree, k):
    """The items of each cluster of a cut."""
    found = {}
    for item, cluster in zip(tree.items, tree.cut(k).tolist(), strict=True):
        found.setdefault(cluster, set()).add(item)
    return sorted(map(sorted, found.values()))


class TestNewick:
    def test_newick_with_names_lengths_comments_and_inner_names_is_read(self):
        text = "[&R] (('a b':1.5,\"c\":2e-1)in:3,\n 'it''s'[note],(x_y,z w):-1)root:0;"
        tree = Hierarchy.from_newick(text)
        assert tree.items == ["a b", '"c"', "it's", "x_y", "z w"]
        assert tree.names[:2] == ["root", "in"]
        assert tree.cuts.tolist() == [1, 3, 4, 5]

    def test_branch_lengths_determine_order_of_splits(self):
        tree = Hierarchy.from_newick("((a:1,b:1):9,((c:1,d:1):1,e:2):1);")
        assert clusters(tree, 2) == [["a", "b"], ["c", "d", "e"]]
        assert clusters(tree, 3) == [["a", "b"], ["c", "d"], ["e"]]

    def test_trees_without_lengths_split_by_level_and_size(self):
        tree = Hierarchy.from_newick("((a,b),((c,d),e));")
        assert clusters(tree, 3) == [["a", "b"], ["c", "d"], ["e"]]
        assert clusters(tree, 4) == [["a"], ["b"], ["c", "d"], ["e"]]

    @pytest.mark.parametrize(
        ("text", "place", "message"),
        [
            ("((a,b),c", "t:1: column 8", "found 'c'"),
            ("((a,b),\nc));", "t:2: column 3", "outside"),
            ("((a,b);", "t:1: column 7", "1 "),
            ("(a,,b);", "t:1: column 4", "a leaf without a name"),
            ("(a,b)(c);", "t:1: column 6", "opening bracket"),
            ("(a,b);\n(c,d);", "t:2: column 1", "second tree"),
            ("(a]b,c);", "t:1: column 2", "found 'a]b"),
            ("(a,'b);", "t:1: column 4", "found"),
            ("", "t:1: column 1", "';'"),
            ("(a:1,b:long);", "t", "'long' "),
            ("(a:1,b:inf);", "t", "'inf' "),
            ("(a:1,b:1_0);", "t", "'1_0' "),
            ("(a:1,b:١);", "t", "'١' "),
            ("(a,b,a);", "t", "'a' "),
        ],
    )
    def test_newick_errors_report_position(self, text, place, message):
        with pytest.raises(InputError) as caught:
            Hierarchy.from_newick(text, "t")
        assert place in str(caught.value)
        assert message in str(caught.value)

    @pytest.mark.parametrize(
        "text",
        ["word " * 20_000, "a" * 100_000, "((a,b),c" + "d " * 50_000, "[" * 100_000, "(" * 100_000],
    )
    def test_invalid_newick_is_refused_quickly(self, text):
        started = time.process_time()
        with refused("broken-lines"):
            Hierarchy.from_newick(text)
        assert time.process_time() - started < 2

    def test_deep_and_wide_newick_trees_are_read(self):
        deep = 20_000
        text = "(" * deep + "a0" + "".join(f",a{i})" for i in range(1, deep + 1)) + ";"
        tree = Hierarchy.from_newick(text)
        assert len(tree) == deep + 1
        assert tree.cuts[-1] == deep + 1
        wide = Hierarchy.from_newick(f"({','.join(f'a{i}' for i in range(deep))});")
        assert wide.cuts.tolist() == [1, deep]

    @pytest.mark.parametrize("name", ["t.nwk", "t.newick", "t.tree", "t.nwk.gz", "t.txt"])
    def test_newick_files_of_every_suffix_are_scored(self, tmp_path, name):
        data = b"((a,b),(c,d,e));\n"
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
        assert score(GOLD, tmp_path / name, "ari")["ari"] == 1.0


class TestMerges:
    LINKAGE = np.array([[0, 1, 0.5, 2], [2, 3, 0.7, 2], [4, 6, 1.0, 3], [5, 7, 2.0, 5]])

    def test_merges_file_is_inferred_as_linkage(self, tmp_path):
        gold = [0, 0, 1, 1, 1]
        np.save(tmp_path / "z.npy", self.LINKAGE)
        np.save(tmp_path / "c.npy", self.LINKAGE[:, :2].astype(int))
        for name in ("z.npy", "c.npy"):
            found = score(gold, tmp_path / name, "ari")
            assert found["ari"] == 1.0
            notice(found.warnings, "inferred-format", name, "5 items")
            assert score(gold, tmp_path / name, "ari", labels="linkage")["ari"] == 1.0

    def test_weight_matrix_is_not_read_as_linkage(self, tmp_path):
        weights = np.array([[0.5, 0.5, 0, 0], [0, 0, 1, 0], [0, 0, 0.2, 0.8]])
        np.save(tmp_path / "w.npy", weights)
        assert as_labels(tmp_path / "w.npy").weighted
        with refused("not-a-tree"):
            as_labels(tmp_path / "w.npy", labels="linkage")

    def test_array_in_memory_is_not_inferred_as_linkage(self):
        assert as_labels(self.LINKAGE).tree is None

    @pytest.mark.parametrize(
        ("row", "column", "value", "message"),
        [
            (0, 0, 7, "made only later"),
            (1, 0, 0, "cluster 0 is merged twice"),
            (2, 3, 4, "its parts have 3"),
            (0, 0, -1, "whole numbers from 0"),
            (0, 0, np.nan, "whole numbers from 0"),
        ],
    )
    def test_invalid_linkage_is_refused(self, row, column, value, message):
        broken = self.LINKAGE.copy()
        broken[row, column] = value
        assert not is_linkage(broken)
        with refused("not-a-tree"):
            Hierarchy.from_linkage(broken)

    def test_invalid_shapes_and_ids_of_linkage_are_refused(self):
        with refused("not-a-tree", "4"):
            Hierarchy.from_linkage(np.zeros((3, 3)))
        with refused("not-a-tree", "2"):
            Hierarchy.from_children(np.zeros((3, 2)))
        with refused("length-mismatch", "5", "2"):
            Hierarchy.from_linkage(self.LINKAGE, ["a", "b"])
        assert not is_linkage(np.array([[0, 1, 1, 2]]))

    def test_linkage_accepts_item_ids(self):
        tree = Hierarchy.from_linkage(self.LINKAGE, list("abcde"))
        assert clusters(tree, 2) == [["a", "b"], ["c", "d", "e"]]
        assert repr(tree) == "<Hierarchy of 5 items at 5 leaves>"


@pytest.mark.parametrize(
    ("labels", "text"),
    [("newick", "((a,b),(c,(d,e)));"), ("brown", "0\ta\n0\tb\n10\tc\n110\td\n111\te\n")],
)
def test_tree_format_applies_to_system_only(tmp_path, labels, text):
    gold, system = tmp_path / "gold.tsv", tmp_path / "system.txt"
    gold.write_text("".join(f"{item}\t{label}\n" for item, label in GOLD.items()))
    system.write_text(text)
    assert score(gold, system, "dendrogram-purity", labels=labels)["dendrogram-purity"] == 1.0


def test_linkage_format_applies_to_system_only(tmp_path):
    lines, merges = tmp_path / "gold.txt", tmp_path / "merges.npy"
    lines.write_text("x\nx\ny\n")
    np.save(merges, np.array([[0, 1], [2, 3]]))
    found = score(lines, merges, "dendrogram-purity", labels="linkage")
    assert found["dendrogram-purity"] == 1.0
    assert not any("read as the merges" in text for text in found.warnings)


class TestPaths:
    def test_items_may_end_at_inner_nodes(self):
        tree = Hierarchy.from_paths([["x"], ["x", "y"], ["z"]], ["a", "b", "c"])
        assert clusters(tree, 2) == [["a", "b"], ["c"]]
        assert clusters(tree, 3) == [["a"], ["b"], ["c"]]

    def test_thesaurus_table_is_read_as_tree(self, tmp_path):
        head = "word\tclass_path\tlabel\tprobability\tcount\n"
        rows = ["a\t0/1\tx\t1.0\t3", "b\t0/1\tx\t0.4\t2", "b\t0/2/3\ty\t0.3\t2",
                "b\t0/2/4\tz\t0.3\t2", "c\t0/2/3\ty\t1.0\t1", "d\t0/2/4\tz\t1.0\t1"]  # fmt: skip
        path = tmp_path / "t.tsv"
        path.write_text(head + "\n".join(rows) + "\n")
        tree = as_labels(path).tree
        # Though its likeliest class is 1, most of b belongs below 2, and there to the first.
        assert clusters(tree, 2) == [["a"], ["b", "c", "d"]]
        assert clusters(tree, 3) == [["a"], ["b", "c"], ["d"]]
        path.write_text(head + "a\t0/1\tx\tmuch\t3\nb\t0\n")
        with pytest.raises(InputError) as caught:
            as_labels(path)
        assert list_problems(caught.value) == [(2, "bad-weight"), (3, "broken-lines")]
        assert "'much'" in str(caught.value)

    def test_repeated_line_of_thesaurus_table_is_merged_or_refused(self, tmp_path):
        path = tmp_path / "t.tsv"
        head = "word\tclass_path\tprobability\n"
        path.write_text(head + "a\t0/1\t1.0\na\t0/1\t1.0\nb\t0/2\t1.0\n")
        assert clusters(as_labels(path).tree, 2) == [["a"], ["b"]]
        path.write_text(head + "a\t0/1\t1.0\na\t0/1\t0.5\nb\t0/2\t1.0\n")
        with refused("duplicate-item", "t.tsv:3", "'a'", "'0/1'"):
            as_labels(path)

    def test_long_paths_are_read_quickly(self):
        started = time.process_time()
        paths = [["r", *"01" * 10_000, str(end)] for end in range(2)]
        tree = Hierarchy.from_paths(paths, ["a", "b"], leveled=False)
        assert time.process_time() - started < 5
        assert tree.tree.n_nodes == 20_003
        assert clusters(tree, 2) == [["a"], ["b"]]

    def test_brown_paths_are_read_as_tree(self, tmp_path):
        path = tmp_path / "t.paths"
        path.write_text("00\ta\t5\n00\tb\t3\n01\tc\t2\n1\td\t1\n")
        tree = as_labels(path).tree
        assert clusters(tree, 2) == [["a", "b", "c"], ["d"]]
        path.write_text("02\ta\t5\n")
        with refused("broken-lines", "t.paths:1"):
            as_labels(path)


def test_words_of_thesaurus_json_are_read_as_text(tmp_path):
    """A number is read as its text, as in other files; a list is refused."""
    path = tmp_path / "words.json"
    tree = {"node": 0, "words": [{"word": 5, "placed": True}, {"word": "a", "placed": True}]}
    path.write_text(json.dumps({"tree": tree}))
    assert list(as_labels(path, labels="json").items) == ["5", "a"]
    tree["words"][0]["word"] = ["a"]
    path.write_text(json.dumps({"tree": tree}))
    with refused("broken-lines", "0", "'a'"):
        as_labels(path, labels="json")
