"""What a head prefers, as a report: `roget prefer`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roget.core.information import bits
from roget.learn.treecut.estimator import CutClass
from roget.learn.treecut.preference import Preference
from roget.report import Column, Report, ReportTable
from roget.report.format import plural

SHOWN = 12
"""Classes in the table, if no other number is asked for."""

TITLES = ("id", "label", "probability", "prior", "association", "size")
"""What sheets tell of a class, beside its words."""

WORDS = 12
"""Words of a class, as far as there is room."""


def report(found: Preference, source: str, top: int | None = None) -> Report:
    """The classes with their probability, how often likelier than usual, and their words.

    Lengths and associations are in nats, for machines.
    """
    shown, rest = found.classes[: top or SHOWN], found.classes[top or SHOWN :]
    columns = [
        *Column.numbers("p", "× usual", fit="keep"),
        Column("class", fit="cut", share=2),
        Column("words seen", fit="cut", share=3),
    ]
    total = sum(one.probability for one in rest)
    classes = [_class(one) for one in found.classes[:top]]
    data = {
        "head": found.context,
        "thesaurus": source,
        "tokens": found.tokens,
        "unknown": found.unknown,
        "description_length": found.description_length,
        "classes": classes,
    }
    values = [
        (
            found.context,
            *(one[title] for title in TITLES),
            "; ".join(f"{seen['word']} {seen['count']:g}" for seen in one["words"]),
        )
        for one in classes
    ]
    lost = found.tokens and found.unknown == 1
    return Report(
        title=f"What {found.context} prefers",
        lead=list(_lead(found, source)),
        tables=[ReportTable(columns, [_row(one) for one in shown])],
        notes=[f"and {plural(len(rest), 'class')} of p {total:.3f} together (--top)"] * bool(rest),
        talk=["the thesaurus knows none of these words: there is nothing to tell"] * bool(lost),
        data=data,
        sheet=ReportTable.of(("head", *TITLES, "words"), values),
    )


def _lead(found: Preference, source: str) -> Iterator[str]:
    yield (
        f"{found.context}: {plural(found.tokens, 'token')} in "
        f"{plural(len(found.classes), 'class')} of {source}, described in "
        f"{bits(found.description_length):,.0f} bits"
    )
    if found.unknown:
        yield f"  {found.unknown:.0%} of the tokens are words it does not know: left out"


def _class(one: CutClass) -> dict[str, Any]:
    facts = {name: getattr(one, name) for name in TITLES}
    ratio = one.probability / one.prior if one.prior else None
    words = [{"word": word, "count": count} for word, count in one.words]
    return facts | {"ratio": ratio, "words": words}


def _row(one: CutClass) -> tuple[str, ...]:
    ratio = one.probability / one.prior if one.prior else None
    usual = "" if ratio is None else f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"
    # A count may be shared out: it is told in few digits.
    words = ", ".join(
        f"{word} {count:,.0f}" if count == round(count) or count >= 10 else f"{word} {count:.1f}"
        for word, count in one.words[:WORDS]
    )
    return f"{one.probability:.3f}", usual, one.label, words
