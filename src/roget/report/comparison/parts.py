"""Shared parts of the text and HTML reports of `roget compare`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from roget.core.io.problems import join_names
from roget.errors import Notice, code_of
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


def list_notices(comparison: Comparison) -> list[str]:
    """Return the warnings. Warnings about missing items of several systems are joined into one."""
    counts = {one.name: one.sides.missing for one in comparison.scored if one.sides.missing}
    begins = tuple(f"{name}: {count:,} of " for name, count in counts.items())
    notices = [one for one in comparison.warnings if code_of(one) == "missing-items"]
    found = [one for one in notices if one.startswith(begins)]
    if len(found) < 2:
        return list(comparison.warnings)
    counts = dict(sorted(counts.items(), key=lambda one: -one[1]))
    each = join_names([f"{count:,} in {name}" for name, count in counts.items()])
    # The effect is the same for all systems, because it depends on the option --missing.
    effect = found[0].rpartition(": ")[2]
    text = f"items without a label: {each} (of {comparison.items:,}): {effect}"
    if describe_mentions(comparison):
        text = f"missed gold mentions: {each} (of {comparison.items:,})"
    merged = Notice(text, code="missing-items")
    return [
        merged if one is found[0] else one for one in comparison.warnings if one not in found[1:]
    ]


def describe_golds(comparison: Comparison) -> str:
    """Format the names and sizes of several gold standards."""
    each = ", ".join(f"{gold.name} {plural(gold.items, 'item', ',')}" for gold in comparison.golds)
    return f"mean over {len(comparison.golds)} gold standards ({each})"


def describe_mentions(comparison: Comparison) -> str:
    """Format the size of a gold standard for coreference, or return "" for other labels."""
    sides = comparison.scored[0].sides if comparison.scored else None
    if sides is None or not sides.gold.mentions:
        return ""
    documents = 1
    if sides.groups is not None:
        # Count the documents that contain gold mentions. They are the same for all systems.
        known = sides.gold.codes < sides.gold.n_labels - sides.gold.made
        documents = np.unique(np.asarray(sides.groups)[known]).size
    entities = round(comparison.classes * comparison.groups)
    return (
        f"{plural(comparison.items, 'gold mention', ',')}, "
        f"{plural(entities, 'gold entity', ',')}, {plural(documents, 'document', ',')}"
    )


LETTERS = "systems sharing a letter do not differ significantly (Holm-corrected p ≥ .05)"


def explain_letters(comparison: Comparison) -> str:
    """Return a phrase that explains significance letters or why they are missing."""
    reason = comparison.untestable
    if reason is None or any(row.letters for row in comparison.rows):
        return LETTERS
    return f"cannot tell which systems differ [{reason.code}]"
