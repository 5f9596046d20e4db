"""BUB: known values, a naive implementation, published scores and declared properties."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from roget.scoring.entropy import entropy_of, get
from roget.scoring.entropy.bub import BUB, fit_coefficients
from support.errors import refused

Vector = npt.NDArray[np.float64]


def h(p: Vector) -> Vector:
    return -p * np.log(np.where(p > 0, p, 1.0))


def tridiagonal(size: int) -> Vector:
    matrix = 2 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
    matrix[0, 0] = matrix[-1, -1] = 1
    return matrix


def twin_small(n: int, m: int) -> Vector:
    p = np.arange(5 * n + 1) / (5 * n)
    x = m * stats.binom.pmf(np.arange(n + 1)[None, :], n, p[:, None])
    normal = x.T @ x + n * tridiagonal(n + 1)
    normal[np.abs(normal) < 1e-7 * normal.max()] = 0
    return np.asarray(np.linalg.pinv(normal) @ (x.T @ (m * h(p))))


def twin_large(n: int, m: int, k_max: int = 11) -> tuple[Vector, int, float]:
    """All N + 1 coefficients, all binomials, normal equations: slow and plain."""
    j = np.arange(n + 1)
    mm = h(j / n) + (1 - j / n) / (2 * n)
    p = np.logspace(math.log10(1e-4 / n), math.log10(min(1, 30 / n) - 1e-10 / n), 200)
    b = stats.binom.pmf(j[:, None], n, p[None, :])
    line = np.arange(1, 201) / 201 * min(1, 30 / m)
    b_line = stats.binom.pmf(j[:, None], n, line[None, :])
    best: tuple[Vector, int, float] = (mm, 0, math.inf)
    for k in range(1, k_max + 1):
        normal = m**2 * b[:k] @ b[:k].T + n * tridiagonal(k)
        normal[-1, -1] += n
        right = m**2 * b[:k] @ (h(p) - mm[k:] @ b[k:])
        right[-1] += n * mm[k - 1]
        a = mm.copy()
        a[:k] = np.linalg.pinv(normal) @ right
        bias = m * np.abs(a @ b - h(p)).max()
        steps = np.diff(a)
        v1 = (j[1:] / n * steps**2) @ b_line[1:]
        steepest = max(np.abs(steps).max(), np.abs(np.diff(mm)).max())
        variance = min(steepest**2, 4 * (np.minimum(m, 1 / line) * v1).max())
        bound = math.sqrt(bias**2 + n * variance)
        if bound < best[2]:
            best = (a, k, bound)
    return best


@pytest.mark.parametrize(
    ("counts", "value"),
    [([1, 2, 3, 4, 5, 4, 3, 2, 1], 2.2388), ([1, 2, 3, 2, 1], 1.7089), ([1], 0.1812)],
)
def test_bub_has_known_values(counts: list[int], value: float) -> None:
    assert entropy_of(counts, "bub") == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize("n", [1, 2, 5, 9, 13, 19])
@pytest.mark.parametrize("m", [1, 3, 20, 400])
def test_bub_equals_naive_computation_of_small_samples(n: int, m: int) -> None:
    assert fit_coefficients(n, m).at(np.arange(n + 1)) == pytest.approx(twin_small(n, m), abs=1e-10)


@pytest.mark.parametrize("n", [20, 21, 29, 30, 31, 89, 200, 401, 402, 900])
@pytest.mark.parametrize("m", [1, 3, 10, 50, 400, 5000])
def test_bub_equals_naive_computation_of_large_samples(n: int, m: int) -> None:
    a, k, bound = twin_large(n, m)
    ours = fit_coefficients(n, m)
    assert ours.start.size == k
    assert ours.bound == pytest.approx(bound, rel=1e-7)
    assert n * ours.start == pytest.approx(n * a[:k], abs=1e-8)
    assert n * ours.at(np.arange(1, n + 1)) == pytest.approx(n * a[1:], abs=1e-8)


@pytest.mark.parametrize("m", [10, 10_000])
def test_bub_equals_naive_computation_of_ten_thousand_items(m: int) -> None:
    a, k, bound = twin_large(10_000, m)
    ours = fit_coefficients(10_000, m)
    assert ours.start.size == k
    assert ours.bound == pytest.approx(bound, rel=1e-7)
    assert 10_000 * ours.at(np.arange(1, 10_001)) == pytest.approx(10_000 * a[1:], abs=1e-8)


@pytest.mark.parametrize("n", [1, 19, 20, 10**3, 10**6, 10**12])
@pytest.mark.parametrize("m", [1, 2, 100, 10**6, 10**12])
def test_bub_coefficients_are_finite_and_at_most_twenty_for_any_size(n: int, m: int) -> None:
    coefficients = fit_coefficients(n, m)
    assert coefficients.start.size <= 20
    assert np.isfinite(coefficients.start).all()
    assert np.isfinite(coefficients.at(np.array([1, (n + 1) // 2, n]))).all()


def test_bub_counts_empty_cells_of_support() -> None:
    bub = get("bub")
    assert isinstance(bub, BUB)
    counts, n = [5, 10, 15], 30
    seen = bub.coefficients(np.array(counts), n, 10).sum()
    expected = float(seen) + 7 * bub.empty_cell(n, 10)
    assert entropy_of(counts, "bub", support=10) == pytest.approx(expected, rel=1e-13)
    assert bub.empty_cell(n, 10) > 0


def test_bub_switches_method_at_twenty_items_as_documented() -> None:
    assert entropy_of([1] * 19, "bub") == pytest.approx(3.6025, abs=5e-5)
    assert entropy_of([1] * 20, "bub") == pytest.approx(3.4707, abs=5e-5)


def test_bub_of_single_cluster_is_zero_from_twenty_items_on() -> None:
    assert all(abs(entropy_of([n], "bub")) > 0.01 for n in range(1, 20))
    assert all(abs(entropy_of([n], "bub")) < 1e-12 for n in (20, 21, 100, 10**6))


def test_bub_caches_fitted_coefficients() -> None:
    assert fit_coefficients(777, 33) is fit_coefficients(777, 33)


@cache
def read_key(path: Path) -> dict[str, dict[str, str]]:
    """group → item → label of the largest weight."""
    labels: dict[str, dict[str, str]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        group, item, *answers = line.split()
        weighed = [
            answer.rpartition("/") if "/" in answer else (answer, "", "1") for answer in answers
        ]
        labels[group][item] = max(weighed, key=lambda parts: float(parts[2]))[0]
    return labels


def v_by_entropies(gold: dict[str, str], answers: dict[str, str]) -> float:
    system = {item: answers.get(item, "(none)") for item in gold}
    classes, clusters = Counter(gold.values()), Counter(system.values())
    joint = Counter((gold[item], system[item]) for item in gold)
    sides = entropy_of(classes, "bub") + entropy_of(clusters, "bub")
    both = entropy_of(joint, "bub", support=len(classes) * len(clusters))
    return 2 * (sides - both) / sides


@pytest.mark.parametrize(
    ("answers", "published"),
    [
        ("baselines/1cl1inst.key", -3.6),
        ("baselines/mfs_all.key", 0.5),
        ("baselines/random1.key", 0.8),
        ("systems/380-408_duluth-wsi-testdata-pk2-new.txt", 5.6),
        ("systems/380-513_duluth-wsi-testdata-co-pk2.txt", 5.7),
        ("systems/380-519_duluth-wsi-testdata-co-gap.txt", 4.1),
        ("systems/380-520_duluth-wsi-testdata-gap.txt", 2.7),
        ("systems/380-521_duluth-wsi-testdata-r12.txt", 0.3),
        ("systems/380-522_duluth-wsi-testdata-r13.txt", 0.7),
        ("systems/380-523_duluth-wsi-testdata-r15.txt", 1.3),
        ("systems/380-524_duluth-wsi-testdata-r110.txt", 3.0),
    ],
)
def test_published_scores_of_semeval_2010(
    shared_data: Path, answers: str, published: float
) -> None:
    """Table 1 of Li, Titov & Sporleder (2014), to its last printed digit.

    This is what tells the pull towards a_{k−1} from one towards a_k: the latter gives 1.14 for
    R-15 and 3.10 for R-110.
    """
    folder = shared_data / "semeval2010-task14"
    gold, system = read_key(folder / "gold/all.key"), read_key(folder / answers)
    items = sum(map(len, gold.values()))
    score = sum(len(part) * v_by_entropies(part, system[group]) for group, part in gold.items())
    assert 100 * score / items == pytest.approx(published, abs=0.05)


def test_bub_small_option_lowers_the_size_of_exact_fits() -> None:
    """`bub(small=2)` fits only the first coefficients, for all N ≥ 2."""
    assert entropy_of([1], "bub(small=2)") == entropy_of([1], "bub")
    assert entropy_of([30, 2], "bub(small=2)") == entropy_of([30, 2], "bub")
    for n in (2, 3, 19):
        ours = fit_coefficients(n, 10, 2)
        assert ours.bound < math.inf
        assert ours.at(np.arange(1, n + 1)).shape == (n,)
    # Ten items of one cell, ten cells known: the joint solution is far too high.
    joint, banded = (entropy_of([10], name, support=10) for name in ("bub", "bub(small=2)"))
    assert abs(banded) < abs(joint) / 2


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("bub(small=1)", "invalid-option"),
        ("jk(small=2)", "unknown-name"),
        ("bub(k=2)", "unknown-name"),
    ],
)
def test_invalid_parameters_are_refused(name: str, code: str) -> None:
    with refused(code, name):
        entropy_of([1, 2], name)
