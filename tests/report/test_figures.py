"""Figures of a comparison as files."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from roget.report.comparison.figures import write
from roget.report.figures import FORMATS
from roget.scoring.compare import compare
from roget.scoring.results import Comparison
from support.errors import refused

HOSTILE = "<b>&$x^{\x00$_very" + "long" * 20
OPENINGS = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    gold = ["a", "a", "b", "b", "c", "c"] * 3
    systems = {
        HOSTILE: ["p", "p", "q", "q", "q", "r"] * 3,
        "other": list("uvwxyz") * 3,
        "third": ["p", "q"] * 9,
    }
    return compare(gold, systems, ["v(beta=0.5)", "ari"], ["ml", "jk", "bub"], ci=20)


@pytest.fixture(scope="module")
def written(comparison: Comparison, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write(comparison, tmp_path_factory.mktemp("figures") / "new" / "folder")


@pytest.mark.slow
def test_every_figure_is_written_in_every_format(written: list[Path]) -> None:
    stems = [
        *(f"intervals-v-beta-0.5-{entropy}" for entropy in ("ml", "jk", "bub")),
        "intervals-ari",
        "ranks-v-beta-0.5",
        "difference-v-beta-0.5",
    ]
    assert [path.name for path in written] == [f"{s}.{kind}" for s in stems for kind in FORMATS]
    for path in written:
        assert path.read_bytes().startswith(OPENINGS[path.suffix[1:]])


def test_svg_is_well_formed_with_names_as_text(written: list[Path]) -> None:
    for path in written:
        if path.name == "intervals-ari.svg":
            words = [text for text in ET.parse(path).getroot().itertext() if text.strip()]
            assert any(
                text.strip().startswith("<b>&$x^{\N{REPLACEMENT CHARACTER}") for text in words
            )
            assert any(text.strip() == "ari ↑ higher is better" for text in words)
        elif path.suffix == ".svg":
            ET.parse(path)


def test_single_estimator_has_no_rank_figure_and_files_are_reproducible(tmp_path: Path) -> None:
    compared = compare(["a", "b", "a"], {"s": ["x", "y", "x"]}, ["v"], ["ml"])
    first, again = (write(compared, tmp_path / name) for name in "ab")
    assert {path.stem for path in first} == {"intervals-v-ml"}
    for one, other in zip(first, again, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


def test_figure_folder_that_is_a_file_is_refused(comparison: Comparison, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with refused("not-writable", "taken"):
        write(comparison, tmp_path / "taken")


def test_missing_matplotlib_is_named(
    comparison: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with refused("missing-extra", "pip install 'roget[figures]'"):
        write(comparison, tmp_path / "none")
    assert not (tmp_path / "none").exists()
