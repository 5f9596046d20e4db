"""Parts of a comparison that text and page share."""

from __future__ import annotations

from collections.abc import Iterator

from roget.report import ReportTable
from roget.report.format import plural, size_form
from roget.report.outline import list_parts
from roget.scoring.results import Comparison


def cluster_form(comparison: Comparison) -> str:
    """Return the format of the numbers of clusters."""
    return size_form((row.clusters for row in comparison.rows), comparison.groups)


def list_outlines(comparison: Comparison) -> Iterator[ReportTable]:
    """Yield the entropies, pair counts and sizes for each system."""
    if comparison.components:
        outlines = dict(zip(comparison.systems, comparison.components, strict=True))
        yield from list_parts(outlines, comparison.groups)


def describe_golds(comparison: Comparison) -> str:
    """Return the names and sizes of several gold standards."""
    each = ", ".join(f"{gold.name} {plural(gold.items, 'item', ',')}" for gold in comparison.golds)
    return f"mean over {len(comparison.golds)} gold standards ({each})"
