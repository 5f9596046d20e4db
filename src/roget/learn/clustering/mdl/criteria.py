"""Codes: the description length of a set of words as one cluster and as two, in nats.

All codes describe (word, context) pairs by P(n, v) = P(C, v)·P(n|C) and differ in what a cluster
costs:

    li-abe     the words of a cluster are equally likely; ½·ln|S| for each of |V| parameters
    corrected  P(n|C) is the word's share of the cluster's tokens; the same cost of parameters
    dirichlet  as corrected, but contexts follow a Dirichlet-multinomial around the background
    nml        as corrected, but contexts use the normalised maximum likelihood code

In the first two codes, naming the members of the clusters costs |N| − 1 bits, split or not (L_mod
of Li & Abe). In the others a split of |N| words into n and |N| − n costs ln(|N| − 1) + ln C(|N|,
n), and no split costs nothing. The data part is always −ln P at the relative frequencies (L_dat);
all other terms are the model part.

The module also derives p(context|cluster) from a tree of clusters, and the rule for new words.
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
"""x·ln x is tabulated for integers below this."""

_KINDS = {
    "li-abe": kernels.UNIFORM,
    "corrected": kernels.PLAIN,
    "dirichlet": kernels.DIRICHLET,
    "nml": kernels.NML,
}


class Parts(NamedTuple):
    """A description length: the model part, and the data given the model."""

    model: float
    data: float

    @property
    def total(self) -> float:
        """The sum of both parts."""
        return self.model + self.data


@dataclass(frozen=True, eq=False)
class Code:
    """A criterion with the statistics of the whole table.

    `width` is the number of contexts, `prior` holds their pseudo-counts and `mass` the sum of
    these, the concentration.
    """

    criterion: str
    estimator: str
    width: int
    prior: Floats
    mass: float
    table: Floats

    @property
    def kind(self) -> int:
        """The formulas that the kernels use."""
        return choose_kind(self.criterion, self.estimator)

    @property
    def naming(self) -> float:
        """1 if splits must name their members, else 0 (the paper's codes name them anyway)."""
        return float(self.estimator == "mdl" and self.criterion in ("dirichlet", "nml"))

    @property
    def data_kind(self) -> int:
        """The formulas of the data part."""
        return choose_kind(self.criterion, "mle")

    def formula(self, prior: Floats) -> kernels.Formula:
        """Return the parameters of the kernels for contexts with these pseudo-counts."""
        return kernels.Formula(
            self.kind, prior, self.mass, float(self.width), self.naming, self.table
        )

    def penalty(self, tokens: float, size: float) -> float:
        """Return the cost of a second cluster beyond the lengths that the kernels compute."""
        if self.estimator == "mle":
            return 0.0
        if self.criterion in ("li-abe", "corrected"):
            # P(C, v) has |V| more cells; P(n|C) has one free parameter less if words may differ.
            more = self.width - (self.criterion == "corrected")
            return more / 2 * math.log(tokens) if tokens > 1 else 0.0
        # The number of words on one side; the kernels add the cost of naming them.
        return math.log(max(size - 1, 1))

    def single_length(self, counts: Floats, tokens: float, size: float, prior: Floats) -> Parts:
        """Return the length of one cluster without terms that no partition changes."""
        both = np.zeros((counts.size, 2))
        both[:, 0] = counts
        sums = kernels.Sums(both, np.array([tokens, 0.0]), np.array([size, 0.0]))
        formula = self.formula(prior)._replace(naming=0.0)
        seen = kernels.length(sums, formula._replace(kind=self.data_kind))
        return Parts(kernels.length(sums, formula) - seen, seen)

    def root_length(self, matrix: Any, totals: Floats) -> Parts:
        """Return the whole description length of all words as one cluster."""
        counts = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()
        size, tokens = float(totals.size), float(totals.sum())
        charged, seen = self.single_length(counts, tokens, size, self.prior)
        # The constants left out so far: N ln N of P(C, v), less Σ f(n) ln f(n) if words may differ.
        same = tokens * math.log(tokens)
        if self.data_kind == kernels.PLAIN:
            same -= float(np.sum(totals * np.log(totals)))
        data = seen + same
        if self.estimator == "mle":
            return Parts(0.0, data)
        # Li & Abe's L_mod = |N| − 1 bits and L_par = ½·ln|S| per free parameter.
        names = (size - 1) * math.log(2) if self.criterion in ("li-abe", "corrected") else 0.0
        free = self.width - 1 if self.criterion in ("li-abe", "corrected") else 0
        if self.criterion != "li-abe":
            free += int(size) - 1
        return Parts(names + free / 2 * math.log(tokens) + charged, data)


def make_code(matrix: Any, criterion: str, estimator: str, concentration: float) -> Code:
    """Make the code of a criterion for a matrix of counts."""
    counts = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()
    numbers = np.arange(TABLE, dtype=np.float64)
    numbers[1:] *= np.log(numbers[1:])
    prior = concentration * background(counts)
    width = int(np.count_nonzero(counts))
    return Code(criterion, estimator, width, prior, float(prior.sum()), numbers)


def choose_kind(criterion: str, estimator: str) -> int:
    """Return the formulas of a criterion; with "mle" the formulas of its data part."""
    if estimator == "mle" and criterion != "li-abe":
        return kernels.PLAIN
    return _KINDS[criterion]


def background(counts: Floats) -> Floats:
    """Return p(v) with half a token added to each context, so that none is impossible."""
    return np.asarray((counts + 0.5) / (counts.sum() + 0.5 * counts.size))


def frequencies(counts: Any) -> Floats:
    """Return p(v|c) as the relative frequencies of each cluster."""
    table = counts.toarray()
    table /= table.sum(axis=1, keepdims=True)
    return np.asarray(table)


def shrink(counts: Any, tree: Tree, background: Floats, weight: float) -> Floats:
    """Return p(v|c) from a cluster's counts plus `weight` tokens of its parent, recursively.

    A small cluster thus gets the contexts it has not seen from the larger ones it was split from:
    p(v|node) = (f(v, node) + weight·p(v|parent)) / (f(node) + weight).
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
            # The parent is no longer needed after its last child.
            del known[int(tree.parent[node])]
    return cells


def _node_sums(counts: Any, tree: Tree) -> Any:
    """Sum the counts of the leaves below every node."""
    leaves = np.flatnonzero(tree.cluster >= 0)
    paths = [tree.path(int(leaf)) for leaf in leaves]
    nodes = np.concatenate([np.array(path) for path in paths])
    clusters = np.repeat(tree.cluster[leaves], [len(path) for path in paths])
    shape = tree.n_nodes, counts.shape[0]
    gathered = sparse.csr_array((np.ones(nodes.size), (nodes, clusters)), shape=shape)
    return sparse.csr_array(gathered @ counts)


@dataclass(frozen=True, eq=False)
class MergeGain(Rule):
    """Place words by p(c|word) ∝ p(c)·exp(−growth of c's description if the word joins it)."""

    clusterer = "mdl"

    criterion: str
    estimator: str
    weight: float
    """Number of parent tokens by which a cluster is smoothed."""
    width: int
    """Number of contexts of the code."""
    tokens: Floats = field(metadata=array("k"))
    sizes: Floats = field(metadata=array("k"))

    def place(self, matrix: Any, leaves: Clustering) -> Floats:
        """Return p(c|word); a word without counts gets p(c)."""
        return posterior(self.code_lengths(matrix, leaves.centroids), leaves.mass)

    def code_lengths(self, matrix: Any, centroids: Floats) -> Floats:
        """Return the growth of the description if a row joins a cluster, rows × clusters, nats."""
        kind = choose_kind(self.criterion, self.estimator)
        # Counts of each cluster, recovered from the centroids; with pseudo-counts for Dirichlet.
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
        """Update the tokens and sizes of the classes."""
        belongs = made.memberships
        tokens = np.asarray(belongs.T @ counts.word_totals, dtype=np.float64).ravel()
        sizes = np.asarray(belongs.sum(axis=0), dtype=np.float64).ravel()
        width = max(self.width, made.centroids.shape[1])
        return replace(made, rule=replace(self, tokens=tokens, sizes=sizes, width=width))

    def check(self, k: int, m: int) -> None:
        """Also refuse unknown codes and invalid sizes."""
        super().check(k, m)
        for name, value, known in (
            ("criterion", self.criterion, CRITERIA),
            ("estimator", self.estimator, ESTIMATORS),
        ):
            if value not in known:
                raise ValueError(f"{name} {value!r}: expected {' or '.join(known)}")
        if self.weight < 0 or self.width < 1:
            raise ValueError(f"weight {self.weight}, width {self.width}: expected 0 and 1 or more")
