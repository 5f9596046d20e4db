"""Class models as a folder: JSON for names and weights, npz for tables; nothing in it is run."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from scipy import sparse

from roget import catalogue
from roget.core import folder as folders
from roget.learn.classmodel.classes import Classes, Rule
from roget.learn.classmodel.mixing import Mixture
from roget.learn.classmodel.recipes import BACKOFFS

KIND = folders.model("classmodel", "classmodel.model")
_RULES = ("posterior", "anneal", "fold-in", "nearest")
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
        rule, key = one.rule, f"classes.{place}"
        arrays |= folders.to_arrays(f"{key}.membership", one.membership)
        arrays |= folders.to_arrays(f"{key}.centroids", one.centroids)
        arrays[f"{key}.mass"] = rule.mass
        arrays |= {
            f"{key}.space.{name}": value
            for name, value in rule.space.items()
            if isinstance(value, np.ndarray)
        }
        listed.append(
            {
                "name": one.name,
                "rule": rule.kind,
                "beta": float(rule.beta),
                "types": rule.types,
                "blocks": list(rule.blocks),
                "size": rule.space.get("size"),
            }
        )
    folders.write(path, KIND, {**header, **arrays, "classes": listed, "mixture": mixture.kind})


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Any, list[Classes], Mixture]:
    """What `write` wrote: the header, the training counts, the predictions and their mixture."""
    with folders.whole(path):
        kept = folders.read(path, KIND)
        folders.need_arrays(kept, _MIXTURE)
        mixture = Mixture(kept["mixture"], *(kept[name] for name in _MIXTURE))
        found = [
            Classes(
                one["name"],
                folders.from_arrays(kept, f"classes.{place}.membership"),
                folders.from_arrays(kept, f"classes.{place}.centroids"),
                _rule(kept, f"classes.{place}", one),
            )
            for place, one in enumerate(kept["classes"])
        ]
        train = folders.from_arrays(kept, "train")
        _check(kept, train, found, mixture)
        return kept, train, found, mixture


def _check(kept: dict[str, Any], train: Any, predictors: list[Classes], mixture: Mixture) -> None:
    """Refuse, by a ValueError, what `write` would not have written."""
    _need(sparse.issparse(train), "train: expected a sparse table")
    _need(train.nnz == 0 or train.data.min() >= 0, "train: expected counts, none negative")
    _check_header(kept, train.shape)
    for place, one in enumerate(predictors):
        _check_classes(f"classes.{place}", one, train.shape)
    _check_mixture(mixture, len(predictors))
    own = mixture.kind == "interpolate"
    _check_names(kept, "names_", len(predictors) + own)


def _check_header(kept: dict[str, Any], shape: tuple[int, int]) -> None:
    options, columns = kept["options"], kept["n_features_in_"]
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


def _check_names(kept: dict[str, Any], key: str, size: int) -> list[str]:
    names: list[str] = kept[key]
    _need(
        isinstance(names, list) and all(isinstance(name, str) for name in names),
        f"{key}: expected a list of names",
    )
    _need(len(names) == size, f"{key}: {len(names)} names, expected {size}")
    return names


def _check_classes(key: str, one: Classes, shape: tuple[int, int]) -> None:
    rule, k = one.rule, one.rule.mass.size
    _need(isinstance(one.name, str), f"{key}: name {one.name!r} is not a text")
    for name, table, rows in (
        ("membership", one.membership, (shape[0], k)),
        ("centroids", one.centroids, (k, shape[1])),
    ):
        _need(table.shape == rows, f"{key}.{name}: the shape is {table.shape}, expected {rows}")
        _check_shares(f"{key}.{name}", table)
    _need(rule.kind in _RULES, f"{key}: rule {rule.kind!r} is not known")
    _need(k > 0, f"{key}.mass: expected a number for each class")
    _check_shares(f"{key}.mass", rule.mass[None, :])
    _need(
        type(rule.beta) in (int, float) and 0 < rule.beta < math.inf,
        f"{key}: beta {rule.beta!r} is not a number above 0",
    )
    _need(isinstance(rule.types, bool), f"{key}: types {rule.types!r} is not true or false")
    _need(
        not rule.blocks
        or (all(type(size) is int and size > 0 for size in rule.blocks) and sum(rule.blocks) == k),
        f"{key}: blocks {rule.blocks!r} are not numbers that add up to {k}",
    )
    if rule.kind == "nearest":
        _check_space(key, rule, shape[1])


def _check_space(key: str, rule: Rule, contexts: int) -> None:
    near = rule.mass.size - 1
    schema: folders.Schema = {
        "columns": ("iuf", (contexts,)),
        "projection": ("iuf", (contexts, "dimensions")),
        "words": ("iuf", (near, "dimensions")),
    }
    folders.need_arrays(rule.space, schema, f"{key}.space.")
    _need(rule.space["columns"].min() >= 0, f"{key}.space.columns: expected counts, none negative")
    size = rule.space["size"]
    _need(type(size) is int and 0 < size <= near, f"{key}: size {size!r} of {near} words")


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


def _rule(kept: dict[str, Any], key: str, one: dict[str, Any]) -> Rule:
    folders.need_arrays(kept, {f"{key}.mass": ("iuf", ("classes",))})
    prefix = f"{key}.space."
    space = {name[len(prefix) :]: kept[name] for name in kept if name.startswith(prefix)}
    if one["size"] is not None:
        space["size"] = one["size"]
    mass, blocks = kept[f"{key}.mass"], tuple(one["blocks"])
    return Rule(one["rule"], mass, one["beta"], one["types"], blocks, space)
