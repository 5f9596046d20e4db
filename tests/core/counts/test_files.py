"""Counts directories: written atomically and verified on reading."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
from collections import Counter

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from folders import reseal, unseal
from roget import InputError, __version__
from roget.core import folder as folders
from roget.core.counts import Counts
from roget.core.counts import files as counts_files
from support.errors import refused

COUNTS = Counts(
    [[2, 1, 0], [0, 3, 0], [0, 0, 1]],
    ["milk", "Bücher", "tab\tline\nnul\0end\0"],
    ["obj:drink", "obj:read", ""],
    slots=["obj", "obj", ""],
    relations=["obj"],
    provenance={"roget": "0", "inputs": [{"path": "caf\udce9.txt"}], "tokens": 7},
)


@pytest.fixture
def folder(tmp_path):
    COUNTS.write(tmp_path / "x.counts")
    return tmp_path / "x.counts"


def columns(path):
    rows = duckdb.sql(f"SELECT * FROM read_parquet('{path}')")
    return dict(zip(rows.columns, map(str, rows.types), strict=True)), rows.fetchall()


def test_read_returns_what_was_written(folder):
    again = Counts.read(folder)
    assert again == COUNTS
    assert again.slots.tolist() == COUNTS.slots.tolist()
    assert again.relations == COUNTS.relations
    assert again.provenance == COUNTS.provenance
    assert os.listdir(folder.parent) == ["x.counts"]


def test_counts_directory_has_documented_format(folder):
    text = (folder / "counts.json").read_text()
    record = json.loads(text)
    files, seal = record.pop("files"), record.pop("seal")
    assert text.endswith(f'"seal": "{seal}"\n}}\n')
    assert hashlib.sha256(text.partition(seal)[0].encode()).hexdigest() == seal
    assert record == {
        "format": "roget.counts",
        "kind": "counts",
        "version": 2,
        "roget": __version__,
        "shape": [3, 3],
        "entries": 4,
        "total": 7,
        "dtype": "int64",
        "relations": ["obj"],
        "provenance": COUNTS.provenance,
    }
    assert set(files) == {"words.parquet", "contexts.parquet", "entries.parquet"}
    assert sorted(os.listdir(folder)) == sorted([*files, "counts.json"])
    for name, entry in files.items():
        data = (folder / name).read_bytes()
        assert entry.pop("bytes") == len(data)
        assert entry.pop("sha256") == hashlib.sha256(data).hexdigest()
        found, rows = columns(folder / name)
        assert entry == {"rows": len(rows), "columns": found}
    assert columns(folder / "words.parquet") == (
        {"word": "VARCHAR"},
        [(word,) for word in COUNTS.words],
    )
    assert columns(folder / "contexts.parquet") == (
        {"context": "VARCHAR", "slot": "VARCHAR"},
        [("obj:drink", "obj"), ("obj:read", "obj"), ("", "")],
    )
    assert columns(folder / "entries.parquet") == (
        {"row": "INTEGER", "column": "INTEGER", "count": "BIGINT"},
        [(0, 0, 2), (0, 1, 1), (1, 1, 3), (2, 2, 1)],
    )


@settings(max_examples=12)
@given(
    st.dictionaries(
        st.tuples(st.text(max_size=5), st.text(max_size=5)),
        st.integers(1, 10**15) | st.floats(1e-300, 1e15),
        min_size=1,
    )
)
def test_any_text_and_any_count_are_preserved(tmp_path_factory, cells):
    words, contexts = (sorted({pair[axis] for pair in cells}) for axis in (0, 1))
    dense = [[cells.get((word, context), 0) for context in contexts] for word in words]
    counts = Counts(dense, words, contexts)
    path = tmp_path_factory.mktemp("counts") / "any"
    counts.write(path)
    again = Counts.read(path)
    assert again == counts
    assert counts_files.manifest(path)["total"] == counts.total
    assert {(word, context): n for word, context, n in again.rows()} == cells


def test_large_table_keeps_its_order(tmp_path):
    random = np.random.default_rng(0)
    places = random.integers(0, 5000, (2, 400_000))
    counts = Counts(sparse.coo_array((np.ones(400_000), tuple(places)), shape=(5000, 5000)))
    counts.write(tmp_path / "large")
    assert Counts.read(tmp_path / "large") == counts


def test_older_counts_directory_is_replaced(folder):
    newer = Counts([[5]])
    newer.write(folder)
    assert Counts.read(folder) == newer
    assert os.listdir(folder.parent) == ["x.counts"]


def test_directory_names_may_have_special_characters(tmp_path):
    for name in ("it's", "a*b[1]?", "a b", "k=v", 'q"q', "ü", "words.v1.2"):
        COUNTS.write(tmp_path / name)
        assert Counts.read(tmp_path / name) == COUNTS
        assert counts_files.summary(tmp_path / name)["entries"] == 4


def test_only_counts_directories_are_replaced(tmp_path):
    other, file = tmp_path / "other", tmp_path / "file"
    other.mkdir()
    (other / "counts.json").write_text('{"format": "something else"}')
    file.write_text("mine")
    for path in (other, file):
        with pytest.raises(InputError, match=path.name):
            COUNTS.write(path)
    (other / "counts.json").write_text("[1]")
    with pytest.raises(InputError, match="other"):
        COUNTS.write(other)
    assert sorted(os.listdir(tmp_path)) == ["file", "other"]


def test_full_disk_leaves_older_directory_unchanged(folder):
    """The limit on file size stands in for a full disk: both fail in the middle of a write."""
    program = f"""
