"""Reports of `roget place`: candidates for a taxonomy, and tests on hidden words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from roget.errors import Notice
from roget.learn.placing.holdout import HoldoutResult, PlacementMetrics
from roget.learn.placing.place import Placed, PlacementCandidate
from roget.learn.placing.sheet import Accepted
from roget.report import Column, Report, ReportTable
from roget.report.exports.skos import Address, SkosText, Statements, as_turtle, word_address
from roget.report.format import plural, printable, width
from roget.report.options import is_address

SHOWN = 40
"""Maximum number of words in plain text. Files contain all words."""

WORDS = 4
"""Maximum number of supporting words shown in the text table."""

WAY = 3
"""Maximum number of superclasses shown in the text table."""

TOP = 5
"""Number of candidates per word that count in a test on hidden words."""

SHEET = (
    "accept", "word", "seen", "score", "class", "id", "path", "similar words", "contexts",
)  # fmt: skip
"""Spreadsheet columns. The first column is empty, for users to mark accepted candidates."""

FEW, MOSTLY = 50, 0.5
"""Thresholds for warnings.

`FEW` is the minimum number of words for calibrating the scores. `MOSTLY` is the maximum fraction of
classes that may lie near a correct class, and so count as correct by chance.
"""

BASE = "urn:x-roget:candidates#"


def report(placed: Placed, source: str, rare: int = 0, least_seen: int = 1) -> Report:
    """Report the placed words, largest votes first, with one candidate class per row."""
    lines = any(one.lines for one in placed.candidates)
    columns = [
        Column("word", fit="cut"),
        *Column.numbers("seen", "score", fit="keep"),
        Column("class", fit="cut", share=2),
        *([] if lines else [Column("superclasses", fit="cut", share=2)]),
        Column("supporting words", fit="cut", share=3),
        *([Column("example", fit="cut", share=4)] if lines else []),
    ]
    rows = [row for some in placed.words[:SHOWN] for row in _rows(some, lines)]
    rest = len(placed.words) - SHOWN
    return Report(
        title=f"Candidates for {source}",
        lead=list(_lead(placed, source, rare, least_seen)),
        tables=[ReportTable(columns, rows)] if rows else [],
        notes=[f"and {plural(rest, 'more word')} (-o FILE or --format json contains all)"]
        * (rest > 0),
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
        f"{plural(len(placed.words), 'word')} of the corpus missing from {source}, placed by "
        f"{plural(placed.known, 'word')} in both"
    )
    yield f"  score: probability that the class is {near} a correct class"
    if rare:
        yield (
            f"  left out because of fewer than {plural(least_seen, 'occurrence')}: "
            f"{plural(rare, 'word')}"
        )
    if placed.left_out:
        named = ", ".join(printable(word, width() // 4) for word in placed.left_out[:3])
        more = ", …" if len(placed.left_out) > 3 else ""
        lost = f"{plural(len(placed.left_out), 'word')} ({named}{more})"
        if placed.least > 0:
            yield (
                f"  left out because no score is at least {placed.least:g}: {lost}; --least 0 "
                "shows more"
            )
        else:
            yield (
                f"  left out because no class has more support than for an average word: {lost}; "
                "--format json lists them"
            )


def warn_scores(placed: Placed) -> Iterator[str]:
    """Yield the reasons why the scores are unreliable."""
    if placed.tried < FEW:
        yield Notice(
            "scores are approximate, because they are calibrated on only "
            f"{plural(placed.tried, 'word')} that corpus and taxonomy have in common; the order "
            "of candidates is not affected",
            code="too-little-text",
        )
    if placed.steps and placed.near > MOSTLY:
        other = " or ".join(f"--steps {far}" for far in range(placed.steps))
        yield (
            f"scores are high by chance: {placed.near:.0%} of all classes are within "
            f"{plural(placed.steps, 'step')} of a correct one; use {other}"
        )


def _rows(some: tuple[PlacementCandidate, ...], lines: bool) -> Iterator[tuple[str, ...]]:
    first = some[0].word, f"{some[0].seen:,.15g}"
    for one in some:
        support = ", ".join(dict.fromkeys(word.word for word in one.reasons[:WORDS]))
        above = [] if lines else [" › ".join(one.path[-WAY:-1])]
        row = (*first, f"{one.score:.2f}", one.label, *above, support)
        shown = one.lines[0] if one.lines and first[0] else None
        text = "" if shown is None else f"{shown.left[-30:]}{shown.keyword}{shown.right}"
        yield (*row, " ".join(text.split())) if lines else row
        first = "", ""


def _data(one: PlacementCandidate) -> dict[str, Any]:
    lines = [
        {"source": line.source, "line": line.line, "text": line.text, "context": line.pair[1]}
        for line in one.lines
    ]
    reasons = [word._asdict() for word in one.reasons]
    lists = {"path": list(one.path), "contexts": list(one.contexts)}
    return one._asdict() | lists | {"reasons": reasons, "lines": lines}


def _cells(one: PlacementCandidate) -> tuple[Any, ...]:
    support = "; ".join(f"{word.word} ({word.by} {word.alike:.1f})" for word in one.reasons)
    facts = (one.word, one.seen, one.score, one.label, one.id)
    return ("", *facts, " › ".join(one.path), support, "; ".join(one.contexts))


def report_test(found: HoldoutResult, source: str) -> Report:
    """Report how close hidden words are placed to their true classes, compared with baselines."""
    titles = ("method", "exact", "≤ 1", "≤ 2", "exact, top 5", "≤ 2, top 5", "MRR", "95 % interval")
    rows = [_way(one, found.steps) for one in found.ways]
    ours, first = (found.ways[at].share(found.steps).mean or 0.0 for at in (0, -2))
    notes = ["MRR: mean reciprocal rank of the first correct class"]
    if first:
        notes.append(
            f"{ours / first:.1f} times as many words as by the nearest word's first sense, within "
            f"{plural(found.steps, 'step')}"
        )
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
            f"{plural(len(found.words), 'word')} of {source} hidden, with all terms that contain "
            f"them, and placed by {plural(found.known, 'word')}",
            "  share of words whose first candidate is a correct class (exact), or at most 1 or 2 "
            "steps from one",
            f"  95 % interval: for the share within {plural(found.steps, 'step')}",
        ],
        tables=[
            ReportTable.of(titles, rows, titles[1:]),
            ReportTable.of(
                ("score", "words", "mean score", "correct"),
                scores,
                ("words", "mean score", "correct"),
                title="calibration of the scores",
            ),
        ],
        notes=notes,
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
    """Yield each word as a SKOS concept below its best candidate class, with all scores as notes.

    Classes keep their IRIs. A class without an IRI gets an IRI and a label.
    """
    named: dict[str, str] = {}
    for some in placed.words:
        best = some[0]
        named[best.id] = best.label
        facts: Statements = [
            ("rdf:type", "skos:Concept"),
            ("roget:status", "roget:candidate"),
            ("skos:prefLabel", SkosText(best.word, language)),
            ("skos:broader", class_address(best.id)),
            *(("skos:editorialNote", SkosText(_note(one), "en")) for one in some),
        ]
        yield word_address(BASE, best.word), facts
    yield from _classes(named, language)


def _classes(
    named: Mapping[str, str], language: str | None
) -> Iterator[tuple[Address, Statements]]:
    """Yield SKOS statements that label the classes without an IRI in the taxonomy."""
    for id, label in named.items():
        if not is_address(id):
            yield (
                class_address(id),
                [("rdf:type", "skos:Concept"), ("skos:prefLabel", SkosText(label, language))],
            )


def class_address(id: str) -> Address:
    """Return the IRI of a class: its id if that is an IRI, or else an IRI that contains the id."""
    return Address(id if is_address(id) else f"{BASE}class-{quote(id, safe='')}")


def _note(one: PlacementCandidate) -> str:
    support = ", ".join(dict.fromkeys(word.word for word in one.reasons))
    seen = f"; contexts: {', '.join(one.contexts)}" if one.contexts else ""
    below = f"candidate below {one.label} ({class_address(one.id).iri})"
    return f"{below}, score {one.score:.2f}; similar words: {support}{seen}"


def write_turtle(placed: Placed, language: str | None = None) -> Iterator[str]:
    """Yield the candidates as SKOS in Turtle.

    The result must be loaded together with the taxonomy.
    """
    return as_turtle(statements(placed, language))


def write_accepted(found: Iterable[Accepted], language: str | None = None) -> Iterator[str]:
    """Yield accepted words as SKOS in Turtle: each word is a concept below its classes."""
    named: dict[str, str] = {}
    words: dict[str, list[Address]] = {}
    for one in found:
        named[one.id] = one.label
        words.setdefault(one.word, []).append(class_address(one.id))

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
