"""AnnData: categorical columns of `obs` with gaps and unused categories."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import roget
from support.errors import notice, refused

pandas = pytest.importorskip("pandas")

TYPES = ["T", "T", "B", "B", None, "NK", "NK", "B"]
CLUSTERS = ["0", "0", "1", "1", "1", None, "2", "0"]
COLUMNS = {"gold": "cell_type", "system": "leiden"}


@pytest.fixture(params=["stand-in", "anndata"])
def adata(request):
    obs = pandas.DataFrame(
        {
            "cell_type": pandas.Categorical(TYPES, categories=["T", "B", "NK", "unused"]),
            "leiden": pandas.Categorical(CLUSTERS, categories=["0", "1", "2", "3"]),
            "batch": list("aabbabab"),
        },
        index=[f"cell{i}" for i in range(8)],
    )
    if request.param == "anndata":
        anndata = pytest.importorskip("anndata", reason="only looked at where it is installed")
        return anndata.AnnData(np.zeros((8, 2)), obs=obs)
    return SimpleNamespace(X=np.zeros((8, 2)), obs=obs)


@pytest.fixture
def expected():
    known = [(g, k) for g, k in zip(TYPES, CLUSTERS, strict=True) if g is not None]
    gold, system = zip(*[(g, "none" if k is None else k) for g, k in known], strict=True)
    return roget.score(list(gold), list(system), ["v", "ari"])


def test_anndata_columns_of_obs_are_scored(adata, expected):
    """Cells without a type are excluded; cells without a cluster are missing items."""
    for table in (
        roget.score(adata, measures=["v", "ari"], columns=COLUMNS),
        roget.score(adata.obs["cell_type"], adata.obs["leiden"], ["v", "ari"]),
    ):
        assert [row.value for row in table.rows] == [row.value for row in expected.rows]
        assert (table.items, table.classes, table.clusters) == (7, 3, 4)
        notice(table.warnings, "missing-label", "1 item")
        notice(table.warnings, "missing-items", "1 of 7")


def test_anndata_group_column_makes_groups(adata):
    table = roget.score(adata, measures="ari", columns={**COLUMNS, "group": "batch"})
    assert table.groups == 2


def test_anndata_columns_must_be_named_and_exist(adata):
    with refused("ambiguous-columns"):
        roget.score(adata)
    with refused("missing-column"):
        roget.score(adata, columns={"gold": "cell_type", "system": "louvain"})
