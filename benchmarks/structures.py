"""Compare scoring of structures other than flat clusterings with other libraries: speed and values.

Peers that are not installed are left out with a message. If a peer cannot handle the full size, it
is measured on less, and the time for the full size is extrapolated from the growth of its cost.
"""

from __future__ import annotations

import argparse
import importlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from harness.measuring import Case, LeftOut, Row, cpu
from harness.script import run_script
from scipy.sparse import csr_array, csr_matrix

import roget
from roget.scoring.inputs import read_sides
from roget.scoring.labels import as_labels
from roget.scoring.measures.base import evaluate, list_requests
from roget.scoring.steps.sweep import MEASURES
from roget.scoring.tables import null_models
from roget.scoring.tables.cover_table import CoverTable
from roget.scoring.tabulate import tabulate

DOCUMENTS, WORDS, MENTIONS, ENTITIES = 350, 480, 56, 13
"""As in the test set of CoNLL-2012: some 170,000 words and 20,000 mentions of 4,500 entities."""
SPACE = 7
"""Words between mentions, so that mentions do not cross."""

Documents = list[dict[str, set[tuple[int, int]]]]
"""For each document the mentions of each entity, as first and last word."""


def make_documents(seed: int) -> tuple[Documents, Documents]:
    """Return a key, and a response in which a fifth of the mentions is missing, added or wrong,
    respectively.
    """
    random = np.random.default_rng(seed)
    sides: tuple[Documents, Documents] = [], []
    for _ in range(DOCUMENTS):
        begins = SPACE * random.permutation(WORDS // SPACE)[: MENTIONS * 6 // 5]
        spans = [(int(b), int(b + random.integers(0, SPACE))) for b in begins]
        key: dict[str, set[tuple[int, int]]] = {}
        response: dict[str, set[tuple[int, int]]] = {}
        for number, span in enumerate(spans):
            entity = int(ENTITIES * random.random() ** 2)
            other = int(ENTITIES * random.random()) if random.random() < 0.2 else entity
            if number < MENTIONS:
                key.setdefault(str(entity), set()).add(span)
            if number >= MENTIONS // 5:
                response.setdefault(str(other), set()).add(span)
        sides[0].append(key)
        sides[1].append(response)
    return sides


def write_conll(documents: Documents, path: Path) -> str:
    """Write documents in CoNLL-2012 format."""
    lines = []
    for number, entities in enumerate(documents):
        marks: list[list[str]] = [[] for _ in range(WORDS)]
        for entity, spans in entities.items():
            for first, last in spans:
                if first == last:
                    marks[first].append(f"({entity})")
                else:
                    marks[first].append(f"({entity}")
                    marks[last].append(f"{entity})")
        lines.append(f"#begin document (d{number}); part 000")
        lines += [f"d{number}\t0\t{at}\tword\t{'|'.join(m) or '-'}" for at, m in enumerate(marks)]
        lines.append("#end document")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def ask_neleval(names: list[str], sides: tuple[Documents, Documents]) -> list[float]:
    """Return F of neleval's measures; numerators and denominators are summed over documents."""
    from neleval import coref_metrics

    found = []
    for name in names:
        sums = np.zeros(4)
        for key, response in zip(*sides, strict=True):
            sums += getattr(coref_metrics, name)(key, response)
        precision, recall = sums[0] / sums[1], sums[2] / sums[3]
        found.append(2 * precision * recall / (precision + recall))
    return found


def mentions() -> Iterator[Row | str]:
    """Measure files of the size of CoNLL-2012: read and scored, with intervals, and scored only."""
    sides = make_documents(0)
    with tempfile.TemporaryDirectory() as place:
        names = "key.conll", "response.conll"
        files = [write_conll(one, Path(place, n)) for one, n in zip(sides, names, strict=True)]
        read = read_sides(*files)

        def score(measures: str, **options: Any) -> object:
            return roget.score(*files, measures, baselines=False, **options)

        def ask(measures: str) -> list[float]:
            table = tabulate(read, pooled=True)
            return [evaluate(table, one)[0][0] for one in list_requests(measures, "ml")]

        whole = "muc,lea,blanc,conll"
        yield Row("read; muc, lea, blanc, conll", cpu(lambda: score(whole)), None, "", "s", 2)
        drawn = cpu(lambda: score(whole, ci=1000), times=1)
        yield Row("and with --ci 1000", drawn, None, "", "s", 30)
    try:
        import neleval  # noqa: F401
    except ModuleNotFoundError:
        yield "neleval is not installed: no peer for mentions"
        return
    # neleval uses np.int, which numpy has removed.
    np.int = int  # type: ignore[attr-defined]
    theirs = {"muc": "muc", "b3-f": "b_cubed", "ceaf-e": "entity_ceaf", "ceaf-m": "mention_ceaf"}
    for mine, name in theirs.items():
        expected = ask_neleval([name], sides)
        assert np.allclose(ask(mine), expected, rtol=0, atol=1e-10), (ask(mine), expected)
        ours, peer = cpu(lambda: ask(mine)), cpu(lambda: ask_neleval([name], sides))  # noqa: B023
        yield Row(f"{mine}, labels in memory", ours, peer, "neleval", "s", 1)
    peer = cpu(lambda: ask_neleval(["muc", "b_cubed", "entity_ceaf"], sides))
    ours = cpu(lambda: ask("muc,lea,blanc,conll"))
    yield Row("muc, lea, blanc, conll", ours, peer, "neleval: muc, b3, ceaf-e", "s", 1)


FASTER = 1 / 20
"""Covers must be scored in a twentieth of the peer's time."""


def find(module: str) -> Any:
    """Import a peer; leave the case out if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise LeftOut(f"{module.partition('.')[0]} is not installed") from error


def draw_cover(items: int, sets: int, most: int, seed: int) -> csr_array:
    """Return an array of items × sets, with each item in 1 to `most` random sets."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, most + 1, items)
    rows = np.repeat(np.arange(items), sizes)
    columns = random.integers(0, sets, rows.size)
    return csr_array((np.ones(rows.size), (rows, columns)), (items, sets))


def list_sets(cover: csr_array) -> list[list[int]]:
    """Return the items of each set, as community detection libraries expect."""
    columns = cover.tocsc()
    return [part.tolist() for part in np.split(columns.indices, columns.indptr[1:-1]) if part.size]


def covers(items: int = 10**5, sets: int = 10**3) -> Iterator[Row | str]:
    """Compare omega and overlapping NMI with CDlib."""
    cdlib = find("cdlib.evaluation")
    sides = [draw_cover(items, sets, 4, seed) for seed in (0, 1)]

    def ours(*names: str) -> Callable[[], object]:
        def ask() -> None:
            table = CoverTable.from_labels(*(as_labels(side, several="cover") for side in sides))
            for name in names:
                table.measure(name)

        return ask

    def theirs(name: str, given: list[list[list[int]]]) -> Callable[[], object]:
        nodes = [SimpleNamespace(communities=sets, node_coverage=1.0) for sets in given]
        return lambda: getattr(cdlib, name)(*nodes)

    few = 600
    small = [list_sets(draw_cover(few, 30, 4, seed)) for seed in (0, 1)]
    grown = (items / few) ** 2 * cpu(theirs("omega", small))
    told = f"CDlib, from {few} items"
    yield Row(f"omega, {items} × {sets}", cpu(ours("omega")), grown, told, "s", FASTER)
    some = 8
    picked = [list_sets(side)[:some] for side in sides]
    name = "overlapping_normalized_mutual_information_MGH"
    grown = (sets / some) ** 2 * cpu(theirs(name, picked))
    told = f"CDlib, from {some} sets"
    yield Row(f"onmi, {items} × {sets}", cpu(ours("onmi")), grown, told, "s", FASTER)
    yield (
        "CDlib's omega looks at every pair of items, its NMI at every pair of sets: it was timed "
        f"on {few} items and on {some} sets of a side, and times were multiplied by pairs."
    )


def elements(items: int = 10**6) -> Iterator[Row | str]:
    """Compare element-centric similarity with CluSim."""
    sim, clustering = find("clusim.sim"), find("clusim.clustering")
    # CluSim 0.4 expects that scipy returns dense quotients of sparse matrices.
    csr_matrix.tolist = lambda self: self.toarray().tolist()

    def theirs(sides: list[list[list[int]]]) -> Callable[[], object]:
        pair = [clustering.Clustering(elm2clu_dict=dict(enumerate(side))) for side in sides]
        return lambda: sim.element_sim(*pair)

    random = np.random.default_rng(0)
    labels = [random.integers(0, 1000, items) for _ in range(2)]
    hard = cpu(lambda: roget.contingency(*labels).measure("element-centric"))
    yield Row(f"elements, {items} hard", hard, None, "a second", "s", 1.0)
    few = 2000
    small = [[[int(label)] for label in side[:few] % 50] for side in labels]
    grown = (items / few) ** 2 * cpu(theirs(small))
    yield Row(f"elements, {items} hard", hard, grown, f"CluSim, from {few} items", "s", FASTER)
    few = 300
    sides = [draw_cover(few, 20, 3, seed) for seed in (0, 1)]
    members = [[part.tolist() for part in np.split(s.indices, s.indptr[1:-1])] for s in sides]
    taken = cpu(lambda: roget.measure("element-centric", *sides, several="cover"))
    yield Row(f"elements, {few} in covers", taken, cpu(theirs(members)), "CluSim", "s", FASTER)


def make_table(n: int, k: int, right: float) -> tuple[Any, Any, Any]:
    """Return two clusterings that agree on a share of the items, and their table."""
    random = np.random.default_rng(n + k)
    gold = random.integers(0, k, n)
    system = np.where(random.random(n) < right, gold, random.integers(0, k, n))
    table = np.zeros((k, k), dtype=np.int64)
    np.add.at(table, (gold, system), 1)
    return gold, system, table


def chance() -> Iterator[Row | str]:
    """Measure reduced information, random models, exact variance, and thousands of random
    clusterings.
    """

    def ask(table: Any, name: str) -> float:
        # Clear caches between calls, which would hide the cost.
        null_models._expect_sizes.cache_clear()
        return roget.Contingency.from_table(table).measure(name)

    for n, k in ((10**4, 20), (10**6, 100), (10**6, 1000)):
        _, _, table = make_table(n, k, 0.5)
        yield from _reduce_beside(table, f"N={n:.0e} K={k}", ask)
        took = cpu(lambda: ask(table, "smi"))  # noqa: B023
        yield Row(f"smi, N={n:.0e} K={k}", took, None, "", "s", 5)
    yield from _expect_beside(ask)
    gold, system, _ = make_table(10**6, 100, 0.5)

    def score(**options: Any) -> object:
        return roget.score(gold, system, "v,ari,ami,b3-f", "ml", baselines=False, **options)

    took = cpu(lambda: score(chance=1000), times=1)
    yield Row("v, ari, ami, b3-f with --chance 1000, N=1e6 K=100", took, None, "", "s", 30)
    gold, system, _ = make_table(1000, 10, 0.5)
    took = cpu(lambda: score(chance=1000), times=1)
    yield Row("the same, N=1e3 K=10", took, None, "", "s", 3)


def _reduce_beside(table: Any, where: str, ask: Any) -> Iterator[Row | str]:
    try:
        from clustering_mi import mutual_information
    except ModuleNotFoundError:
        yield "clustering-mi is not installed: no peer for rmi"
        return
    unit = np.log(2) / table.sum()
    for name, variation, given in (
        ("rmi", "reduced_flat", table.T),
        ("rmi(reduction=dirichlet)", "reduced", table),
    ):

        def peer(given: Any = given, variation: str = variation) -> float:
            return float(mutual_information(given, variation=variation) * unit)

        assert np.isclose(ask(table, name), peer(), rtol=0, atol=1e-10), name
        ours = cpu(lambda: ask(table, name))  # noqa: B023
        # For small tables, checking and counting cost a millisecond; the peer is compiled.
        yield Row(f"{name}, {where}", ours, cpu(peer), "clustering-mi", "s", 4)


def _expect_beside(ask: Any) -> Iterator[Row | str]:
    try:
        from clusim import sim
        from clusim.clustering import Clustering
    except ModuleNotFoundError:
        yield "clusim is not installed: no peer for models"
        return
    gold, system, table = make_table(60, 4, 0.5)
    sides = [Clustering().from_membership_list(side.tolist()) for side in (system, gold)]
    for model in ("num", "all", "num1", "all1"):

        def peer(model: str = model) -> float:
            return float(sim.adj_mi(*sides, random_model=model))

        name = f"ami(model={model})"
        assert np.isclose(ask(table, name), peer(), rtol=0, atol=1e-10), name
        ours, theirs = cpu(lambda: ask(table, name)), cpu(peer, times=1)  # noqa: B023
        yield Row(f"{name}, N=60 K=4", ours, theirs, "CluSim", "s", 1)
    _, _, table = make_table(10**6, 100, 0.5)
    for model in ("num", "all"):
        took = cpu(lambda: ask(table, f"ami(model={model})"))  # noqa: B023
        yield Row(f"ami(model={model}), N=1e6 K=100", took, None, "", "s", 5)


def merge_randomly(leaves: int, seed: int) -> np.ndarray:
    """Merge random pairs of clusters until one is left; return the rows of a linkage."""
    random = np.random.default_rng(seed)
    picked = random.random((leaves - 1, 2)).tolist()
    left, rows = list(range(leaves)), []
    for made, (one, other) in enumerate(picked, start=leaves):
        at = int(one * len(left))
        left[at], left[-1] = left[-1], left[at]
        first = left.pop()
        at = int(other * len(left))
        rows.append((first, left[at]))
        left[at] = made
    return np.array(rows)


def trees(leaves: int = 10**6) -> Iterator[Row | str]:
    """Compare dendrogram purity with ClustPy, and measure all cuts of a tree."""
    random = np.random.default_rng(0)
    gold = random.integers(0, 1000, leaves)
    merges = merge_randomly(leaves, 0)

    def purity(rows: np.ndarray, labels: np.ndarray) -> Callable[[], float]:
        return lambda: roget.measure(
            "dendrogram-purity", labels, roget.Hierarchy.from_children(rows), cut=1
        )

    yield Row(f"dendrogram purity, {leaves} leaves", cpu(purity(merges, gold)), None, "", "s", 20)
    cut, items = 5000, 10_000
    tree = roget.Hierarchy.from_children(merge_randomly(cut, 1))
    at = np.append(np.arange(cut), random.integers(0, cut, items - cut))
    many = roget.Hierarchy(tree.tree, at)
    labels = random.integers(0, 20, items)
    taken = cpu(lambda: roget.sweep(labels, many))
    yield Row(f"{cut} cuts of {items} items: V, VI, NVI, Q2, AMI", taken, None, "", "s", 20)
    few = 50
    one = cpu(lambda: [roget.score(labels, many.cut(k), list(MEASURES), baselines=False)
                       for k in np.linspace(1, cut, few).astype(int)])  # fmt: skip
    yield Row("the same", taken, one * cut / few, f"cut by cut, from {few}", "s", 1)
    try:
        theirs = importlib.import_module("clustpy.metrics.external.hierarchical_metrics")
    except ImportError:
        yield "clustpy is not installed: no peer for trees"
        return
    for size in (500, 2000):  # at 500 leaves, the fixed cost of a call dominates
        rows, classes = merge_randomly(size, 2), random.integers(0, 10, size)
        ours = purity(rows, classes)
        peer = theirs.dendrogram_purity(rows, classes)
        assert abs(ours() - peer) < 1e-10
        spent = cpu(lambda r=rows, c=classes: theirs.dendrogram_purity(r, c))
        yield Row(f"dendrogram purity, {size} leaves", cpu(ours), spent, "ClustPy", "s", FASTER)
    yield "ClustPy holds a table of nodes × leaves: a million leaves would need two terabytes."


def agreement(systems: int = 100, items: int = 10**5, clusters: int = 20) -> Iterator[Row | str]:
    """Compare the agreement of all pairs of clusterings with scikit-learn's, pair by pair."""
    from sklearn.metrics import adjusted_rand_score

    random = np.random.default_rng(0)
    base = random.integers(0, clusters, items)
    runs = {
        f"run {n}": np.where(random.random(items) < 0.3, random.permutation(base), base)
        for n in range(systems)
    }
    pairs = systems * (systems - 1) // 2
    one = cpu(lambda: adjusted_rand_score(runs["run 0"], runs["run 1"]))
    both = cpu(lambda: roget.agree(runs, ["ari", "vi"]), 1)
    said = f"{systems} clusterings of {items}"
    yield Row(f"{said}: ari and vi", both, pairs * one, "scikit-learn, ari, by one pair", "s", 1.0)
    found = roget.agree(dict(list(runs.items())[:10]), "ari")
    few = cpu(lambda: roget.agree(dict(list(runs.items())[:10]), "ami"), 1)
    yield f"{said}: ami, from 45 pairs: {few * pairs / 45:.0f} s"
    yield f"consistency of items, from 45 pairs: {cpu(found.consistency, 1) * pairs / 45:.0f} s"


PEERS = ("scikit-learn", "neleval", "cdlib", "clusim", "clustpy", "clustering-mi")
SLOW_QUICK = ("chance", "trees", "elements", "agreement")
CASES = {
    "mentions": mentions,
    "covers": covers,
    "elements": elements,
    "chance": chance,
    "trees": trees,
    "agreement": agreement,
}


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all cases by name."""
    return {**CASES}


if __name__ == "__main__":
    run_script(__file__)
