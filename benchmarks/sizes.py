"""Measure the growth of cost with items, clusters and table entries, for roget and peers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from harness.measuring import Case, LeftOut, Row, Rows, Spent, cpu, point, size
from harness.script import run_script
from score import labels
from sklearn.cluster import BisectingKMeans
from sklearn.metrics import adjusted_mutual_info_score, v_measure_score
from sklearn.preprocessing import normalize
from soft import planted

import roget
from roget.core.counts import Counts
from roget.learn.clustering.comdl.estimator import CoMDL
from roget.learn.clustering.mdl.estimator import MDLTree
from roget.learn.clustering.spherical.estimator import SphericalTree
from roget.learn.clustering.spherical.rule import COMMON, SPREADS
from roget.learn.representation.vectors import BLOCK

PEERS = ("scikit-learn", "pyconll")
SLOW_QUICK = ("comdl",)
BARS = {"predict": 10.0, "spherical": 1.2}
"""Maximum cost relative to the peer, and maximum exponent of the cost in the table entries."""
FACTOR = 10**0.5
"""Factor from one size to the next."""


def sizes(first: float, last: float) -> Iterator[int]:
    """Return sizes from the first to the last, two per power of ten."""
    while first < last * 1.01:
        yield round(first)
        first *= FACTOR


def scale(counts: Any) -> Any:
    """Scale rows to length 1, with the index type that scikit-learn accepts."""
    unit = normalize(counts)
    unit.indices, unit.indptr = unit.indices.astype(np.int32), unit.indptr.astype(np.int32)
    return unit


def each(ours: Callable[[], object], peer: Callable[[], object] | None) -> list[Spent]:
    """Return the CPU seconds of both."""
    return [cpu(work) for work in (ours, peer) if work is not None]


def score_items(first: int, last: int) -> Rows:
    """Yield the cost of a whole report on growing numbers of items in a hundred clusters."""
    for n in sizes(first, last):
        pair = labels(n, 100)
        spent = each(partial(roget.score, *pair), partial(v_measure_score, *pair))
        yield point("score, K = 100", "N", n, *spent, "scikit-learn V")


def score_clusters(n: int) -> Rows:
    """Yield the cost of a whole report on growing numbers of clusters."""
    for k in (10, 100, 1000, 10**4):
        pair = labels(n, k)
        spent = each(partial(roget.score, *pair), partial(v_measure_score, *pair))
        yield point(f"score, N = {n:.0e}".replace("e+0", "e"), "K", k, *spent, "scikit-learn V")


def ami_clusters(n: int, last: int) -> Rows:
    """Yield the cost of adjusted mutual information, which peers sum over all pairs of class and
    cluster.
    """
    for k in sizes(30, last):
        pair = labels(n, k)
        spent = each(
            partial(roget.measure, "ami", *pair), partial(adjusted_mutual_info_score, *pair)
        )
        yield point(f"ami, N = {n:.0e}".replace("e+0", "e"), "K", k, *spent, "scikit-learn AMI")


def write_treebank(path: Path, tokens: int) -> None:
    """Write sentences of ten words with Zipfian frequencies: verbs with dependent nouns."""
    random = np.random.default_rng(0)
    ranks = random.zipf(1.3, size=tokens).clip(max=50_000)
    lines = []
    for at, rank in enumerate(ranks.tolist()):
        place = at % 10
        word, tag = (f"verb{rank}", "VERB") if place == 0 else (f"noun{rank}", "NOUN")
        role = "root" if place == 0 else "obj"
        lines.append(f"{place + 1}\t{word}\t{word}\t{tag}\t_\t_\t{int(place > 0)}\t{role}\t_\t_\n")
        if place == 9:
            lines.append("\n")
    path.write_text("".join(lines), encoding="utf-8")


def count_tokens(last: int, folder: Path) -> Rows:
    """Yield the cost of counting verbs and objects, from file to table."""
    try:
        import pyconll
    except ImportError as error:
        raise LeftOut("pyconll is not installed") from error
    file = folder / "grows.conllu"

    def read() -> int:
        return sum(len(sentence) for sentence in pyconll.iter_from_file(str(file)))

    for n in sizes(10**4, last):
        write_treebank(file, n // 10 * 10)
        spent = each(partial(roget.count, file, relation="obj"), read)
        yield point("count", "tokens", n, *spent, "pyconll, reading alone")


def learn(name: str, make: Callable[[], Any], words: list[int], peer: bool) -> Rows:
    """Yield the cost of learning classes of growing numbers of words, with 100 tokens each."""
    points = []
    for n in words:
        counts, _ = planted(n, n // 2, n // 40, 100)
        ours = cpu(lambda counts=counts: make().fit(counts), times=2)  # type: ignore[misc]
        theirs = None
        if peer:
            unit = scale(counts)
            kmeans = BisectingKMeans(n // 40, random_state=0)
            theirs = cpu(partial(kmeans.fit, unit), times=2)
        said = "BisectingKMeans, as many" if peer else ""
        points.append((counts.nnz, ours))
        yield point(name, "nnz", int(counts.nnz), ours, theirs, said)
    if name in BARS:
        slope = float(np.polyfit(*np.log(points).T, 1)[0])
        yield Row(f"{name}, exponent of the cost", slope, None, "", "", BARS[name])


def smooth_bare(vectors: Any, neighbours: Any) -> None:
    """Multiply vectors of words by vectors of common words, once for each round of smoothing."""
    for begin in range(0, len(vectors), BLOCK):
        for _ in range(SPREADS):
            vectors[begin : begin + BLOCK] @ neighbours.T


def predict_words(last: int) -> Rows:
    """Yield the cost of assigning words to classes learnt from other words.

    The floor is the smoothing of the vectors in single precision, and no more: SphericalTree
    compares every new word with all common words.
    """
    known, _ = planted(2000, 1000, 50, 100)
    model = SphericalTree(50, random_state=0).fit(Counts(known.astype(np.int64)))
    unit = scale(known)
    kmeans = BisectingKMeans(50, random_state=0).fit(unit)
    for n in sizes(1000, last):
        new, _ = planted(n, 1000, 50, 100)
        peer = scale(new)
        spent = each(partial(model.predict, new), partial(kmeans.predict, peer))
        yield point("words predicted, K = 50", "N", n, *spent, "BisectingKMeans, unit vectors")
    common = model.clustering_.representation.vectors[:COMMON]
    vectors = np.resize(common, (n, common.shape[1]))
    floor = cpu(partial(smooth_bare, vectors, common))
    case, (ours, theirs) = f"{size(n)} words predicted", spent
    yield Row(case, ours, theirs, "BisectingKMeans", "s", BARS["predict"])
    yield Row(f"{case}, floor", ours, floor, "two products", "s")
    yield (
        f"words predicted: SphericalTree compares every word with {len(common):,} common words in "
        f"{common.shape[1]} dimensions, {SPREADS} times. These products alone, in single "
        f"precision, cost {floor / theirs:.1f} times as much as BisectingKMeans, which compares a "
        "word with a few centres."
    )


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all curves by name; shorter ones for a quick run."""
    quick = asked.quick
    few = [300, 600, 1200] if quick else [1000, 2000, 4000, 8000]
    return {
        "score-items": partial(score_items, *((10**4, 10**6) if quick else (10**5, 10**7))),
        "score-clusters": partial(score_clusters, 10**5 if quick else 10**6),
        "ami-clusters": partial(ami_clusters, 10**4 if quick else 10**5, 300 if quick else 1000),
        "count": partial(count_tokens, 10**5 if quick else 10**6, asked.folder),
        "spherical": partial(learn, "spherical", partial(SphericalTree, random_state=0), few, True),
        "mdl": partial(learn, "mdl", partial(MDLTree, criterion="nml", random_state=0), few, False),
        "comdl": partial(learn, "comdl", partial(CoMDL, random_state=0), few[:3], False),
        "predict": partial(predict_words, 10**4 if quick else 10**5),
    }


def warm_up() -> None:
    """Import and compile before the first case."""
    counts, _ = planted(200, 100, 5, 60)
    for model in (SphericalTree(random_state=0), MDLTree(random_state=0), CoMDL(random_state=0)):
        model.fit(counts).predict(counts[:5])
    roget.score(*labels(1000, 5))
    roget.measure("ami", *labels(1000, 5))


if __name__ == "__main__":
    run_script(__file__)
