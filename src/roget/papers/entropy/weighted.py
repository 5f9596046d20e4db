"""Section 3.3 and the last rows of Table 1: estimators for weighted labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from roget.core.types import Floats, Ints
from roget.papers.entropy.figures_1_2 import stack
from roget.papers.entropy.rules import WEIGHTED as RULES
from roget.papers.entropy.semeval import ESTIMATORS, TABLE_1
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, MissingData, Reproduced, find_data, uses_options
from roget.papers.rules import decide, decide_seeds
from roget.report import ReportTable
from roget.scoring.compare import compare
from roget.scoring.entropy import get
from roget.scoring.score import contingency

PRINTED = {"KCDC-PC-2": (5.7, 7.2, 2.3, 2.2), "UoY": (25.1, 22.8, 17.8, 5.0)}
"""Printed V times 100 for weighted labels. Other rows of Table 1 use only the heaviest label."""

ITEMS, CLASSES, CLUSTERS = 80, 3, 4
DRAWS, SEEDS = 2000, 3
MAX_DEVIATION = 4.0
"""Tolerance in standard errors. By chance, one of the 24 means exceeds it in 1 of 600 runs."""

FOLDER = "semeval2013-task13"


class Answers(NamedTuple):
    """Synthetic items: the class and the cluster probabilities of each item."""

    classes: Ints
    weights: Floats


def make_answers(seed: int) -> Answers:
    """Return random items whose clusters are correlated with their classes."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, CLASSES, ITEMS)
    lean = 0.4 + 3.0 * (classes[:, None] == np.arange(CLUSTERS))
    weights = np.array([rng.dirichlet(row) for row in lean])
    return Answers(classes, weights)


