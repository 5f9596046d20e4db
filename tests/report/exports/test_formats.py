"""All other formats, read back by independent readers."""

from __future__ import annotations

import csv
import inspect
import io
import json
import math
import re
import sys

import pytest

from roget import InputError, catalogue
from roget.catalogue import EXPORTERS, SUFFIXES
from roget.report.exports import detect_format, export
from roget.report.exports.trees import codes
from roget.report.options import ReportOptions
from support.errors import refused

TEXTS = [
    name for name in EXPORTERS if name not in ("linkage", "parquet", "pdf", "thesaurus", "xlsx")
]


def text(thesaurus, format, **options):
    out = io.StringIO()
    export(thesaurus, out, format, ReportOptions(**options))
    return out.getvalue()


def listed(thesaurus):
    """(word, leaf) for each listing, the naive way."""
    return {
        (str(word), node)
        for word in thesaurus.words
        for node, p in thesaurus.membership(word).items()
        if p >= 0.1 or node == thesaurus.path(word)[-1]
    }


def test_json_export_has_the_tree(small):
    found = json.loads(text(small, "json", title="Tiny", language="en"))
    assert (found["title"], found["language"]) == ("Tiny", "en")
    assert (found["words"], found["classes"]) == (4, 3)
    seen = set()

    def check(item, parent):
        one = small.word_class(item["node"])
        assert one.parent == parent
        assert [child["node"] for child in item.get("children", [])] == list(one.children)
        assert (item["label"], item["size"], item["mass"]) == (one.label, one.size, one.mass)
        assert item["value"] == one.value
        assert item["contexts"][0]["context"] == one.contexts[0].context
        for word in item.get("words", []):
            seen.add((word["word"], item["node"]))
            assert word["probability"] == small.membership(word["word"])[item["node"]]
            assert word["placed"] == (small.path(word["word"])[-1] == item["node"])
            assert word["count"] == small.counts.word_totals[small.counts.word_id(word["word"])]
        for child in item.get("children", []):
            check(child, item["node"])

    check(found["tree"], None)
    assert seen == listed(small)


def test_json_export_preserves_any_word(broken):
    tree = json.loads(text(broken, "json"))["tree"]
    words = [word["word"] for leaf in tree["children"] for word in leaf["words"]]
    assert sorted(words) == sorted(broken.words)


