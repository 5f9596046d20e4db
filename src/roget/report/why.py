"""Why words are where they are: contexts, counts and concordance lines, for `roget why`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from roget.core.counts.evidence import EvidenceLine
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus, lookup
from roget.report import Column, Report, ReportTable
from roget.report.format import GAP, plural, printable, width
from roget.report.words import call_class

FEW, MANY = 2, 20
"""Lines of a context: of one of several, and of one that is asked for by name."""

_NARROW = 12
"""Columns that either side of a keyword has at least."""

_NONE = "no sentences are kept here: roget build … --evidence 3 keeps some of each pair"


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
    """The contexts that tell why, what is counted in them, and lines of each word in each."""
    if other is not None and into is not None:
        raise InputError("a second word and --class: expected one of them")
    if other == word:
        raise InputError(f"{word!r} twice: expected two words, or it alone")
    if lines is None:
        lines = FEW if context is None else MANY
    words = [word] if other is None else [word, other]
    found: dict[str, Any] = {
        "words": [
            {"word": one, "seen": thesaurus.counts.word_totals[thesaurus.row(one)].item()}
            for one in words
        ]
    }
    lead, weighed = _tell(thesaurus, words, into, n if context is None else 10**6, found)
    if context is not None:
        thesaurus.counts.context_id(context)  # one that is not there is an error
        weighed = {context: weighed.get(context, (None, ""))}
    found["contexts"] = [
        {
            "context": name,
            found["by"]: value,
            "counts": {one: thesaurus.counts.count(one, name) for one in words},
            "lines": {
                one: [
                    tell_line(line) for line in lookup.find_lines(thesaurus, one, name, lines, sort)
                ]
                for one in words
            },
        }
        for name, (value, _) in weighed.items()
    ]
    titles = ("context", *words, found["by"])
    rows = [
        (one["context"], *(_say(count) for count in one["counts"].values()), said)
        for one, (_, said) in zip(found["contexts"], weighed.values(), strict=True)
    ]
    tables = [ReportTable.of(titles, rows, titles[1:], "cut")]
    for one in words:
        seen = [
            (told["context"], line) for told in found["contexts"] for line in told["lines"][one]
        ]
        tables.append(concord(seen, one))
    talk = [] if thesaurus.counts.evidence is not None else [_NONE]
    told = ("source", "line", "left", "keyword", "right")
    sheet = [
        (one["context"], word, *(line[name] for name in told))
        for one in found["contexts"]
        for word in words
        for line in one["lines"][word]
    ]
    return Report(
        title=f"Why {' and '.join(words)}{'' if into is None else f' in {into}'}",
        lead=[printable(line, width()) for line in lead],
        tables=[table for table in tables if table.rows],
        talk=talk,
        data=found,
        sheet=ReportTable.of(("context", "word", *told), sheet)
        if thesaurus.counts.evidence is not None
        else None,
    )


def _say(count: float) -> str:
    """A count, with a dash for none."""
    if not count:
        return "–"
    return f"{count:,}" if isinstance(count, int) else f"{count:,.2f}"


def _tell(
    thesaurus: Thesaurus, words: list[str], into: str | None, n: int, found: dict[str, Any]
) -> tuple[list[str], dict[str, tuple[float | None, str]]]:
    """What is to be said first, and the contexts, each with what it weighs."""
    seen = [f"{one['word']}: seen {plural(one['seen'], 'time')}" for one in found["words"]]
    if len(words) > 1:
        rows, others = (np.array([thesaurus.row(one)]) for one in words)
        alike = float(lookup.similarities(thesaurus, rows, others)[0])
        node = thesaurus.common_class(*words)
        label = call_class(thesaurus, node)
        found |= {"by": "lift", "similarity": alike, "class": {"node": node, "label": label}}
        told = lookup.shared_evidence(thesaurus, words[0], words[1], n)
        said = f"alike by {alike:.2f} deviations above the mean; smallest class of both: {label}"
        return [*seen, said], {one.context: (one.lift, f"{one.lift:.2f}") for one in told}
    if into is None:
        found |= {"by": "lift"}
        told = thesaurus.evidence(words[0], n)
        return seen, {one.context: (one.lift, f"{one.lift:.2f}") for one in told}
    reasons = lookup.reasons(thesaurus, words[0], lookup.find_node(thesaurus, into), n)
    names = [thesaurus.label(node) for node in (reasons.node, reasons.against)]
    found |= {
        "by": "weight",
        "class": {"node": reasons.node, "label": names[0], "probability": reasons.probability},
        "against": {"node": reasons.against, "label": names[1], "probability": reasons.other},
        "odds": reasons.odds,
    }
    shares = [reasons.probability, reasons.other]
    told_of = [f"{share:.0%} in {name}" for share, name in zip(shares, names, strict=True)]
    said = f"by its contexts {', '.join(told_of)}"
    weighed: dict[str, tuple[float | None, str]] = {
        one.context: (one.weight, f"{one.weight:+.2f}") for one in reasons.contexts
    }
    return [*seen, said], weighed


def tell_line(line: EvidenceLine) -> dict[str, Any]:
    """A line as JSON has it: the sentence, where word and context stand in it, and its parts."""
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
    """Lines of contexts, as `tell_line` has them: the keyword in the middle, cut to what fits."""
    # The number of a line that is not known is 0.
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
    return ReportTable(columns, rows, title=f"{word}, as it was seen{where}")


def _end(text: str, most: int) -> str:
    """The end of a text."""
    return text if len(text) <= most else "…" + text[len(text) - most + 1 :]
