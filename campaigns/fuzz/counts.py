"""Files of counts: tables, matrices, and parts of an interrupted count."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from campaigns.fuzz.archives import Arrays
from campaigns.fuzz.labels import parquets
from campaigns.fuzz.targets import NOTHING, Files, Found, Target

TABLES = (
    b"word\tcontext\tcount\nmilk\tdrink\t3\ntea\tdrink\t2.5\nbook\tread\t1\n",
    b"milk\tdrink\ntea\tdrink\n",
    b"noun\tverb\trelation\tfreq\nmilk\tdrink\tobj\t3\ntea\tsip\tobj\t2\n",
)
CSV = (b"word,context,count\nmilk,drink,3\ntea,drink,2\n", b'verb;noun\n"read";"a ""b"""\n')
JSONL = (
    b'{"word":"milk","context":"drink","count":3}\n{"word":"tea","context":"sip","count":1}\n',
)
MARKET = (
    b"%%MatrixMarket matrix coordinate integer general\n%\n2 3 3\n1 1 3\n2 2 4\n2 3 1\n",
    b"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3.5\n2 1 4e0\n",
    b"%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n",
    b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 3\n",
)
WORDS = (
    b"word",
    b"context",
    b"count",
    b"slot",
    b"head",
    b"symmetric",
    b"array",
    b"real",
    b"pattern",
)


def _table(name: str, seeds: Sequence[bytes]) -> Callable[[Path], Files]:
    def prepare(folder: Path) -> Files:
        from roget.core.counts import Counts

        return Files(folder, name, seeds, Counts.read, WORDS, same=lambda a, b: a == b)

    return prepare


def matrices() -> list[dict[str, Any]]:
    """Return arrays of small matrices in all layouts."""
    from scipy import sparse

    dense = np.array([[3, 0, 1], [0, 2, 0]])
    names = {"words": np.array(["milk", "tea"]), "contexts": np.array(["drink", "sip", "pour"])}
    made: list[dict[str, Any]] = [{"X": dense, **names}, {"X": dense.astype(float)}]
    for layout in ("csr", "csc", "coo", "bsr", "dia"):
        file = io.BytesIO()
        sparse.save_npz(file, getattr(sparse, f"{layout}_array")(dense), compressed=False)
        file.seek(0)
        made.append({**np.load(file), **names})
    csr = sparse.csr_array(dense)
    parts = {name: getattr(csr, name) for name in ("data", "indices", "indptr")}
    made.append({**parts, "shape": np.array(csr.shape), "obs_names": names["words"]})
    return made


class _Npz:
    """Matrices in .npz files, changed before or after compression."""

    def __init__(self, folder: Path) -> None:
        self._arrays = Arrays(matrices())
        self._path = str(folder / "counts.npz")

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        return self._arrays.make(random, found)

    def run(self, data: bytes) -> Any:
        from campaigns.fuzz.targets import write
        from roget.core.counts import Counts

        write(self._path, data)
        return Counts.read(self._path).word_totals


def _part(folder: Path) -> Files:
    """Return the metadata of one part of a count."""
    from roget.learn.counting import parts

    told = parts.Facts(3, 1, seen={"labels": {"obj": 1}}, pieces=[("a", 0, 3)])
    parts.seal(folder, told)
    seeds = [(folder / parts.MANIFEST).read_bytes()]
    return Files(folder, parts.MANIFEST, seeds, lambda path: parts.load(Path(path).parent))


TARGETS = [
    Target("counts-mtx", 80, _table("counts.mtx", MARKET)),
    Target("counts-npz", 60, _Npz),
    Target("counts-part", 60, _part),
    Target("counts-tsv", 3, _table("counts.tsv", TABLES)),
    Target("counts-csv", 3, _table("counts.csv", CSV)),
    Target("counts-jsonl", 3, _table("counts.jsonl", JSONL)),
    Target("counts-parquet", 4, lambda folder: _table("counts.parquet", parquets())(folder)),
]
