"""The reproductions of Rosenberg & Hirschberg (2007)."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from roget import Contingency, make_dom_table
from roget.errors import InputError
from roget.papers.options import Options
from roget.papers.reproduce import load, reproduce
from roget.papers.v_measure import figure_2, table_2
from roget.report.drawing import save_picture


@pytest.fixture(scope="module")
def made():
    """Each reproduction, made once."""
    kept = {}

    def make(name, **options):
        key = name, *sorted(options.items())
        if key not in kept:
            kept[key] = load(f"v-measure/{name}")(Options(**options))
        return kept[key]

    return make


def check(found):
    assert found.claims
    assert [claim.what for claim in found.claims if not (claim.held or claim.excused)] == []
    assert all(claim.remark for claim in found.claims if claim.excused)
    text = str(found.as_report())
    assert max(map(len, text.splitlines())) <= 100
    return text


@pytest.mark.parametrize("name", ["figure-2", "figure-3", "table-2"])
def test_published_values(made, name):
    check(made(name))


def test_the_caption_of_figure_2_is_told(made):
    swapped = [claim for claim in made("figure-2").claims if claim.excused]
    assert [(claim.published, round(claim.ours, 9)) for claim in swapped] == [
        (0.5, 0.6), (0.5, 0.6), (0.6, 0.5), (0.6, 0.5),
    ]  # fmt: skip


def test_solutions_are_drawn(tmp_path):
    save_picture(figure_2.draw_solutions(), tmp_path / "two.svg")
    text = (tmp_path / "two.svg").read_text(encoding="utf-8")
    assert "Solution D: F = 0.5, V = 0.413" in text


# Dom's tables


def spread_errors(classes, clusters, noise_classes, noise_clusters, e1, e2, e3):
    """Cell by cell, as the paper tells it."""
    most = max(classes, clusters)
    pairs = {(i * classes // most, i * clusters // most) for i in range(most)}
    useful = list(product(range(classes), range(clusters)))
    table = np.zeros((classes + noise_classes, clusters + noise_clusters))
    for c, k in useful:
        right = (c, k) in pairs
        table[c, k] = (1 - e1 - e2 - e3) / len(pairs) if right else e1 / (len(useful) - len(pairs))
    for c, k in product(range(classes), range(noise_clusters)):
        table[c, clusters + k] = e2 / (classes * noise_clusters)
    for c, k in product(range(noise_classes), range(clusters)):
        table[classes + c, k] = e3 / (noise_classes * clusters)
    return table


@pytest.mark.parametrize("sizes", [(5, 2, 0, 0), (5, 5, 1, 2), (5, 11, 6, 6), (2, 7, 3, 1)])
@pytest.mark.parametrize("errors", [(0, 0, 0), (0.1, 0, 0), (0.066, 0.2, 0.133)])
def test_tables_equal_their_naive_twin(sizes, errors):
    classes, clusters, noise_classes, noise_clusters = sizes
    errors = (errors[0], errors[1] * bool(noise_clusters), errors[2] * bool(noise_classes))
    expected = spread_errors(*sizes, *errors)
    noise = {"noise_clusters": noise_clusters, "noise_classes": noise_classes}
    found = make_dom_table(classes, clusters, **noise, errors=errors)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert found.sum() == pytest.approx(1)
    counts = make_dom_table(classes, clusters, **noise, errors=errors, n=997)
    assert counts.dtype == np.int64
    assert counts.sum() == 997
    assert np.abs(counts - 997 * expected).max() < 1


def test_whole_numbers_stay_whole():
    """Where nothing need be rounded, no rounding error moves an item."""
    for clusters in range(1, 40):
        counts = make_dom_table(5, clusters, n=5 * math.lcm(*range(1, 40)))
        assert np.unique(counts[counts > 0]).size == 1


def test_equal_remainders_go_to_the_first():
    assert make_dom_table(3, 3, n=4).diagonal().tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0, 2), {}, r"classes=0, clusters=2: expected 1 or more"),
        ((2, 2), {"noise_classes": -1}, r"noise_classes=-1: expected 0 or more"),
        ((2, 2), {"errors": (0.5, 0.6, 0)}, r"errors=.*at most 1 together"),
        ((2, 2), {"errors": (-0.1, 0, 0)}, r"errors="),
        ((2, 2), {"errors": (0.1, 0)}, r"errors=.*ε1, ε2, ε3"),
        ((2, 2), {"errors": (math.nan, 0, 0)}, r"errors="),
        ((2, 2), {"errors": (0, 0.1, 0)}, r"ε2 is 0.1, but there is no noise cluster"),
        ((2, 2), {"errors": (0, 0, 0.1)}, r"ε3 is 0.1, but there is no noise class"),
        ((5, 1), {"errors": (0.1, 0, 0)}, r"ε1 is 0.1, but no useful class and cluster"),
        ((2, 2), {"n": 0}, r"n=0: expected 1 item or more"),
    ],
)
def test_tables_that_there_are_not(arguments, options, message):
    with pytest.raises(InputError, match=message):
        make_dom_table(*arguments, **options)


# Table 2


SMALL = table_2.Grid(3, range(2, 5), (0, 1, 2), (0, 100), (0, 66, 133))


def test_the_grid_is_table_by_table_that_of_the_generator():
    tables, at = SMALL.tables, 0
    values = {name: SMALL.measure(name) for name in ("v", "vi", "rand")}
    axes = SMALL.clusters, SMALL.noise, SMALL.noise, SMALL.within, SMALL.of_noise, SMALL.of_noise
    places = product(*(range(len(axis)) for axis in axes))
    for place, (k, nk, nc, e1, e2, e3) in zip(places, product(*axes), strict=True):
        if (e2 and not nk) or (e3 and not nc):
            assert all(np.isnan(values[name][place]) for name in values)
            continue
        alone = make_dom_table(
            3, k, noise_clusters=nk, noise_classes=nc, errors=(e1 / 1000, e2 / 1000, e3 / 1000),
            n=1000 * table_2.WHOLE,
        )  # fmt: skip
        # Noise that holds nothing is no class or cluster.
        held = alone[np.ix_(alone.any(axis=1), alone.any(axis=0))]
        assert (tables.block(at).to_sparse().toarray() == held).all()
        one = Contingency.from_table(alone)
        for name, sign in (("v", 1), ("vi", -1), ("rand", 1)):
            assert values[name][place] == pytest.approx(sign * one.measure(name), rel=1e-12)
        at += 1
    assert at == tables.groups


def test_rates_count_steps():
    """Each property by its words, step by step."""
    for name in ("rand", "q0", "jaccard"):
        values = SMALL.measure(name)
        wins = {of: [] for of in table_2.PROPERTIES}
        for place in np.ndindex(*SMALL.shape):
            for axis in range(6):
                after = tuple(at + (axis == one) for one, at in enumerate(place))
                if (
                    after[axis] == SMALL.shape[axis]
                    or np.isnan([values[place], values[after]]).any()
                ):
                    continue
                gain = values[after] - values[place]
                k, e2, e3 = SMALL.clusters[place[0]], place[4], place[5]
                if axis == 0:
                    wins["P1" if k < 3 else "P2"].append(gain > 1e-12 if k < 3 else gain < -1e-12)
                elif axis in (3, 4, 5):
                    wins[{3: "P4", 4: "P5", 5: "P7"}[axis]].append(gain < -1e-12)
                elif (e2 if axis == 1 else e3) > 0:
                    wins["P3" if axis == 1 else "P6"].append(gain < -1e-12)
        expected = {of: np.mean(won) for of, won in wins.items()}
        assert table_2.count_satisfied(SMALL, values) == pytest.approx(expected)


def test_all_parts_of_the_grid_are_whole():
    """Else rounding would decide what is a tie."""
    for k, noise in product(table_2.USEFUL, table_2.NOISE):
        for places in (max(5, k), 5 * k - max(5, k), 5 * noise or 1, k * noise or 1):
            assert table_2.WHOLE % places == 0
    assert table_2.PAPERS.tables.groups == 25_000


def test_what_does_not_come_out_of_table_2(made):
    """Ours, so that a change of a measure is noticed where the paper cannot tell."""
    rates = made("table-2").data["rates"]
    assert rates["rand"] == rates["mirkin"]
    found = {name: [round(rate, 3) for rate in rates[name].values()] for name in table_2.MISSES}
    assert found["rand"] == [1.0, 0.725, 0.0, 1.0, 0.855, 0.0, 0.802]
    assert found["fm"] == [1.0, 1.0, 0.178, 1.0, 1.0, 0.165, 1.0]
    assert found["gamma"] == [1.0, 1.0, 0.08, 1.0, 1.0, 0.046, 1.0]
    assert found["jaccard"] == [1.0, 1.0, 0.227, 1.0, 1.0, 0.23, 1.0]
    assert found["f"] == [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    for claim in made("table-2").claims:
        assert claim.excused is not claim.held, "an excuse that is none"
    rounded = made("table-2").data["rounded"]
    assert rounded["q0, n = 1,000"]["P2"] < 0.8
    assert rounded["q0, n = 1,000,000"]["P2"] < 1


def test_by_name():
    assert "K noise" in str(reproduce("v-measure/figure-3"))
