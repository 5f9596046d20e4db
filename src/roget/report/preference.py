"""Report of `roget prefer`: the classes that a context prefers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roget.core.information import bits
from roget.errors import Notice
from roget.learn.treecut.estimator import CutClass
from roget.learn.treecut.preference import Preference
from roget.report import Column, Report, ReportTable
from roget.report.contexts import ContextPhrases
from roget.report.format import plural

SHOWN = 12
"""Default number of classes in the table."""

TITLES = ("id", "label", "probability", "prior", "association", "size")
"""Columns of spreadsheets, in addition to the column of words."""

WORDS = 12
"""Maximum number of words shown per class."""


def report(found: Preference, source: str, top: int | None = None) -> Report:
    """Report the classes with their probability, its ratio to the prior, and their words.

    Associations and the description length are in nats in JSON and spreadsheets.
    """
    shown, rest = found.classes[: top or SHOWN], found.classes[top or SHOWN :]
    columns = [
        *Column.numbers("p", "× prior", fit="keep"),
        Column("class", fit="cut", share=2),
        Column("words, with counts", fit="cut", share=3),
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
    phrase = ContextPhrases.from_names([found.context])
    head = phrase(found.context)
    return Report(
        title=f"Classes preferred by {head}",
        lead=list(_lead(found, head, source)),
        tables=[ReportTable(columns, [_row(one) for one in shown])],
        notes=[
            *[f"and {plural(len(rest), 'more class')} with p {total:.3f} in total (--top)"]
            * bool(rest),
            "p: probability of the class; × prior: ratio of p to the prior probability of the "
            "class",
            *phrase.notes,
        ],
        talk=[Notice("none of these words is in the thesaurus", code="unknown-word")] * bool(lost),
        data=data,
        sheet=ReportTable.of(("head", *TITLES, "words"), values),
    )


def _lead(found: Preference, head: str, source: str) -> Iterator[str]:
    yield (
        f"{head}: {plural(found.tokens, 'token')} in "
        f"{plural(len(found.classes), 'class')} of {source}, described in "
        f"{bits(found.description_length):,.0f} bits"
    )
    if found.unknown:
        yield (
            f"  {found.unknown:.0%} of the tokens left out, because their words are not in the "
            "thesaurus"
        )


def _class(one: CutClass) -> dict[str, Any]:
    facts = {name: getattr(one, name) for name in TITLES}
    ratio = one.probability / one.prior if one.prior else None
    words = [{"word": word, "count": count} for word, count in one.words]
    return facts | {"ratio": ratio, "words": words}


def _row(one: CutClass) -> tuple[str, ...]:
    ratio = one.probability / one.prior if one.prior else None
    usual = "" if ratio is None else f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"
    # A count may be fractional if a word belongs to several classes.
    words = ", ".join(
        f"{word} {count:,.0f}" if count == round(count) or count >= 10 else f"{word} {count:.1f}"
        for word, count in one.words[:WORDS]
    )
    return f"{one.probability:.3f}", usual, one.label, words
