"""Section 6 on a small scale: many induced constituent labels, and the same labels merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from roget.core.intervals import Interval, interval
from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.papers.nvi.table_1 import MEASURES
from roget.papers.nvi.tables_2_4 import LABELS, PRINTED
from roget.papers.nvi.treebank import Constituent, list_constituents, read_trees
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, find_data, heeds
from roget.report import ReportTable
from roget.scoring.score import contingency

LONGEST = 10
"""Maximum sentence length in words, without punctuation, as in the paper."""

PROMINENT = 0.95
"""Fraction of constituents covered by the P most frequent gold labels."""

SEEDS = 10
BANDS = {"1": 2, "< 10": 10, "< 100": 100}
"""Bins for the number of constituents per label, as in Table 2, with exclusive upper bounds."""


class Labelling(NamedTuple):
    """The scores, entropies in nats and sizes of one labelling of all constituents."""

    scores: Mapping[str, float]
    classes: float
    clusters: float
    both: float
    sizes: Ints

    @property
    def entropies(self) -> list[float]:
        """H(C), H(K) and H(C,K)."""
        return [self.classes, self.clusters, self.both]


Runs = Mapping[str, Sequence[Labelling]]
"""Labellings by name, one for each seed. MDL has only one, since it uses no seed."""


def read_constituents(path: str, longest: int = LONGEST) -> list[Constituent]:
    """Return the constituents of all short sentences in a treebank."""
    trees = (tree for tree in read_trees(path) if len(tree.words) <= longest)
    found = [one for tree in trees for one in list_constituents(tree)]
    if not found:
        raise InputError(
            f"{path}: no constituents in sentences of at most {longest} words",
            code="empty-input",
        )
    return found


def number_rules(constituents: Iterable[Constituent]) -> Ints:
    """Label each constituent by its rule, numbered in order of first occurrence."""
    known: dict[tuple[str, ...], int] = {}
    return np.array([known.setdefault(one.rule, len(known)) for one in constituents])


def describe_labels(constituents: Sequence[Constituent], labels: Ints) -> Floats:
    """Return one vector per label: the frequencies of adjacent, first, last and daughter tags."""
    features: dict[tuple[str, str], int] = {}
    rows, columns = [], []
    for one, label in zip(constituents, labels.tolist(), strict=True):
        seen = [
            ("left", one.left), ("right", one.right), ("first", one.first), ("last", one.last),
            *(("daughter", daughter) for daughter in one.rule),
        ]  # fmt: skip
        columns += [features.setdefault(feature, len(features)) for feature in seen]
        rows += [label] * len(seen)
    table = np.zeros((int(labels.max()) + 1, len(features)))
    np.add.at(table, (rows, columns), 1.0)
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def merge_labels(vectors: Floats, k: int, seed: int) -> Ints:
    """Cluster labels with k-means, giving every label the same weight."""
    k = min(k, len(np.unique(vectors, axis=0)))
    with threadpool_limits(1):
        found = KMeans(k, n_init=1, random_state=seed).fit(vectors).labels_
    return np.asarray(found, dtype=np.int64)


def count_labels(gold: Sequence[str]) -> tuple[int, int]:
    """Return the number of labels (T), and the number that cover 95 % of the constituents (P)."""
    shares = np.cumsum([count for _, count in Counter(gold).most_common()]) / len(gold)
    return shares.size, int(np.searchsorted(shares, PROMINENT, side="right")) + 1


def measure(gold: Sequence[str], labels: Ints) -> Labelling:
    """Return the scores, entropies and sizes of one labelling."""
    table = contingency(gold, labels)
    entropies = table.entropies()
    return Labelling(
        {name: table.measure(name) for name in MEASURES},
        float(entropies.gold),
        float(entropies.system),
        float(entropies.joint),
        np.unique(labels, return_counts=True)[1],
    )


def run(constituents: Sequence[Constituent], seeds: Iterable[int]) -> Runs:
    """Return the labelling by rules, and the labellings after merging it into T and P labels."""
    gold = [one.label for one in constituents]
    labels = number_rules(constituents)
    vectors = describe_labels(constituents, labels)
    runs: dict[str, list[Labelling]] = {"MDL": [measure(gold, labels)], "T": [], "P": []}
    for seed in seeds:
        for name, k in zip(("T", "P"), count_labels(gold), strict=True):
            runs[name].append(measure(gold, merge_labels(vectors, k, seed)[labels]))
    return runs


@heeds("treebank", "random_state")
def grammar(options: ReproduceOptions) -> Reproduced:
    """Reproduce Section 6 of Reichart & Rappoport (2009): labels of constituents, small scale."""
    path = options.treebank or find_data(
        options, "UD English EWT's dev part", "ud-english", "en_ewt-dev.conllu"
    )
    constituents = read_constituents(str(path))
    first = options.random_state
    runs = run(constituents, range(first, first + SEEDS))
    source = options.treebank or "UD English EWT, dev part"
    return Reproduced(
        "Labels of constituents (Reichart & Rappoport 2009, Section 6)",
        about=(
            f"{len(constituents):,} constituents of two words or more in sentences of at most "
            f"{LONGEST} words; from {source}. Gold labels are the labels of brackets; in CoNLL-U, "
            "where a constituent is a word with its dependents, the relation of that word. Instead "
            "of induced MDL labels, each distinct right-hand side in the unlabelled tree (tags, "
            "and X for constituents) is a label, which is the starting point of such learning. "
            "k-means merges these labels to T and P labels by the tags around, at the ends of and "
            f"directly below their constituents; mean and 95 % interval over {SEEDS} seeds."
        ),
        claims=_claim(runs),
        tables=[
            _tabulate_sizes(runs),
            _tabulate([*MEASURES.values()], runs, lambda one: [*one.scores.values()]),
            _tabulate(["H(C)", "H(K)", "H(C,K)"], runs, lambda one: one.entropies),
            _tabulate_printed(),
        ],
        notes=[
            "The last table is for the English corpus of the paper, with real induced labels: only "
            "the order within a column can be compared."
        ],
        data={name: [_plain(one) for one in found] for name, found in runs.items()},
    )


def _plain(one: Labelling) -> dict[str, object]:
    return {
        "labels": one.sizes.size,
        **one.scores,
        "entropies": one.entropies,
        "sizes": {name: int((one.sizes < size).sum()) for name, size in BANDS.items()},
    }


def _claim(runs: Runs) -> list[Claim]:
    """Check the paper's statements about its tables, for all seeds."""
    many, target, prominent = runs["MDL"][0], runs["T"], runs["P"]
    pairs = list(zip(target, prominent, strict=True))

    def count(what: str, holds: Callable[[Labelling, Labelling], bool]) -> Claim:
        held = sum(holds(t, p) for t, p in pairs)
        return Claim(what, "yes", f"{held} of {len(pairs)} seeds", holds=held == len(pairs))

    def better(name: str) -> Callable[[Labelling, Labelling], bool]:
        return lambda t, p: max(t.scores[name], p.scores[name]) < many.scores[name]

    v, nvi = (_change([_mean(found, name) for found in runs.values()]) for name in ("v", "nvi"))
    of_v, of_nvi = (
        _change(list(map(float, row))) for row in (PRINTED["WSJ10"].v, PRINTED["WSJ10"].nvi)
    )
    single = float((many.sizes == 1).sum()) / many.sizes.size
    prefers = _mean(prominent, "nvi") < _mean(target, "nvi")
    return [
        Claim(
            "most MDL labels have one constituent",
            "yes",
            _percent(single),
            holds=single > 0.5,
        ),
        count("VI prefers T and P to MDL", better("vi")),
        count("NVI prefers T and P to MDL", better("nvi")),
        Claim("NVI prefers P to T, on average", "yes", "yes" if prefers else "no"),
        count(
            "NVI_K prefers MDL",
            lambda t, p: many.scores["nvi-k"] < min(t.scores["nvi-k"], p.scores["nvi-k"]),
        ),
        Claim(
            "V changes less than half as much as NVI",
            f"by {_percent(of_v)} and {_percent(of_nvi)} (WSJ10)",
            f"by {_percent(v)} and {_percent(nvi)}",
            holds=v < nvi / 2,
        ),
        count("H(K) grows with labels", lambda t, p: p.clusters < t.clusters < many.clusters),
    ]


