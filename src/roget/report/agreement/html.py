"""Agreement between clusterings as one self-contained HTML page."""

from __future__ import annotations

from typing import Any

import numpy as np

from roget.core.types import Floats
from roget.errors import Undefined
from roget.report.agreement.parts import (
    distance_name,
    group_rows,
    leaf_order,
    name_typical,
    summary,
)
from roget.report.format import ARROWS, brief, name_score, size_form
from roget.report.legend import explain_scores
from roget.report.render.html import bundle, fill_frame
from roget.scoring.agreement.result import Agreement

PICTURED = 300
"""Maximum number of clusterings for which matrix, tree and map are drawn."""


def render(found: Agreement) -> str:
    """Render the page. The output is deterministic."""
    return fill_frame(
        "roget.report.agreement",
        "page/page.html",
        bundle("agreement"),
        data(found),
        found=found,
        warnings=found.warnings,
        notes=explain_scores(found.scores),
        signature=found.signature,
        summary=summary(found),
        lead=[f"{line[0].upper()}{line[1:]}." for line in name_typical(found)],
        scores=_scores(found),
        lines=group_rows(found),
        cluster_form=f"%{size_form(found.clusters, found.groups)}",
        spread=found.spread(),
        drawn=any(row.low is not None for row in found.means),
        pictured=PICTURED if len(found.systems) > PICTURED else None,
        names=min(max(map(len, found.systems)), 28),
    )


def data(found: Agreement) -> dict[str, Any]:
    """Return the rounded data for the script of the page."""
    few = len(found.systems) <= PICTURED
    drawn = found.scores if few else []
    usual = leaf_order(found) if few else []
    trees = [_tree(found, score) for score in drawn]
    return {
        "scores": _scores(found),
        "systems": list(found.systems) if few else [],
        "matrices": [_matrix(found, at) for at in range(len(drawn))],
        "orders": [usual if tree is None else tree["order"] for tree in trees],
        "trees": trees,
        "maps": [_map(found, score) for score in drawn],
    }


def _scores(found: Agreement) -> list[dict[str, Any]]:
    listed = []
    for (wanted, entropy), score in zip(found.requests, found.scores, strict=True):
        why = None
        try:
            found.distances(*score)
        except Undefined as error:
            why = str(error)
        listed.append(
            {
                "measure": str(wanted),
                "entropy": entropy,
                "better": wanted.direction,
                "arrow": ARROWS[wanted.direction],
                "title": name_score(*score),
                "distance": "" if why else distance_name(found, score),
                "symmetric": wanted.symmetric,
                "typical": found.medoid(*score),
                "odd": found.outlier(*score),
                "why": why,
            }
        )
    return listed


def _matrix(found: Agreement, at: int) -> dict[str, Any]:
    values = found.matrices.values[at]
    others = values[~np.eye(len(values), dtype=bool) & ~np.isnan(values)]
    ends = [brief(float(end)) for end in (others.min(), others.max())] if others.size else [0, 1]
    low, high = found.matrices.low[at], found.matrices.high[at]
    drawn = not np.isnan(low).all()
    return {
        "values": _numbers(values),
        "low": _numbers(low) if drawn else None,
        "high": _numbers(high) if drawn else None,
        "ends": ends,
    }


def _numbers(values: Floats) -> list[list[float | int | None]]:
    return [[brief(value) for value in row] for row in values.tolist()]


def _tree(found: Agreement, score: tuple[str, str | None]) -> dict[str, Any] | None:
    try:
        tree = found.tree(*score)
    except Undefined:
        return None
    links = [[int(one), int(two), brief(height)] for one, two, height, _ in tree.links.tolist()]
    return {"links": links, "order": tree.order}


def _map(found: Agreement, score: tuple[str, str | None]) -> dict[str, Any] | None:
    try:
        places, share = found.map(*score)
    except Undefined:
        return None
    return {"places": _numbers(places), "share": brief(share)}
