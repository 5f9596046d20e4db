"""Compare scoring with scikit-learn in one process: CPU time, memory, import time."""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np
import numpy.typing as npt
from harness.measuring import Case, Row, Rows, beside, cpu, size, spend
from harness.script import run_script
from sklearn.metrics import adjusted_mutual_info_score, v_measure_score

import roget
from roget.scoring.inputs import Inputs, read_sides
from roget.scoring.options import PipelineOptions
from roget.scoring.pipeline import Counter, evaluate_systems, tabulate_systems

Labels = npt.NDArray[np.int64]

PEERS = ("scikit-learn", "pandas")
FORKS = True
AGREEMENT = 0.7
ABOUT = f"Labels agree {AGREEMENT:.0%}; peak = memory on top of the inputs."
SEED = 2014

BARS = {
    100: 1 / 20,  # clusters: the whole report relative to one number of the peer
    10**4: 1 / 15,
    "memory": 1.0,
    "bincount": 4.0,  # relative to one bincount of an existing joint key
    "sort": 4.0,
    "strings": 1 / 10,
    "memory of strings": 1 / 3,
    "ami": 1 / 50,
    "groups": 5.0,  # seconds, for 100,000 groups of twenty items
    "jackknife": 3.0,
    "weighted": 20.0,
    "import": 1.0,
    "help": 0.0,
}


MODULES = """
import contextlib, io, sys
from roget.cli import app, handle_errors
sys.argv = ["roget", "--help"]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit), handle_errors():
    app()
print(*sys.modules)
"""
"""Modules that `roget --help` loads."""


def labels(n: int, k: int) -> tuple[Labels, Labels]:
    """Return gold labels, and a system that agrees on 70 % of the items and guesses the others."""
    rng = np.random.default_rng(SEED)
    gold = rng.integers(k, size=n)
    guess = rng.integers(k, size=n)
    return gold, np.where(rng.random(n) < AGREEMENT, gold, guess)


def integers(n: int, k: int) -> Rows:
    """Compare the whole report on int64 labels with one V, and with the bare counting."""
    gold, system = labels(n, k)
    ours, peer = partial(roget.score, gold, system), partial(v_measure_score, gold, system)
    case = f"ints {size(n)} K={size(k)}"
    rows = list(beside(case, ours, peer, "scikit-learn V", BARS[k], BARS["memory"]))
    yield from rows
    spent = rows[0].ours
    key = gold * k + system
    dense = k * k <= n
    floor = cpu(partial(np.bincount, key, minlength=k * k) if dense else partial(np.sort, key))
    name = "bincount" if dense else "sort"
    yield Row(f"{case}, floor", spent, floor, f"{name} of the key", "s", BARS[name])
    yield limit(case, gold, spent, floor, name)


def limit(case: str, gold: Labels, spent: float, floor: float, floor_name: str) -> str:
    """Report the cost in passes over both columns, the least that any scorer must read."""
    once = 2 * cpu(partial(np.max, gold))
    moved = 2 * gold.nbytes
    return (
        f"{case}: the limit is one pass over both columns, {moved / 1e6:.0f} MB in {once:.3g} s "
        f"({moved / once / 1e9:.1f} GB/s);\n  the report costs {spent / once:.1f} such passes, "
        f"of which one {floor_name} alone is {floor / once:.1f}."
    )


def strings(n: int, k: int, *, as_list: bool) -> Rows:
    """Measure text labels such as c0042, as a numpy column or a list."""
    names = np.array([f"c{i:04d}" for i in range(k)])
    gold, system = (names[column] for column in labels(n, k))
    pair = (gold.tolist(), system.tolist()) if as_list else (gold, system)
    case = f"{'list of str' if as_list else 'str array'} {size(n)} K={size(k)}"
    ours, peer = partial(roget.score, *pair), partial(v_measure_score, *pair)
    bars = BARS["strings"], BARS["memory of strings"]
    yield from beside(case, ours, peer, "scikit-learn V", *bars)


