"""The result of a clusterer, and the rules for placing words in its classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy import sparse

from roget import catalogue
from roget.core import contents, folder
from roget.core.contents import ArrayField, Contents, array, matrix
from roget.core.counts import Counts
from roget.core.counts.views import to_dense
from roget.core.io.problems import plural
from roget.core.notebook import ReportMixin
from roget.core.tree import Tree
from roget.core.types import Array, Floats, Ints, PathLike
from roget.engines.base import current, map_tasks
from roget.engines.compress import CompressedArrays
from roget.errors import InputError, UnknownName
from roget.learn.clustering.memberships import floor, grouping_matrix, sparsify
from roget.learn.clustering.split_clusters import SplitRule, apply_splits
from roget.learn.representation.vectors import Representation

CELLS = 1 << 22
"""Maximum number of words times classes to place in one batch."""

SLACK = 1e-3
"""Tolerance for stored probabilities above 1, which are due to rounding."""

KIND = folder.model("clustering", "clustering")


class Unit(NamedTuple):
    """The meaning of the values at the splits of a tree.

    kind: "beta" (annealing), "bits" (nats saved by a split, shown in bits) or "none".
    title: column heading.
    rising: True if later splits have higher values.
    """

    kind: str = "none"
    title: str = "splits at"
    rising: bool = True


NONE = Unit()
BETA = Unit("beta", "splits at β", True)
SAVED = Unit("bits", "bits saved", False)


WHOLE = 1 << 53
"""Largest n for which float64 represents all integers from 0 to n exactly."""


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule for placing new words in clusters. The default rule is `Posterior`.

    A clusterer may define a rule in its package, and name it in its class attribute `rule`. The
    fields of a rule are plain parameters, and arrays declared with `roget.core.contents.array`.
    Both are stored in folders. The dimension "k" is the number of clusters, and "m" the number of
    contexts.
    """

    clusterer: ClassVar[str] = ""
    """Catalogue name of the clusterer, by which the Python class of a stored rule is found."""

    def place(self, matrix: Any, leaves: Clustering) -> Array:
        """Return p(c|word) as an array of shape (words, clusters).

        `matrix` is a csr_array of float64 without stored zeros, and `leaves` is the learnt
        clustering. Words without counts get p(c).
        """
        raise NotImplementedError

    def place_rows(self, rows: Ints, matrix: Any, leaves: Clustering) -> Array:
        """Return p(c|word) for words of the clustering, given the table of all its words.

        By default, the words are placed like new words. A rule that stores word vectors uses the
        stored vectors instead of the counts.
        """
        return self.place(sparse.csr_array(matrix[rows], dtype=np.float64), leaves)

    @property
    def context_labels(self) -> Ints | None:
        """The class of each context, or None if contexts are not clustered."""
        return None

    def check(self, k: int, m: int) -> None:
        """Raise ValueError if parameters and arrays are invalid or inconsistent."""
        self.read_arrays(vars(self), k, m)
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"{one.name}: {value} is not a finite number")

    @classmethod
    def read_arrays(cls, values: Mapping[str, Any], k: int, m: int) -> dict[str, Array]:
        """Return the declared arrays.

        Raise an error if their shapes do not match k clusters and m contexts.
        """
        found = contents.read_values(cls, values, {"k": k, "m": m})
        for name, value in found.items():
            if value.dtype == np.float16:
                raise ValueError(f"{name}: expected 32- or 64-bit numbers")
        return found

    def select(self, clusters: Ints) -> Self:
        """Return the rule for the given clusters only."""
        return self._take("k", clusters)

    def widen(self, similar: Ints) -> Self:
        """Extend the rule to more contexts.

        `similar` maps each context to a known context that is similar to it.
        """
        return self._take("m", similar)

    def _take(self, axis: str, places: Ints) -> Self:
        """Select the given indices along one axis of all arrays."""
        changed = {
            name: np.take(getattr(self, name), places, one.shape.index(axis))
            for name, one in self._arrays().items()
            if axis in one.shape
        }
        return replace(self, **changed)

    def extend(
        self,
        made: Clustering,
        before: Clustering,
        counts: Counts,
        background: Counts | None = None,
        prior: Any = None,
    ) -> Clustering:
        """Update the parts of a clustering that do not depend on its classes.

        By default, nothing changes.

        `made` is `before` with more words and contexts, but without a representation. `background`
        and `prior` are passed only to rules of clusterers that use counts from other texts or prior
        vectors.
        """
        return made

    def regroup(self, made: Clustering, counts: Counts) -> Clustering:
        """Update the parts of the rule that depend on the members of classes.

        By default, nothing changes.
        """
        return made

    def keep(self) -> StoredRule:
        """Return the rule in its stored form."""
        # Arrays are stored as npz, all other fields as JSON.
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        arrays = {name: values.pop(name) for name in self._arrays()}
        return StoredRule(self.clusterer, values, arrays)

    @classmethod
    def _arrays(cls) -> dict[str, ArrayField]:
        found = contents.declarations(cls).items()
        return {name: one for name, one in found if isinstance(one, ArrayField)}

    @classmethod
    def from_provenance(cls, provenance: Mapping[str, Any]) -> Rule | None:
        """Restore the rule from the provenance of a folder that was written without one.

        Return None if the folder was made with another kind of rule. The provenance contains β and
        the options (of a thesaurus), or β and an old rule name (of a class model).
        """
        return None


