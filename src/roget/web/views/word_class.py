"""View: a class with its words, contexts, subclasses and path from the root."""

from __future__ import annotations

from typing import Any, NotRequired

from roget.core.information import bits
from roget.learn.thesaurus import ContextClass, TypicalContext, lookup
from roget.report.format import brief
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import (
    Context,
    Named,
    Notes,
    Number,
    StaticPage,
    View,
    Word,
    check_index,
    check_rows,
    list_columns,
    name_class,
    read_notes,
    rows_parameter,
    short,
)

WORDS, CONTEXTS, CONTEXT_CLASSES = 60, 24, 8
"""Default numbers of words, contexts and context classes."""

STATIC_WORDS = 40
"""Number of words shown for an inner class in the static page.

For leaf classes, all words are included.
"""


class Typical(Word):
    """A word of a class, with its distance from the class centre and its membership."""

    distance_bits: float | None
    probability: float


class ClassView(Named):
    """Data of the class view."""

    value: float | None
    path: list[Named]
    children: list[Named]
    offset: int
    typical: list[Typical]
    listed: NotRequired[int]
    notes: Notes
    contexts: list[Context]
    context_classes: list[Context]


def make(snapshot: ThesaurusSnapshot, node: int, n: int = WORDS, offset: int = 0) -> ClassView:
    """Return a class with its n most typical words."""
    thesaurus = snapshot.thesaurus
    check_index("class", node, thesaurus.tree.n_nodes)
    n, offset = check_rows(n), check_rows(offset)
    word_class = thesaurus.word_class(node, max(n + offset, CONTEXTS))
    named = name_class(snapshot, node)
    return {
        "node": node,
        "label": named["label"],
        "words": named["words"],
        "share": named["share"],
        "value": snapshot.split_value(node),
        "path": [name_class(snapshot, above) for above in lookup.list_path(thesaurus, node)],
        "children": [name_class(snapshot, below) for below in snapshot.shown_children(node)],
        "offset": offset,
        "typical": [
            {
                "id": thesaurus.rows[one.word],
                "word": one.word,
                "distance_bits": brief(bits(one.distance)),
                "probability": short(one.probability),
            }
            for one in word_class.words[offset : offset + n]
        ],
        "notes": read_notes(snapshot, node),
        "contexts": [
            measure_context(one, one.context, snapshot.phrase(one.context))
            for one in word_class.contexts[:CONTEXTS]
        ],
        "context_classes": [
            measure_context(one, one.label, one.label)
            for one in lookup.context_classes(thesaurus, node, CONTEXT_CLASSES)
        ],
    }


def measure_context(
    one: TypicalContext | ContextClass, context: str, phrase: str, total: float = 1.0
) -> Context:
    """Return a context or context class with its phrase, amount and lift.

    The amount is a probability, or a count if `total` is passed.
    """
    return {
        "context": context,
        "phrase": phrase,
        "amount": short(one.probability * total),
        "lift": short(one.lift),
    }


def embed(page: StaticPage) -> dict[str, Any]:
    """Return this view's data for the static page: words, contexts and context classes by node."""
    thesaurus, classes = page.snapshot.thesaurus, []
    for node in range(thesaurus.tree.n_nodes):
        is_leaf = not thesaurus.tree.children(node)
        n = max(STATIC_WORDS, page.snapshot.sizes[node]) if is_leaf else STATIC_WORDS
        data = make(page.snapshot, node, n)
        classes.append(
            [
                page.flatten(data["typical"], "id", "distance_bits", "probability"),
                page.flatten_contexts(data["contexts"]),
                page.flatten_contexts(data["context_classes"]),
            ]
        )
    return {"classes": classes}


VIEW = View(
    "class",
    make,
    ClassView,
    route="/api/class/{node}",
    parameters=(Number("node"), rows_parameter(WORDS), Number("offset", 0)),
    sheet=list_columns("typical", "word", "distance_bits", "probability"),
    static=embed,
)
