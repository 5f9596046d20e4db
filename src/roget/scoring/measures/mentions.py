"""Measures of coreference resolution, which compare gold entities with system entities.

Items are mentions. Classes and clusters are entities, i.e. sets of mentions. A mention that occurs
only in gold or only in the system is unmatched. As in the reference scorer (Pradhan et al. 2014),
it counts as a member of its entity, and no link to it is correct.
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
PRADHAN = "Pradhan et al. 2011"
LUO = "Recasens & Hovy 2011; Luo et al. 2014"


def refuse_fractions(table: Contingency) -> None:
    """Raise Undefined if the counts are not whole numbers of mentions."""
    if table.fractional:
        raise Undefined("links between mentions are undefined for weighted labels")


def count_links(table: Contingency) -> tuple[Any, Any, Any]:
    """Return the numbers of shared links, gold links and system links.

    At least n − k links are needed to join n mentions into k entities. Unmatched mentions get
    placeholder entities of size 1, which need no links.
    """
    refuse_fractions(table)
    sizes = table.sizes
    common = table.n - table.joint.seen
    return common, table.n - sizes.classes, table.n - sizes.clusters


class MUCPrecision(Measure, name="muc-precision", best=None, reference=VILAIN):
    """Fraction of the system's links that are correct. Best value: 1.
    The score is 0 if the system has no links.
    """

    def compute(self, table: Contingency) -> Values:
        common, _, system = count_links(table)
        return divide(common, system)


class MUCRecall(Measure, name="muc-recall", best=None, reference=VILAIN):
    """Fraction of gold links that the system found. Best value: 1.
    The score is 0 if gold has no links.
    """

    def compute(self, table: Contingency) -> Values:
        common, gold, _ = count_links(table)
        return divide(common, gold)


class MUC(Measure, name="muc", symmetric=True, best=None, reference=VILAIN):
    """F of coreference links, where an entity of n mentions has n − 1 links. Best value: 1. The
    measure favours few clusters.

    Singletons have no links and are ignored. If there are only singletons, the score is 0.
    """

    def compute(self, table: Contingency) -> Values:
        common, gold, system = count_links(table)
        return divide(2 * common, gold + system)


def resolve_entities(table: Contingency) -> Values:
    """Return LEA recall: the mean fraction of resolved links per class, weighted by class size.

    A singleton has one link, to itself. This link is resolved if the mention is a singleton in the
    other clustering, too.
    """
    refuse_fractions(table)
    sizes, counts = table.row_totals.astype(np.float64), table.counts.astype(np.float64)
    # A class of size a has a(a−1)/2 links, one per pair of mentions. If x of its mentions are in
    # one cluster, x(x−1)/2 of the links are resolved.
    resolved = np.add.reduceat(counts * (counts - 1), table.row_starts)
    alone = table.keep_common((table.column_totals == 1)[table.columns].astype(np.int64))
    recall: Floats = np.where(
        sizes == 1, alone[table.row_starts], divide(resolved, sizes * (sizes - 1))
    )
    if table.held is not None:
        sizes = sizes * table.held.rows
    return divide(table.over_rows(sizes * recall), table.over_rows(sizes))


class LEAPrecision(Measure, name="lea-precision", reference=MOOSAVI):
    """Fraction of a cluster's links that are correct, weighted by cluster size. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        return resolve_entities(table.T)


class LEARecall(Measure, name="lea-recall", reference=MOOSAVI):
    """Fraction of a class's links that the system found, weighted by class size. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        return resolve_entities(table)


class LEA(Measure, name="lea", symmetric=True, reference=MOOSAVI):
    """F of the resolved links of entities, weighted by entity size. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        return harmonic(resolve_entities(table.T), resolve_entities(table))


def average_links(links: Links, linked: Values, apart: Values) -> Values:
    """Return the mean of the link score and the non-link score.

    If gold has no links or no non-links, the other score is returned. If gold has only one mention,
    both are missing. The result is then 1 if the system has no pairs of mentions either, and
    otherwise 0.
    """
    no_links, all_linked = np.equal(links.gold, 0), np.equal(links.gold_apart, 0)
    no_pairs = np.equal(links.system, 0) & np.equal(links.system_apart, 0)
    either = np.where(no_links, apart, np.where(all_linked, linked, (linked + apart) / 2))
    return np.where(no_links & all_linked, np.where(no_pairs, 1.0, 0.0), either)


class BLANCPrecision(Measure, name="blanc-precision", reference=LUO):
    """Mean of link precision and non-link precision. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        links = table.links
        linked = divide(links.both, links.system)
        return average_links(links, linked, divide(links.both_apart, links.system_apart))


class BLANCRecall(Measure, name="blanc-recall", reference=LUO):
    """Mean of link recall and non-link recall. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        links = table.links
        linked = divide(links.both, links.gold)
        return average_links(links, linked, divide(links.both_apart, links.gold_apart))


class BLANC(Measure, name="blanc", reference=LUO):
    """Mean of link F and non-link F. Best value: 1.

    As in the reference scorer, only one of the two F scores counts if gold links no pairs or all
    pairs, so the measure is not symmetric.
    """

    def compute(self, table: Contingency) -> Values:
        links = table.links
        linked = divide(2 * links.both, links.gold + links.system)
        apart = divide(2 * links.both_apart, links.gold_apart + links.system_apart)
        return average_links(links, linked, apart)


class CoNLL(Measure, name="conll", symmetric=True, best=None, reference=PRADHAN):
    """Mean F of MUC, B-cubed and CEAF-e, used to rank shared tasks. Best value: 1.

    If there are only singletons, MUC is 0 and the best score is 2/3.
    """

    def compute(self, bcubed: BCubed, table: Contingency) -> Values:
        parts = MUC().compute(table), BCubedF().compute(bcubed), CEAFE().compute(table)
        return (parts[0] + parts[1] + parts[2]) / 3


def count_mentions(table: Contingency) -> tuple[Any, Any, Any]:
    """Return the numbers of common mentions, gold mentions and system mentions."""
    refuse_fractions(table)
    common = table.n if table.held is None else table.over_cells(table.keep_common(table.counts))
    return common, *table.mentions


class MentionPrecision(Measure, name="mention-precision", best=None, reference=PRADHAN):
    """Fraction of the system's mentions that gold contains. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        common, _, system = count_mentions(table)
        return divide(common, system)


class MentionRecall(Measure, name="mention-recall", best=None, reference=PRADHAN):
    """Fraction of gold mentions that the system detected. Best value: 1."""

    def compute(self, table: Contingency) -> Values:
        common, gold, _ = count_mentions(table)
        return divide(common, gold)


class MentionF(Measure, name="mention-f", symmetric=True, best=None, reference=PRADHAN):
    """F of mention detection. Best value: 1.

    Entities are ignored. The score is 1 if gold and system contain the same items.
    """

    def compute(self, table: Contingency) -> Values:
        common, gold, system = count_mentions(table)
        return divide(2 * common, gold + system)
