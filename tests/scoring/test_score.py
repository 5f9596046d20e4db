"""`roget.score` end to end, without files."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from roget import InputError, RogetError, Undefined, measure, score
from roget.errors import code_of
from roget.scoring.measures.base import DEFAULT_MEASURES, parse
from support.errors import codes, notice, refused

GOLD = {
    "w1": ["a", "a", "a", "b", "b", "b"],
    "w2": ["x", "x", "y", "y"],
}
SYSTEM = {
    "w1": [1, 1, 2, 2, 2, 2],
    "w2": [1, 1, 2, 2],
}


def frame(answers):
    import pandas as pd

    rows = [
        (f"{word}.{i}", label, word) for word, ls in answers.items() for i, label in enumerate(ls)
    ]
    return pd.DataFrame(rows, columns=["item", "label", "group"])


def test_default_report_has_default_measures():
    table = score([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    shown = dict.fromkeys(row.measure for row in table.rows)
    assert tuple(shown) == DEFAULT_MEASURES
    assert [row.entropy for row in table.rows if row.measure == "v"] == ["ml", "jk"]
    assert [row.entropy for row in table.rows if row.measure == "ari"] == [None]
    for row in table.rows:
        assert set(row.baselines) == {"one cluster", "one per item", "random"}
        assert all(v is not None and math.isfinite(v) for v in row.baselines.values())
    assert (table.items, table.groups, table.classes, table.clusters) == (6, 1, 3, 3)


def test_groups_are_weighted_by_items():
    table = score(frame(GOLD), frame(SYSTEM), "v", "ml")
    one = measure("v", GOLD["w1"], SYSTEM["w1"])
    assert measure("v", GOLD["w2"], SYSTEM["w2"]) == 1.0
    assert table["v"] == pytest.approx((6 * one + 4) / 10)
    even = score(frame(GOLD), frame(SYSTEM), "v", "ml", average="unweighted")
    assert even["v"] == pytest.approx((one + 1) / 2)
    assert "average:unweighted" in even.signature


def test_pooled_labels_are_private_to_their_group():
    """Cluster 1 of one word is unrelated to cluster 1 of another."""
    pooled = score(frame(GOLD), frame(SYSTEM), "v", "ml", average="pooled")
    gold = [f"{w}{label}" for w, labels in GOLD.items() for label in labels]
    system = [f"{w}{label}" for w, labels in SYSTEM.items() for label in labels]
    assert pooled["v"] == pytest.approx(measure("v", gold, system))
    assert pooled.groups == 1


def test_undefined_groups_are_excluded_and_counted():
    gold = {"w1": ["a", "a", "b"], "w2": ["x", "x", "x"]}
    table = score(frame(gold), frame({"w1": [1, 1, 2], "w2": [1, 2, 2]}), "gamma")
    assert table["gamma"] == 1.0
    notice(table.warnings, "undefined-groups", "gamma", "1 of 2")


def test_score_defined_in_few_groups_is_undefined():
    """One group of three with a value is not an average."""
    gold = {"w1": ["a", "a", "b"], "w2": ["x", "x"], "w3": ["y", "y"]}
    (row,) = score(frame(gold), frame({"w1": [1, 1, 2], "w2": [1, 2], "w3": [1, 2]}), "gamma").rows
    assert row.value is None
    assert "in 2 of 3 groups" in row.reason


def test_undefined_score_has_a_reason():
    table = score([0, 0, 0], [0, 1, 1], "gamma")
    (row,) = table.rows
    assert row.value is None
    assert row.reason
    assert row.as_dict()["reason"] == row.reason
    with pytest.raises(Undefined) as caught:
        table["gamma"]
    assert row.reason in str(caught.value)
    with pytest.raises(Undefined):
        measure("gamma", [0, 0, 0], [0, 1, 1])


@pytest.mark.parametrize(
    ("missing", "v"),
    [("cluster", ["a", "a", "b", "b"]), ("singletons", ["a", "a", "b", "c"]), ("drop", ["a", "a"])],
)
def test_missing_items_follow_the_rule(missing, v):
    gold = {"i1": "x", "i2": "x", "i3": "y", "i4": "y"}
    table = score(gold, {"i2": "a", "i1": "a", "extra": "q"}, "v", "ml", missing=missing)
    assert table["v"] == pytest.approx(measure("v", list(gold.values())[: len(v)], v))
    assert f"missing:{missing}" in table.signature
    assert any("2 of 4" in warning for warning in table.warnings)
    assert any("1 item" in warning and "gold" in warning for warning in table.warnings)


def test_missing_items_raise_error_on_request():
    with pytest.raises(InputError, match="i2"):
        score({"i1": "x", "i2": "x"}, {"i1": "a"}, missing="error")


def test_scores_below_baselines_are_warned_about_by_measure():
    random = np.random.default_rng(0)
    gold = random.integers(0, 4, 200)
    table = score(gold, random.integers(0, 4, 200))
    warnings = [text for text in table.warnings if code_of(text) == "below-baseline"]
    for text, name in zip(warnings, ("one cluster", "one per item", "random"), strict=True):
        # Every measure by which the baseline is as good is named before the examples, no other is.
        named = set(re.split(r"[ ,]+", text.partition(":")[0]))
        for row in table.rows:
            baseline, best = row.baselines[name], parse(row.measure).best
            beaten = not parse(row.measure).better(row.value, baseline) and baseline != best
            others = [one for one in table.rows if one.measure == row.measure]
            if beaten:
                assert row.measure in named
            elif len(others) == 1:
                assert row.measure not in named


def test_good_clustering_has_no_warning():
    random = np.random.default_rng(0)
    gold = random.integers(0, 4, 2000)
    system = np.where(random.random(2000) < 0.9, gold, random.integers(0, 4, 2000))
    assert score(gold, system).warnings == ()


def test_sparse_tables_and_bias_are_warned_about():
    random = np.random.default_rng(0)
    table = score(random.integers(0, 9, 60), random.integers(0, 9, 60))
    notice(table.warnings, "sparse-table", "(1.3 items")
    notice(table.warnings, "bias", f"{table['homogeneity', 'ml']:.3f} (ml)")


def test_signature_names_every_setting():
    signature = score([0, 1], [0, 1], ["v(beta=2)", "ari"], ["bub", "jk"]).signature
    fields = dict(field.split(":", 1) for field in signature.split("|"))
    assert fields["measures"] == "v(beta=2),ari"
    assert fields["entropy"] == "bub,jk"
    assert fields["support"] == "CxK+seen"
    assert fields["missing"] == "cluster"
    assert fields["gold"] == fields["system"] == "hard"
    assert fields["ci"] == "none"


def test_repeated_requests_give_one_row():
    assert len(score([0, 1], [0, 1], ["v", "v(beta=1)", "ari", "ari"], "ml").rows) == 2


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"measures": "vv"}, "'vv'"),
        ({"entropy": "jackknife"}, "'jackknife'"),
        ({"average": "mean"}, "'mean'"),
        ({"measures": "v(beta=x)"}, "'x'"),
        ({"measures": "v(beta=-1)"}, "-1"),
        ({"measures": "nmi(average=mean)"}, "arithmetic"),
        ({"measures": "v[2]"}, r"v\[2\]"),
        ({"measures": "v@jk"}, "measures='v', entropy='jk'"),
        ({"measures": "zzqq"}, "q2, q0"),
        ({"entropy": []}, "entropy"),
    ],
)
def test_invalid_requests_are_refused(options, value):
    with pytest.raises(RogetError, match=value):
        score([0, 1], [0, 1], **options)


def test_unknown_options_suggest_nearest_name():
    with refused("unknown-name", "'nosie'", "noise"):
        score([0, 1], [0, 1], nosie="-1")


def test_rows_are_looked_up_by_name():
    table = score([0, 0, 1], [0, 0, 1], ["v", "ari"])
    assert table["v", "jk"] == table["v"] == table["ari"] == 1.0
    with refused("unknown-name", "ari"):
        table["arj"]


def test_progress_is_reported():
    seen = []
    score(frame(GOLD), frame(SYSTEM), "v", progress=lambda now: seen.append((now.done, now.total)))
    assert seen == [(1, 2), (2, 2)]


def test_score_requires_a_system():
    with refused("missing-option"):
        score([0, 1, 2])


def test_different_lengths_are_refused():
    with pytest.raises(InputError, match="3"):
        score([0, 1], [0, 1, 2])


def test_empty_input_is_refused():
    with pytest.raises(InputError):
        score([], [])


def test_weighted_groups_are_scored_separately():
    gold = {"i1": "x", "i2": "y"}
    system = {"i1": {"a": 3, "b": 1}, "i2": {"b": 1}}
    whole = score(gold, system, "v", "ml")
    assert "system:weighted" in whole.signature
    import pandas as pd

    left = pd.DataFrame({"item": [*gold] * 2, "label": [*gold.values()] * 2, "group": list("1122")})
    rows = [(item, label, weight, group) for group in "12" for item, answer in system.items()
            for label, weight in answer.items()]  # fmt: skip
    right = pd.DataFrame(rows, columns=["item", "label", "weight", "group"])
    grouped = score(left, right, "v", "ml")
    assert grouped.groups == 2
    assert grouped["v"] == pytest.approx(whole["v"])
    with refused("conflicting-options", "--average"):
        score(left, right, "v", "ml", average="pooled")


def test_details_locate_errors():
    table = score(frame(GOLD), frame(SYSTEM), "v", "ml", details=True)
    assert [group.group for group in table.details.worst] == ["w1", "w2"]
    (mixed,) = table.details.mixed
    assert (mixed.name, mixed.group, mixed.size, mixed.parts) == ("2", "w1", 4, 2)
    assert (mixed.largest, mixed.share) == ("b", 0.75)
    (scattered,) = table.details.scattered
    assert (scattered.name, scattered.largest) == ("a", "1")
    assert table.as_dict()["details"]["worst"][0]["value"] < 1
    text = str(table)
    assert "v ml" in text
    assert score([0, 1], [0, 1], details=True).details.mixed == ()


def test_signature_names_how_weights_are_read():
    assert "weights:per-item" in score([0, 1], np.array([[0.5, 0.5], [0, 1]]), "v").signature
    assert "weights:none" in score([0, 1], [0, 1], "v").signature


def test_identical_inputs_are_warned_about(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("item\tlabel\na\tx\nb\tx\nc\ty\n")
    notice(score(path, path).warnings, "identical-inputs")
    assert "identical-inputs" not in codes(score(["a", "b"], ["a", "b"]).warnings)
