"""Section 6 on a small scale: induced labels of constituents, before and after merging them."""

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
from roget.papers.nvi.induction import induce_labels
from roget.papers.nvi.rules import GRAMMAR as RULES
from roget.papers.nvi.table_1 import MEASURES
from roget.papers.nvi.tables_2_4 import LABELS, PRINTED
from roget.papers.nvi.treebank import Constituent, list_constituents, read_trees
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, MissingData, Reproduced, find_data, uses_options
from roget.papers.rules import decide, decide_mean
from roget.report import ReportTable
from roget.scoring.score import contingency

LONGEST = 10
"""Maximum sentence length in words, without punctuation, as in the paper."""

PROMINENT = 0.95
"""Fraction of constituents that the P most frequent gold labels must cover."""

SEEDS = 10
BANDS = {"1": 2, "< 10": 10, "< 100": 100}
"""Ranges of the number of constituents per label, as in Table 2, with exclusive upper bounds."""


class Labelling(NamedTuple):
    """Scores, sizes and entropies (in nats) of one labelling of all constituents."""

    scores: Mapping[str, float]
    corrected: Mapping[str, float]
    """Scores corrected for the bias towards many labels: V with jackknife entropies, and AMI."""
    classes: float
    clusters: float
    both: float
    sizes: Ints

    @property
    def entropies(self) -> list[float]:
        """H(C), H(K) and H(C,K)."""
        return [self.classes, self.clusters, self.both]


Runs = Mapping[str, Sequence[Labelling]]
"""Labellings by name, one per seed. MDL has only one labelling, because it uses no seed."""


def read_constituents(path: str, longest: int = LONGEST) -> list[Constituent]:
    """Return the constituents of all short sentences in a treebank."""
    trees = (tree for tree in read_trees(path) if len(tree.words) <= longest)
    found: list[Constituent] = []
    for tree in trees:
        begin = len(found)
        found += [
            one._replace(parent=one.parent + begin) if one.parent >= 0 else one
            for one in list_constituents(tree)
        ]
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
    """Cluster labels with k-means. Every label has the same weight."""
    k = min(k, len(np.unique(vectors, axis=0)))
    with threadpool_limits(1):
        # Elkan's algorithm does not use BLAS for distances, so equal distances stay equal on every
        # processor.
        model = KMeans(k, n_init=1, random_state=seed, algorithm="elkan")
        found = model.fit(vectors).labels_
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
        {"V (jk)": table.measure("v", "jk"), "AMI": table.measure("ami")},
        float(entropies.gold),
        float(entropies.system),
        float(entropies.joint),
        np.unique(labels, return_counts=True)[1],
    )


def run(constituents: Sequence[Constituent], seeds: Iterable[int]) -> Runs:
    """Return the induced labelling, and the labellings after merging it into T and P labels."""
    gold = [one.label for one in constituents]
    labels = induce_labels(constituents, number_rules(constituents))
    vectors = describe_labels(constituents, labels)
    runs: dict[str, list[Labelling]] = {"MDL": [measure(gold, labels)], "T": [], "P": []}
    for seed in seeds:
        for name, k in zip(("T", "P"), count_labels(gold), strict=True):
            runs[name].append(measure(gold, merge_labels(vectors, k, seed)[labels]))
    return runs


@uses_options("treebank", "random_state")
def grammar(options: ReproduceOptions) -> Reproduced:
    """Reproduce Section 6 of Reichart & Rappoport (2009): labels of constituents, small scale."""
    seeds = range(options.random_state, options.random_state + SEEDS)
    claims, tables, data, read = [], [], {}, []
    for language, path in find_treebanks(options).items():
        constituents = read_constituents(path)
        rules = int(number_rules(constituents).max()) + 1
        runs = run(constituents, seeds)
        name = f"{language}: " if language else ""
        claims += judge(runs, name)
        read.append(
            f"{name}{len(constituents):,} constituents, {rules:,} right-hand sides, "
            f"{runs['MDL'][0].sizes.size:,} MDL labels"
        )
        tables += [
            _tabulate_sizes(runs, language),
            _tabulate(
                [*MEASURES.values(), *runs["MDL"][0].corrected], runs,
                lambda one: [*one.scores.values(), *one.corrected.values()], language,
            ),
            _tabulate(["H(C)", "H(K)", "H(C,K)"], runs, lambda one: one.entropies, language),
        ]  # fmt: skip
        data[language] = {name: [_plain(one) for one in found] for name, found in runs.items()}
    return Reproduced(
        "Labels of constituents (Reichart & Rappoport 2009, Section 6)",
        about=(
            f"Constituents of two words or more in sentences of at most {LONGEST} words. "
            f"{'; '.join(read)}. Gold labels are the labels of brackets; in CoNLL-U, where a "
            "constituent is a word with its dependents, the relation of that word. Brackets are "
            "the treebank's; the paper induces its brackets. MDL labels: at first, each distinct "
            "right-hand side of tags and constituents is a label; labels are then merged as long "
            "as this shortens the description of the grammar and the treebank. k-means merges "
            "MDL labels to T labels (as many as gold labels) and P labels (as many as cover 95 % "
            "of the constituents) by the tags around, at the ends of and directly below their "
            f"constituents; mean and 95 % interval over {SEEDS} seeds. V (jk), with jackknife "
            "entropies, and AMI are corrected for the bias towards many labels."
        ),
        claims=claims,
        tables=[*tables, _tabulate_printed()],
        data=data,
    )


