"""Reports of `roget judge`: similarity ratings, question sheets and their answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from roget.core.intervals import Interval
from roget.core.store import check_file, write_atomic
from roget.core.types import PathLike
from roget.errors import InputError, Notice
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
"""Number of pairs or lines below which a warning is shown."""

LINES = 12
"""Maximum number of lines in plain text. JSON and CSV contain all lines."""

NAMED = 8
"""Maximum number of missing words listed by name."""

BYTE_ORDER = "\ufeff"
"""Byte-order mark, from which spreadsheet programs recognise UTF-8."""

WAYS = {TREE: "smallest class of both"}
"""Display names of similarities, where they differ from the option values."""


def report_ratings(found: Ratings) -> Report:
    """Report Spearman's ρ between ratings and each similarity, and the largest disagreements."""
    rows = [_row(one) for one in found.rows]
    columns = [
        Column("by"),
        Column("Spearman", right=True),
        Column("95 % interval", fit="keep"),
        Column(f"above {BASELINE}", right=True),
        Column("95 % interval", fit="keep"),
    ]
    table = ReportTable(columns, rows, above=len(rows) - 1)
    odd = [
        (one.word, one.other, f"{one.rating:g}", f"{one.similarity:.2f}", f"{one.rank:,.0f}",
         f"{one.own_rank:,.0f}")
        for one in found.odd
    ]  # fmt: skip
    titles = ("word", "other", "rating", "similarity", "rank by rating", "rank by similarity")
    tables = [table]
    if odd:
        title = f"largest disagreements, of {plural(found.known, 'pair')}"
        tables.append(ReportTable.of(titles, odd, titles[2:], "cut", title=title))
    return Report(
        title="Similarities compared with human ratings",
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
        "rank 1 is the most similar pair; ranks by similarity refer to "
        f"“{WAYS.get(found.rows[0].way, found.rows[0].way)}”, as in `roget neighbours`"
    ] * bool(found.odd)
    for words, what in (
        (found.missing, "not in the thesaurus"),
        (found.unsure, "excluded from the thesaurus as uncertain"),
    ):
        if words:
            listed = ", ".join(words[:NAMED]) + (", …" if len(words) > NAMED else "")
            notes.append(f"{plural(len(words), 'word')} {what}: {listed}")
    return notes


def _warn_ratings(found: Ratings) -> list[str]:
    warnings: list[str] = []
    if found.known < FEW:
        text = (
            f"the correlation is unreliable, because there are only {plural(found.known, 'pair')}"
        )
        warnings.append(Notice(text, code="too-little-text"))
    if found.coverage < 0.5:
        text = (
            f"only {found.coverage:.0%} of the pairs are in the thesaurus; do not compare the "
            "result with results on all pairs"
        )
        warnings.append(Notice(text, code="unknown-word"))
    return warnings


# Sheets -----------------------------------------------------------------------------------------


def name_files(output: PathLike, key: PathLike | None = None) -> tuple[Path, Path, Path]:
    """Check and return a question sheet's paths: the table, the printable page and the answer key.

    >>> [path.name for path in name_files("sheet.csv")]
    ['sheet.csv', 'sheet.html', 'sheet.key.csv']
    """
    table = Path(output)
    if table.suffix.lower() != ".csv":
        raise InputError(
            f"{output}: unsupported suffix; the sheet must be a .csv file",
            code="unsupported-format",
        )
    paths = table, table.with_suffix(".html"), Path(key or table.with_suffix(".key.csv"))
    if paths[2].suffix.lower() != ".csv" or paths[2] == table:
        raise InputError(
            f"{paths[2]}: the key must be a .csv file other than the sheet", code="invalid-option"
        )
    for path in paths:
        check_file(path)
    return paths


def write_sheet(sheet: QuestionSheet, output: PathLike, key: PathLike | None = None) -> list[Path]:
    """Write the table for the annotators, a printable page, and the answer key."""
    paths = name_files(output, key)
    texts = (_as_csv(tabulate_sheet(sheet)), draw_page(sheet), _as_csv(tabulate_key(sheet)))
    for path, text in zip(paths[::2], texts[::2], strict=True):
        if path.exists() and path.read_bytes() != text.encode("utf-8"):
            raise InputError(
                f"{path} already exists and may contain answers; choose another name or remove it",
                code="not-writable",
            )
    for path, text in zip(paths, texts, strict=True):
        write_atomic(path, text)
    return [*paths]


