"""Reports of `roget neighbours`, `roget senses` and `roget classify`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any

import numpy as np

from roget.core.counts import Counts
from roget.errors import Notice
from roget.learn.representation.background import KEY
from roget.learn.representation.prior import KEY as PRIOR
from roget.learn.thesaurus import Thesaurus, lookup
from roget.learn.thesaurus.neighbours import neighbour_sources
from roget.learn.thesaurus.reassign import find_contradicted
from roget.report import Column, Report, ReportTable, legend
from roget.report.contexts import ContextPhrases
from roget.report.format import occurrences, plural, printable, width

CLASSES, SHARED = 3, 4
"""Maximum numbers of classes per word, and of contexts per word or word pair."""

UNKNOWN = "(no known context)"

LONGEST_WORD = 24
"""Maximum length of a neighbour in a table."""

LEAST = 0.01
"""Minimum probability for a class to be listed."""


def describe_neighbours(thesaurus: Thesaurus, word: str, n: int, by: str) -> dict[str, Any]:
    """Return a word's most probable classes and nearest neighbours as plain data for JSON."""
    near = []
    found = thesaurus.neighbours(word, n, by)
    sources = neighbour_sources(thesaurus, word, [other.word for other in found])
    for other, source in zip_longest(found, sources):
        common = lookup.find_shown_class(thesaurus, word, other.word)
        shared = lookup.shared_evidence(thesaurus, word, other.word, SHARED)
        near.append(
            {
                "word": other.word,
                "similarity": other.similarity,
                "class": {"node": common, "label": name_class(thesaurus, common)},
                "contexts": [one.context for one in shared],
                "source": source,
            }
        )
    likely = [(node, p) for node, p in thesaurus.membership(word).items() if p >= LEAST]
    return {
        "word": word,
        "seen": thesaurus.counts.word_totals[thesaurus.row(word)].item(),
        "classes": [
            {"node": node, "label": name_class(thesaurus, node), "probability": p}
            for node, p in likely[:CLASSES]
        ],
        "contradicted": describe_contradiction(thesaurus, word),
        "contexts": [one.context for one in thesaurus.evidence(word, SHARED)],
        "by": by,
        "neighbours": near,
    }


def describe_contradiction(thesaurus: Thesaurus, word: str) -> dict[str, Any] | None:
    """Return the class that the contexts of a frequent word support, if they reject its own class.

    Return None for other words, and if the text alone determined the classes.
    """
    if KEY not in thesaurus.provenance:
        return None
    at = np.array([thesaurus.row(word)])
    rows, nodes, shares = find_contradicted(thesaurus, at)
    if not rows.size:
        return None
    node = int(nodes[0])
    return {"node": node, "label": name_class(thesaurus, node), "probability": float(shares[0])}


def name_class(thesaurus: Thesaurus, node: int) -> str:
    """Return the label of a class, or "(all words)" for a root without a label."""
    return thesaurus.label(node) if node or 0 in thesaurus.labels else "(all words)"


def neighbours(thesaurus: Thesaurus, word: str, n: int, by: str) -> Report:
    """Report a word, its classes and a table of its neighbours."""
    phrase = ContextPhrases(thesaurus.counts)
    found = describe_neighbours(thesaurus, word, n, by)
    named = ", ".join(printable(one, _most()) for one in phrase.distinct(found["contexts"]))
    contexts = f", e.g. in {named}" if named else ""
    lines = [f"{printable(word, _most())}: {occurrences(found['seen'])}{contexts}"]
    several = len(found["classes"]) > 1
    for one in found["classes"]:
        share = f"{one['probability']:4.0%}  " if several else "class: "
        lines.append(f"  {share}{one['label']}")
    if found["contradicted"]:
        one = found["contradicted"]
        named = f"{one['probability']:.0%} in {one['label']}"
        lines.append(f"  its contexts alone place it elsewhere: {named} (roget why)")
    legends = {KEY: legend.SOURCES, PRIOR: legend.PRIOR}
    sources = [text for key, text in legends.items() if key in thesaurus.provenance]
    borrowed = bool(sources)
    titles = ["neighbour", "similarity", "shared contexts", "smallest common class"]
    if borrowed:
        titles.insert(2, "source")
    rows, values = [], []
    for one in found["neighbours"]:
        contexts, label = one["contexts"], one["class"]["label"]
        shared = ", ".join(phrase.distinct(contexts))
        source = (one["source"],) if borrowed else ()
        rows.append((one["word"], f"{one['similarity']:.2f}", *source, shared, label))
        values.append((one["word"], one["similarity"], ", ".join(contexts), label, *source))
    return Report(
        title=f"Neighbours of {word}",
        lead=[printable(line, width()) for line in lines],
        tables=[
            ReportTable(
                [
                    Column("neighbour", fit="keep", most=LONGEST_WORD),
                    Column("similarity", right=True, fit="keep"),
                    *(Column(title, fit="keep") for title in titles[2:-2]),
                    Column("shared contexts", fit="cut", share=3),
                    Column("smallest common class", fit="cut", share=2),
                ],
                rows,
            )
        ],
        notes=[legend.SIMILARITY, *sources, *phrase.notes],
        data=found,
        sheet=ReportTable.of(
            ("word", "similarity", "contexts", "class", *(("source",) if borrowed else ())), values
        ),
    )


