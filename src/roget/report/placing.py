"""Reports of `roget place`: candidates for a taxonomy, and tests on hidden words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from roget.learn.placing.holdout import HoldoutResult, PlacementMetrics
from roget.learn.placing.place import Placed, PlacementCandidate
from roget.learn.placing.sheet import Accepted
from roget.report import Column, Report, ReportTable
from roget.report.exports.skos import Address, SkosText, Statements, as_turtle, word_address
from roget.report.format import plural, printable, width
from roget.report.options import is_address

SHOWN = 40
"""Words in the table; files have all."""

WORDS, WAY = 4, 3
"""Known words, and classes on the way from the root, in the table."""

TOP = 5
"""Candidates among which the true class may be, in trials."""

SHEET = (
    "accept", "word", "seen", "score", "class", "id", "path", "words alike", "contexts",
)  # fmt: skip
"""The columns of spreadsheets: what people put into the first is theirs."""

FEW, MOSTLY = 50, 0.5
"""Known words, and the share of classes near by, at which scores are worth little."""

BASE = "urn:x-roget:candidates#"


def report(placed: Placed, source: str, rare: int = 0, least_seen: int = 1) -> Report:
    """The words, the surest first, each with its candidates, one in each line."""
    lines = any(one.lines for one in placed.candidates)
    columns = [
        Column("word", fit="cut"),
        *Column.numbers("seen", "score", fit="keep"),
        Column("class", fit="cut", share=2),
        *([] if lines else [Column("which is in", fit="cut", share=2)]),
        Column("known words that say so", fit="cut", share=3),
        *([Column("for instance", fit="cut", share=4)] if lines else []),
    ]
    rows = [row for some in placed.words[:SHOWN] for row in _rows(some, lines)]
    rest = len(placed.words) - SHOWN
    return Report(
        title=f"Candidates for {source}",
        lead=list(_lead(placed, source, rare, least_seen)),
        tables=[ReportTable(columns, rows)] if rows else [],
        notes=[f"and {plural(rest, 'word')} more (-o FILE, --format json)"] * (rest > 0),
        data={
            "taxonomy": source,
            "known": placed.known,
            "steps": placed.steps,
            "rare": rare,
            "left_out": list(placed.left_out),
            "candidates": [_data(one) for one in placed.candidates],
        },
        sheet=ReportTable.of(SHEET, [_cells(one) for one in placed.candidates]),
    )


def _lead(placed: Placed, source: str, rare: int, least_seen: int) -> Iterator[str]:
    near = f"within {plural(placed.steps, 'step')} of" if placed.steps else "at"
    yield (
        f"{plural(len(placed.words), 'word')} of the corpus that {source} lacks, placed by "
        f"{plural(placed.known, 'word')} that it has"
    )
    yield f"  scores are the probability that the class is {near} a true one"
    if rare:
        yield f"  left out, seen less than {plural(least_seen, 'time')}: {plural(rare, 'word')}"
    if placed.left_out:
        named = ", ".join(printable(word, width() // 4) for word in placed.left_out[:3])
        more = ", …" if len(placed.left_out) > 3 else ""
        lost = f"{plural(len(placed.left_out), 'word')} ({named}{more})"
        if placed.least > 0:
            yield f"  left out, nothing as likely as {placed.least:g}: {lost}; --least 0 shows more"
        else:
            yield (
                f"  left out, no class speaks for them more than for any word: {lost}; "
                "--format json names them, and only more text of them helps"
            )


def doubt(placed: Placed) -> Iterator[str]:
    """Why scores may be worth little."""
    if placed.tried < FEW:
        yield (
            f"scores are rough: learnt from {plural(placed.tried, 'word')} that the two have "
            "in common; the order of candidates does not depend on it"
        )
    if placed.steps and placed.near > MOSTLY:
        other = " or ".join(f"--steps {far}" for far in range(placed.steps))
        yield (
            f"{placed.near:.0%} of classes are within {plural(placed.steps, 'step')} of a word's "
            f"own, by chance: scores tell little; {other} tells more"
        )


def _rows(some: tuple[PlacementCandidate, ...], lines: bool) -> Iterator[tuple[str, ...]]:
    first = some[0].word, f"{some[0].seen:,.15g}"
    for one in some:
        said = ", ".join(dict.fromkeys(speaker.word for speaker in one.reasons[:WORDS]))
        above = [] if lines else [" › ".join(one.path[-WAY:-1])]
        row = (*first, f"{one.score:.2f}", one.label, *above, said)
        shown = one.lines[0] if one.lines and first[0] else None
        text = "" if shown is None else f"{shown.left[-30:]}{shown.keyword}{shown.right}"
        yield (*row, " ".join(text.split())) if lines else row
        first = "", ""


def _data(one: PlacementCandidate) -> dict[str, Any]:
    lines = [
        {"source": line.source, "line": line.line, "text": line.text, "context": line.pair[1]}
        for line in one.lines
    ]
    reasons = [speaker._asdict() for speaker in one.reasons]
    lists = {"path": list(one.path), "contexts": list(one.contexts)}
    return one._asdict() | lists | {"reasons": reasons, "lines": lines}


def _cells(one: PlacementCandidate) -> tuple[Any, ...]:
    said = "; ".join(
        f"{speaker.word} ({speaker.by} {speaker.alike:.1f})" for speaker in one.reasons
    )
    facts = (one.word, one.seen, one.score, one.label, one.id)
    return ("", *facts, " › ".join(one.path), said, "; ".join(one.contexts))


def trial(found: HoldoutResult, source: str) -> Report:
    """How near hidden words came to their classes, beside the nearest known word's."""
    titles = ("way", "at it", "≤ 1", "≤ 2", "at it, top 5", "≤ 2, top 5", "MRR", "95 %")
    rows = [_way(one, found.steps) for one in found.ways]
    ours, first = (found.ways[at].share(found.steps).mean or 0.0 for at in (0, -2))
    ratio = [f"{ours / first:.1f} times the nearest word's first sense, at {found.steps} steps"]
    scores = [
        (f"{one.low:.1f}–{one.high:.1f}", f"{one.words:,}", f"{one.score:.2f}", f"{one.right:.2f}")
        for one in found.bins
    ]
    data = {
        "taxonomy": source,
        "hidden": len(found.words),
        "known": found.known,
        "steps": found.steps,
        "seed": found.seed,
        "ways": [_facts(one) for one in found.ways],
        "scores": [one._asdict() for one in found.bins],
    }
    return Report(
        title=f"Hidden words of {source}",
        lead=[
            f"{plural(len(found.words), 'word')} of {source} hidden, with all words they are "
            f"a part of, and placed by {plural(found.known, 'word')}",
            "  shares of words whose first candidate is at a true class, or ≤ 1 or 2 steps from it",
            f"  95 %: the interval of those ≤ {found.steps} steps from it",
        ],
        tables=[
            ReportTable.of(titles, rows, titles[1:]),
            ReportTable.of(
                ("score", "words", "mean score", "right"),
                scores,
                ("words", "mean score", "right"),
                title="What scores are worth",
            ),
        ],
        notes=ratio if first else [],
        signature=f"seed:{found.seed}|hidden:{len(found.words)}|steps:{found.steps}",
        data=data,
        sheet=ReportTable.of(
            _facts(found.ways[0]).keys(), [[*_facts(one).values()] for one in found.ways]
        ),
    )