import resource, sys
import numpy as np
from roget.core.counts import Counts
counts = Counts(np.random.default_rng(0).random((1000, 500)))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, {resource.RLIM_INFINITY}))
for path in sys.argv[1:]:
    try:
        counts.write(path)
    except OSError as error:
        print(error)
"""
    places = [str(folder), *(str(folder.parent / name) for name in ("new", "n.tsv", "n.npz"))]
    run = subprocess.run(
        [sys.executable, "-c", program, *places], capture_output=True, text=True, check=True
    )
    output = run.stdout.splitlines()
    assert len(output) == 4, run.stdout + run.stderr
    for path, line in zip(places, output, strict=True):
        assert path in line
        assert "File too large" in line
    assert Counts.read(folder) == COUNTS
    assert os.listdir(folder.parent) == ["x.counts"]


def test_provenance_must_be_json(tmp_path):
    for odd in ({"a": object()}, {"a": float("nan")}):
        with pytest.raises(InputError, match="provenance"):
            Counts([[1]], provenance=odd).write(tmp_path / "x")
    assert os.listdir(tmp_path) == []


def test_empty_table_is_neither_written_nor_read(tmp_path):
    with refused("empty-input", "x"):
        Counts([[0]]).write(tmp_path / "x")
    assert os.listdir(tmp_path) == []
    counts_files.write(Counts([[0]]), tmp_path / "x")
    with refused("empty-input", "x"):
        Counts.read(tmp_path / "x")
    assert counts_files.summary(tmp_path / "x")["words"] == []


def change(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ('"version": 1', '"version": 2', "counts.json"),
        ('"version": 1', '"version": 3', "3"),
        ('"version": 1', '"version": "1"', "'version'"),
        ('"version": 1', '"version": true', "True"),
        ('"format": "roget.counts"', '"format": "roget.tree"', "'roget.tree'"),
        ('"entries": 4', '"entries": -4', "-4"),
        ('"entries": 4', '"entries": 5', "entries.parquet"),
        ('"total": 7', '"total": 8', "8"),
        ('"total": 7', '"total": NaN', "nan"),
        ('"total": 7', '"total": "7"', "'7'"),
        ('"dtype": "int64"', '"dtype": "float64"', "count BIGINT"),
        ('"dtype": "int64"', '"dtype": ["int64"]', "'dtype'"),
        ('"relations": [', '"relations": [1, ', "'relations'"),
        ('"words.parquet"', '"../words.parquet"', "'files'"),
        ('"bytes"', '"size"', "'files'"),
        ('"shape": [\n  3,', '"shape": [\n  4,', "3 words"),
        ('"shape": [\n  3,', '"shape": [\n  2,', "3 words"),
        ('"provenance": {', '"provenance": 3, "x": {', "'provenance'"),
        ("{", "", "counts.json"),
    ],
)
def test_invalid_manifest_is_refused(folder, old, new, value):
    unseal(folder)
    change(folder / "counts.json", old, new)
    with pytest.raises(InputError) as caught:
        Counts.read(folder)
    assert value in str(caught.value)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize("name", counts_files.FILES)
def test_missing_truncated_and_changed_files_are_named(folder, name):
    file = folder / name
    data = file.read_bytes()
    readers = (Counts.read, counts_files.summary)
    for broken in (data[:-1], data[:40] + bytes([data[40] ^ 1]) + data[41:], None):
        file.unlink()
        if broken is not None:
            file.write_bytes(broken)
        for read in readers:
            with pytest.raises(InputError, match=name):
                read(folder)


def test_hashes_are_checked_for_any_file_size(folder, monkeypatch):
    monkeypatch.setattr(folders, "HASHED", 10)
    files = counts_files.manifest(folder)["files"]
    reseal(folder, {"files": {name: entry | {"sha256": "0"} for name, entry in files.items()}})
    with pytest.raises(InputError, match=r"words\.parquet"):
        Counts.read(folder)


def resealed(folder, name, query, **facts):
    """The folder with one file made by another hand, and a manifest that vouches for it."""
    duckdb.sql(f"COPY ({query}) TO '{folder / name}' (FORMAT parquet)")
    entry = {"shape": (3, 3), "entries": 4, "total": 7, "dtype": "int64"} | facts
    counts_files.seal(folder, **entry, relations=[], provenance={}, evidence={})


ENTRIES = (
    "SELECT r::INTEGER AS row, c::INTEGER AS column, n::BIGINT AS count FROM (VALUES {}) v(r, c, n)"
)


def test_entries_may_be_in_any_order(folder):
    resealed(folder, "entries.parquet", ENTRIES.format("(2,2,1), (0,1,1), (1,1,3), (0,0,2)"))
    assert Counts.read(folder) == COUNTS


@pytest.mark.parametrize(
    ("name", "query", "facts", "value"),
    [
        ("entries.parquet", ENTRIES.format("(0,0,-1)"), {"entries": 1}, "count -1"),
        ("entries.parquet", ENTRIES.format("(-1,0,1)"), {"entries": 1}, "found -1"),
        ("entries.parquet", ENTRIES.format("(0,9,1)"), {"entries": 1}, "found 9"),
        ("entries.parquet", ENTRIES.format("(0,0,NULL)"), {"entries": 1}, "count"),
        ("entries.parquet", ENTRIES.format("(0,0,0)"), {"entries": 1}, "entries.parquet"),
        (
            "entries.parquet",
            ENTRIES.format("(0,0,3),(0,0,4)"),
            {"entries": 1},
            "entries.parquet",
        ),
        ("entries.parquet", "SELECT 1 AS row", {}, "row INTEGER"),
        ("words.parquet", "SELECT unnest(['a', NULL, 'c']) AS word", {}, "word"),
        ("words.parquet", "SELECT unnest(['a', 'a', 'c']) AS word", {}, "'a'"),
        ("words.parquet", "SELECT unnest([1, 2, 3]) AS word", {}, "word INTEGER"),
    ],
)
def test_sealed_but_invalid_tables_are_refused(folder, name, query, facts, value):
    resealed(folder, name, query, **facts)
    with pytest.raises(InputError) as caught:
        Counts.read(folder)
    assert value in str(caught.value)
    assert str(folder) in str(caught.value)


def test_invalid_parquet_file_is_named(folder):
    (folder / "words.parquet").write_text("PAR1 but not really")
    fields = {"shape": (3, 3), "entries": 4, "total": 7, "dtype": "int64"}
    counts_files.seal(folder, **fields, relations=[], provenance={}, evidence={})
    with pytest.raises(InputError, match=r"words\.parquet"):
        Counts.read(folder)


def test_other_directories_are_refused_as_counts(tmp_path):
    with pytest.raises(InputError, match="nowhere"):
        counts_files.manifest(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"counts\.json"):
        Counts.read(tmp_path)
    (tmp_path / "counts.json").write_text("[]")
    with pytest.raises(InputError, match=r"counts\.json"):
        Counts.read(tmp_path)


def test_manifest_alone_describes_the_table(folder):
    shutil.copy(folder / "counts.json", folder.parent)
    record = counts_files.manifest(folder.parent)
    assert (record["shape"], record["entries"], record["total"]) == ([3, 3], 4, 7)


tables = st.lists(
    st.lists(st.sampled_from([0, 0, 1, 1, 2, 9]), min_size=8, max_size=8), min_size=4, max_size=4
).filter(lambda dense: any(map(any, dense)))


@settings(max_examples=12)
@given(tables, st.sampled_from([1, 0.5]), st.integers(1, 5))
def test_summary_equals_naive_computation(tmp_path_factory, dense, unit, top):
    dense = [[value * unit for value in row] for row in dense]
    counts = Counts(dense, ["d", "b", "c", "a"], list("hgfedcba"), relations=["obj"])
    path = tmp_path_factory.mktemp("summary") / "x"
    counts.write(path)
    record = counts_files.summary(path, top=top)
    rows = list(counts.rows())
    words, contexts = Counter(), Counter()
    for word, context, count in rows:
        words[word] += count
        contexts[context] += count

    def first(sums, most):
        return sorted(sums.items(), key=lambda item: (-item[1], item[0]))[:most]

    assert [(word["word"], word["total"]) for word in record["words"]] == first(words, top)
    for word in record["words"]:
        seen = {context: count for name, context, count in rows if name == word["word"]}
        assert [(c["context"], c["count"]) for c in word["contexts"]] == first(seen, 5)
    assert [(c["context"], c["total"]) for c in record["contexts"]] == first(contexts, top)
    best = sorted(rows, key=lambda row: -row[2])[:top]
    assert [(pair["word"], pair["context"], pair["count"]) for pair in record["pairs"]] == best
    assert record["hapax"] == {
        "words": sum(total == 1 for total in words.values()) / 4,
        "pairs": sum(row[2] == 1 for row in rows) / len(rows),
    }
    assert (record["shape"], record["entries"], record["total"]) == (
        [4, 8],
        len(rows),
        counts.total,
    )
    assert record["relations"] == ["obj"]
    json.dumps(record)
