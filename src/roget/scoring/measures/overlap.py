"""Measures of overlap between clusters and classes: purity, one-to-one matches, B-cubed, CEAF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from roget.core.types import Floats, Ints, Values
from roget.errors import InputError, Undefined
from roget.scoring.entropy.base import ONE, find_owners
from roget.scoring.measures.base import Distance, Measure, divide, harmonic
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.records import BCubed, Matched


class Purity(Measure, name="purity", reference="Zhao & Karypis 2001"):
    """Fraction of items in the majority class of their cluster. Best value: 1.
    One cluster per item also scores 1.
    """

    def compute(self, table: Contingency) -> Values:
        return table.over_columns(table.column_best) / table.n


class InversePurity(Measure, name="inverse-purity", reference="Zhao & Karypis 2001"):
    """Fraction of items in the largest cluster of their class. Best value: 1.
    One big cluster also scores 1.
    """

    def compute(self, table: Contingency) -> Values:
        return table.over_rows(table.row_best) / table.n


class MicroPrecision(Purity, name="micro-precision", reference="Dhillon, Mallela & Modha 2003"):
    """Micro-averaged precision if each cluster is mapped to its majority class. Best value: 1.

    Since every item has one class and one cluster, the score equals micro-averaged recall and
    purity.
    """


class MicroRecall(Purity, name="micro-recall", reference="Dhillon, Mallela & Modha 2003"):
    """Micro-averaged recall if each cluster is mapped to its majority class. Best value: 1.

    Since every item has one class and one cluster, the score equals micro-averaged precision and
    purity.
    """


class ManyToOne(Purity, name="many-to-one", reference="Johnson 2007"):
    """Accuracy if several clusters may be mapped to one class, which equals purity.
    Best value: 1.
    """


class VanDongen(Distance, name="van-dongen", symmetric=True, reference="van Dongen 2000"):
    """Van Dongen distance, 1 − (Σ row maxima + Σ column maxima)/(2N). Best value: 0."""

    def compute(self, table: Contingency) -> Values:
        kept = table.over_rows(table.row_best) + table.over_columns(table.column_best)
        return (2 * table.n - kept) / (2 * table.n)


def best_f_by_class(table: Contingency) -> Floats:
    """Return the best F = 2·overlap/(class size + cluster size) of each class over all clusters."""
    sizes = table.row_totals[table.rows] + table.column_totals[table.columns]
    best: Floats = np.maximum.reduceat(2.0 * table.counts / sizes, table.row_starts)
    return best


class ClusteringF(Measure, name="f", reference="Fung, Wang & Ester 2003"):
    """Mean of each class's highest F over all clusters, weighted by class size. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        return table.over_rows(best_f_by_class(table) * table.row_totals) / table.n


class Larsen(Measure, name="larsen", reference="Larsen & Aone 1999"):
    """Mean of each class's highest F over all clusters, with equal weights. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        return table.over_rows(best_f_by_class(table)) / table.sizes.classes


class OneToOne(Measure, name="one-to-one", symmetric=True, reference="Kuhn 1955"):
    """Accuracy of the best one-to-one match ("clustering accuracy"). Best value: 1."""

    def compute(self, matched: Matched) -> Values:
        return matched.items / matched.n


class Misclassification(
    Distance, name="misclassification", symmetric=True, reference="Zeng et al. 2002"
):
    """Fraction of items outside the best one-to-one match, 1 − one-to-one. Best value: 0."""

    def compute(self, matched: Matched) -> Values:
        return (matched.n - matched.items) / matched.n


class GreedyOneToOne(
    Measure, name="greedy-one-to-one", ties=True, reference="Haghighi & Klein 2006"
):
    """Accuracy of a one-to-one match that takes the largest cells first. Best value: 1.

    Among cells with equal counts, the cell with the smaller sum of class size and cluster size is
    taken first, then the cell that comes first in the table.
    """

    def compute(self, table: Contingency) -> Values:
        sizes = table.row_totals[table.rows] + table.column_totals[table.columns]
        order = np.lexsort((sizes, -table.counts))
        free_rows = bytearray(b"\1") * table.shape[0]
        free_columns = bytearray(b"\1") * table.shape[1]
        left = int(np.minimum(table.sizes.classes, table.sizes.clusters).sum())
        pairs = zip(table.rows[order].tolist(), table.columns[order].tolist(), strict=True)
        # Match each cell in turn if its row and column are both unmatched, until all rows or all
        # columns are matched.
        taken: list[int] = []
        for at, (row, column) in enumerate(pairs):
            if free_rows[row] and free_columns[column]:
                free_rows[row] = free_columns[column] = 0
                taken.append(at)
                left -= 1
                if not left:
                    break
        kept = np.zeros_like(table.counts)
        kept[order[taken]] = table.counts[order[taken]]
        return table.over_cells(kept) / table.n


class MeilaHeckerman(GreedyOneToOne, name="meila-heckerman", reference="Meilă & Heckerman 2001"):
    """Criterion H of Meilă and Heckerman, based on a greedy one-to-one match. Best value: 1.
    The score equals greedy-one-to-one.
    """


BAGGA = "Bagga & Baldwin 1998"
LUO = "Luo 2005"


class BCubedPrecision(Measure, name="b3-precision", reference=BAGGA):
    """Fraction of an item's cluster that is in the item's class, averaged over items. Best value:
    1.
    """

    def compute(self, bcubed: BCubed) -> Values:
        return bcubed.precision


class BCubedRecall(Measure, name="b3-recall", reference=BAGGA):
    """Fraction of an item's class that is in the item's cluster, averaged over items. Best value:
    1.
    """

    def compute(self, bcubed: BCubed) -> Values:
        return bcubed.recall


class BCubedF(Measure, name="b3-f", symmetric=True, reference=BAGGA):
    """Harmonic mean of B-cubed precision and recall. Best value: 1."""

    def compute(self, bcubed: BCubed) -> Values:
        return harmonic(bcubed.precision, bcubed.recall)


def match_entities(table: Contingency) -> Any:
    """Return the sum of Dice overlaps in the best one-to-one match between classes and clusters."""
    sizes = table.row_totals[table.rows] + table.column_totals[table.columns]
    return table.match(table.keep_common(2.0 * table.counts / sizes))


class CEAFE(Measure, name="ceaf-e", symmetric=True, reference=LUO):
    """F of the best one-to-one match of entities by Dice overlap. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        classes, clusters = table.entities
        return divide(2 * match_entities(table), classes + clusters)


