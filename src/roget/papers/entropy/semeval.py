"""The SemEval-2010 word sense induction task: published values and computed scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, TypeAlias

import numpy as np

from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import find_data
from roget.scoring.compare import compare
from roget.scoring.labels import as_labels
from roget.scoring.labels.labels import harden
from roget.scoring.results import Comparison

ESTIMATORS = ("ml", "mm", "jk", "bub")
SPLITS = {"80_20": "80:20", "60_40": "60:40"}
FOLDER = "semeval2010-task14"

Key: TypeAlias = Mapping[str, Mapping[str, str]]
"""Labels by word and instance."""


class Printed(NamedTuple):
    """A row of Table 1: V and recall, both times 100, and their ranks. Recall may be missing."""

    clusters: float
    v: tuple[float, float, float, float]
    ranks: tuple[int, int, int, int]
    recall: tuple[float, float] | None = None
    recall_ranks: tuple[int, int] | None = None


TABLE_1 = {
    "1ClI": Printed(89.1, (31.6, 29.5, 27.4, -3.6), (1, 1, 1, 29)),
    "Hermit": Printed(10.8, (16.2, 13.1, 10.7, 11.0), (2, 4, 4, 2), (58.3, 57.3), (17, 18)),
    "UoY": Printed(11.5, (15.7, 14.3, 13.1, 11.4), (4, 2, 2, 1), (62.4, 62.0), (1, 1)),
    "KSU KDD": Printed(17.5, (15.7, 13.2, 11.0, 7.6), (3, 3, 3, 3), (52.2, 50.4), (24, 25)),
    "Duluth-WSI": Printed(4.1, (9.0, 6.9, 5.7, 5.6), (5, 5, 5, 5), (60.5, 59.5), (2, 5)),
    "Duluth-WSI-SVD": Printed(4.1, (9.0, 6.9, 5.7, 5.6), (6, 6, 6, 6), (60.5, 59.5), (3, 4)),
    "Duluth-R-110": Printed(9.7, (8.6, 4.7, 1.9, 3.0), (7, 16, 20, 17), (54.8, 53.6), (23, 23)),
    "Duluth-WSI-Co": Printed(2.5, (7.9, 6.4, 5.7, 5.7), (8, 7, 7, 4), (60.8, 60.1), (4, 2)),
    "KCDC-PCGD": Printed(2.9, (7.8, 6.3, 5.5, 5.2), (9, 8, 8, 7), (59.5, 59.1), (9, 7)),
    "KCDC-PC": Printed(2.9, (7.5, 6.2, 5.4, 5.0), (10, 9, 9, 8), (59.7, 58.9), (8, 9)),
    "KCDC-PC-2": Printed(2.9, (7.1, 5.7, 4.9, 4.5), (11, 12, 12, 13), (59.8, 58.9), (7, 8)),
    "Duluth-Mix-Narrow-Gap": Printed(
        2.4, (6.9, 5.5, 4.8, 4.8), (15, 14, 14, 9), (56.6, 56.2), (21, 21)
    ),
    "KCDC-GD-2": Printed(2.8, (6.9, 5.7, 4.9, 4.6), (14, 11, 11, 12), (58.7, 57.9), (13, 15)),
    "KCDC-GD": Printed(2.8, (6.9, 5.8, 5.0, 4.6), (12, 10, 10, 11), (59.0, 58.3), (11, 11)),
    "Duluth-Mix-Narrow-PK2": Printed(
        2.7, (6.8, 5.4, 4.6, 4.6), (16, 15, 15, 10), (56.1, 55.7), (22, 22)
    ),
    "Duluth-MIX-PK2": Printed(2.7, (5.6, 4.3, 3.5, 3.5), (17, 17, 17, 16), (51.6, 50.5), (25, 24)),
    "Duluth-R-15": Printed(5.0, (5.3, 2.4, 0.7, 1.3), (18, 20, 24, 22), (56.8, 56.5), (20, 19)),
    "Duluth-WSI-Co-Gap": Printed(1.6, (4.8, 4.1, 3.8, 4.1), (19, 18, 16, 15), (60.3, 59.5), (5, 3)),
    "Random": Printed(4.0, (4.4, 1.9, 0.5, 0.8), (20, 22, 25, 24), (57.3, 56.5), (19, 20)),
    "Duluth-R-13": Printed(3.0, (3.6, 1.5, 0.5, 0.7), (21, 25, 26, 25), (58.0, 57.6), (18, 17)),
    "Duluth-WSI-Gap": Printed(1.4, (3.1, 2.6, 2.5, 2.7), (22, 19, 18, 18), (59.8, 59.3), (6, 6)),
    "Duluth-Mix-Gap": Printed(1.6, (3.0, 2.3, 1.9, 2.0), (23, 21, 19, 19), (50.6, 49.8), (26, 26)),
    "Duluth-Mix-Uni-PK2": Printed(
        2.0, (2.4, 1.8, 1.5, 1.4), (24, 23, 21, 21), (19.3, 19.1), (27, 27)
    ),
    "Duluth-R-12": Printed(2.0, (2.3, 0.8, 0.2, 0.3), (25, 27, 27, 28), (58.5, 57.7), (16, 16)),
    "KCDC-PT": Printed(1.5, (1.9, 1.6, 1.4, 1.5), (26, 24, 22, 20), (58.9, 58.3), (12, 13)),
    "Duluth-Mix-Uni-Gap": Printed(
        1.4, (1.4, 1.0, 0.8, 1.0), (27, 26, 23, 23), (18.7, 18.9), (28, 28)
    ),
    "KCDC-GDC": Printed(2.8, (6.9, 5.7, 4.8, 4.5), (13, 13, 13, 14), (59.1, 58.3), (10, 10)),
    "MFS": Printed(1.0, (0.0, 0.0, 0.0, 0.5), (29, 29, 28, 27), (58.7, 58.3), (15, 12)),
    "Duluth-WSI-SVD-Gap": Printed(
        1.0, (0.0, 0.0, 0.0, 0.5), (28, 28, 29, 26), (58.7, 58.2), (14, 14)
    ),
}
"""Table 1 as printed: 26 systems and three baselines, in the order of the paper."""

FILES = {
    "1ClI": "baselines/1cl1inst.key",
    "MFS": "baselines/mfs_all.key",
    "Random": "baselines/random*.key",
    "Duluth-WSI": "systems/*_duluth-wsi-testdata-pk2-new.txt",
    "Duluth-WSI-Co": "systems/*_duluth-wsi-testdata-co-pk2.txt",
    "Duluth-WSI-SVD": "systems/*_duluth-wsi-testdata-svd-300-pk2.txt",
    "Duluth-WSI-SVD-Gap": "systems/*_duluth-wsi-testdata-svd-300-gap.txt",
    "Duluth-WSI-Co-Gap": "systems/*_duluth-wsi-testdata-co-gap.txt",
    "Duluth-WSI-Gap": "systems/*_duluth-wsi-testdata-gap.txt",
    "Duluth-R-12": "systems/*_duluth-wsi-testdata-r12.txt",
    "Duluth-R-13": "systems/*_duluth-wsi-testdata-r13.txt",
    "Duluth-R-15": "systems/*_duluth-wsi-testdata-r15.txt",
    "Duluth-R-110": "systems/*_duluth-wsi-testdata-r110.txt",
}
"""Glob patterns of the system output in the organisers' release. Random has five files."""


