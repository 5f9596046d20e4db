"""V by sample size, and the order of embeddings by V in small and large samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from roget import catalogue
from roget.catalogue import name_extra
from roget.core.intervals import interval
from roget.core.types import Floats, Ints
from roget.papers.entropy.rules import SAMPLE_SIZE as RULES
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, MissingData, Reproduced, find_data, uses_options
from roget.papers.rules import Verdict, decide, decide_mean
from roget.protocols import SEED, evaluate_embeddings
from roget.report import ReportTable
from roget.report.figures import SERIES, set_log
from roget.report.format import canvas
from roget.scoring.measures.base import evaluate, parse
from roget.scoring.tables.contingency import Contingency

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (512, 1024, 2048, 4096, 8192, 16_384)
"""Sample sizes of the clusterings."""

POPULATION = 65_536
"""Number of items of each clustering, from which samples are drawn without replacement."""

CLASSES = (5, 20, 100)
"""Numbers of classes, and of clusters."""

SETS = 20
"""Number of clusterings for each number of classes."""

KEPT = 0.6
"""Probability that an item is in the cluster of its class instead of a random cluster."""

EVENNESS = 2.0
"""Parameter of the Dirichlet distribution of class sizes and of random clusters."""

NEAR = 0.01
"""Maximum difference in V between sample sizes for V to count as unchanged."""

MODELS, SEEDS, DRAWS = 8, 3, 10
"""Number of simulated embeddings, number of random seeds, and number of samples per embedding."""

MODEL_SIZES = (512, 8192)
"""Sample sizes of the embeddings."""

MODEL_ITEMS, MODEL_CLASSES, DIMENSIONS = 16_384, 20, 8
"""Number of items, of classes and of dimensions of the embeddings."""

TEXT_SIZES = (256, 2048)
"""Sample sizes of the LSA embeddings of texts."""

RANKS = (5, 20, 50, 100)
"""Dimensions of the LSA embeddings, each with plain and with logarithmic word counts."""

AMI = "ami"
SCORES = ("v@ml", "v@jk", AMI)
"""Scores by which embeddings are ordered."""

SHOWN = ("ml", "jk", "bub", AMI)
"""Curves shown in the figure."""

LABELS = {"ml": "V (ml)", "jk": "V (jk)", "bub": "V (bub)", AMI: "AMI"}

Curves: TypeAlias = Mapping[tuple[int, str], Floats]
"""V for each set and sample size, keyed by number of classes and estimator."""

Means: TypeAlias = Mapping[tuple[int, int, str], Floats]
"""Mean scores of all models, keyed by seed, sample size and score."""


class Order(NamedTuple):
    """The number of pairs of models that two rankings order differently."""

    what: str
    changed: list[int]
    """For each seed, the number of pairs of models that the two rankings order differently."""


@uses_options("random_state")
def sample_size(options: ReproduceOptions) -> Reproduced:
    """Reproduce the bias of V by sample size (Li, Titov & Sporleder 2014) on simulated labels."""
    names = catalogue.names("entropies")
    curves = score_samples(names, options.random_state)
    means = score_models(options.random_state)
    orders = [*compare_orders(means, MODEL_SIZES)]
    texts = score_texts(options)
    pairs = MODELS * (MODELS - 1) // 2
    return Reproduced(
        "V by sample size (Li, Titov & Sporleder 2014)",
        about=(
            f"{SETS} simulated clusterings of {POPULATION:,} items for each number of classes, "
            "with the same number of clusters: an item is in the cluster of its class with "
            f"probability {KEPT}, and otherwise in a random cluster; class sizes and random "
            f"clusters follow a Dirichlet distribution with parameter {EVENNESS:g}. V is computed "
            f"on samples of each clustering. The {MODELS} embeddings have {MODEL_CLASSES} "
            f"normally distributed classes in {DIMENSIONS} dimensions, with increasing noise; "
            f"they are evaluated by MTEB's protocol: mean V of {DRAWS} samples, each clustered by "
            "mini-batch k-means."
        ),
        claims=[*judge(curves), judge_order(means)],
        tables=[
            *(_table_curves(curves, names, k) for k in CLASSES),
            _table_orders(f"simulated models: pairs of {pairs} in another order", orders),
            *([_table_texts(texts)] if texts else ()),
        ],
        notes=[
            _conclude(curves, names),
            *([] if texts else ["LSA of BBC news left out: pass --data FOLDER"]),
        ],
        data={
            "curves": [
                {"classes": k, "entropy": name, "v": values.mean(axis=0).tolist()}
                for (k, name), values in curves.items()
            ],
            "sizes": list(SIZES),
            "orders": [one._asdict() for one in orders],
            "texts": [one._asdict() for one in compare_orders(texts, TEXT_SIZES)] if texts else [],
        },
        picture=partial(draw, curves),
    )


def simulate_labels(k: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Return the class and the cluster of each item of a population."""
    gold = random.choice(k, POPULATION, p=random.dirichlet(np.full(k, EVENNESS)))
    other = random.choice(k, POPULATION, p=random.dirichlet(np.full(k, EVENNESS)))
    return gold, np.where(random.random(POPULATION) < KEPT, gold, other)


