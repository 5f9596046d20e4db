"""Files joined on a cluster: the same scores, to the last bit, and the same errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roget import InputError, catalogue, compare, score
from roget.engines.local import Local
from roget.scoring.labels import read

pytest.importorskip("distributed")
polars = pytest.importorskip("polars")


pytestmark = pytest.mark.usefixtures("one_cluster")


@pytest.fixture(autouse=True)
def _every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "LARGE", 0)


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
def test_the_cluster_gives_the_same_bits(
    tmp_path: Path, form: str, grouped: bool, lost: int
) -> None:
    gold = write(tmp_path / "gold", 1, form, grouped=grouped)
    system = write(tmp_path / "system", 2, form, grouped=grouped, lost=lost)
    here = score(gold, system, details=True)
    assert score(gold, system, details=True, engine="dask").as_dict() == here.as_dict()


def test_a_worker_that_dies_changes_nothing(tmp_path: Path, cluster: Any) -> None:
    gold = write(tmp_path / "gold", 1, "csv", grouped=True)
    system = write(tmp_path / "system", 2, "csv", grouped=True, lost=9)
    here = score(gold, system).as_dict()
    cluster.place = str(tmp_path / "killed")
    try:
        assert score(gold, system, engine="dask").as_dict() == here
    finally:
        cluster.place = None
    assert (tmp_path / "killed").exists()


def test_systems_are_compared_on_a_cluster(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold", 1, "tsv", grouped=True)
    systems = {
        str(seed): write(tmp_path / f"s{seed}", seed, "tsv", grouped=True) for seed in (2, 3)
    }
    here = compare(gold, systems)
    there = compare(gold, systems, engine="dask")
    assert there.as_dict() == here.as_dict()
    with pytest.raises(InputError, match="intervals and splits need the items"):
        compare(gold, systems, engine="dask", ci=10)


def test_engines_without_an_exchange_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = write(tmp_path / "gold", 1, "csv", grouped=False)
    system = write(tmp_path / "system", 2, "csv", grouped=False)
    here = score(gold, system).as_dict()
    monkeypatch.setattr(catalogue, "load", _with(lambda *_: Local(1), catalogue.load))
    assert score(gold, system, engine="dask").as_dict() == here


def _with(engine: Any, load: Any) -> Any:
    return lambda kind, name: engine if kind == "engines" else load(kind, name)


def test_what_is_wrong_is_said_as_ever(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold", 1, "tsv", grouped=False)
    system = write(tmp_path / "system", 2, "tsv", grouped=False)
    with (system / "2.tsv").open("a") as file:
        file.write("d1\tother\nd1\tanother\n")
    said = []
    for engine in ("local", "dask"):
        with pytest.raises(InputError) as raised:
            score(gold, system, engine=engine)
        said.append(str(raised.value))
    assert said[0] == said[1]


def test_what_a_cluster_cannot_join() -> None:
    with pytest.raises(InputError, match="give gold and system as files"):
        score([0, 1], [0, 1], engine="dask")
    with pytest.raises(InputError, match="for the engine dask only"):
        score([0, 1], [0, 1], scheduler="tcp://x:1")
