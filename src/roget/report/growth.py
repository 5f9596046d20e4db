"""Reports of the changes that `roget grow` makes and of decisions to accept or refuse them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.edits import (
    ACCEPTED,
    CLASS,
    MOVED,
    NEW,
    OPEN,
    REFUSED,
    SPLIT,
    GrowthChange,
)
from roget.report import Column, Report, ReportTable
from roget.report.format import plural

if TYPE_CHECKING:  # The explorer imports this module, so it must not load compiled code.
    from roget.learn.growth.grow import GrowthResult

SHOWN = 40
"""Maximum number of rows in plain text. Other formats contain all rows."""

DECIDED = (ACCEPTED, REFUSED)

_WORDS, _HEAD = 12, "words, with number and score"


def _call(labels: dict[int, str], id: int | None) -> str:
    """Return the label of a class, or "class ID" if the class no longer exists."""
    if id is None:
        return ""
    return labels.get(id, f"class {id}")


def _labels(thesaurus: Thesaurus, changes: Iterable[GrowthChange]) -> dict[int, str]:
    wanted = {id for one in changes for id in (one.source, one.target, one.rest) if id is not None}
    nodes = {int(id): node for node, id in enumerate(thesaurus.ids)}
    return {id: thesaurus.label(nodes[id]) for id in sorted(wanted) if id in nodes}


def list_changes(changes: Sequence[GrowthChange], thesaurus: Thesaurus) -> list[dict[str, Any]]:
    """Return the changes as plain data for JSON, including the labels of their classes."""
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
    """Format the number of changes of each kind as one line."""
    parts = []
    for kind, noun, verb in (
        (NEW, "word", "new"),
        (MOVED, "word", "moved"),
        (SPLIT, "class", "split"),
        (CLASS, "class", "new"),
    ):
        if numbers.get(kind):
            parts.append(f"{plural(numbers[kind], noun)} {verb}")
    return f"{', '.join(parts) or 'nothing changed'}; {plural(stay, 'word')} unchanged"


def report(grown: GrowthResult) -> Report:
    """Report the new and moved words and the new and split classes, the largest first."""
    thesaurus = grown.thesaurus
    told = list_changes(grown.changes, thesaurus)
    lead = [
        f"added {grown.tokens:,.15g} tokens: {summarise(grown.numbers, grown.stay)}",
        f"{len(thesaurus):,} words in {plural(thesaurus.tree.n_clusters, 'class')}",
    ]
    return _report("Growth", lead, told, {**grown.numbers, "stay": grown.stay})


def review(thesaurus: Thesaurus, states: Sequence[str] = (OPEN,)) -> Report:
    """Report the changes that have not yet been accepted or refused."""
    changes = [one for one in thesaurus.changes if one.state in states]
    told = list_changes(changes, thesaurus)
    others = len(thesaurus.changes) - len(changes)
    lead = [f"{plural(len(changes), 'change')} open, {others:,} accepted or refused"]
    return _report("Changes", lead, told, {"open": len(changes), "closed": others})


def decided(before: Thesaurus, after: Thesaurus) -> Report:
    """Report the numbers of changes just accepted and refused, and of changes still open."""
    were = {one.number for one in before.changes if one.state == OPEN}
    now = Counter(one.state for one in after.changes if one.number in were)
    done = [f"{plural(now[state], 'change')} {state}" for state in DECIDED if now[state]]
    lead = f"{', '.join(done)}, {now[OPEN]:,} open"
    return Report("Changes", [lead], data={state: now[state] for state in (*DECIDED, OPEN)})


def _report(
    title: str, lead: Sequence[str], told: list[dict[str, Any]], numbers: dict[str, int]
) -> Report:
    heads = ("number", "kind", "words", "from", "to", "score", "tokens", "reasons", "state")
    joined = [one | {name: ", ".join(one[name]) for name in ("words", "reasons")} for one in told]
    groups = _group(told)
    notes = [
        "pass the numbers to --accept or --refuse; --format json or csv lists all changes with "
        "reasons"
    ]
    if len(groups) > SHOWN:
        notes.insert(0, f"showing the first {SHOWN} of {len(groups):,} rows")
    columns = [Column("class", share=3), Column("change", share=3), Column(_HEAD, share=5)]
    shown = ReportTable(columns, [_row(some) for some in groups[:SHOWN]])
    return Report(
        title=title,
        lead=list(lead),
        tables=[shown] if told else [],
        notes=notes if told else [],
        data={**numbers, "changes": told},
        sheet=ReportTable.of(heads, [[one[head] for head in heads] for one in joined]),
    )


def _group(told: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Group changes of single words with the same old and new class, in order of occurrence."""
    groups: dict[Any, list[dict[str, Any]]] = {}
    for one in told:
        single = one["kind"] in (NEW, MOVED)
        key = (one["kind"], one["from"], one["to"]) if single else one["number"]
        groups.setdefault(key, []).append(one)
    return list(groups.values())


def _row(some: Sequence[dict[str, Any]]) -> tuple[str, str, str]:
    """Return a table row: the new class, the change, and the words with numbers and scores."""
    first = some[0]
    target = _name(first["to"], first["to_label"])
    source = _name(first["from"], first["from_label"])
    if first["kind"] in (NEW, MOVED):
        noun = plural(len(some), "word")
        change = f"{noun} new" if first["kind"] == NEW else f"{noun} moved from {source}"
        words = [f"{one['number']} {one['words'][0]} ({one['score']:.2f})" for one in some]
    else:
        near = "split off" if first["kind"] == SPLIT else "new, nearest to"
        change = f"{first['number']} class {near} {source} ({first['score']:.2f})"
        words = list(first["words"])
    more = f" and {len(words) - _WORDS:,} more" if len(words) > _WORDS else ""
    return target, change, ", ".join(words[:_WORDS]) + more


def _name(id: int | None, label: str | None) -> str:
    return "" if id is None else label if label == f"class {id}" else f"{id} {label}"
