"""Counting from files to tables, against naive code on dictionaries."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import sys
from collections import Counter
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from learn.counting import naive
from learn.counting.corpora import conllu
from roget.core.counts import Counts
from roget.core.progress import Progress
from roget.errors import FormatError, InputError, UnknownName
from roget.learn.corpus.relations import RelationSet
from roget.learn.counting import inspect, plan
from roget.learn.counting.count import CountOptions, count, run
from roget.learn.counting.recipe import CountCuts, CountRecipe
from support import zstd
from support.errors import codes, mentions, notice, refused


def test_counts_of_conllu_equal_a_naive_count(tmp_path: Path) -> None:
    texts = [conllu(seed) for seed in range(4)]
    (tmp_path / "a.conllu").write_text(texts[0])
    (tmp_path / "b.conllu.gz").write_bytes(gzip.compress(texts[1].encode()))
    (tmp_path / "c.conll.zst").write_bytes(zstd.compress(texts[2].encode()))
    (tmp_path / "d.conllu.xz").write_bytes(lzma.compress(texts[3].encode()))
    expected = sum(map(naive.obj_pairs, texts), Counter())
    assert len(expected) > 10
    counts = count(tmp_path, relation="obj")
    naive.check(counts, expected)
    turned = count(sorted(tmp_path.iterdir()), relation="obj", transpose=True)
    naive.check(turned, {(c, w): n for (w, c), n in expected.items()})
    assert counts.provenance["tokens"] == sum(text.count("\tx\t") for text in texts)
    assert counts.provenance["sentences"] == 200
    assert counts.relations == ("obj",)


def test_counts_of_real_parses_equal_a_naive_count(shared_data: Path) -> None:
    path = shared_data / "ud-english/en_ewt-dev.conllu"
    naive.check(count(path, relation="obj"), naive.obj_pairs(path.read_text("utf-8")))


TEXT = st.sampled_from(
    ["milk", "Milk", "drink", "a:b", "caf\xe9", "cafe\u0301", "x y", "it's", "-", "3d", "w/N"]
)
WHOLE = st.integers(0, 5) | st.just(2**53 + 1)
SOME = st.integers(0, 5) | st.floats(1e-20, 10, allow_nan=False)
TABLES = st.lists(
    st.lists(st.tuples(TEXT, TEXT, WHOLE), max_size=15), min_size=1, max_size=3
) | st.lists(st.lists(st.tuples(TEXT, TEXT, SOME), max_size=15), min_size=1, max_size=3)
CUTS = st.builds(
    CountCuts,
    min_count=st.integers(1, 4),
    min_context=st.integers(1, 4),
    min_pair=st.integers(1, 3),
    stop=st.frozensets(TEXT, max_size=2),
    vocabulary=st.none() | st.frozensets(TEXT, min_size=3, max_size=8),
    contexts=st.none() | st.frozensets(TEXT, min_size=3, max_size=8),
    alphabetic=st.booleans(),
) | st.just(CountCuts())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=6)
@given(tables=TABLES, cuts=CUTS)
def test_tables_and_cuts_equal_a_naive_count(
    tmp_path: Path, tables: list[list[tuple[str, str, Any]]], cuts: CountCuts
) -> None:
    for number, rows in enumerate(tables):
        lines = ["word\tcontext\tcount", *("\t".join(map(str, row)) for row in rows)]
        (tmp_path / f"{number}.tsv").write_text("\n".join(lines) + "\n")
    paths = [tmp_path / f"{number}.tsv" for number in range(len(tables))]
    sums = naive.added(row for rows in tables for row in rows)
    expected = naive.cut(sums, cuts)
    options = {
        name: value
        for name in CountCuts.__dataclass_fields__
        if (value := getattr(cuts, name)) or name in ("vocabulary", "contexts")
    }
    if not expected:
        with refused("empty-input", f"{len({w for w, _ in sums})} words" if sums else "row"):
            count(paths, **options)
        return
    counts = count(paths, **options)
    whole = all(n.denominator == 1 for n in expected.values())
    naive.check(counts, expected, exact=whole)
    assert counts.matrix.dtype == np.int64 or not whole


def test_slots_are_part_of_context_names(tmp_path: Path) -> None:
    rows = [["1", "cat", "NOUN", "3", "nsubj"], ["2", "milk", "NOUN", "3", "obj"]]
    rows.append(["3", "drink", "VERB", "0", "root"])
    lines = ["\t".join([i, w, w, u, "_", "_", h, d, "_", "_"]) for i, w, u, h, d in rows]
    (tmp_path / "a.conllu").write_text("\n".join(lines) + "\n\n")
    counts = count(tmp_path / "a.conllu", relation=["obj", "subj"])
    assert sorted(counts.rows()) == [("cat", "subj:drink", 1), ("milk", "obj:drink", 1)]
    assert sorted(counts.slots) == ["obj", "subj"]
    tagged = count(tmp_path / "a.conllu", tags=True, stop=["cat"], alphabetic=True)
    assert list(tagged.rows()) == [("milk/NOUN", "obj:drink/VERB", 1)]
    every = count(tmp_path / "a.conllu", relation="all")
    assert every.count("drink/VERB", "~obj:milk/NOUN") == 1
    assert every.count("milk/NOUN", "obj:drink/VERB") == 1


@pytest.mark.parametrize(
    "suffix", ["csv", "jsonl", "parquet", "tsv.gz", "npz", "mtx", "none", "bz2"]
)
def test_tables_of_every_format_are_counted(tmp_path: Path, suffix: str) -> None:
    expected = {("milk", "drink"): 3, ("bread", "eat"): 2, ("milk", "buy"): 1}
    counts = Counts([[3, 1, 0], [0, 0, 2]], ["milk", "bread"], ["drink", "buy", "eat"])
    path = tmp_path / f"a.{suffix}"
    if suffix in ("tsv.gz", "npz"):
        counts.write(path)
    elif suffix == "mtx":
        from scipy.io import mmwrite

        mmwrite(path, sparse.coo_array(counts.matrix))
        expected = {("0", "0"): 3, ("1", "2"): 2, ("0", "1"): 1}
    elif suffix == "parquet":
        counts.write(tmp_path / "a.tsv")
        with duckdb.connect() as connection:
            table = f"read_csv('{tmp_path}/a.tsv', delim='\t')"
            connection.execute(f"COPY (FROM {table}) TO '{path}'")
    elif suffix == "csv":
        path.write_text("word,context,n\n" + "".join(f"{w},{c},{n}\n" for w, c, n in counts.rows()))
    elif suffix == "jsonl":
        keys = ("context", "word", "weight")
        rows = (dict(zip(keys, (c, w, n), strict=True)) for w, c, n in counts.rows())
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        counts.write(tmp_path / "a.tsv")
        data = (tmp_path / "a.tsv").read_bytes()
        if suffix == "bz2":
            import bz2

            path = tmp_path / "a.tsv.bz2"
            data = bz2.compress(data)
        path.write_bytes(data)
    naive.check(count(path, reader="table" if suffix == "none" else None), expected)
    turned = count(path, transpose=True, columns=[1, 2, 3] if suffix == "none" else None)
    naive.check(turned, {(c, w): n for (w, c), n in expected.items()})


def test_fractional_matrix_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    sparse.save_npz(path, sparse.csr_array([[0.1, 2], [0, 1e-9]]))
    assert sorted(count(path).rows()) == [("0", "0", 0.1), ("0", "1", 2.0), ("1", "1", 1e-9)]


def test_latin_1_table_is_counted_with_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes("café\tau lait\n".encode("latin-1"))
    assert list(count(tmp_path / "a.tsv", encoding="latin-1").rows()) == [("café", "au lait", 1)]
    with pytest.raises(FormatError) as error:
        count(tmp_path / "a.tsv")
    assert "a.tsv:1" in str(error.value)
    assert "0xe9" in str(error.value).lower()


def test_plain_text_is_counted_by_windows(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The cat drinks milk.\n\nThe dog drinks water.\n")
    summary = run(tmp_path / "a.txt", tmp_path / "o.counts")
    assert codes(summary.notes) == ["language", "default-contexts", "too-little-text"]
    notice(summary.notes, "default-contexts", "3", "1/distance", "--window")
    counts = Counts.read(tmp_path / "o.counts")
    assert counts.count("cat", "drinks") == 1
    assert counts.count("cat", "milk") == 1 / 2
    assert counts.count("the", "milk") == 1 / 3
    assert "dog" not in {c for w, c, _ in counts.rows() if w == "cat"}
    assert counts == count(tmp_path / "a.txt", window=3, decay=True)
    plain = count(tmp_path / "a.txt", window=2)
    assert plain == count(tmp_path / "a.txt", window=2, decay=False, function_words=True)
    assert {n for *_, n in plain.rows()} == {1, 2}
    assert not run(tmp_path / "a.txt", tmp_path / "o.counts", CountOptions(window=2)).notes


def test_cuts_apply_to_counts_not_to_multiples(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b c\n\na b\n\na d c\n")
    cut = count(tmp_path / "a.txt", window=2, decay=True, min_pair=2, min_count=4)
    assert sorted(cut.rows()) == [("a", "b", 2.0)]


ENGLISH = "The cat of the house drinks some milk in the morning, and it sleeps to the evening. "
"""Repeated ten times, it is long enough to be recognised."""


def test_plain_text_is_tagged_if_its_language_is_recognised(tmp_path: Path) -> None:
    pytest.importorskip("HanTa")
    (tmp_path / "a.txt").write_text(ENGLISH * 10)
    summary = run(tmp_path / "a.txt", tmp_path / "o.counts")
    notice(summary.notes, "tagger", "English", "HanTa", "--reader text")
    counts = Counts.read(tmp_path / "o.counts")
    assert counts == count(tmp_path / "a.txt", tagger="hanta", model="english")
    assert "milk" in counts.words
    assert "the" not in counts.words
    assert count(tmp_path / "a.txt", relation="obj").count("milk", "drink") == 10
    for options in ({"reader": "text"}, {"window": 2}, {"sides": "left"}):
        assert count(tmp_path / "a.txt", **options).count("cat", "the") > 0


def test_missing_tagger_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roget.learn.counting.inspect.find_spec", lambda name: None)
    (tmp_path / "a.txt").write_text(ENGLISH * 10)
    summary = run(tmp_path / "a.txt", tmp_path / "o.counts")
    notice(summary.notes, "missing-extra", "pip install 'roget[learn]'", "HanTa")
    assert "the" in Counts.read(tmp_path / "o.counts").words


def test_language_without_heads_is_counted_by_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("HanTa")
    monkeypatch.setattr("roget.languages.german.German.has_heads", False, raising=False)
    german = "Die Katze in der Küche trinkt die kalte Milch und den Saft, der auf dem Tisch steht. "
    (tmp_path / "a.txt").write_text(german * 10)
    summary = run(tmp_path / "a.txt", tmp_path / "o.counts")
    expected = ["tagger", "default-contexts", "keep-case", "function-words", "terms"]
    assert codes(summary.notes) == expected
    notice(summary.notes, "tagger", "German")
    counts = Counts.read(tmp_path / "o.counts")
    assert counts.count("Katze", "Küche") == 10
    assert "der" not in counts.words
    assert "der" in count(tmp_path / "a.txt", function_words=True).words


def test_function_words_are_left_out_and_listed(tmp_path: Path, shared_data: Path) -> None:
    mark, parsed = "# text = ", shared_data / "ud-other/fr_gsd-ud-dev.conllu.gz"
    lines = gzip.decompress(parsed.read_bytes()).decode().splitlines()
    texts = [line.removeprefix(mark) for line in lines if line.startswith(mark)]
    (tmp_path / "a.txt").write_text("\n".join(texts[:700]), encoding="utf-8")
    summary = run(tmp_path / "a.txt", tmp_path / "o.counts", CountOptions(lines=True))
    notice(summary.notes, "function-words", "de, la, le, et, l', à")
    counts = Counts.read(tmp_path / "o.counts")
    assert not {"de", "la", "le", "et", "qui"} & {*counts.words, *counts.contexts}
    assert "ville" in counts.words
    kept = count(tmp_path / "a.txt", lines=True, function_words=True)
    assert "de" in kept.words


def test_tagged_text_is_counted_by_relations(tmp_path: Path) -> None:
    pytest.importorskip("HanTa")
    (tmp_path / "a.txt").write_text("The cat drinks milk. The dog drank some water.\n")
    counts = count(tmp_path / "a.txt", tagger="hanta", relation="obj")
    assert sorted(counts.rows()) == [("milk", "drink", 1), ("water", "drink", 1)]


class Stdin(io.TextIOWrapper):
    def __init__(self, data: bytes) -> None:
        super().__init__(io.BufferedReader(io.BytesIO(data)))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["conllu", "text", "table"])
def test_standard_input_is_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    data = {
        "conllu": conllu(3).encode(),
        "text": b"a cat and a dog",
        "table": b"a\tx\t2\nb\ty\t1\n",
    }
    monkeypatch.setattr(sys, "stdin", Stdin(data[kind]))
    options = {"table": {"columns": [1, 2, 3]}, "conllu": {"relation": "obj"}}.get(kind, {})
    counts = count("-", **options)  # type: ignore[arg-type]
    (given,) = counts.provenance["inputs"]
    digest = sha256(data[kind]).hexdigest()
    assert given == {"path": "-", "bytes": len(data[kind]), "sha256": digest}
    if kind == "conllu":
        naive.check(counts, naive.obj_pairs(data[kind].decode()))


def test_lack_of_memory_in_the_hashing_thread_reaches_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Digest:
        def update(self, _: bytes) -> None:
            raise MemoryError

    (tmp_path / "a.conllu").write_text(conllu(0))
    failing = SimpleNamespace(sha256=Digest)
    monkeypatch.setattr("roget.learn.counting.provenance.hashlib", failing)
    with pytest.raises(MemoryError):
        count(tmp_path, relation="obj")


def test_provenance_and_summary_describe_the_run(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(conllu(1))
    (tmp_path / "stop.txt").write_text("Be\n\n")
    options = CountOptions(stop=tmp_path / "stop.txt", min_pair=2)
    summary = run([path], tmp_path / "o.counts", options)
    counts = Counts.read(tmp_path / "o.counts")
    record = counts.provenance
    assert record["inputs"] == [
        {
            "path": str(path),
            "bytes": path.stat().st_size,
            "sha256": sha256(path.read_bytes()).hexdigest(),
        }
    ]
    assert record["recipe"]["reader"] == "conllu"
    assert record["cuts"]["min_pair"] == 2
    assert record["cuts"]["stop"] == {"words": 1, "sha256": sha256(b"be").hexdigest()}
    assert "be" not in counts.contexts
    assert (summary.words, summary.contexts) == counts.shape
    assert summary.entries == counts.entries
    assert summary.total == counts.total
    assert summary.files == 1
    assert summary.reused == 0
    assert not (tmp_path / "o.counts.partial").exists()


@pytest.mark.parametrize("name", ["o.tsv", "o.tsv.gz", "o.npz"])
def test_output_files_equal_those_of_counts_write(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(conllu(1))
    run(path, tmp_path / name)
    count(path).write(tmp_path / f"twin-{name}")
    if name.endswith("npz"):
        assert Counts.read(tmp_path / name) == Counts.read(tmp_path / f"twin-{name}")
    else:
        assert (tmp_path / name).read_bytes() == (tmp_path / f"twin-{name}").read_bytes()


def test_tab_in_a_word_is_refused_in_tsv_output(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"a\tb",x\n')
    with pytest.raises(InputError):
        run(tmp_path / "a.csv", tmp_path / "o.tsv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv"]
    assert count(tmp_path / "a.csv").words.tolist() == ["a\tb"]


@pytest.mark.parametrize("limit", [1, 7, 100, 10_000])
def test_limit_counts_the_first_tokens(tmp_path: Path, limit: int) -> None:
    texts = [conllu(seed, 20) for seed in range(3)]
    left, expected = limit, Counter[naive.Pair]()
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.conllu").write_text(text)
        for sentence in text.split("\n\n"):
            if left > 0:
                expected += naive.obj_pairs(sentence)
                left -= sentence.count("\tx\t")
    if expected:
        counts = count(tmp_path, relation="obj", limit=limit)
        naive.check(counts, expected)
        assert counts.provenance["inputs"][0]["sha256"] is None
    else:
        with refused("empty-input", "obj"):
            count(tmp_path, relation="obj", limit=limit)


def test_limit_counts_the_first_rows_of_tables(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.tsv").write_text(f"{name}\tx\t1\n{name}\ty\t2\n")
    assert sorted(count(tmp_path, limit=3).rows()) == [("a", "x", 1), ("a", "y", 2), ("b", "x", 1)]


def test_kind_is_inferred_from_name_then_content(tmp_path: Path) -> None:
    (tmp_path / "parsed").write_text(conllu(1))
    naive.check(count(tmp_path / "parsed", relation="obj"), naive.obj_pairs(conllu(1)))
    (tmp_path / "words").write_text("1 cat and 1 dog\n")
    assert count(tmp_path / "words").contexts.tolist()
    assert not inspect.is_conllu(b"")
    (tmp_path / "a.txt").write_text("x y\n")
    (tmp_path / "b.conllu").write_text(conllu(1))
    with refused("mixed-inputs", "a.txt is text", "b.conllu is conllu", "--reader"):
        count([tmp_path / "a.txt", tmp_path / "b.conllu"])


CONFLICT = "conflicting-options"


@pytest.fixture(scope="module")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one file of each kind of input."""
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "a.txt").write_text("a cat\n")
    (folder / "a.conllu").write_text(conllu(1))
    (folder / "a.tsv").write_text("word\tcontext\na\tb\n")
    Counts([[1]]).write(folder / "a.npz")
    (folder / "a.spacy").touch()
    return folder


