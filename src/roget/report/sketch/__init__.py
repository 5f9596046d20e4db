"""Report of `roget sketch`: the sketch of one word, or a comparison of two words."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

from roget.core.counts.evidence import EvidenceLine
from roget.errors import Notice
from roget.learn.usage.sketch import Collocate, Sketch, SketchRelation
from roget.report import Column, Report, ReportTable
from roget.report.contexts import ContextPhrases
from roget.report.format import GAP, UNDEFINED, occurrences, printable, width
from roget.report.why import concord, line_data

LONGEST = 20
"""Maximum width of a collocate."""

FAR = 10
"""Minimum frequency ratio of two words for a warning that the rarer word has few collocates."""

_SCORED = Column.numbers("count", "log\nDice", fit="keep")

KINDS = ("only", "both", "other")
"""Groups of collocates in a comparison: with the first word only, with both words, with the other
only."""

Find = Callable[[str, str], Sequence[EvidenceLine]]
"""A function that returns the example sentences for a word and a context."""

Lines = dict[tuple[str, str], Sequence[EvidenceLine]]
"""Example sentences, keyed by word and context."""


def report(found: Sketch, source: str = "", find: Find | None = None) -> Report:
    """Report the collocates of a word, or of two words compared, by grammatical relation.

    `find` returns the sentences for the concordance, JSON and the page. `source` is the path of
    the thesaurus, for the hint on `roget why`.
    """
    lines = _gather(found, find) if find is not None else {}
    return Report(
        title=f"Sketch of {' and '.join(found.words)}",
        lead=[*_lead(found)],
        tables=[
            *(_pack(map(_block, found.relations)) if found.other is None else _parts(found)),
            *_concord(found, lines),
        ],
        notes=[*_notes(found, source)],
        talk=[*_talk(found)],
        data=_data(found, lines),
        sheet=_sheet(found),
        page=partial(_page, found, lines),
    )


def _gather(found: Sketch, find: Find) -> Lines:
    """Return the example sentences for each word and listed context."""
    return {
        (word, one.context): lines
        for relation in found.relations
        for one in relation.collocates
        for word, count in zip(found.words, one.counts, strict=True)
        if count and (lines := find(word, one.context))
    }


def _concord(found: Sketch, lines: Lines) -> Iterator[ReportTable]:
    """Yield a concordance for each word that has example sentences."""
    contexts = dict.fromkeys(one.context for each in found.relations for one in each.collocates)
    phrase = ContextPhrases.from_names(contexts)
    for word in found.words:
        seen = [
            (phrase(one.context), line_data(line))
            for relation in found.relations
            for one in relation.collocates
            for line in lines.get((word, one.context), ())
        ]
        if seen:
            yield concord(seen, word)


def _lead(found: Sketch) -> Iterator[str]:
    for word, total in zip(found.words, found.totals, strict=True):
        yield f"{printable(word, width() // 3)}: {occurrences(total)}"


def _notes(found: Sketch, source: str = "") -> Iterator[str]:
    text = "logDice: association score of at most 14; each point doubles the strength"
    if found.other is not None:
        text += "; 0 for collocates that do not occur with the word"
    if found.relations:
        yield text
    if found.least > 1:
        yield f"collocates with fewer than {found.least} occurrences are left out (--min)"
    if found.left:
        few = ", ".join(slot or "(no slot)" for slot in found.left[:6])
        more = f" and {len(found.left) - 6} more" if len(found.left) > 6 else ""
        yield f"relations left out as too rare: {few}{more} (show them with --share 0 --min 1)"
    if source:
        place, word = shlex.quote(source), shlex.quote(found.word)
        context = next((one.context for r in found.relations for one in r.collocates), "obj:have")
        command = f"roget why {place} {word} --context {shlex.quote(context)}"
        yield f"to see the sentences of a collocate: {command}"


def _talk(found: Sketch) -> Iterator[str]:
    if not found.relations:
        yield Notice(
            "no collocate is frequent enough; to show more, pass --min 1 --share 0",
            code="too-little-text",
        )
    if found.other is not None and max(found.totals) >= FAR * min(found.totals):
        rare = found.words[found.totals.index(min(found.totals))]
        yield Notice(
            f"{rare!r} is much rarer than the other word, so collocates that are missing for it "
            "mean little",
            code="too-little-text",
        )


def _block(relation: SketchRelation) -> ReportTable:
    """Return the table of one relation's collocates, narrow enough to be placed next to others."""
    rows = _alone(relation.collocates, 0)
    # Wrap the title to about the width of the rows below it.
    room = max([16, *(len(row[0]) for row in rows)])
    title = "\n".join(textwrap.wrap(printable(relation.name), room, break_long_words=False))
    used = f"{format_count(relation.total)}, {relation.share:.0%} of uses"
    return ReportTable([Column(f"{title}\n{used}", fit="cut"), *_SCORED], rows)


