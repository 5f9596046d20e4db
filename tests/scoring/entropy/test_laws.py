"""Laws of every estimator in the catalogue."""

from __future__ import annotations

import math
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget import catalogue
from roget.scoring.entropy import Estimator, Histogram, LinearEstimator, entropy_of, get
from support.errors import refused

NAMES = catalogue.names("entropies")
SMALL_COUNTS = st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(any)

every = pytest.mark.parametrize("name", NAMES)


@every
def test_estimator_declares_name_assumption_reference_and_support(name: str) -> None:
    estimator = get(name)
    assert isinstance(estimator, Estimator)
    assert estimator.name == name
    assert len(estimator.assumes.split()) >= 5
    assert re.search(r"\(\d{4}\)", estimator.reference)
    assert estimator.joint_support in {"seen", "product"}


def test_estimators_declare_linearity_and_fractional_support() -> None:
    linear = {name for name in NAMES if isinstance(get(name), LinearEstimator)}
    assert linear >= {"ml", "mm", "jk", "bub", "grassberger"}
    assert linear.isdisjoint({"chao-shen", "cwj", "shrink", "nsb"})
    assert {name for name in NAMES if get(name).fractional} >= {"ml", "mm"}
    product = {name for name in NAMES if get(name).joint_support == "product"}
    assert product >= {"bub", "shrink", "nsb"}
    assert product.isdisjoint({"ml", "mm", "jk", "grassberger", "chao-shen", "cwj"})


@every
@settings(max_examples=25, deadline=None)
@given(counts=SMALL_COUNTS, seed=st.integers(0, 2**16))
def test_estimate_depends_on_count_histogram_only(name: str, counts: list[int], seed: int) -> None:
    shuffled = np.random.default_rng(seed).permutation([*counts, 0, 0])
    value = entropy_of(counts, name)
    assert math.isfinite(value)
    assert entropy_of(shuffled, name) == value
    assert entropy_of(shuffled.astype(np.float32), name) == value


@every
@settings(max_examples=25, deadline=None)
@given(counts=SMALL_COUNTS)
def test_support_equal_to_observed_cells_changes_nothing(name: str, counts: list[int]) -> None:
    seen = sum(1 for count in counts if count)
    assert entropy_of(counts, name, support=seen) == pytest.approx(
        entropy_of(counts, name), rel=1e-12, abs=1e-14
    )


ONE_ITEM = dict.fromkeys(NAMES, 0.0) | {
    "bub": 0.1811531579501693,
    "grassberger": np.euler_gamma + math.log(2),
}


@every
def test_one_item_has_documented_value(name: str) -> None:
    assert entropy_of([1], name) == pytest.approx(ONE_ITEM[name], abs=1e-12)


@every
@pytest.mark.parametrize("n", [2, 3, 20, 101, 10**12])
def test_single_cell_has_zero_entropy(name: str, n: int) -> None:
    if name == "bub" and n < 20:
        assert abs(entropy_of([n], name)) > 0.01  # a declared habit, not hidden
    elif name == "grassberger":
        assert entropy_of([n], name) == pytest.approx((n % 2) / n, abs=1.0 / n**2 + 1e-12)
    else:
        assert entropy_of([n], name) == pytest.approx(0.0, abs=1e-12)


@every
def test_estimators_converge_to_plug_in_for_huge_samples(name: str) -> None:
    counts = np.array([5, 3, 1, 1]) * 10**11
    assert entropy_of(counts, name) == pytest.approx(entropy_of(counts, "ml"), abs=1e-9)


@every
@pytest.mark.parametrize("tail", [1, 2, 1000])
def test_estimators_converge_to_plug_in_with_tail_of_rare_cells(name: str, tail: int) -> None:
    counts = [10**12, *[1] * tail, *[2] * (tail // 2)]
    value = entropy_of(counts, name)
    assert value == pytest.approx(entropy_of(counts, "ml"), abs=1e-7)


@every
@pytest.mark.parametrize("n", [1, 2, 19, 20, 21, 150, 1000])
def test_entropy_of_all_singletons_is_finite(name: str, n: int) -> None:
    value = entropy_of([1] * n, name)
    assert math.isfinite(value)
    assert value > 0 or n == 1


@every
def test_large_uniform_sample_gives_log_of_cell_count(name: str) -> None:
    rng = np.random.default_rng(7)
    counts = rng.multinomial(200_000, np.full(50, 1 / 50))
    # The plug-in is 49/400,000 too low; nothing here should be further off than a few of these.
    assert entropy_of(counts, name) == pytest.approx(math.log(50), abs=4e-4)


@every
def test_fractional_counts_are_accepted_or_refused_as_declared(name: str) -> None:
    if get(name).fractional:
        assert math.isfinite(entropy_of([0.5, 1.5], name))
    else:
        with refused("undefined", name):
            entropy_of([0.5, 1.5], name)


@settings(deadline=None)
@given(counts=SMALL_COUNTS)
def test_corrections_never_lower_plug_in_entropy(counts: list[int]) -> None:
    """By concavity, leave-one-out, added cells and shrinkage never lower Ĥ."""
    ml = entropy_of(counts, "ml")
    slack = 1e-12
    for name in ("mm", "jk", "shrink"):
        assert entropy_of(counts, name) >= ml - slack
    assert entropy_of(counts, "shrink") <= math.log(sum(1 for c in counts if c)) + slack
    assert 0 <= entropy_of(counts, "nsb") <= math.log(sum(1 for c in counts if c)) + slack


@pytest.mark.parametrize("name", [n for n in NAMES if isinstance(get(n), LinearEstimator)])
@pytest.mark.parametrize("n", [7, 40])
def test_linear_coefficients_give_the_estimate(name: str, n: int) -> None:
    estimator = get(name)
    assert isinstance(estimator, LinearEstimator)
    counts = np.array([1, 1, 2, n - 4])
    coefficients = estimator.coefficients(counts, n, 4)
    assert float(coefficients.sum()) == pytest.approx(entropy_of(counts, name), rel=1e-13)
    assert math.isfinite(estimator.empty_cell(n, 9))


def test_int64_totals_do_not_overflow() -> None:
    counts = np.full(4, 2**62)
    assert Histogram.from_counts(counts).total == 2**64
    assert entropy_of(counts) == pytest.approx(math.log(4), abs=1e-15)


def test_importing_the_estimators_does_not_import_scipy() -> None:
    code = "import sys, roget.scoring.entropy; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