def ami(n: int, k: int) -> Rows:
    """Measure adjusted mutual information, whose cost is that of the expected value."""
    gold, system = labels(n, k)
    found: dict[str, float] = {}
    ours = cpu(lambda: found.update(roget=roget.measure("ami", gold, system)))
    peer = cpu(lambda: found.update(peer=adjusted_mutual_info_score(gold, system)))
    case = f"ami {size(n)} K={size(k)}"
    yield Row(case, ours, peer, "scikit-learn AMI", "s", BARS["ami"])
    yield f"{case}: the two values differ by {abs(found['roget'] - found['peer']):.1e}."


def groups(count: int, items: int) -> Rows:
    """Measure the whole report on many small groups, read from data frames."""
    import pandas as pd

    owners = np.repeat(np.arange(count), items)
    frames = [
        pd.DataFrame({"item": np.arange(owners.size), "label": side, "group": owners})
        for side in labels(owners.size, 5)
    ]
    sides = read_sides(*frames)
    inputs = Inputs(None, {"": None}, PipelineOptions())

    def score() -> None:
        evaluate_systems(tabulate_systems({"": sides}, inputs), Counter(None, 0))

    spent = cpu(score)
    case = f"{size(count)} groups of {items}"
    bar = BARS["groups"] * count / 10**5
    yield Row(f"{case}, scores and baselines", spent, None, "", "s", bar)
    whole = cpu(partial(roget.score, *frames))
    yield f"{case}: {whole:.3g} s with the reading of the frames."


def jackknife(cells: int) -> Rows:
    """Compare the jackknife with the plug-in entropy if every count differs."""
    counts = np.arange(1, cells + 1)
    ours, plain = (cpu(partial(roget.entropy, counts, name)) for name in ("jk", "ml"))
    yield Row(f"jk {size(cells)} distinct counts", ours, plain, "ml", "s", BARS["jackknife"])


def weighted(n: int, k: int) -> Rows:
    """Compare the expected scores of weighted labels with the hard scores of their argmax."""
    rng = np.random.default_rng(SEED)
    gold = rng.integers(k, size=n)
    weights = rng.dirichlet(np.full(k, 0.5), size=n)
    soft = cpu(partial(roget.score, gold, weights))
    hard = cpu(partial(roget.score, gold, weights.argmax(axis=1)))
    yield Row(f"weighted {size(n)} K={k}", soft, hard, "hard argmax", "s", BARS["weighted"])


def importing() -> Rows:
    """Measure `import roget` in a new interpreter."""
    clock = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"
    ours, peer = (
        min(float(spend(["-c", clock.format(name)]).said) for _ in range(5))
        for name in ("roget", "numpy")
    )
    yield Row("import roget", ours, peer, "import numpy", "s", BARS["import"])


def helping() -> Rows:
    """Check that `roget --help` loads neither numpy nor scipy."""
    trace = spend(["-c", MODULES]).said
    heavy = sorted({*trace.split()} & {"numpy", "scipy", "duckdb", "pandas", "sklearn"})
    named = f"loaded: {', '.join(heavy) or 'none'}"
    yield Row("roget --help, heavy imports", len(heavy), None, named, "", BARS["help"])


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all cases by name; quick ones have a tenth of the size, because peers are slow."""
    less = 10 if asked.quick else 1
    big, middle = 10**7 // less, 10**6 // less
    return {
        "ints-100": partial(integers, big, 100),
        "ints-10000": partial(integers, big, 10**4),
        "array-middle": partial(strings, middle, 1000, as_list=False),
        "array-big": partial(strings, big, 1000, as_list=False),
        "list-middle": partial(strings, middle, 1000, as_list=True),
        "list-big": partial(strings, big, 1000, as_list=True),
        "ami-many-items": partial(ami, middle, 1000 // less),
        "ami-many-clusters": partial(ami, 10**5 // less, 10**4 // less),
        "groups": partial(groups, 10**5 // less, 20),
        "jackknife": partial(jackknife, middle),
        "weighted": partial(weighted, 10**4 // less, 20),
        "import": importing,
        "help": helping,
    }


def warm_up() -> None:
    """Import before the first case."""
    gold, system = labels(1000, 5)
    for pair in ((gold, system), (gold.astype(str), system.astype(str))):
        roget.score(*pair)
        v_measure_score(*pair)
    roget.score(gold, np.eye(5)[system])
    roget.measure("ami", gold, system)


if __name__ == "__main__":
    run_script(__file__)
