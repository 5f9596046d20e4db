"""Write covers.json: values of other libraries on random covers and clusterings.

Run by an interpreter that has them (pip install clusim cdlib bcubed); the tests only read the file.
"""

from __future__ import annotations

import json
import random
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import bcubed
import clusim.sim as sim
from cdlib import evaluation
from clusim.clustering import Clustering
from scipy.sparse import csr_matrix

# CluSim 0.4 was written for a scipy whose quotients of sparse matrices were dense.
csr_matrix.tolist = lambda self: self.toarray().tolist()

CASES = [(9, 3, 2), (13, 4, 2), (21, 5, 3), (31, 4, 4), (41, 9, 2), (25, 6, 1), (39, 7, 1)]
"""Items, sets and the most sets of an item.

No number of items is a multiple of 4: entropies of a quarter and a half are the same, and CDlib
leaves out pairs of sets that tie, which McDaid et al. count.
"""


def draw(items: int, sets: int, most: int, chance: random.Random) -> list[list[int]]:
    """The sets of each item."""
    return [sorted(chance.sample(range(sets), chance.randint(1, most))) for _ in range(items)]


def gather(members: list[list[int]]) -> list[list[int]]:
    """The items of each set."""
    used = sorted({one for sets in members for one in sets})
    return [[item for item, sets in enumerate(members) if one in sets] for one in used]


def ask(gold: list[list[int]], system: list[list[int]]) -> dict[str, float]:
    """What the peers say of one case."""
    left, right = map(gather, (gold, system))
    pair = [Clustering(elm2clu_dict=dict(enumerate(side))) for side in (gold, system)]
    nodes = [SimpleNamespace(communities=side, node_coverage=1.0) for side in (left, right)]
    names = [{i: set(sets) for i, sets in enumerate(side)} for side in (gold, system)]
    return {
        "element-centric": float(sim.element_sim(*pair, alpha=0.9)),
        "element-centric(alpha=0.5)": float(sim.element_sim(*pair, alpha=0.5)),
        "omega": float(sim.omega_index(*pair)),
        "onmi": evaluation.overlapping_normalized_mutual_information_MGH(*nodes).score,
        "onmi(norm=lfk)": evaluation.overlapping_normalized_mutual_information_LFK(*nodes).score,
        "xb3-precision": bcubed.precision(names[1], names[0]),
        "xb3-recall": bcubed.recall(names[1], names[0]),
    }


def main() -> None:
    chance = random.Random(17)
    cases = []
    for items, sets, most in CASES:
        for _ in range(3):
            gold, system = (draw(items, sets, most, chance) for _ in range(2))
            cases.append({"gold": gold, "system": system, "values": ask(gold, system)})
    made = {name: metadata.version(name) for name in ("clusim", "cdlib", "bcubed")}
    path = Path(__file__).with_name("covers.json")
    lines = ",\n".join(json.dumps(case) for case in cases)
    path.write_text(f'{{"made by": {json.dumps(made)},\n"cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
