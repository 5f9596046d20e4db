"""Writes chance.json: what other libraries say of random tables. Run it where they are installed.

pip install clustering-mi==0.2.2 genieclust==1.3.0 clusim==0.4
python tests/golden/write_chance.py
"""

from __future__ import annotations

import json
import math
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

SCALES = {
    "none": "none", "gold": "second", "system": "first", "arithmetic": "mean",
    "geometric": "geometric", "min": "min", "max": "max",
}  # fmt: skip
AVERAGES = {"arithmetic": "sum", "geometric": "sqrt", "min": "min", "max": "max"}
MODELS = ("perm", "num", "all", "num1", "all1")


def draw(seed: int, most: int) -> tuple[Any, Any, Any]:
    """Gold, system and their table; every class and every cluster has an item."""
    random = np.random.default_rng(seed)
    n, k, m = int(random.integers(8, most)), *random.integers(2, 8, 2).tolist()
    gold = random.integers(0, k, n)
    system = np.where(random.random(n) < random.random(), gold % m, random.integers(0, m, n))
    gold, system = (np.unique(side, return_inverse=True)[1] for side in (gold, system))
    table = np.zeros((gold.max() + 1, system.max() + 1), dtype=np.int64)
    np.add.at(table, (gold, system), 1)
    return gold, system, table


def reduce(table: Any) -> dict[str, float]:
    """By clustering-mi, in nats per item where it is no ratio."""
    from clustering_mi import mutual_information, normalized_mutual_information

    unit = math.log(2) / table.sum()
    values = {
        "rmi": mutual_information(table.T, variation="reduced_flat") * unit,
        "rmi(reduction=dirichlet)": mutual_information(table) * unit,
    }
    for variation, reduction in (("reduced_flat", ""), ("reduced", "reduction=dirichlet, ")):
        for ours, theirs in list(SCALES.items())[1:]:
            values[f"rmi({reduction}normalise={ours})"] = normalized_mutual_information(
                table, variation=variation, normalization=theirs
            )
    # Of two negative directions it gives a positive mean, of one a NaN.
    negative = min(values["rmi"], values["rmi(reduction=dirichlet)"]) < 0.01
    kept = (name for name in values if not (negative and "geometric" in name))
    return {name: float(values[name]) for name in kept}


def match(table: Any) -> dict[str, float]:
    """By genieclust, which wants a square table for one of them."""
    from genieclust.compare_partitions import normalized_clustering_accuracy, pair_sets_index

    side = max(table.shape)
    square = np.zeros((side, side), dtype=np.int64)
    square[: table.shape[0], : table.shape[1]] = table
    return {
        "nca": float(normalized_clustering_accuracy(square)),
        "psi": float(pair_sets_index(square, clipped=False)),
    }


def expect(gold: Any, system: Any) -> dict[str, float]:
    """By CluSim, to whom the second clustering is gold."""
    from clusim import sim
    from clusim.clustering import Clustering

    sides = [Clustering().from_membership_list(side.tolist()) for side in (system, gold)]
    values = {}
    for model in MODELS:
        of_model = "" if model == "perm" else f"model={model}"
        values[f"ari({of_model})" if of_model else "ari"] = float(
            sim.adjrand_index(*sides, random_model=model)
        )
        for ours, theirs in AVERAGES.items():
            given = ", ".join(
                filter(None, ["" if ours == "arithmetic" else f"average={ours}", of_model])
            )
            values[f"ami({given})" if given else "ami"] = float(
                sim.adj_mi(*sides, random_model=model, norm_type=theirs)
            )
    return values


def main() -> None:
    """Tables that are no trivial answers, with the values of all three."""
    cases = []
    for seed in range(12):
        gold, system, table = draw(seed, 400)
        cases.append({"table": table.tolist(), "values": {**reduce(table), **match(table)}})
    for seed in range(100, 108):
        gold, system, table = draw(seed, 40)
        cases.append({"table": table.tolist(), "values": expect(gold, system)})
    peers = {name: version(name) for name in ("clustering-mi", "genieclust", "clusim")}
    text = json.dumps({"peers": peers, "cases": cases}, indent=None, separators=(",", ":"))
    (Path(__file__).parent / "chance.json").write_text(text.replace("},{", "},\n{") + "\n", "utf-8")


if __name__ == "__main__":
    main()
