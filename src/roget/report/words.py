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
from roget.report.text import width

CLASSES, CONTEXTS = 3, 4
"""How many classes of a word, and contexts of a word or a pair, are told."""

LEAST = 0.01
"""Classes of a word that are less likely than this are not told."""


def look_around(thesaurus: Thesaurus, word: str, n: int, by: str) -> dict[str, Any]:
    """A word with its likeliest classes and its neighbours; distances in nats, ready for JSON."""
    near = []
    for other in thesaurus.neighbours(word, n, by):
        common = thesaurus.common_class(word, other.word)
        shared = thesaurus.shared_evidence(word, other.word, CONTEXTS)
        near.append(
            {
                "word": other.word,
                "distance": other.distance,
                "class": {"node": common, "label": thesaurus.label(common)},
                "contexts": [one.context for one in shared],
            }
        )
    likely = [(node, p) for node, p in thesaurus.membership(word).items() if p >= LEAST]
    return {
        "word": word,
        "seen": thesaurus.counts.word_totals[thesaurus.row(word)].item(),
        "classes": [
            {"node": node, "label": thesaurus.label(node), "probability": p}
            for node, p in likely[:CLASSES]
        ],
        "contexts": [one.context for one in thesaurus.evidence(word, CONTEXTS)],
        "by": by,
        "neighbours": near,
    }


def render_neighbours(found: Mapping[str, Any]) -> str:
    """The word and its classes, and a table of its neighbours; distances in bits."""
    contexts = f", such as with {', '.join(found['contexts'])}" if found["contexts"] else ""
    lines = [f"{found['word']}: seen {many(found['seen'], 'time')}{contexts}"]
    lines += [f"  {one['probability']:4.0%}  {one['label']}" for one in found["classes"]]
    titles = ("neighbour", "bits apart", "contexts in common", "smallest class of both")
    rows = [
        (
            one["word"],
            f"{bits(one['distance']):.3f}",
            ", ".join(one["contexts"]),
            one["class"]["label"] if one["class"]["node"] else "(all words)",
        )
        for one in found["neighbours"]
    ]
    return _printed(lines, titles, rows)


def place(thesaurus: Thesaurus, counts: Counts, n: int) -> list[dict[str, Any]]:
    """New words, each with the share of its tokens that is known and its likeliest classes."""
    rows = thesaurus.classify_table(counts, n)
    return [_placed(word, list(own)) for word, own in groupby(rows, lambda row: row.word)]


def _placed(word: str, rows: Sequence[Placement]) -> dict[str, Any]:
    classes = [
        {"node": row.node, "label": row.label, "probability": row.probability} for row in rows
    ]
    return {"word": word, "known": rows[0].known, "classes": classes}


def render_places(placed: Iterable[Mapping[str, Any]]) -> str:
    """New words and their classes, one class in each line."""
    rows = []
    for one in placed:
        for place, found in enumerate(one["classes"]):
            first = (one["word"], f"{one['known']:.0%}") if not place else ("", "")
            rows.append((*first, f"{found['probability']:.1%}", found["label"]))
    return _printed((), ("word", "known", "probability", "class"), rows)


def places_as_tsv(placed: Iterable[Mapping[str, Any]]) -> str:
    """New words and their classes, one class in each line, with all digits."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow(("word", "node", "class", "probability", "known"))
    for one in placed:
        for found in one["classes"]:
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
    lost = [one["word"] for one in placed if not one["known"]]
    if not lost:
        return []
    named = ", ".join(lost[:3]) + (", …" if len(lost) > 3 else "")
    return [
        f"{many(len(lost), 'word')} without any context that the thesaurus knows ({named}): "
        "what they got is how likely the classes are"
    ]


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
        grid.add_row(*map(Text, row))
    console.print(grid)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
