"""Calls in the style of other libraries, and number formats."""

from __future__ import annotations

import numpy as np
import pytest

import roget
from commands import run
from roget.errors import InputError
from support.errors import codes, notice, refused

GOLD = [0, 0, 1, 1, 2, 2] * 5
SYSTEM = [0, 0, 1, 2, 2, 2] * 5


def test_measure_name_may_come_last():
    assert roget.measure(GOLD, SYSTEM, "v") == roget.measure("v", GOLD, SYSTEM)


def test_missing_measure_name_is_reported():
    with refused("missing-option", "ndarray", 'measure("v", gold, system)'):
        roget.measure(np.array(GOLD), np.array(SYSTEM))


def test_measure_that_was_not_computed_is_named():
    table = roget.score(GOLD, SYSTEM, "v,ari")
    with refused("unknown-name", "purity", "--measure purity"):
        table["purity"]
    with refused("unknown-name", "'mm'", "jk, ml"):
        table["v", "mm"]


def test_measure_parameters_may_be_keywords():
    expected = roget.measure("v(beta=0.5)", GOLD, SYSTEM)
    assert roget.measure("v", GOLD, SYSTEM, beta=0.5) == expected
    with refused("unknown-name", "gamma"):
        roget.measure("v", GOLD, SYSTEM, gamma=0.5)


def test_sides_may_be_named_as_in_scikit_learn():
    expected = roget.measure("v", GOLD, SYSTEM)
    assert roget.measure("v", y_true=GOLD, y_pred=SYSTEM) == expected
    assert roget.score(y_true=GOLD, y_pred=SYSTEM)["v", "ml"] == expected
    assert roget.measure("v", labels_true=GOLD, labels_pred=SYSTEM) == expected
    assert roget.score(labels_true=GOLD, labels_pred=SYSTEM)["v", "ml"] == expected
    with refused("conflicting-options", "y_true"):
        roget.score(GOLD, SYSTEM, y_true=GOLD)


@pytest.mark.parametrize("name", ["V", "v_measure_score", "v-measure", "V_Measure", "v(beta=1)"])
def test_rows_can_be_looked_up_by_familiar_names(name):
    table = roget.score(GOLD, SYSTEM)
    # Names of other libraries denote what these libraries compute.
    assert table[name] == table["v", "ml" if name == "v_measure_score" else "jk"]
    assert table[name, "jk"] == table["v", "jk"]
    assert roget.measure(name, GOLD, SYSTEM) == table["v", "ml"]
    assert table.falls_short([f"{name}=0"]) == []


def test_columns_of_a_frame_are_systems():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": SYSTEM, "b": GOLD})
    found = roget.compare(GOLD, frame, "ari")
    assert found.systems == ["a", "b"]
    assert found.rows[1].value == 1


@pytest.mark.parametrize("library", ["pandas", "polars", "lazy"])
def test_ids_of_a_frame_are_not_a_system(library):
    module = pytest.importorskip("polars" if library == "lazy" else library)
    ids = [f"x{at}" for at in range(len(GOLD))]
    gold = module.DataFrame({"id": ids[::-1], "gold": GOLD[::-1]})
    frame = module.DataFrame({"id": ids, "a": SYSTEM, "b": GOLD})
    if library == "lazy":
        gold, frame = gold.lazy(), frame.lazy()
    found = roget.compare(gold, frame, "ari")
    assert found.systems == ["a", "b"]
    assert [found.rows[0].value, found.rows[1].value] == [roget.measure("ari", GOLD, SYSTEM), 1]
    one = frame.select(["id", "a"]) if library != "pandas" else frame[["id", "a"]]
    assert roget.compare(gold, one, "ari").systems == ["a"]
    with refused("index-mismatch"):
        roget.compare(GOLD, frame, "ari")


def test_columns_of_a_file_are_systems(tmp_path):
    gold, wide = tmp_path / "gold.csv", tmp_path / "systems.csv"
    rows = [
        (f"x{at}", one, other) for at, (one, other) in enumerate(zip(GOLD, SYSTEM, strict=True))
    ]
    gold.write_text("id,label\n" + "".join(f"{item},{one}\n" for item, one, _ in rows))
    for name in ("id", "doc"):
        wide.write_text(f"{name},a,b\n" + "".join(f"{x},{k},{g}\n" for x, g, k in rows))
        found = roget.compare(gold, [wide], "ari")
        assert found.systems == ["a", "b"]
        assert found.rows[1].value == 1
    with refused("ambiguous-columns", "systems.csv"):
        roget.score(gold, wide)


