"""The sketch of a word, or of two, as a report: `roget sketch`."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

from roget.core.counts.evidence import EvidenceLine
from roget.learn.sketch import Collocate, Sketch, SketchRelation
from roget.report import Column, Report, ReportTable
from roget.report.format import GAP, UNDEFINED, plural, printable, width
from roget.report.why import concord, line_data

LONGEST = 20
"""Columns that a collocate may take where relations stand side by side."""

FAR = 10
"""Words of which one is seen so many times as often are hard to compare."""

_SCORED = Column.numbers("seen", "log\nDice", fit="keep")

KINDS = ("only", "both", "other")
"""The parts of a difference."""

Find = Callable[[str, str], Sequence[EvidenceLine]]
"""Gives the lines of a word and a context."""

Lines = dict[tuple[str, str], Sequence[EvidenceLine]]
"""Lines by word and context."""


def report(found: Sketch, source: str = "", find: Find | None = None) -> Report:
    """Relations side by side, as many as there is room for; of two words, one below the other.

    `find` gives the lines that are shown below, and in JSON and pages; `source` is the thesaurus
    that `roget why` can be asked of, if it has some.
    """
    lines = _gather(found, find) if find is not None else {}
    return Report(
        title=f"Sketch of {' beside '.join(found.words)}",
        lead=[*_lead(found)],
        tables=[
            *(_pack(map(_block, found.relations)) if found.beside is None else _parts(found)),
            *_concord(found, lines),
        ],
        notes=[*_notes(found, source)],
        talk=[*_talk(found)],
        data=_data(found, lines),
        sheet=_sheet(found),
        page=partial(_page, found, lines),
    )


def _gather(found: Sketch, find: Find) -> Lines:
    """The lines of each word and context that is told."""
    return {
        (word, one.context): lines
        for relation in found.relations
        for one in relation.collocates
        for word, count in zip(found.words, one.counts, strict=True)
        if count and (lines := find(word, one.context))
    }


def _concord(found: Sketch, lines: Lines) -> Iterator[ReportTable]:
    """The lines of each word, if there are some."""
    for word in found.words:
        seen = [
            (one.context, line_data(line))
            for relation in found.relations
            for one in relation.collocates
            for line in lines.get((word, one.context), ())
        ]
        if seen:
            yield concord(seen, word)


def _lead(found: Sketch) -> Iterator[str]:
    for word, total in zip(found.words, found.totals, strict=True):
        yield f"{printable(word, width() // 3)}: seen {plural(round(total, 3), 'time')}"


def _notes(found: Sketch, source: str = "") -> Iterator[str]:
    said = "logDice is 14 at most; one more is twice as strong. Totals are those of these counts."
    if found.beside is not None:
        said += " Never seen together counts as 0 where two are compared."
    if found.relations:
        yield said
    if found.least > 1:
        yield f"collocates seen less than {found.least} times are left out (--min)"
    if found.left:
        few = ", ".join(slot or "(no slot)" for slot in found.left[:6])
        more = f" and {len(found.left) - 6} more" if len(found.left) > 6 else ""
        yield f"relations with too little to show: {few}{more} (--share 0 --min 1)"
    if source:
        place, word = shlex.quote(source), shlex.quote(found.word)
        context = next((one.context for r in found.relations for one in r.collocates), "obj:have")
        command = f"roget why {place} {word} --context {shlex.quote(context)}"
        yield f"the lines behind a number: {command}"


def _talk(found: Sketch) -> Iterator[str]:
    if not found.relations:
        yield "no collocate was seen often enough: try --min 1 --share 0"
    if found.beside is not None and max(found.totals) >= FAR * min(found.totals):
        rare = found.words[found.totals.index(min(found.totals))]
        yield (
            f"{rare!r} is seen much less often than the other: that it was not seen with a "
            "collocate says little"
        )


def _block(relation: SketchRelation) -> ReportTable:
    """A small table that stands beside others."""
    rows = _alone(relation.collocates, 0)
    # About as wide as what stands below it.
    room = max([16, *(len(row[0]) for row in rows)])
    title = "\n".join(textwrap.wrap(printable(relation.name), room, break_long_words=False))
    used = f"{format_count(relation.total)}, {relation.share:.0%} of uses"
    return ReportTable([Column(f"{title}\n{used}", fit="cut"), *_SCORED], rows)


def _parts(found: Sketch) -> Iterator[ReportTable]:
    """For each relation what only the one takes, what both, what only the other."""
    one, other = (printable(word, LONGEST) for word in found.words)
    for relation in found.relations:
        both = [
            (printable(c.name, LONGEST), *map(format_count, c.counts), *map(_score, c.scores))
            for c in relation.both
        ]
        titles = (f"{one}\nseen", f"{other}\nseen", "log\nDice", "log\nDice")
        blocks = [
            ReportTable([Column(f"only {one}", fit="cut"), *_SCORED], _alone(relation.only, 0)),
            ReportTable([Column("both", fit="cut"), *Column.numbers(*titles, fit="keep")], both),
            ReportTable([Column(f"only {other}", fit="cut"), *_SCORED], _alone(relation.other, 1)),
        ]
        uses = ", ".join(
            f"{word} {format_count(total)} ({share:.0%} of its uses)"
            for word, total, share in zip((one, other), relation.totals, relation.shares,
                                          strict=True)
        )  # fmt: skip
        title = f"{relation.name}: {uses}"
        for number, table in enumerate(_pack([block for block in blocks if block.rows])):
            yield ReportTable(table.columns, table.rows, "" if number else title)


def _alone(collocates: Sequence[Collocate], at: int) -> list[tuple[str, str, str]]:
    """Collocates as one of the words has them."""
    return [
        (printable(one.name, LONGEST), format_count(one.counts[at]), _score(one.scores[at]))
        for one in collocates
    ]


def _pack(blocks: Iterable[ReportTable]) -> Iterator[ReportTable]:
    """Blocks side by side, as many as fit."""
    beside: list[ReportTable] = []
    for block in blocks:
        needed = sum(sum(one.widths(one.rows, GAP)) for one in (*beside, block))
        if beside and needed > width() + GAP:
            yield _join(beside)
            beside = []
        beside.append(block)
    if beside:
        yield _join(beside)


def _join(blocks: Sequence[ReportTable]) -> ReportTable:
    columns = [column for block in blocks for column in block.columns]
    empty = [("",) * len(block.columns) for block in blocks]
    rows = [
        [cell for row, none in zip(line, empty, strict=True) for cell in row or none]
        for line in zip_longest(*(block.rows for block in blocks))
    ]
    return ReportTable(columns, rows)


def format_count(count: float) -> str:
    """A count with at most one decimal."""
    return f"{round(count, 1):,}"


def _score(score: float | None) -> str:
    return UNDEFINED if score is None else f"{score:.1f}"


def _data(found: Sketch, lines: Lines) -> dict[str, Any]:
    """The sketch, ready for JSON."""
    relations = []
    for one in found.relations:
        head: dict[str, Any] = {"slot": one.slot, "group": one.group, "name": one.name}
        if found.beside is None:
            told = [_tell(collocate, found, lines) for collocate in one.collocates]
            head |= {"total": one.total, "share": one.share, "collocates": told}
        else:
            head |= {"totals": list(one.totals), "shares": list(one.shares)}
            for kind in KINDS:
                head[kind] = [_tell(collocate, found, lines) for collocate in getattr(one, kind)]
        relations.append(head | {"more": one.more})
    first: dict[str, Any] = {"word": found.word, "seen": found.totals[0]}
    if found.beside is not None:
        first = {"words": list(found.words), "seen": list(found.totals)}
    return first | {"min": found.least, "relations": relations, "left": list(found.left)}


def _tell(one: Collocate, found: Sketch, lines: Lines) -> dict[str, Any]:
    told: dict[str, Any] = {"context": one.context, "name": one.name}
    if found.beside is None:
        told |= {"count": one.count, "score": one.score}
    else:
        told |= {"counts": list(one.counts), "scores": list(one.scores)}
        told["difference"] = one.difference
    if lines:
        told["lines"] = {
            word: [line_data(line) for line in lines.get((word, one.context), ())]
            for word in found.words
        }
    return told


def _sheet(found: Sketch) -> ReportTable:
    """One line for each collocate."""
    titles = ["slot", "relation", "collocate", "context", "count", "score"]
    if found.beside is None:
        rows = [
            (relation.slot, relation.name, one.name, one.context, one.count, one.score)
            for relation in found.relations
            for one in relation.collocates
        ]
        return ReportTable.of(titles, rows)
    titles = ["slot", "relation", "taken by", *titles[2:4]]
    titles += [f"{what} {word}" for what in ("count", "score") for word in found.words]
    named = dict(zip(KINDS, (found.word, "both", found.beside), strict=True))
    compared = [
        (relation.slot, relation.name, named[kind], one.name, one.context, *one.counts,
         *one.scores, one.difference)
        for relation in found.relations
        for kind in KINDS
        for one in getattr(relation, kind)
    ]  # fmt: skip
    return ReportTable.of([*titles, "difference"], compared)


def _page(found: Sketch, lines: Lines) -> str:
    from roget.report.render.html import fill_frame

    return fill_frame(
        "roget.report.sketch",
        "page/sketch.html",
        found=found,
        lines=lines,
        kinds=KINDS if found.beside is not None else ("collocates",),
        called=(f"only {found.word}", "both", f"only {found.beside}"),
        lead=[*_lead(found)],
        notes=[*_notes(found)],
        warnings=[*_talk(found)],
        number=format_count,
    )
