"""Contingency matrices, printed in many ways or in memory, are scored like labels."""

from __future__ import annotations

import numpy as np
import pytest

import roget
from commands import run
from support.errors import refused

COUNTS = np.array([[10, 2, 0], [1, 8, 3]])
GOLD = np.repeat([0, 1], COUNTS.sum(axis=1))
SYSTEM = np.concatenate([np.repeat([0, 1, 2], row) for row in COUNTS])
EXPECTED = roget.score(GOLD, SYSTEM, ["v", "ari"])

PRINTED = {
    "named.csv": ",k0,k1,k2\na,10,2,0\nb,1,8,3\n",
    "corner.csv": "class,k0,k1,k2\na,10,2,0\nb,1,8,3\n",
    "plain.csv": "10,2,0\n1,8,3\n",
    "tabs.tsv": "\tk0\tk1\tk2\na\t10\t2\t0\nb\t1\t8\t3\n",
    "numpy.txt": "[[10  2  0]\n [ 1  8  3]]\n",
    "list.txt": "[[10, 2, 0],\n [1, 8, 3]]\n",
    "blanks.txt": "   k0 k1 k2\na  10  2  0\nb   1  8  3\n",
    "totals.csv": ",k0,k1,k2,All\na,10,2,0,12\nb,1,8,3,12\nAll,11,10,3,24\n",
    "numbers.csv": ",0,1,2\n0,10,2,0\n1,1,8,3\n",
    "crosstab.csv": "gold,0,1,2\na,10,2,0\nb,1,8,3\n",
    "gaps.csv": "gold,0,7,9\na,10,2,0\nb,1,8,3\n",
    "unknown.csv": "Zelltyp,0,1,2\na,10,2,0\nb,1,8,3\n",
    "coded.csv": "Zelltyp,0,1,2\n0,10,2,0\n1,1,8,3\n",
    "crosstab.txt": "system   0  1  2\ngold            \na       10  2  0\nb        1  8  3\n",
}


@pytest.mark.parametrize("name", PRINTED)
def test_printed_matrices_are_read(tmp_path, name):
    path = tmp_path / name
    path.write_text(PRINTED[name])
    found = roget.score(matrix=path, measures=["v", "ari"])
    assert [row.value for row in found.rows] == [row.value for row in EXPECTED.rows]
    assert (found.items, found.classes, found.clusters) == (24, 2, 3)


def test_arrays_and_frames_are_matrices():
    pandas = pytest.importorskip("pandas")
    frame = pandas.crosstab(pandas.Series(GOLD), pandas.Series(SYSTEM))
    for matrix in (COUNTS, COUNTS.tolist(), frame):
        found = roget.score(matrix=matrix, measures=["v", "ari"])
        assert [row.value for row in found.rows] == [row.value for row in EXPECTED.rows]


def test_matrix_command_scores_and_refuses_invalid_matrices(tmp_path):
    path = tmp_path / "named.csv"
    path.write_text(PRINTED["named.csv"])
    done = run("score", "--matrix", path, "-m", "ari")
    assert f"{EXPECTED['ari']:.3f}" in done.stdout, done.stderr
    assert "--matrix" in run("score", "--cells", path).stderr
    path.write_text(",k0\na,x\n")
    with refused("bad-count", "named.csv:2", "x"):
        roget.score(matrix=path)
    path.write_text(",k0,k1\na,1,2\nb,1\n")
    with refused("length-mismatch", "named.csv:3"):
        roget.score(matrix=path)
    with refused("conflicting-options"):
        roget.score(GOLD, SYSTEM, matrix=COUNTS)


def test_a_row_of_counts_is_not_a_header(tmp_path):
    path = tmp_path / "matrix.csv"
    path.write_text("a,1,20\nb,8,3\n")
    assert roget.score(matrix=path, measures="ari").items == 32
    path.write_text("Zelltyp,0,1\na,10,2\nb,8,3\n")
    with refused("ambiguous-header", "matrix.csv:1", "Zelltyp", "--no-header"):
        roget.score(matrix=path)
    assert roget.score(matrix=path, header=True, measures="ari").items == 23
    assert roget.score(matrix=path, header=False, measures="ari").items == 24


WITH_TOTALS = np.block(
    [[COUNTS, COUNTS.sum(axis=1)[:, None]], [COUNTS.sum(axis=0), np.array([COUNTS.sum()])]]
)


@pytest.mark.parametrize("kind", ["array", "list", "crosstab", "text"])
def test_totals_of_matrices_are_dropped_with_a_notice(tmp_path, kind):
    pandas = pytest.importorskip("pandas")
    matrix = {
        "array": WITH_TOTALS,
        "list": WITH_TOTALS.tolist(),
        "crosstab": pandas.crosstab(pandas.Series(GOLD), pandas.Series(SYSTEM), margins=True),
        "text": tmp_path / "counts.txt",
    }[kind]
    np.savetxt(tmp_path / "counts.txt", WITH_TOTALS, fmt="%d")
    found = roget.score(matrix=matrix, measures=["v", "ari"])
    assert [row.value for row in found.rows] == [row.value for row in EXPECTED.rows]
    assert [text.code for text in found.warnings].count("dropped-totals") == 1


def test_table_from_a_crosstab_drops_its_margins():
    pandas = pytest.importorskip("pandas")
    frame = pandas.crosstab(pandas.Series(GOLD), pandas.Series(SYSTEM), margins=True)
    with pytest.warns(UserWarning, match="totals"):
        assert roget.Contingency.from_table(frame).n == 24


def test_small_matrices_without_names_keep_all_rows():
    assert roget.score(matrix=[[5, 5], [5, 5]], measures="ari").items == 20


@pytest.mark.parametrize("name", ["counts.npy", "counts.xlsx", "counts.parquet"])
def test_binary_matrix_files_are_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"\x93NUMPY")
    with refused("unsupported-format", name):
        roget.score(matrix=tmp_path / name)