@dataclass(frozen=True, eq=False)
class Posterior(Rule):
    """Rule that places words by p(c|word) ∝ p(c)·Π p(v|c)^n.

    It is used for taxonomies, and by clusterers without a rule of their own.

    least: lower bound on p(v|c), or None for a small fraction of p(v).
    """

    least: float | None = None

    def place(self, matrix: Any, leaves: Clustering) -> Array:
        """Return p(c|word). For a word without counts, this is p(c)."""
        centroids = leaves.centroids
        if sparse.issparse(centroids) and self.least:
            # Use ln(p/least): contexts that are absent from every class add 0, so the result stays
            # sparse.
            logs = centroids.copy()
            logs.data = np.log(np.maximum(logs.data, self.least) / self.least)
            scores = np.asarray((matrix @ logs.T).toarray())
        else:
            low = self.least or floor(leaves.background)[:, None]
            scores = matrix @ np.log(np.maximum(to_dense(centroids).T, low))
        return posterior(-scores, leaves.mass)


@dataclass(frozen=True, eq=False)
class StoredRule:
    """A stored rule. Its Python class is found when a word is first placed."""

    clusterer: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, Array] = field(default_factory=dict)

    def rule(self, k: int, m: int, own: type[Rule] | None = None) -> Rule:
        """Check the stored rule, and return it.

        `own` is the Python class of a rule that does not belong to any clusterer.
        """
        if self.clusterer == _LEGACY:
            return find_legacy_rule(self.parameters) or Posterior()
        kind = own or Posterior
        if own is None and self.clusterer:
            try:
                kind = catalogue.load("clusterers", self.clusterer).rule
            except UnknownName:
                raise InputError(
                    f"the clusterer {self.clusterer!r}, which made the classes, is not installed; "
                    "install it to place new words",
                    code="unknown-name",
                ) from None
        try:
            found = kind(**_read_plain(kind, self.parameters), **self.arrays)
            found.check(k, m)
        except (TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"invalid placement rule for {self.clusterer or 'the classes'}: {error}",
                code="damaged-folder",
            ) from None
        return found

    def has_integers_by_context(self, m: int) -> bool:
        """Return True if the rule stores an integer for each of m contexts, such as its class.

        If not, contexts have no classes, and there is no need to import the module of the rule,
        which imports scikit-learn.
        """
        return any(one.shape == (m,) and one.dtype.kind in "iu" for one in self.arrays.values())

    def keep(self) -> StoredRule:
        return self


