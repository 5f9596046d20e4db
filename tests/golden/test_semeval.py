"""SemEval-2010 task 14, Table 1 of Li, Titov & Sporleder (V × 100 under four estimators)."""

from __future__ import annotations

import pytest

from roget import compare, score

TASK = "semeval2010-task14"
TABLE_1 = {
    "baselines/1cl1inst.key": (31.6, 29.5, 27.4, -3.6),
    "baselines/mfs_all.key": (0.0, 0.0, 0.0, 0.5),
    "systems/380-408_duluth-wsi-testdata-pk2-new.txt": (9.0, 6.9, 5.7, 5.6),
    "systems/380-513_duluth-wsi-testdata-co-pk2.txt": (7.9, 6.4, 5.7, 5.7),
    "systems/380-514_duluth-wsi-testdata-svd-300-pk2.txt": (9.0, 6.9, 5.7, 5.6),
    "systems/380-518_duluth-wsi-testdata-svd-300-gap.txt": (0.0, 0.0, 0.0, 0.5),
    "systems/380-519_duluth-wsi-testdata-co-gap.txt": (4.8, 4.1, 3.8, 4.1),
    "systems/380-520_duluth-wsi-testdata-gap.txt": (3.1, 2.6, 2.5, 2.7),
    "systems/380-521_duluth-wsi-testdata-r12.txt": (2.3, 0.8, 0.2, 0.3),
    "systems/380-522_duluth-wsi-testdata-r13.txt": (3.6, 1.5, 0.5, 0.7),
    "systems/380-523_duluth-wsi-testdata-r15.txt": (5.3, 2.4, 0.7, 1.3),
    "systems/380-524_duluth-wsi-testdata-r110.txt": (8.6, 4.7, 1.9, 3.0),
}
ESTIMATORS = ("ml", "mm", "jk", "bub")
TOLERANCE = {"ml": 0.001, "mm": 0.001, "jk": 0.001, "bub": 0.004}


@pytest.mark.parametrize("system", TABLE_1)
def test_table_1(system, shared_data):
    gold = shared_data / TASK / "gold/all.key"
    table = score(gold, shared_data / TASK / system, "v", ESTIMATORS, baselines=False)
    assert (table.items, table.groups) == (8915, 100)
    for name, published in zip(ESTIMATORS, TABLE_1[system], strict=True):
        assert table["v", name] == pytest.approx(published / 100, abs=TOLERANCE[name]), name


def test_random_baseline(shared_data):
    """The paper's Random row is the mean of the organisers' five random answers."""
    folder = shared_data / TASK
    answers = sorted(folder.glob("baselines/random*.key"))
    tables = [score(folder / "gold/all.key", a, "v", ESTIMATORS, baselines=False) for a in answers]
    for name, published in zip(ESTIMATORS, (4.4, 1.9, 0.5, 0.8), strict=True):
        mean = sum(table["v", name] for table in tables) / len(tables)
        assert mean == pytest.approx(published / 100, abs=2 * TOLERANCE[name]), name


def test_compare_the_task(shared_data):
    """All systems in one call, with the task's other scores; ranks as published among these ten."""
    folder = shared_data / TASK
    systems = sorted((folder / "systems").iterdir())
    comparison = compare(
        folder / "gold/all.key",
        systems,
        ["v", "paired-f", "b3-f"],
        ["ml", "jk"],
        splits=[folder / "sup/80_20", folder / "sup/60_40"],
        ci=200,
    )
    assert len(comparison.systems) == 10
    recall = {
        (row.system[:7], row.measure): row
        for row in comparison.rows
        if row.measure.startswith("supervised") and not row.trivial
    }
    # Recall is over items, as the task has it, while V stays the mean over words: to the digit.
    assert "|average:weighted|" in comparison.signature
    assert comparison.signature.endswith("|splits:pooled")
    for name, published in {
        "380-524": (0.548, 0.536), "380-521": (0.585, 0.577), "380-408": (0.605, 0.595),
    }.items():  # fmt: skip
        for split, value in zip(("80_20", "60_40"), published, strict=True):
            row = recall[name, f"supervised-recall[{split}]"]
            assert round(row.value, 3) == value
            assert row.low < row.value < row.high
    # Where all items are one cluster, each gets the most frequent sense of its word.
    most = {r.measure: r.value for r in comparison.rows if r.system == "one cluster"}
    assert round(most["supervised-recall[80_20]"], 3) == 0.587
    ml = sorted((r for r in comparison.rows if (r.measure, r.entropy) == ("v", "ml") and r.rank),
                key=lambda r: r.rank)  # fmt: skip
    assert [row.system[4:7] for row in ml[2:]] == [
        "524", "513", "523", "519", "522", "520", "521", "518",
    ]  # fmt: skip