@pytest.fixture
def shallow_stack():
    """Room for calls, but not for one per level of a deep tree."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 150)
    yield
    sys.setrecursionlimit(before)


def test_tree_deeper_than_recursion_limit_is_written(deep, shallow_stack):
    written = text(deep, "json")
    assert written.count('"children": [') == 250
    assert written.count("{") == written.count("}")
    assert written.count("[") == written.count("]")
    written = text(deep, "newick")
    assert written.count("(") == written.count(")") == deep.tree.n_nodes
    assert "0" * 249 + "1\tw249\t1\n" in text(deep, "brown")


def newick(thesaurus):
    dendropy = pytest.importorskip("dendropy")
    return dendropy.Tree.get(
        data=text(thesaurus, "newick"), schema="newick", case_sensitive_taxon_labels=True
    )


def test_newick_is_read_by_dendropy(small):
    tree = newick(small)
    for leaf in tree.leaf_node_iter():
        above = [node.label for node in leaf.ancestor_iter()]
        right = [small.word_class(node).label for node in reversed(small.path(leaf.taxon.label))]
        assert above == right
    assert {leaf.taxon.label for leaf in tree.leaf_node_iter()} == set(small.words)


def test_newick_export_preserves_any_word(broken):
    assert {leaf.taxon.label for leaf in newick(broken).leaf_node_iter()} == set(broken.words)


def test_brown_paths_follow_the_tree(small):
    rows = [line.split("\t") for line in text(small, "brown").splitlines()]
    assert rows == [
        ["00", "ale", "10"],
        ["00", "tea", "10"],
        ["01", "bank", "9"],
        ["1", "book", "8"],
    ]


def test_brown_codes_of_wide_nodes_are_prefix_free():
    import numpy as np

    from roget import Counts
    from roget.core.tree import Tree
    from roget.learn.thesaurus import Thesaurus

    # A root of 5, one of them with a single part of 3.
    tree = Tree([-1, 0, 0, 0, 0, 0, 5, 6, 6, 6], [math.nan] * 10, [-1, 0, 1, 2, 3, -1, -1, 4, 5, 6])
    counts = Counts(np.ones((7, 1)), [f"w{n}" for n in range(7)])
    thesaurus = Thesaurus.from_parts(counts, tree, np.eye(7), np.ones((7, 1)), np.full(7, 1 / 7))
    bits = codes(thesaurus)
    leaves = [bits[int(leaf)] for leaf in tree.leaves()]
    assert len(set(leaves)) == 7
    for a in leaves:
        assert not any(b != a and b.startswith(a) for b in leaves)
    assert bits[6] == bits[5] == "100"


@pytest.mark.parametrize("format", ["brown", "tsv"])
def test_line_based_tables_preserve_hostile_words_or_refuse_them(hostile, broken, format):
    lines = text(hostile, format).removesuffix("\n").split("\n")
    at = 1 if format == "brown" else 0
    words = [line.split("\t")[at] for line in lines]
    assert sorted(words[format == "tsv" :]) == sorted(hostile.words)
    with refused("unsupported-format"):
        text(broken, format)


def test_all_tables_have_the_same_rows(small, tmp_path):
    polars = pytest.importorskip("polars")
    for suffix in ("parquet", "tsv", "csv"):
        export(small, tmp_path / f"t.{suffix}")
    table = polars.read_parquet(tmp_path / "t.parquet")
    assert table.columns[:6] == [
        "word",
        "class_path",
        "label",
        "probability",
        "count",
        "trust",
    ]
    depth = max(len(path.split("/")) for path in table["class_path"]) - 1
    levels = [f"level {n}" for n in range(1, depth + 1)]
    assert table.columns[6:] == ["other uses", *levels]
    expected = [
        table.columns,
        *(["" if one is None else str(one) for one in row] for row in table.rows()),
    ]
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == expected
    lines = (tmp_path / "t.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t") for line in lines] == expected
    seen = set()
    for word, path, label, probability, count, *_ in table.rows():
        nodes = tuple(map(int, path.split("/")))
        assert small.tree.path(nodes[-1]) == nodes
        assert label == small.word_class(nodes[-1]).label
        assert probability == pytest.approx(small.membership(word)[nodes[-1]], rel=1e-5)
        assert count == round(float(small.counts.word_totals[small.counts.word_id(word)]))
        seen.add((word, nodes[-1]))
    assert seen == listed(small)


def test_parquet_export_preserves_any_word_through_a_stream(broken, tmp_path):
    polars = pytest.importorskip("polars")
    out = io.BytesIO()
    export(broken, out, "parquet")
    table = polars.read_parquet(io.BytesIO(out.getvalue()))
    assert sorted(table["word"].to_list()) == sorted(broken.words)
    with refused("not-writable", "Parquet"):
        export(broken, io.StringIO(), "parquet")


STATEMENT = re.compile(
    r'\s*(?:digraph "(?:[^"\\]|\\.)*" \{|rankdir=LR;|node \[.*?\];'
    r'|c(\d+) \[label="((?:[^"\\]|\\.)*)"\];|c(\d+) -> c(\d+);|\})',
    re.DOTALL,
)


def test_graphviz_export_has_the_tree_with_quoted_labels(small, broken):
    for thesaurus in (small, broken):
        drawn, at, labels, arrows = text(thesaurus, "graphviz", title='a "b"'), 0, {}, set()
        while at < len(drawn.rstrip()):
            found = STATEMENT.match(drawn, at)
            assert found, drawn[at : at + 80]
            at = found.end()
            if found[1]:
                labels[int(found[1])] = found[2]
            if found[3]:
                arrows.add((int(found[3]), int(found[4])))
        tree = thesaurus.tree
        assert arrows == {(int(tree.parent[n]), n) for n in range(1, tree.n_nodes)}
        assert labels.keys() == set(range(tree.n_nodes))
        assert not any("\n" in label or "<" in label for label in labels.values())
    shown = text(small, "graphviz")
    assert '\\n\\nale\\ntea"' in shown or '\\n\\ntea\\nale"' in shown


def test_thesaurus_export_is_a_thesaurus_folder(small, tmp_path):
    from roget import load

    export(small, tmp_path / "again.thesaurus")
    assert load(tmp_path / "again.thesaurus").counts == small.counts
    with refused("not-writable"):
        export(small, io.BytesIO(), "thesaurus")


@pytest.mark.parametrize("format", TEXTS)
def test_files_and_streams_have_equal_content(hostile, tmp_path, format):
    export(hostile, tmp_path / "file", format)
    bytes_out, text_out = io.BytesIO(), io.StringIO()
    export(hostile, bytes_out, format)
    export(hostile, text_out, format)
    assert (tmp_path / "file").read_bytes() == bytes_out.getvalue()
    assert bytes_out.getvalue() == text_out.getvalue().encode()


def test_failed_export_keeps_the_old_file(broken, tmp_path):
    (tmp_path / "t.tsv").write_text("old")
    with pytest.raises(InputError):
        export(broken, tmp_path / "t.tsv")
    assert (tmp_path / "t.tsv").read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["t.tsv"]


def test_format_is_inferred_from_suffix():
    assert set(SUFFIXES["exporters"].values()) == set(EXPORTERS)
    assert (detect_format("a/b.TTL"), detect_format("paths"), detect_format("x.dot")) == (
        "skos",
        "brown",
        "graphviz",
    )
    for name in ("-", "x", "x.docx"):
        with refused("unsupported-format", name, "--to"):
            detect_format(name)
    with refused("missing-option"):
        detect_format(io.BytesIO())
    with refused("unknown-name", "newick"):
        export(io.BytesIO(), io.BytesIO(), "newik")
    for name in EXPORTERS:
        assert callable(catalogue.load("exporters", name))
