"""Shared parts of the text and HTML reports of `roget agree`: summary, order and names."""

from __future__ import annotations

from roget.errors import Undefined
from roget.report.format import name_score, plural
from roget.scoring.agreement.result import Agreement, MeanRow


def summary(found: Agreement) -> str:
    """Format the number of clusterings and items."""
    text = f"{plural(len(found.systems), 'clustering')}, {plural(found.items, 'item')}"
    return text if found.groups == 1 else f"{text} in {found.groups:,} groups"


def name_typical(found: Agreement) -> list[str]:
    """Return a line that names the most and the least typical clustering."""
    if found.odd is None or found.typical is None:
        return []
    return [
        f"by {name_score(*found.scores[0])}, {found.typical} is the most typical clustering and "
        f"{found.odd} the least typical"
    ]


def group_rows(found: Agreement) -> list[list[MeanRow]]:
    """Group the mean scores by clustering, with the most typical clustering first."""
    lines: dict[str, list[MeanRow]] = {}
    for row in found.means:
        lines.setdefault(row.system, []).append(row)
    return sorted(lines.values(), key=lambda rows: (rows[0].rank is None, rows[0].rank or 0))


def leaf_order(found: Agreement) -> list[int]:
    """Return the order of leaves in the first tree, or the input order if no score has a tree."""
    for score in found.scores:
        try:
            return found.tree(*score).order
        except Undefined:
            continue
    return list(range(len(found.systems)))


def distance_name(found: Agreement, score: tuple[str, str | None]) -> str:
    """Return the name of the distance, e.g. "1 − ari" for a score whose best value is 1."""
    wanted = next(w for w, e in found.requests if (str(w), e) == score)
    text = name_score(*score)
    return text if wanted.direction == "lower" else f"{wanted.best:g} − {text}"
