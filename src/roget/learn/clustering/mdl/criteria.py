"""Codes: how long the description of a set of words is, as one cluster and as two; in nats.

All describe pairs of a word and a context by P(word, context) = P(cluster, context)·P(word|cluster)
and differ in what they charge for a cluster:

    li-abe     words of a cluster are equally likely; ½·log|S| for each of |V| parameters
    corrected  P(word|cluster) is the word's share of the cluster's tokens; the same charge
    dirichlet  as corrected, but contexts come from a Dirichlet-multinomial around the background
    nml        as corrected, but contexts come in the normalised maximum likelihood code

Which words go to which side costs |N| − 1 bits in the first two, split or not; in the others a
split into n and |N| − n words costs log(|N| − 1) + log C(|N|, n), and no split costs nothing.
The data part is always −log P at the relative frequencies; the model part is all the rest.

And what a tree of clusters says by its code: p(context|cluster), and where a new word goes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.kernels.rows import RowItems, rows_of
from roget.core.tree import Tree
from roget.core.types import Floats
from roget.learn.clustering.mdl import kernels
from roget.learn.clustering.mdl.options import CRITERIA, ESTIMATORS
from roget.learn.clustering.result import Clustering, Rule, array, posterior

TABLE = 1 << 16
"""x·log x is looked up for whole numbers below this."""

_KINDS = {
    "li-abe": kernels.UNIFORM,
    "corrected": kernels.PLAIN,
    "dirichlet": kernels.DIRICHLET,
    "nml": kernels.NML,
}


class Parts(NamedTuple):
    """A description length: what describes the model, and the data by the model."""

    model: float
    data: float

    @property
    def total(self) -> float:
        """Both together."""
        return self.model + self.data


@dataclass(frozen=True, eq=False)
class Code:
    """A criterion with all that it has to know of the whole table.

    `width` is the number of contexts, `prior` the pseudo-count of each context and `mass` their
    sum, the concentration.
    """

    criterion: str
    estimator: str
    width: int
    prior: Floats
    mass: float
    table: Floats

    @property
    def kind(self) -> int:
        """Which formulas the kernels use."""
        return kind_of(self.criterion, self.estimator)

    @property
    def naming(self) -> float:
        """1 if it must be said which words go where, else 0; the paper's codes always say it."""
        return float(self.estimator == "mdl" and self.criterion in ("dirichlet", "nml"))

    @property
    def data_kind(self) -> int:
        """The formulas of the data part alone."""
        return kind_of(self.criterion, "mle")

    def formula(self, prior: Floats) -> kernels.Formula:
        """What the kernels go by, for contexts with these pseudo-counts."""
        return kernels.Formula(
            self.kind, prior, self.mass, float(self.width), self.naming, self.table
        )

    def penalty(self, tokens: float, size: float) -> float:
        """What two clusters are charged more than one, apart from the kernels' lengths."""
        if self.estimator == "mle":
            return 0.0
        if self.criterion in ("li-abe", "corrected"):
            # P(C, v) has |V| more cells; one of P(n|C) is less free, where words may differ.
            more = self.width - (self.criterion == "corrected")
            return more / 2 * math.log(tokens) if tokens > 1 else 0.0
        # How many words go to one side; the kernels add which ones.
        return math.log(max(size - 1, 1))

    def alone(self, counts: Floats, tokens: float, size: float, prior: Floats) -> Parts:
        """The length of one cluster, but for what no partition changes."""
        both = np.zeros((counts.size, 2))
        both[:, 0] = counts
        sums = kernels.Sums(both, np.array([tokens, 0.0]), np.array([size, 0.0]))
        formula = self.formula(prior)._replace(naming=0.0)
        seen = kernels.length(sums, formula._replace(kind=self.data_kind))
        return Parts(kernels.length(sums, formula) - seen, seen)

    def root(self, matrix: Any, totals: Floats) -> Parts:
        """The whole description of all words as one cluster."""
        counts = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()
        size, tokens = float(totals.size), float(totals.sum())
        charged, seen = self.alone(counts, tokens, size, self.prior)
        same = tokens * math.log(tokens)
        if self.data_kind == kernels.PLAIN:
            same -= float(np.sum(totals * np.log(totals)))
        data = seen + same
        if self.estimator == "mle":
            return Parts(0.0, data)
        names = (size - 1) * math.log(2) if self.criterion in ("li-abe", "corrected") else 0.0
        free = self.width - 1 if self.criterion in ("li-abe", "corrected") else 0
        if self.criterion != "li-abe":
            free += int(size) - 1
        return Parts(names + free / 2 * math.log(tokens) + charged, data)


def code(matrix: Any, criterion: str, estimator: str, concentration: float) -> Code:
    """The code of a criterion for a table of counts."""
    counts = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()
    numbers = np.arange(TABLE, dtype=np.float64)
    numbers[1:] *= np.log(numbers[1:])
    prior = concentration * background(counts)
    width = int(np.count_nonzero(counts))
    return Code(criterion, estimator, width, prior, float(prior.sum()), numbers)


