"""Write walks.json: element-centric similarity of trees by CluSim, of linkages and of other trees.

pip install clusim==0.4 && python tests/golden/write_walks.py
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import clusim.sim as sim
import networkx as nx
import numpy as np
from clusim.clustering import Clustering
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_matrix

# CluSim 0.4 was written for a scipy whose quotients of sparse matrices were dense.
csr_matrix.tolist = lambda self: self.toarray().tolist()

ALPHAS, SCALES = (0.9, 0.5), (1.0, 0.0, 5.0, -2.0)


def draw_linkage(random: np.random.Generator) -> tuple[Clustering, dict[str, object], int]:
    """Average linkage of random points."""
    items = int(random.integers(3, 30))
    merges = linkage(random.normal(size=(items, 3)), "average")
    return Clustering().from_scipy_linkage(merges), {"merges": merges.tolist()}, items


def draw_tree(random: np.random.Generator) -> tuple[Clustering, dict[str, object], int]:
    """Nodes of any number of children, one child being one; a leaf holds one item or more."""
    nodes = int(random.integers(2, 15))
    parent = [int(random.integers(0, node)) for node in range(1, nodes)]
    leaves = sorted(set(range(nodes)) - set(parent))
    at = leaves + random.choice(leaves, int(random.integers(0, 15))).tolist()
    graph = nx.DiGraph([(over, node) for node, over in enumerate(parent, 1)])
    members = {item: [node] for item, node in enumerate(at)}
    tree = Clustering(elm2clu_dict=members, hier_graph=graph)
    return tree, {"parent": parent, "at": at}, len(at)


def main() -> None:
    """Each tree beside random classes, under several alpha and r."""
    random = np.random.default_rng(0)
    cases = []
    for case in range(16):
        tree, fields, items = (draw_tree if case % 2 else draw_linkage)(random)
        gold = random.integers(0, 4, items).tolist()
        flat = Clustering(elm2clu_dict={item: [label] for item, label in enumerate(gold)})
        values = {
            f"element-centric(alpha={alpha}, r={r})": float(
                sim.element_sim(flat, tree, alpha=alpha, r=r, rescale_path_type="max")
            )
            for alpha in ALPHAS
            for r in SCALES
        }
        cases.append({**fields, "gold": gold, "values": values})
    made = {"made_by": f"clusim {version('clusim')}", "cases": cases}
    Path(__file__).with_name("walks.json").write_text(json.dumps(made) + "\n", "utf-8")


if __name__ == "__main__":
    main()
