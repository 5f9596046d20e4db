"""All that can be asked of `roget.build`: of counting, of the thesaurus, and of its method."""

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

_OURS = ("n_clusters", "random_state", "checkpoint", "progress")
"""What a clusterer is told by build itself."""


@dataclass(frozen=True)
class BuildOptions(Counting):
    """How inputs are counted, where a thesaurus is made of them."""

    min_count: int = copy_option(Counting, "min_count", 5)
    evidence: int = copy_option(Counting, "evidence", 3)


@dataclass(frozen=True)
class Compared(Counting):
    """How inputs are counted, where two corpora are compared."""

    min_count: int = copy_option(Counting, "min_count", 20)
    """Of both corpora; those that only one has are looked at there."""


@dataclass(frozen=True)
class Placing(BuildOptions):
    """How inputs are counted, where their words are placed into a taxonomy.

    A sentence of each pair may be shown, and none is written: so they may take any room.
    """

    evidence: int = copy_option(Counting, "evidence", 1)
    evidence_size: float = copy_option(Counting, "evidence_size", 0.0)


@dataclass(frozen=True)
class Plan:
    """How a thesaurus is made of counts."""

    method: str = option(
        "spherical",
        choices="clusterers",
        help="How to cluster: by the directions of words' vectors (spherical); soft classes of "
        "words by annealing, or of associations (symmetric); or as many as shorten the description "
        "of the counts: of words (mdl), of words and contexts (comdl).",
    )
    clusters: int | str | None = option(
        AUTO, flags=CLUSTERS, metavar="K|auto", help="How many classes of words."
    )
    top: int | None = option(20_000, minimum=1, help="Take the so many most frequent words.")
    random_state: int | None = seed_option()
    """None draws a seed, so that the next run cannot go on from where this one stopped."""
    heldout: bool = option(True, help="Try the classes on tokens held out; about doubles the time.")
    names: str | os.PathLike[str] | None = option(
        None,
        metavar="TAXONOMY",
        help="Name classes by those of a taxonomy that cover them best: WordNet's, of a SKOS file, "
        "a child–parent table, another thesaurus.",
    )
    own: Mapping[str, Any] = field(default_factory=dict)
    """Options of the method itself, as `own_options` names them."""

    def __post_init__(self) -> None:
        check(self)
        if self.n_clusters is not None and self.n_clusters < 1:
            raise InputError(f"{self.clusters} clusters: expected 1 or more, or {AUTO}")
        for name, value in self.own.items():
            methods = own_options().get(name)
            if methods is None:
                raise UnknownName("option", name, own_options())
            if self.method not in methods:
                have = f"{' and '.join(methods)} {'has' if len(methods) == 1 else 'have'} it"
                raise InputError(
                    f"{name} {value}: the method {self.method} has no such option; {have}"
                )
            methods[self.method].check(value)

    @property
    def n_clusters(self) -> int | None:
        """How many clusters are asked for; None if that is to be found out."""
        if self.clusters in (None, AUTO):
            return None
        try:
            return int(self.clusters)
        except (TypeError, ValueError):
            raise InputError(
                f"clusters {self.clusters!r}: expected a whole number, or {AUTO}"
            ) from None

    @property
    def arguments(self) -> dict[str, Any]:
        """What the clusterer itself is asked for, by its own names."""
        return {own_options()[name][self.method].name: value for name, value in self.own.items()}


def own_options() -> dict[str, dict[str, Option]]:
    """Options of the methods, by name and method; asked of the catalogue, plug-ins included.

    Where counting or the plan have the name already, it is that of the option after "method_".
    """
    taken = {one.name for kind in (BuildOptions, Plan) for one in fields(kind)}
    found: dict[str, dict[str, Option]] = {}
    for method in catalogue.names("clusterers"):
        for name, one in method_options(method).items():
            if one.flags != CLUSTERS and name not in _OURS:
                told = f"method_{name}" if name in taken else name
                found.setdefault(told, {})[method] = one
    return found


def offered() -> list[Option]:
    """The same for a command: each name once, with the methods that have it."""
    every = []
    for name, methods in own_options().items():
        first = next(iter(methods.values()))
        helps: dict[str, list[str]] = {}
        for method, one in methods.items():
            helps.setdefault(one.help, []).append(method)
        said = " ".join(f"{', '.join(these)}: {help}" for help, these in helps.items())
        every.append(replace(first, name=name, help=said, flags=()))
    return every
