"""Write tests/golden/familiar.json: values of functions whose names roget accepts as measures.

Needs genieclust, clusim and neleval: `python benchmarks/familiar.py`.
"""

from __future__ import annotations

import json
import warnings
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from roget.catalogue import FAMILIAR

TARGET = Path(__file__).parents[1] / "tests" / "golden" / "familiar.json"


def ask_genieclust(gold: Any, system: Any) -> dict[str, float]:
    from genieclust import compare_partitions

    names = FAMILIAR["genieclust"]
    return {name: float(getattr(compare_partitions, name)(gold, system)) for name in names}


def ask_clusim(gold: Any, system: Any) -> dict[str, float]:
    from clusim import sim
    from clusim.clustering import Clustering

    sides = [
        Clustering(elm2clu_dict={item: [int(label)] for item, label in enumerate(labels)})
        for labels in (gold, system)
    ]
    return {name: float(getattr(sim, name)(*sides)) for name in FAMILIAR["CluSim"]}


def ask_neleval(gold: Any, system: Any) -> dict[str, float]:
    from neleval import coref_metrics

    sides = [
        {label: set(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}
        for labels in (gold, system)
    ]
    found = {}
    for name in FAMILIAR["neleval"]:
        hit, of_system, other_hit, of_gold = getattr(coref_metrics, name)(*sides)
        precision, recall = hit / of_system, other_hit / of_gold
        found[name] = 2 * precision * recall / (precision + recall)
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    random = np.random.default_rng(3)
    gold = random.integers(0, 4, 60)
    system = np.where(random.random(60) < 0.6, gold, random.integers(0, 6, 60))
    asked = {
        "genieclust": ask_genieclust,
        "CluSim": ask_clusim,
        "neleval": ask_neleval,
    }
    found = {
        "versions": {library: metadata.version(library.lower()) for library in asked},
        "gold": gold.tolist(),
        "system": system.tolist(),
        "values": {library: ask(gold, system) for library, ask in asked.items()},
    }
    TARGET.write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
