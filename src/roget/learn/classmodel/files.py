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
_CSR = ("data", "indices", "indptr", "shape")
_RULES = ("posterior", "anneal", "fold-in", "nearest")
_MIXTURES = ("discount", "interpolate", "none")

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
    arrays = _table("train", train)
    for name in ("discounts", "weights", "edges"):
        arrays[f"mixture.{name}"] = getattr(mixture, name)
    listed = []
    for place, one in enumerate(predictors):
        rule, key = one.rule, f"classes.{place}"
        arrays |= _table(f"{key}.membership", one.membership)
        arrays |= _table(f"{key}.centroids", one.centroids)
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
        parts = (_numbers(kept, f"mixture.{name}") for name in ("discounts", "weights", "edges"))
        mixture = Mixture(kept["mixture"], *parts)
        found = [
            Classes(
                one["name"],
                _read_table(kept, f"classes.{place}.membership"),
                _read_table(kept, f"classes.{place}.centroids"),
                _rule(kept, f"classes.{place}", one),
            )
            for place, one in enumerate(kept["classes"])
        ]
        train = _read_table(kept, "train")
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
    _need(rule.mass.ndim == 1 and k > 0, f"{key}.mass: expected a number for each class")
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
    space, near = rule.space, rule.mass.size - 1
    dimensions = space["projection"].shape[-1]
    shapes = {
        "columns": (contexts,),
        "projection": (contexts, dimensions),
        "words": (near, dimensions),
    }
    for name, shape in shapes.items():
        found = space[name].shape
        _need(found == shape, f"{key}.space.{name}: the shape is {found}, expected {shape}")
    _need(space["columns"].min() >= 0, f"{key}.space.columns: expected counts, none negative")
    size = space["size"]
    _need(type(size) is int and 0 < size <= near, f"{key}: size {size!r} of {near} words")


def _check_mixture(mixture: Mixture, predictions: int) -> None:
    kind, discounts, edges = mixture.kind, mixture.discounts, mixture.edges
    _need(kind in _MIXTURES, f"mixture {kind!r} is not known: expected {', '.join(_MIXTURES)}")
    _need(
        edges.ndim == 1 and bool(np.all(np.diff(edges) > 0)), "mixture.edges: expected to increase"
    )
    shape = edges.size + 1, predictions + (kind == "interpolate")
    found = mixture.weights.shape
    _need(
        found == shape and predictions > 0,
        f"mixture.weights: the shape is {found}, expected {shape} for {predictions} predictions",
    )
    _check_shares("mixture.weights", mixture.weights)
    _need(
        discounts.ndim == 1 and (discounts.size > 0) == (kind == "discount"),
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


def _numbers(kept: dict[str, Any], name: str) -> Any:
    """An array of the folder, if it is one of finite numbers."""
    found = kept[name]
    _need(
        isinstance(found, np.ndarray) and found.dtype.kind in "iuf",
        f"{name}: expected an array of numbers",
    )
    _need(bool(np.isfinite(found).all()), f"{name}: expected numbers that are finite")
    return found


def _rule(kept: dict[str, Any], key: str, one: dict[str, Any]) -> Rule:
    prefix = f"{key}.space."
    space = {name[len(prefix) :]: _numbers(kept, name) for name in kept if name.startswith(prefix)}
    if one["size"] is not None:
        space["size"] = one["size"]
    mass, blocks = _numbers(kept, f"{key}.mass"), tuple(one["blocks"])
    return Rule(one["rule"], mass, one["beta"], one["types"], blocks, space)


def _table(name: str, table: Any) -> dict[str, Any]:
    if not sparse.issparse(table):
        return {name: np.asarray(table)}
    parts = {part: np.asarray(getattr(table, part)) for part in _CSR}
    return {f"{name}.{part}": value for part, value in parts.items()}


def _read_table(kept: dict[str, Any], name: str) -> Any:
    if name in kept:
        table = _numbers(kept, name)
        _need(table.ndim == 2, f"{name}: expected a table, the shape is {table.shape}")
        return table
    data, *places = (_numbers(kept, f"{name}.{part}") for part in _CSR)
    _need(all(part.dtype.kind in "iu" for part in places), f"{name}: places are not whole numbers")
    indices, indptr, shape = places
    _need(shape.shape == (2,), f"{name}.shape {shape.tolist()}: expected rows and columns")
    try:
        return folders.need_csr((data, indices, indptr), shape)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
