"""Report of `roget why`: the contexts, counts and sentences that explain a word's class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from roget.core.counts.evidence import EvidenceLine
from roget.errors import InputError, Notice
from roget.learn.thesaurus import Thesaurus, TypicalContext, lookup
from roget.learn.thesaurus.neighbours import compare_words
from roget.report import Column, Report, ReportTable
from roget.report.contexts import ContextPhrases
from roget.report.format import GAP, occurrences, printable, width
from roget.report.words import LEAST, name_class

FEW, MANY = 2, 20
"""Default number of sentences per context if many contexts are listed, and with --context."""

_NARROW = 12
"""Minimum width of the text on each side of a keyword."""

_NO_SENTENCES = Notice(
    "the thesaurus has no example sentences; build it with --evidence 3 to keep some",
    code="missing-option",
)


_WEIGHTS = {
    "lift": "lift: frequency relative to the whole text; 8 means eight times as frequent",
    "weight": "weight: contribution to the log odds of the class (positive) against the other "
    "class (negative)",
}


def report(
    thesaurus: Thesaurus,
    word: str,
    other: str | None = None,
    into: str | None = None,
    *,
    context: str | None = None,
    n: int = 8,
    lines: int | None = None,
    sort: str = "corpus",
) -> Report:
    """Report the contexts that explain a word's class or its similarity to another word."""
    phrase = ContextPhrases(thesaurus.counts)
    if other is not None and into is not None:
        raise InputError("pass a second word or --class, not both", code="conflicting-options")
    if other == word:
        raise InputError(
            f"{word!r} was passed twice; pass two different words", code="conflicting-options"
        )
    if lines is None:
        lines = FEW if context is None else MANY
    words = [word] if other is None else [word, other]
    found: dict[str, Any] = {
        "words": [
            {"word": one, "seen": thesaurus.counts.word_totals[thesaurus.row(one)].item()}
            for one in words
        ]
    }
    lead, weighed = _weigh_contexts(thesaurus, words, into, n if context is None else 10**6, found)
    if context is not None:
        thesaurus.counts.context_id(context)  # This raises an error if the context is unknown.
        weighed = {context: weighed.get(context, (None, ""))}
    found["contexts"] = [
        {
            "context": name,
            found["by"]: value,
            "counts": {one: thesaurus.counts.count(one, name) for one in words},
            "lines": {
                one: [
                    line_data(line) for line in lookup.find_lines(thesaurus, one, name, lines, sort)
                ]
                for one in words
            },
        }
        for name, (value, _) in weighed.items()
    ]
    titles = ("context", *words, found["by"])
    rows = [
        (phrase(one["context"]), *map(_format_count, one["counts"].values()), weight)
        for one, (_, weight) in zip(found["contexts"], weighed.values(), strict=True)
    ]
    tables = [ReportTable.of(titles, rows, titles[1:], "cut")]
    for one in words:
        seen = [
            (phrase(each["context"]), line)
            for each in found["contexts"]
            for line in each["lines"][one]
        ]
        tables.append(concord(seen, one))
    talk = [] if thesaurus.counts.evidence is not None else [_NO_SENTENCES]
    fields = ("source", "line", "left", "keyword", "right")
    sheet = [
        (one["context"], word, *(line[name] for name in fields))
        for one in found["contexts"]
        for word in words
        for line in one["lines"][word]
    ]
    titles = ("context", "word", *fields)
    return Report(
        title=f"Why {' and '.join(words)}{'' if into is None else f' in {into}'}",
        lead=[printable(line, width()) for line in lead],
        tables=[table for table in tables if table.rows],
        notes=[_WEIGHTS[found["by"]], *phrase.notes],
        talk=talk,
        data=found,
        sheet=ReportTable.of(("context", "word", *fields), sheet)
        if thesaurus.counts.evidence is not None
        else None,
    )


def _format_count(count: float) -> str:
    """Format a count, with a dash for zero."""
    if not count:
        return "–"
    return f"{count:,}" if isinstance(count, int) else f"{count:,.2f}"


def _list_lifts(
    contexts: Iterable[TypicalContext],
) -> dict[str, tuple[float | None, str]]:
    """Return the lift of each context as a ratio, with its text."""
    ratios = {one.context: math.exp(one.lift) for one in contexts}
    return {
        context: (ratio, f"{ratio:,.1f}" if ratio >= 10 else f"{ratio:.2f}")
        for context, ratio in ratios.items()
    }


