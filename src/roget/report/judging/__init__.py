"""What people say of a thesaurus: `roget judge ratings`, `sheet` and `answers`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from roget.core.intervals import Interval
from roget.core.store import check_file, write_atomic
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.evaluation.answers import (
    VERDICTS,
    AgreementShare,
    AnswerLine,
    Judgement,
    tabulate_key,
    tabulate_sheet,
)
from roget.learn.evaluation.ratings import BASELINE, TREE, Correlation, Ratings
from roget.learn.evaluation.sheets import INTRUSION, MADE_UP, QuestionSheet
from roget.report import Column, Report, ReportTable
from roget.report.format import UNDEFINED, ends, number, plural
from roget.report.render.data import render_csv
from roget.report.render.html import fill

FEW = 30
"""Pairs, or lines, with fewer of which little can be said."""

LINES = 12
"""Lines that are told in text; data and sheets have all."""

NAMED = 8
"""Words that are named of those that are missing."""

BYTE_ORDER = "\ufeff"
"""What spreadsheets know UTF-8 by."""

WAYS = {TREE: "smallest class of both"}
"""What ways to compare words are called, if not by their own names."""


def report_ratings(found: Ratings) -> Report:
    """ρ of each way to compare words, beside the baseline, and the pairs that are most at odds."""
    rows = [_row(one) for one in found.rows]
    columns = [
        Column("by"),
        Column("Spearman", right=True),
        Column("95 %", fit="keep"),
        Column(f"above {BASELINE}", right=True),
        Column("95 %", fit="keep"),
    ]
    table = ReportTable(columns, rows, above=len(rows) - 1)
    odd = [
        (one.word, one.other, f"{one.rating:g}", f"{one.similarity:.2f}", f"{one.rank:,.0f}",
         f"{one.own_rank:,.0f}")
        for one in found.odd
    ]  # fmt: skip
    titles = ("word", "other", "rating", "alike", "people’s rank", "ours")
    tables = [table]
    if odd:
        title = f"most at odds with people, of {plural(found.known, 'pair')}"
        tables.append(ReportTable.of(titles, odd, titles[2:], "cut", title=title))
    return Report(
        title="Similarities and people’s ratings",
        lead=[
            f"{found.known:,} of {plural(found.pairs, 'pair')} ({found.coverage:.0%}) have both "
            "words in the thesaurus",
        ],
        tables=tables,
        notes=_note_ratings(found),
        warnings=_warn_ratings(found),
        data={
            "pairs": found.pairs, "known": found.known, "coverage": found.coverage,
            "draws": found.draws, "seed": found.seed,
            "missing": list(found.missing), "unsure": list(found.unsure),
            "rows": [_as_data(one) for one in found.rows],
            "odd": [one._asdict() for one in found.odd],
        },
        sheet=ReportTable.of(
            ("by", "spearman", "low", "high", "above", "above_low", "above_high"),
            [(*_as_data(one).values(),) for one in found.rows],
        ),
    )  # fmt: skip


def _row(one: Correlation) -> tuple[str, ...]:
    named = WAYS.get(one.way, one.way)
    above = one.above or Interval(None)
    shown = "" if one.above is None else number(above.mean, "+")
    rho = one.rho
    return named, number(rho.mean), ends(rho.low, rho.high), shown, ends(above.low, above.high, "+")


def _as_data(one: Correlation) -> dict[str, Any]:
    above = one.above or Interval(None)
    values = (one.rho.mean, one.rho.low, one.rho.high, above.mean, above.low, above.high)
    names = ("spearman", "low", "high", "above", "above_low", "above_high")
    return {"by": one.way, **dict(zip(names, values, strict=True))}


def _note_ratings(found: Ratings) -> list[str]:
    notes = [
        "ranks are from 1, the most alike; ours are those of "
        f"“{WAYS.get(found.rows[0].way, found.rows[0].way)}”, as `roget neighbours` has it"
    ] * bool(found.odd)
    for words, what in ((found.missing, "not there"), (found.unsure, "set aside as unsure")):
        if words:
            named = ", ".join(words[:NAMED]) + (", …" if len(words) > NAMED else "")
            notes.append(f"{plural(len(words), 'word')} {what}: {named}")
    return notes


def _warn_ratings(found: Ratings) -> list[str]:
    warnings = []
    if found.known < FEW:
        warnings.append(f"{plural(found.known, 'pair')}: too few for more than a hint")
    if found.coverage < 0.5:
        warnings.append(
            f"{found.coverage:.0%} of the pairs are known: do not compare with values on all pairs"
        )
    return warnings


# Sheets -----------------------------------------------------------------------------------------


def name_files(output: PathLike, key: PathLike | None = None) -> tuple[Path, Path, Path]:
    """The files of a sheet: its table, its page and its key, all of which can be written.

    >>> [path.name for path in name_files("sheet.csv")]
    ['sheet.csv', 'sheet.html', 'sheet.key.csv']
    """
    table = Path(output)
    if table.suffix.lower() != ".csv":
        raise InputError(f"{output}: expected a name that ends in .csv")
    paths = table, table.with_suffix(".html"), Path(key or table.with_suffix(".key.csv"))
    if paths[2].suffix.lower() != ".csv" or paths[2] == table:
        raise InputError(f"{paths[2]}: expected a name of its own that ends in .csv")
    for path in paths:
        check_file(path)
    return paths


def write_sheet(sheet: QuestionSheet, output: PathLike, key: PathLike | None = None) -> list[Path]:
    """Write the table that people fill in, a page of it to print, and the key."""
    paths = name_files(output, key)
    texts = (_as_csv(tabulate_sheet(sheet)), draw_page(sheet), _as_csv(tabulate_key(sheet)))
    for path, text in zip(paths[::2], texts[::2], strict=True):
        if path.exists() and path.read_bytes() != text.encode("utf-8"):
            raise InputError(
                f"{path}: is there already, and people may have worked with it; name another, or "
                "remove it"
            )
    for path, text in zip(paths, texts, strict=True):
        write_atomic(path, text)
    return [*paths]


def _as_csv(table: tuple[Sequence[str], Iterable[Sequence[object]]]) -> str:
    return BYTE_ORDER + render_csv(Report("", sheet=ReportTable.of(*table)))


def draw_page(sheet: QuestionSheet) -> str:
    """The page to print: numbered lines, and boxes to tick."""
    return fill(
        "roget.report.judging",
        "page/sheet.html",
        intrusion=sheet.kind == INTRUSION,
        questions=sheet.questions,
        verdicts=VERDICTS,
    )


def report_sheet(sheet: QuestionSheet, paths: Sequence[Path]) -> Report:
    """What was written."""
    facts = {
        "kind": sheet.kind,
        "lines": len(sheet.questions),
        **dict(zip(("sheet", "page", "key"), map(str, paths), strict=True)),
    }
    return Report.of("QuestionSheet", facts)


# Answers ----------------------------------------------------------------------------------------


def report_answers(found: Judgement) -> Report:
    """Who found how much, how far people agree, and the lines that were found least."""
    lines = sorted(found.lines(), key=lambda one: (_rate(one), one.question.line))
    known = [one for one in lines if one.answered and one.question.answer != MADE_UP]
    shares, lead = _found(found) if found.kind == INTRUSION else _read(found)
    rest = len(known) - LINES
    return Report(
        title="Intruders found" if found.kind == INTRUSION else "Classes read",
        lead=[*lead, *_agreement(found)],
        tables=[shares, _lines(found, known[:LINES])],
        notes=[f"and {plural(rest, 'more line')}: all are in JSON and CSV"] * (rest > 0),
        warnings=_warn_answers(found, len(known)),
        data=_judgement_data(found, lines),
        sheet=_line_sheet(lines),
    )


def _rate(one: AnswerLine) -> float:
    return one.right / one.answered if one.answered else 2.0


def _found(found: Judgement) -> tuple[ReportTable, list[str]]:
    shares = found.share_found()
    whole = shares[-1]
    lead = (
        f"{plural(len(found.questions), 'line')}, {plural(len(found.people), 'annotator')}: "
        f"{whole.share:.0%} of intruders found (95 % interval {whole.low:.0%} to "
        f"{whole.high:.0%}); guessing finds {found.chance:.0%}"
    )
    columns = ("annotator", "found", "of", "share", "95 %")
    rows = [(one.who, f"{one.right:.4g}", f"{one.items:,}", *_percents(one)) for one in shares]
    return ReportTable.of(columns, rows, columns[1:4]), [lead]


def _read(found: Judgement) -> tuple[ReportTable, list[str]]:
    rows: dict[tuple[bool, str], list[str]] = {}
    lead = []
    for made_up, verdict, shares in found.verdicts():
        for one in shares:
            first = ["made up" if made_up else "classes", one.who, f"{one.items:,}"]
            rows.setdefault((made_up, one.who), first).append(" ".join(_percents(one)))
        if verdict == VERDICTS[0] and shares:
            whole, of = shares[-1], "made up" if made_up else "of classes"
            lead.append(
                f"{whole.share:.0%} of {plural(whole.items, 'line')} {of} were found {verdict} "
                f"(95 % interval {whole.low:.0%} to {whole.high:.0%})"
            )
    return ReportTable.of(("lines", "annotator", "of", *VERDICTS), [*rows.values()], ("of",)), lead


def _percents(one: AgreementShare) -> tuple[str, str]:
    return f"{one.share:.0%}", f"[{one.low:.0%}, {one.high:.0%}]"


def _agreement(found: Judgement) -> list[str]:
    if found.agreement is None:
        return []
    alpha = UNDEFINED if found.alpha is None else f"{found.alpha:.2f}"
    return [
        f"two annotators say the same of a line in {found.agreement:.0%} of cases "
        f"(Krippendorff’s α {alpha})"
    ]


def _lines(found: Judgement, lines: Sequence[AnswerLine]) -> ReportTable:
    is_intrusion = found.kind == INTRUSION
    title = "found least" if is_intrusion else "found coherent least"
    columns = [
        *Column.numbers("line", "found" if is_intrusion else "coherent", fit="keep"),
        Column("class", fit="cut", share=3),
        *([Column("intruder", fit="cut", share=2)] if is_intrusion else []),
        Column("said", fit="cut", share=3),
    ]
    rows = [
        (
            str(one.question.line),
            f"{one.right}/{one.answered}",
            one.question.label,
            *([one.question.answer] if is_intrusion else []),
            _said(one),
        )
        for one in lines
    ]
    return ReportTable(columns, rows, title=title)


def _said(one: AnswerLine) -> str:
    return ", ".join(text if n == 1 else f"{text} {n}" for text, n in one.said)


def _warn_answers(found: Judgement, known: int) -> list[str]:
    warnings = []
    for name, answered in zip(found.people, found.answered, strict=True):
        if blank := int((~answered).sum()):
            said = "all" if blank == answered.size else f"{blank} of {answered.size}"
            warnings.append(f"{name} left {said} lines without an answer: they are not counted")
    if known < FEW:
        warnings.append(f"{plural(known, 'class')} judged: too few for more than a hint")
    return warnings


def _judgement_data(found: Judgement, lines: Iterable[AnswerLine]) -> dict[str, Any]:
    shared: dict[str, Any]
    if found.kind == INTRUSION:
        shared = {"chance": found.chance, "found": [one._asdict() for one in found.share_found()]}
    else:
        shared = {
            "verdicts": [
                {"made_up": made_up, "verdict": verdict, **one._asdict()}
                for made_up, verdict, shares in found.verdicts()
                for one in shares
            ]
        }
    return {
        "kind": found.kind,
        "lines": len(found.questions),
        "annotators": list(found.people),
        **shared,
        "agreement": found.agreement,
        "alpha": found.alpha,
        "classes": [
            {
                **one.question._asdict(), "words": list(one.question.words),
                "answered": one.answered, "right": one.right, "said": dict(one.said),
            }
            for one in sorted(lines, key=lambda one: one.question.line)
        ],
    }  # fmt: skip


def _line_sheet(lines: Iterable[AnswerLine]) -> ReportTable:
    titles = ("line", "node", "class", "answer", "answered", "right", "said", "words")
    rows = [
        (
            one.question.line, one.question.node, one.question.label, one.question.answer,
            one.answered, one.right, _said(one), ", ".join(one.question.words),
        )
        for one in lines
    ]  # fmt: skip
    return ReportTable.of(titles, rows)
