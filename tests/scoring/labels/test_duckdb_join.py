"""Files counted by DuckDB: the same cells, warnings and errors as from the readers."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from functools import cache

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import roget
from roget.errors import InputError
from roget.scoring.labels import align, as_labels, read, read_pair
from roget.scoring.labels.read import count_large
from support.errors import notice, refused

FORMATS = ("tsv", "csv", "jsonl", "parquet")
NAMES = st.sampled_from(["a", "b", "c", "d", " a", "b ", "e\u00a0", "7", "7.0", "é", ""])
LABELS = st.sampled_from(["x", "y", "z", "label", " x", "y\u2003", "3", '"q', "u,v", ""])
GROUPS = st.sampled_from(["g", "h", " g", "h\u00a0"])
ROWS = st.lists(st.tuples(NAMES, LABELS, GROUPS), min_size=1, max_size=8)


def write(path, rows, columns):
    """Write rows of (item, label, group), or whatever the columns are."""
    rows = [row[: len(columns)] for row in rows]
    form = path.suffix[1:]
    if form == "tsv":
        lines = ["\t".join(columns), *("\t".join(row) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    elif form == "csv":
        stream = io.StringIO(newline="")
        csv.writer(stream).writerows([columns, *rows])
        path.write_text(stream.getvalue(), newline="")
    elif form == "jsonl":
        records = [dict(zip(columns, row, strict=True)) for row in rows]
        for record in records:
            with suppress(ValueError, KeyError):
                record["weight"] = json.loads(record["weight"])
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    else:
        named = ", ".join(f'"{name}" VARCHAR' for name in columns)
        connection = writer()
        connection.execute(f"CREATE OR REPLACE TABLE t ({named})")
        marks = ", ".join([f"({', '.join('?' * len(columns))})"] * len(rows))
        values = [value for row in rows for value in row]
        connection.execute(f"INSERT INTO t VALUES {marks}", values)
        name = str(path).replace("'", "''")
        connection.execute(f"COPY t TO '{name}' (FORMAT parquet)")
    return path


@cache
def writer():
    """One database writes all tables of the tests; to open one takes longer than to use it."""
    return duckdb.connect()


def cells(sides):
    """(group, gold, system) → how many items, as text; made-up labels by what they stand for."""
    found = {}
    for row in range(len(sides.gold)):
        group = None if sides.groups is None else sides.group_names[sides.groups[row]]
        code = int(sides.system.codes[row])
        made = sides.system.n_labels - sides.system.made
        system = sides.system.label(code) if code < made else ("made", sides.system.made)
        key = group, sides.gold.label(int(sides.gold.codes[row])), system
        found[key] = found.get(key, 0) + (1 if sides.counts is None else sides.counts[row])
    return found


def read_slowly(gold, system, missing, extra="drop"):
    if system is None:
        return align(*read_pair(gold), missing=missing)
    return align(as_labels(gold, gold=True), as_labels(system), missing, extra=extra)


def compare(gold, system, missing, extra="drop"):
    """Whether the database counted; its cells, if so, are those of the readers."""
    try:
        expected = read_slowly(gold, system, missing, extra)
    except InputError:
        with suppress(InputError):
            assert count_large(gold, system, missing, extra=extra) is None
        return False
    found = count_large(gold, system, missing, extra=extra)
    if found is None:
        return False
    assert cells(found) == pytest.approx(cells(expected))
    assert found.warnings == expected.warnings
    assert (found.missing, found.extra) == (expected.missing, expected.extra)
    assert found.items == expected.items
    assert found.weighed == expected.weighed
    assert list(found.gold.names) == list(map(str, expected.gold.names))
    used = np.unique(expected.system.codes).tolist()
    names = list(map(expected.system.label, used))
    assert [name for name in found.system.names if name in names] == [
        name for name in names if name in found.system.names
    ]
    assert found.group_names is None or list(found.group_names) == list(expected.group_names)
    return True


@pytest.fixture(autouse=True)
def count_all(monkeypatch):
    monkeypatch.setattr(read, "LARGE", 0)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ROWS,
    ROWS,
    st.sampled_from(FORMATS),
    st.sampled_from(FORMATS),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["cluster", "singletons", "drop", "error"]),
    st.sampled_from(["drop", "count"]),
)
@example([("a", "x", "g")], [("a", "y", "g")], "csv", "tsv", True, True, "cluster", "drop")
@example(
    [("a", "x", "g"), ("b", "y", "g")],
    [("a ", "y", "g")],
    "csv",
    "csv",
    False,
    False,
    "drop",
    "drop",
)
@example(
    [("a", "x", "g")],
    [("b", "z", "g"), ("a", "y", "g"), ("c", "y", "h")],
    *("csv", "csv", True, True, "cluster", "count"),
)
def test_duckdb_join_equals_readers(
    tmp_path, gold, system, one, other, in_gold, in_system, missing, extra
):
    columns = ("item", "label", "group")
    left = write(tmp_path / f"gold.{one}", gold, columns[: 3 if in_gold else 2])
    right = write(tmp_path / f"system.{other}", system, columns[: 3 if in_system else 2])
    compare(left, right, missing, extra)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("missing", ["cluster", "drop"])
def test_duckdb_join_counts_extra_items_exactly(tmp_path, monkeypatch, grouped, missing):
    random = np.random.default_rng(3)
    files = []
    for name, first, last in (("gold", 0, 700), ("system", 300, 2000)):
        rows = [
            (f"i{i}", f"{name}{random.integers(9)}", f"g{i % 7 if i < 1900 else 8}")
            for i in random.permutation(np.arange(first, last))
        ]
        columns = ("item", "label", "group")[: 3 if grouped else 2]
        files.append(write(tmp_path / f"{name}.tsv", rows, columns))
    assert count_large(*files, missing, extra="count").extra == 1300
    counted = roget.score(*files, extra="count", missing=missing)
    monkeypatch.setattr(read, "LARGE", 1 << 40)
    assert roget.score(*files, extra="count", missing=missing).as_dict() == counted.as_dict()


WEIGHTS = st.sampled_from(["1", "2", " 2 ", "0.5", "1e-3", "0", "-1", "nan", "inf", "1_0", "x", ""])


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(NAMES, LABELS, WEIGHTS), min_size=1, max_size=8),
    st.lists(st.tuples(NAMES, LABELS, WEIGHTS), min_size=1, max_size=8),
    st.sampled_from(FORMATS),
    st.booleans(),
    st.sampled_from(["cluster", "singletons", "drop"]),
)
@example([("a", "x", "1"), ("b", "y", "3")], [("a", "x", "1")], "csv", True, "singletons")
@example(
    [("a", "x", "1"), ("b", "y", ".5")], [("a", "x", "2"), ("b", "y", "1")], "tsv", True, "drop"
)
def test_duckdb_join_reads_weights_as_readers_do(tmp_path, gold, system, form, both, missing):
    columns = ("item", "label", "weight")
    left = write(tmp_path / f"gold.{form}", gold, columns)
    right = write(tmp_path / f"system.{form}", system, columns[: 3 if both else 2])
    compare(left, right, missing)
    rows = [(label, "pq"[at % 2], weight) for at, (_, label, weight) in enumerate(gold)]
    compare(write(tmp_path / f"pair.{form}", rows, ("gold", "system", "weight")), None, missing)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, st.sampled_from(FORMATS), st.sampled_from(["cluster", "singletons", "drop", "error"]))
def test_duckdb_join_counts_both_sides_in_one_file(tmp_path, rows, form, missing):
    path = write(tmp_path / f"both.{form}", rows, ("gold", "system", "group"))
    compare(path, None, missing)
    path = write(tmp_path / f"named.{form}", rows, ("item", "gold", "system"))
    compare(path, None, missing)


@pytest.mark.parametrize("one", FORMATS)
@pytest.mark.parametrize("other", FORMATS)
def test_duckdb_join_counts_plain_tables(tmp_path, one, other):
    rows = [(f"d{n}", "xyz"[n % 3], "gh"[n % 2]) for n in range(30)]
    for columns in (("item", "label"), ("item", "label", "group")):
        gold = write(tmp_path / f"gold.{one}", rows, columns)
        system = write(tmp_path / f"system.{other}", [*rows[::-1][:-2], ("e", "w", "g")], columns)
        assert compare(gold, system, "cluster")
        assert compare(gold, system, "singletons")
    weighed = [(item, label, str(n % 4 + 0.5)) for n, (item, label, _) in enumerate(rows)]
    gold = write(tmp_path / f"gold.{one}", weighed, ("item", "label", "weight"))
    system = write(tmp_path / f"system.{other}", weighed[2:], ("item", "label", "weight"))
    assert compare(gold, system, "singletons")


@pytest.mark.parametrize("name", ["s[1]", "label=zzz", "a*b", "it's"])
@pytest.mark.parametrize("form", FORMATS)
def test_file_names_are_not_glob_patterns(tmp_path, name, form):
    """As patterns, DuckDB would read s1, or take zzz for the labels."""
    rows = [("a", "x"), ("b", "y"), ("c", "y")]
    (tmp_path / name).mkdir()
    system = write(tmp_path / name / f"{name}.{form}", rows, ("item", "label"))
    write(tmp_path / f"s1.{form}", [("a", "other")], ("item", "label"))
    gold = write(tmp_path / f"gold.{form}", rows, ("item", "label"))
    assert compare(gold, system, "error")


@pytest.mark.parametrize("text", ["a\tx\nb\ty\nc\ty\nd\tx\n", "item\tlabel\r\na\tx\r\nb\ty\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_duckdb_join_handles_headers_line_ends_and_byte_order_marks(tmp_path, text, mark):
    gold = tmp_path / "g.tsv"
    gold.write_bytes(mark + text.encode())
    assert compare(gold, gold, "cluster")


def test_duckdb_join_warns_about_ambiguous_headers(tmp_path):
    gold, system = tmp_path / "g.tsv", tmp_path / "s.tsv"
    gold.write_text("foo\tbar\na\tx\nb\ty\nc\tx\nd\ty\n")
    system.write_text("item\ttopic\nfoo\tx\na\tx\nb\ttopic\nc\tx\nd\ty\n")
    assert compare(gold, system, "cluster")
    assert len(count_large(gold, system, "cluster").warnings) == 2


def test_small_files_and_standard_input_are_not_joined_in_duckdb(tmp_path, monkeypatch):
    gold = write(tmp_path / "g.csv", [("a", "x")], ("item", "label"))
    assert count_large("-", gold, "cluster") is None
    monkeypatch.setattr(read, "LARGE", 1 << 20)
    assert count_large(gold, gold, "cluster") is None


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("small", [True, False])
def test_duckdb_join_reads_folders_and_patterns(tmp_path, form, small, monkeypatch):
    if small:
        monkeypatch.setattr(read, "LARGE", 1 << 20)
    rows = [(f"d{n}", "xyz"[n % 3]) for n in range(30)]
    (tmp_path / "system").mkdir()
    for part in range(3):
        write(tmp_path / "system" / f"{part}.{form}", rows[part::3], ("item", "label"))
    gold = write(tmp_path / f"gold.{form}", rows, ("item", "label"))
    for system in (tmp_path / "system", tmp_path / "system" / f"*.{form}"):
        table = roget.score(gold, system, "v")
        assert (table["v"], table.items, table.warnings) == (1.0, 30, ())
        whole = as_labels(system)
        assert sorted(zip(whole.items, map(whole.label, whole.codes), strict=True)) == sorted(rows)
        assert compare(gold, system, "error") != small
    write(tmp_path / "system" / f"3.{form}", rows[:1], ("item", "label"))
    with refused("duplicate-item", "'d0'", "3"):
        roget.score(gold, tmp_path / "system", "v")


def test_folder_without_labels_is_refused(tmp_path):
    with refused("file-not-found"):
        roget.score(tmp_path, tmp_path)
    with refused("file-not-found"):
        roget.score(tmp_path / "*.csv", tmp_path / "*.csv")


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=8), st.sampled_from(["", "\r"]))
@example([("x", "1"), ("", "2"), ("y", "")], "")
def test_duckdb_join_reads_one_label_per_line(tmp_path, rows, end):
    """An empty line is an item; quotes, commas and tabs are part of a label."""
    paths = []
    for name, labels in zip(("gold.txt", "system.txt"), zip(*rows, strict=True), strict=True):
        paths.append(tmp_path / name)
        paths[-1].write_text("".join(f"{label}{end}\n" for label in labels), newline="")
    for missing in ("cluster", "singletons", "drop"):
        compare(*paths, missing)


@pytest.mark.parametrize("one", [*FORMATS, "txt"])
@pytest.mark.parametrize("other", [*FORMATS, "txt"])
def test_duckdb_join_matches_items_by_position(tmp_path, one, other):
    labels = ["xyz"[n % 3] for n in range(30)]
    gold, system = tmp_path / f"gold.{one}", tmp_path / f"system.{other}"
    for path, column in ((gold, labels), (system, labels[::-1])):
        if path.suffix == ".txt":
            path.write_text("".join(f"{label}\n" for label in column))
        else:
            write(path, [(label,) for label in column], ("label",))
    assert compare(gold, system, "cluster")
    gold.with_suffix(".tsv").write_text("label\n" + "x\n" * 29)
    assert not compare(gold.with_suffix(".tsv"), system, "cluster")


def test_duckdb_join_works_with_little_memory(tmp_path, monkeypatch):
    rows = [(f"d{n}", f"{n % 7}") for n in range(2000)]
    gold = write(tmp_path / "g.csv", rows, ("item", "label"))
    table = roget.score(gold, gold, "v", memory="200MB")
    assert table["v", "ml"] == 1
    for large in (0, 1 << 30):
        monkeypatch.setattr(read, "LARGE", large)
        with refused("invalid-option", "'much'"):
            roget.score(gold, gold, memory="much")


def test_duckdb_join_accepts_any_column_name(tmp_path):
    """Names that the SQL statements use themselves."""
    for names in (("r", "label"), ("label", "r"), ("w", "r", "label")):
        path = write(tmp_path / "g.parquet", [(*"b1x",), (*"c2y",), (*"a3x",)], names)
        columns = {"item": names[0], "label": names[-1]}
        found = count_large(path, path, "cluster", columns=columns)
        assert found is not None
        assert found.items == 3
    path = write(
        tmp_path / "p.parquet", [("b", "1", "9"), ("a", "1", "8")], ("gold", "system", "r")
    )
    assert list(count_large(path, None, "cluster").gold.names) == ["b", "a"]


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
def test_nan_in_label_column_is_missing_label(tmp_path, kind):
    rows = [(f"d{n}", "xyz"[n % 3]) for n in range(12)]
    gold = write(tmp_path / "g.csv", rows, ("item", "label"))
    numbers = ["'NaN'" if n % 4 == 0 else f"{n % 4}" for n in range(12)]
    values = ", ".join(f"('d{n}', {number})" for n, number in enumerate(numbers))
    system = tmp_path / "s.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t (item VARCHAR, label {kind})")
        connection.execute(f"INSERT INTO t VALUES {values}")
        connection.execute(f"COPY t TO '{system}' (FORMAT parquet)")
    lines = tmp_path / "s.jsonl"
    labels = [float("nan") if n % 4 == 0 else n % 4 for n in range(12)]
    written = (json.dumps({"item": f"d{n}", "label": label}) for n, label in enumerate(labels))
    lines.write_text("\n".join(written))
    for path in (system, lines):
        found = count_large(gold, path, "drop")
        expected = read_slowly(gold, path, "drop")
        assert (found.missing, expected.missing) == (3, 3)
        assert found.warnings == expected.warnings
    assert cells(count_large(gold, lines, "drop")) == cells(expected)


@pytest.mark.parametrize("label", ["-1.0", "-1"])
@pytest.mark.parametrize("large", [0, 1 << 30])
def test_noise_written_as_float_by_pandas_is_recognised(tmp_path, monkeypatch, label, large):
    """Columns with gaps are floats, so −1 is written as −1.0."""
    monkeypatch.setattr(read, "LARGE", large)
    rows = [(f"d{n}", "xy"[n % 2]) for n in range(8)]
    gold = write(tmp_path / "g.csv", rows, ("item", "label"))
    answers = [(f"d{n}", label if n % 4 == 3 else f"{n % 3}.0") for n in range(9)]
    system = write(tmp_path / "s.csv", answers, ("item", "label"))
    for noise in (-1, "-1.0"):
        table = roget.score(gold, system, "v", noise=noise, missing="drop")
        assert table.items == 6
    assert any("noise=-1 " in text for text in roget.score(gold, system, "v").warnings)
    warnings = roget.score(gold, system, "v", noise="none").warnings
    notice(warnings, "unused-noise-label", "none")


def test_extra_noise_items_share_no_cluster(tmp_path):
    gold = write(tmp_path / "g.csv", [(f"d{n}", "xy"[n % 2]) for n in range(6)], ("item", "label"))
    answers = [(f"d{n}", "k") for n in range(5)] + [
        ("d5", "-1"),
        ("e", "-1"),
        ("f", ""),
        ("g", "k"),
    ]
    system = write(tmp_path / "s.csv", answers, ("item", "label"))
    found = count_large(gold, system, "cluster", noise="-1")
    sides = as_labels(gold, gold=True), as_labels(system)
    assert found.warnings == align(*sides, missing="cluster", noise="-1").warnings
    notice(found.warnings, "shared-clusters", "1 dropped item")


def test_empty_files_among_several_are_accepted(tmp_path, monkeypatch):
    """Like output of a cluster: one file per partition, with a header or completely empty."""
    rows = [(f"d{n}", "xy"[n % 2]) for n in range(8)]
    gold = write(tmp_path / "g.csv", rows, ("item", "label"))
    (tmp_path / "s").mkdir()
    for part in range(2):
        write(tmp_path / "s" / f"p{part}.csv", rows[part::2], ("item", "label"))
    (tmp_path / "s" / "p2.csv").write_text("item,label\n")
    for large in (0, 1 << 30):
        monkeypatch.setattr(read, "LARGE", large)
        assert roget.score(gold, tmp_path / "s", "v")["v", "ml"] == 1
    (tmp_path / "s" / "p3.csv").write_text("")
    assert roget.score(gold, tmp_path / "s", "v")["v", "ml"] == 1
    (tmp_path / "s" / "p0.csv").unlink()
    (tmp_path / "s" / "p1.csv").unlink()
    with refused("empty-input", "p2.csv", "1"):
        roget.score(gold, tmp_path / "s")


def test_first_label_that_looks_like_a_header_is_warned_about(tmp_path):
    gold, system = tmp_path / "g.txt", tmp_path / "s.txt"
    gold.write_text("label\n" + "a\nb\n" * 4)
    system.write_text("cluster\n" + "1\n2\n" * 4)
    assert compare(gold, system, "cluster")
    warnings = roget.score(gold, system, "v").warnings
    notice(warnings, "ambiguous-header", "g.txt:1", "'label'", "--header")
    assert roget.score(gold, system, "v", header=True).items == 8
    table = roget.score(gold, system, "v", labels="tsv")
    assert (table.items, table["v", "ml"]) == (8, 1)
