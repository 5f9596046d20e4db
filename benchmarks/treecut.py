"""Measure tree cuts of WordNet for 2,000 verbs, and WordNet as a thesaurus: seconds and memory.

WordNet is a dict folder (Debian: wordnet-base) or the tables in the test data. The counts are the
BNC's.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from harness.measuring import (
    Case,
    LeftOut,
    Row,
    Rows,
    data_folder,
    find_data,
    peak,
    timed,
)
from harness.script import run_script

from roget.core.counts import Counts
from roget.learn.taxonomy import read, taxonomy_of
from roget.learn.treecut import TreeCut, WordHierarchy

OPTIONS = {"wordnet": {"metavar": "FOLDER", "help": "a dict folder, or tables"}}
SLOW_QUICK = ("cuts", "imported")
ABOUT = "CPU seconds of one run; the bar stands for the value itself."

VERBS = 2000
BARS = {
    "cut": 60.0,  # seconds, including reading WordNet
    "import": 15.0,
    "places": 3.0,
    "look": 3.0,
    "page": 10.0,
    "memory": 2.0,  # GB
}


def wordnet(named: str | None) -> Path:
    """Return the WordNet that is named or found."""
    places = [Path(named)] if named else [Path("/usr/share/wordnet"), data_folder() / "wordnet30"]
    for place in places:
        if place.is_dir():
            return place
    raise LeftOut(f"no WordNet at {' or '.join(map(str, places))}")


def memory(case: str, work: Callable[[], object]) -> Row:
    """Return the peak memory of some work."""
    return Row(f"{case}, peak", peak(work) / 1e9, None, "no peer", "GB", BARS["memory"])


def cuts(place: Path) -> Rows:
    """Cut the nouns of WordNet for the most frequent verbs."""
    table = find_data("bnc-verb-noun", "verb_object.tsv")
    counts = Counts.read(table, columns=(2, 1, 3)).top(contexts=VERBS)
    taxonomy, reading = timed(lambda: taxonomy_of(place, part="noun"))
    tree, unfolding = timed(lambda: WordHierarchy.from_source(taxonomy))
    model, cutting = timed(lambda: TreeCut(tree).fit(counts))
    nouns = counts.words.tolist()
    _, asking = timed(lambda: [model.probability(nouns, head) for head in model.heads_[:100]])
    total = reading + unfolding + cutting
    yield Row(f"{VERBS:,} verbs", total, None, f"{counts.total:,} tokens", "s", BARS["cut"])
    yield memory(
        "cuts",
        lambda: TreeCut(WordHierarchy.from_source(taxonomy_of(place, part="noun"))).fit(counts),
    )
    known = float((1 - model.unknown_) @ counts.context_totals / counts.total)
    yield (
        f"cuts: read {reading:.1f} s, unfolded {unfolding:.1f} s ({tree.n_nodes:,} nodes, of "
        f"which {tree.n_classes:,} copies of {len(taxonomy.labels):,} classes), cut {cutting:.1f} "
        f"s; {known:.1%} of the tokens are known; {100 * len(nouns):,} probabilities in "
        f"{asking:.1f} s; {model.description_length_.sum() / counts.total:.3f} nats per token."
    )


def imported(place: Path) -> Rows:
    """Measure nouns and verbs as a thesaurus: reading, positions, neighbours, and opening the
    explorer.
    """
    from roget.report.words import describe_neighbours
    from roget.web.session import warm
    from roget.web.snapshot import ThesaurusSnapshot

    thesaurus, spent = timed(lambda: read(place))
    yield Row("import", spent, None, f"{len(thesaurus):,} words", "s", BARS["import"])
    _, spent = timed(lambda: thesaurus.places)
    yield Row("places", spent, None, f"{thesaurus.tree.n_nodes:,} nodes", "s", BARS["places"])
    found, spent = timed(lambda: describe_neighbours(thesaurus, "dog", 10, "both"))
    yield Row("neighbours, first", spent, None, "no peer", "s", BARS["look"])
    yield f"neighbours of dog: {', '.join(one['word'] for one in found['neighbours'])}."
    _, spent = timed(lambda: warm(ThesaurusSnapshot(thesaurus, "WordNet")))
    yield Row("explore, start", spent, None, "no peer", "s", BARS["page"])
    yield memory("explore", lambda: warm(ThesaurusSnapshot(read(place), "WordNet")))


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return both cases by name."""
    place = wordnet(asked.wordnet)
    return {"cuts": partial(cuts, place), "imported": partial(imported, place)}


if __name__ == "__main__":
    run_script(__file__)
