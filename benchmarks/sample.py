"""Make the bundled sample `nouns`: the nouns of AMALGUM with all their relations.

    python benchmarks/sample.py FOLDER   # with .conllu.gz files of AMALGUM; default: the test data

Nouns with at least 10 occurrences and contexts with at least 3 are kept.
"""

from __future__ import annotations

import sys
from pathlib import Path

from background import cut, write
from harness.measuring import data_folder

from roget import count
from roget.data import sample_path

WORDS, CONTEXTS = 10, 3


def main(source: Path) -> None:
    """Count the nouns, and write the sample to the package."""
    counts = count(sorted(source.glob("*.conllu.gz")))
    write(cut(counts, WORDS, CONTEXTS), sample_path("nouns"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else data_folder() / "amalgum")
