"""The same views as sheets: one table each, for spreadsheets and other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from roget.report import Report, ReportTable
from roget.report.render.data import render_csv
from roget.web.views import View, Views

Sheet = tuple[list[str], Iterable[list[Any]]]


def as_csv(sheet: Sheet) -> str:
    """The sheet as text, comma-separated, with all names as they are."""
    return render_csv(Report("", sheet=ReportTable.of(*sheet)))


def tree(view: View) -> Sheet:
    """One row per class."""
    names = ["parent", "value", "words", "share", "label"]
    rows = zip(*(view[name] for name in names), strict=True)
    return ["node", *names], [[node, *row] for node, row in enumerate(rows)]


def word(view: View) -> Sheet:
    """One row per class (p(class|word)), sense (share), neighbour (similarity), context (count)."""
    rows = [["class", one["label"], one["probability"]] for one in view["memberships"]]
    rows += [["sense", one["label"], one["weight"]] for one in view["senses"]]
    rows += [["neighbour", one["word"], one["similarity"]] for one in view["neighbours"]]
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
    head = ["measure", "entropy", "value", "better"]
    signature = view["scores"]["signature"]
    values = [
        [*map(row.get, head), *map(row.get("baselines", {}).get, against), signature]
        for row in rows
    ]
    return [*head, *against, "signature"], values


def lines(view: View) -> Sheet:
    """One row per sentence."""
    rows = [
        [one["source"], one["line"], "".join(text for text, _ in one["pieces"]), one["word"],
         " ".join(one["contexts"])]
        for one in view["lines"]
    ]  # fmt: skip
    return ["source", "line", "sentence", "word", "contexts"], rows


def sketch(view: View) -> Sheet:
    """One row per collocate; beside another word, with a count and a score of each."""
    names = [f"{name} {word}" for name in ("count", "logDice") for word in view["words"]]
    rows = [
        [one["slot"], each["name"], *each["counts"], *each["scores"]]
        for one in view["relations"]
        for each in one["collocates"]
    ]
    return ["relation", "collocate", *names], rows


def alike(view: View) -> Sheet:
    """One row per context that two words share, with the count of each."""
    rows = [[one["context"], *one["counts"]] for one in view["contexts"]]
    return ["context", *view["words"]], rows


def changes(view: View) -> Sheet:
    """One row per change."""
    names = ["number", "kind", "from_label", "to_label", "score", "tokens", "state"]
    rows = [
        [", ".join(one["words"]), ", ".join(each["context"] for each in one["reasons"]),
         *(one[name] for name in names)]
        for one in view["changes"]
    ]  # fmt: skip
    return ["words", "reasons", *names], rows


def _list(key: str, *names: str) -> Callable[[View], Sheet]:
    """What makes a sheet of a view's list: one row per entry, with what it has by some names."""
    return lambda view: ([*names], [[one[name] for name in names] for one in view[key]])


SHEETS: dict[str, Callable[[View], Sheet]] = {
    "tree": tree,
    "class": _list("typical", "word", "distance_bits", "probability"),
    "word": word,
    "search": find,
    "path": path,
    "compare": comparison,
    "lines": lines,
    "sketch": sketch,
    "alike": alike,
    "history": _list("edits", "number", "what", "kind", "state"),
    "why": _list("contexts", "context", "seen", "weight"),
    "changes": changes,
}