def kind_of(criterion: str, estimator: str) -> int:
    """Which formulas the kernels use; those of the data part, where nothing else is charged."""
    if estimator == "mle" and criterion != "li-abe":
        return kernels.PLAIN
    return _KINDS[criterion]


def background(counts: Floats) -> Floats:
    """p(v), half a token added to each context, so that none is impossible."""
    return np.asarray((counts + 0.5) / (counts.sum() + 0.5 * counts.size))


def frequencies(counts: Any) -> Floats:
    """p(v|c): each cluster's relative frequencies."""
    table = counts.toarray()
    table /= table.sum(axis=1, keepdims=True)
    return np.asarray(table)


def shrink(counts: Any, tree: Tree, background: Floats, weight: float) -> Floats:
    """p(v|c): a cluster's counts and `weight` tokens as its parent has them, and so up the tree.

    What a small cluster has not seen, it is told by the larger ones that it was split from.
    """
    table, cells = sparse.csr_array(counts), np.empty(counts.shape)
    known: dict[int, Floats] = {}
    sums = _node_sums(table, tree)
    for node in range(tree.n_nodes):
        above = background if not node else known[int(tree.parent[node])]
        here = weight * above
        row = slice(sums.indptr[node], sums.indptr[node + 1])
        here[sums.indices[row]] += sums.data[row]
        here /= sums.data[row].sum() + weight
        if tree.cluster[node] >= 0:
            cells[tree.cluster[node]] = here
        else:
            known[node] = here
        if node and node == tree.children(int(tree.parent[node]))[-1]:
            del known[int(tree.parent[node])]
    return cells


def _node_sums(counts: Any, tree: Tree) -> Any:
    """The counts of every node: of a leaf its cluster's, else its leaves' together."""
    leaves = np.flatnonzero(tree.cluster >= 0)
    ways = [tree.path(int(leaf)) for leaf in leaves]
    nodes = np.concatenate([np.array(way) for way in ways])
    clusters = np.repeat(tree.cluster[leaves], [len(way) for way in ways])
    shape = tree.n_nodes, counts.shape[0]
    gathered = sparse.csr_array((np.ones(nodes.size), (nodes, clusters)), shape=shape)
    return sparse.csr_array(gathered @ counts)


@dataclass(frozen=True, eq=False)
class MergeGain(Rule):
    """∝ p(c)·exp(−nats by which c's description grows if the word joins it)."""

    clusterer = "mdl"

    criterion: str
    estimator: str
    weight: float
    """By how many tokens of its parent a cluster is smoothed."""
    width: int
    """How many contexts the code is about."""
    tokens: Floats = field(metadata=array("k"))
    sizes: Floats = field(metadata=array("k"))

    def place(self, matrix: Any, leaves: Clustering) -> Floats:
        """p(c|word); a word without counts gets p(c)."""
        return posterior(self.code_lengths(matrix, leaves.centroids), leaves.mass)

    def code_lengths(self, matrix: Any, centroids: Floats) -> Floats:
        """How much longer the description gets if a row joins a cluster, rows × clusters, nats."""
        kind = kind_of(self.criterion, self.estimator)
        held = self.tokens + (self.weight if kind == kernels.DIRICHLET else 0.0)
        counts = np.ascontiguousarray((centroids * held[:, None]).T)
        out = np.empty((matrix.shape[0], self.tokens.size))
        totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
        kernels.join_costs(
            RowItems(*rows_of(matrix), totals),
            kernels.Sums(counts, held, self.sizes),
            kernels.Formula(kind, np.empty(0), 1.0, float(self.width), 0.0, np.empty(0)),
            out,
        )
        return out

    def regroup(self, made: Clustering, counts: Counts) -> Clustering:
        """The tokens and sizes of classes as they are now."""
        belongs = made.memberships
        tokens = np.asarray(belongs.T @ counts.word_totals, dtype=np.float64).ravel()
        sizes = np.asarray(belongs.sum(axis=0), dtype=np.float64).ravel()
        width = max(self.width, made.centroids.shape[1])
        return replace(made, rule=replace(self, tokens=tokens, sizes=sizes, width=width))

    def check(self, k: int, m: int) -> None:
        """Refuse codes that there are not, too."""
        super().check(k, m)
        for name, value, known in (
            ("criterion", self.criterion, CRITERIA),
            ("estimator", self.estimator, ESTIMATORS),
        ):
            if value not in known:
                raise ValueError(f"{name} {value!r}: expected {' or '.join(known)}")
        if self.weight < 0 or self.width < 1:
            raise ValueError(f"weight {self.weight}, width {self.width}: expected 0 and 1 or more")