def describe_senses(thesaurus: Thesaurus, word: str, n: int) -> dict[str, Any]:
    """Return a word's senses as plain data: class, share, typical contexts and nearest words."""
    found = [
        {
            "node": one.node,
            "label": name_class(thesaurus, one.node),
            "path": [
                name_class(thesaurus, node) for node in lookup.list_path(thesaurus, one.node)[1:]
            ],
            "share": one.share,
            "contexts": [context.context for context in one.contexts],
            "words": list(one.words),
        }
        for one in thesaurus.senses(word, n)
    ]
    seen = thesaurus.counts.word_totals[thesaurus.row(word)].item()
    return {"word": word, "seen": seen, "senses": found}


def senses(thesaurus: Thesaurus, word: str, n: int) -> Report:
    """Report the senses of a word: the path to each class, and a table with one row per sense."""
    phrase = ContextPhrases(thesaurus.counts)
    found = describe_senses(thesaurus, word, n)
    rows, values = [], []
    for one in found["senses"]:
        lists = [one["label"]], one["words"], phrase.distinct(one["contexts"])
        shown = ([printable(name, _most()) for name in names] for names in lists)
        rows.append((f"{one['share']:.0%}", *map(", ".join, shown)))
        joined = map(", ".join, (one["words"], one["contexts"]))
        values.append((one["node"], one["label"], one["share"], *joined))
    many = plural(len(rows), "sense")
    lead = [f"{printable(word, _most())}: {occurrences(found['seen'])}, {many}"]
    lead += [
        f"  {one['share']:4.0%}  {' › '.join(one['path']) or one['label']}"
        for one in found["senses"]
    ]
    titles = ("share", "class", "similar words", "supporting contexts")
    return Report(
        title=f"Senses of {word}",
        lead=[printable(line, width()) for line in lead],
        tables=[ReportTable.of(titles, rows, ("share",))],
        notes=phrase.notes,
        data=found,
        sheet=ReportTable.of(("node", "class", "share", "words", "contexts"), values),
    )


def place(thesaurus: Thesaurus, counts: Counts, n: int) -> list[dict[str, Any]]:
    """Return the n most probable classes of new words, given their counts.

    `known` is the share of a word's tokens in contexts that occur in the thesaurus. A word without
    such contexts has no classes, because only the prior would determine them.
    """
    found: dict[str, dict[str, Any]] = {}
    for row in lookup.list_placements(thesaurus, counts, n):
        one = found.setdefault(row.word, {"word": row.word, "known": row.known, "classes": []})
        if row.known > 0:
            likely = {"node": row.node, "label": row.label, "probability": row.probability}
            one["classes"].append(likely)
    return list(found.values())


def classify(thesaurus: Thesaurus, counts: Counts, n: int) -> Report:
    """Report new words and their classes, one class per row.

    In a spreadsheet, a word without classes has one row with empty node, class and probability.
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
    """Return a warning if some words have no known context."""
    lost = [printable(one["word"], _most()) for one in placed if not one["known"]]
    if not lost:
        return []
    named = ", ".join(lost[:3]) + (", …" if len(lost) > 3 else "")
    text = (
        f"{plural(len(lost), 'word')} without a class, because none of their contexts is known "
        f"({named})"
    )
    return [Notice(text, code="unknown-word")]


def _most() -> int:
    """Return the maximum width of a column that leaves enough space for the other columns."""
    return width() // 3