def test_files_of_a_folder_are_systems(tmp_path):
    (tmp_path / "gold.txt").write_text("\n".join(map(str, GOLD)) + "\n")
    folder = tmp_path / "systems"
    folder.mkdir()
    for name, labels in (("one", SYSTEM), ("two", GOLD)):
        (folder / f"{name}.txt").write_text("\n".join(map(str, labels)) + "\n")
    assert roget.compare(tmp_path / "gold.txt", folder, "ari").systems == ["one", "two"]
    done = run("compare", tmp_path / "gold.txt", folder, "-m", "ari")
    assert "2 systems" in done.stdout, done.stderr


def test_measures_of_a_sample_may_be_separated_by_commas():
    gold = {str(i): i // 2 for i in range(20)}
    system = {str(i): i // 2 for i in range(40)}
    found = roget.score(gold, system, "paired-f,b3-f", extra="sample")
    assert [row.measure for row in found.rows] == ["paired-f", "b3-f"]


def test_large_numbers_in_messages_have_separators():
    gold = {str(i): i % 7 for i in range(3000)}
    system = {str(i): i % 7 for i in range(1500, 6000)}
    texts = " ".join(roget.score(gold, system, "ari").warnings)
    assert "1,500 of 3,000 items" in texts
    assert "3,000 items of" in texts


def test_weighted_data_report_their_total_weight():
    text = str(roget.score(GOLD, SYSTEM, sample_weight=np.linspace(0.5, 1, 30)))
    assert text.startswith("items of total weight 22.5, 3 classes")
    assert "v ↑" in text
    plug_in = roget.score(GOLD, SYSTEM, "v", "ml", sample_weight=np.linspace(0.5, 1, 30))["v"]
    assert f"{plug_in:.3f}" in text


def test_intervals_stay_within_the_range_of_the_measure():
    random = np.random.default_rng(0)
    gold = random.integers(0, 4, 60)
    near = np.where(random.random(60) < 0.97, gold, 0)
    far = random.integers(0, 4, 60)
    for system in (near, far):
        for row in roget.score(gold, system, ["v", "purity", "b3-f", "ari", "rand"], ci=1).rows:
            low, high = (-1, 1) if row.measure == "ari" else (0, 1)
            if low <= row.value <= high:
                assert low <= row.low <= row.value <= row.high <= high, row


def test_notebook_shows_the_line_of_the_caller_and_the_error():
    with pytest.raises(InputError) as caught:
        roget.score([1, 2], [1, 2, 3])
    where, line = caught.value._render_traceback_()
    assert where.endswith(": roget.score([1, 2], [1, 2, 3])")
    assert line == f"InputError: {caught.value} [length-mismatch]"


def test_notice_states_that_number_of_samples_has_no_effect():
    few, many = (roget.score(GOLD, SYSTEM, "v", ci=n) for n in (1, 1000))
    assert [row.low for row in few.rows] == [row.low for row in many.rows]
    notice(many.warnings, "unused-number", "--ci 1000")
    for options in ({}, {"ci": 0}, {"ci": 20, "interval": "percentile"}):
        assert "unused-number" not in codes(roget.score(GOLD, SYSTEM, "v", **options).warnings)


def test_lookup_returns_the_score_of_the_report():
    table = roget.score(GOLD, SYSTEM)
    [row] = [row for row in table.headline.rows if row.measure == "v"]
    assert table["v"] == row.value == table["v", "jk"] != table["v", "ml"]
    plug_in = roget.score(GOLD, SYSTEM, entropy="ml")
    assert plug_in["v"] == plug_in["v", "ml"] == table["v_measure_score"]
    assert roget.score(GOLD, SYSTEM, all=True)["v"] == table["v"]


def test_comparison_contains_the_table_of_each_system():
    systems = {"ours": SYSTEM, "theirs": SYSTEM[::-1]}
    found = roget.compare(GOLD, systems)
    assert list(found) == ["ours", "theirs"]
    assert len(found) == 2
    assert "ours" in found
    assert "one cluster" not in found
    alone = roget.score(GOLD, SYSTEM)
    for row in alone.rows:
        assert found["ours"][row.measure, row.entropy] == row.value
    assert found["ours"]["v"] == alone["v"]
    assert found["ours"].clusters == alone.clusters
    assert found["ours"].rows[0].baselines["one cluster"] == 0
    frame = found["ours"].to_pandas()
    assert frame.shape[0] == len(alone.rows)
    with refused("unknown-name", "'nobody'", "ours, theirs"):
        found["nobody"]
    with refused("unknown-name", "'one cluster'"):
        found["one cluster"]


def test_errors_of_unknown_names_say_what_exists():
    gold, system = list("aabb"), [0, 0, 1, 0]
    with refused("unknown-name", "metrics", "measures"):
        roget.score(gold, system, metrics="ami")
    with refused("unknown-name", "silhouette", "data"):
        roget.score(gold, system, "silhouette")
    with refused("unknown-name", "ami, ml", "ami?"):
        roget.score(gold, system, "ami")["ami", "ml"]
