"""What a thesaurus says of words, old and new: `roget neighbours` and `roget classify`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from roget.core.counts import Counts
from roget.core.information import bits
from roget.learn.thesaurus import Placement, Thesaurus
from roget.report.counts import many
from roget.report.terminal import printable
from roget.report.text import width

CLASSES, CONTEXTS = 3, 4
"""How many classes of a word, and contexts of a word or a pair, are told."""

UNKNOWN = "(no known context)"

LEAST = 0.01
"""Classes of a word that are less likely than this are not told."""


def look_around(thesaurus: Thesaurus, word: str, n: int, by: str) -> dict[str, Any]:
    """A word with its likeliest classes and its neighbours; distances in bits, ready for JSON."""
    near = []
    for other in thesaurus.neighbours(word, n, by):
        common = thesaurus.common_class(word, other.word)
        shared = thesaurus.shared_evidence(word, other.word, CONTEXTS)
        near.append(
            {
                "word": other.word,
                "distance_bits": bits(other.distance),
                "class": {"node": common, "label": _called(thesaurus, common)},
                "contexts": [one.context for one in shared],
            }
        )
    likely = [(node, p) for node, p in thesaurus.membership(word).items() if p >= LEAST]
    return {
        "word": word,
        "seen": thesaurus.counts.word_totals[thesaurus.row(word)].item(),
        "classes": [
            {"node": node, "label": _called(thesaurus, node), "probability": p}
            for node, p in likely[:CLASSES]
        ],
        "contexts": [one.context for one in thesaurus.evidence(word, CONTEXTS)],
        "by": by,
        "neighbours": near,
    }


def _called(thesaurus: Thesaurus, node: int) -> str:
    """What a class is called; words say nothing of the root, which has all of them."""
    return thesaurus.label(node) if node or 0 in thesaurus.labels else "(all words)"


def render_neighbours(found: Mapping[str, Any]) -> str:
    """The word and its classes, and a table of its neighbours; distances in bits."""
    named = ", ".join(printable(context, _most()) for context in found["contexts"])
    contexts = f", such as with {named}" if named else ""
    word = printable(found["word"], _most())
    lines = [f"{word}: seen {many(found['seen'], 'time')}{contexts}"]
    lines += [f"  {one['probability']:4.0%}  {printable(one['label'])}" for one in found["classes"]]
    titles = ("neighbour", "bits apart", "contexts in common", "smallest class of both")
    rows = [
        (
            one["word"],
            f"{one['distance_bits']:.3f}",
            ", ".join(one["contexts"]),
            one["class"]["label"],
        )
        for one in found["neighbours"]
    ]
    return _printed(lines, titles, rows)


def place(thesaurus: Thesaurus, counts: Counts, n: int) -> list[dict[str, Any]]:
    """New words, each with the share of its tokens that is known and its likeliest classes.

    A word of which no context is known has no classes: how likely they are in general says
    nothing about it.
    """
    rows = thesaurus.classify_table(counts, n)
    return [_placed(word, list(own)) for word, own in groupby(rows, lambda row: row.word)]


def _placed(word: str, rows: Sequence[Placement]) -> dict[str, Any]:
    classes = [
        {"node": row.node, "label": row.label, "probability": row.probability}
        for row in rows
        if row.known > 0
    ]
    return {"word": word, "known": rows[0].known, "classes": classes}


def render_places(placed: Iterable[Mapping[str, Any]]) -> str:
    """New words and their classes, one class in each line."""
    rows = []
    for one in placed:
        if not one["classes"]:
            rows.append((one["word"], f"{one['known']:.0%}", "", UNKNOWN))
        for place, found in enumerate(one["classes"]):
            first = (one["word"], f"{one['known']:.0%}") if not place else ("", "")
            rows.append((*first, f"{found['probability']:.1%}", found["label"]))
    return _printed((), ("word", "known", "probability", "class"), rows)


def places_as_tsv(placed: Iterable[Mapping[str, Any]]) -> str:
    """New words and their classes, one class in each line, with all digits.

    A word without classes has one line, in which node, class and probability are empty.
    """
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow(("word", "node", "class", "probability", "known"))
    for one in placed:
        for found in one["classes"] or [{"node": "", "label": "", "probability": ""}]:
            values = (found["node"], found["label"], found["probability"], one["known"])
            writer.writerow((one["word"], *values))
    return out.getvalue()


def places_as_json(placed: Sequence[Mapping[str, Any]]) -> str:
    """New words and their classes for machines."""
    return as_json({"words": placed})


def as_json(found: Any) -> str:
    """Standard JSON, for machines."""
    return json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def unplaced(placed: Iterable[Mapping[str, Any]]) -> list[str]:
    """A warning if some words have no context that is known."""
    lost = [printable(one["word"], _most()) for one in placed if not one["known"]]
    if not lost:
        return []
    named = ", ".join(lost[:3]) + (", …" if len(lost) > 3 else "")
    return [
        f"{many(len(lost), 'word')} without any context that the thesaurus knows ({named}): "
        "they get no class"
    ]


def _most() -> int:
    """Columns that one text may take, so that there is room for those beside it."""
    return width() // 3


def _printed(lines: Iterable[str], titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = io.StringIO()
    console = Console(file=out, width=width(), color_system=None, highlight=False, emoji=False)
    for line in lines:
        console.print(Text(line), no_wrap=True, overflow="ellipsis")
    if out.tell():
        console.print()
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="", show_edge=False)
    for title in titles:
        number = title in ("bits apart", "known", "probability")
        grid.add_column(
            title,
            justify="right" if number else "left",
            no_wrap=True,
            overflow="ellipsis",
            min_width=len(title) if number else 4,
        )
    for row in rows:
        grid.add_row(*(Text(printable(cell, _most())) for cell in row))
    console.print(grid)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