TREEBANKS = {
    "English": ("ud-english", "en_ewt-dev.conllu"),
    "German": ("ud-other", "de_gsd-ud-dev.conllu.gz"),
    "Chinese": ("ud-other", "zh_gsdsimp-ud-dev.conllu.gz"),
}
"""Treebanks used by default, in the languages of the paper."""


def find_treebanks(options: ReproduceOptions) -> dict[str, str]:
    """Return the treebank passed by the user, or all available default treebanks by language."""
    if options.treebank is not None:
        return {"": options.treebank}
    found = {}
    missing: MissingData | None = None
    for language, place in TREEBANKS.items():
        try:
            found[language] = str(find_data(options, f"a UD treebank of {language}", *place))
        except MissingData as error:
            missing = missing or error
    if missing is not None and not found:
        raise missing
    return found


def _plain(one: Labelling) -> dict[str, object]:
    return {
        "labels": one.sizes.size,
        **one.scores,
        **one.corrected,
        "entropies": one.entropies,
        "sizes": {name: int((one.sizes < size).sum()) for name, size in BANDS.items()},
    }


def judge(runs: Runs, name: str = "") -> list[Claim]:
    """Test the paper's statements about its tables for one treebank."""
    many, target, prominent = runs["MDL"][0], runs["T"], runs["P"]
    pairs = list(zip(target, prominent, strict=True))

    def compare(rule: str, what: str, value: Callable[[Labelling, Labelling], float]) -> Claim:
        values = [value(t, p) for t, p in pairs]
        mean = interval(values)
        ours = (
            f"by {mean.mean:.3f}" if mean.low is None else f"by {mean.low:.3f} to {mean.high:.3f}"
        )
        return Claim(RULES[rule], name + what, "yes", ours, decided=decide_mean(values))

    single = float((many.sizes == 1).sum()) / many.sizes.size
    scores = many.scores
    changes = [
        {one: _change([many.scores[one], t.scores[one], p.scores[one]]) for one in ("v", "nvi")}
        for t, p in pairs
    ]
    halves = [change["nvi"] / 2 - change["v"] for change in changes]
    v, nvi = (100 * float(np.mean([change[one] for change in changes])) for one in ("v", "nvi"))
    return [
        Claim(
            RULES["single"], f"{name}MDL labels with one constituent", "most",
            _percent(single), decided=decide(single > 0.5),
        ),
        compare("vi", "VI prefers T and P to MDL",
                lambda t, p: scores["vi"] - max(t.scores["vi"], p.scores["vi"])),
        compare("vi", "NVI prefers T and P to MDL",
                lambda t, p: scores["nvi"] - max(t.scores["nvi"], p.scores["nvi"])),
        compare("prominent", "NVI prefers P to T", lambda t, p: t.scores["nvi"] - p.scores["nvi"]),
        compare("nvi-k", "NVI_K prefers MDL",
                lambda t, p: min(t.scores["nvi-k"], p.scores["nvi-k"]) - scores["nvi-k"]),
        Claim(
            RULES["v"], f"{name}V almost identical", "relative range far below that of NVI",
            f"V {v:.0f} %, NVI {nvi:.0f} %", decided=decide_mean(halves),
            reason="V of " + ", ".join(
                f"{label} is {np.mean([one.scores['v'] for one in found]):.3f}"
                for label, found in runs.items()
            ),
        ),
        compare("entropy", "H(K) increases with labels",
                lambda t, p: min(many.clusters - t.clusters, t.clusters - p.clusters)),
    ]  # fmt: skip


def _change(values: Sequence[float]) -> float:
    """Return the relative range of the values: their range divided by the largest value."""
    return 1 - min(values) / max(values) if max(values) else 0.0


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _tabulate_sizes(runs: Runs, title: str = "") -> ReportTable:
    titles = ("constituents per label", "labels", *BANDS, "≥ 100")
    rows = []
    for name, found in runs.items():
        below = [np.mean([(one.sizes < size).sum() for one in found]) for size in BANDS.values()]
        every = np.mean([one.sizes.size for one in found])
        rows.append((name, *(f"{value:,.0f}" for value in (every, *below, every - below[-1]))))
    return ReportTable.of(titles, rows, numbers=titles[1:], title=title)


def _tabulate(
    titles: Sequence[str],
    runs: Runs,
    values: Callable[[Labelling], Sequence[float]],
    title: str = "",
) -> ReportTable:
    rows = []
    for name, found in runs.items():
        columns = zip(*map(values, found), strict=True)
        rows.append((name, *(_format_mean(interval(column)) for column in columns)))
    return ReportTable.of(("", *titles), rows, numbers=titles, title=title)


def _format_mean(found: Interval) -> str:
    """Format a mean. If the seeds give different values, add half the width of its interval."""
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
