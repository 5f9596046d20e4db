"""Histograms of counts by counting, by sorting, or by both."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.scoring.entropy import Histogram
from support.examples import few

COUNT = st.one_of(
    st.integers(0, 5), st.integers(2**16 - 2, 2**16 + 2), st.integers(0, 10**12), st.just(2**52)
)


@few()
@given(st.lists(COUNT, max_size=40), st.sampled_from([np.int64, np.float64]))
def test_histogram_equals_plain_count(counts: list[int], dtype: type) -> None:
    histogram = Histogram.from_counts(np.array(counts, dtype=dtype))
    expected = sorted(Counter(count for count in counts if count).items())
    assert list(zip(histogram.counts, histogram.cells, strict=True)) == expected
    assert histogram.total == sum(counts)
    assert histogram.seen == sum(1 for count in counts if count)
    for count in (1, 2, 5, 2**16):
        assert histogram.cells_with(count) == counts.count(count)
    if counts:
        assert histogram.whole
        assert histogram.counts.dtype == np.int64


def test_histogram_keeps_fractional_counts() -> None:
    histogram = Histogram.from_counts(np.array([0.5, 0.0, 0.5, 2.0]))
    assert not histogram.whole
    assert histogram.counts.tolist() == [0.5, 2.0]
    assert histogram.cells.tolist() == [2, 1]
    assert histogram.total == 3.0


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint16, np.float32])
def test_histogram_does_not_overflow_narrow_types(dtype: type) -> None:
    histogram = Histogram.from_counts(np.full(1000, 100, dtype=dtype))
    assert histogram.total == 100_000
