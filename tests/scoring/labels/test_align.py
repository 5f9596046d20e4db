"""Joining two sides: order is irrelevant and no item is lost without a warning."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import roget
from roget.errors import InputError
from roget.scoring.labels import Labels, align, as_labels
from roget.scoring.labels.align import find_noise, handle_missing, mark_noise
from roget.scoring.labels.labels import take
from roget.scoring.tables.contingency import Contingency
from support.errors import codes, notice, refused


def spell(labels, row):
    """The answer of one row, by name."""
    if labels.indptr is None:
        return {labels.label(int(labels.codes[row])): 1.0}
    at = range(labels.indptr[row], labels.indptr[row + 1])
    return {labels.label(int(labels.codes[e])): float(labels.weights[e]) for e in at}


def joined(aligned):
    """Item → (group, gold answer, system answer), naively."""
    assert len(aligned.gold) == len(aligned.system)
    assert aligned.gold.complete
    assert aligned.system.complete
    result = {}
    for row in range(len(aligned.gold)):
        item = row if aligned.gold.items is None else aligned.gold.items[row]
        group = None if aligned.groups is None else aligned.group_names[aligned.groups[row]]
        result[group, item] = spell(aligned.gold, row), spell(aligned.system, row)
    return result


def test_align_returns_complete_arrays_unchanged():
    gold, system = as_labels(np.array([0, 1, 1])), as_labels(np.array([2, 2, 0], dtype=np.int8))
    aligned = align(gold, system)
    assert aligned.gold is gold
    assert aligned.system is system
    assert (aligned.groups, aligned.group_names) == (None, None)
    assert (aligned.missing, aligned.extra, aligned.warnings) == (0, 0, ())


def test_align_refuses_different_lengths():
    with refused("length-mismatch", "3", "2"):
        align(as_labels([1, 2, 3], gold=True), as_labels([1, 2], name="b"))


def test_align_refuses_ids_on_one_side_only(write):
    with refused("index-mismatch"):
        align(as_labels({"a": 1}, name="g"), as_labels([1], name="s"))
    with refused("index-mismatch"):
        align(as_labels([1], name="g"), as_labels({"a": 1}, name="s"))
    with refused("index-mismatch", "g.txt"):
        align(as_labels(write("g.txt", "x\n")), as_labels({"a": 1}, name="s"))


def test_align_ignores_item_order():
    aligned = align(as_labels({"a": 1, "b": 2, "c": 1}), as_labels({"c": "x", "a": "y", "b": "z"}))
    assert joined(aligned) == {
        (None, "a"): ({"1": 1.0}, {"y": 1.0}),
        (None, "b"): ({"2": 1.0}, {"z": 1.0}),
        (None, "c"): ({"1": 1.0}, {"x": 1.0}),
    }
    assert aligned.warnings == ()


GOLD = {"a": 1, "b": 2, "c": 1, "d": 2}
SYSTEM = {"d": "x", "a": "y", "z": "x", "b": None}


def test_missing_items_form_one_cluster():
    aligned = align(as_labels(GOLD, gold=True), as_labels(SYSTEM, name="s"))
    assert joined(aligned) == {
        (None, "a"): ({"1": 1.0}, {"y": 1.0}),
        (None, "b"): ({"2": 1.0}, {"(no answer)": 1.0}),
        (None, "c"): ({"1": 1.0}, {"(no answer)": 1.0}),
        (None, "d"): ({"2": 1.0}, {"x": 1.0}),
    }
    assert (aligned.missing, aligned.extra) == (2, 1)
    assert aligned.system.codes.tolist() == [1, 2, 2, 0]
    assert aligned.system.n_labels == 3
    assert codes(aligned.warnings) == ["extra-items", "shared-clusters", "missing-items"]
    notice(aligned.warnings, "missing-items", "2 of 4 items", "s")


def test_missing_items_become_singletons():
    aligned = align(as_labels(GOLD), as_labels(SYSTEM, name="s"), missing="singletons")
    assert aligned.system.codes.tolist() == [1, 2, 3, 0]
    assert (aligned.system.n_labels, aligned.system.made) == (4, 2)
    notice(aligned.warnings, "missing-items", "2 of 4 items", "s")


def test_missing_items_are_dropped():
    aligned = align(as_labels(GOLD), as_labels(SYSTEM, name="s"), missing="drop")
    assert aligned.gold.items == ["a", "d"]
    assert aligned.system.codes.tolist() == [1, 0]
    assert (aligned.missing, aligned.extra) == (2, 1)
    notice(aligned.warnings, "missing-items", "2 of 4 items", "s")


def test_missing_items_raise_error_on_request():
    with refused("missing-items", "2", "4", "'b'", "'c'"):
        align(as_labels(GOLD), as_labels(SYSTEM, name="s"), missing="error")
    gold = as_labels({f"i{n}": 1 for n in range(9)})
    with refused("missing-items", "8", "9", "'i1'", "'i2'", "'i3'", "'i4'", "'i5'"):
        align(gold, as_labels({"i0": 1}), missing="error")
    assert align(gold, gold, missing="error").missing == 0
    with refused("unknown-name", "'singleton'"):
        align(gold, gold, missing="singleton")


def test_message_on_one_missing_item_uses_singular():
    aligned = align(as_labels({"a": 1, "b": 1}), as_labels({"a": 1}, name="s"))
    assert codes(aligned.warnings) == ["missing-items"]
    assert "1 of 2 items has" in aligned.warnings[0]


def test_missing_labels_are_handled_by_position():
    aligned = align(as_labels([1, 2, 1]), as_labels(["x", None, "y"], name="s"))
    assert aligned.system.codes.tolist() == [0, 2, 1]
    assert aligned.missing == 1
    with refused("missing-items", "2", "3"):
        align(as_labels([1, 2, 1]), as_labels(["x", None, "y"]), missing="error")


def test_small_integer_types_are_widened_for_extra_label():
    codes = np.full(300, 127, dtype=np.int8)
    codes[7] = -1
    system = Labels(codes, 128, None, complete=False)
    aligned = align(as_labels(np.zeros(300, dtype=int)), system, missing="cluster")
    assert aligned.system.codes[7] == 128
    gold = as_labels({str(n): 0 for n in range(300)})
    system = Labels(np.arange(200, dtype=np.uint8), 200, None, items=gold.items[100:])
    aligned = align(gold, system, missing="singletons")
    assert sorted(aligned.system.codes.tolist()) == list(range(300))


def test_gold_items_without_label_are_dropped():
    aligned = align(as_labels([1, None, 2], gold=True), as_labels(["x", "y", None], name="s"))
    assert joined(aligned) == {
        (None, 0): ({"1": 1.0}, {"x": 1.0}),
        (None, 1): ({"2": 1.0}, {"(no answer)": 1.0}),
    }
    assert (aligned.missing, aligned.extra) == (1, 1)
    assert codes(aligned.warnings) == ["missing-label", "missing-items"]
    notice(aligned.warnings, "missing-label", "1 item", "the gold labels")
    with refused("missing-label", "the gold labels"):
        align(as_labels([None, None], gold=True), as_labels([1, 2]))


def test_no_common_item_is_refused():
    with refused("no-common-items", "'d1'", "'w a'"):
        align(as_labels({("w", "a"): 1}, name="g"), as_labels({"d1": 1}, name="s"))


def test_side_without_any_answer_is_aligned_or_refused():
    gold, system = as_labels({"a": 1, "b": 2}), as_labels({"a": None, "b": None}, name="s")
    assert align(gold, system).system.codes.tolist() == [0, 0]
    with refused("no-common-items"):
        align(gold, system, missing="drop")


def test_empty_sides_are_refused():
    none = Labels(np.array([], dtype=int), 0, None, source="nothing")
    with refused("empty-input"):
        align(none, as_labels([1]))
    with refused("empty-input"):
        align(as_labels([1]), none)


def test_align_joins_items_by_group_and_id():
    gold = as_labels({("w", 1): "a", ("v", 1): "b", ("v", 2): "b"})
    system = as_labels({("v", 2): "z", ("v", 1): "x", ("w", 1): "y", ("u", 1): "q"})
    aligned = align(gold, system)
    assert joined(aligned) == {
        ("w", "1"): ({"a": 1.0}, {"y": 1.0}),
        ("v", "1"): ({"b": 1.0}, {"x": 1.0}),
        ("v", "2"): ({"b": 1.0}, {"z": 1.0}),
    }
    assert (aligned.groups.tolist(), list(aligned.group_names)) == ([0, 1, 1], ["w", "v"])
    assert aligned.extra == 1


def test_same_id_in_another_group_is_another_item():
    gold = as_labels({("w", 1): "a", ("v", 2): "b"})
    aligned = align(gold, as_labels({("w", 1): "x", ("w", 2): "y"}))
    assert (aligned.missing, aligned.extra) == (1, 1)
    assert "per group" in aligned.warnings[-1]
    same_order = align(gold, as_labels({("v", 1): "x", ("v", 2): "y"}))
    assert (same_order.missing, same_order.extra) == (1, 1)


def test_groups_on_gold_side_only_are_applied_to_system():
    gold = as_labels({("w", 1): "a", ("v", 2): "b"})
    aligned = align(gold, as_labels({2: "x", 1: "y"}))
    assert joined(aligned) == {
        ("w", "1"): ({"a": 1.0}, {"y": 1.0}),
        ("v", "2"): ({"b": 1.0}, {"x": 1.0}),
    }
    assert aligned.warnings == ()
    gold = as_labels({("w", 1): "a", ("v", 1): "b"}, name="g")
    with refused("duplicate-item", "'1'", "'w 1'", "'v 1'"):
        align(gold, as_labels({1: "x", 2: "y"}))


def test_groups_on_system_side_only_are_ignored_with_warning():
    system = as_labels({("w", 1): "a", ("v", 2): "b"}, name="s")
    aligned = align(as_labels({2: "x", 1: "y"}, name="g"), system)
    assert aligned.groups is None
    assert joined(aligned)[None, "2"] == ({"x": 1.0}, {"b": 1.0})
    assert codes(aligned.warnings) == ["unused-groups"]
    system = as_labels({("w", 1): "a", ("v", 1): "b"}, name="s")
    for gold in ({1: "x"}, {1: "x", 2: "y"}):
        with refused("duplicate-item", "s", "'1'"):
            align(as_labels(gold), system)


def test_groups_are_numbered_in_order_of_gold():
    gold = Labels(
        np.array([0, 0, 1, 1]),
        2,
        None,
        items=["a", "b", "c", "d"],
        groups=np.array([2, 0, 2, 1]),
        group_names=["x", "y", "z"],
    )
    aligned = align(gold, as_labels({"c": 1, "d": 1, "b": 1, "a": 1}))
    assert aligned.groups.tolist() == [0, 1, 0, 2]
    assert aligned.group_names == ["z", "x", "y"]
    assert aligned.gold.groups is aligned.groups
    aligned = align(gold, as_labels({"c": 1, "d": 1}), missing="drop")
    assert (aligned.groups.tolist(), aligned.group_names) == ([0, 1], ["z", "y"])


def test_groups_are_matched_by_position():
    def side(groups, names):
        codes = np.zeros(len(groups), dtype=int)
        return Labels(codes, 1, None, groups=np.array(groups), group_names=names)

    aligned = align(side([0, 0, 1], ["w", "v"]), side([1, 1, 0], ["v", "w"]))
    assert aligned.groups.tolist() == [0, 0, 1]
    with refused("index-mismatch", "2", "3"):
        align(side([0, 0, 1], ["w", "v"]), side([1, 0, 0], ["v", "w"]))


def test_align_joins_weighted_sides():
    gold = as_labels({"a": {"x": 1, "y": 1}, "b": "x", "c": "y"})
    system = as_labels({"c": {"k": 3, "l": 1}, "a": "k", "z": {"k": 1, "l": 1}})
    aligned = align(gold, system)
    assert joined(aligned) == {
        (None, "a"): ({"x": 0.5, "y": 0.5}, {"k": 1.0}),
        (None, "b"): ({"x": 1.0}, {"(no answer)": 1.0}),
        (None, "c"): ({"y": 1.0}, {"k": 0.75, "l": 0.25}),
    }
    dropped = align(gold, system, missing="drop")
    assert dropped.gold.items == ["a", "c"]
    assert joined(dropped)[None, "c"] == ({"y": 1.0}, {"k": 0.75, "l": 0.25})
    each = align(as_labels({**GOLD}), as_labels({"a": {"x": 1, "y": 1}}), missing="singletons")
    assert each.system.codes.tolist() == [0, 1, 2, 3, 4]
    assert each.system.indptr.tolist() == [0, 2, 3, 4, 5]


def test_duplicate_warnings_of_both_sides_are_kept_once():
    gold = Labels(np.array([0]), 1, None, warnings=("first", "both"))
    system = Labels(np.array([0]), 1, None, warnings=("both", "last"))
    assert align(gold, system).warnings == ("first", "both", "last")


def test_positions_in_messages_count_all_gold_items():
    """A gold item without label is counted in the positions of messages."""
    with refused("missing-items", "1", "3", "4"):
        align(as_labels([1, None, 2, 1]), as_labels(["x", "y", None, "z"]), missing="error")


OWN_CLASS = "suspicious-column"
OWN_GROUP = "suspicious-column"


@pytest.mark.parametrize(
    ("gold", "warnings"),
    [
        (list("abcd"), (OWN_CLASS,)),
        (list("abc"), ()),
        (list("abca"), ()),
        (np.array([10, 3, 7, 12]), (OWN_CLASS,)),
        (np.array([10, 3, 7, 10]), ()),
        (np.array([2**62, -(2**62), 0, 1]), (OWN_CLASS,)),
        (np.array([1.5, 2.5, 3.5, 4.5]), (OWN_CLASS,)),
        ({("w", 1): "a", ("w", 2): "b", ("v", 1): "a", ("v", 2): "b"}, (OWN_CLASS,)),
        ({("w", 1): "a", ("w", 2): "b", ("v", 1): "a", ("v", 2): "a"}, ()),
        ({("w", 1): "a", ("v", 2): "a", ("u", 1): "a", ("t", 2): "a"}, (OWN_GROUP,)),
        ({("w", 1): "a", ("v", 2): "a", ("u", 1): "a"}, ()),
        ({"p": {"a": 1, "b": 1}, "q": {"c": 1}, "r": {"d": 1}, "s": {"e": 1}}, ()),
    ],
)
def test_gold_with_one_class_per_item_is_warned_about(gold, warnings):
    system = dict.fromkeys(gold, "x") if isinstance(gold, dict) else ["x"] * len(gold)
    assert codes(align(as_labels(gold), as_labels(system)).warnings) == list(warnings)


def test_late_repeated_label_prevents_one_class_per_item_warning():
    labels = np.arange(100_000)
    assert codes(align(as_labels(labels), as_labels(labels)).warnings) == [OWN_CLASS]
    labels[-1] = 1234
    assert align(as_labels(labels), as_labels(labels)).warnings == ()


labels = st.sampled_from(["a", "b", "c"])
distributions = st.dictionaries(labels, st.sampled_from([0.5, 1.0, 2.0]), max_size=3)
keys = st.tuples(st.sampled_from(["v", "w"]), st.integers(0, 4))
sides = st.dictionaries(keys, labels | st.none() | distributions, min_size=1)


def naive(gold, system, missing):
    """What a join should give, by dictionaries alone."""

    def shares(answer):
        if not isinstance(answer, dict):
            answer = {} if answer is None else {answer: 1.0}
        total = sum(answer.values())
        return {label: pytest.approx(weight / total) for label, weight in answer.items()}

    result = {}
    for (group, item), answer in gold.items():
        other = shares(system.get((group, item)))
        if shares(answer) and (other or missing != "drop"):
            result[group, str(item)] = shares(answer), other or {"(no answer)": 1.0}
    return result


@given(sides, sides, st.sampled_from(["cluster", "singletons", "drop"]), st.randoms())
def test_joins_equal_those_of_dictionaries(gold, system, missing, random):
    expected = naive(gold, system, missing)
    known = {key for key in gold if gold[key] not in (None, {})}
    shuffled = list(system)
    random.shuffle(shuffled)
    left, right = as_labels(gold), as_labels(system)
    moved = as_labels({key: system[key] for key in shuffled})
    if not expected or not known & set(system):
        with pytest.raises(InputError):
            align(left, right, missing)
        return
    first, second = align(left, right, missing), align(left, moved, missing)
    assert joined(first) == expected
    assert joined(second) == expected
    assert first.missing == sum(system.get(key) in (None, {}) for key in known)
    assert first.extra == len(set(system) - known)
    assert (second.missing, second.extra) == (first.missing, first.extra)
    made = first.system.codes >= first.system.n_labels - first.system.made
    distinct = {"cluster": min(first.missing, 1), "singletons": first.missing, "drop": 0}[missing]
    assert len(set(first.system.codes[made].tolist())) == distinct
    seen = list(dict.fromkeys(first.groups.tolist()))
    assert seen == list(range(len(first.group_names)))


@given(sides, st.randoms())
def test_take_selects_rows(side, random):
    whole = as_labels(side)
    rows = [random.randrange(len(whole)) for _ in range(6)]
    part = take(whole, np.array(rows))
    assert [part.items[at] for at in range(6)] == [whole.items[row] for row in rows]
    for at, row in enumerate(rows):
        answered = bool(whole.answered()[row])
        assert bool(part.answered()[at]) == answered
        if answered:
            assert spell(part, at) == spell(whole, row)


@pytest.mark.parametrize("missing", ["cluster", "singletons", "drop"])
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(-1, 2)),
        min_size=1,
        max_size=20,
    ).filter(lambda rows: any(system >= 0 for *_, system in rows))
)
def test_settling_cells_equals_settling_items(missing, rows):
    def settled(rows, counts):
        groups, gold, system = np.array(rows).T
        left = Labels(gold, 3, None, groups=groups, group_names=["a", "b", "c"])
        right = Labels(system, 3, None, complete=False)
        found = handle_missing(left, right, counts, 0, [], missing)
        n_groups = len(found.group_names)
        table = Contingency.from_labels(
            found.gold, found.system, found.groups, n_groups, found.counts
        )
        return found, sorted(table.counts.tolist()), table.measure("v")

    cells = Counter(rows)
    items, *expected = settled(rows, None)
    counted, *found = settled(list(cells), np.array(list(cells.values())))
    assert (counted.items, counted.missing) == (items.items, items.missing)
    assert counted.warnings == items.warnings
    assert found[0] == expected[0]
    assert found[1] == pytest.approx(expected[1], abs=1e-12)


def test_extra_items_are_counted_on_request():
    gold = {"a": "x", "b": "x", "c": "y"}
    system = {"a": 1, "b": 1, "c": 2, "d": 1, "e": 1}
    aligned = align(as_labels(gold, gold=True), as_labels(system), extra="count")
    classes = {**gold, "d": "d alone", "e": "e alone"}
    assert (len(aligned.gold), aligned.extra) == (5, 2)
    assert codes(aligned.warnings) == ["extra-items"]
    notice(aligned.warnings, "extra-items", "2 items")
    for name in ("paired-precision", "b3-precision", "v"):
        expected = roget.measure(name, classes, system)
        assert roget.measure(name, gold, system, extra="count") == pytest.approx(expected)


def test_extra_items_of_unknown_groups_are_excluded():
    gold = {("g", "a"): "x", ("g", "b"): "y"}
    system = {("g", "a"): 1, ("g", "b"): 1, ("g", "c"): 1, ("h", "a"): 1}
    aligned = align(as_labels(gold, gold=True), as_labels(system), extra="count")
    assert aligned.gold.items == ["a", "b", "c"]
    assert aligned.groups.tolist() == [0, 0, 0]


@pytest.mark.parametrize("missing", ["cluster", "singletons", "drop"])
def test_noise_is_treated_as_missing(missing):
    gold = ["a", "a", "b", "b", "b", "a"]
    clusters, answered = [0, 0, 1, 1, -1, -1], [0, 0, 1, 1, None, None]
    table = roget.score(gold, clusters, noise=-1, missing=missing)
    expected = roget.score(gold, answered, missing=missing)
    assert [row.value for row in table.rows] == [row.value for row in expected.rows]
    assert "|noise:-1" in table.signature
    ours = ["-1", "a", "b", "b", "-1", "a"]
    system = [0, 0, 1, 1, 1, 0]
    found = roget.measure("v", ours, system, noise="-1", missing=missing)
    theirs = {
        "cluster": (ours, system),
        "singletons": (["n1", "a", "b", "b", "n2", "a"], system),
        "drop": (["a", "b", "b", "a"], [0, 1, 1, 0]),
    }[missing]
    assert found == pytest.approx(roget.measure("v", *theirs))
    with refused("missing-items", "2", "1"):
        roget.score(ours, system, noise="-1", missing="error")


def test_noise_items_are_singletons_by_default():
    gold, clusters = ["a", "a", "b", "b", "b", "a"], [0, 0, 1, 1, -1, -1]
    apart = roget.score(gold, clusters, noise=-1, missing="singletons")
    for noise in (-1, "-1", [-1]):
        table = roget.score(gold, clusters, noise=noise)
        assert [row.value for row in table.rows] == [row.value for row in apart.rows]
        assert "missing:singletons" in table.signature
    assert table["v", "ml"] != roget.score(gold, clusters)["v", "ml"]
    found = roget.compare(gold, {"s": clusters}, "v", noise=-1)
    assert found.rows[0].value == apart["v", "ml"]
    notice(roget.score(gold, clusters).warnings, "noise-label", "--noise -1 --missing drop")
    with refused("invalid-option", "noise"):
        roget.score(gold, clusters, noise=[-1, -2])


def test_mark_noise_removes_noise_from_weighted_labels():
    labels = mark_noise(as_labels({"a": {"x": 1, "-1": 3}, "b": {"-1": 1}, "c": "x"}), "-1")
    assert labels.answered().tolist() == [True, False, True]
    assert not labels.weighted


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ([0, 1, -1], "-1"),
        (["0", "1", "-1"], "-1"),
        (["a", "noise"], "noise"),
        ([1, 2, -1, -2], None),
        ([-1, -1], None),
        (["a", "-1"], None),
        ([0, 1, 2], None),
    ],
)
def test_undeclared_noise_label_is_detected_and_warned_about(labels, found):
    assert find_noise(as_labels(labels)) == found
    gold = list("ab" * 5)[: len(labels)]
    notices = [text for text in roget.score(gold, labels).warnings if "noise=" in text]
    assert len(notices) == (found is not None)
    assert not any("noise=" in text for text in roget.score(gold, labels, noise="7").warnings)


def test_columns_can_be_chosen_per_side(tmp_path):
    gold, system = tmp_path / "g.csv", tmp_path / "s.csv"
    gold.write_text("id,text,topic\n1,t,a\n2,t,b\n3,t,a\n")
    system.write_text("nr,kmeans_2,kmeans_3\n1,0,0\n2,1,1\n3,0,2\n")
    columns = {"system.item": "nr", "system.label": "kmeans_2"}
    assert roget.measure("v", gold, system, columns=columns) == 1.0
    with refused("ambiguous-columns", "--columns system.item=nr,system.label=NAME"):
        roget.score(gold, system)
    with refused("invalid-option", "'other.item'"):
        roget.score(gold, system, columns={"other.item": "id"})


def test_linkage_identifies_items_by_position(tmp_path):
    merges = np.array([[0, 1, 0.5, 2], [2, 3, 1.0, 3]])
    np.save(tmp_path / "ward.npy", merges)
    ids = {"a": 0, "b": 0, "c": 1}
    for tree in (tmp_path / "ward.npy", roget.Hierarchy.from_linkage(merges)):
        with refused("index-mismatch"):
            roget.score(ids, tree)
    with refused("length-mismatch"):
        roget.score([0, 0, 1], merges)
    with refused("length-mismatch"):
        roget.score([0, 0, 1], merges[:, :3])


def test_message_distinguishes_ids_that_look_identical():
    with refused("no-common-items"):
        roget.score({"caf\u00e9": 0}, {"cafe\u0301": 0})
