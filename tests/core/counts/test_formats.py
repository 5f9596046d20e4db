"""Counts from and to tables, .npz and Matrix Market files."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import math
import os
import random
from collections import Counter, defaultdict

import duckdb
import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from roget import InputError
from roget.core.counts import Counts
from support.errors import refused

COUNTS = Counts(
    [[3, 2, 0], [0, 4, 0], [1, 0, 0.5]], ["milk", "Bücher", 'a "b"'], ["drink", "read", "see"]
)
WHOLE = Counts([[3, 2, 0], [0, 4, 0], [1, 0, 1]], COUNTS.words, COUNTS.contexts)


def naive(rows):
    """Sums by pair, and both vocabularies by total, then by text."""
    values = defaultdict(list)
    for word, context, count in rows:
        values[word, context].append(count)
    sums = {pair: math.fsum(each) for pair, each in values.items() if any(each)}
    orders = []
    for axis in (0, 1):
        totals = defaultdict(list)
        for pair, count in sums.items():
            totals[pair[axis]].append(count)
        orders.append(sorted(totals, key=lambda name: (-math.fsum(totals[name]), name)))
    return sums, orders


def same(counts, rows):
    sums, (words, contexts) = naive(rows)
    assert {(word, context): count for word, context, count in counts.rows()} == sums
    assert counts.words.tolist() == words
    assert counts.contexts.tolist() == contexts
    return True


rows = st.lists(
    st.tuples(
        st.sampled_from(["b", "a", "ä", "B", "NULL", '"', "#"]),
        st.sampled_from(["x", "z z", "y", "1"]),
        st.sampled_from([1, 2, 5, 10**12]) | st.sampled_from([1, 0.1, 0.2, 0.3, 1e-20, 1 / 3]),
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=12)
@given(rows)
def test_repeated_rows_are_summed_exactly_in_any_order(tmp_path_factory, given):
    path = tmp_path_factory.mktemp("table") / "t.tsv"
    lines = [f"{word}\t{context}\t{count!r}\n" for word, context, count in given]
    path.write_text("word\tcontext\tcount\n" + "".join(lines))
    counts = Counts.read(path)
    assert same(counts, given)
    random.Random(1).shuffle(lines)
    path.write_text("word\tcontext\tcount\n" + "".join(lines))
    assert Counts.read(path) == counts


def test_tables_of_every_format_are_read(tmp_path):
    pairs = [("milk", "drink", 2), ("milk", "buy", 1), ("tea", "drink", 4), ("milk", "drink", 1)]
    text = "".join(f"{word},{context},{count}\n" for word, context, count in pairs)
    (tmp_path / "t.csv").write_text("noun,verb,count\n" + text)
    (tmp_path / "t.tsv").write_text(text.replace(",", "\t"))
    with gzip.open(tmp_path / "t.tsv.gz", "wt") as file:
        file.write(text.replace(",", "\t"))
    records = [{"noun": word, "verb": context, "count": count} for word, context, count in pairs]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    duckdb.sql(
        f"COPY (SELECT * FROM read_json('{tmp_path}/t.jsonl')) TO '{tmp_path}/t.parquet' "
        "(FORMAT parquet)"
    )
    for name in ("t.csv", "t.tsv", "t.tsv.gz", "t.jsonl", "t.parquet"):
        assert same(Counts.read(tmp_path / name), pairs)
        assert Counts.read(tmp_path / name).matrix.dtype == np.int64
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        turned = Counts.read(tmp_path / name, columns=["verb", "noun"])
        assert same(turned, [(verb, noun, 1) for noun, verb, _ in pairs])


def test_real_table_is_read(shared_data):
    path = shared_data / "amalgum" / "verb_object.tsv"
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    counts = Counts.read(path, columns=(1, 2, 3))
    assert same(counts, [(verb, noun, int(count)) for verb, noun, count in lines])
    named = Counts.read(path)  # by what the file is called
    assert same(named, [(noun, verb, int(count)) for verb, noun, count in lines])
    data = path.read_bytes()
    assert counts.provenance["inputs"] == [
        {"path": str(path), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    ]


def test_broken_tables_are_refused(tmp_path):
    path = tmp_path / "t.tsv"
    for text, code, *values in (
        ("", None, "t.tsv"),
        ("a\tb\t0\n", "empty-input", "t.tsv"),
        ("a\tb\t1\nc\td\t-2\n", None, "t.tsv:2", "-2"),
        ("a\tb\t1\nc\td\n", None, "t.tsv:2", "2 "),
        (f"a\tb\t{2**61}\n" * 5, None, "t.tsv", "2^63"),
        (f"a\tb\t{2**61}\n" * 3 + f"a\tc\t{2**61}\n", "too-large", "t.tsv", "2^63"),
    ):
        path.write_text(text)
        with pytest.raises(InputError) as error:
            Counts.read(path)
        assert code in (None, error.value.code)
        assert all(value in str(error.value) for value in values)
    with refused("file-not-found", "nowhere.tsv"):
        Counts.read(tmp_path / "nowhere.tsv")
    (tmp_path / "t.docx").write_text("a b")
    with pytest.raises(InputError, match=r"t\.docx"):
        Counts.read(tmp_path / "t.docx")


@pytest.mark.parametrize("name", ["x.npz", "x.mtx", "x.counts"])
def test_columns_option_is_refused_for_other_formats_than_tables(tmp_path, name):
    if name == "x.mtx":
        scipy.io.mmwrite(tmp_path / name, sparse.coo_array([[1]]))
    else:
        COUNTS.write(tmp_path / name)
    with refused("conflicting-options", name, "--columns"):
        Counts.read(tmp_path / name, columns=["a", "b"])


@pytest.mark.parametrize("name", ["x.tsv", "x.tsv.gz", "x.TSV", "x.npz"])
@pytest.mark.parametrize("counts", [COUNTS, WHOLE], ids=["fractional", "whole"])
def test_single_files_are_read_back(tmp_path, name, counts):
    counts.write(tmp_path / name)
    again = Counts.read(tmp_path / name)
    assert again.ranked() == counts.ranked()
    assert again.matrix.dtype == counts.matrix.dtype
    assert os.listdir(tmp_path) == [name]


def test_equal_counts_give_equal_bytes(tmp_path):
    WHOLE.write(tmp_path / "x.tsv.gz")
    first = (tmp_path / "x.tsv.gz").read_bytes()
    assert first[4:8] == bytes(4), "no time inside"
    WHOLE.write(tmp_path / "y.tsv.gz")
    assert (tmp_path / "y.tsv.gz").read_bytes() == first


def test_tsv_has_documented_content(tmp_path):
    COUNTS.write(tmp_path / "x.tsv")
    assert (tmp_path / "x.tsv").read_bytes().decode() == (
        "word\tcontext\tcount\nmilk\tdrink\t3.0\nmilk\tread\t2.0\nBücher\tread\t4.0\n"
        'a "b"\tdrink\t1.0\na "b"\tsee\t0.5\n'
    )
    WHOLE.write(tmp_path / "x.tsv.gz")
    assert gzip.decompress((tmp_path / "x.tsv.gz").read_bytes()).startswith(
        b"word\tcontext\tcount\nmilk\tdrink\t3\n"
    )


texts = st.text(st.characters(exclude_characters="\t\n\r", codec="utf-8"), min_size=1, max_size=6)


@settings(max_examples=12)
@given(st.dictionaries(st.tuples(texts, texts), st.floats(1e-300, 1e15), min_size=1, max_size=8))
def test_tsv_preserves_any_text_without_tabs(tmp_path_factory, cells):
    path = tmp_path_factory.mktemp("tsv") / "x.tsv"
    words, contexts = (sorted({pair[axis] for pair in cells}) for axis in (0, 1))
    dense = [[cells.get((word, context), 0) for context in contexts] for word in words]
    Counts(dense, words, contexts).write(path)
    assert same(Counts.read(path), [(word, context, n) for (word, context), n in cells.items()])


@pytest.mark.parametrize("odd", ["a\tb", "a\nb", "a\rb", ""])
def test_tsv_refuses_names_it_cannot_represent(tmp_path, odd):
    for counts in (Counts([[1]], [odd]), Counts([[1]], None, [odd])):
        with refused("unsupported-format", repr(odd)):
            counts.write(tmp_path / "x.tsv")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.mtx", "x.jsonl", "x.txt", "x.csv.gz"])
def test_unsupported_output_suffixes_are_refused(tmp_path, name):
    with refused("unsupported-format", name, ".tsv, .tsv.gz, .npz"):
        COUNTS.write(tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_npz_is_compatible_with_scipy(tmp_path):
    COUNTS.write(tmp_path / "ours.npz")
    loaded = sparse.load_npz(tmp_path / "ours.npz")
    assert isinstance(loaded, sparse.csr_array)
    assert (loaded != COUNTS.matrix).nnz == 0
    with np.load(tmp_path / "ours.npz", allow_pickle=False) as file:
        assert file["words"].tolist() == COUNTS.words.tolist()
        assert file["contexts"].dtype.kind == "U"
    for kind in ("csr", "csc", "coo", "bsr", "dia"):
        for matrix in (COUNTS.matrix, sparse.csr_matrix(COUNTS.matrix)):
            sparse.save_npz(tmp_path / "its.npz", matrix.asformat(kind))
            assert Counts.read(tmp_path / "its.npz") == Counts(COUNTS.matrix)


def test_npz_keeps_slots_and_empty_words(tmp_path):
    counts = Counts([[0, 0], [1, 0]], ["a", "b"], ["obj:x", "y"], slots=["obj", ""])
    counts.write(tmp_path / "x.npz")
    again = Counts.read(tmp_path / "x.npz")
    assert again == counts
    assert again.slots.tolist() == ["obj", ""]


def test_npz_files_of_other_tools_are_read(tmp_path):
    path, matrix = tmp_path / "x.npz", COUNTS.matrix
    parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    cells, genes = np.array(["c1", "c2", "ü"]), np.array(["g1", "g2", "g3"])
    np.savez(path, **parts, shape=matrix.shape, obs_names=cells, var_names=genes)
    expected = Counts(matrix, cells, genes)
    assert Counts.read(path) == expected
    np.savez(path, X=matrix.toarray(), obs_names=np.char.encode(cells, "utf-8"), var_names=genes)
    assert Counts.read(path) == expected
    np.savez(path, X=matrix.toarray(), words=[1, 2, 3])
    assert Counts.read(path) == Counts(matrix, ["1", "2", "3"])


@pytest.mark.parametrize(
    ("arrays", "code", "value"),
    [
        ({"X": np.array([[1]]), "words": np.array(["a"], dtype=object)}, None, "words"),
        ({"X": np.array({"a": 1}, dtype=object)}, None, "X"),
        ({"Y": np.array([1])}, "unsupported-format", "Y"),
        ({"X": np.array([[0]])}, "empty-input", ""),
        ({"X": np.array([[1]]), "words": np.array(["a", "b"])}, "length-mismatch", "2 words"),
        ({"X": np.array([[1]]), "words": np.array([["a"]])}, "broken-archive", "2 dimensions"),
        ({"X": np.array([[1]]), "words": np.array([b"\xff"])}, "broken-archive", "utf-8"),
        ({"X": np.array([[-1]])}, "bad-count", "-1"),
        ({"data": [1], "indices": [0], "indptr": [0, 1]}, "broken-archive", "shape"),
        ({"data": [1], "indices": [5], "indptr": [0, 1], "shape": [1, 1]}, None, "indices"),
        ({"data": [1], "indices": [0], "indptr": [0, 9**9, 1], "shape": [2, 1]}, None, "indptr"),
        ({"format": b"csr", "data": [1]}, "broken-archive", ".npz"),
        ({"format": b"odd", "data": [1]}, "broken-archive", ".npz"),
    ],
)
def test_broken_npz_files_are_refused(tmp_path, arrays, code, value):
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(InputError) as error:
        Counts.read(tmp_path / "x.npz")
    assert code in (None, error.value.code), error.value
    assert "x.npz: " in str(error.value)
    assert value in str(error.value)


def test_invalid_npz_file_is_named(tmp_path):
    path = tmp_path / "x.npz"
    COUNTS.write(path)
    data = path.read_bytes()
    for broken in (b"", b"not a zip file", data[: len(data) // 2]):
        path.write_bytes(broken)
        with pytest.raises(InputError, match=r"x\.npz: "):
            Counts.read(path)
    with open(path, "wb") as file:
        np.save(file, np.eye(2))
    with pytest.raises(InputError, match=r"x\.npz"):
        Counts.read(path)


def test_npz_refuses_names_it_would_change(tmp_path, monkeypatch):
    with refused("unsupported-format", "word"):
        Counts([[1]], ["a\0"]).write(tmp_path / "x.npz")
    monkeypatch.setattr("roget.core.counts.formats._MAX_PADDED", 100)
    with refused("unsupported-format", "context", "30"):
        Counts([[1]], None, ["x" * 30]).write(tmp_path / "x.npz")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["x.mtx", "x.mtx.gz"])
def test_matrix_market_files_are_read(tmp_path, name):
    for matrix in (COUNTS.matrix, WHOLE.matrix, COUNTS.matrix.toarray()):
        with (gzip.open if name.endswith("gz") else open)(tmp_path / name, "wb") as file:
            scipy.io.mmwrite(file, matrix)
        assert Counts.read(tmp_path / name) == Counts(matrix)


def test_symmetric_matrix_market_patterns_are_read(tmp_path):
    path = tmp_path / "x.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n")
    assert Counts.read(path) == Counts([[1, 1], [1, 0]])


def test_matrix_market_with_trailing_blank_is_read_or_refused(tmp_path):
    """Compiled readers have crashed on it."""
    path = tmp_path / "x.mtx"
    path.write_text("%%MatrixMarket matrix coordinate integer general\n%\n\n2 2 2\n1 1 3\n2 2 1 ")
    assert Counts.read(path) == Counts([[3, 0], [0, 1]])
    path.write_text("%%MatrixMarket matrix coordinate integer general\n2 2 1\n  \n1\t1  3\n \n")
    assert Counts.read(path) == Counts([[3, 0], [0, 0]])
    path.write_text("%%MatrixMarket matrix array real symmetric\n2 2\n1.5\n2\n3e0")
    assert Counts.read(path) == Counts([[1.5, 2], [2, 3]])
    path.write_text("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 x 3\n")
    with refused("broken-lines", "x.mtx", "line 3", "'1 x 3'"):
        Counts.read(path)


@given(st.binary(max_size=12), st.integers(0, 90), st.booleans())
def test_corrupt_matrix_market_files_never_crash(tmp_path_factory, bytes_, at, cut):
    whole = b"%%MatrixMarket matrix coordinate integer general\n% c\n3 3 3\n1 1 1\n2 1 2\n3 3 4\n"
    path = tmp_path_factory.mktemp("m") / "x.mtx"
    path.write_bytes(whole[:at] + bytes_ + (b"" if cut else whole[at:]))
    with contextlib.suppress(InputError):  # of no other type
        assert Counts.read(path).entries


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no header\n",
        "%%MatrixMarket matrix coordinate integer general\n2 2 1\n",
        "%%MatrixMarket matrix coordinate integer general\n2 2 1\n5 5 1\n",
        "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 -3\n",
        "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 99999999999999999999\n",
        "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n",
        "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1_0\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 nan\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 1\n1.5 1 2\n",
        "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 1\0 2 2 1\n",
        "%%MatrixMarket matrix array integer general\n0 2\n1\n2\n3\n4\n",
        "%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4x",
        "%%MatrixMarket matrix coordinate integer symmetric\n2 3 1\n1 1 1\n",
    ],
)
def test_broken_matrix_market_files_are_named(tmp_path, text):
    path = tmp_path / "x.mtx"
    path.write_text(text)
    with pytest.raises(InputError, match=r"x\.mtx: "):
        Counts.read(path)
    packed = tmp_path / "x.mtx.gz"
    packed.write_bytes(gzip.compress(b"%%MatrixMarket matrix array integer general\n1 1\n1\n")[:-9])
    with pytest.raises(InputError, match=r"x\.mtx\.gz"):
        Counts.read(packed)


def test_long_table_is_written_in_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr("roget.core.counts.counts._CHUNK", 1000)
    dealer = random.Random(0)
    pairs = Counter(
        (f"w{dealer.randrange(300)}", f"c{dealer.randrange(300)}") for _ in range(99_000)
    )
    rows = [(word, context, count) for (word, context), count in pairs.items()]
    words, contexts = (sorted({row[axis] for row in rows}) for axis in (0, 1))
    dense = np.zeros((len(words), len(contexts)), dtype=int)
    for word, context, count in rows:
        dense[words.index(word), contexts.index(context)] = count
    Counts(dense, words, contexts).write(tmp_path / "x.tsv")
    assert same(Counts.read(tmp_path / "x.tsv"), rows)
