"""Files joined on a Dask cluster: bit-identical scores and the same errors."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roget import InputError, catalogue, compare, score
from roget.engines.local import Local
from roget.scoring.labels import dask_join, read
from support.errors import refused

pytest.importorskip("distributed")
polars = pytest.importorskip("polars")


pytestmark = pytest.mark.usefixtures("one_cluster")


@pytest.fixture(autouse=True)
def _every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "LARGE", 0)
    monkeypatch.setattr(dask_join, "SHARE", 2000)


def write(folder: Path, seed: int, form: str, *, grouped: bool, lost: int = 0) -> Path:
    """Three files of shuffled items with labels."""
    folder.mkdir()
    random = np.random.default_rng(seed)
    order = random.permutation(600)[lost:]
    labels = (order * 7 + random.integers(0, 3, order.size)) % 5
    mark = "," if form == "csv" else "\t"
    head = ["item", "label", *(["group"] if grouped else [])]
    for number, part in enumerate(np.array_split(np.arange(order.size), 3)):
        rows = [[f"d{order[i]}", f"c{labels[i]}", f"g{order[i] % 4}"][: len(head)] for i in part]
        if form == "parquet":
            polars.DataFrame(rows, schema=head, orient="row").write_parquet(
                folder / f"{number}.parquet"
            )
            continue
        text = "".join(mark.join(row) + "\n" for row in [head, *rows])
        (folder / f"{number}.{form}").write_text(text)
    return folder


@pytest.mark.parametrize("form", ["tsv", "csv", "parquet"])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("lost", [0, 40])
def test_dask_join_gives_bit_identical_scores(
    tmp_path: Path, form: str, grouped: bool, lost: int
) -> None:
    gold = write(tmp_path / "gold", 1, form, grouped=grouped)
    system = write(tmp_path / "system", 2, form, grouped=grouped, lost=lost)
    here = score(gold, system, details=True)
    assert score(gold, system, details=True, engine="dask").as_dict() == here.as_dict()


def write_one(path: Path, seed: int, mark: str, quoted: int = 0) -> Path:
    """A file of some megabytes; the labels of the last items are quoted."""
    random = np.random.default_rng(seed)
    order = random.permutation(150_000)
    names = [f"{mark}c{label}\n" for label in random.integers(0, 5, order.size)]
    rows = [f"item number {item}{name}" for item, name in zip(order, names, strict=True)]
    rows[-1:] = [f'"item {at}"{mark}"a\nb"\n' for at in range(quoted)] or rows[-1:]
    path.write_text(f"item{mark}label\n" + "".join(rows))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("form", ["tsv", "csv", "quoted.csv", "parquet"])
def test_dask_join_splits_large_files_and_bundles_small_ones(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_join, "SHARE", 1 << 20)
    mark = "\t" if form == "tsv" else ","
    files = [
        write_one(tmp_path / f"{side}.{'csv' if form == 'parquet' else form}", side, mark, quoted)
        for side, quoted in ((1, 0), (2, 3 if form.startswith("quoted") else 0))
    ]
    if form == "parquet":
        for file in files:
            polars.read_csv(file).write_parquet(file.with_suffix(".parquet"), row_group_size=20_000)
        files = [file.with_suffix(".parquet") for file in files]
        monkeypatch.setattr(dask_join, "SHARE", 1 << 18)
    shares = dask_join.share_files("gold", [str(files[0])], form.removeprefix("quoted."))
    assert len(shares) > 1
    assert score(*files, engine="dask").as_dict() == score(*files).as_dict()


def test_dask_join_groups_files_into_tasks_by_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_join, "SHARE", 100)
    paths = []
    for number, size in enumerate([40, 40, 40, 350, 90]):
        paths.append(str(tmp_path / f"{number}.tsv"))
        Path(paths[-1]).write_bytes(b"x" * size)
    shares = [of.shares for of in dask_join.share_files("gold", paths, "tsv")]
    sizes = [[int(Path(share.path).stem) for share in of] for of in shares]
    assert sizes == [[0, 1], [2], [3], [3], [3], [4]]
    assert [share.number for of in shares for share in of] == list(range(7))
    assert [(one.start, one.stop) for (one,) in shares[2:5]] == [(0, 100), (100, 200), (200, None)]


@pytest.mark.parametrize("change", ["columns", "text", "bytes"])
def test_dask_join_reads_differing_files_locally(tmp_path: Path, change: str) -> None:
    gold = write(tmp_path / "gold", 1, "tsv", grouped=False)
    system = write(tmp_path / "system", 2, "tsv", grouped=False)
    odd = system / "1.tsv"
    if change == "columns":
        rows = [line.split("\t") for line in odd.read_text().splitlines()]
        odd.write_text("".join(f"{label}\t{item}\n" for item, label in rows))
        assert score(gold, system, engine="dask").as_dict() == score(gold, system).as_dict()
        return
    odd.write_bytes(b"key value more\n" if change == "text" else odd.read_bytes() + b"d\xff\tc\n")
    collected = []
    for engine in ("local", "dask"):
        with pytest.raises(InputError) as raised:
            score(gold, system, engine=engine)
        collected.append(str(raised.value))
    assert collected[0] == collected[1]


def test_dask_join_reads_compressed_files_and_strips_blanks(tmp_path: Path) -> None:
    sides = []
    for seed, side in enumerate(("gold", "system")):
        folder = write(tmp_path / side, seed, "csv", grouped=True)
        for file in folder.iterdir():
            text = file.read_text().replace("d7,", " d7\u00a0,").replace(",g1", ",g1\t")
            file.with_suffix(".csv.gz").write_bytes(gzip.compress(text.encode()))
            file.unlink()
        sides.append(folder)
    assert score(*sides, engine="dask").as_dict() == score(*sides).as_dict()


def test_dask_join_refuses_files_that_workers_lack(tmp_path: Path) -> None:
    share = dask_join.JoinShare(str(tmp_path / "gold.tsv"), 0)
    with refused("file-not-found", "gold.tsv"):
        dask_join.partition_rows(
            2, None, None, None, None, dask_join.Shuffle("gold", 0, (share,)), lambda *_: None
        )


@pytest.mark.slow
def test_dask_join_survives_killed_worker(tmp_path: Path, cluster: Any) -> None:
    gold = write(tmp_path / "gold", 1, "csv", grouped=True)
    system = write(tmp_path / "system", 2, "csv", grouped=True, lost=9)
    here = score(gold, system).as_dict()
    cluster.place = str(tmp_path / "killed")
    try:
        assert score(gold, system, engine="dask").as_dict() == here
    finally:
        cluster.place = None
    assert (tmp_path / "killed").exists()


def write_splits(folder: Path) -> Path:
    for part in ("mapping", "test"):
        (folder / f"{part}.1.key").write_text("g0 d0 c0\n")
    return folder


@pytest.mark.slow
def test_dask_join_compares_several_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster: Any
) -> None:
    gold = write(tmp_path / "gold", 1, "tsv", grouped=True)
    systems = {
        str(seed): write(tmp_path / f"s{seed}", seed, "tsv", grouped=True) for seed in (2, 3)
    }
    here = compare(gold, systems)
    there = compare(gold, systems, engine="dask")
    assert there.as_dict() == here.as_dict()
    monkeypatch.setattr(read, "LARGE", 1 << 40)
    items = compare(gold, systems, ci=20)
    assert compare(gold, systems, engine="dask", ci=20).as_dict() == items.as_dict()
    pooled = compare(gold, systems, ci=10, average="pooled")
    spread_out = compare(gold, systems, engine="dask", ci=10, average="pooled")
    assert spread_out.as_dict() == pooled.as_dict()
    alone = write(tmp_path / "alone", 1, "tsv", grouped=False)
    other = {"2": write(tmp_path / "other", 2, "tsv", grouped=False)}
    with pytest.raises(InputError):
        compare(alone, other, engine="dask", ci=10)
    with pytest.raises(InputError):
        compare(gold, systems, engine="dask", splits=[write_splits(tmp_path)])


@pytest.mark.slow
@pytest.mark.parametrize("grouped", [False, True])
def test_dask_join_supports_intervals_and_extra_items(
    tmp_path: Path, grouped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = write(tmp_path / "gold", 1, "tsv", grouped=grouped, lost=50)
    system = write(tmp_path / "system", 2, "tsv", grouped=grouped, lost=9)
    found = score(gold, system, engine="dask", extra="count", ci=20, interval="bca").as_dict()
    assert score(gold, system, extra="count", ci=20, interval="bca").as_dict() == found
    monkeypatch.setattr(read, "LARGE", 1 << 40)
    assert score(gold, system, extra="count", ci=20, interval="bca").as_dict() == found
    with pytest.raises(InputError):
        score(gold, system, engine="dask", extra="sample")


def test_dask_join_partitions_gold_once(
    tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = write(tmp_path / "gold", 1, "tsv", grouped=True)
    systems = {
        str(seed): write(tmp_path / f"s{seed}", seed, "tsv", grouped=True) for seed in (2, 3)
    }
    dealt: list[str] = []
    deal = type(cluster).partition

    def note(self: Any, job: Any, tasks: Any) -> list[Any]:
        dealt.extend({task.side for task in tasks})
        return deal(self, job, tasks)

    monkeypatch.setattr(type(cluster), "partition", note)
    compare(gold, systems, engine="dask")
    assert dealt == ["gold", "system", "system"]


def test_dask_join_works_on_engines_without_exchange(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = write(tmp_path / "gold", 1, "csv", grouped=False)
    system = write(tmp_path / "system", 2, "csv", grouped=False)
    here = score(gold, system).as_dict()
    monkeypatch.setattr(catalogue, "load", _with(lambda *_: Local(1), catalogue.load))
    assert score(gold, system, engine="dask").as_dict() == here


def _with(engine: Any, load: Any) -> Any:
    return lambda kind, name: engine if kind == "engines" else load(kind, name)


def test_dask_join_reports_same_errors_as_local_engine(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold", 1, "tsv", grouped=False)
    system = write(tmp_path / "system", 2, "tsv", grouped=False)
    with (system / "2.tsv").open("a") as file:
        file.write("d1\tother\nd1\tanother\n")
    collected = []
    for engine in ("local", "dask"):
        with pytest.raises(InputError) as raised:
            score(gold, system, engine=engine)
        collected.append(str(raised.value))
    assert collected[0] == collected[1]


def test_dask_engine_refuses_labels_in_memory() -> None:
    with refused("conflicting-options"):
        score([0, 1], [0, 1], engine="dask")
    with pytest.raises(InputError):
        score([0, 1], [0, 1], scheduler="tcp://x:1")
