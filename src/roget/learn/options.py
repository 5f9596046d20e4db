"""Options of `roget.build`, including counting and clustering options."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from roget import catalogue
from roget.core.options import Option, check, copy_option, option, seed_option
from roget.errors import InputError, UnknownName
from roget.learn.clustering.options import CLUSTERS, method_options
from roget.learn.counting.options import CountOptions as Counting

AUTO = "auto"

_OURS = ("n_clusters", "random_state", "checkpoint", "progress", "background", "vectors")
"""Arguments of a clusterer that `build` sets itself. They are not available as options."""


@dataclass(frozen=True)
class BuildOptions(Counting):
    """Counting options, with the defaults of `roget build`."""

    min_count: int = copy_option(Counting, "min_count", 5)
    evidence: int = copy_option(Counting, "evidence", 3)


@dataclass(frozen=True)
class Compared(Counting):
    """Counting options, with defaults for comparing two corpora."""

    min_count: int = copy_option(Counting, "min_count", 20)
    """Minimum count of a word in each of the two corpora."""


@dataclass(frozen=True)
class Placing(BuildOptions):
    """Counting options, with defaults for placing words in a taxonomy.

    One example sentence per pair is kept in memory, without a size limit.
    """

    evidence: int = copy_option(Counting, "evidence", 1)
    evidence_size: float = copy_option(Counting, "evidence_size", 0.0)


@dataclass(frozen=True)
class Plan:
    """Options for building a thesaurus from counts."""

    method: str = option(
        "spherical",
        choices="clusterers",
        help="Clustering method: spherical (word vectors by direction), soft (annealing), "
        "symmetric (soft classes of word–context pairs), mdl or comdl (minimum description "
        "length).",
    )
    clusters: int | str | None = option(
        AUTO, flags=CLUSTERS, metavar="K|auto", help="Number of word classes."
    )
    top: int | None = option(20_000, minimum=1, help="Use only the N most frequent words.")
    random_state: int | None = seed_option()
    """Random seed, or None for a different result in each run.

    A run without a seed cannot be resumed.
    """
    heldout: bool = option(
        True,
        help="Evaluate the classes on held-out tokens. Without the evaluation, a run takes about "
        "half as long.",
    )
    names: str | os.PathLike[str] | None = option(
        None,
        metavar="TAXONOMY",
        help="Name classes after a taxonomy: WordNet, a SKOS file, a child–parent table, or "
        "another thesaurus.",
    )
    background: Any = option(
        AUTO,
        metavar="COUNTS|none|auto",
        help="Counts of a large corpus to add for clustering: a counts folder or table, auto "
        "(bundled counts for the language, if there are any) or none.",
    )
    """Background counts. In Python, this can also be a Counts object."""
    vectors: Any = option(
        AUTO,
        metavar="FILE|bundled|none|auto",
        help="Word vectors to add for clustering: bundled (English), auto (bundled for English "
        "texts with a background), none, a word2vec, GloVe or fastText file, or a .npy file with "
        "the words in a .txt file.",
    )
    """Word vectors. In Python, this can also be a `Prior`."""
    own: Mapping[str, Any] = field(default_factory=dict)
    """Options of the clustering method, keyed as in `own_options`."""

    def __post_init__(self) -> None:
        check(self)
        if self.n_clusters is not None and self.n_clusters < 1:
            raise InputError(
                f"'clusters' is {self.clusters}; expected at least 1, or {AUTO}",
                code="invalid-option",
            )
        for name, value in self.own.items():
            methods = own_options().get(name)
            if methods is None:
                raise UnknownName("option", name, own_options())
            if self.method not in methods:
                raise InputError(
                    f"{name} {value} does not apply to the method {self.method}; it is an option "
                    f"of {' and '.join(methods)}",
                    code="conflicting-options",
                )
            methods[self.method].check(value)

    @property
    def n_clusters(self) -> int | None:
        """Requested number of clusters, or None if the method chooses it."""
        if self.clusters in (None, AUTO):
            return None
        try:
            return int(self.clusters)
        except (TypeError, ValueError):
            raise InputError(
                f"'clusters' is {self.clusters!r}; expected an integer or {AUTO}",
                code="invalid-option",
            ) from None

    @property
    def arguments(self) -> dict[str, Any]:
        """Keyword arguments for the clusterer."""
        return {own_options()[name][self.method].name: value for name, value in self.own.items()}


def own_options() -> dict[str, dict[str, Option]]:
    """Return the options of all methods in the catalogue, by option name and method.

    If counting or `Plan` has an option of the same name, the name gets the prefix "method_".
    """
    taken = {one.name for kind in (BuildOptions, Plan) for one in fields(kind)}
    options: dict[str, dict[str, Option]] = {}
    for method in catalogue.names("clusterers"):
        for name, one in method_options(method).items():
            if one.flags != CLUSTERS and name not in _OURS:
                unique = f"method_{name}" if name in taken else name
                options.setdefault(unique, {})[method] = one
    return options


def offered() -> list[Option]:
    """Return the options of all methods, one per name.

    The help text lists the methods that have the option.
    """
    listed = []
    for name, methods in own_options().items():
        first = next(iter(methods.values()))
        helps: dict[str, list[str]] = {}
        for method, one in methods.items():
            helps.setdefault(one.help, []).append(method)
        text = " ".join(f"{', '.join(these)}: {help}" for help, these in helps.items())
        listed.append(replace(first, name=name, help=text, flags=()))
    return listed
