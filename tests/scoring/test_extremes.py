"""Extreme counts and weights: very large, zero, or repeated."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import roget
from roget import Contingency
from support.errors import notice, refused

HUGE = [1e308, 1e308, 1e308]
GOLD, SYSTEM = ["a", "b", "a"], ["x", "y", "y"]


def write_rows(path: Path, *rows: str) -> Path:
    path.write_text("".join(row.replace(" ", "\t") + "\n" for row in rows))
    return path


def test_sums_that_overflow_are_refused(tmp_path: Path) -> None:
    system = write_rows(tmp_path / "system.tsv", "item label", "a x", "b y")
    gold = write_rows(tmp_path / "gold.tsv", "item label weight", "a x 1e308", "b y 1.5e308")
    cells = write_rows(tmp_path / "cells.tsv", "gold system count", "x 1 1e308", "y 2 1.5e308")
    calls = (
        lambda: roget.score(gold, system),
        lambda: roget.score(cells=cells),
        lambda: roget.score(GOLD, SYSTEM, sample_weight=HUGE),
        lambda: Contingency.from_cells(GOLD, SYSTEM, HUGE),
        lambda: Contingency.from_table([HUGE[:2], HUGE[:2]]),
        lambda: roget.entropy(HUGE),
    )
    for call in calls:
        with refused("too-large"):
            call()


def test_integral_counts_above_2_to_53_are_exact(tmp_path: Path) -> None:
    large = 2**53 + 2
    cells = write_rows(tmp_path / "c.tsv", "gold system count", f"x 1 {large}", "y 2 3", "y 1 2")
    found = roget.score(cells=cells, measures=["ari", "v"], entropy="jk")
    table = Contingency.from_table(np.array([[large, 0], [2, 3]]))
    for row in found.rows:
        assert row.value == pytest.approx(
            table.measure(row.measure, row.entropy or "ml"), abs=1e-12
        )


def test_items_of_weight_zero_are_not_scored(tmp_path: Path) -> None:
    rows = ["a x 1", "b y 2", "c x 0", "d y 3"]
    gold = write_rows(tmp_path / "gold.tsv", "item label weight", *rows)
    pair = write_rows(
        tmp_path / "pair.tsv", "gold system weight", "x p 1", "y q 2", "x q 0", "y p 3"
    )
    system = write_rows(tmp_path / "system.tsv", "item label", "a p", "b q", "c q", "d p")
    expected = roget.score(list("xyxy"), list("pqqp"), sample_weight=[1, 2, 0, 3])
    for found in (roget.score(gold, system), roget.score(pair)):
        assert [row.value for row in found.rows] == [row.value for row in expected.rows]
        assert any("weight 0" in text for text in found.warnings)
    dropped = [one for one in roget.score(gold, system).warnings if "weight 0" in one]
    notice(dropped, "item-weights", "1 item", "gold.tsv")
    write_rows(gold, "item label weight", *(f"{row[:-1]}0" for row in rows))
    with refused("bad-weight", "gold.tsv"):
        roget.score(gold, system)


def test_weights_of_single_labels_are_confidences_even_if_one_is_zero(tmp_path: Path) -> None:
    """HDBSCAN gives noise the probability 0."""
    gold = write_rows(tmp_path / "gold.tsv", "item label", "a x", "b y")
    system = write_rows(tmp_path / "system.tsv", "item label weight", "a x 1", "b y 0")
    table = roget.score(gold, system)
    assert table["ari"] == 1.0
    notice(table.warnings, "unused-weights", "system.tsv")


@pytest.mark.parametrize(
    ("text", "key", "place"),
    [
        ('{"a": "x", "b": "y", "a": "z"}', "a", ":1"),
        ('{\n"a": "x",\n"b": "y",\n"a": "z"\n}', "a", ""),
        ('{"item": "a", "label": "x", "label": "y"}\n{"item": "b", "label": "y"}\n', "label", ":1"),
        ('[{"item": "a", "label": "x"}, {"item": "b", "item": "c", "label": "y"}]', "item", ":1"),
    ],
)
def test_repeated_keys_in_json_are_refused(tmp_path: Path, text: str, key: str, place: str) -> None:
    system = tmp_path / "system.json"
    system.write_text(text)
    with refused("duplicate-item", f"system.json{place}", repr(key)):
        roget.score({"a": "x", "b": "y"}, system)


def test_repeated_key_on_a_later_line_is_refused(tmp_path: Path) -> None:
    system = tmp_path / "system.jsonl"
    rows = [json.dumps({"item": item, "label": "x"}) for item in "ab"]
    system.write_text("\n".join([*rows, '{"item": "c", "label": "x", "label": "y"}\n']))
    with refused("broken-lines", "system.jsonl:3", "'label'"):
        roget.score({"a": "x", "b": "y", "c": "x"}, system)


def test_number_of_splits_is_limited() -> None:
    with refused("invalid-option", "1000000000"):
        roget.measure("supervised-recall(splits=1000000000)", GOLD, SYSTEM)


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
def test_too_little_memory_gives_one_message(tmp_path: Path) -> None:
    import resource

    gold = write_rows(tmp_path / "gold.tsv", "item label", "a x", "b y")
    limit = 110 << 20
    done = subprocess.run(
        [sys.executable, "-m", "roget", "score", gold, gold],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "memory" in done.stderr.lower()
