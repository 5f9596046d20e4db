"""Declared contents: values are read only if types, dimensions and ranges agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from roget.core import contents
from roget.core import folder as folders
from roget.core.contents import Contents, array, column, matrix, table, texts, value
from support.errors import refused


@dataclass(frozen=True)
class Stored(Contents):
    """One field of each kind."""

    words: list[str] = texts("words")
    vectors: Any = array("f", "words", "dimensions", low=-1, below=1.01)
    rows: Any = array("iu", "cells", low=0, below="words")
    shares: Any = matrix("f", "words", "classes", low=0, below=1.001)
    beta: float | None = value(contents.is_optional(contents.is_number), at="about.beta")
    order: Any = array("iu", "words", optional=True)


RIGHT = {
    "words": ["a", "b"],
    "vectors": np.ones((2, 3)),
    "rows": np.array([1, 0, 1, 1]),
    "shares": np.eye(2),
    "about": {"beta": 2},
}
SPARSE = sparse.csr_array(np.eye(2))


def test_contents_return_declared_values() -> None:
    found = Stored.read(RIGHT | {"another": 1})
    assert (found.words, found.beta, found.order) == (["a", "b"], 2, None)
    assert found.content().keys() == {"words", "vectors", "rows", "shares", "beta"}
    kept = {name: one for name, one in RIGHT.items() if name != "shares"}
    again = Stored.read(kept | contents.to_arrays("shares", SPARSE))
    assert (again.shares != SPARSE).nnz == 0
    assert {"shares.data", "shares.indptr"} <= again.content().keys()


@pytest.mark.parametrize(
    "change",
    [
        {"words": ["a", "a"]},
        {"words": ["a"]},
        {"words": ["a", 1]},
        {"vectors": np.ones((2, 3), int)},
        {"vectors": np.ones((3, 3))},
        {"vectors": np.full((2, 3), np.nan)},
        {"vectors": np.full((2, 3), 2.0)},
        {"rows": np.array([2])},
        {"rows": np.array([-1])},
        {"shares": np.full((2, 2), 1.5)},
        {"shares": np.ones((3, 2))},
        {"about": {"beta": "1"}},
        {"order": np.ones(3, int)},
    ],
    ids=str,
)
def test_contents_refuse_values_that_disagree_with_the_declaration(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(change)).replace("about", "beta")):
        Stored.read(RIGHT | change)


def test_missing_contents_and_wrong_sizes_are_refused() -> None:
    for name in ("words", "vectors", "rows", "shares"):
        with pytest.raises(KeyError):
            Stored.read({key: one for key, one in RIGHT.items() if key != name})
    assert Stored.read(RIGHT, words=2, dimensions=3)
    with pytest.raises(ValueError, match="vectors"):
        Stored.read(RIGHT, dimensions=4)


@dataclass(frozen=True)
class Names:
    name: Any = column("VARCHAR")


@dataclass(frozen=True)
class Links:
    source: Any = column("INTEGER", below="names")
    target: Any = column("INTEGER", below="names")


@dataclass(frozen=True)
class Graph(Contents):
    size: int = value(contents.is_size, sizes=("names",))
    names: Names = table(Names, "names.parquet", "names")
    links: Links = table(Links, "links.parquet", "links")


GRAPH = folders.Kind("graph", "roget.graph", "a graph", "graph.json", contents=Graph)


@pytest.mark.parametrize(
    ("size", "target", "place"),
    [(2, 1, None), (2, 2, "links.parquet"), (2, -1, "links.parquet"), (3, 1, "names.parquet")],
)
def test_tables_agree_with_declared_dimensions(tmp_path, size, target, place) -> None:
    tables = {
        "names.parquet": {"name": np.array(["a", "b"], dtype=object)},
        "links.parquet": {"source": np.array([0]), "target": np.array([target])},
    }
    with folders.draft_of(tmp_path / "g", GRAPH) as draft:
        folders.fill(draft, GRAPH, {"size": size}, provenance={}, tables=tables)
    folder = folders.open_folder(tmp_path / "g", GRAPH)
    if place is None:
        assert folder.tables()["links.parquet"]["target"].tolist() == [1]
    else:
        with refused("damaged-folder", place):
            folder.tables()
