"""Exact sums of doubles as three integers, in any order."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.learn.counting import fixed_point

# Above 2^-75 every double is a multiple of 2^-128.
FRACTIONS = st.floats(2.0**-75, 2.0**40, allow_nan=False)


@pytest.fixture(scope="module", autouse=True)
def _connected() -> Iterator[None]:
    """One database for all examples: opening one takes longer than all else."""
    with duckdb.connect() as Given.connection:
        yield


class Given:
    connection: duckdb.DuckDBPyConnection


def summed(values: list[float], keys: list[int] | None = None) -> dict[int, tuple[Fraction, float]]:
    rows = {"key": np.array(keys or [0] * len(values)), "n": np.array(values)}
    Given.connection.register("given", rows)
    query = fixed_point.summed(fixed_point.split("FROM given"), "key", fractional=True)
    found = Given.connection.execute(
        f"SELECT key, n, fraction, rest, {fixed_point.value(True)} FROM ({query})"
    ).fetchall()
    return {
        key: (n + Fraction(fraction, 2**64) + Fraction(rest, 2**128), value)
        for key, n, fraction, rest, value in found
    }


@given(st.lists(FRACTIONS, min_size=1, max_size=30))
def test_fixed_point_sums_are_exact(values: list[float]) -> None:
    total, value = summed(values)[0]
    assert total == sum(map(Fraction, values))
    assert value == pytest.approx(float(total), rel=2.0**-51)


@given(st.lists(FRACTIONS, min_size=1, max_size=20, unique=True))
def test_single_double_is_preserved(values: list[float]) -> None:
    found = summed(values, list(range(len(values))))
    assert [found[i][1] for i in range(len(values))] == values


@given(st.lists(FRACTIONS, min_size=2, max_size=20), st.randoms())
def test_sums_do_not_depend_on_order_or_grouping(values: list[float], random: object) -> None:
    shuffled = values[:]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert summed(values) == summed(shuffled)
    parts = summed(values, [i % 3 for i in range(len(values))])
    assert sum(total for total, _ in parts.values()) == summed(values)[0][0]


def test_sum_beyond_64_bits_is_refused() -> None:
    with pytest.raises(
        duckdb.InvalidInputException, match=fixed_point.TOO_MUCH.replace("^", r"\^")
    ):
        summed([2.0**61] * 4)
    assert summed([2.0**61] * 3)[0][0] == 3 * 2**61
