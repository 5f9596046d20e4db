"""Make the bundled sample `documents`: stems of AMALGUM's documents, as many of each of five
genres.

    python benchmarks/documents.py FOLDER   # AMALGUM's .conllu.gz files; default: the test data

The same number of documents of each genre is kept, evenly over its file, and the stems with the
highest tf·idf in some document, as in Figure 4 of Rosenberg & Hirschberg (2007). Documents are
named GENRE/NAME.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from harness.measuring import data_folder

from roget.core.counts import Counts
from roget.core.io import duck
from roget.core.io.duck import quoted
from roget.core.io.source import source_of
from roget.data import sample_path
from roget.data.bundled import ATTRIBUTION
from roget.papers.v_measure.documents import (
    count_stems,
    find_top_terms,
    split_words,
    weigh_terms,
)

EACH = 377


def read_documents(path: Path) -> dict[str, list[str]]:
    """Return the words of each document of a genre, by name."""
    genre = path.name.partition(".")[0]
    found: dict[str, list[str]] = {}
    words: list[str] = []
    for _, line in source_of(str(path)).lines():
        if line.startswith("# sent_id = "):
            name = line.partition(" = ")[2].rpartition("-")[0].removeprefix(f"AMALGUM_{genre}_")
            words = found.setdefault(f"{genre}/{name}", [])
        elif line.partition("\t")[0].isdecimal():
            words += split_words(line.split("\t")[1])
    return found


def choose(documents: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the documents to keep, evenly over the file."""
    names = list(documents)
    return {
        name: documents[name] for name in (names[at * len(names) // EACH] for at in range(EACH))
    }


def main(source: Path) -> None:
    """Count, and write the sample into the package."""
    documents: dict[str, list[str]] = {}
    for path in sorted(source.glob("*.conllu.gz")):
        documents |= choose(read_documents(path))
    counts = count_stems(documents)
    counts = counts.select(contexts=counts.contexts[find_top_terms(weigh_terms(counts))])
    write(counts, sample_path("documents"))
    print(f"{sample_path('documents')}: {counts}")


def write(counts: Counts, path: Path) -> None:
    """Write a Parquet file of word, context and count, in the order of documents."""
    rows, columns = counts.matrix.tocoo().coords
    table = {
        "word": counts.words[rows].astype(object),
        "context": counts.contexts[columns].astype(object),
        "count": np.asarray(counts.matrix.data),
    }
    with duck.database() as connection:
        connection.register("cells", table)
        connection.execute(
            "COPY (SELECT word, context, count::INTEGER AS count FROM cells ORDER BY word, context)"
            f" TO {quoted(str(path))} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 19,"
            f" KV_METADATA {{attribution: {quoted(ATTRIBUTION)}}})"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else data_folder() / "amalgum")