def score_samples(names: Sequence[str], seed: int) -> Curves:
    """Return V by all estimators, and AMI, on nested samples of each simulated clustering."""
    scores = {AMI: (parse(AMI), None), **{name: (parse("v"), name) for name in names}}
    found = {(k, name): np.zeros((SETS, len(SIZES))) for k in CLASSES for name in scores}
    for k in CLASSES:
        for at in range(SETS):
            random = np.random.default_rng([seed, k, at])
            gold, system = simulate_labels(k, random)
            keys = random.permutation(gold * k + system)
            for column, size in enumerate(SIZES):
                used, counts = np.unique(keys[:size], return_counts=True)
                table = Contingency.from_cells(used // k, used % k, counts)
                for name, request in scores.items():
                    value, _ = evaluate(table, request)
                    found[k, name][at, column] = float(value[0])
    return found


def simulate_models(seed: int) -> Iterator[tuple[Ints, Floats]]:
    """Yield the labels and the items of each embedding. Later embeddings have more noise."""
    random = np.random.default_rng([seed, 1])
    shares = random.dirichlet(np.full(MODEL_CLASSES, EVENNESS))
    gold = random.choice(MODEL_CLASSES, MODEL_ITEMS, p=shares)
    for model in range(MODELS):
        own = np.random.default_rng([seed, 2, model])
        centres = own.normal(size=(MODEL_CLASSES, DIMENSIONS))
        noise = own.normal(size=(MODEL_ITEMS, DIMENSIONS)) * (0.8 + 0.05 * model)
        yield gold, (centres[gold] + noise).astype(np.float32)


def score_models(seed: int) -> Means:
    """Evaluate all simulated embeddings by MTEB's protocol, at each sample size."""
    found: dict[tuple[int, int, str], Floats] = {}
    for at in range(SEEDS):
        found |= evaluate_models(at, list(simulate_models(seed + at)), MODEL_SIZES)
    return found


def evaluate_models(
    at: int, models: Sequence[tuple[Any, Floats]], sizes: Sequence[int], seed: int = SEED
) -> Means:
    """Return the mean scores of several embeddings by MTEB's protocol.

    Keys of the result begin with `at`.
    """
    found = {}
    for size in sizes:
        tables = [
            evaluate_embeddings(items, gold, samples=DRAWS, size=size, seed=seed).means
            for gold, items in models
        ]
        for name in SCORES:
            found[at, size, name] = np.array([table[name] for table in tables], dtype=float)
    return found


def score_texts(options: ReproduceOptions) -> Means:
    """Evaluate LSA embeddings of the BBC's news, or return no scores if the texts are missing."""
    try:
        path = find_data(options, "the BBC's texts", "bbc-news", "bbc.tsv")
    except MissingData:
        return {}
    with name_extra():
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.preprocessing import normalize
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    labels = [row[0] for row in rows]
    models = []
    for logarithmic in (False, True):
        words = TfidfVectorizer(min_df=3, sublinear_tf=logarithmic, stop_words="english")
        counts = words.fit_transform(row[2] for row in rows)
        svd = TruncatedSVD(max(RANKS), random_state=options.random_state)
        vectors = svd.fit_transform(counts)
        models += [(labels, normalize(vectors[:, :rank])) for rank in RANKS]
    found: dict[tuple[int, int, str], Floats] = {}
    for at in range(SEEDS):
        found |= evaluate_models(at, models, TEXT_SIZES, seed=SEED + at)
    return found


def count_changes(first: Floats, second: Floats) -> int:
    """Return the number of pairs of models that two scores order differently.

    >>> count_changes(np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.4, 0.3]))
    1
    """
    pairs = combinations(range(first.size), 2)
    return sum(bool((first[a] - first[b]) * (second[a] - second[b]) < 0) for a, b in pairs)


def compare_orders(means: Means, sizes: tuple[int, int]) -> Iterator[Order]:
    """Count the pairs of models whose order depends on the sample size or on the score."""
    small, large = sizes

    def count(first: tuple[int, str], second: tuple[int, str]) -> list[int]:
        return [count_changes(means[seed, *first], means[seed, *second]) for seed in range(SEEDS)]

    for name in SCORES:
        yield Order(f"{name}: {small} items or {large:,}", count((small, name), (large, name)))
    for size in sizes:
        for name in SCORES[1:]:
            yield Order(f"{size:,} items: v@ml or {name}", count((size, "v@ml"), (size, name)))


def judge(curves: Curves) -> Iterator[Claim]:
    """Test that plug-in V falls with the sample size, and that corrected V does not change."""
    changes = {key: values[:, 0] - values[:, -1] for key, values in curves.items()}
    for k in CLASSES:
        change = changes[k, "ml"]
        yield Claim(
            RULES["rise"], f"{k} classes: V (ml) of {SIZES[0]} and {SIZES[-1]:,} items",
            "higher in the small sample", f"{change.mean():+.3f}",
            decided=decide_mean(change.tolist()),
        )  # fmt: skip
    for name in dict.fromkeys(name for _, name in curves):
        if name not in ("ml", AMI):
            each = [changes[k, name] for k in CLASSES]
            yield Claim(
                RULES["stable"], f"V ({name}) of {SIZES[0]} minus V of {SIZES[-1]:,} items",
                "0", ", ".join(f"{change.mean():+.3f}" for change in each),
                decided=decide_stable(each), reason=REASON,
            )  # fmt: skip


REASON = "the three numbers are for 5, 20 and 100 classes; at least one interval is not within ±.01"


def decide_stable(changes: Sequence[Floats]) -> Verdict:
    """Return "yes" if all intervals of mean changes are within ±.01, "differs" if one is outside.

    >>> str(decide_stable([np.array([0.001, 0.02]), np.array([0.0, 0.0])]))
    'cannot tell'
    >>> str(decide_stable([np.array([0.1, 0.101]), np.array([0.0, 0.0])]))
    'differs'
    """
    found = [interval(change.tolist()) for change in changes]
    ends = [(one.low or 0.0, one.high or 0.0) for one in found]
    if any(low > NEAR or high < -NEAR for low, high in ends):
        return Verdict.NO
    return (
        Verdict.YES
        if all(low >= -NEAR and high <= NEAR for low, high in ends)
        else (Verdict.UNCLEAR)
    )


def judge_order(means: Means) -> Claim:
    """Test that V (ml) orders embeddings in the same way in small and in large samples."""
    small, large = MODEL_SIZES
    changed = [
        count_changes(means[seed, small, "v@ml"], means[seed, large, "v@ml"])
        for seed in range(SEEDS)
    ]
    several = any(changed) and not all(changed)
    return Claim(
        RULES["order"], f"pairs of models in another order with {small} items", "0",
        ", ".join(map(str, changed)),
        decided=Verdict.UNCLEAR if several else decide(not any(changed)),
        reason="by seed",
    )  # fmt: skip


def _table_curves(curves: Curves, names: Sequence[str], k: int) -> ReportTable:
    """Return a table of mean V by sample size and estimator."""
    titles = ("items", *names, "AMI")
    rows = [
        (f"{size:,}", *(f"{curves[k, name][:, at].mean():.3f}" for name in (*names, AMI)))
        for at, size in enumerate(SIZES)
    ]
    return ReportTable.of(
        titles, rows, titles, title=f"{k} classes, {k} clusters: mean V, and mean AMI"
    )


def _table_orders(title: str, orders: Sequence[Order]) -> ReportTable:
    """Return a table of the numbers of pairs that are ordered differently, by seed."""
    seeds = [f"seed {seed}" for seed in range(SEEDS)]
    rows = [(one.what, *map(str, one.changed)) for one in orders]
    return ReportTable.of(("", *seeds), rows, seeds, title=title)


def _table_texts(means: Means) -> ReportTable:
    """Return a table of the numbers of pairs for LSA embeddings."""
    pairs = 2 * len(RANKS) * (2 * len(RANKS) - 1) // 2
    title = f"LSA of BBC news (5 classes, {2 * len(RANKS)} settings): pairs of {pairs}"
    return _table_orders(f"{title} in another order", [*compare_orders(means, TEXT_SIZES)])


def _conclude(curves: Curves, names: Sequence[str]) -> str:
    """Return a sentence that lists the estimators whose V is stable, for each number of classes."""
    parts = []
    for k in CLASSES:
        change = {n: abs(float((curves[k, n][:, 0] - curves[k, n][:, -1]).mean())) for n in names}
        held = [name for name in names if change[name] <= NEAR]
        best = min(change, key=lambda name: change[name])
        which = ", ".join(held) if held else f"none (smallest change: {best}, {change[best]:.3f})"
        parts.append(f"{k} classes: {which}")
    ami = max(abs(float((curves[k, AMI][:, 0] - curves[k, AMI][:, -1]).mean())) for k in CLASSES)
    return (
        f"Estimators whose V changes by at most {NEAR} on average: {'; '.join(parts)}. AMI changes "
        f"by at most {ami:.3f}."
    )


def draw(curves: Curves) -> Figure:
    """Draw mean V and AMI by sample size, with one panel for each number of classes."""
    figure = canvas(9, 3.2)
    panels = figure.subplots(1, len(CLASSES), sharey=True, squeeze=False)[0]
    for axes, k in zip(panels, CLASSES, strict=True):
        for name, (colour, marker) in zip(SHOWN, SERIES, strict=True):
            means = curves[k, name].mean(axis=0)
            axes.plot(SIZES, means, color=colour, marker=marker, markersize=3, label=LABELS[name])
        set_log(axes, "x", SIZES[0], SIZES[-1])
        axes.set(title=f"{k} classes", xlabel="number of items")
    panels[0].set(ylabel="score")
    panels[0].legend(frameon=False, fontsize=7)
    return figure
