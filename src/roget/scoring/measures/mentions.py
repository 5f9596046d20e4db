"""Measures of coreference: gold entities against system entities, each a set of mentions.

Items are mentions, and classes and clusters are entities. If the sides have different mentions,
unmatched mentions count on their own side, as in the reference scorer (Pradhan et al. 2014): they
make an entity larger, and no link with them is correct.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from roget.core.types import Floats, Values
from roget.errors import Undefined
from roget.scoring.measures.base import Measure, divide, harmonic
from roget.scoring.measures.overlap import CEAFE, BCubedF
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.records import BCubed, Links

VILAIN = "Vilain et al. 1995"
MOOSAVI = "Moosavi & Strube 2016"
LUO = "Recasens & Hovy 2011; Luo et al. 2014"


def refuse_fractions(table: Contingency) -> None:
    """Raise Undefined if counts are not whole numbers of mentions."""
    if table.fractional:
        raise Undefined("links between mentions need whole items, not weighted labels")


def count_links(table: Contingency) -> tuple[Any, Any, Any]:
    """Return the fewest links that form the common entities, gold's and the system's.

    n mentions in k entities need n − k links; an unmatched mention is alone and needs no link.
    """
    refuse_fractions(table)
    sizes = table.sizes
    common = table.n - table.joint.seen
    return common, table.n - sizes.classes, table.n - sizes.clusters


class MUCPrecision(Measure, name="muc-precision", best=None, reference=VILAIN):
    """1 is best: the share of the system's links that gold has; 0 if the system has no links."""

    def compute(self, table: Contingency) -> Values:
        common, _, system = count_links(table)
        return divide(common, system)


class MUCRecall(Measure, name="muc-recall", best=None, reference=VILAIN):
    """1 is best: the share of gold's links that the system has; 0 if gold has no links."""

    def compute(self, table: Contingency) -> Values:
        common, gold, _ = count_links(table)
        return divide(common, gold)


class MUC(Measure, name="muc", symmetric=True, best=None, reference=VILAIN):
    """1 is best: F of links; an entity of n mentions has n − 1 links. Favours few clusters.

    Singletons have no links and do not count; with singletons only the score is 0.
    """

    def compute(self, table: Contingency) -> Values:
        common, gold, system = count_links(table)
        return divide(2 * common, gold + system)


def resolve_entities(table: Contingency) -> Values:
    """Return LEA's recall: the share of each class's links that are resolved, weighted by size.

    A singleton has one link, to itself, which is resolved if it is a singleton on the other side.
    """
    refuse_fractions(table)
    sizes, counts = table.row_totals.astype(np.float64), table.counts.astype(np.float64)
    resolved = np.add.reduceat(counts * (counts - 1), table.row_starts)
    alone = table.keep_common((table.column_totals == 1)[table.columns].astype(np.int64))
    recall: Floats = np.where(
        sizes == 1, alone[table.row_starts], divide(resolved, sizes * (sizes - 1))
    )
    if table.held is not None:
        sizes = sizes * table.held.rows
    return divide(table.over_rows(sizes * recall), table.over_rows(sizes))


class LEAPrecision(Measure, name="lea-precision", reference=MOOSAVI):
    """1 is best: the share of a cluster's links that gold has, weighted by cluster size."""

    def compute(self, table: Contingency) -> Values:
        return resolve_entities(table.T)


class LEARecall(Measure, name="lea-recall", reference=MOOSAVI):
    """1 is best: the share of a class's links that the system has, weighted by class size."""

    def compute(self, table: Contingency) -> Values:
        return resolve_entities(table)


class LEA(Measure, name="lea", symmetric=True, reference=MOOSAVI):
    """1 is best: F of entities, weighted by size, each by the share of its links resolved."""

    def compute(self, table: Contingency) -> Values:
        return harmonic(resolve_entities(table.T), resolve_entities(table))


def average_links(links: Links, linked: Values, apart: Values) -> Values:
    """Return the mean of the scores of links and non-links; only one of them if gold has no other.

    Gold with one mention has neither: the score is 1 if the system has this mention only, else 0.
    """
    none, all_linked = np.equal(links.gold, 0), np.equal(links.gold_apart, 0)
    same = np.equal(links.system, 0) & np.equal(links.system_apart, 0)
    either = np.where(none, apart, np.where(all_linked, linked, (linked + apart) / 2))
    return np.where(none & all_linked, np.where(same, 1.0, 0.0), either)


class BLANCPrecision(Measure, name="blanc-precision", reference=LUO):
    """1 is best: the mean of the precisions of links and of non-links."""

    def compute(self, table: Contingency) -> Values:
        links = table.links
        linked = divide(links.both, links.system)
        return average_links(links, linked, divide(links.both_apart, links.system_apart))


class BLANCRecall(Measure, name="blanc-recall", reference=LUO):
    """1 is best: the mean of the recalls of links and of non-links."""

    def compute(self, table: Contingency) -> Values:
        links = table.links
        linked = divide(links.both, links.gold)
        return average_links(links, linked, divide(links.both_apart, links.gold_apart))


class BLANC(Measure, name="blanc", reference=LUO):
    """1 is best: the mean of the F of links and the F of non-links.

    As in the reference scorer, only one of them counts if gold links no pairs or all pairs, so the
    measure is not symmetric.
    """

    def compute(self, table: Contingency) -> Values:
        links = table.links
        linked = divide(2 * links.both, links.gold + links.system)
        apart = divide(2 * links.both_apart, links.gold_apart + links.system_apart)
        return average_links(links, linked, apart)


class CoNLL(Measure, name="conll", symmetric=True, best=None, reference="Pradhan et al. 2011"):
    """1 is best: the mean of the F of MUC, B-cubed and CEAF-e, used to rank shared tasks.

    With singletons only, MUC is 0 and the best score is 2/3.
    """

    def compute(self, bcubed: BCubed, table: Contingency) -> Values:
        parts = MUC().compute(table), BCubedF().compute(bcubed), CEAFE().compute(table)
        return (parts[0] + parts[1] + parts[2]) / 3
