"""Tree cuts of WordNet for 2,000 verbs, and a whole WordNet as a thesaurus: seconds and memory.

Run `python benchmarks/treecut.py [--only PATTERN] [--wordnet FOLDER] [--json FILE]`. WordNet is a
dict folder (Debian: wordnet-base) or the tables beside the counts, which are those of the BNC.
Data that do not ship are looked for in ROGET_TEST_DATA (else ../shared/data beside the
repository); what is absent is left out, and that is said.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from harness import RSS_UNIT, Row, chosen, options, run

from roget.core.counts import Counts
from roget.learn.taxonomy import read, taxonomy_of
from roget.learn.treecut import Hierarchy, TreeCut

Rows = Iterator[Row | str]

VERBS = 2000
BARS = {
    "cut": 60.0,  # seconds, everything from the folder of WordNet on
    "import": 15.0,
    "places": 3.0,
    "look": 3.0,
    "page": 10.0,
    "memory": 2.0,  # GB of the whole process
}


def folder() -> Path:
    """Where data that do not ship are."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("ROGET_TEST_DATA") or default)


def wordnet(named: str | None) -> Path:
    """The WordNet that is asked for, or that is there."""
    places = [Path(named)] if named else [Path("/usr/share/wordnet"), folder() / "wordnet30"]
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(f"no WordNet at {' or '.join(map(str, places))}")


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work gives, and its CPU seconds."""
    start = time.process_time()
    made = work()
    return made, time.process_time() - start


def memory() -> Row:
    """The most that this process ever held."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT
    return Row("whole process", most / 1e9, None, "no peer", "GB", BARS["memory"])


def cuts(place: Path) -> Rows:
    """The nouns of WordNet, cut for the most frequent verbs."""
    table = folder() / "bnc-verb-noun" / "verb_object.tsv"
    if not table.is_file():
        raise FileNotFoundError(str(table))
    counts = Counts.read(table, columns=(2, 1, 3)).top(contexts=VERBS)
    taxonomy, reading = timed(lambda: taxonomy_of(place, part="noun"))
    tree, unfolding = timed(lambda: Hierarchy.of(taxonomy))
    model, cutting = timed(lambda: TreeCut(tree).fit(counts))
    nouns = counts.words.tolist()
    _, asking = timed(lambda: [model.probability(nouns, head) for head in model.heads_[:100]])
    total = reading + unfolding + cutting
    yield Row(f"{VERBS:,} verbs", total, None, f"{counts.total:,} tokens", "s", BARS["cut"])
    yield memory()
    known = float((1 - model.unknown_) @ counts.context_totals / counts.total)
    yield (
        f"cuts: read {reading:.1f} s, unfolded {unfolding:.1f} s ({tree.n_nodes:,} nodes, of "
        f"which {tree.n_classes:,} copies of {len(taxonomy.labels):,} classes), cut {cutting:.1f} "
        f"s; {known:.1%} of the tokens are known; {100 * len(nouns):,} probabilities in "
        f"{asking:.1f} s; {model.description_length_.sum() / counts.total:.3f} nats per token."
    )


def imported(place: Path) -> Rows:
    """Nouns and verbs as a thesaurus: reading, places, neighbours, and the page's start."""
    from roget.report.words import look_around
    from roget.web.views import Views

    thesaurus, spent = timed(lambda: read(place))
    yield Row("import", spent, None, f"{len(thesaurus):,} words", "s", BARS["import"])
    _, spent = timed(lambda: thesaurus.places)
    yield Row("places", spent, None, f"{thesaurus.tree.n_nodes:,} nodes", "s", BARS["places"])
    found, spent = timed(lambda: look_around(thesaurus, "dog", 10, "both"))
    yield Row("neighbours, first", spent, None, "no peer", "s", BARS["look"])
    yield f"neighbours of dog: {', '.join(one['word'] for one in found['neighbours'])}."
    _, spent = timed(lambda: Views(thesaurus, "WordNet").warm())
    yield Row("explore, start", spent, None, "no peer", "s", BARS["page"])
    yield memory()


def main() -> None:
    """Run the chosen cases, then print the table and what fell short."""
    asked = options(__doc__, wordnet={"metavar": "FOLDER", "help": "a dict folder, or tables"})
    cases = {"cuts": cuts, "imported": imported}
    known = {name: partial(_with_wordnet, case, asked.wordnet) for name, case in cases.items()}
    about = ["CPU seconds of one run; the bar stands for the value itself"]
    run(known, chosen(known, asked.only), about, asked.json)


def _with_wordnet(case: Callable[[Path], Rows], named: str | None) -> Rows:
    yield from case(wordnet(named))


if __name__ == "__main__":
    main()