def _weigh_contexts(
    thesaurus: Thesaurus, words: list[str], into: str | None, n: int, found: dict[str, Any]
) -> tuple[list[str], dict[str, tuple[float | None, str]]]:
    """Return the first lines of the report, and the weight of each context as a number and as text.

    Further results are added to `found`.
    """
    seen = [f"{one['word']}: {occurrences(one['seen'])}" for one in found["words"]]
    if len(words) > 1:
        rows, others = (np.array([thesaurus.row(one)]) for one in words)
        similarity = float(compare_words(thesaurus, rows, others)[0])
        node = lookup.find_shown_class(thesaurus, *words)
        label = name_class(thesaurus, node)
        found |= {"by": "lift", "similarity": similarity, "class": {"node": node, "label": label}}
        contexts = lookup.shared_evidence(thesaurus, words[0], words[1], n)
        line = (
            f"similarity {similarity:.2f} (standard deviations above the mean); "
            f"smallest common class: {label}"
        )
        return [*seen, line], _list_lifts(contexts)
    if into is None:
        found |= {"by": "lift"}
        contexts = thesaurus.evidence(words[0], n)
        return [*seen, *_rank_classes(thesaurus, words[0], found)], _list_lifts(contexts)
    reasons = lookup.reasons(thesaurus, words[0], lookup.find_node(thesaurus, into), n)
    names = [thesaurus.label(node) for node in (reasons.node, reasons.against)]
    found |= {
        "by": "weight",
        "class": {"node": reasons.node, "label": names[0], "probability": reasons.probability},
        "against": {"node": reasons.against, "label": names[1], "probability": reasons.other},
        "odds": reasons.odds,
    }
    shares = [reasons.probability, reasons.other]
    listed = [f"{share:.0%} in {name}" for share, name in zip(shares, names, strict=True)]
    line = f"probability by its contexts: {', '.join(listed)}"
    weighed: dict[str, tuple[float | None, str]] = {
        one.context: (one.weight, f"{one.weight:+.2f}") for one in reasons.contexts
    }
    return [*seen, line], weighed


def _rank_classes(thesaurus: Thesaurus, word: str, found: dict[str, Any]) -> list[str]:
    """Return lines with a word's class, and its most probable classes by its contexts."""
    place = int(thesaurus.places[thesaurus.row(word)])
    best = [one for one in lookup.rank_classes(thesaurus, word) if one[1] >= LEAST]
    found |= {
        "class": {"node": place, "label": name_class(thesaurus, place)},
        "classes": [
            {"node": node, "label": name_class(thesaurus, node), "probability": share}
            for node, share in best
        ],
    }
    listed = ", ".join(f"{one['probability']:.0%} in {one['label']}" for one in found["classes"])
    return [f"class: {found['class']['label']}", f"probability by its contexts: {listed}"]


def line_data(line: EvidenceLine) -> dict[str, Any]:
    """Convert an example sentence to plain data: source, text, and spans of word and context."""
    return {
        "source": line.source,
        "line": line.line,
        "text": line.text,
        "word": list(line.word),
        "context": None if line.context is None else list(line.context),
        "left": line.left,
        "keyword": line.keyword,
        "right": line.right,
    }


def concord(lines: Sequence[tuple[str, dict[str, Any]]], word: str, where: str = "") -> ReportTable:
    """Return a concordance: one (context, `line_data`) pair per row, cut to the terminal width."""
    # Line number 0 means that the line is unknown.
    places = [f"{Path(line['source']).name}:{line['line']}".removesuffix(":0") for _, line in lines]
    taken = sum(
        max(map(len, texts), default=0)
        for texts in (
            [name for name, _ in lines],
            places,
            [word, *(line["keyword"] for _, line in lines)],
        )
    )
    side = max(_NARROW, (width() - taken - 4 * GAP) // 2 - 1)
    rows, last = [], ""
    for (name, line), place in zip(lines, places, strict=True):
        rows.append(
            (
                "" if name == last else name,
                place,
                _end(printable(line["left"]).strip(), side),
                line["keyword"],
                printable(line["right"].rstrip(), side),
            )
        )
        last = name
    columns = [
        Column("context", fit="keep"),
        Column("source", fit="keep"),
        Column("", right=True, fit="keep"),
        Column(word, fit="keep"),
        Column("", fit="keep"),
    ]
    return ReportTable(columns, rows, title=f"sentences with {word}{where}")


def _end(text: str, most: int) -> str:
    """Cut off the start of a string that is longer than `most` characters."""
    return text if len(text) <= most else "…" + text[len(text) - most + 1 :]
