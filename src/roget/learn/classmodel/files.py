"""Read and write class models as folders of JSON and npz files. No stored code is executed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from roget import catalogue
from roget.core import contents
from roget.core import folder as folders
from roget.core.contents import Contents, array
from roget.core.tree import Tree
from roget.core.types import Array, PathLike
from roget.errors import InputError
from roget.learn.classmodel.classes import COUNTED, SLACK, ClassCounts, are_shares
from roget.learn.classmodel.families import NearestWords
from roget.learn.classmodel.mixing import Mixture
from roget.learn.clustering.result import Clustering, Rule, StoredRule, find_legacy_rule
from roget.learn.options import BACKOFFS

KIND = folders.model("classmodel", "classmodel.model")


@dataclass(frozen=True)
class MixtureArrays(Contents):
    discounts: Array = array("iuf", "n")
    weights: Array = array("iuf", "frequencies", "predictions")
    edges: Array = array("iuf", "edges")


def write(
    path: PathLike,
    header: dict[str, Any],
    train: Any,
    predictors: list[ClassCounts],
    mixture: Mixture,
) -> None:
    """Write a fitted model to a folder. If writing fails, nothing is left behind."""
    # Arrays are stored under flat names: train, mixture.*, classes.PREDICTOR.PART.*.
    arrays = contents.to_arrays("train", train)
    stored = MixtureArrays(mixture.discounts, mixture.weights, mixture.edges)
    arrays |= contents.put_under("mixture", stored.content())
    listed = []
    for place, one in enumerate(predictors):
        plain = []
        for number, part in enumerate(one.parts):
            part_plain, more = part.to_parts()
            plain.append(part_plain)
            arrays |= contents.put_under(f"classes.{place}.{number}", more)
        listed.append({"name": one.name, "types": one.types, "parts": plain})
    folders.write(path, KIND, {**header, **arrays, "classes": listed, "mixture": mixture.kind})


def read(path: PathLike) -> tuple[dict[str, Any], Any, list[ClassCounts], Mixture]:
    """Read a model folder: the header, the training counts, the predictors and their mixture."""
    with contents.report_damage(path):
        kept = folders.read(path, KIND)
        held = MixtureArrays.read(contents.take_under("mixture", kept))
        mixture = Mixture(kept["mixture"], held.discounts, held.weights, held.edges)
        found = [
            ClassCounts(one["name"], _parts(kept, f"classes.{place}", one), one["types"])
            for place, one in enumerate(kept["classes"])
        ]
        train = contents.from_arrays(kept, "train")
        # Each file may be valid by itself but inconsistent with the others.
        for fault in _faults(kept, train, found, mixture):
            raise ValueError(fault)
        return kept, train, found, mixture


def _parts(kept: dict[str, Any], key: str, one: dict[str, Any]) -> tuple[Clustering, ...]:
    """Read the clusterings of one predictor."""
    try:
        if "parts" not in one:
            return _revive(kept, key, one)
        return tuple(
            _ready(Clustering.from_parts(plain, contents.take_under(f"{key}.{number}", kept)))
            for number, plain in enumerate(one["parts"])
        )
    except InputError as error:
        raise ValueError(f"{key}: {error}") from None


def _ready(found: Clustering) -> Clustering:
    """Load the placement rule of a clustering, so that damage is detected on opening."""
    if found.learnt is not None:
        return replace(found, learnt=_ready(found.learnt))
    rule = found.rule
    if isinstance(rule, StoredRule):
        own = NearestWords if rule.clusterer == NearestWords.clusterer else None
        k, m = found.centroids.shape
        rule = rule.rule(k, m, own)
    return replace(found, rule=rule)


def _revive(kept: dict[str, Any], key: str, one: dict[str, Any]) -> tuple[Clustering, ...]:
    """Read the clusterings of a model folder from an early version."""
    memberships = contents.from_arrays(kept, f"{key}.membership")
    centroids = contents.from_arrays(kept, f"{key}.centroids")
    mass, called = kept[f"{key}.mass"], one["rule"]
    sizes = one["blocks"] or [mass.size]
    if not all(type(size) is int and size > 0 for size in sizes) or sum(sizes) != mass.size:
        raise ValueError(
            f"{key}: blocks {sizes!r} must be positive integers whose sum is {mass.size}"
        )
    if type(one["beta"]) not in (int, float) or not 0 < one["beta"] < math.inf:
        raise ValueError(f"{key}: beta {one['beta']!r} is not a number above 0")
    rule: Rule | StoredRule | None
    if called == "posterior":
        rule = COUNTED
    elif called == "nearest":
        space = {name: kept[f"{key}.space.{name}"] for name in ("columns", "projection", "words")}
        rule = StoredRule(NearestWords.clusterer, {"size": one["size"]}, space)
    else:
        rule = find_legacy_rule({"beta": one["beta"], "rule": called})
    if rule is None:
        raise ValueError(f"{key}: unknown rule {called!r}")
    found, begin = [], 0
    for size in sizes:
        part = slice(begin, begin + size)
        own = memberships[:, part] * len(sizes), centroids[part], mass[part] * len(sizes)
        found.append(_ready(Clustering(Tree.flat(size), *own, rule=rule)))
        begin += size
    return tuple(found)


def _faults(
    kept: dict[str, Any], train: Any, predictors: list[ClassCounts], mixture: Mixture
) -> Iterator[str]:
    """Describe each invalid or inconsistent value."""
    if not sparse.issparse(train):
        yield "train: expected a sparse table"
    if train.nnz and train.data.min() < 0:
        yield "train: expected non-negative counts"
    options, columns, shape = kept["options"], kept["n_features_in_"], train.shape
    if not isinstance(options, dict) or set(options) != {"classes", "backoff"}:
        yield f"options are {options!r}; expected classes and backoff"
    if options["classes"] not in (None, *catalogue.names("models")):
        yield f"options: classes {options['classes']!r} is not a known model"
    if options["backoff"] not in BACKOFFS:
        yield f"options: backoff {options['backoff']!r} is unknown"
    if type(columns) is not int or columns != shape[1]:
        yield f"n_features_in_ {columns!r}: train has {shape[1]} columns"
    for place, one in enumerate(predictors):
        yield from _class_faults(f"classes.{place}", one, shape)
    yield from _mixture_faults(mixture, len(predictors))
    sizes = {"names_": len(predictors) + (mixture.kind == "interpolate")}
    if "words_" in kept or "contexts_" in kept:
        sizes |= {"words_": shape[0], "contexts_": shape[1]}
    for key, size in sizes.items():
        if not contents.is_list_of(contents.is_text)(kept[key]):
            yield f"{key}: expected a list of names"
        if len(kept[key]) != size:
            yield f"{key}: {len(kept[key])} names, expected {size}"
        if key != "names_" and len(set(kept[key])) != size:
            yield f"{key}: expected unique names"


def _class_faults(key: str, one: Any, shape: tuple[int, int]) -> Iterator[str]:
    """Describe the faults of one predictor."""
    if not isinstance(one.name, str):
        yield f"{key}: name {one.name!r} is not a string"
    if not isinstance(one.types, bool):
        yield f"{key}: types {one.types!r} is not a boolean"
    if not one.parts:
        yield f"{key}: no clustering"
    for part in one.parts:
        found = part.memberships.shape[0], part.centroids.shape[1]
        if found != shape:
            yield f"{key}: words and contexts are {found}, expected {shape}"
        for name in ("memberships", "centroids"):
            yield from _share_faults(f"{key}.{name}", getattr(part, name))
        yield from _share_faults(f"{key}.mass", part.mass[None, :])


def _mixture_faults(mixture: Mixture, predictions: int) -> Iterator[str]:
    """Describe the faults of the mixture weights, groups and discounts."""
    kind, discounts, edges = mixture.kind, mixture.discounts, mixture.edges
    if kind not in BACKOFFS[1:]:
        yield f"unknown mixture {kind!r}; expected one of {', '.join(BACKOFFS[1:])}"
    if not np.all(np.diff(edges) > 0):
        yield "mixture.edges: expected increasing numbers"
    shape, found = (edges.size + 1, predictions + (kind == "interpolate")), mixture.weights.shape
    if found != shape or not predictions:
        shape_text = f"{found}; expected {shape} for {predictions} predictors"
        yield f"mixture.weights has shape {shape_text}"
    yield from _share_faults("mixture.weights", mixture.weights)
    if (discounts.size > 0) != (kind == "discount"):
        yield f"mixture.discounts has shape {discounts.shape}, which is invalid for {kind!r}"
    most = np.arange(1, discounts.size + 1) + SLACK
    if not np.all((discounts >= -SLACK) & (discounts <= most)):
        yield (
            f"mixture.discounts are {discounts.tolist()}; expected a value from 0 to j for count j"
        )


def _share_faults(name: str, table: Any) -> Iterator[str]:
    """Describe the fault if the rows of a table are not probabilities."""
    if not are_shares(table):
        yield f"{name}: expected rows of probabilities that sum to 1"
