"""View: the search path, with β or the description length at each number of classes."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from roget.core.information import bits
from roget.report.format import brief
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import Sheet, StaticPage, View


class Step(TypedDict):
    """The value of the criterion for a given number of classes."""

    classes: int
    value: float


class PathView(TypedDict):
    """Data of the search path view."""

    kind: Literal["beta", "bits", "none"]
    steps: list[Step]


def make(snapshot: ThesaurusSnapshot) -> PathView:
    """Return the recorded steps of the search, or else the values of the tree's splits."""
    thesaurus, kind = snapshot.thesaurus, snapshot.kind
    points: dict[int, float | None] = {}
    if kind == "bits":
        for step in thesaurus.clustering.path:
            if "total_before" in step:
                points.setdefault(int(step["n_clusters"]) - 1, bits(step["total_before"]))
            length = step.get("total_after", step.get("description_length"))
            points[int(step["n_clusters"])] = None if length is None else bits(length)
    elif kind == "beta":
        for step in thesaurus.clustering.path:
            if step.get("beta") is not None:
                points.setdefault(int(step["n_clusters"]), float(step["beta"]))
    if not points:
        points = {k: snapshot.split_value(node) for node, k in thesaurus.tree.splits}
    steps: list[Step] = [
        {"classes": k, "value": value}
        for k, point in sorted(points.items())
        # Description lengths differ only in their last digits, so more digits are kept.
        if (value := brief(point, 9)) is not None
    ]
    return {"kind": kind, "steps": steps}  # type: ignore[typeddict-item]


def sheet(data: PathView, _: ThesaurusSnapshot) -> Sheet:
    """Return the CSV table of this view, with one row per number of classes."""
    return ["classes", data["kind"]], [[one["classes"], one["value"]] for one in data["steps"]]


def embed(page: StaticPage) -> dict[str, Any]:
    """Return this view's data for the static page."""
    return {"path": make(page.snapshot)}


VIEW = View("path", make, PathView, sheet=sheet, static=embed)
