"""Make the bundled sample `nouns`: AMALGUM's nouns in all their relations, by `roget.count`.

    python benchmarks/sample.py FOLDER      # of AMALGUM's .conllu.gz files; default: the test data

Kept are nouns seen at least 10 times, contexts seen at least 3 times.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from harness.measuring import data_folder

from roget import count
from roget.core.io import duck
from roget.core.io.duck import quoted
from roget.data import sample_path
from roget.data.bundled import ATTRIBUTION

WORDS, CONTEXTS = 10, 3


def main(source: Path) -> None:
    """Count, and write the sample where it belongs."""
    counts, before = count(sorted(source.glob("*.conllu.gz"))), (0, 0)
    while counts.shape != before:  # of words less is left where contexts are cut
        before, counts = counts.shape, counts.min_count(WORDS, CONTEXTS)
    with tempfile.TemporaryDirectory() as place, duck.database() as connection:
        table = Path(place) / "nouns.tsv"
        counts.write(table)
        connection.execute(
            "COPY (SELECT word, context, count::INTEGER AS count"
            f" FROM read_csv({quoted(str(table))}, delim='\t', quote='', all_varchar=true)"
            " ORDER BY context, word)"
            f" TO {quoted(str(sample_path('nouns')))} (FORMAT parquet, COMPRESSION zstd,"
            f" COMPRESSION_LEVEL 19, KV_METADATA {{attribution: {quoted(ATTRIBUTION)}}})"
        )
    print(f"{sample_path('nouns')}: {counts}, {sample_path('nouns').stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else data_folder() / "amalgum")
