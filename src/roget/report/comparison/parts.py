"""Shared parts of the text and HTML reports of `roget compare`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

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
    """Return the warnings. Those about missing or extra items of several systems are joined."""
    counts = {one.name: (one.sides.missing, one.sides.extra) for one in comparison.scored}
    missing, extra = ({name: both[at] for name, both in counts.items()} for at in (0, 1))
    gold = PurePath(comparison.scored[0].sides.gold.source).name if comparison.scored else "gold"
    total = f"(of {comparison.items:,})"
    notices = list(comparison.warnings)
    if describe_mentions(comparison):
        notices = _join_counts(
            notices, "missing-items", "missed gold mentions", missing, f" {total}"
        )
        notices = _join_counts(notices, "extra-items", "spurious response mentions", extra)
        return notices
    # The effect is the same for all systems, because it depends on the options.
    effects = {code_of(one): f": {one.rpartition(': ')[2]}" for one in notices}
    what = f"items that are not in {gold}"
    more = f" {total}{effects.get('missing-items', '')}"
    notices = _join_counts(notices, "missing-items", "items without a label", missing, more)
    notices = _join_counts(notices, "extra-items", what, extra, effects.get("extra-items", ""))
    shared = [one for one in notices if code_of(one) == "shared-clusters"]
    if len(shared) > 1:
        # Omit the number of items, which differs between systems.
        text = f"dropped items of several systems share{shared[0].partition(' share')[2]}"
        text = text.replace("shares a cluster", "share a cluster")
        notices[notices.index(shared[0])] = Notice(text, code="shared-clusters")
        notices = [one for one in notices if one not in shared]
    return notices


def _join_counts(
    notices: list[str], code: str, what: str, counts: Mapping[str, int], more: str = ""
) -> list[str]:
    """Join the notices with a code about several systems. `counts` is the number in each system."""
    counts = {name: count for name, count in counts.items() if count}
    begins = tuple(f"{name}: {count:,} " for name, count in counts.items())
    found = [one for one in notices if code_of(one) == code and one.startswith(begins)]
    if len(found) < 2:
        return notices
    ordered = sorted(counts.items(), key=lambda one: -one[1])
    each = join_names([f"{count:,} in {name}" for name, count in ordered])
    merged = Notice(f"{what}: {each}{more}", code=code)
    return [merged if one is found[0] else one for one in notices if one not in found[1:]]


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