@pytest.mark.parametrize(
    ("name", "options", "code", "values"),
    [
        ("a.txt", {"relation": "obj"}, "not-parsed", ["obj", "--tagger hanta", "--window"]),
        ("a.txt", {"relation": "obj", "window": 2}, CONFLICT, ["--relation", "--window"]),
        ("a.txt", {"tagger": "tnt"}, "unknown-name", ["tnt"]),
        ("a.txt", {"tagger": "spacy"}, "missing-option", ["--model"]),
        ("a.txt", {"model": "de"}, CONFLICT, ["model", "text", "--tagger"]),
        ("a.txt", {"tags": True}, CONFLICT, ["tags", "text", "--tagger"]),
        ("a.txt", {"reader": "text", "columns": [1, 2]}, CONFLICT, ["--columns", "text"]),
        ("a.txt", {"columns": [1, 2]}, None, ["a.txt:1"]),
        ("a.conllu", {"model": "de"}, CONFLICT, ["model", "conllu"]),
        ("a.conllu", {"lines": True}, CONFLICT, ["lines", "conllu"]),
        ("a.conllu", {"sides": "left"}, CONFLICT, ["sides left", "--window"]),
        ("a.conllu", {"relation": "obj, subj"}, "invalid-relation", ["-r obj -r subj"]),
        ("a.conllu", {"relation": "~obj,subj"}, "invalid-relation", ["-r ~obj -r subj"]),
        ("a.tsv", {"sides": "left"}, CONFLICT, ["sides", "table"]),
        ("a.tsv", {"model": "de"}, CONFLICT, ["model", "table"]),
        ("a.tsv", {"lines": True}, CONFLICT, ["lines", "table"]),
        ("a.tsv", {"form": True}, CONFLICT, ["form", "table"]),
        ("a.tsv", {"tags": True}, CONFLICT, ["tags", "table"]),
        ("a.tsv", {"window": 2}, CONFLICT, ["window", "table"]),
        ("a.npz", {"columns": [1, 2]}, CONFLICT, ["--columns", "matrix"]),
        ("a.npz", {"encoding": "latin-1"}, CONFLICT, ["encoding", "matrix"]),
        ("a.spacy", {"encoding": "latin-1"}, CONFLICT, ["encoding", "docbin"]),
        ("a.spacy", {"lines": True}, CONFLICT, ["lines", "docbin"]),
        ("a.conllu", {"tagger": "hanta"}, CONFLICT, ["--tagger hanta", "conllu"]),
        ("a.conllu", {"relation": "objj"}, "unknown-name", ["'objj'", "obj?"]),
        ("a.conllu", {"window": 0}, None, ["window"]),
        ("a.conllu", {"limit": 0}, None, ["limit", "0"]),
        ("a.conllu", {"min_count": 0}, None, ["min_count", "0"]),
        ("a.conllu", {"stop": "no such file"}, None, ["stop no such file"]),
        ("a.conllu", {"stop": []}, "empty-input", ["stop"]),
        ("a.conllu", {"memory": "lots"}, None, ["memory", "lots"]),
        ("a.conllu", {"engine": "spark"}, "unknown-name", ["spark"]),
        ("a.conllu", {"scheduler": "tcp://x:1"}, CONFLICT, ["tcp://x:1", "dask"]),
        ("a.conllu", {"language": "de utsch"}, "invalid-option", ["de utsch"]),
        ("a.conllu", {"columns": [1, 2]}, CONFLICT, ["--columns", "conllu"]),
        ("a.tsv", {"relation": "obj"}, CONFLICT, ["relation", "table"]),
        ("a.tsv", {"columns": ["word", "contxt"]}, None, ["contxt", "context"]),
        ("b.conllu", {}, None, ["b.conllu"]),
    ],
)
def test_options_that_do_not_apply_are_refused(
    every_kind: Path,
    tmp_path: Path,
    name: str,
    options: dict[str, Any],
    code: str | None,
    values: list[str],
) -> None:
    before = sorted(every_kind.iterdir())
    with pytest.raises((InputError, UnknownName)) as error:
        count(every_kind / name, output=tmp_path / "o.counts", **options)
    assert code in (None, error.value.code), error.value
    for value in values:
        assert mentions(error.value, value)
    assert sorted(every_kind.iterdir()) == before
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.txt", {"sides": "left"}),
        ("a.txt", {"form": True, "keep_case": True, "lines": True, "encoding": "latin-1"}),
        ("a.conllu", {"window": 1, "sides": "left", "tags": True, "form": True}),
        ("a.tsv", {"keep_case": True, "encoding": "latin-1", "columns": [1, 2]}),
        ("table.txt", {"columns": [1, 2]}),
        ("table", {"columns": [1, 2]}),
        ("a.npz", {"keep_case": True, "transpose": True, "limit": 1}),
    ],
)
def test_options_that_apply_are_accepted(
    tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    (tmp_path / "a.txt").write_text("a cat\n")
    (tmp_path / "a.conllu").write_text(conllu(1))
    for table in ("a.tsv", "table.txt", "table"):
        (tmp_path / table).write_text("a\tb\n")
    Counts([[1]]).write(tmp_path / "a.npz")
    assert count(tmp_path / name, **options).entries


@pytest.mark.parametrize("name", ["corpus", "corpus.conllu", "corpus.tsv"])
@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_compression_is_detected_without_suffix(tmp_path: Path, name: str, pack: Any) -> None:
    table = b"milk\tdrink\t3\n"
    (tmp_path / name).write_bytes(pack(table if name.endswith("tsv") else conllu(1).encode()))
    counts = count(tmp_path / name, relation=None if name.endswith("tsv") else "obj")
    if name.endswith("tsv"):
        assert list(counts.rows()) == [("milk", "drink", 3)]
    else:
        naive.check(counts, naive.obj_pairs(conllu(1)))


def test_text_without_pairs_reports_tags_and_labels(tmp_path: Path) -> None:
    texts = [conllu(seed).replace("\tADV\t", "\t_\t") for seed in range(3)]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.conllu").write_text(text)
    rows = [line.split("\t") for line in "".join(texts).splitlines() if "\t" in line]
    tags, labels = (Counter(row[column] for row in rows) for column in (3, 7))
    del tags["_"]
    values = [
        f"{len(rows)} tokens",
        "~amod (NOUN/amod/ADJ)",
        ": " + ", ".join(f"{tag} {n}" for tag, n in tags.most_common()),
        ": " + ", ".join(f"{label} {n}" for label, n in labels.most_common()),
    ]
    with refused("empty-input", *values):
        count(tmp_path, relation="~amod")
    (tmp_path / "few").mkdir()
    (tmp_path / "few/a.conllu").write_text(CONLLU_LINE.replace("NOUN", "_"))
    with refused("empty-input", ": none\n", ": root 1"):
        count(tmp_path / "few")
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    with refused("empty-input", "3 tokens", "3 sentences"):
        count(tmp_path / "a.txt", lines=True)


@pytest.mark.parametrize(
    ("name", "unit", "tokens"), [("a.conllu", "token", True), ("a.tsv", "row", False)]
)
def test_summary_names_the_unit(tmp_path: Path, name: str, unit: str, tokens: bool) -> None:
    (tmp_path / name).write_text("a\tb\n" if unit == "row" else conllu(1))
    reported: list[int] = []
    summary = run(
        tmp_path / name, tmp_path / "o", progress=lambda now: reported.append(now["tokens"])
    )
    assert summary.unit == unit
    assert summary.tokens
    assert bool(reported[-1]) == tokens


CONLLU_LINE = "1\tx\tx\tNOUN\t_\t_\t0\troot\t_\t_\n"


@pytest.mark.parametrize(
    ("name", "data", "code", "value"),
    [
        ("a.conllu", CONLLU_LINE.replace("\t_\n", "\n").encode(), None, "a.conllu:1: 9 columns"),
        ("a.conllu", CONLLU_LINE.replace("\t0\t", "\t7\t").encode(), None, "a.conllu:1: head 7"),
        ("a.conllu", CONLLU_LINE.replace("x", "é").encode("latin-1"), None, "a.conllu:1"),
        ("a.conllu.gz", gzip.compress(conllu(1).encode(), mtime=0)[:-20], None, "a.conllu.gz"),
        ("a.conllu.zst", zstd.compress(conllu(1).encode())[:-20], None, "a.conllu.zst"),
        ("a.conllu", b"", "empty-input", ""),
        ("a.conllu", CONLLU_LINE.encode(), "empty-input", "1 tokens"),
        ("a.tsv", b"a\tx\t1\nb\ty\n", None, "a.tsv:2: "),
        ("a.tsv.gz", gzip.compress(b"a\tx\n" * 999, mtime=0)[:-5], None, "a.tsv.gz"),
        ("a.parquet", b"PAR1PAR1", None, "a.parquet"),
        ("a.npz", b"PK", None, "a.npz"),
        ("a.md", b"", None, ".conllu"),
    ],
)
def test_invalid_input_leaves_nothing_behind(
    tmp_path: Path, name: str, data: bytes, code: str | None, value: str
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_bytes(data)
    with pytest.raises(InputError) as error:
        run(tmp_path / "in", tmp_path / "o.counts")
    assert value in str(error.value)
    assert code in (None, error.value.code)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_old_output_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(conllu(1))
    run(tmp_path / "a.conllu", tmp_path / "o.counts")
    before = Counts.read(tmp_path / "o.counts")
    (tmp_path / "b.conllu").write_text("broken\n")
    with pytest.raises(FormatError):
        run([tmp_path / "a.conllu", tmp_path / "b.conllu"], tmp_path / "o.counts")
    assert Counts.read(tmp_path / "o.counts") == before
    run(tmp_path / "a.conllu", tmp_path / "o.counts", CountOptions(min_pair=2))
    assert Counts.read(tmp_path / "o.counts") != before


def test_invalid_outputs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\tx\n")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    for output in ("full", "a.tsv/x", "none/x", "o.parquet"):
        with pytest.raises(InputError) as error:
            run(tmp_path / "a.tsv", tmp_path / output)
        assert output.split("/")[0] in str(error.value)
    with refused("input-is-output", "a.tsv"):
        run(tmp_path / "a.tsv", tmp_path / "a.tsv")
    with refused("not-writable"):
        run(tmp_path / "a.tsv", "-")
    run(tmp_path / "a.tsv", tmp_path / "o")
    with refused("already-counted", "o"):
        run(tmp_path / "o", tmp_path / "p")


def test_file_changed_during_counting_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(conllu(1))

    def progress(now: Progress) -> None:
        os.utime(path, ns=(1, 1))

    with refused("changed", "a.conllu"):
        run(path, tmp_path / "o.counts", progress=progress)


def test_progress_is_reported(tmp_path: Path) -> None:
    for seed in range(3):
        (tmp_path / f"{seed}.conllu").write_text(conllu(seed))
    reported: list[tuple[float, float, int]] = []
    counts = count(
        tmp_path, progress=lambda now: reported.append((now.done, now.total, now["tokens"]))
    )
    assert reported == sorted(reported)
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert reported[-1] == (size, size, counts.provenance["tokens"])


def test_pieces_and_bundles_give_equal_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed, sentences in enumerate((100, 10, 5)):
        (tmp_path / f"{seed}.conllu").write_text(conllu(seed, sentences))
    whole = count(tmp_path, relation="all")
    monkeypatch.setattr(plan, "PIECE", 2500)
    monkeypatch.setattr(plan, "BUNDLE", 100)
    sources, _ = inspect.find_sources([tmp_path], None, "utf-8", tabular=False)
    recipe = CountRecipe("conllu", relations=RelationSet.from_names(["all"]))
    assert len(plan.plan_tasks(sources, recipe)) > 5
    assert count(tmp_path, relation="all") == whole


def test_overflow_is_refused(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.tsv").write_text(f"w\tx\t{2**61}\nw\ty\t{2**61}\n")
    with refused("too-large", "2^63"):
        count(tmp_path)


def test_fractions_are_summed_exactly_across_files(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("w\tx\t0.1\nw\tx\t0.2\n")
    (tmp_path / "b.tsv").write_text("w\tx\t0.7\nv\tx\t1\n")
    rows = {(w, c): n for w, c, n in count(tmp_path).rows()}
    assert rows["w", "x"] == float(sum(map(Fraction, (0.1, 0.2, 0.7))))
    (tmp_path / "c.tsv").write_text("w\tx\t0.5\n")
    (tmp_path / "d.tsv").write_text("w\tx\t0.5\n")
    halves = count([tmp_path / "c.tsv", tmp_path / "d.tsv"])
    assert halves.matrix.dtype == np.int64
