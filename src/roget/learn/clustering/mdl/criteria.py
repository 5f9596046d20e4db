"""Codes that measure the description length, in nats, of words in one or two clusters.

All codes describe (word, context) pairs by P(n, v) = P(C, v)·P(n|C). They differ in the cost of a
cluster:

    li-abe     P(n|C) = 1/|C| (equation 6 of Li & Abe 1996); each of |V| parameters costs ½·ln|S|
               (equation 4), where S are the tokens of the set of words that is split
    corrected  P(n|C) is the word's share of the cluster's tokens; parameters cost the same
    dirichlet  like corrected, but contexts have a Dirichlet-multinomial code around the background
    nml        like corrected, but contexts have the normalised maximum likelihood code

The paper's algorithm is applied to each side of a split as if that side were the complete data.
With li-abe, the description length of a tree is therefore

    (|N| − 1)·ln 2 + ½(|V| − 1)·ln|S| + Σ_splits ½|V|·ln|S_split| − Σ f(n, v)·ln P(n, v).

With li-abe and corrected, listing the members of the clusters costs |N| − 1 bits, whether or not
the words are split (L_mod, equation 3). With dirichlet and nml, a split of |N| words into n and
|N| − n costs ln(|N| − 1) + ln C(|N|, n), and not splitting costs 0. The data part is always −ln P
at the relative frequencies (L_dat, equation 5). All other terms belong to the model part.

The module also computes p(context|cluster) from a tree of clusters, and defines the rule for
placing new words.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core.contents import array
from roget.core.counts import Counts
from roget.core.kernels.rows import RowItems, rows_of
from roget.core.tree import Tree
from roget.core.types import Floats
from roget.learn.clustering.mdl import kernels
from roget.learn.clustering.mdl.options import CRITERIA, ESTIMATORS
from roget.learn.clustering.result import Clustering, Rule, posterior

TABLE = 1 << 16
"""Number of integers for which x·ln x is tabulated."""

_KINDS = {
    "li-abe": kernels.UNIFORM,
    "corrected": kernels.PLAIN,
    "dirichlet": kernels.DIRICHLET,
    "nml": kernels.NML,
}


class Parts(NamedTuple):
    """A two-part description length: the length of the model, and of the data given the model."""

    model: float
    data: float

    @property
    def total(self) -> float:
        """The description length."""
        return self.model + self.data


@dataclass(frozen=True, eq=False)
class Code:
    """A description-length criterion, with statistics of the complete table.

    `width` is the number of contexts, and `prior` holds their pseudo-counts. Their sum, `mass`, is
    the concentration.
    """

    criterion: str
    estimator: str
    width: int
    prior: Floats
    mass: float
    table: Floats

    @property
    def kind(self) -> int:
        """Number by which the compiled kernels identify the code."""
        return choose_kind(self.criterion, self.estimator)

    @property
    def naming(self) -> float:
        """1 if the code states which words are on each side of a split, otherwise 0.

        In Li & Abe (1996), this cost is constant.
        """
        return float(self.estimator == "mdl" and self.criterion in ("dirichlet", "nml"))

    @property
    def data_kind(self) -> int:
        """Number by which the kernels identify the formulas for the data part."""
        return choose_kind(self.criterion, "mle")

    def formula(self, prior: Floats) -> kernels.Formula:
        """Return the kernel parameters for contexts with the given pseudo-counts."""
        return kernels.Formula(
            self.kind, prior, self.mass, float(self.width), self.naming, self.table
        )

    def penalty(self, tokens: float, size: float) -> float:
        """Return the part of the cost of a second cluster that is not computed by the kernels."""
        if self.estimator == "mle":
            return 0.0
        if self.criterion in ("li-abe", "corrected"):
            # L_par (equation 4): a split adds |V| parameters to P(C, v). With "corrected", it also
            # removes one from P(n|C).
            more = self.width - (self.criterion == "corrected")
            return more / 2 * math.log(tokens) if tokens > 1 else 0.0
        # Code the number of words on one side. The kernels add the cost of listing them.
        return math.log(max(size - 1, 1))

    def single_length(self, counts: Floats, tokens: float, size: float, prior: Floats) -> Parts:
        """Return the description length of all words in one cluster.

        Terms that are the same for all partitions are omitted.
        """
        both = np.zeros((counts.size, 2))
        both[:, 0] = counts
        sums = kernels.Sums(both, np.array([tokens, 0.0]), np.array([size, 0.0]))
        formula = self.formula(prior)._replace(naming=0.0)
        seen = kernels.length(sums, formula._replace(kind=self.data_kind))
        return Parts(kernels.length(sums, formula) - seen, seen)

    def root_length(self, matrix: Any, totals: Floats) -> Parts:
        """Return the complete description length of all words as one cluster."""
        counts = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()
        size, tokens = float(totals.size), float(totals.sum())
        charged, seen = self.single_length(counts, tokens, size, self.prior)
        # Add the constants of L_dat: N ln N for P(C, v). If P(n|C) is a relative frequency, also
        # add −Σ f(n) ln f(n).
        same = tokens * math.log(tokens)
        if self.data_kind == kernels.PLAIN:
            same -= float(np.sum(totals * np.log(totals)))
        data = seen + same
        if self.estimator == "mle":
            return Parts(0.0, data)
        # Add L_mod = |N| − 1 bits (equation 3) and L_par = ½·ln|S| per parameter (equation 4).
        names = (size - 1) * math.log(2) if self.criterion in ("li-abe", "corrected") else 0.0
        free = self.width - 1 if self.criterion in ("li-abe", "corrected") else 0
        if self.criterion != "li-abe":
            free += int(size) - 1
        return Parts(names + free / 2 * math.log(tokens) + charged, data)


def make_code(matrix: Any, criterion: str, estimator: str, concentration: float) -> Code:
    """Make the code for a matrix of counts, given the name of the criterion."""
    counts = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()
    numbers = np.arange(TABLE, dtype=np.float64)
    numbers[1:] *= np.log(numbers[1:])
    prior = concentration * background(counts)
    width = int(np.count_nonzero(counts))
    return Code(criterion, estimator, width, prior, float(prior.sum()), numbers)


def choose_kind(criterion: str, estimator: str) -> int:
    """Return the kind of code for a criterion.

    With the estimator "mle", only the data part counts.
    """
    if estimator == "mle" and criterion != "li-abe":
        return kernels.PLAIN
    return _KINDS[criterion]


def background(counts: Floats) -> Floats:
    """Return p(v), with half a token added to each context, so all probabilities are positive."""
    return np.asarray((counts + 0.5) / (counts.sum() + 0.5 * counts.size))


def frequencies(counts: Any) -> Floats:
    """Return p(v|c), the relative frequencies of contexts in each cluster."""
    table = counts.toarray()
    table /= table.sum(axis=1, keepdims=True)
    return np.asarray(table)


def shrink(counts: Any, tree: Tree, background: Floats, weight: float) -> Floats:
    """Return p(v|c), with each node smoothed by `weight` pseudo-tokens of its parent.

    p(v|node) = (f(v, node) + weight·p(v|parent)) / (f(node) + weight). A small cluster inherits
    contexts that it lacks from the larger clusters above it.
    """
    table, cells = sparse.csr_array(counts), np.empty(counts.shape)
    known: dict[int, Floats] = {}
    sums = _sum_nodes(table, tree)
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
            # Free the memory of the parent after its last child.
            del known[int(tree.parent[node])]
    return cells


def _sum_nodes(counts: Any, tree: Tree) -> Any:
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
    """Rule that places words by p(c|word) ∝ p(c)·exp(−ΔL_c).

    ΔL_c is the increase in description length if the word joins cluster c.
    """

    clusterer = "mdl"

    criterion: str
    estimator: str
    weight: float
    """Number of pseudo-tokens by which a cluster is smoothed with its parent."""
    width: int
    """Number of contexts |V| in the code."""
    tokens: Floats = array("iuf", "k", low=0)
    sizes: Floats = array("iuf", "k", low=0)

    def place(self, matrix: Any, leaves: Clustering) -> Floats:
        """Return p(c|word). For a word without counts, this is p(c).

        If no cluster can code a word, ignore its contexts that occur in no cluster, such as those
        added by growth.
        """
        lengths = self.code_lengths(matrix, leaves.centroids)
        lost = np.flatnonzero(~np.isfinite(lengths).any(axis=1))
        if lost.size:
            part = sparse.csr_array(matrix[lost].multiply(leaves.centroids.any(axis=0)))
            part.eliminate_zeros()
            lengths[lost] = self.code_lengths(part, leaves.centroids)
        return posterior(lengths, leaves.mass)

    def code_lengths(self, matrix: Any, centroids: Floats) -> Floats:
        """Return the increase in description length, in nats, from adding a row to a cluster.

        The shape is (rows, clusters).
        """
        kind = choose_kind(self.criterion, self.estimator)
        # Recover the counts of each cluster from the centroids. In the Dirichlet code, they include
        # the pseudo-counts.
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
        """Update the number of tokens and words in each class."""
        belongs = made.memberships
        tokens = np.asarray(belongs.T @ counts.word_totals, dtype=np.float64).ravel()
        sizes = np.asarray(belongs.sum(axis=0), dtype=np.float64).ravel()
        width = max(self.width, made.centroids.shape[1])
        return replace(made, rule=replace(self, tokens=tokens, sizes=sizes, width=width))

    def check(self, k: int, m: int) -> None:
        """Raise ValueError for inconsistent arrays, unknown codes or invalid sizes."""
        super().check(k, m)
        for name, value, known in (
            ("criterion", self.criterion, CRITERIA),
            ("estimator", self.estimator, ESTIMATORS),
        ):
            if value not in known:
                raise ValueError(f"{name} {value!r}: expected {' or '.join(known)}")
        if self.weight < 0 or self.width < 1:
            raise ValueError(
                f"weight {self.weight}, width {self.width}: expected weight >= 0 and width >= 1"
            )