def draw_entropies(answers: Answers, name: str, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Return estimates of H(K) and H(C,K) for hard labels sampled from the weights."""
    rng = np.random.default_rng(seed)
    bounds = np.cumsum(answers.weights, axis=1)[:, :-1]
    found = (rng.random((draws, ITEMS, 1)) > bounds).sum(axis=2)
    cells = answers.classes * CLUSTERS + found
    estimator = get(name)
    is_bounded = estimator.joint_support == "product"
    values = []
    for labels, size in ((found, CLUSTERS), (cells, CLASSES * CLUSTERS)):
        support = np.full(draws, size) if is_bounded else None
        counts = np.eye(size, dtype=np.int64)[labels].sum(axis=1)
        values.append(np.asarray(estimator(stack(counts), support)))
    return values[0], values[1]


def score_graded(folder: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Return V of the SemEval-2013 task 13 systems, by system, kind of label and estimator."""
    systems = {
        path.parent.parent.name + " " + path.parent.name: path
        for path in sorted(folder.glob("systems/*/*/*.key"))
    }
    values: dict[str, dict[str, dict[str, float]]] = {name: {} for name in systems}
    for answers in ("weighted", "top"):
        found = compare(
            folder / "gold" / "all.key", systems, "v", ESTIMATORS, answers=answers, baselines=False
        )
        for row in found.rows:
            if row.entropy is not None and row.value is not None:
                values[row.system].setdefault(answers, {})[row.entropy] = row.value
    return values


@uses_options("random_state")
def weighted(options: ReproduceOptions) -> Reproduced:
    """Reproduce Section 3.3 and Table 1 of Li, Titov & Sporleder (2014): weighted labels."""
    claims = [_expect(options.random_state), _reduce(options.random_state), *_read_table()]
    try:
        gold = find_data(options, "SemEval-2013 task 13", FOLDER, "gold", "all.key")
    except MissingData:
        graded = {}
        source = "SemEval-2013 task 13 has such labels but is not available; pass --data FOLDER."
    else:
        graded = score_graded(gold.parent.parent)
        found = {
            name: (_spread(of["top"].values()), _spread(of["weighted"].values()))
            for name, of in graded.items()
        }
        claims.append(_compare("spread", "SemEval-2013", found))
        source = "The weighted labels of SemEval-2013 task 13 are used instead."
    return Reproduced(
        "Weighted labels (Li, Titov & Sporleder 2014, Section 3.3 and Table 1)",
        about=(
            f"A weighted label is a distribution over hard labels. For {ITEMS} synthetic items, "
            f"{CLASSES} classes and {CLUSTERS} clusters, the expected estimate by the recursion is "
            f"compared with the mean of {DRAWS:,} samples. The weighted system output of the paper "
            f"is not available. {source}"
        ),
        claims=claims,
        tables=[_table(graded)] if graded else [],
        notes=[_moral(graded)] if graded else [],
        data=graded,
    )


def _expect(seed: int) -> Claim:
    """Test whether expected estimates of H(K) and H(C,K) equal the mean over sampled labels."""
    far = max(deviation(number) for number in range(seed, seed + SEEDS))
    apart = f"at most {far:.1f} standard errors apart"
    what = "expected estimates and sample means"
    return Claim(RULES["expectation"], what, "equal", apart, decided=decide(far < MAX_DEVIATION))


def deviation(seed: int) -> float:
    """Return the largest difference between expected and sampled estimates, in standard errors."""
    answers = make_answers(seed)
    table = contingency(answers.classes, answers.weights)
    far = 0.0
    for name in ESTIMATORS:
        exact = table.entropies(name)
        drawn = draw_entropies(answers, name, DRAWS, seed + 1)
        for value, values in zip((exact.system, exact.joint), drawn, strict=True):
            doubt = values.std() / np.sqrt(values.size)
            far = max(far, abs(float(value - values.mean())) / float(doubt))
    return far


def _reduce(seed: int) -> Claim:
    """Test whether weights of 0 and 1 give the same scores as hard labels."""
    answers = make_answers(seed)
    sure = answers.weights.argmax(axis=1)
    soft, hard = (
        contingency(answers.classes, np.eye(CLUSTERS)[sure]),
        contingency(answers.classes, sure),
    )
    apart = max(abs(soft.measure("v", name) - hard.measure("v", name)) for name in ESTIMATORS)
    what = "weights of 0 and 1, and hard labels"
    return Claim(RULES["hard"], what, "equal", f"{apart:.0e} apart", decided=decide(apart < 1e-9))


def _read_table() -> list[Claim]:
    """Test the statements that compare printed values with each other."""
    claims = []
    for name, rule, sign, other in (
        ("KCDC-PC-2", "decrease", -1, "mm"), ("UoY", "increase", 1, "bub"),
    ):  # fmt: skip
        changes = {
            one: new - old
            for one, new, old in zip(ESTIMATORS, PRINTED[name], TABLE_1[name].v, strict=True)
        }
        right = all((sign * change > 0) == (one != other) for one, change in changes.items())
        ours = ", ".join(f"{one} {change:+.1f}" for one, change in changes.items())
        published = f"{rule}, except {other}"
        claims.append(
            Claim(RULES[rule], f"{name}, with weights", published, ours, decided=decide(right))
        )
    spreads = {name: (_spread(TABLE_1[name].v), _spread(row)) for name, row in PRINTED.items()}
    return [*claims, _compare("printed-spread", "as printed", spreads)]


def _spread(values: Iterable[float]) -> float:
    """Return the difference between the largest and the smallest value."""
    found = list(values)
    return max(found) - min(found)


def _compare(rule: str, source: str, spreads: Mapping[str, tuple[float, float]]) -> Claim:
    """Test whether estimators differ more on weighted than on hard labels."""
    more = [soft > hard for hard, soft in spreads.values()]
    ours = f"{sum(more)} of {len(spreads)} systems"
    what = f"estimators disagree more with weights: {source}"
    return Claim(RULES[rule], what, "yes", ours, decided=decide_seeds(more))


def _moral(graded: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    lost = {
        one: fmean(of["top"][one] - of["weighted"][one] for of in graded.values())
        for one in ESTIMATORS
    }
    values = ", ".join(f"{value:.3f} ({one})" for one, value in lost.items())
    return (
        f"From hard labels (largest weight) to weighted labels, V falls by {values} on average: "
        "sampled labels agree more by chance, which plug-in V counts as agreement."
    )


def _table(graded: Mapping[str, Mapping[str, Mapping[str, float]]]) -> ReportTable:
    titles = ("SemEval-2013 task 13: V", "labels", *ESTIMATORS)
    rows = [
        (name, label, *(f"{of[kind][one]:.3f}" for one in ESTIMATORS))
        for name, of in graded.items()
        for kind, label in (("top", "largest weight"), ("weighted", "weighted"))
    ]
    return ReportTable.of(titles, rows, numbers=ESTIMATORS)
