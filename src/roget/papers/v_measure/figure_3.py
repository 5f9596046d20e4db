"""Figure 3: a clustering solution generated from parameters."""

from __future__ import annotations

import numpy as np

from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced
from roget.papers.v_measure.rules import FIGURE_3 as RULES
from roget.report import ReportTable
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.synthetic import make_dom_table

PRINTED = np.array([[12, 12, 2, 3], [2, 2, 12, 3], [4, 4, 4, 0]])
"""The printed contingency table, with clusters as rows."""

CLASSES = ("C1", "C2", "C3", "C noise")
CLUSTERS = ("K1", "K2", "K noise")


def figure_3(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 3 of Rosenberg & Hirschberg (2007): a solution from parameters."""
    table = make_dom_table(3, 2, noise_clusters=1, noise_classes=1, errors=(0.1, 0.2, 0.1), n=60)
    made = table.T
    claims = [
        Claim(
            RULES["cell"],
            f"{cluster}, {name}",
            float(PRINTED[row, column]),
            float(made[row, column]),
            0,
        )
        for row, cluster in enumerate(CLUSTERS)
        for column, name in enumerate(CLASSES)
    ]
    rows = [(name, *map(str, counts)) for name, counts in zip(CLUSTERS, made.tolist(), strict=True)]
    scores = {name: Contingency.from_table(table).measure(name) for name in ("v", "vi", "q0", "f")}
    shown = ", ".join(f"{name} {value:.3f}" for name, value in scores.items())
    return Reproduced(
        "A parametric clustering solution (Rosenberg & Hirschberg 2007, Figure 3)",
        about="60 items, 3 useful classes and 1 noise class, 2 useful clusters and 1 noise "
        "cluster; ε1 = .1, ε2 = .2, ε3 = .1, made by `roget.make_dom_table`. In the paper, |C| = "
        "3 counts useful classes, but |K| = 3 counts all clusters.",
        claims=claims,
        tables=[ReportTable.of(("", *CLASSES), rows, CLASSES, title="ours")],
        notes=[f"Scores: {shown}."],
        data={"table": made.tolist(), "scores": scores},
    )