def _parts(found: Sketch) -> Iterator[ReportTable]:
    """Yield comparison tables: collocates of the first word only, of both, of the second only."""
    one, other = (printable(word, LONGEST) for word in found.words)
    for relation in found.relations:
        both = [
            (printable(c.name, LONGEST), *map(format_count, c.counts), *map(_score, c.scores))
            for c in relation.both
        ]
        titles = (f"{one}\ncount", f"{other}\ncount", f"{one}\nlogDice", f"{other}\nlogDice")
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
    """Return one row per collocate, with its count and score for the word with index `at`."""
    return [
        (printable(one.name, LONGEST), format_count(one.counts[at]), _score(one.scores[at]))
        for one in collocates
    ]


def _pack(blocks: Iterable[ReportTable]) -> Iterator[ReportTable]:
    """Join tables side by side, as many as fit into the terminal width."""
    packed: list[ReportTable] = []
    for block in blocks:
        needed = sum(sum(one.widths(one.rows, GAP)) for one in (*packed, block))
        if packed and needed > width() + GAP:
            yield _join(packed)
            packed = []
        packed.append(block)
    if packed:
        yield _join(packed)


def _join(blocks: Sequence[ReportTable]) -> ReportTable:
    columns = [column for block in blocks for column in block.columns]
    empty = [("",) * len(block.columns) for block in blocks]
    rows = [
        [cell for row, none in zip(line, empty, strict=True) for cell in row or none]
        for line in zip_longest(*(block.rows for block in blocks))
    ]
    return ReportTable(columns, rows)


def format_count(count: float) -> str:
    """Format a count with at most one decimal."""
    return f"{round(count, 1):,}"


def _score(score: float | None) -> str:
    return UNDEFINED if score is None else f"{score:.1f}"


def _data(found: Sketch, lines: Lines) -> dict[str, Any]:
    """Return the sketch as plain data for JSON."""
    relations = []
    for one in found.relations:
        head: dict[str, Any] = {"slot": one.slot, "group": one.group, "name": one.name}
        if found.other is None:
            listed = [_describe(collocate, found, lines) for collocate in one.collocates]
            head |= {"total": one.total, "share": one.share, "collocates": listed}
        else:
            head |= {"totals": list(one.totals), "shares": list(one.shares)}
            for kind in KINDS:
                listed = getattr(one, kind)
                head[kind] = [_describe(collocate, found, lines) for collocate in listed]
        relations.append(head | {"more": one.more})
    first: dict[str, Any] = {"word": found.word, "seen": found.totals[0]}
    if found.other is not None:
        first = {"words": list(found.words), "seen": list(found.totals)}
    return first | {"min": found.least, "relations": relations, "left": list(found.left)}


def _describe(one: Collocate, found: Sketch, lines: Lines) -> dict[str, Any]:
    facts: dict[str, Any] = {"context": one.context, "name": one.name}
    if found.other is None:
        facts |= {"count": one.count, "score": one.score}
    else:
        facts |= {"counts": list(one.counts), "scores": list(one.scores)}
        facts["difference"] = one.difference
    if lines:
        facts["lines"] = {
            word: [line_data(line) for line in lines.get((word, one.context), ())]
            for word in found.words
        }
    return facts


def _sheet(found: Sketch) -> ReportTable:
    """Return a spreadsheet table with one row per collocate."""
    titles = ["slot", "relation", "collocate", "context", "count", "score"]
    if found.other is None:
        rows = [
            (relation.slot, relation.name, one.name, one.context, one.count, one.score)
            for relation in found.relations
            for one in relation.collocates
        ]
        return ReportTable.of(titles, rows)
    titles = ["slot", "relation", "taken by", *titles[2:4]]
    titles += [f"{what} {word}" for what in ("count", "score") for word in found.words]
    named = dict(zip(KINDS, (found.word, "both", found.other), strict=True))
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
        kinds=KINDS if found.other is not None else ("collocates",),
        called=(f"only {found.word}", "both", f"only {found.other}"),
        lead=[*_lead(found)],
        notes=[*_notes(found)],
        warnings=[*_talk(found)],
        number=format_count,
    )
