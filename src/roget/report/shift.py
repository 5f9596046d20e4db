"""Report of `roget shift`: words whose use changed between two corpora."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from roget.core.counts.evidence import EvidenceLine
from roget.errors import Notice
from roget.learn.usage.shift import ContextChange, NewWord, ShiftResult, WordShift
from roget.report import Column, Report, ReportTable
from roget.report.contexts import ContextPhrases
from roget.report.format import occurrences, plural, printable, width
from roget.report.sketch import Find, format_count
from roget.report.why import concord, line_data

CONTEXTS = 3
"""Maximum numbers of gained and of lost contexts per word in plain text."""

TITLES = ("word", "old", "new", "divergence", "expected", "change", "least", "z", "p", "q",
          "p_usual", "q_usual")  # fmt: skip
"""Columns of spreadsheets, in addition to the columns of contexts."""

_NOTE = (
    "change: divergence of the contexts in bits, minus the divergence expected by chance; least: "
    "lower limit of the change (one-sided 95 %); q: false discovery rate, relative to the usual "
    "change of words between the two corpora. For words from few documents, the results are less "
    "certain than shown."
)

Lines = dict[tuple[str, str, int], Sequence[EvidenceLine]]
"""Example sentences, keyed by word, context and corpus."""


def report(
    found: ShiftResult,
    names: tuple[str, str] = ("old", "new"),
    find: Sequence[Find] | None = None,
    min_count: int = 20,
) -> Report:
    """Report the words that changed most, with gained and lost contexts, and the new words.

    For each corpus, `find` contains a function that returns the sentences for a word and a context.
    """
    lines = _gather(found, find) if find else {}
    contexts = (one.context for word in found.changes for one in (*word.gained, *word.lost))
    phrase = ContextPhrases.from_names(dict.fromkeys(contexts))
    tables = [*_tables(found, phrase), *_concord(found, lines, phrase)]
    return Report(
        title="Words whose use changed",
        lead=[*_lead(found, names, min_count)],
        tables=tables,
        notes=[_NOTE, *phrase.notes],
        talk=[*_talk(found, min_count)],
        data=_data(found, names, lines),
        sheet=_sheet(found),
        page=partial(_page, found, names, lines, min_count, phrase),
    )


def _gather(found: ShiftResult, find: Sequence[Find]) -> Lines:
    """Return the sentences of each word in each listed context, in both corpora."""
    return {
        (change.word, one.context, at): lines
        for change in found.changes
        for one in (*change.gained, *change.lost)
        for at, search in enumerate(find)
        if one.counts[at] and (lines := search(change.word, one.context))
    }


def _concord(found: ShiftResult, lines: Lines, phrase: ContextPhrases) -> Iterator[ReportTable]:
    """Yield a concordance for each word and corpus, limited to contexts in the text table."""
    for change in found.changes:
        for at, called in enumerate(("old", "new")):
            seen = [
                (phrase(one.context), line_data(line))
                for one in (*change.gained[:CONTEXTS], *change.lost[:CONTEXTS])
                for line in lines.get((change.word, one.context, at), ())
            ]
            if seen:
                yield concord(seen, change.word, f" in the {called} corpus")


def _lead(found: ShiftResult, names: tuple[str, str], min_count: int) -> Iterator[str]:
    for called, name, total in zip(("old", "new"), names, found.totals, strict=True):
        yield f"{called}: {printable(name, width() // 2)}, {occurrences(total)}"
    yield (
        f"{plural(found.tested, 'word')} with at least {min_count:,} occurrences in both: "
        f"{found.changed:,} {'differs' if found.changed == 1 else 'differ'} more than by chance, "
        f"{found.unusual:,} more than usual between the two corpora (q ≤ .05)"
    )


def _talk(found: ShiftResult, min_count: int) -> Iterator[str]:
    yield from found.notes
    if not found.tested:
        yield Notice(
            f"no word has at least {min_count:,} occurrences in both corpora; lower --min-count",
            code="too-little-text",
        )


def _tables(found: ShiftResult, phrase: ContextPhrases) -> Iterator[ReportTable]:
    columns = [
        Column("word", fit="cut"),
        *Column.numbers("old", "new", "change", "least", "q", fit="keep"),
        Column("gained (old → new)", share=1),
        Column("lost (old → new)", share=1),
    ]
    rows = [
        (
            one.word,
            *map(format_count, one.counts),
            f"{one.change:.2f}",
            f"{one.least:.2f}",
            _chance(one.q_usual),
            _list(one.gained, phrase),
            _list(one.lost, phrase),
        )
        for one in found.changes
    ]
    if rows:
        yield ReportTable(columns, rows)
    for title, words in (
        ("only in the new corpus", found.appeared),
        ("only in the old corpus", found.vanished),
    ):
        if words:
            lines = [
                (one.word, format_count(one.count), f"{one.expected:,.1f}", _chance(one.p))
                for one in words
            ]
            numbers = ("count", "expected in the other corpus", "p")
            yield ReportTable.of(("word", *numbers), lines, numbers, title=title)


def _list(contexts: Sequence[ContextChange], phrase: ContextPhrases) -> str:
    return ", ".join(
        f"{phrase(one.context)} {format_count(one.counts[0])}→{format_count(one.counts[1])}"
        for one in contexts[:CONTEXTS]
    )


def _chance(p: float) -> str:
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def _data(found: ShiftResult, names: tuple[str, str], lines: Lines) -> dict[str, Any]:
    """Return the result as plain data for JSON."""
    return {
        "old": {"name": names[0], "pairs": found.totals[0]},
        "new": {"name": names[1], "pairs": found.totals[1]},
        "tested": found.tested,
        "changed": found.changed,
        "unusual": found.unusual,
        "usual": {"median": found.usual[0], "spread": found.usual[1]},
        "words": [_describe(one, lines) for one in found.changes],
        "appeared": [asdict(one) for one in found.appeared],
        "vanished": [asdict(one) for one in found.vanished],
        "warnings": list(found.notes),
    }


def _describe(change: WordShift, lines: Lines) -> dict[str, Any]:
    facts = asdict(change) | {"counts": list(change.counts)}
    for way in ("gained", "lost"):
        facts[way] = []
        for one in getattr(change, way):
            entry = one._asdict() | {"counts": list(one.counts), "scores": list(one.scores)}
            if lines:
                entry["lines"] = {
                    called: [
                        line_data(line) for line in lines.get((change.word, one.context, at), ())
                    ]
                    for at, called in enumerate(("old", "new"))
                }
            facts[way].append(entry)
    return facts


def _sheet(found: ShiftResult) -> ReportTable:
    """Return a spreadsheet table with one row per word. Words in only one corpus come last."""

    def join(contexts: Sequence[ContextChange]) -> str:
        return "; ".join(f"{one.context} {one.counts[0]:g} {one.counts[1]:g}" for one in contexts)

    rows: list[tuple[Any, ...]] = [
        (one.word, *one.counts, *(getattr(one, name) for name in TITLES[3:]), join(one.gained),
         join(one.lost))
        for one in found.changes
    ]  # fmt: skip
    nothing = (None,) * 5

    def alone(one: NewWord, at: int) -> tuple[Any, ...]:
        counts = (one.count, 0) if at == 0 else (0, one.count)
        return (one.word, *counts, *nothing, one.p, None, None, None, "", "")

    rows += [alone(one, 1) for one in found.appeared]
    rows += [alone(one, 0) for one in found.vanished]
    return ReportTable.of((*TITLES, "gained", "lost"), rows)


def _page(
    found: ShiftResult,
    names: tuple[str, str],
    lines: Lines,
    min_count: int,
    phrase: ContextPhrases,
) -> str:
    from roget.report.render.html import fill_frame

    return fill_frame(
        "roget.report",
        "shift.html",
        found=found,
        lines=lines,
        lead=[*_lead(found, names, min_count)],
        notes=[_NOTE, *phrase.notes],
        warnings=[*_talk(found, min_count)],
        phrase=phrase,
        count=format_count,
        chance=_chance,
    )
