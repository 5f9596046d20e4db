"""Report of `roget count --show`: the content of a table of counts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.report import Report, ReportTable
from roget.report.contexts import ContextPhrases
from roget.report.format import occurrences, plural

if TYPE_CHECKING:
    from roget.core.counts import Counts

CONTEXTS = 5
"""Number of contexts listed for each word."""


def summarise(name: str, top: int = 10) -> dict[str, Any]:
    """Return a summary of a counts folder, a counts file or a bundled sample."""
    from roget.core.counts.files import summary

    with _folder(name) as folder:
        return summary(folder, top)


def find_word(name: str, word: str) -> dict[str, Any]:
    """Return a word's total count and all its contexts, the most frequent first."""
    from roget.core.counts import NotCounted
    from roget.core.counts.files import open_tables

    with _folder(name) as place, open_tables(place) as (record, connection):
        query = "SELECT file_row_number FROM words WHERE word = ?"
        row = connection.execute(query, [word]).fetchone()
        if row is None:
            known = connection.execute("SELECT word FROM words").fetchall()
            raise NotCounted("word", word, (text for (text,) in known))
        rows = connection.execute(
            'SELECT context, count FROM entries e JOIN contexts c ON e."column" ='
            ' c.file_row_number WHERE "row" = ? ORDER BY count DESC, context',
            row,
        ).fetchall()
    whole = record["dtype"] == "int64"
    total = sum(n for _, n in rows) if whole else fsum(n for _, n in rows)
    found = [{"context": context, "count": n} for context, n in rows]
    return {"word": word, "total": total, "contexts": found}


@contextmanager
def _folder(name: str) -> Iterator[Path]:
    """Provide a counts folder. Counts in other formats are converted to a temporary folder."""
    import tempfile

    from roget.learn.load import open_counts

    if os.path.isdir(name):
        yield Path(name)
        return
    counts, _ = open_counts(name)
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        counts.write(os.path.join(folder, "counts"))
        yield Path(folder) / "counts"


def report(name: str, summary: Mapping[str, Any]) -> Report:
    """Report the sizes, the sources, and the most frequent words with their contexts."""
    listed = (one["context"] for entry in summary["words"] for one in entry["contexts"])
    phrase = ContextPhrases.from_names(dict.fromkeys(listed))
    rows, values = [], []
    for entry in summary["words"]:
        contexts = ", ".join(
            f"{phrase(one['context'])} {_short(one['count'])}" for one in entry["contexts"]
        )
        rows.append((entry["word"], _short(entry["total"]), contexts))
        values += [(entry["word"], one["context"], one["count"]) for one in entry["contexts"]]
    titles = ("word", "count", "contexts, most frequent first")
    return Report(
        title=f"Counts of {name}",
        lead=[f"{name}: {sizes(summary)}", *_origin(summary)],
        tables=[ReportTable.of(titles, rows, ("count",))],
        notes=phrase.notes,
        data=summary,
        sheet=ReportTable.of(("word", "context", "count"), values),
    )


def report_counts(counts: Counts, top: int = 10) -> Report:
    """Report on counts that are held in memory."""
    words = []
    for row in np.lexsort((counts.words, -counts.word_totals))[:top].tolist():
        here = slice(*counts.matrix.indptr[row : row + 2])
        seen, columns = counts.matrix.data[here], counts.matrix.indices[here]
        first = np.lexsort((counts.contexts[columns], -seen))[:CONTEXTS]
        contexts = [
            {"context": str(counts.contexts[column]), "count": count}
            for column, count in zip(columns[first], seen[first].tolist(), strict=True)
        ]
        total = counts.word_totals[row].item()
        words.append({"word": str(counts.words[row]), "total": total, "contexts": contexts})
    once = float(np.mean(counts.matrix.data == 1)) if counts.entries else 0.0
    summary = {
        "shape": list(counts.shape),
        "entries": counts.entries,
        "total": counts.total,
        "relations": list(counts.relations),
        "provenance": counts.provenance,
        "words": words,
        "hapax": {"pairs": once},
    }
    return report("counts", summary)


def report_word(found: Mapping[str, Any]) -> Report:
    """Report all contexts of a word, one per line."""
    contexts, total = found["contexts"], occurrences(found["total"])
    phrase = ContextPhrases.from_names(one["context"] for one in contexts)
    rows = [(phrase(one["context"]), _short(one["count"])) for one in contexts]
    return Report(
        title=f"Contexts of {found['word']}",
        lead=[f"{found['word']}: {total} in {plural(len(contexts), 'context')}"],
        tables=[ReportTable.of(("context", "count"), rows, ("count",))],
        notes=phrase.notes,
        data=found,
        sheet=ReportTable.of(("context", "count"), [tuple(one.values()) for one in contexts]),
    )


def _short(count: float) -> str:
    """Format a count with at most one decimal, or in full precision if it would round to zero."""
    return f"{round(count, 1) or count:,}"


def sizes(summary: Mapping[str, Any]) -> str:
    """Format the numbers of words, contexts, pairs and occurrences in one line."""
    rows, columns = summary["shape"]
    once = summary.get("hapax", {}).get("pairs")
    total = occurrences(summary["total"])
    seen_once = "" if once is None else f" ({once:.0%} of the pairs occur once)"
    return (
        f"{plural(rows, 'word')} × {plural(columns, 'context')}, "
        f"{plural(summary['entries'], 'pair')}, {total}{seen_once}"
    )


def _origin(summary: Mapping[str, Any]) -> list[str]:
    from roget.learn.counting.recipe import UNITS

    origin = summary["provenance"]
    lines = []
    if summary["relations"]:
        lines.append("relations: " + ", ".join(summary["relations"]))
    inputs = origin.get("inputs", [])
    if inputs:
        paths = [one["path"] for one in inputs[:3]]
        names = ", ".join("standard input" if path == "-" else path for path in paths)
        more = f" and {len(inputs) - 3:,} more" if len(inputs) > 3 else ""
        unit = UNITS.get(origin.get("recipe", {}).get("reader"), "token")
        read = f" ({plural(origin['tokens'], unit)} read)" if origin.get("tokens") else ""
        lines.append(f"from: {names}{more}{read}")
    if "source" in origin:
        lines.append(f"from: {origin['source']}")
    return lines
