"""Make the bundled background counts: AMALGUM's nouns, verbs and adjectives, by `roget.count`.

    python benchmarks/background.py FOLDER      # with AMALGUM's .conllu.gz files

Words with 3 occurrences and contexts with 2 are kept. The documents of the example text in
docs/examples are left out, so that the example can be built with this background.
"""

from __future__ import annotations

import gzip
import lzma
import sys
import tempfile
from pathlib import Path

from harness.measuring import data_folder

from roget import count
from roget.core.counts import Counts
from roget.core.io import duck
from roget.core.io.duck import quoted
from roget.data.bundled import ATTRIBUTION, BACKGROUNDS, background_path

WORDS, CONTEXTS = 3, 2

LONG = 7
"""Sentences with more words identify their document; shorter ones may occur anywhere."""


EXAMPLE = Path(__file__).resolve().parents[1] / "docs" / "examples" / "fiction.conllu.xz"


def main(source: Path) -> None:
    """Count each preset, and write the counts to the package."""
    with tempfile.TemporaryDirectory() as place:
        files = [
            leave_out_example(path, Path(place)) if path.name.startswith("fiction") else path
            for path in sorted(source.glob("*.conllu.gz"))
        ]
        for name in BACKGROUNDS:
            preset = name.rpartition("-")[2]
            write(cut(count(files, relation=[preset]), WORDS, CONTEXTS), background_path(name))


def leave_out_example(path: Path, folder: Path) -> Path:
    """Write a copy of a corpus without the documents that share a sentence with the example."""
    with lzma.open(EXAMPLE, "rt", encoding="utf-8") as file:
        known = {spell(sentence) for sentence in file.read().split("\n\n")}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        sentences = file.read().split("\n\n")
    documents: dict[str, list[str]] = {}
    for sentence in sentences:
        name = sentence.partition("sent_id = ")[2].partition("\n")[0].rpartition("-")[0]
        documents.setdefault(name, []).append(sentence)
    kept = {
        name: parts
        for name, parts in documents.items()
        if not any(len(words := spell(part)) > LONG and words in known for part in parts)
    }
    print(f"{path.name}: {len(documents) - len(kept)} of {len(documents)} documents left out")
    copy = folder / path.name
    with gzip.open(copy, "wt", encoding="utf-8", compresslevel=1) as file:
        file.write("\n\n".join(part for parts in kept.values() for part in parts) + "\n\n")
    return copy


def spell(sentence: str) -> tuple[str, ...]:
    """Return the word forms of a CoNLL-U sentence."""
    lines = (line.split("\t") for line in sentence.split("\n") if line and line[0] != "#")
    return tuple(cells[1] for cells in lines if cells[0].isdigit())


def cut(counts: Counts, words: int, contexts: int) -> Counts:
    """Drop rare words and contexts until none is left: each cut lowers the other totals."""
    before = (0, 0)
    while counts.shape != before:
        before, counts = counts.shape, counts.min_count(words, contexts)
    return counts


def write(counts: Counts, path: Path) -> None:
    """Write counts as a small Parquet file with its attribution."""
    path.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, duck.database() as connection:
        table = Path(place) / "counts.tsv"
        counts.write(table)
        connection.execute(
            "COPY (SELECT word, context, count::INTEGER AS count"
            f" FROM read_csv({quoted(str(table))}, delim='\t', quote='', all_varchar=true)"
            " ORDER BY context, word)"
            f" TO {quoted(str(path))} (FORMAT parquet, COMPRESSION zstd,"
            f" COMPRESSION_LEVEL 19, KV_METADATA {{attribution: {quoted(ATTRIBUTION)}}})"
        )
    print(f"{path}: {counts}, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else data_folder() / "amalgum")
