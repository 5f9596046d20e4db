"""View: the contexts that favour a word's class over the most probable other class."""

from __future__ import annotations

from typing import TypedDict

from roget.learn.thesaurus import lookup
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import (
    WORD,
    Named,
    Number,
    Phrase,
    View,
    check_index,
    check_rows,
    describe_context,
    list_columns,
    name_class,
    rows_parameter,
    short,
)
from roget.web.views.shared import CONTEXTS


class Reason(Phrase):
    """A context, its count and its weight in the decision."""

    seen: float
    weight: float


WhyView = TypedDict(
    "WhyView",
    {
        "word": str,
        "class": Named,
        "against": Named | None,
        "kept": bool,
        "contexts": list[Reason],
    },
)


def make(snapshot: ThesaurusSnapshot, word: str, node: int, n: int = CONTEXTS) -> WhyView:
    """Return the n contexts with the largest weight in the decision."""
    check_index("class", node, snapshot.thesaurus.tree.n_nodes)
    reasons = lookup.reasons(snapshot.thesaurus, word, node, check_rows(n))
    other = reasons.against
    return {
        "word": word,
        "class": name_class(snapshot, reasons.node),
        "against": None if other == reasons.node else name_class(snapshot, other),
        "kept": snapshot.thesaurus.counts.evidence is not None,
        "contexts": [
            {
                **describe_context(snapshot, one.context),
                "seen": short(one.seen),
                "weight": short(one.weight),
            }
            for one in reasons.contexts
        ],
    }


VIEW = View(
    "why",
    make,
    WhyView,
    parameters=(WORD, Number("node", 0), rows_parameter(CONTEXTS)),
    sheet=list_columns("contexts", "context", "seen", "weight"),
)
