"""Words whose use changed, as a report: `roget shift`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from roget.core.counts.evidence import EvidenceLine
from roget.learn.shift import ContextChange, NewWord, ShiftResult, WordShift
from roget.report import Column, Report, ReportTable
from roget.report.format import plural, printable, width
from roget.report.sketch import Find, format_count
from roget.report.why import concord, line_data

CONTEXTS = 3
"""Contexts gained and lost that text has of each word."""

TITLES = ("word", "old", "new", "divergence", "expected", "change", "least", "z", "p", "q",
          "p_usual", "q_usual")  # fmt: skip
"""What sheets tell of a word, beside its contexts."""

_NOTE = (
    "change: bits by which contexts differ beyond chance; least: that less what chance adds once "
    "in twenty times; q: the share of false findings up to here, among words that change as words "
    "usually do between the two. Words of few documents may still seem surer than they are."
)

Lines = dict[tuple[str, str, int], Sequence[EvidenceLine]]
"""Lines by word, context and corpus."""


def report(
    found: ShiftResult,
    names: tuple[str, str] = ("old", "new"),
    find: Sequence[Find] | None = None,
    min_count: int = 20,
) -> Report:
    """The words that changed most, with the contexts they gained and lost; then those that are new.

    `find` gives the lines of a word and a context in either corpus, which are shown below.
    """
    lines = _gather(found, find) if find else {}
    return Report(
        title="Words whose use changed",
        lead=[*_lead(found, names, min_count)],
        tables=[*_tables(found), *_concord(found, lines)],
        notes=[_NOTE],
        talk=[*_talk(found, min_count)],
        data=_data(found, names, lines),
        sheet=_sheet(found),
        page=partial(_page, found, names, lines, min_count),
    )


def _gather(found: ShiftResult, find: Sequence[Find]) -> Lines:
    """The lines of each word in each context that is told, in both corpora."""
    return {
        (change.word, one.context, at): lines
        for change in found.changes
        for one in (*change.gained, *change.lost)
        for at, ask in enumerate(find)
        if one.counts[at] and (lines := ask(change.word, one.context))
    }


def _concord(found: ShiftResult, lines: Lines) -> Iterator[ReportTable]:
    """The lines of each word in the contexts that text has, if there are some."""
    for change in found.changes:
        for at, called in enumerate(("old", "new")):
            seen = [
                (one.context, line_data(line))
                for one in (*change.gained[:CONTEXTS], *change.lost[:CONTEXTS])
                for line in lines.get((change.word, one.context, at), ())
            ]
            if seen:
                yield concord(seen, change.word, f" in the {called}")


def _lead(found: ShiftResult, names: tuple[str, str], min_count: int) -> Iterator[str]:
    for called, name, total in zip(("old", "new"), names, found.totals, strict=True):
        yield f"{called}: {printable(name, width() // 2)}, {plural(round(total, 1), 'pair')} seen"
    yield (
        f"{plural(found.tested, 'word')} seen {min_count:,} times or more in both: "
        f"{found.changed:,} {'differs' if found.changed == 1 else 'differ'} more than by chance, "
        f"{found.unusual:,} more than words usually do between the two (q ≤ .05)"
    )


def _talk(found: ShiftResult, min_count: int) -> Iterator[str]:
    yield from found.notes
    if not found.tested:
        yield f"no word is seen {min_count:,} times in both: lower --min-count"


def _tables(found: ShiftResult) -> Iterator[ReportTable]:
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
            _list(one.gained),
            _list(one.lost),
        )
        for one in found.changes
    ]
    if rows:
        yield ReportTable(columns, rows)
    for title, words in (("only in the new", found.appeared), ("only in the old", found.vanished)):
        if words:
            told = [
                (one.word, format_count(one.count), f"{one.expected:,.1f}", _chance(one.p))
                for one in words
            ]
            numbers = ("seen", "expected in the other", "p")
            yield ReportTable.of(("word", *numbers), told, numbers, title=title)


def _list(contexts: Sequence[ContextChange]) -> str:
    return ", ".join(
        f"{one.context} {format_count(one.counts[0])}→{format_count(one.counts[1])}"
        for one in contexts[:CONTEXTS]
    )


def _chance(p: float) -> str:
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def _data(found: ShiftResult, names: tuple[str, str], lines: Lines) -> dict[str, Any]:
    """The same, ready for JSON."""
    return {
        "old": {"name": names[0], "pairs": found.totals[0]},
        "new": {"name": names[1], "pairs": found.totals[1]},
        "tested": found.tested,
        "changed": found.changed,
        "unusual": found.unusual,
        "usual": {"median": found.usual[0], "spread": found.usual[1]},
        "words": [_tell(one, lines) for one in found.changes],
        "appeared": [asdict(one) for one in found.appeared],
        "vanished": [asdict(one) for one in found.vanished],
        "warnings": list(found.notes),
    }


def _tell(change: WordShift, lines: Lines) -> dict[str, Any]:
    told = asdict(change) | {"counts": list(change.counts)}
    for way in ("gained", "lost"):
        told[way] = []
        for one in getattr(change, way):
            entry = one._asdict() | {"counts": list(one.counts), "scores": list(one.scores)}
            if lines:
                entry["lines"] = {
                    called: [
                        line_data(line) for line in lines.get((change.word, one.context, at), ())
                    ]
                    for at, called in enumerate(("old", "new"))
                }
            told[way].append(entry)
    return told


def _sheet(found: ShiftResult) -> ReportTable:
    """One line for each word, those that only one corpus has last."""

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


def _page(found: ShiftResult, names: tuple[str, str], lines: Lines, min_count: int) -> str:
    from roget.report.render.html import fill_frame

    return fill_frame(
        "roget.report",
        "shift.html",
        found=found,
        lines=lines,
        lead=[*_lead(found, names, min_count)],
        notes=[_NOTE],
        warnings=[*_talk(found, min_count)],
        count=format_count,
        chance=_chance,
    )
