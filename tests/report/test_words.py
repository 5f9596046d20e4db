"""Tables of words: hostile words cannot break lines of at most 100 columns."""

from __future__ import annotations

import csv
import io

import roget
from roget import Counts
from roget.core.tree import Tree
from roget.learn.thesaurus import Thesaurus
from roget.report.thesaurus import report
from roget.report.words import classify, neighbours

HOSTILE = ["<script>alert(1)</script>", "x" * 10_000, "שלום", "[bold]a[/bold]", '"a"\tb', "🙂"]


def test_hostile_words_do_not_break_tables():
    n = len(HOSTILE)
    counts = Counts([[row + 1, 2] for row in range(n)], HOSTILE, ["y" * 500, "[red]"])
    belongs = [[1.0, 0.0]] * (n - 1) + [[0.0, 1.0]]
    t = Thesaurus.from_parts(counts, Tree().split(0, 1.0), belongs, [[0.5, 0.5]] * 2, [0.5, 0.5])
    for word in HOSTILE:
        text = neighbours(t, word, 10, "both").render()
        assert all(len(line) <= 100 for line in text.splitlines())
        assert len(text.splitlines()) == 2 + 1 + 2 + n - 1 + 2
    found = classify(t, counts, 2)
    assert all(len(line) <= 100 for line in found.render().splitlines())
    assert "[bold]a[/bold]" in found.render()
    rows = list(csv.reader(io.StringIO(found.render("tsv")), delimiter="\t"))
    placed = found.data["words"]
    assert [row[0] for row in rows[1:]] == [one["word"] for one in placed for _ in one["classes"]]


def test_control_characters_are_escaped(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    words = ["\x1b[31mred", "two\nlines\there", "x" * 10_000, "\u202eturned", "plain"]
    counts = Counts([[n + 1, 1] for n in range(5)], words, ["see\x07", "have"])
    t = Thesaurus.from_parts(
        counts, Tree(), [[1.0]] * 5, [[0.5, 0.5]], [1.0], labels={0: "a\tlabel\nhere"}
    )
    for word in words:
        text = neighbours(t, word, 9, "both").render() + classify(t, counts, 1).render()
        assert not set(text) & set("\x1b\x07\t\u202e")
        assert all(len(line) <= 100 for line in text.splitlines())
        assert "\\x1b[31mred" in text
        assert "two\\nlines\\there" in text
        assert "a\\tlabel\\nhere" in text, "no word pushes other columns out"
        assert "occurrence" in text.splitlines()[0]
    assert "x" * 32 + "…" in text
    tree = report(t).render()
    assert "a\\tlabel\\nhere" in tree
    assert "\x07" not in tree


def test_report_of_many_classes_shows_the_most_frequent():
    words = [f"w{row}" for row in range(12)]
    counts = Counts([[row + 1, 12 - row] for row in range(12)], words, ["see", "have"])
    centroids = [[(row + 1) / 13, (12 - row) / 13] for row in range(12)]
    mass = [(row + 1) / 78 for row in range(12)]
    belongs = [[float(row == one) for one in range(12)] for row in range(12)]
    t = Thesaurus.from_parts(counts, Tree.flat(12), belongs, centroids, mass)
    result = report(t)
    assert [one["words"] for one in result.data["tree"]] == [12] + [1] * 8
    assert [one["node"] for one in result.data["tree"]] == [0, *range(12, 4, -1)]
    assert "the 8 most frequent of 12 classes" in result.render()
    few = report(t, 12)
    assert len(few.data["tree"]) == 13
    assert "most frequent" not in few.render()


def test_build_report_shows_the_first_level_with_its_largest_subclasses(tmp_path):
    roget.data.sample("verb_object").top(150).write(tmp_path / "c")
    built = roget.build(
        tmp_path / "c", clusters=12, levels=[3, 6], heldout=False, background="none"
    )
    made = report(built)
    tree, rows = built.tree, made.tables[0].rows
    assert [row["node"] for row in made.data["tree"]] == sorted(
        tree.tops(3), key=lambda node: -built.index.places.shares[node]
    )
    assert sum(int(row[2]) for row in rows) == tree.n_clusters
    assert sum(int(row[1]) for row in rows) == len(built)
    labels = {built.word_class(node, 0).label for node in range(tree.n_nodes)}
    assert all(label in labels for row in rows for label in row[4].split(" · ") if label)
