"""Make the bundled background counts: AMALGUM's nouns, verbs and adjectives, by `roget.count`.

    python benchmarks/background.py FOLDER      # with AMALGUM's .conllu.gz files

Words with 3 occurrences and contexts with 2 are kept.
"""

from __future__ import annotations

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


def main(source: Path) -> None:
    """Count each preset, and write the counts to the package."""
    for name in BACKGROUNDS:
        preset = name.rpartition("-")[2]
        counts = count(sorted(source.glob("*.conllu.gz")), relation=[preset])
        write(cut(counts, WORDS, CONTEXTS), background_path(name))


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
