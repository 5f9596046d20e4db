"""The tree as nested JSON: each class with its parts, or with its words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from roget._version import __version__
from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import (
    PLAIN,
    FullEntry,
    Options,
    Target,
    full_entries,
    number,
    write_lines,
)


def write(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write the tree: `children` of a class are classes, and a leaf has `words` instead."""
    write_lines(target, _lines(thesaurus, options))


def _lines(thesaurus: Thesaurus, options: Options) -> Iterator[str]:
    head = {
        "title": options.title,
        "language": options.language,
        "made_by": f"roget {__version__}",
        "words": len(thesaurus),
        "classes": thesaurus.tree.n_clusters,
    }
    yield _object(head) + ',\n"tree": '
    # Written as it is walked: a deep tree nests deeper than a recursive writer can go.
    nested, previous = 0, None
    for one in full_entries(thesaurus):
        level = len(one.path) - 1
        yield "]}" * (nested - level) + ("\n" if previous == one.parent else ",\n")
        yield _object(_class(one, thesaurus)) + (', "children": [' if one.children else "}")
        nested, previous = level + bool(one.children), one.node
    yield "]}" * nested + "}\n"


def _class(one: FullEntry, thesaurus: Thesaurus) -> dict[str, Any]:
    found: dict[str, Any] = {
        "node": one.node,
        "label": one.label,
        "size": one.size,
        "mass": one.mass,
        "value": one.value,
        "contexts": [context._asdict() for context in one.contexts],
    }
    if not one.children:
        found["words"] = [
            {
                "word": member.word,
                "probability": member.probability,
                "placed": member.placed,
                "count": number(float(thesaurus.counts.word_totals[member.row])),
            }
            for member in one.members
        ]
    return found


def _object(fields: dict[str, Any]) -> str:
    """A JSON object that is left open for one more field."""
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)[:-1]
