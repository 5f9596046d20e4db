"""Convert in-memory data (sequences, arrays, mappings and tables) to labels.

Items of a sequence, array or column are identified by position, never by a pandas index. Items of a
mapping are identified by key, which may be a pair (group, item).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from roget import catalogue
from roget.core.io.frames import frame_columns, is_frame, library
from roget.core.io.problems import plural
from roget.core.types import Floats, Ints
from roget.errors import InputError, Notice
from roget.scoring.labels.codes import factorize, factorize_objects
from roget.scoring.labels.columns import SINGLE, Columns
from roget.scoring.labels.frames import factorize_column, is_column, select_columns
from roget.scoring.labels.labels import Coder, LabelCodes, Labels, NoItems
from roget.scoring.labels.readers.clusters import collect_clusters
from roget.scoring.labels.table import fault, number, to_labels


def convert_data(
    source: Any, name: str, columns: Columns | None, *, gold: bool, cover: bool = False
) -> Labels:
    """Convert a table, mapping, matrix, array or sequence to labels.

    `name` is the name of the source in messages. With `cover`, items of a table may be repeated,
    and the values of a mapping may be lists of labels.
    """
    if hasattr(type(source), "to_labels"):
        found: Labels = source.to_labels()
        return found
    if hasattr(source, "places") and hasattr(source, "memberships"):
        # The source may be a thesaurus. It is recognised by its attributes, because the scoring
        # package must not import its class.
        placed: Labels = catalogue.load("label formats", "thesaurus")(source)
        return placed
    if is_frame(source):
        rows = select_columns(frame_columns(source), SINGLE, columns, name)
        rows.spread |= cover
        return to_labels(rows, gold=gold)
    listed = getattr(source, "communities", source)
    sequence = isinstance(listed, list | tuple) and bool(listed)
    if isinstance(source, Mapping):
        result = _from_mapping(source, name, cover=cover)
    elif listed is not source or (sequence and all(isinstance(one, Set) for one in listed)):
        result = collect_clusters(listed, None, name)
    elif library(source) == "scipy" and hasattr(source, "tocsr"):
        result = _from_matrix(*_sparse_entries(source), name)
    else:
        values = _one_or_two_dimensional(source, name)
        if isinstance(values, np.ndarray) and values.ndim == 2:
            result = _from_matrix(*_dense_entries(values, name), name)
        else:
            coded = values if isinstance(values, LabelCodes) else factorize(values)
            result = Labels(**coded._asdict(), source=name)
    if not len(result):
        raise NoItems(f"{name}: no items")
    return result


def _one_or_two_dimensional(
    source: Any, name: str
) -> npt.NDArray[Any] | Sequence[Any] | LabelCodes:
    if is_column(source):
        return factorize_column(source)
    if isinstance(source, list | tuple):
        return source
    if isinstance(source, np.ndarray | range) or hasattr(source, "__array__"):
        array = source if isinstance(source, np.ndarray) else np.asarray(source)
        if array.ndim == 2 and array.shape[1] == 1:
            # A column of labels, as scikit-learn accepts it.
            return array.ravel()
        if array.ndim in (1, 2):
            return array
        found = f"an array with {array.ndim} dimensions"
    elif isinstance(source, Iterable) and not isinstance(source, Set | bytes | bytearray):
        return list(source)
    else:
        kind = type(source).__name__
        found = f"an {kind}" if kind[:1] in "aeiouAEIO" else f"a {kind}"
    raise InputError(
        f"{name}: found {found}; expected a path, a sequence of labels, a mapping from item to "
        "label, a matrix of weights or a table",
        code="unsupported-format",
    )


def _from_mapping(mapping: Mapping[Any, Any], name: str, *, cover: bool = False) -> Labels:
    keys = list(mapping)
    grouped = bool(keys) and all(isinstance(key, tuple) and len(key) == 2 for key in keys)
    items = [str(key[1]) for key in keys] if grouped else list(map(str, keys))
    coder = Coder()
    groups = coder.codes([str(key[0]) for key in keys], len(keys)) if grouped else None
    known = set(items) if groups is None else set(zip(groups.tolist(), items, strict=True))
    if len(known) < len(items):
        raise InputError(
            f"{name}: two items have the same id after conversion to str", code="duplicate-item"
        )
    values = list(mapping.values())
    several = (Set, list) if cover else Set
    sets = any(isinstance(value, several) for value in values)
    if sets:
        mapping = {
            key: dict.fromkeys(value if isinstance(value, several) else [value], 1)
            for key, value in mapping.items()
        }
    if sets or any(isinstance(value, Mapping) for value in values):
        entries, owners, weights = _distributions(mapping, name)
        coded = entries.pack(owners, weights, len(items))
    else:
        coded = factorize_objects(values)
    group_names = list(coder) if grouped else None
    return Labels(
        **coded._asdict(),
        items=items,
        groups=groups,
        group_names=group_names,
        source=name,
        cover=sets,
    )


def _distributions(mapping: Mapping[Any, Any], name: str) -> tuple[LabelCodes, Ints, Floats]:
    """Return the labels, items and weights from a mapping of items to labels or weighted labels."""
    labels: list[Any] = []
    owners: list[int] = []
    weights: list[float] = []
    for at, (key, value) in enumerate(mapping.items()):
        answer = value.items() if isinstance(value, Mapping) else [(value, 1)]
        for label, weight in answer:
            share = number(weight)
            wrong = fault(share)
            if wrong or share is None:
                shown = f"{name}: the weight {weight!r} of {label!r} for item {key!r}"
                raise InputError(f"{shown} {wrong}; expected 0 or more", code="bad-weight")
            labels.append(label)
            owners.append(at)
            weights.append(share)
        if answer and not any(weights[-len(answer) :]):
            raise InputError(f"{name}: the weights of item {key!r} sum to 0", code="bad-weight")
    coded = factorize_objects(labels)
    answered = coded.codes >= 0
    coded = coded._replace(codes=coded.codes[answered])
    at_item = np.array(owners, dtype=np.int64)[answered]
    return coded, at_item, np.array(weights, dtype=np.float64)[answered]


Entries = tuple[Ints, Ints, Floats, tuple[int, int]]
"""Row indices, column indices and values of the non-zero entries in a matrix, and its shape."""


def _dense_entries(values: npt.NDArray[Any], name: str) -> Entries:
    if values.dtype.kind not in "biuf":
        raise InputError(
            f"{name}: found a two-dimensional array of dtype {values.dtype}; expected one label "
            "per item, or a matrix of weights",
            code="unsupported-format",
        )
    rows, columns = np.nonzero(values)
    return rows, columns, values[rows, columns].astype(np.float64), values.shape


def _sparse_entries(matrix: Any) -> Entries:
    compressed = matrix.tocsr()
    rows = np.repeat(np.arange(compressed.shape[0]), np.diff(compressed.indptr))
    columns = compressed.indices.astype(np.int64)
    return rows, columns, compressed.data.astype(np.float64), compressed.shape


def _from_matrix(
    rows: Ints, columns: Ints, values: Floats, shape: tuple[int, int], name: str
) -> Labels:
    """Convert a matrix of weights to labels. The weights in each row are scaled to sum to 1."""
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if bad.size:
        row, column, value = int(rows[bad[0]]), int(columns[bad[0]]), float(values[bad[0]])
        raise InputError(
            f"{name}: the weight {value} in row {row}, column {column} (counted from 0) "
            f"{fault(value)}; expected 0 or more",
            code="bad-weight",
        )
    n_items, n_labels = shape
    if n_labels < 2 and not (values.size == n_items and bool(np.all(values == 1))):
        raise InputError(
            f"{name}: found a matrix with {plural(n_items, 'row')} and "
            f"{plural(n_labels, 'column')}; expected a column of weights for each label, or a "
            "one-dimensional array of labels",
            code="unsupported-format",
        )
    coded = LabelCodes(columns, n_labels).pack(rows, values, n_items)
    sums = np.bincount(rows, values, n_items)
    warnings = []
    if not np.all((sums == 0) | np.isclose(sums, 1, atol=1e-3)):
        text = (
            f"{name}: the matrix is read as weights of {plural(n_labels, 'label', ',')} for each "
            "item, but its rows do not sum to 1; if it holds features or distances, pass the "
            "labels of a clustering instead"
        )
        warnings.append(Notice(text, code="inferred-format"))
    return Labels(**coded._asdict(), source=name, warnings=tuple(warnings))
