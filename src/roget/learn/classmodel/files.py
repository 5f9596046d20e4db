"""Class models as a folder: JSON for names and weights, npz for tables; nothing in it is run."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from roget import catalogue
from roget.core import folder as folders
from roget.core.tree import Tree
from roget.errors import InputError
from roget.learn.classmodel.classes import Classes
from roget.learn.classmodel.given import COUNTED
from roget.learn.classmodel.mixing import Mixture
from roget.learn.classmodel.nearest import Nearest
from roget.learn.classmodel.recipes import BACKOFFS
from roget.learn.clustering.result import Clustering, Kept

KIND = folders.model("classmodel", "classmodel.model")
_MIXTURES = ("discount", "interpolate", "none")
_MIXTURE: folders.Schema = {
    "mixture.discounts": ("iuf", ("n",)),
    "mixture.weights": ("iuf", ("frequencies", "predictions")),
    "mixture.edges": ("iuf", ("edges",)),
}

SLACK = 1e-6
"""How far discounts may lie outside their range, and shares from adding up: rounding."""


def write(
    path: str | os.PathLike[str],
    header: dict[str, Any],
    train: Any,
    predictors: list[Classes],
    mixture: Mixture,
) -> None:
    """Write what a fitted model knows, whole or not at all."""
    arrays = folders.to_arrays("train", train)
    for name in ("discounts", "weights", "edges"):
        arrays[f"mixture.{name}"] = getattr(mixture, name)
    listed = []
    for place, one in enumerate(predictors):
        plain = []
        for number, part in enumerate(one.parts):
            told, more = part.to_parts()
            plain.append(told)
            arrays |= {f"classes.{place}.{number}.{name}": more[name] for name in more}
        listed.append({"name": one.name, "types": one.types, "parts": plain})
    folders.write(path, KIND, {**header, **arrays, "classes": listed, "mixture": mixture.kind})


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Any, list[Classes], Mixture]:
    """What `write` wrote: the header, the training counts, the predictions and their mixture."""
    with folders.whole(path):
        kept = folders.read(path, KIND)
        folders.need_arrays(kept, _MIXTURE)
        mixture = Mixture(kept["mixture"], *(kept[name] for name in _MIXTURE))
        found = [
            Classes(one["name"], _parts(kept, f"classes.{place}", one), one["types"])
            for place, one in enumerate(kept["classes"])
        ]
        train = folders.from_arrays(kept, "train")
        _check(kept, train, found, mixture)
        return kept, train, found, mixture


def _parts(kept: dict[str, Any], key: str, one: dict[str, Any]) -> tuple[Clustering, ...]:
    """The clusterings of one prediction."""
    try:
        if "parts" not in one:
            return _revive(kept, key, one)
        found = []
        for number, plain in enumerate(one["parts"]):
            head = f"{key}.{number}."
            own = {name[len(head) :]: kept[name] for name in kept if name.startswith(head)}
            found.append(_ready(Clustering.of_parts(plain, own)))
        return tuple(found)
    except InputError as error:
        raise ValueError(f"{key}: {error}") from None


def _ready(found: Clustering) -> Clustering:
    """The clustering with its rule, which is looked for now: a damaged one is refused."""
    if found.learnt is not None:
        return replace(found, learnt=_ready(found.learnt))
    rule = found.rule
    if isinstance(rule, Kept):
        own = Nearest if rule.clusterer == Nearest.clusterer else None
        k, m = found.centroids.shape
        rule = rule.rule(k, m, own)
    return replace(found, rule=rule)


def _revive(kept: dict[str, Any], key: str, one: dict[str, Any]) -> tuple[Clustering, ...]:
    """The clusterings of a folder that was written before they were kept as such."""
    memberships = folders.from_arrays(kept, f"{key}.membership")
    centroids = folders.from_arrays(kept, f"{key}.centroids")
    mass, sharp = kept[f"{key}.mass"], {"beta": one["beta"]}
    space = ("columns", "projection", "words") if one["rule"] == "nearest" else ()
    arrays = {name: kept[f"{key}.space.{name}"] for name in space}
    rule = {
        "posterior": Kept("", {"least": COUNTED.least}),
        "anneal": Kept("soft", sharp),
        "fold-in": Kept("symmetric", sharp),
        "nearest": Kept(Nearest.clusterer, {"size": one["size"]}, arrays),
    }[one["rule"]]
    sizes = one["blocks"] or [mass.size]
    _need(
        all(type(size) is int and size > 0 for size in sizes) and sum(sizes) == mass.size,
        f"{key}: blocks {sizes!r} are not numbers that add up to {mass.size}",
    )
    _need(
        type(one["beta"]) in (int, float) and 0 < one["beta"] < math.inf,
        f"{key}: beta {one['beta']!r} is not a number above 0",
    )
    found, begin = [], 0
    for size in sizes:
        part = slice(begin, begin + size)
        own = memberships[:, part] * len(sizes), centroids[part], mass[part] * len(sizes)
        found.append(_ready(Clustering(Tree.flat(size), *own, rule=rule)))
        begin += size
    return tuple(found)


def _check(kept: dict[str, Any], train: Any, predictors: list[Classes], mixture: Mixture) -> None:
    """Refuse, by a ValueError, what `write` would not have written."""
    _need(sparse.issparse(train), "train: expected a sparse table")
    _need(train.nnz == 0 or train.data.min() >= 0, "train: expected counts, none negative")
    options, columns, shape = kept["options"], kept["n_features_in_"], train.shape
    _need(
        isinstance(options, dict) and set(options) == {"classes", "backoff"},
        f"options {options!r}: expected classes and backoff",
    )
    name = options["classes"]
    known = catalogue.names("models")
    _need(name is None or name in known, f"options: classes {name!r} is no known model")
    _need(options["backoff"] in BACKOFFS, f"options: backoff {options['backoff']!r} is not known")
    _need(
        type(columns) is int and columns == shape[1],
        f"n_features_in_ {columns!r}: train has {shape[1]} columns",
    )
    if "words_" in kept or "contexts_" in kept:
        for key, size in zip(("words_", "contexts_"), shape, strict=True):
            names = _check_names(kept, key, size)
            _need(len(set(names)) == size, f"{key}: expected names that differ")
    for place, one in enumerate(predictors):
        _check_classes(f"classes.{place}", one, shape)
    _check_mixture(mixture, len(predictors))
    _check_names(kept, "names_", len(predictors) + (mixture.kind == "interpolate"))


def _check_names(kept: dict[str, Any], key: str, size: int) -> list[str]:
    names: list[str] = kept[key]
    _need(
        isinstance(names, list) and all(isinstance(name, str) for name in names),
        f"{key}: expected a list of names",
    )
    _need(len(names) == size, f"{key}: {len(names)} names, expected {size}")
    return names


def _check_classes(key: str, one: Classes, shape: tuple[int, int]) -> None:
    _need(isinstance(one.name, str), f"{key}: name {one.name!r} is not a text")
    _need(isinstance(one.types, bool), f"{key}: types {one.types!r} is not true or false")
    _need(len(one.parts) > 0, f"{key}: no clustering")
    for part in one.parts:
        found = part.memberships.shape[0], part.centroids.shape[1]
        _need(found == shape, f"{key}: words and contexts are {found}, expected {shape}")
        for name in ("memberships", "centroids"):
            _check_shares(f"{key}.{name}", getattr(part, name))
        _check_shares(f"{key}.mass", part.mass[None, :])


def _check_mixture(mixture: Mixture, predictions: int) -> None:
    kind, discounts, edges = mixture.kind, mixture.discounts, mixture.edges
    _need(kind in _MIXTURES, f"mixture {kind!r} is not known: expected {', '.join(_MIXTURES)}")
    _need(bool(np.all(np.diff(edges) > 0)), "mixture.edges: expected to increase")
    shape = edges.size + 1, predictions + (kind == "interpolate")
    found = mixture.weights.shape
    _need(
        found == shape and predictions > 0,
        f"mixture.weights: the shape is {found}, expected {shape} for {predictions} predictions",
    )
    _check_shares("mixture.weights", mixture.weights)
    _need(
        (discounts.size > 0) == (kind == "discount"),
        f"mixture.discounts: the shape is {discounts.shape} for {kind!r}",
    )
    most = np.arange(1, discounts.size + 1) + SLACK
    _need(
        bool(np.all((discounts >= -SLACK) & (discounts <= most))),
        f"mixture.discounts {discounts.tolist()}: expected 0 to j for those seen j times",
    )


def _check_shares(name: str, table: Any) -> None:
    sums = np.asarray(table.sum(axis=1)).ravel()
    _need(
        table.min() >= 0 and np.allclose(sums, 1.0, atol=SLACK),
        f"{name}: expected rows of shares that add up to 1",
    )


def _need(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
