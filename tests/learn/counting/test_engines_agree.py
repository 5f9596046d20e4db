"""All engines give bit-identical counts."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from learn.counting import corpora
from roget.learn.counting import plan
from roget.learn.counting.count import CountOptions, run

pytestmark = pytest.mark.usefixtures("one_cluster")


@pytest.fixture(autouse=True)
def _every_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "BUNDLE", 1)


def count_into(given: Path, output: Path, **options: Any) -> dict[str, Any]:
    """Return the manifest of the counts, with hashes of the files."""
    run(given, output, CountOptions(**options))
    manifest: dict[str, Any] = json.loads((output / "counts.json").read_text())
    return manifest


@pytest.mark.slow
def test_processes_and_dask_agree_on_a_corpus(tmp_path: Path) -> None:
    corpus = corpora.folder(tmp_path / "corpus", files=9, sentences=60)
    cuts: dict[str, Any] = {"relation": ["obj", "subj"], "min_pair": 2}
    one = count_into(corpus, tmp_path / "one", processes=1, **cuts)
    assert one["total"] > 100
    assert count_into(corpus, tmp_path / "two", processes=2, **cuts) == one
    killed: list[int] = []

    def kill(now: object) -> None:
        workers = [one for one in multiprocessing.active_children() if "Dask" in one.name]
        if not killed and workers:
            killed.append(workers[0].pid or 0)
            os.kill(killed[0], signal.SIGKILL)

    options = CountOptions(engine="dask", processes=2, relation=["obj", "subj"], min_pair=2)
    run(corpus, tmp_path / "dask", options, progress=kill)
    assert len(killed) == 1
    assert json.loads((tmp_path / "dask" / "counts.json").read_text()) == one


def test_engines_agree_on_fractions(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    for name in range(3):
        rows = [f"w{i % 7}\tc{i % 5}\t{1 / (i + name + 1)!r}\n" for i in range(200)]
        (tmp_path / "tables" / f"{name}.tsv").write_text("".join(rows))
    one = count_into(tmp_path / "tables", tmp_path / "one")
    assert one["dtype"] == "float64"
    assert count_into(tmp_path / "tables", tmp_path / "dask", engine="dask", processes=2) == one
    turned = [(tmp_path / "tables" / f"{name}.tsv") for name in (2, 0, 1)]
    run(turned, tmp_path / "turned")
    manifest = json.loads((tmp_path / "turned" / "counts.json").read_text())
    assert manifest["files"] == one["files"]
