"""Measures of coreference: gold's entities against those of a system, each a set of mentions.

An item is a mention, a class or cluster an entity. Where sides find other mentions, those without a
twin count on their own side, as in the reference scorer (Pradhan et al. 2014): they make an entity
larger, and no link with them is ever right.
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
    """Raise where counts are not those of whole mentions."""
    if table.fractional:
        raise Undefined("links between mentions need whole items, not weighted answers")


def count_links(table: Contingency) -> tuple[Any, Any, Any]:
    """The fewest links that make the entities both have in common, gold's and the system's.

    n mentions in k entities need n − k; what has no twin is alone, and needs none.
    """
    refuse_fractions(table)
    sizes = table.sizes
    common = table.n - table.joint.seen
    return common, table.n - sizes.classes, table.n - sizes.clusters


class MUCPrecision(Measure, name="muc-precision", best=None, reference=VILAIN):
    """1 is best: the share of the system's links that gold has; 0 if the system has none."""

    def compute(self, table: Contingency) -> Values:
        common, _, system = count_links(table)
        return divide(common, system)


class MUCRecall(Measure, name="muc-recall", best=None, reference=VILAIN):
    """1 is best: the share of gold's links that the system has; 0 if gold has none."""

    def compute(self, table: Contingency) -> Values:
        common, gold, _ = count_links(table)
        return divide(common, gold)


class MUC(Measure, name="muc", symmetric=True, best=None, reference=VILAIN):
    """1 is best: F of links, of which n mentions of an entity need n − 1. Favours few clusters.

    Singletons have no links: they do not count, and where there is nothing else the score is 0.
    """

    def compute(self, table: Contingency) -> Values:
        common, gold, system = count_links(table)
        return divide(2 * common, gold + system)


def resolve_entities(table: Contingency) -> Values:
    """LEA's recall: the share of each class's links that are resolved, averaged by its size.

    A singleton has one link, to itself, which is resolved if it is alone on the other side too.
    """
    refuse_fractions(table)
    sizes, counts = table.row_totals.astype(np.float64), table.counts.astype(np.float64)
    resolved = np.add.reduceat(counts * (counts - 1), table.row_starts)
    alone = table.keep_common((table.column_totals == 1)[table.columns].astype(np.int64))
    found: Floats = np.where(
        sizes == 1, alone[table.row_starts], divide(resolved, sizes * (sizes - 1))
    )
    if table.held is not None:
        sizes = sizes * table.held.rows
    return divide(table.over_rows(sizes * found), table.over_rows(sizes))


class LEAPrecision(Measure, name="lea-precision", reference=MOOSAVI):
    """1 is best: the share of a cluster's links that gold has, averaged by cluster size."""

    def compute(self, table: Contingency) -> Values:
        return resolve_entities(table.T)


class LEARecall(Measure, name="lea-recall", reference=MOOSAVI):
    """1 is best: the share of a class's links that the system has, averaged by class size."""

    def compute(self, table: Contingency) -> Values:
        return resolve_entities(table)


class LEA(Measure, name="lea", symmetric=True, reference=MOOSAVI):
    """1 is best: F of entities, each counting by its size and the share of its links resolved."""

    def compute(self, table: Contingency) -> Values:
        return harmonic(resolve_entities(table.T), resolve_entities(table))


def average_links(links: Links, linked: Values, apart: Values) -> Values:
    """The mean of the scores of links and of pairs kept apart; one of them if gold has no other.

    Gold of one mention has neither: the score is 1 if the system has this mention alone, else 0.
    """
    none, all_linked = np.equal(links.gold, 0), np.equal(links.gold_apart, 0)
    same = np.equal(links.system, 0) & np.equal(links.system_apart, 0)
    either = np.where(none, apart, np.where(all_linked, linked, (linked + apart) / 2))
    return np.where(none & all_linked, np.where(same, 1.0, 0.0), either)


class BLANCPrecision(Measure, name="blanc-precision", reference=LUO):
    """1 is best: the mean of the precisions of links and of pairs kept apart."""

    def compute(self, table: Contingency) -> Values:
        links = table.links
        linked = divide(links.both, links.system)
        return average_links(links, linked, divide(links.both_apart, links.system_apart))


class BLANCRecall(Measure, name="blanc-recall", reference=LUO):
    """1 is best: the mean of the recalls of links and of pairs kept apart."""

    def compute(self, table: Contingency) -> Values:
        links = table.links
        linked = divide(links.both, links.gold)
        return average_links(links, linked, divide(links.both_apart, links.gold_apart))


class BLANC(Measure, name="blanc", reference=LUO):
    """1 is best: the mean of the F of links and the F of pairs kept apart.

    As in the reference scorer, only one of them counts if gold has no link, or links all; so gold
    and system may not change places.
    """

    def compute(self, table: Contingency) -> Values:
        links = table.links
        linked = divide(2 * links.both, links.gold + links.system)
        apart = divide(2 * links.both_apart, links.gold_apart + links.system_apart)
        return average_links(links, linked, apart)


class CoNLL(Measure, name="conll", symmetric=True, best=None, reference="Pradhan et al. 2011"):
    """1 is best: the mean of the F of MUC, B-cubed and CEAF-e, by which shared tasks rank.

    Where there are singletons only, MUC is 0 and the best score is 2/3.
    """

    def compute(self, bcubed: BCubed, table: Contingency) -> Values:
        parts = MUC().compute(table), BCubedF().compute(bcubed), CEAFE().compute(table)
        return (parts[0] + parts[1] + parts[2]) / 3
