"""A folder that was changed is refused, or answers as before; one with a false seal, legally.

Nothing that stands in a folder of any kind, whoever sealed it, may crash compiled code.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import resealing
import roget
from folders import manifest_of
from roget.core import folder as folders
from roget.core.io.duck import database
from support.errors import refused

QUICK = (
    "counts", "thesauri/edited", "models/soft", "models/mdl", "models/comdl",
    "classmodels/nearest", "attachers/best", "attachers/chain", "checkpoints/soft",
    "checkpoints/mdl", "checkpoints/comdl", "checkpoints/agglomerative",
)  # fmt: skip
CHANGED = 360
"""Folders that are sealed anew after something in them was changed."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of each kind, as roget writes it now."""
    root = tmp_path_factory.mktemp("whole")
    resealing.make_all(root, list(QUICK))
    return root


def same(one: Any, other: Any) -> bool:
    """Whether two answers are equal to the last bit."""
    if isinstance(one, tuple):
        return all(same(a, b) for a, b in zip(one, other, strict=True))
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)


@pytest.mark.parametrize("name", QUICK)
def test_changed_bytes_are_refused_or_have_no_effect(
    name: str, whole: Path, tmp_path: Path
) -> None:
    ask, rng = resealing.KINDS[name][1], random.Random(name)
    copy = resealing._copy(whole / name, tmp_path / "x")
    # A run that goes on writes its checkpoint anew.
    expected = ask(copy)
    for file in sorted(path.name for path in (whole / name).iterdir()):
        data = (whole / name / file).read_bytes()
        for _ in range(3):
            copy = resealing._copy(whole / name, tmp_path / "x")
            hurt, at = bytearray(data), rng.randrange(len(data))
            way = rng.randrange(4)
            if way == 0:
                hurt[at] ^= 1 << rng.randrange(8)
            elif way == 1:
                hurt[at : at + rng.randrange(1, 9)] = rng.randbytes(4)
            elif way == 2:
                del hurt[at:]
            else:
                hurt[at:at] = hurt[: rng.randrange(1, 40)]
            (copy / file).write_bytes(hurt)
            try:
                answer = ask(copy)
            except roget.RogetError:
                continue
            assert same(answer, expected), f"{file}, {way} at {at}"


@pytest.mark.slow
def test_resealed_changes_are_refused_or_valid_and_never_crash(whole: Path, tmp_path: Path) -> None:
    script = Path(resealing.__file__)
    shutil.copytree(whole, tmp_path / "whole")
    tried, collected, skip = "", [], 0
    while skip < CHANGED:
        arguments = [str(tmp_path), "7", str(CHANGED), str(skip), *QUICK]
        found = subprocess.run(
            [sys.executable, str(script), *arguments],
            capture_output=True, text=True, timeout=600, check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        for line in found.stdout.splitlines():
            if line.startswith("try "):
                tried, skip = line, int(line.split()[1]) + 1
            else:
                collected.append((line.split()[0], f"{tried}: {line}"))
        assert found.returncode == 0, f"{tried}\n{found.stderr[-2000:]}"
    assert len(collected) == CHANGED
    assert not [line for kind, line in collected if kind == "fault"]
    assert sum(kind == "refused" for kind, _ in collected) > CHANGED / 3


def test_removed_seal_is_detected(whole: Path, tmp_path: Path) -> None:
    for name in QUICK:
        copy = resealing._copy(whole / name, tmp_path / "x")
        place = manifest_of(copy)
        record = folders.parse(place, place.read_bytes())
        for less in ({"seal"}, {"seal", "files"}, {"seal", "kind"}):
            left = {key: value for key, value in record.items() if key not in less}
            for version in (record["version"], 1):
                place.write_text(json.dumps(left | {"version": version}))
                if version == 1 and less == {"seal", "kind"}:
                    continue  # as far as possible: this is what old manifests look like
                with refused("damaged-folder"):
                    resealing.KINDS[name][1](copy)


def test_unread_large_table_is_hashed_when_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "x.txt"
    text.write_text("the cat sees the dog . a dog sees a cat .\n" * 20)
    roget.count(text, window=1, evidence=3, output=tmp_path / "c")
    monkeypatch.setattr(folders, "HASHED", 0)
    file = tmp_path / "c" / "sentences.parquet"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    counts = roget.Counts.read(tmp_path / "c")
    assert counts.evidence is not None
    with refused("damaged-folder", "sentences.parquet"):
        counts.evidence.load()


def test_small_file_of_very_many_rows_is_not_read(tmp_path: Path) -> None:
    """Parquet compresses a billion equal rows into a few kilobytes."""
    folder = tmp_path / "c"
    shutil.copytree(resealing.OLD / "counts", tmp_path / "old")
    roget.Counts.read(tmp_path / "old").write(folder)
    with database() as connection:
        connection.execute(
            "COPY (SELECT 0::INTEGER AS row, 0::INTEGER AS column, 1::BIGINT AS count FROM "
            f"range(30000000)) TO '{folder / 'entries.parquet'}' (FORMAT parquet, COMPRESSION zstd)"
        )
    place = manifest_of(folder)
    record = folders.parse(place, place.read_bytes())
    file = folder / "entries.parquet"
    entry = {"rows": 30_000_000, "bytes": file.stat().st_size, "sha256": folders.sha256(file)}
    record["files"]["entries.parquet"] |= entry
    record |= {"entries": 30_000_000, "total": 30_000_000}
    record.pop("seal")
    place.write_bytes(folders.seal_text(record))
    assert entry["bytes"] < 700_000
    with pytest.raises(roget.InputError, match=r"a table of 30,000,000 rows, .*ROGET_MAX_SIZE"):
        roget.Counts.read(folder)
