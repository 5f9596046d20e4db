"""How often nominal 95 % intervals cover the truth, when items are drawn from a known table.

Run `python benchmarks/intervals.py [--items 200] [--trials 300] [--draws 300]`. One row per score,
one column per kind of interval; 0.95 is right, less is an interval that promises too much.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

import roget
from roget.scoring.options import INTERVALS

TRIAL = "minutes; nothing else"
MEASURES = ("v", "nvi", "ari")
ENTROPIES = ("ml", "jk", "bub")
CLASSES, CLUSTERS = 5, 8


def truth(random: np.random.Generator) -> npt.NDArray[np.float64]:
    """A table of probabilities: each class mostly in a cluster of its own, the rest anywhere."""
    table = 0.4 * random.dirichlet(np.ones(CLUSTERS), size=CLASSES)
    table[np.arange(CLASSES), np.arange(CLASSES)] += 0.6
    table *= random.dirichlet(np.full(CLASSES, 5.0))[:, None]
    return table / table.sum()


def covered(
    table: npt.NDArray[np.float64], items: int, trials: int, draws: int, method: str, seed: int
) -> dict[str, float]:
    """The share of trials in which the interval of each score holds the score of the table."""
    huge = roget.Contingency.from_table(np.rint(table * 10**9).astype(np.int64))
    random = np.random.default_rng(seed)
    hits: dict[str, int] = {}
    for trial in range(trials):
        cells = random.choice(table.size, size=items, p=table.ravel())
        gold, system = np.divmod(cells, CLUSTERS)
        options = {"ci": draws, "interval": method, "seed": trial, "baselines": False}
        for row in roget.score(gold, system, MEASURES, ENTROPIES, **options).rows:
            name = " ".join(filter(None, (row.measure, row.entropy)))
            true = huge.measure(row.measure)
            inside = row.low is not None and row.low <= true <= (row.high or true)
            hits[name] = hits.get(name, 0) + inside
    return {name: count / trials for name, count in hits.items()}


def main() -> None:
    """Print the table of coverages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--draws", type=int, default=300)
    chosen = parser.parse_args()
    table = truth(np.random.default_rng(1))
    columns = {
        method: covered(table, chosen.items, chosen.trials, chosen.draws, method, seed=2)
        for method in INTERVALS
        if method != "auto"
    }
    print(f"{chosen.items} items, {CLASSES} × {CLUSTERS} cells, {chosen.trials} trials")
    print(f"{'score':<8}" + "".join(f"{method:>12}" for method in columns))
    for name in next(iter(columns.values())):
        print(f"{name:<8}" + "".join(f"{column[name]:>12.3f}" for column in columns.values()))


if __name__ == "__main__":
    main()
