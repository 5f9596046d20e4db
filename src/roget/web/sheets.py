"""The same views as sheets: one table each, for spreadsheets and other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from typing import Any

from roget.web.views import View, Views

Sheet = tuple[list[str], Iterable[list[Any]]]


FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that a spreadsheet may run."""


def as_csv(sheet: Sheet) -> str:
    """The sheet as text, comma-separated; texts that a spreadsheet may run begin with a '."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head, rows = sheet
    writer.writerow(head)
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return out.getvalue()


def _harmless(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def tree(view: View) -> Sheet:
    """One row per class."""
    names = ["parent", "value", "words", "share", "label"]
    columns = [view[name] for name in names]
    rows = zip(*columns, strict=True)
    return ["node", *names], [[node, *row] for node, row in enumerate(rows)]


def word_class(view: View) -> Sheet:
    """One row per word."""
    names = ["word", "distance_bits", "probability"]
    return names, [[one[name] for name in names] for one in view["typical"]]


def word(view: View) -> Sheet:
    """One row per class (p(class|word)), neighbour (bits apart) and context (count)."""
    rows = [["class", one["label"], one["probability"]] for one in view["memberships"]]
    rows += [["neighbour", one["word"], one["distance_bits"]] for one in view["neighbours"]]
    rows += [["context", one["context"], one["amount"]] for one in view["contexts"]]
    return ["kind", "name", "value"], rows


def find(view: View) -> Sheet:
    """One row per word found."""
    return ["word", "class"], [[one["word"], one["class"]["label"]] for one in view["words"]]


def path(view: View) -> Sheet:
    """One row per number of classes."""
    return ["classes", view["kind"]], [[step["classes"], step["value"]] for step in view["steps"]]


def cut(views: Views, view: View) -> Sheet:
    """One row per word, with the class it is in: a label file that `roget score` reads."""
    labels = views.thesaurus.cut(view["k"]).tolist()
    words = map(str, views.thesaurus.words)
    named = [one["label"] for one in view["classes"]]
    rows = ([word, at + 1, named[at]] for word, at in zip(words, labels, strict=True))
    return ["item", "label", "class"], rows


def comparison(view: View) -> Sheet:
    """One row per score."""
    rows = view["scores"]["rows"]
    against = list(dict.fromkeys(name for row in rows for name in row.get("baselines", {})))
    head = ["measure", "entropy", "value", "better", *against]
    signature = view["scores"]["signature"]
    return [*head, "signature"], [
        [
            *(row[name] for name in head[:4]),
            *(row.get("baselines", {}).get(name) for name in against),
            signature,
        ]
        for row in rows
    ]


SHEETS: dict[str, Callable[[View], Sheet]] = {
    "tree": tree,
    "class": word_class,
    "word": word,
    "search": find,
    "path": path,
    "compare": comparison,
}
