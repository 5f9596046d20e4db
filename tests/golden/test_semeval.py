"""SemEval-2010 task 14 in one call; Table 1 of Li, Titov & Sporleder is in tests/papers."""

from __future__ import annotations

from roget import compare

TASK = "semeval2010-task14"


def test_compare_reproduces_the_ranking_of_the_task(shared_data):
    """All systems in one call, with the task's other scores; ranks as published among these ten."""
    folder = shared_data / TASK
    systems = sorted((folder / "systems").iterdir())
    comparison = compare(
        folder / "gold/all.key",
        systems,
        ["v", "paired-f", "b3-f"],
        ["ml", "jk"],
        splits=[folder / "sup/80_20", folder / "sup/60_40"],
        ci=40,
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