def _read_plain(kind: type[Rule], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Convert stored parameters to the declared types, which the kernels require."""
    found = dict(stored)
    declared = {one.name: str(one.type).removesuffix(" | None") for one in fields(kind)}
    optional = {one.name for one in fields(kind) if str(one.type).endswith(" | None")}
    for name, value in stored.items():
        if value is None and name in optional:
            continue
        if declared.get(name) == "float":
            contents.require_numbers(stored, name)
            found[name] = float(value)
        elif declared.get(name) == "int":
            contents.require_numbers(stored, name)
            if not isinstance(value, int) or abs(value) > WHOLE:
                raise ValueError(f"{name}: {value!r} is not an integer, or is too large")
        elif declared.get(name) == "bool" and not isinstance(value, bool):
            raise ValueError(f"{name}: {value!r} is not a boolean")
    return found


_LEGACY = "?"
"""Placeholder for the name of a clusterer, which must be inferred from the provenance."""


def infer_rule(provenance: Mapping[str, Any]) -> tuple[Rule | StoredRule, Unit]:
    """Infer the rule, and the unit of the tree values, from the provenance.

    Old folders do not store them.
    """
    if provenance.get("description_length") is not None:
        return Posterior(), SAVED
    if provenance.get("beta") is None:
        return Posterior(), NONE
    known = {name: provenance.get(name) for name in ("beta", "options")}
    return StoredRule(_LEGACY, known), BETA


def find_legacy_rule(provenance: Mapping[str, Any]) -> Rule | None:
    """Return the rule from the first clusterer that recognises the provenance."""
    for name in catalogue.names("clusterers"):
        found: Rule | None = catalogue.load("clusterers", name).rule.from_provenance(provenance)
        if found is not None:
            return found
    return None


@dataclass(frozen=True)
class ClusteringArrays(Contents):
    """Arrays of a clustering with k clusters and m contexts."""

    memberships: Any = matrix("biuf", "words", "k", low=0, below=1 + SLACK)
    centroids: Any = matrix("f", "k", "m", low=0, below=1 + SLACK)
    mass: Floats = array("iuf", "k")
    background: Floats = array("iuf", "m")
    parts: Ints | None = array("iu", "units", low=-1, below="k", optional=True)
    """Current cluster of each learnt cluster and of both halves of each split."""


@dataclass(frozen=True)
class SplitArrays(Contents):
    """Arrays that store a split of one or several clusters (see `SplitRule`)."""

    clusters: Ints = array("iu", "split", low=0, below="units")
    centroids: Floats = array("iuf", 2, "m")
    mass: Floats = array("iuf", 2)


def _place_block(common: tuple[Clustering, float], block: Any) -> Any:
    """Return p(c|word) for a block of words."""
    leaves, least = common
    placed = leaves.placing.place(
        block.unpack() if isinstance(block, CompressedArrays) else block, leaves
    )
    return sparsify(placed, least) if least else placed


@dataclass(frozen=True, eq=False, repr=False)
class Clustering(ReportMixin):
    """A tree of word clusters, and the rule for placing new words in them. Immutable.

    Parameters
    ----------
    tree
        Tree whose leaves are the clusters.
    memberships
        p(c|word), words × clusters; converted to a csr_array.
    centroids
        p(context|c), clusters × contexts.
    mass
        p(c).
    background
        p(context) over all words; by default the mean of the centroids weighted by mass.
    rule
        Rule that places new words.
    unit
        Meaning of the values of the tree.
    path
        Steps of the search.
    contexts
        Names of the contexts, if known.
    representation
        Vectors of the words, if the clusterer used vectors.

    Examples
    --------
    >>> found = Clustering(Tree().split(0, 1.5), np.eye(2), [[0.9, 0.1], [0.2, 0.8]], [0.5, 0.5])
    >>> found.place([[3, 0], [0, 3], [0, 0]]).round(2).tolist()
    [[0.99, 0.01], [0.0, 1.0], [0.5, 0.5]]
    >>> found.level(1).place([[3, 0]]).round(9).tolist()
    [[1.0]]
    """

    kind = "clustering"

    tree: Tree
    memberships: Any
    centroids: Any
    mass: Any
    background: Any = None
    rule: Rule | StoredRule = field(default_factory=Posterior)
    unit: Unit = NONE
    path: Sequence[Mapping[str, Any]] = ()
    contexts: Array | None = None
    representation: Representation | None = field(default=None, repr=False)
    learnt: Clustering | None = field(default=None, repr=False)
    """The clustering before clusters were joined or split, or None if they never were."""
    parts: Ints | None = field(default=None, repr=False)
    """Current cluster of each learnt cluster, then of each half of a split.

    The value is −1 if the cluster was split.
    """
    divisions: tuple[SplitRule, ...] = field(default=(), repr=False)
    """Splits made after learning, in order."""

    def __post_init__(self) -> None:
        table = self.memberships
        if not sparse.issparse(table) or table.format != "csr":
            object.__setattr__(self, "memberships", sparse.csr_array(table))
        if not sparse.issparse(self.centroids):
            object.__setattr__(self, "centroids", np.asarray(self.centroids))
        object.__setattr__(self, "mass", np.asarray(self.mass, dtype=np.float64))
        object.__setattr__(self, "path", tuple(dict(step) for step in self.path))
        known, k, words = self.background, self.n_clusters, self.memberships.shape[0]
        m = self.centroids.shape[-1] if known is None else np.size(known)
        for name, right in (("memberships", (words, k)), ("centroids", (k, m)), ("mass", (k,))):
            self._check(name, right)
        if known is None:
            known = np.asarray(self.mass @ self.centroids) / max(float(self.mass.sum()), 1e-300)
        object.__setattr__(self, "background", np.asarray(known, dtype=np.float64))
        self._check("background", (m,))
        if (vectors := self.representation) is not None and (
            vectors.weights.shape[1] < m or words not in (0, vectors.n_words)
        ):
            raise InputError(
                f"the representation has {vectors.n_words} words and {vectors.weights.shape[1]} "
                f"contexts; expected {words} and {m}",
                code="damaged-folder",
            )

    def __repr__(self) -> str:
        words = plural(self.memberships.shape[0], "word", ",")
        return f"Clustering: {words} in {plural(self.n_clusters, 'class', ',')}"

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return self.tree.n_clusters

    @cached_property
    def labels(self) -> Ints:
        """The most probable cluster of each word."""
        return np.asarray(self.memberships.argmax(axis=1)).ravel()

    @cached_property
    def context_labels(self) -> Ints | None:
        """The class of each context, or None if contexts are not clustered."""
        if self.learnt is not None:
            return self.learnt.context_labels
        rule, m = self.rule, self.centroids.shape[1]
        if isinstance(rule, StoredRule) and not rule.has_integers_by_context(m):
            return None
        try:
            return self.placing.context_labels
        except InputError:  # Without the clusterer, the word classes can still be used.
            return None

    def place(self, given: Any, least: float = 0.0) -> Any:
        """Place words in the clusters and return p(c|word).

        Parameters
        ----------
        given
            Counts, whose contexts are matched by name, or a matrix of words × contexts.
        least
            If positive, drop smaller probabilities and return a csr_array whose rows sum to 1. This
            saves memory for millions of words.

        Returns
        -------
        ndarray or csr_array of shape (words, clusters)
            By default, a word without counts gets p(c).

        Raises
        ------
        InputError
            If the number of contexts is wrong, or the clusterer that made the classes is not
            installed.
        """
        matrix = self._table(given)
        if self.learnt is not None and self.parts is not None:
            # Place words in the learnt clusters, apply later splits, then add up the columns of
            # joined clusters.
            placed = self.learnt.place(matrix)
            if self.divisions:
                placed = apply_splits(to_dense(placed), matrix, self.divisions)
            placed = to_dense(placed @ grouping_matrix(self.parts, self.n_clusters))
            return sparsify(placed, least) if least else placed
        step = max(1, CELLS // max(self.n_clusters, 1))
        cut = (matrix[begin : begin + step] for begin in range(0, matrix.shape[0], step))
        blocks = cut if current() is None else map(CompressedArrays.from_csr, cut)
        # Workers need the clusters, but not the memberships of the training words.
        none = sparse.csr_array((0, self.n_clusters), dtype=self.memberships.dtype)
        placing = replace(self, memberships=none, path=())
        found = list(map_tasks(_place_block, (placing, least), blocks))
        dtype = np.result_type(self.memberships.dtype, np.float32)
        if not found:
            none = np.empty((0, self.n_clusters), dtype)
            return sparse.csr_array(none) if least else none
        if sparse.issparse(found[0]):
            return sparse.vstack(found, format="csr")
        return np.concatenate(found)

    def level(self, k: int) -> Clustering:
        """Return the clustering at the tree level with k clusters.

        Memberships and masses are summed over the leaves below each cluster. This also applies to
        new words.
        """
        if k == self.n_clusters:
            return self
        return self.join(self.tree.prune(k), self.tree.cut(k))

    def levels(self, shares: Sequence[float]) -> list[tuple[Clustering, ...]]:
        """Return the levels with the given fractions of the clusters, without duplicates."""
        sizes = dict.fromkeys(max(1, round(share * self.n_clusters)) for share in shares)
        return [(self.level(size),) for size in sizes]

    def join(
        self,
        tree: Tree,
        parts: Ints,
        memberships: Any = None,
        divisions: Sequence[SplitRule] = (),
    ) -> Clustering:
        """Join clusters. `parts` maps each old cluster to its cluster in the new tree.

        Centroids are averaged, weighted by mass. `divisions` lists splits of clusters in two.
        `parts` is −1 for a cluster that was split. The two halves of each split are numbered after
        all clusters that existed before it.
        """
        k = tree.n_clusters
        mass = np.concatenate([self.mass, *(one.mass for one in divisions)])
        used = parts >= 0
        # Weight the average by mass, or equally if all masses are 0.
        sums = np.bincount(parts[used], mass[used], minlength=k)
        size = np.bincount(parts[used], minlength=k)
        shares, whole = np.zeros(parts.size), sums[parts[used]]
        even = 1 / size[parts[used]]
        shares[used] = np.where(whole > 0, mass[used] / np.where(whole > 0, whole, 1), even)
        if memberships is None:
            memberships = sparse.csr_array(self.memberships @ grouping_matrix(parts, k))
        centroids = self.centroids
        if not np.array_equal(parts, np.arange(k)):
            mean = sparse.csr_array(grouping_matrix(parts, k, shares).T)
            centroids = _average(mean, self.centroids, divisions)
        # Placement needs the learnt clusters, but not the memberships of the training words.
        learnt, before = self.learnt, self.parts
        if learnt is None or divisions:
            bare = sparse.csr_array((0, self.n_clusters))
            learnt, before = replace(self, memberships=bare), None
        if before is not None:
            parts = np.where(before >= 0, parts[before], -1)
        return replace(
            self, tree=tree, memberships=memberships, mass=sums, learnt=learnt, parts=parts,
            centroids=centroids, divisions=tuple(divisions) or self.divisions,
        )  # fmt: skip

    def keep(self, rows: Ints) -> Clustering:
        """Return a copy of the clustering with only the words in the given rows."""
        known = self.representation
        return replace(
            self, memberships=self.memberships[rows],
            representation=None if known is None else known.keep(rows),
        )  # fmt: skip

    def place_among(self, given: Any, clusters: Ints) -> Floats:
        """Return p(c|word), normalised as if only the given clusters existed."""
        # If clusters were split after learning, place words in all clusters and renormalise.
        below: Clustering | None = self
        while below is not None and not below.divisions:
            below = below.learnt
        if below is None:
            return to_dense(self._select(clusters).place(given))
        found = to_dense(self.place(given))[:, clusters]
        sums, mass = found.sum(axis=1, keepdims=True), self.mass[clusters]
        usual = mass / mass.sum() if mass.sum() > 0 else np.full(mass.size, 1 / mass.size)
        return np.where(sums > 0, found / np.where(sums > 0, sums, 1.0), usual)

    def _select(self, clusters: Ints) -> Clustering:
        """Return a clustering of the given clusters that supports only `place`."""
        tree = Tree.flat(clusters.size)
        mass, learnt, parts = self.mass[clusters], self.learnt, self.parts
        if learnt is not None and parts is not None:
            # Find the learnt clusters that are part of the given clusters.
            inside = np.flatnonzero(np.isin(parts, clusters))
            learnt = learnt._select(inside)
            number = np.full(self.n_clusters, -1)
            number[clusters] = np.arange(clusters.size)
            parts = number[parts[inside]]
        return replace(
            self, tree=tree, centroids=self.centroids[clusters], learnt=learnt, parts=parts,
            rule=self.rule if learnt is not None else self.placing.select(clusters),
            memberships=sparse.csr_array((0, clusters.size)),
            mass=mass if mass.sum() > 0 else np.ones(clusters.size),
        )  # fmt: skip

    def save(self, path: PathLike) -> None:
        """Write the clustering to a folder that `load` can read."""
        plain, arrays = self.to_parts()
        folder.write(path, KIND, {"clustering": plain, **arrays})

    @classmethod
    def load(cls, path: PathLike) -> Clustering:
        """Read a clustering written by `save`, without executing any code."""
        kept = folder.read(path, KIND)
        with contents.report_damage(path):
            return cls.from_parts(kept["clustering"], kept)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return plain values and arrays from which `from_parts` rebuilds the clustering."""
        rule = StoredRule("") if self.learnt is not None else self.rule.keep()
        plain: dict[str, Any] = {
            "tree": self.tree.to_json(),
            "unit": list(self.unit),
            "path": list(self.path),
            "rule": {"clusterer": rule.clusterer, "parameters": dict(rule.parameters)},
            "contexts": None if self.contexts is None else self.contexts.tolist(),
        }
        arrays = contents.put_under("rule", rule.arrays)
        for name in ("memberships", "centroids"):
            arrays |= contents.to_arrays(name, getattr(self, name))
        arrays |= {"mass": self.mass, "background": self.background}
        if self.representation is not None:
            arrays |= contents.put_under("representation", self.representation.to_arrays())
        if self.learnt is not None and self.parts is not None:
            plain["learnt"], more = self.learnt.to_parts()
            plain["divisions"] = len(self.divisions)
            arrays |= {**contents.put_under("learnt", more), "parts": self.parts}
        for number, one in enumerate(self.divisions):
            arrays |= contents.put_under(f"division{number}", one._asdict())
        return plain, arrays

    @classmethod
    def from_parts(cls, plain: Mapping[str, Any], arrays: Mapping[str, Array]) -> Clustering:
        """Restore a clustering. Raise KeyError or ValueError if parts are missing or invalid."""
        inner = contents.take_under("learnt", arrays)
        learnt = cls.from_parts(plain["learnt"], inner) if "learnt" in plain else None
        vectors = contents.take_under("representation", arrays)
        names, kind = plain["contexts"], plain["unit"]
        held = ClusteringArrays.read(arrays)
        number, m = plain.get("divisions", 0), held.background.size
        if learnt is not None:
            # Each split adds two clusters to the learnt ones.
            known = learnt.n_clusters + 2 * number
            if held.parts is None or held.parts.size != known:
                raise ValueError(f"'parts' must be an array of {known} cluster numbers")
        divisions = [
            SplitArrays.read(
                contents.take_under(f"division{at}", arrays),
                units=(learnt.n_clusters if learnt is not None else 0) + 2 * at,
                m=m,
            )
            for at in range(number)
        ]
        return cls(
            Tree.from_json(plain["tree"]),
            _to_float(held.memberships),
            _to_float(held.centroids),
            # Convert to float64, because numba would compile the kernels again for other types.
            held.mass.astype(np.float64, copy=False),
            held.background.astype(np.float64, copy=False),
            rule=read_rule(plain["rule"], arrays),
            unit=Unit(str(kind[0]), str(kind[1]), bool(kind[2])),
            path=plain["path"],
            contexts=None if names is None else np.array(names, dtype=object),
            representation=Representation.from_arrays(vectors) if vectors else None,
            learnt=learnt,
            parts=None if learnt is None else held.parts,
            divisions=tuple(SplitRule(one.clusters, one.centroids, one.mass) for one in divisions),
        )

    @cached_property
    def placing(self) -> Rule:
        """The placement rule. A stored rule is loaded at first use."""
        if isinstance(self.rule, StoredRule):
            return self.rule.rule(self.n_clusters, self.centroids.shape[1])
        return self.rule

    def _table(self, given: Any) -> Any:
        """Return counts as a csr_array with this clustering's contexts, without stored zeros."""
        from roget.learn.clustering.inputs import align_contexts, tidy

        m = self.centroids.shape[1]
        if isinstance(given, Counts) and self.contexts is not None:
            return tidy(align_contexts(given, self.contexts))
        matrix = given.matrix if isinstance(given, Counts) else given
        matrix = sparse.csr_array(matrix, dtype=np.float64)
        known = self.representation
        # Background counts add contexts that only the word vectors use, so two widths are valid.
        if matrix.shape[1] not in (m, m if known is None else known.totals.size):
            raise InputError(
                f"the table has {matrix.shape[1]} contexts, but the classes were learnt from {m} "
                f"contexts",
                code="length-mismatch",
            )
        return tidy(matrix)

    def _check(self, name: str, right: tuple[int, ...]) -> None:
        """Raise InputError if a table has the wrong shape, or negative or non-finite values."""
        values = getattr(self, name)
        if values.shape != right:
            raise InputError(
                f"{name} has shape {values.shape}; expected {right}", code="length-mismatch"
            )
        values = values.data if sparse.issparse(values) else values
        if not (np.isfinite(values).all() and (values >= 0).all()):
            raise InputError(f"{name}: negative or non-finite value", code="bad-weight")


def _average(mean: Any, centroids: Any, divisions: Sequence[SplitRule]) -> Any:
    """Return weighted means of the rows of `centroids` and of the centroids in `divisions`.

    Each row of the sparse matrix `mean` holds the weights of one mean.
    """
    dtype, learnt = centroids.dtype, centroids.shape[0]
    sides = np.vstack([one.centroids for one in divisions] or [np.empty((0, centroids.shape[1]))])
    if sparse.issparse(centroids):
        found = mean[:, :learnt] @ centroids + mean[:, learnt:] @ sparse.csr_array(sides)
        return sparse.csr_array(found).astype(dtype)
    # Copy the centroids of clusters that consist of a single learnt cluster (most clusters).
    found = centroids[np.minimum(mean.indices[mean.indptr[:-1]], learnt - 1)]
    for cluster, (begin, end) in enumerate(pairwise(mean.indptr.tolist())):
        at, weights = mean.indices[begin:end], mean.data[begin:end]
        if end - begin > 1 or at[0] >= learnt:
            known, new = at < learnt, at >= learnt
            found[cluster] = (
                weights[known] @ centroids[at[known]] + weights[new] @ sides[at[new] - learnt]
            )
    return found


def posterior(lengths: Floats, mass: Floats) -> Floats:
    """Return p(c|row) ∝ p(c)·exp(−length), for description lengths in nats."""
    # Lengths may be large. Subtract the highest score before exponentiating, so that not all values
    # underflow.
    scores = np.log(np.maximum(mass, 1e-300)) - lengths
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def _to_float(table: Any) -> Any:
    """Convert a table to float64, unless it is float32 or float64."""
    return table if table.dtype in (np.float32, np.float64) else table.astype(np.float64)


def read_rule(plain: Mapping[str, Any], arrays: Mapping[str, Array]) -> StoredRule:
    """Read a stored rule. The names of its arrays begin with "rule."."""
    name, parameters = plain["clusterer"], plain["parameters"]
    if not isinstance(name, str) or not isinstance(parameters, dict):
        raise ValueError(f"rule {plain!r}: expected the name of a clusterer and its parameters")
    return StoredRule(name, parameters, contents.take_under("rule", arrays))