def _way(one: PlacementMetrics, steps: int) -> tuple[str, ...]:
    firsts = [one.share(far).mean for far in range(3)]
    tops = [one.share(far, TOP).mean for far in (0, 2)]
    sure = one.share(steps)
    shares = [f"{share:.3f}" for share in (*firsts, *tops, one.reciprocal_rank)]
    return (one.name, *shares, f"{sure.low:.3f}–{sure.high:.3f}")


def _facts(one: PlacementMetrics) -> dict[str, Any]:
    facts: dict[str, Any] = {"way": one.name}
    for steps, name in enumerate(("at", "within_1", "within_2")):
        share = one.share(steps)
        facts |= {name: share.mean, f"{name}_low": share.low, f"{name}_high": share.high}
    facts |= {
        f"top_{TOP}_at": one.share(0, TOP).mean,
        f"top_{TOP}_within_2": one.share(2, TOP).mean,
    }
    return facts | {"reciprocal_rank": one.reciprocal_rank}


def statements(placed: Placed, language: str | None) -> Iterator[tuple[Address, Statements]]:
    """Each word as a concept below its best candidate, with scores and reasons of all.

    Classes are called by their own addresses, or by ours with a label, where the file has none.
    """
    named: dict[str, str] = {}
    for some in placed.words:
        best = some[0]
        named[best.id] = best.label
        facts: Statements = [
            ("rdf:type", "skos:Concept"),
            ("roget:status", "roget:candidate"),
            ("skos:prefLabel", SkosText(best.word, language)),
            ("skos:broader", class_of(best.id)),
            *(("skos:editorialNote", SkosText(_note(one), "en")) for one in some),
        ]
        yield word_address(BASE, best.word), facts
    yield from _classes(named, language)


def _classes(
    named: Mapping[str, str], language: str | None
) -> Iterator[tuple[Address, Statements]]:
    """Classes with their labels, as far as they have no addresses of their own."""
    for id, label in named.items():
        if not is_address(id):
            yield (
                class_of(id),
                [("rdf:type", "skos:Concept"), ("skos:prefLabel", SkosText(label, language))],
            )


def class_of(id: str) -> Address:
    """The address of a class: its own, or one of ours that spells what it is known by."""
    return Address(id if is_address(id) else f"{BASE}class-{quote(id, safe='')}")


def _note(one: PlacementCandidate) -> str:
    said = ", ".join(dict.fromkeys(speaker.word for speaker in one.reasons))
    seen = f"; contexts: {', '.join(one.contexts)}" if one.contexts else ""
    below = f"candidate below {one.label} ({class_of(one.id).iri})"
    return f"{below}, score {one.score:.2f}; like: {said}{seen}"


def turtle(placed: Placed, language: str | None = None) -> Iterator[str]:
    """The candidates as SKOS in Turtle, to be loaded beside the taxonomy."""
    return as_turtle(statements(placed, language))


def accepted(found: Iterable[Accepted], language: str | None = None) -> Iterator[str]:
    """What people accepted as SKOS in Turtle: each word a concept below its classes."""
    named: dict[str, str] = {}
    words: dict[str, list[Address]] = {}
    for one in found:
        named[one.id] = one.label
        words.setdefault(one.word, []).append(class_of(one.id))

    def concepts() -> Iterator[tuple[Address, Statements]]:
        for word, classes in words.items():
            about: Statements = [
                ("rdf:type", "skos:Concept"),
                ("skos:prefLabel", SkosText(word, language)),
                *(("skos:broader", above) for above in dict.fromkeys(classes)),
            ]
            yield word_address(BASE, word), about
        yield from _classes(named, language)

    return as_turtle(concepts())
