"""Label files: every format with its reader, detected formats, pairs, cells, and scores."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from campaigns.fuzz.archives import unzipped
from campaigns.fuzz.mutate import alter_json, mutate
from campaigns.fuzz.targets import NOTHING, Files, Found, Target, Texts, write
from roget.core.io.source import import_zstd

TSV = (
    b"item\tlabel\na\tx\nb\ty\nc\tx\nd\tz\n",
    b"a\tx\nb\ty\nc\tx\n",
    b"item\tlabel\tweight\na\tx\t0.5\na\ty\t0.5\nb\ty\t1\n",
    b"item\tgroup\tlabel\n1\tg1\tx\n2\tg1\ty\n1\tg2\tx\n2\tg2\t\n",
    b"d1 x\nd2 y\nd3 x\n",
    b"x\ny\nx\n\nz\n",
    b"item\tlabel\titem_weight\na\tx\t2\nb\ty\t3.5\nc\tx\t1\n",
)
CSV = (
    b"item,label\na,x\nb,y\nc,x\n",
    b'item,label,weight\n"a, b",x,1\nb,"y ""z""",2\n',
    b"item;label\na;x\nb;y\n",
    b"gold,system\nx,1\ny,2\nx,1\n",
)
JSONL = (
    b'{"item":"a","label":"x"}\n{"item":"b","label":"y"}\n',
    b'{"item":"a","label":{"x":0.5,"y":0.5}}\n{"item":"b","label":{"z":1}}\n',
    b'{"item":1,"label":2,"group":"g"}\n{"item":2,"label":null,"group":"g"}\n',
    b'{"item":"a","label":["x","y"]}\n{"item":"b","label":"z","weight":2}\n',
)
COREF_JSON = (
    b'{"doc_key":"a","clusters":[[[0,1],[3,3]],[[5,7]]]}\n{"doc_key":"b","clusters":[]}\n',
    b'{"doc_id":"a","clusters":[[[0,1]]],"predicted_clusters":[[[0,1],[2,2]]]}\n',
)
KEY = (
    b"add.v add.v.1 s1/0.5 s2/0.5\nadd.v add.v.2 s1\nask.v ask.v.1 s3 !! note\n",
    b"bank.n bank.n.1 bank%1:17:00::/1 bank%1:17:01::/3\nbank.n bank.n.2 bank%1:17:00::\n",
)
LINES = (b"x\ny\nx\nz\n", b"1\n2\n1\n\n3\n")
CLUSTERS = (b"a b c\nd e\nf\n", b"1\t2\t3\n4\t5\n", b"a\n")
PAIRS = (b"id1,id2\na,b\nb,c\n", b"id1,id2,match\na,b,1\nc,d,0\n", b"l_id\tr_id\n1\t2\n")
CONLL = (
    b"#begin document (x); part 000\nx 0 0 a (1)\nx 0 1 b (2\nx 0 2 c 2)|(1)\n\n#end document\n",
    b"# begin document d1\n1\t(0)\n2\t(1|(2)\n3\t1)\n# end document\n",
)
COREFUD = (
    b"# newdoc id = d1\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n"
    b"1\tJohn\tJohn\tPROPN\t_\t_\t2\tnsubj\t_\tEntity=(e1-person-1)\n"
    b"2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n"
    b"3\this\this\tPRON\t_\t_\t4\tnmod\t_\tEntity=(e2-thing-2(e1-person-1)\n"
    b"4\tshop\tshop\tNOUN\t_\t_\t2\tobj\t_\tEntity=e2)\n\n",
    b"# newdoc id = d2\n# global.Entity = eid-etype-head-other\n"
    b"1\ta\ta\tX\t_\t_\t0\troot\t_\tEntity=(e1[1/2]-x-1)\n"
    b"1.1\t_\t_\tX\t_\t_\t_\t_\t0:dep\tEntity=(e2-x-1)\n"
    b"2\tb\tb\tX\t_\t_\t1\tdep\t_\tEntity=(e1[2/2]-x-1)\n\n",
)
NEWICK = (
    b"((a:1,b:1):2,(c:1,d:1):1)root;",
    b"('a b':0.1,(c,d)[&x=1]e:1e-3);",
    b"(a,b,(c,(d,e)));\n",
)
PATHS = (
    b"word\tclass_path\tlabel\tprobability\tcount\ntea\t0/1/3\tale, tea\t1.0\t4\n"
    b"ale\t0/1/3\tale, tea\t1.0\t6\ngun\t0/1/4\tgun\t1.0\t14\npoem\t0/2\tpoem\t1.0\t12\n",
)
NESTED = (
    b'{"title":"T","language":null,"words":3,"classes":2,"tree":{"node":0,"label":"r","size":3,"mass":1.0,'
    b'"value":1.5,"id":0,"children":[{"node":1,"label":"a","id":1,"words":[{"word":"x","probability":1.0,"placed":true}]},'
    b'{"node":2,"label":"b","id":2,"words":[{"word":"y","placed":true},{"word":"z","placed":true},'
    b'{"word":"x","probability":0.2,"placed":false}]}]}}',
)
BROWN = (b"0\ta\t1\n10\tb\t2\n110\tc\t3\n111\td\t4\n", b"00\ta\t3\n01\tb\t2\n1\tc\t1\n")
CELLS = (
    b"gold\tsystem\tcount\nx\t1\t3\nx\t2\t1\ny\t2\t4\n",
    b"gold,system,count,group\nx,1,3,g\ny,2,1.5,h\n",
    b'{"gold":"x","system":"1","count":3}\n{"gold":"y","system":"2","count":1}\n',
)
WIDE = (b"item,one,two\na,x,1\nb,y,2\nc,x,1\n", b"one;two\nx;1\ny;2\n")
SUFFIXES = (
    b".tsv", b".csv", b".jsonl", b".json", b".key", b".cmty", b".conll", b".conllu", b".nwk",
    b".paths", b".txt", b"", b".tab", b".tree", b".npy", b".pq", b".labels",
)  # fmt: skip
EVERY = tuple(
    chain(
        TSV, CSV, JSONL, KEY, LINES, CLUSTERS, CONLL, COREFUD, NEWICK, PATHS, NESTED, BROWN, CELLS
    )
)
WORDS = (
    b"item\tlabel", b"item", b"label", b"weight", b"gold", b"system", b"group", b"count", b"path",
    b"children", b"name", b"words", b"Entity=", b"#begin document", b"#end document", b"(1)", b"(1",
    b"1)", b"|", b"!!", b'{"', b'":', b"null", b"NaN", b"Infinity", b"-Infinity", b"1e999",
)  # fmt: skip


