"""What a thesaurus says of words, old and new: `roget neighbours`, `senses` and `classify`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from roget.core.counts import Counts
from roget.learn.thesaurus import Thesaurus, lookup
from roget.report import Report, ReportTable
from roget.report.format import plural, printable, width

CLASSES, CONTEXTS = 3, 4
"""How many classes of a word, and contexts of a word or a pair, are told."""

UNKNOWN = "(no known context)"

LEAST = 0.01
"""Classes of a word that are less likely than this are not told."""


def look_around(thesaurus: Thesaurus, word: str, n: int, by: str) -> dict[str, Any]:
    """A word with its likeliest classes and its neighbours, ready for JSON."""
    near = []
    for other in thesaurus.neighbours(word, n, by):
        common = thesaurus.common_class(word, other.word)
        shared = lookup.shared_evidence(thesaurus, word, other.word, CONTEXTS)
        near.append(
            {
                "word": other.word,
                "similarity": other.similarity,
                "class": {"node": common, "label": call_class(thesaurus, common)},
                "contexts": [one.context for one in shared],
            }
        )
    likely = [(node, p) for node, p in thesaurus.membership(word).items() if p >= LEAST]
    return {
        "word": word,
        "seen": thesaurus.counts.word_totals[thesaurus.row(word)].item(),
        "classes": [
            {"node": node, "label": call_class(thesaurus, node), "probability": p}
            for node, p in likely[:CLASSES]
        ],
        "contexts": [one.context for one in thesaurus.evidence(word, CONTEXTS)],
        "by": by,
        "neighbours": near,
    }


def call_class(thesaurus: Thesaurus, node: int) -> str:
    """What a class is called; words say nothing of the root, which has all of them."""
    return thesaurus.label(node) if node or 0 in thesaurus.labels else "(all words)"


def neighbours(thesaurus: Thesaurus, word: str, n: int, by: str) -> Report:
    """The word and its classes, and a table of its neighbours."""
    found = look_around(thesaurus, word, n, by)
    named = ", ".join(printable(context, _most()) for context in found["contexts"])
    contexts = f", such as with {named}" if named else ""
    lines = [f"{printable(word, _most())}: seen {plural(found['seen'], 'time')}{contexts}"]
    lines += [f"  {one['probability']:4.0%}  {one['label']}" for one in found["classes"]]
    titles = ("neighbour", "alike", "contexts in common", "smallest class of both")
    rows, values = [], []
    for one in found["neighbours"]:
        rest = (", ".join(one["contexts"]), one["class"]["label"])
        rows.append((one["word"], f"{one['similarity']:.2f}", *rest))
        values.append((one["word"], one["similarity"], *rest))
    return Report(
        title=f"Neighbours of {word}",
        lead=[printable(line, width()) for line in lines],
        tables=[ReportTable.of(titles, rows, ("alike",), "cut")],
        data=found,
        sheet=ReportTable.of(("word", "similarity", "contexts", "class"), values),
    )


def tell_apart(thesaurus: Thesaurus, word: str, n: int) -> dict[str, Any]:
    """A word with its senses: class, share, contexts that vote for it, nearest words."""
    found = [
        {
            "node": one.node,
            "label": call_class(thesaurus, one.node),
            "path": [call_class(thesaurus, node) for node in thesaurus.tree.path(one.node)[1:]],
            "share": one.share,
            "contexts": [context.context for context in one.contexts],
            "words": list(one.words),
        }
        for one in thesaurus.senses(word, n)
    ]
    seen = thesaurus.counts.word_totals[thesaurus.row(word)].item()
    return {"word": word, "seen": seen, "senses": found}


def senses(thesaurus: Thesaurus, word: str, n: int) -> Report:
    """The senses of a word: a table of one line each, and the way to each class below it."""
    found = tell_apart(thesaurus, word, n)
    rows, values = [], []
    for one in found["senses"]:
        told = [one["label"], one["words"], one["contexts"]]
        shown = ([printable(name, _most()) for name in names] for names in ([told[0]], *told[1:]))
        rows.append((f"{one['share']:.0%}", *map(", ".join, shown)))
        values.append((one["node"], told[0], one["share"], *map(", ".join, told[1:])))
    many = plural(len(rows), "sense")
    lead = [f"{printable(word, _most())}: seen {plural(found['seen'], 'time')}, {many}"]
    lead += [
        f"  {one['share']:4.0%}  {' › '.join(one['path']) or one['label']}"
        for one in found["senses"]
    ]
    titles = ("share", "class", "like it there", "contexts that say so")
    return Report(
        title=f"Senses of {word}",
        lead=[printable(line, width()) for line in lead],
        tables=[ReportTable.of(titles, rows, ("share",))],
        data=found,
        sheet=ReportTable.of(("node", "class", "share", "words", "contexts"), values),
    )


def place(thesaurus: Thesaurus, counts: Counts, n: int) -> list[dict[str, Any]]:
    """New words, each with the share of its tokens that is known and its likeliest classes.

    A word of which no context is known has no classes: how likely they are in general says
    nothing about it.
    """
    found: dict[str, dict[str, Any]] = {}
    for row in lookup.list_placements(thesaurus, counts, n):
        one = found.setdefault(row.word, {"word": row.word, "known": row.known, "classes": []})
        if row.known > 0:
            likely = {"node": row.node, "label": row.label, "probability": row.probability}
            one["classes"].append(likely)
    return list(found.values())


def classify(thesaurus: Thesaurus, counts: Counts, n: int) -> Report:
    """New words and their classes, one class in each line.

    In a sheet, a word without classes has one line, in which node, class and probability are empty.
    """
    placed = place(thesaurus, counts, n)
    rows, values = [], []
    for one in placed:
        word, known = one["word"], one["known"]
        first = (word, f"{known:.0%}")
        if not one["classes"]:
            rows.append((*first, "", UNKNOWN))
            values.append((word, None, None, None, known))
        for found in one["classes"]:
            rows.append((*first, f"{found['probability']:.1%}", found["label"]))
            values.append((word, *found.values(), known))
            first = ("", "")
    titles = ("word", "known", "probability", "class")
    return Report(
        title="Classes of words",
        tables=[ReportTable.of(titles, rows, ("known", "probability"), "cut")],
        talk=_warn_unplaced(placed),
        data={"words": placed},
        sheet=ReportTable.of(("word", "node", "class", "probability", "known"), values),
    )


def _warn_unplaced(placed: Iterable[Mapping[str, Any]]) -> list[str]:
    """A warning if some words have no context that is known."""
    lost = [printable(one["word"], _most()) for one in placed if not one["known"]]
    if not lost:
        return []
    named = ", ".join(lost[:3]) + (", …" if len(lost) > 3 else "")
    return [
        f"{plural(len(lost), 'word')} without any context that the thesaurus knows ({named}): "
        "they get no class"
    ]


def _most() -> int:
    """Columns that one text may take, so that there is room for those beside it."""
    return width() // 3
