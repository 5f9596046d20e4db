"""Opening files and detecting formats."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from pathlib import Path

import pytest

from roget import catalogue
from roget.scoring.labels import as_labels, files
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.formats import list_suffixes, sniff_format
from support import zstd
from support.errors import refused

KEY = "w i1 a\nw i2 b\n"


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("gold.key", "key"),
        ("gold.KEY", "key"),
        ("a.b.tsv", "tsv"),
        ("a.tab", "tsv"),
        ("a.csv", "csv"),
        ("a.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.json", "jsonl"),
        ("a.parquet", "parquet"),
        ("a.pq", "parquet"),
        ("a.tsv.gz", "tsv"),
        ("a.key.bz2", "key"),
        ("a.csv.xz", "csv"),
    ],
)
def test_format_is_inferred_from_file_name(name, form):
    assert list_suffixes()[LabelFile(name).suffix] == form


@pytest.mark.parametrize(
    ("lines", "form"),
    [
        (["noun"], "lines"),
        (["noun", "a b c"], "lines"),
        (["w i1 a"], "key"),
        (["w\ti1\ta/3\tb"], "key"),
        (["w i1", "w i2 a"], "key"),
        (["d1 a"], "tsv"),
        (["d1\ta"], "tsv"),
        (["d 1\ta b c"], "tsv"),
        (["item\tlabel\tweight"], "tsv"),
        (["id\tLabel\tword\tx"], "tsv"),
        (["item label", "d1 a b"], "tsv"),
        (["item,label"], "csv"),
        (['{"item": 1, "label": 2}'], "jsonl"),
        (["d1,x", "d2,y"], "csv"),
        (["d1, x", "d2, x"], "csv"),
        (["noun,sg", "noun,sg"], "lines"),
        (["noun,sg", "verb"], "lines"),
        (["noun,sg"], "lines"),
        (["w i1 a,b", "w i2 a,c"], "key"),
        (["[CLS]"], "lines"),
        (['[{"item": 1}]'], "jsonl"),
        (["{"], "jsonl"),
        ([], "lines"),
    ],
)
def test_format_is_inferred_from_content(lines, form):
    assert sniff_format(lines) == form


def test_format_inference_skips_blanks_and_comments(write, answers):
    path = write("a.txt", "\n!! a comment of several words\n  \nw i1 a\n")
    assert answers(as_labels(path)) == {("w", "i1"): {"a": 1.0}}


def test_named_format_overrides_suffix(write):
    path = write("a.key", KEY)
    assert as_labels(path, labels="lines").n_labels == 2
    with refused("unknown-name", "'keys'"):
        as_labels(path, labels="keys")


def test_parquet_is_recognised_without_suffix(write):
    with refused("broken-archive"):
        as_labels(write("a", b"PAR1 but no more"))


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [
        ("gz", gzip.compress),
        ("bz2", bz2.compress),
        ("xz", lzma.compress),
        ("zst", zstd.compress),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_compressed_files_are_read(write, suffix, compress, named, answers):
    path = write(f"a.key.{suffix}" if named else "a.key", compress(KEY.encode()))
    assert answers(as_labels(path)) == {("w", "i1"): {"a": 1.0}, ("w", "i2"): {"b": 1.0}}


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst"])
def test_broken_compression_is_refused(write, suffix):
    path = write(f"a.key.{suffix}", KEY * 5)
    with refused("broken-archive"):
        as_labels(path)


def test_truncated_compression_is_refused(write):
    whole = gzip.compress(KEY.encode() * 1000)
    with refused("broken-archive", "a.key"):
        as_labels(write("a.key.gz", whole[: len(whole) // 2]))


def test_standard_input_is_read(monkeypatch, answers):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(KEY.encode())))
    labels = as_labels("-")
    assert answers(labels) == {("w", "i1"): {"a": 1.0}, ("w", "i2"): {"b": 1.0}}
    assert labels.source == "standard input"
    assert not sys.stdin.buffer.closed


def test_standard_input_cannot_be_read_twice(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(KEY.encode())))
    as_labels("-", gold=True)
    with refused("empty-input"):
        as_labels("-")


def test_missing_file_is_refused(tmp_path):
    with refused("file-not-found", "nothing.key"):
        as_labels(tmp_path / "nothing.key")
    with refused("file-not-found"):
        as_labels(tmp_path)
    with refused("file-not-found"):
        as_labels(str(tmp_path / "nothing"))


def test_path_below_a_file_is_refused(write):
    path = write("a.key", KEY)
    with refused("file-not-found"):
        as_labels(path / "b.key")


@pytest.mark.parametrize(
    "form",
    sorted(
        {*catalogue.names("label formats")}
        - {"parquet", "linkage", "thesaurus", "arrow", "xlsx", "npy", "npz"}
    ),
)
def test_empty_file_is_refused(write, form):
    with refused("empty-input"):
        as_labels(write("empty", ""), labels=form)


def test_byte_order_mark_is_ignored(write, answers):
    path = write("a.tsv", b"\xef\xbb\xbfitem\tlabel\nd1\tx\n")
    assert answers(as_labels(path)) == {(None, "d1"): {"x": 1.0}}


def test_wrong_encoding_is_refused(write):
    path = write("a.key", "w i1 a\nw i2 café\n".encode("latin-1"))
    with refused("not-text", "a.key:2", "0xe9", "8"):
        as_labels(path)
    with refused("not-text", "16"):
        as_labels(write("b.key", "w i1 a\n".encode("utf-16")))


@pytest.mark.parametrize(("before", "place"), [(0, "1"), (1, "2"), (10, "11"), (1220, "1,221")])
def test_position_of_invalid_byte_is_reported(write, before, place):
    with refused("not-text", f"position {place} "):
        as_labels(write("a.txt", b"a" * before + b"\xff"))


def test_wrong_encoding_beyond_first_block_is_located(write, monkeypatch):
    monkeypatch.setattr(files, "BLOCK", 64)
    monkeypatch.setattr(files, "SMALL", 0)
    path = write("a.key", b"w i%d a\n" * 100 % tuple(range(100)) + b"w i\xff a\n")
    content = path.read_bytes()
    place = content.index(b"\xff") + 1
    with refused("not-text", "a.key:101", "0xff", place):
        as_labels(path)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_ending_is_accepted(write, end, answers):
    expected = {("w", "i1"): {"a": 1.0}, ("w", "i2"): {"b": 1.0}}
    assert answers(as_labels(write("a.key", KEY.replace("\n", end)))) == expected
    assert answers(as_labels(write("b.key", KEY.strip().replace("\n", end)))) == expected
    with refused("broken-lines", "c.key:3", "1"):
        as_labels(write("c.key", (KEY + "x\n").replace("\n", end)))


@pytest.mark.parametrize("block", [1, 7, 64])
@pytest.mark.parametrize("form", ["key", "tsv", "csv", "jsonl", "lines"])
def test_labels_do_not_depend_on_block_size(write, monkeypatch, block, form, answers):
    rows = {
        "key": lambda n: f"w i{n} l{n % 3}",
        "tsv": lambda n: f"i{n}\tl{n % 3}",
        "csv": lambda n: f'i{n},"l{n % 3}"',
        "jsonl": lambda n: f'{{"item": {n}, "label": {n % 3}}}',
        "lines": lambda n: f"l{n % 3}",
    }[form]
    path = write("a.txt", "\n".join(map(rows, range(50))))
    whole = answers(as_labels(path, labels=form))
    monkeypatch.setattr(files, "BLOCK", block)
    monkeypatch.setattr(files, "SMALL", 0)
    assert answers(as_labels(path, labels=form)) == whole
    assert len(whole) == 50


def test_paths_and_strings_are_accepted(write):
    path = write("a.key", KEY)
    assert as_labels(str(path)).source == as_labels(Path(path)).source == str(path)