@dataclass(frozen=True)
class ScoredAnswer:
    """The scores of one row of Table 1, averaged over its files."""

    clusters: float
    v: Mapping[str, float]
    """V-measure under each estimator."""
    recall: Mapping[str, float]
    """Supervised recall on each split, or an empty mapping if not requested."""
    entropies: Mapping[str, tuple[float, float, float]]
    """H(C), H(K) and H(C,K) in nats under each estimator, averaged over words as for V."""


def find_task(options: ReproduceOptions) -> Path:
    """Return the folder that contains the task data."""
    what = "the system output of SemEval-2010 task 14"
    return find_data(options, what, FOLDER, "gold", "all.key").parent.parent


def read_key(path: Path) -> Key:
    """Read a key file.

    Return the heaviest label of each instance, or "" for an instance without a label.
    """
    labels = harden(as_labels(path, labels="key"))
    found: dict[str, dict[str, str]] = {}
    codes, groups = labels.codes.tolist(), np.asarray(labels.groups).tolist()
    for item, code, group in zip(labels.items or (), codes, groups, strict=True):
        word = (labels.group_names or ())[group]
        found.setdefault(word, {})[item] = labels.label(code) if code >= 0 else ""
    return found


def score_task(folder: Path, splits: Iterable[str] = ()) -> dict[str, ScoredAnswer]:
    """Score every row of Table 1 for which system output is available, in the order of the table.

    As in the paper, each word is scored separately and weighted by its number of instances.
    Instances without a label form one more cluster of their word.
    """
    files = {name: sorted(folder.glob(FILES[name])) for name in TABLE_1 if name in FILES}
    systems = {f"{name} {at}": path for name in files for at, path in enumerate(files[name])}
    found = compare(
        folder / "gold" / "all.key",
        systems,
        "v",
        ESTIMATORS,
        splits=[folder / "sup" / name for name in splits],
        baselines=False,
    )
    return {
        name: _gather(found, [f"{name} {at}" for at in range(len(paths))])
        for name, paths in files.items()
        if paths
    }


def _gather(found: Comparison, names: Sequence[str]) -> ScoredAnswer:
    """Average the scores of the given systems in a comparison."""

    def mean(measure: str, entropy: str | None) -> float:
        return fmean(
            row.value
            for row in found.rows
            if row.system in names
            and (row.measure, row.entropy) == (measure, entropy)
            and row.value is not None
        )

    outlines = dict(zip(found.systems, found.components, strict=True))
    entropies: dict[str, tuple[float, float, float]] = {}
    for at, name in enumerate(ESTIMATORS):
        rows = [outlines[system].entropies[at] for system in names]
        sides = [[row.gold, row.system, row.joint] for row in rows]
        means = [
            fmean(value for value in side if value is not None) for side in zip(*sides, strict=True)
        ]
        entropies[name] = (means[0], means[1], means[2])
    clusters = {row.system: row.clusters for row in found.rows if row.clusters is not None}
    given = [measure for measure, _ in found.scores if measure.startswith("supervised-recall[")]
    return ScoredAnswer(
        fmean(clusters[system] for system in names),
        {name: mean("v", name) for name in ESTIMATORS},
        {measure.partition("[")[2].removesuffix("]"): mean(measure, None) for measure in given},
        entropies,
    )
