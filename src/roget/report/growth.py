"""What growing has changed, as a report: `roget grow`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from roget.learn.growth.grow import Grown
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.changes import CLASS, MOVED, NEW, OPEN, SPLIT, Change
from roget.report import Column, Report, Table
from roget.report.format import plural

SHOWN = 40
"""Changes that a text shows; other formats have all."""

_WORDS = 6


def _call(labels: dict[int, str], id: int | None) -> str:
    """What a class is called that is known by its id; one that is gone has its number."""
    if id is None:
        return ""
    return labels.get(id, f"class {id}")


def _labels(thesaurus: Thesaurus, changes: Iterable[Change]) -> dict[int, str]:
    wanted = {id for one in changes for id in (one.source, one.target, one.rest) if id is not None}
    nodes = {int(id): node for node, id in enumerate(thesaurus.ids)}
    return {id: thesaurus.label(nodes[id]) for id in sorted(wanted) if id in nodes}


def tell(changes: Sequence[Change], thesaurus: Thesaurus) -> list[dict[str, Any]]:
    """Changes with the names of their classes, ready for JSON."""
    labels = _labels(thesaurus, changes)
    return [
        {
            "number": one.number,
            "kind": one.kind,
            "words": list(one.words),
            "from": one.source,
            "to": one.target,
            "from_label": _call(labels, one.source) or None,
            "to_label": _call(labels, one.target),
            "score": one.score,
            "reasons": list(one.reasons),
            "tokens": one.tokens,
            "state": one.state,
        }
        for one in changes
    ]


def summarise(numbers: dict[str, int], stay: int) -> str:
    """What changed, in a line."""
    parts = []
    for kind, noun, verb in (
        (NEW, "word", "new"),
        (MOVED, "word", "moved"),
        (SPLIT, "class", "split"),
        (CLASS, "class", "new"),
    ):
        if numbers.get(kind):
            parts.append(f"{plural(numbers[kind], noun)} {verb}")
    return f"{', '.join(parts) or 'nothing changed'}; {stay:,} stay"


def report(grown: Grown) -> Report:
    """What moved, split or is new, the largest first."""
    thesaurus = grown.thesaurus
    told = tell(grown.changes, thesaurus)
    lead = [
        f"{grown.tokens:,.15g} tokens more: {summarise(grown.numbers, grown.stay)}",
        f"{len(thesaurus):,} words in {plural(thesaurus.tree.n_clusters, 'class')}",
    ]
    return _report("Growth", lead, told, {**grown.numbers, "stay": grown.stay})


def review(thesaurus: Thesaurus, states: Sequence[str] = (OPEN,)) -> Report:
    """The changes that are still to be accepted or refused."""
    changes = [one for one in thesaurus.changes if one.state in states]
    told = tell(changes, thesaurus)
    others = len(thesaurus.changes) - len(changes)
    lead = [f"{plural(len(changes), 'change')} open, {others:,} accepted or refused"]
    return _report("Changes", lead, told, {"open": len(changes), "closed": others})


def _report(
    title: str, lead: Sequence[str], told: list[dict[str, Any]], numbers: dict[str, int]
) -> Report:
    rows, values = [], []
    for one in told:
        words = ", ".join(one["words"][:_WORDS])
        if len(one["words"]) > _WORDS:
            words += f" and {len(one['words']) - _WORDS:,} more"
        start = (one["number"], one["kind"], words, one["from_label"] or "", one["to_label"])
        because = ", ".join(one["reasons"])
        rows.append((*map(str, start), f"{one['score']:.2f}", f"{one['tokens']:,.15g}", because))
        values.append(
            (
                one["number"], one["kind"], ", ".join(one["words"]), one["from"], one["to"],
                one["score"], one["tokens"], because, one["state"],
            )
        )  # fmt: skip
    notes = []
    if len(rows) > SHOWN:
        notes.append(f"the first {SHOWN} of {len(rows):,}; --format json or csv has all")
    columns = [
        Column("", right=True, fit="keep"),
        Column("change", fit="keep"),
        Column("words", fit="cut"),
        Column("from", fit="cut", share=2),
        Column("to", fit="cut", share=2),
        Column("score", right=True, fit="keep"),
        Column("tokens", right=True, fit="keep"),
        Column("because of", fit="cut", share=2),
    ]
    shown = Table(columns, rows[:SHOWN])
    heads = ("number", "kind", "words", "from", "to", "score", "tokens", "reasons", "state")
    return Report(
        title=title,
        lead=list(lead),
        tables=[shown] if rows else [],
        notes=notes,
        data={**numbers, "changes": told},
        sheet=Table.of(heads, values),
    )
