"""Levels of the build, classes with low trust, and tables for readers."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from commands import run
from roget import Counts, SphericalTree
from roget.core.io.workbook import write_workbook
from roget.learn.taxonomy.changes import read_changes
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.quality import unsorted
from roget.report.exports import export
from roget.report.options import ReportOptions


@pytest.fixture(scope="module")
def built():
    """Twelve planted classes below four, and a class of rare words in random contexts."""
    rng = np.random.default_rng(0)
    broad = rng.dirichlet(np.full(1500, 0.02), 4)
    rows = []
    for family in range(12):
        likely = 0.5 * broad[family % 4] + 0.5 * rng.dirichlet(np.full(1500, 0.02))
        rows += [rng.multinomial(120, likely) for _ in range(12)]
    rows += [rng.multinomial(10, np.full(1500, 1 / 1500)) for _ in range(12)]
    counts = Counts(np.array(rows), [f"w{at}" for at in range(len(rows))])
    model = SphericalTree(13, levels="5,13", random_state=0, set_aside=False, min_contexts=1).fit(
        counts
    )
    return Thesaurus.from_clustering(counts, model)


def text(thesaurus, format, **options):
    out = io.StringIO()
    export(thesaurus, out, format, ReportOptions(**options))
    return out.getvalue()


def depth(item):
    return 1 + max(map(depth, item["children"])) if "children" in item else 0


def test_exports_have_the_levels_of_the_build(built):
    assert built.provenance["levels"] == [5, 13]
    tree = json.loads(text(built, "json"))["tree"]
    assert (depth(tree), len(tree["children"])) == (2, 5)
    whole = json.loads(text(built, "json", all_splits=True))["tree"]
    assert len(whole["children"]) == 2
    assert depth(whole) > 2


def test_trees_of_other_programs_have_all_splits(built):
    lines = text(built, "brown").splitlines()
    assert len({line.partition("\t")[0] for line in lines}) == 13
    assert text(built, "newick") == text(built, "newick", all_splits=True)


def test_classes_made_by_edits_are_exported(built):
    node = built.nodes(5)[0]
    inner = next(one for one in built.nodes() if one not in built.nodes(5))
    edited = built.editor.rename(inner, "mine").editor.rename(node, "broad")
    labels = text(edited, "json")
    assert '"mine"' in labels
    assert '"broad"' in labels


def test_classes_with_low_trust_are_left_out_of_booklets_and_skos(built):
    (low,) = unsorted(built)
    words = built.words[built.inside(low)].tolist()
    for format in ("markdown", "skos", "skos-xml"):
        shown = text(built, format)
        assert not any(f"word-{word} " in shown or f" {word}," in shown for word in words)
        assert "with low trust left out" in shown
        more = text(built, format, unsorted=True)
        assert len(more) > len(shown)
    assert built.trust(low).reason in text(built, "markdown", unsorted=True)
    listed = text(built, "tsv")
    assert all(f"{word}\t" in listed for word in words)


def test_export_reports_the_number_of_written_words(built, tmp_path):
    built.save(tmp_path / "t")
    done = run("export", tmp_path / "t", "-o", tmp_path / "t.ttl")
    words = {f"word-{word}>" for word in built.words}
    shown = (tmp_path / "t.ttl").read_text(encoding="utf-8")
    written = sum(f"{word}\n" in shown for word in words)
    assert 0 < written < len(built)
    assert f"{written} words in " in done.stderr


def test_unchanged_skos_export_gives_no_edits(built, tmp_path):
    file = tmp_path / "t.ttl"
    export(built, file)
    assert read_changes(built, file) == []


def test_changed_skos_export_gives_the_change_alone(built, tmp_path):
    low = next(iter(unsorted(built)))
    node = next(one for one in built.nodes() if one != low)
    export(built, tmp_path / "t.ttl")
    label = f'"{built.label(node)}"@und'
    changed = (tmp_path / "t.ttl").read_text(encoding="utf-8")
    assert changed.count(f"skos:prefLabel {label}") == 1
    (tmp_path / "t.ttl").write_text(changed.replace(label, '"fresh"@und'), encoding="utf-8")
    (one,) = read_changes(built, tmp_path / "t.ttl")
    assert (one.action, one.text, one.target) == ("rename", "fresh", int(built.ids[node]))


def test_tables_have_the_levels_and_the_trust(built):
    titles, *rows = csv.reader(io.StringIO(text(built, "csv")))
    assert [one for one in titles if one.startswith("level")] == ["level 1", "level 2"]
    assert {row[0] for row in rows} == set(built.words)
    at = titles.index("count")
    for row in rows:
        assert row[at] == str(built.counts.word_totals[built.rows[row[0]]])
        place = int(built.places[built.rows[row[0]]])
        shown = min(built.trust(place).trust, 0.95)
        assert float(row[at + 1]) == pytest.approx(shown, abs=0.006)
    assert "probability" not in titles, "every word is in one class"


def test_tables_have_the_classes_of_further_senses(built):
    titles, *rows = csv.reader(io.StringIO(text(built, "csv")))
    shown = {row[0]: row[titles.index("other uses")] for row in rows}
    for word in built.words.tolist():
        place = int(built.places[built.rows[word]])
        others = [one.node for one in built.senses(word) if one.node != place]
        assert shown[word] == "; ".join(map(built.label, others))


def test_fractional_counts_are_rounded():
    counts = Counts([[5.16666, 1, 0], [4.2, 2, 0], [0, 1, 7]], ["tea", "ale", "book"])
    made = Thesaurus.from_clustering(counts, SphericalTree(2, random_state=0).fit(counts))
    titles, *rows = csv.reader(io.StringIO(text(made, "csv")))
    assert {row[0]: row[titles.index("count")] for row in rows}["tea"] == "6"


def test_workbook_is_read_by_openpyxl(built, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    export(built, tmp_path / "t.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    rows = [list(row) for row in sheet.iter_rows(values_only=True)]
    again = list(csv.reader(io.StringIO(text(built, "csv"))))
    assert [row[0] for row in rows] == [row[0] for row in again]
    assert isinstance(rows[1][rows[0].index("count")], int)
    assert (sheet.freeze_panes, sheet.auto_filter.ref[:2]) == ("A2", "A1")
    assert sheet.column_dimensions["B"].width > 8
    classes = openpyxl.load_workbook(tmp_path / "t.xlsx")["classes"]
    titles, *listed = classes.iter_rows(values_only=True)
    assert len(listed) == 5 + 13 - sum(node in built.nodes(5) for node in built.tree.cluster_nodes)
    assert titles[:2] == ("class_path", "label")
    assert all(row[titles.index("words")] > 0 for row in listed)


def test_workbook_never_writes_formulas(tmp_path):
    import zipfile

    write_workbook(tmp_path / "t.xlsx", {"words": [["=1+1", "a<b", "\x00", 2, 0.5]]})
    with zipfile.ZipFile(tmp_path / "t.xlsx") as packed:
        assert packed.testzip() is None
        sheet = packed.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "a&lt;b" in sheet
    assert "\x00" not in sheet
    assert "<v>2</v>" in sheet


def test_workbook_is_read_by_the_label_reader(tmp_path):
    from roget import score

    rows = [["item", "label"], ["a", "x"], ["b", "y"], ["c", "y"]]
    write_workbook(tmp_path / "gold.xlsx", {"gold": rows})
    found = score(tmp_path / "gold.xlsx", {"a": 1, "b": 2, "c": 2})
    assert found["v", "ml"] == 1
