"""Shared parts of the text and HTML reports of `roget compare`."""

from __future__ import annotations

from collections.abc import Iterator

from roget.report import ReportTable
from roget.report.format import plural, size_form
from roget.report.outline import list_parts
from roget.scoring.results import Comparison


def cluster_form(comparison: Comparison) -> str:
    """Return the format string for numbers of clusters: integers, or means with one decimal."""
    return size_form((row.clusters for row in comparison.rows), comparison.groups)


def list_outlines(comparison: Comparison) -> Iterator[ReportTable]:
    """Yield tables of entropies, pair counts and sizes for each system."""
    if comparison.components:
        outlines = dict(zip(comparison.systems, comparison.components, strict=True))
        yield from list_parts(outlines, comparison.groups)


def describe_golds(comparison: Comparison) -> str:
    """Format the names and sizes of several gold standards."""
    each = ", ".join(f"{gold.name} {plural(gold.items, 'item', ',')}" for gold in comparison.golds)
    return f"mean over {len(comparison.golds)} gold standards ({each})"


LETTERS = "systems sharing a letter do not differ significantly (Holm-corrected p ≥ .05)"


def explain_letters(comparison: Comparison) -> str:
    """Return a phrase that explains significance letters or why they are missing."""
    reason = comparison.untestable
    if reason is None or any(row.letters for row in comparison.rows):
        return LETTERS
    return f"cannot tell which systems differ [{reason.code}]"
