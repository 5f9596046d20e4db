"""Hypothesis strategies for testing plug-ins: labellings, contingency tables, histograms."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st


def labellings(max_items: int = 30, max_labels: int = 7) -> Any:
    """Return a strategy for pairs of label lists of the same length."""
    label = st.integers(0, max_labels - 1)
    return st.integers(1, max_items).flatmap(
        lambda n: st.tuples(
            st.lists(label, min_size=n, max_size=n), st.lists(label, min_size=n, max_size=n)
        )
    )


def contingency_tables(max_side: int = 5, max_count: int = 20) -> Any:
    """Return a strategy for contingency tables with at least one item."""
    sides = st.tuples(st.integers(1, max_side), st.integers(1, max_side))
    count = st.integers(0, max_count)
    return sides.flatmap(
        lambda shape: st.lists(
            st.lists(count, min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        )
    ).filter(lambda table: any(map(any, table)))


def histograms(max_cells: int = 12, max_count: int = 40) -> Any:
    """Return a strategy for lists of positive counts."""
    return st.lists(st.integers(1, max_count), min_size=1, max_size=max_cells)
