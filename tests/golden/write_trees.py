"""Write trees.json: dendrogram purity by ClustPy, which needs PyTorch and so is no test's own.

pip install clustpy==0.0.3 && python tests/golden/write_trees.py
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from clustpy.metrics.external.hierarchical_metrics import dendrogram_purity
from scipy.cluster.hierarchy import linkage


def main() -> None:
    """Ward's trees of random points; in some a leaf holds several items."""
    random = np.random.default_rng(0)
    cases = []
    for case in range(12):
        leaves = int(random.integers(3, 40))
        merges = linkage(random.normal(size=(leaves, 3)), "ward")[:, :2].astype(int)
        items = np.arange(leaves)
        if case % 2:
            items = np.append(items, random.integers(0, leaves, 60))
        gold = np.unique(random.integers(0, 5, items.size), return_inverse=True)[1]
        value = dendrogram_purity(merges, gold, items)
        cases.append(
            {
                "merges": merges.tolist(),
                "leaf": items.tolist(),
                "gold": gold.tolist(),
                "value": float(value),
            }
        )
    made = {"made_by": f"clustpy {version('clustpy')}", "cases": cases}
    Path(__file__).with_name("trees.json").write_text(json.dumps(made) + "\n", "utf-8")


if __name__ == "__main__":
    main()