class CEAFEPrecision(Measure, name="ceaf-e-precision", reference=LUO):
    """Mean Dice overlap per cluster in the best one-to-one match of entities. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        return divide(match_entities(table), table.entities[1])


class CEAFERecall(Measure, name="ceaf-e-recall", reference=LUO):
    """Mean Dice overlap per class in the best one-to-one match of entities. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        return divide(match_entities(table), table.entities[0])


class CEAFM(Measure, name="ceaf-m", symmetric=True, reference=LUO):
    """F of the best one-to-one match by number of shared items. Best value: 1.

    The score equals one-to-one if gold and system contain the same items.
    """

    def compute(self, matched: Matched) -> Values:
        common, gold, system = matched.of_sides
        return divide(2 * common, gold + system)


class CEAFMPrecision(Measure, name="ceaf-m-precision", reference=LUO):
    """Fraction of the system's items in the best one-to-one match. Best value: 1."""

    def compute(self, matched: Matched) -> Values:
        common, _, system = matched.of_sides
        return divide(common, system)


class CEAFMRecall(Measure, name="ceaf-m-recall", reference=LUO):
    """Fraction of gold items in the best one-to-one match. Best value: 1."""

    def compute(self, matched: Matched) -> Values:
        common, gold, _ = matched.of_sides
        return divide(common, gold)


MENESTRINA = "Menestrina, Whang & Garcia-Molina 2010"


def count_exact(table: Contingency) -> Any:
    """Return the number of clusters that contain exactly the items of one class.

    The count in the cell of such a cluster equals both the class size and the cluster size.
    Placeholder clusters for items without a system label are not counted.
    """
    rows, columns = table.row_totals[table.rows], table.column_totals[table.columns]
    exact = np.equal(table.counts, rows) & np.equal(table.counts, columns)
    return table.over_cells(table.keep_common(exact.astype(np.int64)))


def require_whole_labels(table: Contingency) -> None:
    """Raise Undefined if labels are fractional, because then no cluster can be equal to a class."""
    if table.fractional:
        raise Undefined("exact clusters require one label per item, but labels are weighted")


class ClusterPrecision(Measure, name="cluster-precision", reference=MENESTRINA):
    """Fraction of clusters that contain exactly the items of one class. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        require_whole_labels(table)
        return divide(count_exact(table), table.entities[1])


class ClusterRecall(Measure, name="cluster-recall", reference=MENESTRINA):
    """Fraction of classes whose items form exactly one cluster. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        require_whole_labels(table)
        return divide(count_exact(table), table.entities[0])


class ClusterF(Measure, name="cluster-f", symmetric=True, reference=MENESTRINA):
    """F of exactly found clusters, 2·exact/(classes + clusters), for entity resolution.

    Best value: 1.
    """

    def compute(self, table: Contingency) -> Values:
        require_whole_labels(table)
        classes, clusters = table.entities
        return divide(2 * count_exact(table), classes + clusters)


class NCA(Measure, name="nca", range=(-0.5, 1.0), reference="Gagolewski 2025"):
    """Normalised clustering accuracy. Best value: 1; 0 if each class is spread evenly.

    The formula is (S − 1)/(M − 1). S is the sum, over classes, of the fraction of the class that is
    in its matched cluster, for the best one-to-one match. M is the number of classes or of
    clusters, whichever is larger. All classes have equal weight. The score may be negative if there
    are more clusters than classes.
    """

    def compute(self, table: Contingency) -> Values:
        shares = table.match(table.counts / table.row_totals[table.rows])
        most = np.maximum(table.sizes.classes, table.sizes.clusters)
        return np.where(table.perfect, 1.0, divide(shares - 1, most - 1))