def _as_csv(table: tuple[Sequence[str], Iterable[Sequence[object]]]) -> str:
    return BYTE_ORDER + render_csv(Report("", sheet=ReportTable.of(*table)))


def draw_page(sheet: QuestionSheet) -> str:
    """Return the printable page: numbered lines with boxes to tick."""
    return fill(
        "roget.report.judging",
        "page/sheet.html",
        intrusion=sheet.kind == INTRUSION,
        questions=sheet.questions,
        verdicts=VERDICTS,
    )


def report_sheet(sheet: QuestionSheet, paths: Sequence[Path]) -> Report:
    """Report the kind, the number of lines and the files of a sheet."""
    facts = {
        "kind": sheet.kind,
        "lines": len(sheet.questions),
        **dict(zip(("sheet", "page", "key"), map(str, paths), strict=True)),
    }
    return Report.of("Question sheet", facts)


# Answers ----------------------------------------------------------------------------------------


def report_answers(found: Judgement) -> Report:
    """Report each annotator's results, the agreement, and the most difficult lines."""
    lines = sorted(found.lines(), key=lambda one: (_rate(one), one.question.line))
    known = [one for one in lines if one.answered and one.question.answer != MADE_UP]
    shares, lead = _found(found) if found.kind == INTRUSION else _read(found)
    rest = len(known) - LINES
    return Report(
        title="Intruders found" if found.kind == INTRUSION else "Classes judged",
        lead=[*lead, *_agreement(found)],
        tables=[shares, _lines(found, known[:LINES])],
        notes=[f"and {plural(rest, 'more line')} (JSON and CSV contain all lines)"] * (rest > 0),
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
        f"{whole.high:.0%}); expected by guessing: {found.chance:.0%}"
    )
    columns = ("annotator", "found", "of", "share", "95 % interval")
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
                f"{whole.share:.0%} of {plural(whole.items, 'line')} {of} were judged {verdict} "
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
        f"two annotators give the same answer in {found.agreement:.0%} of cases "
        f"(Krippendorff’s α {alpha})"
    ]


def _lines(found: Judgement, lines: Sequence[AnswerLine]) -> ReportTable:
    is_intrusion = found.kind == INTRUSION
    title = "least often found" if is_intrusion else "least often judged coherent"
    columns = [
        *Column.numbers("line", "found" if is_intrusion else "coherent", fit="keep"),
        Column("class", fit="cut", share=3),
        *([Column("intruder", fit="cut", share=2)] if is_intrusion else []),
        Column("answers", fit="cut", share=3),
    ]
    rows = [
        (
            str(one.question.line),
            f"{one.right}/{one.answered}",
            one.question.label,
            *([one.question.answer] if is_intrusion else []),
            _list_answers(one),
        )
        for one in lines
    ]
    return ReportTable(columns, rows, title=title)


def _list_answers(one: AnswerLine) -> str:
    return ", ".join(text if n == 1 else f"{text} {n}" for text, n in one.answers)


def _warn_answers(found: Judgement, known: int) -> list[str]:
    warnings: list[str] = []
    for name, answered in zip(found.people, found.answered, strict=True):
        if blank := int((~answered).sum()):
            part = "all" if blank == answered.size else f"{blank} of {answered.size}"
            text = f"{name} left {part} lines without an answer; they are not counted"
            warnings.append(Notice(text, code="empty-field"))
    if known < FEW:
        text = f"the shares are unreliable, because only {plural(known, 'class')} were judged"
        warnings.append(Notice(text, code="too-little-text"))
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
                "answered": one.answered, "right": one.right, "said": dict(one.answers),
            }
            for one in sorted(lines, key=lambda one: one.question.line)
        ],
    }  # fmt: skip


def _line_sheet(lines: Iterable[AnswerLine]) -> ReportTable:
    titles = ("line", "node", "class", "answer", "answered", "right", "said", "words")
    rows = [
        (
            one.question.line, one.question.node, one.question.label, one.question.answer,
            one.answered, one.right, _list_answers(one), ", ".join(one.question.words),
        )
        for one in lines
    ]  # fmt: skip
    return ReportTable.of(titles, rows)
