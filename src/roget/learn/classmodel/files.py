"""Class models as a folder: JSON for names and weights, npz for tables; nothing in it is run."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from scipy import sparse

from roget.errors import InputError
from roget.learn.classmodel.classes import Classes, Rule
from roget.learn.classmodel.mixing import Mixture
from roget.learn.clustering import keeping

KIND = "classmodel.model"
_CSR = ("data", "indices", "indptr", "shape")


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
    keeping.write(path, KIND, {**header, **arrays, "classes": listed, "mixture": mixture.kind})


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Any, list[Classes], Mixture]:
    """What `write` wrote: the header, the training counts, the predictions and their mixture."""
    try:
        kept = keeping.read(path, KIND)
        parts = (kept[f"mixture.{name}"] for name in ("discounts", "weights", "edges"))
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
        return kept, _read_table(kept, "train"), found, mixture
    except InputError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} is not a whole model, see its arrays.npz: {error!r}") from None


def _rule(kept: dict[str, Any], key: str, one: dict[str, Any]) -> Rule:
    prefix = f"{key}.space."
    space = {name[len(prefix) :]: v for name, v in kept.items() if name.startswith(prefix)}
    if one["size"] is not None:
        space["size"] = int(one["size"])
    mass, blocks = kept[f"{key}.mass"], tuple(one["blocks"])
    return Rule(one["rule"], mass, one["beta"], one["types"], blocks, space)


def _table(name: str, table: Any) -> dict[str, Any]:
    if not sparse.issparse(table):
        return {name: np.asarray(table)}
    parts = {part: np.asarray(getattr(table, part)) for part in _CSR}
    return {f"{name}.{part}": value for part, value in parts.items()}


def _read_table(kept: dict[str, Any], name: str) -> Any:
    if name in kept:
        return kept[name]
    data, indices, indptr, shape = (kept[f"{name}.{part}"] for part in _CSR)
    return sparse.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