class PSI(Measure, name="psi", range=(-1.0, 1.0), symmetric=True, reference="Rezaei & Fränti 2016"):
    """Pair sets index: overlaps in the best one-to-one match. Best value: 1; chance level: 0.

    The formula is (S − E)/(M − E). S is the sum of overlap/(larger size) over the matched (class,
    cluster) pairs. E is the expected sum for random clusters if classes and clusters are matched in
    order of size. M is the number of classes or of clusters, whichever is larger. Unlike in the
    publication, negative values are not set to 0.
    """

    def compute(self, table: Contingency) -> Values:
        larger = np.maximum(table.row_totals[table.rows], table.column_totals[table.columns])
        matched = table.match(table.counts / larger)
        most = np.maximum(table.sizes.classes, table.sizes.clusters)
        expected = match_sizes(table) / table.n
        return np.where(table.perfect, 1.0, divide(matched - expected, most - expected))


def match_sizes(table: Contingency) -> Any:
    """Return Σ min(a_r, b_r).

    a_r is the size of the r-th largest class, and b_r the size of the r-th largest cluster.
    """
    starts = [ONE if cuts is None else cuts for cuts in (table.cuts, table.column_cuts)]
    sizes = table.row_totals, table.column_totals
    widest = max(int(np.diff(s, append=t.size).max()) for s, t in zip(starts, sizes, strict=True))
    # Make one array for classes and one for clusters. Each row contains the sizes in one group, in
    # decreasing order and padded with 0.
    ranked = []
    for start, totals in zip(starts, sizes, strict=True):
        group = find_owners(start, totals.size)
        order = np.lexsort((-totals, group))
        ranks = np.zeros((start.size, widest))
        ranks[group, np.arange(totals.size) - start[group]] = totals[order]
        ranked.append(ranks)
    matched = np.minimum(*ranked).sum(axis=1)
    return matched if table.groups else float(matched[0])


_MAX_ITEMS = 10**9
"""Largest population size that numpy's hypergeometric sampler accepts."""

_MAX_SPLITS = 100_000
"""Maximum number of random splits. With this number, the standard error of the mean is below 0.002.
"""


@dataclass(frozen=True)
class SupervisedRecall(
    Measure,
    name="supervised-recall",
    ties=True,
    reference="Agirre et al. 2006; Manandhar et al. 2010",
):
    """Recall on test items if clusters are mapped to classes on training items. Best value: 1.

    The training set is a random fraction `train` of the items. Each cluster is mapped to its most
    frequent class in the training set. Recall on the remaining items is averaged over several
    random splits. Items in clusters that do not occur in the training set count as wrong. Splits
    are sampled from the contingency table, because the identity of items does not matter.
    """

    train: float = 0.8
    splits: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.train < 1:
            raise InputError(
                f"supervised-recall: invalid train={self.train}; expected a number between 0 and 1",
                code="invalid-option",
            )
        if self.seed < 0:
            raise InputError(
                f"supervised-recall: invalid seed={self.seed}; expected 0 or more",
                code="invalid-option",
            )
        if not 1 <= self.splits <= _MAX_SPLITS:
            raise InputError(
                f"supervised-recall: invalid splits={self.splits}; expected 1 to {_MAX_SPLITS:,}",
                code="invalid-option",
            )

    def compute(self, table: Contingency) -> float:
        if table.perfect:
            return 1.0
        if table.fractional:
            raise Undefined("random splits are undefined for fractional counts")
        if table.n > _MAX_ITEMS:
            raise Undefined(f"random splits are limited to {_MAX_ITEMS:,} items")
        mapped = round(self.train * table.n)
        if not 0 < mapped < table.n:
            message = f"{table.n} items are too few for a training fraction of {self.train:g}"
            raise Undefined(message)
        random = np.random.default_rng(self.seed)
        counts = table.counts.astype(np.int64)
        recalls = []
        for _ in range(self.splits):
            # The training items of each cell are drawn without replacement.
            learn = random.multivariate_hypergeometric(counts, mapped, method="marginals")
            recalls.append(_count_correct(table, learn, counts - learn) / (table.n - mapped))
        return float(np.mean(recalls))


def _count_correct(table: Contingency, learn: Ints, test: Ints) -> int:
    """Count the test items whose cluster is mapped to their class."""
    seen = np.flatnonzero(learn)
    classes = np.bincount(table.rows, learn, minlength=table.shape[0])
    # Map each cluster to the class with the most training items in it. Ties are resolved in favour
    # of the class with more training items overall.
    order = seen[np.lexsort((-classes[table.rows[seen]], -learn[seen], table.columns[seen]))]
    first = np.flatnonzero(np.diff(table.columns[order], prepend=-1))
    return int(test[order[first]].sum())