def _labels(path: str, **options: Any) -> Any:
    from roget.scoring.labels.read import as_labels

    return as_labels(path, **options)


def _reader(name: str, seeds: Sequence[bytes], **options: Any) -> Callable[[Path], Files]:
    def prepare(folder: Path) -> Files:
        return Files(folder, name, seeds, partial(_labels, **options), WORDS, same=same_labels)

    return prepare


def same_labels(one: Any, other: Any) -> bool:
    """Return whether two sets of labels are equal."""
    from dataclasses import fields

    def plain(value: Any) -> Any:
        return value.tolist() if isinstance(value, np.ndarray) else value

    return all(
        repr(plain(getattr(one, f.name))) == repr(plain(getattr(other, f.name)))
        for f in fields(one)
        if f.name in ("codes", "weights", "indptr", "item_weights", "groups")
    )


class _Nested(Files):
    """JSON of a thesaurus, in which half of the time one value is replaced by another."""

    def __init__(self, folder: Path) -> None:
        read = partial(_labels, labels="json")
        super().__init__(folder, "labels.json", NESTED, read, WORDS, same=same_labels)

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        if random.random() < 0.5:
            return alter_json(random, random.choice(found.inputs or self.seeds), WORDS)
        return super().make(random, found)


class _Guessed:
    """A file whose name and content may not match; the first line of an input is the suffix."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        if found.inputs:
            suffix, _, content = random.choice(found.inputs).partition(b"\n")
            return suffix + b"\n" + mutate(random, [content], found.words or WORDS)
        return random.choice(SUFFIXES) + b"\n" + mutate(random, EVERY, WORDS)

    def run(self, data: bytes) -> Any:
        suffix, _, content = data.partition(b"\n")
        path = str(self._folder / "labels") + suffix.decode("ascii", "ignore").replace("/", "")
        write(path, content)
        return _labels(path)


class _Packed:
    """A compressed file, changed before or after compression."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pack: dict[bytes, Callable[[bytes], bytes]] = {
            b".gz": partial(gzip.compress, mtime=0, compresslevel=1),
            b".bz2": bz2.compress,
            b".xz": partial(lzma.compress, preset=0),
            b".lzma": partial(lzma.compress, preset=0, format=lzma.FORMAT_ALONE),
            b".zst": partial(import_zstd().compress, level=1),
            b".zip": zipped,
        }
        self._seeds = {kind: [pack(one) for one in TSV] for kind, pack in self._pack.items()}

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        if found.inputs:
            suffix, _, content = random.choice(found.inputs).partition(b"\n")
            return suffix + b"\n" + mutate(random, [content])
        kind = random.choice(tuple(self._pack))
        inner = random.choice((b".tsv", b".csv", b".jsonl", b".key", b""))
        if random.random() < 0.2:
            content = self._pack[kind](mutate(random, EVERY, WORDS))
            if random.random() < 0.2:
                content += content
        else:
            content = mutate(random, self._seeds[kind])
        # Sometimes use a wrong suffix.
        named = inner if random.random() < 0.1 else inner + kind
        return named + b"\n" + content

    def run(self, data: bytes) -> Any:
        suffix, _, content = data.partition(b"\n")
        path = str(self._folder / "labels") + suffix.decode("ascii", "ignore").replace("/", "")
        write(path, content)
        return _labels(path)


