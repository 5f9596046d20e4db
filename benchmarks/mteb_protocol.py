"""Write tests/golden/mteb.json: scores of MTEB's clustering protocol on synthetic embeddings.

Needs mteb: `python benchmarks/mteb_protocol.py`.
"""

from __future__ import annotations

import json
import random
from importlib import metadata
from pathlib import Path

import numpy as np

TARGET = Path(__file__).parents[1] / "tests" / "golden" / "mteb.json"
SAMPLES, SIZE, SEED = 4, 300, 42


def make_embeddings() -> tuple[np.ndarray, list[list[int]]]:
    """Return three broad classes of two classes each; some items have no label at the second level.

    Labels are numbers: MTEB takes texts that are missing at a level for a class of their own.
    """
    chance = np.random.default_rng(7)
    fine = np.arange(240) % 6
    centres = chance.normal(size=(3, 8))[fine // 2] * 2 + chance.normal(size=(6, 8))[fine]
    labels = [[f // 2, f] if at % 5 else [f // 2] for at, f in enumerate(fine.tolist())]
    return centres + chance.normal(size=(240, 8)), labels


def main() -> None:
    from mteb.abstasks.clustering import _evaluate_clustering_bootstrapped as evaluate

    X, labels = make_embeddings()
    scores, _ = evaluate(
        X, labels, n_clusters=SAMPLES, cluster_size=SIZE, kmean_batch_size=512, max_depth=None,
        rng_state=random.Random(SEED), seed=SEED,
    )  # fmt: skip
    plain = {name: {level: list(v) for level, v in found.items()} for name, found in scores.items()}
    found = {"mteb": metadata.version("mteb"), "samples": SAMPLES, "size": SIZE, "seed": SEED}
    TARGET.write_text(json.dumps({**found, "scores": plain}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
