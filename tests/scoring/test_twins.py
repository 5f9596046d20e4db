"""Every measure equals its naive implementation, and each measure has one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget import Undefined, catalogue, contingency
from twins import TWINS

WITHOUT_TWIN = {
    "rmi-plug-in": "counts tables by an approximation, checked by enumeration in test_reduced",
    "pmi2": "checked by trying every answer in test_null_moments",
    "smi": "its variance is checked by trying every answer in test_moments",
    "supervised-recall": "averages random splits, checked in test_supervised",
}

labellings = st.integers(1, 14).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
    )
)


def test_every_measure_has_a_naive_twin():
    """Measures without a naive implementation here must be named in some other test."""
    covered = {name.partition("(")[0] for name in TWINS} | set(WITHOUT_TWIN)
    known = set(catalogue.names("measures"))
    assert covered <= known
    tests = [path.read_text("utf-8") for path in Path(__file__).parents[1].rglob("test_*.py")]
    for name in known - covered:
        assert any(f'"{name}' in text for text in tests), f"{name}: no test names it"


@pytest.mark.parametrize("name", TWINS)
@given(labels=labellings)
def test_measure_equals_its_naive_twin(name, labels):
    gold, system = labels
    counts = Counter(zip(gold, system, strict=True)).values()
    if name in ("greedy-one-to-one", "meila-heckerman") and len(set(counts)) < len(counts):
        return  # Equal cells leave a greedy match to choose either.
    expected = TWINS[name](gold, system)
    table = contingency(gold, system)
    if expected is None:
        with pytest.raises(Undefined):
            table.measure(name)
    else:
        assert table.measure(name) == pytest.approx(expected, abs=1e-12)