def _change(values: Sequence[float]) -> float:
    """Return the range of the values, divided by the largest value."""
    return 1 - min(values) / max(values) if max(values) else 0.0


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _mean(found: Sequence[Labelling], name: str) -> float:
    return float(np.mean([one.scores[name] for one in found]))


def _tabulate_sizes(runs: Runs) -> ReportTable:
    titles = ("constituents per label", "labels", *BANDS, "≥ 100")
    rows = []
    for name, found in runs.items():
        below = [np.mean([(one.sizes < size).sum() for one in found]) for size in BANDS.values()]
        every = np.mean([one.sizes.size for one in found])
        rows.append((name, *(f"{value:,.0f}" for value in (every, *below, every - below[-1]))))
    return ReportTable.of(titles, rows, numbers=titles[1:])


def _tabulate(
    titles: Sequence[str], runs: Runs, values: Callable[[Labelling], Sequence[float]]
) -> ReportTable:
    rows = []
    for name, found in runs.items():
        columns = zip(*map(values, found), strict=True)
        rows.append((name, *(_format_mean(interval(column)) for column in columns)))
    return ReportTable.of(("", *titles), rows, numbers=titles)


def _format_mean(found: Interval) -> str:
    """Format a mean, with half the width of its interval if the seeds give different values."""
    assert found.mean is not None
    if found.high is None or found.high - found.mean < 5e-4:
        return f"{found.mean:.3f}"
    return f"{found.mean:.3f} ± {found.high - found.mean:.3f}"


def _tabulate_printed() -> ReportTable:
    row = PRINTED["WSJ10"]
    titles = ("WSJ10, as printed", *MEASURES.values(), "H(C)", "H(K)")
    rows = [
        (name, row.v[at], row.vi[at], row.nvi[at], row.nvi_k[at], row.classes, row.clusters[at])
        for at, name in enumerate(LABELS)
    ]
    return ReportTable.of(titles, rows, numbers=titles[1:])
