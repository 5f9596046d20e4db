"""View: overview of sizes, provenance and available actions."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from roget.learn.thesaurus.edits import OPEN
from roget.report.format import brief
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import StaticPage, View, short
from roget.web.views.compare import class_numbers

_PARTS = {"nouns": "noun", "verbs": "verb", "adjectives": "adjective", "names": "name"}
"""The part of speech of the words selected by each preset of relations."""


class Comparable(TypedDict):
    """The available comparison: its name, its kind and the number of classes on each side."""

    name: str
    kind: str
    ks: list[int]
    k: int


class Overview(TypedDict):
    """Data of the overview."""

    name: str
    words: int
    classes: int
    nodes: int
    contexts: int
    observations: float
    relations: list[str]
    part: str | None
    """The part of speech of all words, e.g. noun, or null if it is unknown or varies."""
    background: str | None
    """The name of the background, or null without a background."""
    kind: Literal["beta", "bits", "none"]
    soft: bool
    clusterer: str | None
    beta: float | None
    kept: float | None
    whole: str
    revision: int
    editable: bool
    locked: str | None
    edits: int
    last: str | None
    next: str | None
    evidence: bool
    changes: int
    open: int
    live: bool
    compare: Comparable | None
    shard: NotRequired[int]


def make(snapshot: ThesaurusSnapshot) -> Overview:
    """Return the sizes and the provenance, and whether the thesaurus can be edited."""
    thesaurus, known = snapshot.thesaurus, snapshot.thesaurus.provenance
    class_information, word_information = snapshot.information
    background = known.get("background")
    done, lock_reason = thesaurus.editor.done, snapshot.lock_reason
    return {
        "name": snapshot.name,
        "words": len(thesaurus),
        "classes": thesaurus.tree.n_clusters,
        "nodes": thesaurus.tree.n_nodes,
        "contexts": int(thesaurus.contexts.size),
        "observations": short(float(thesaurus.counts.total)),
        "relations": list(thesaurus.counts.relations),
        "part": _PARTS.get(",".join(thesaurus.counts.relations)),
        "background": background["name"] if background and snapshot.tables.general_shares else None,
        "kind": snapshot.kind,  # type: ignore[typeddict-item]
        "soft": bool(thesaurus.memberships.nnz > len(thesaurus)),
        "clusterer": known.get("clusterer"),
        "beta": brief(known.get("beta")),
        "kept": brief(class_information / word_information) if word_information > 0 else None,
        # An imported thesaurus has no text, so the share of a class is its share of the words.
        "whole": "words" if "imported" in known else "text",
        "revision": snapshot.revision,
        "editable": lock_reason is None,
        "locked": lock_reason,
        "edits": len(done),
        "last": str(done[-1]) if done else None,
        "next": str(thesaurus.undone[0]) if thesaurus.undone else None,
        "evidence": thesaurus.counts.evidence is not None,
        "changes": len(thesaurus.changes),
        "open": sum(one.state == OPEN for one in thesaurus.changes),
        "live": True,
        "compare": _describe_side(snapshot),
    }


def _describe_side(snapshot: ThesaurusSnapshot) -> Comparable | None:
    if snapshot.side is None:
        return None
    ks, usual = class_numbers(snapshot)
    return {"name": snapshot.side.name, "kind": snapshot.side.kind, "ks": ks, "k": usual}


def embed(page: StaticPage) -> dict[str, Any]:
    """Return this view's data for the static page, which does not allow editing."""
    data = make(page.snapshot)
    data |= {"editable": False, "locked": None, "live": False, "shard": page.SHARD}
    data |= {"edits": 0, "last": None, "next": None, "changes": 0, "open": 0}
    data["evidence"] = page.evidence > 0
    return {"overview": data}


VIEW = View("overview", make, Overview, static=embed)