def zipped(data: bytes, name: str = "labels.tsv") -> bytes:
    """Return a .zip with one file."""
    return _pack({name: data})


def _pack(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return file.getvalue()


def npy(array: Any) -> bytes:
    """Return the bytes of an .npy file."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _arrays(_: Path) -> list[bytes]:
    from scipy.cluster.hierarchy import linkage

    chance = np.random.default_rng(0)
    return [
        npy(np.array([0, 1, 2, 1, 0])),
        npy(np.array(["x", "yy", "x"])),
        npy(np.array([b"x", b"yy"])),
        npy(chance.random((4, 3))),
        npy(np.array([[1, 0], [0, 1]], dtype=np.int8)),
        npy(linkage(chance.random((6, 2)))),
        npy(np.array([[0, 1], [2, 3], [4, 5]])),
        npy(np.array([True, False])),
        npy(np.array([], dtype=np.int64)),
        npy(np.asfortranarray(chance.random((3, 3)).astype(">f4"))),
    ]


def _npy(form: str | None) -> Callable[[Path], Files]:
    words = (b"'descr': '<i8'", b"'<f8'", b"'|O'", b"'>U3'", b"'|S0'", b"'<U0'", b"'<M8[s]'",
    b"(,)",
             b"(-1,)", b"(3, 0)", b"(1000000000000,)", b"()", b"True",
             b"(99999999999999999999,)")  # fmt: skip

    def prepare(folder: Path) -> Files:
        return Files(folder, "labels.npy", _arrays(folder), partial(_labels, labels=form), words)

    return prepare


def _npz(folder: Path) -> Files:
    """Return archives of one or two label arrays, compressed or not."""
    import numpy as np

    made = []
    for save in (np.savez, np.savez_compressed):
        for arrays in ({"gold": [0, 0, 1], "system": [1, 1, 2]}, {"labels": ["x", "y"]}):
            path = folder / "made.npz"
            columns: Any = {name: np.array(values) for name, values in arrays.items()}
            save(path, **columns)
            made.append(path.read_bytes())
    return Files(folder, "labels.npz", made, _labels)


def parquets() -> list[bytes]:
    """Return small tables of labels, written by DuckDB and by Arrow."""
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = []
    table = {"item": ["a", "b", "c"], "label": ["x", "y", "x"]}
    tables = [
        table,
        {"item": [1, 2, 3], "label": [1.5, None, 2.5]},
        {"gold": ["x", "y"], "system": ["1", "2"], "count": [3, 4]},
        {"item": ["a", "b"], "label": [{"x": 0.5}, {"x": 1.0}]},
        {"word": ["a", "b"], "context": ["x", "y"], "count": [2, 3]},
    ]
    for columns in tables:
        for options in ({}, {"compression": "zstd", "use_dictionary": False}):
            file = io.BytesIO()
            pq.write_table(pa.table(columns), file, **options)
            made.append(file.getvalue())
    del duckdb
    return made


def _parquet(folder: Path) -> Files:
    return Files(folder, "labels.parquet", parquets(), _labels)


def _arrow(folder: Path) -> Files:
    import pyarrow as pa
    from pyarrow import feather

    made = []
    for packing in ("uncompressed", "lz4"):
        file = io.BytesIO()
        feather.write_feather(
            pa.table({"item": ["a", "b"], "label": ["x", "y"]}), file, compression=packing
        )
        made.append(file.getvalue())
    return Files(folder, "labels.feather", made, _labels)


class _Sheets:
    """Workbooks, changed before or after compression."""

    def __init__(self, folder: Path) -> None:
        import openpyxl

        book = openpyxl.Workbook()
        for row in (("item", "label"), ("a", "x"), ("b", 2), ("c", None)):
            book.active.append(row)
        file = io.BytesIO()
        book.save(file)
        # Omit the time of creation, so that inputs are the same in every run.
        self._parts = {
            name: re.sub(rb"\d{4}-\d\d-\d\dT[\d:.]+Z", b"2000-01-01T00:00:00Z", part)
            for name, part in unzipped(file.getvalue()).items()
        }
        self._whole = _pack(self._parts)
        self._path = str(folder / "labels.xlsx")

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        whole = random.choice(found.inputs) if found.inputs else self._whole
        if random.random() < 0.4:
            return mutate(random, [whole])
        parts = (unzipped(whole) if found.inputs else {}) or self._parts
        changed = random.choice(tuple(parts))
        return _pack({**parts, changed: mutate(random, [parts[changed]], found.words)})

    def run(self, data: bytes) -> Any:
        write(self._path, data)
        return _labels(self._path)


def _pair(folder: Path) -> Files:
    from roget.scoring.labels.read import read_pair

    seeds = (
        b"gold\tsystem\nx\t1\ny\t2\nx\t\n",
        b"item,gold,system,group\na,x,1,g\nb,y,2,h\n",
        b'{"gold":"x","system":"1"}\n{"gold":"y","system":null}\n',
        b"x\t1\ny\t2\nx\t1\n",
    )
    return Files(folder, "pair", seeds, read_pair, WORDS)


def _cells(folder: Path) -> Files:
    from roget.scoring.labels.precounted import read_cells

    return Files(folder, "cells", CELLS, partial(read_cells, missing="cluster"), WORDS)


def _wide(folder: Path) -> Files:
    from roget.scoring.labels.wide import read_columns

    return Files(folder, "wide.csv", WIDE, read_columns, WORDS)


def _counted(folder: Path) -> Files:
    """Read the file by DuckDB, as large files are."""
    from roget.scoring.labels.duckdb_join import count_files

    gold = folder / "gold.tsv"
    gold.write_bytes(TSV[0])

    def read(path: str) -> Any:
        return count_files([[str(gold)], [path]], "singletons", None, None, None, "ignore", None)

    return Files(folder, "system.tsv", TSV, read, WORDS)


def _memory(_: Path) -> Texts:
    """Return data in memory: any value that JSON can express."""
    from roget.scoring.labels.read import as_labels

    seeds = (
        b'["x","y","x",null]',
        b'{"a":"x","b":"y"}',
        b'{"a":{"x":0.5,"y":0.5},"b":"y"}',
        b"[1,2,2.5,NaN]",
        b"[[0.5,0.5],[1,0]]",
        b'[["a","b"],["c"]]',
        b'{"a":["x","y"],"b":[]}',
        b"[true,false,null]",
    )

    def read(data: bytes) -> Any:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return None
        return as_labels(value)

    return Texts(seeds, read, WORDS)


def _score(folder: Path) -> Files:
    from roget import score

    gold = folder / "gold.tsv"
    gold.write_bytes(TSV[0])

    def read(path: str) -> Any:
        return str(score(str(gold), path))

    return Files(folder, "system", (*TSV, *JSONL, *NEWICK), read, WORDS)


TARGETS = [
    Target("labels-tsv", 160, _reader("labels.tsv", TSV)),
    Target("labels-csv", 120, _reader("labels.csv", CSV)),
    Target("labels-jsonl", 80, _reader("labels.jsonl", JSONL)),
    Target("labels-key", 80, _reader("labels.key", KEY)),
    Target("labels-lines", 60, _reader("labels.txt", LINES, labels="lines")),
    Target("labels-clusters", 60, _reader("labels.cmty", CLUSTERS)),
    Target("labels-pairs", 60, _reader("labels.csv", PAIRS, labels="pairs")),
    Target("labels-conll", 60, _reader("labels.conll", CONLL)),
    Target("labels-coref-json", 60, _reader("a.jsonl", COREF_JSON, labels="coref-json")),
    Target("labels-corefud", 60, _reader("labels.conllu", COREFUD)),
    Target("labels-newick", 80, _reader("labels.nwk", NEWICK)),
    Target("labels-paths", 40, _reader("labels.tsv", PATHS, labels="paths")),
    Target("labels-json", 40, _Nested),
    Target("labels-brown", 40, _reader("labels.paths", BROWN)),
    Target("labels-cover", 60, _reader("labels", (*JSONL, *TSV), several="cover")),
    Target("labels-columns", 60, _reader("labels.csv", CSV, columns={"label": "2", "item": 1})),
    Target("labels-gold", 60, _reader("labels", TSV, gold=True)),
    Target("labels-guessed", 160, _Guessed),
    Target("labels-packed", 80, _Packed),
    Target("labels-npy", 60, _npy(None)),
    Target("labels-npz", 40, _npz),
    Target("labels-linkage", 40, _npy("linkage")),
    Target("labels-arrow", 20, _arrow),
    Target("labels-xlsx", 6, _Sheets),
    Target("labels-parquet", 8, _parquet),
    Target("labels-pair", 60, _pair),
    Target("labels-cells", 60, _cells),
    Target("labels-wide", 60, _wide),
    Target("labels-counted", 5, _counted),
    Target("labels-memory", 120, _memory),
    Target("score", 6, _score),
]
