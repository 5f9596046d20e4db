"""Reproductions of Rosenberg & Hirschberg (2007)."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from roget import Contingency, Counts, contingency, data, make_dom_table
from roget.errors import InputError
from roget.papers.options import ReproduceOptions
from roget.papers.reproduce import load, reproduce
from roget.papers.v_measure import documents, figure_2, figure_5, sweep, table_2
from roget.papers.v_measure.rules import FIGURE_4 as RULES
from roget.report.figures import save_picture
from support.errors import refused


@pytest.fixture(scope="module")
def made():
    """Each reproduction, made once."""
    kept = {}

    def make(name, **options):
        key = name, *sorted(options.items())
        if key not in kept:
            kept[key] = load(f"v-measure/{name}")(ReproduceOptions(**options))
        return kept[key]

    return make


def check(found):
    assert found.claims
    text = str(found.as_report())
    assert max(map(len, text.splitlines())) <= 100
    return text


def verdicts(found, kind=None):
    return {
        claim.what: str(claim.verdict)
        for claim in found.claims
        if kind is None or claim.rule.kind == kind
    }


def test_published_values_are_reproduced(made):
    check(made("figure-2"))
    assert set(verdicts(made("figure-2"), "recomputed").values()) == {"yes"}
    assert set(verdicts(made("figure-3")).values()) == {"yes"}


def test_captions_of_figure_2_are_misprints(made):
    swapped = [claim for claim in made("figure-2").claims if claim.verdict == "misprint"]
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
def test_dom_tables_equal_naive_construction(sizes, errors):
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


def test_integral_cells_are_not_changed_by_rounding():
    """If no rounding is needed, rounding errors move no item."""
    for clusters in range(1, 37):
        counts = make_dom_table(5, clusters, n=5 * math.lcm(*range(1, 37)))
        assert np.unique(counts[counts > 0]).size == 1


def test_equal_remainders_go_to_the_first_cell():
    assert make_dom_table(3, 3, n=4).diagonal().tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0, 2), {}, r"classes=0, clusters=2"),
        ((2, 2), {"noise_classes": -1}, r"noise_classes=-1"),
        ((2, 2), {"errors": (0.5, 0.6, 0)}, r"errors="),
        ((2, 2), {"errors": (-0.1, 0, 0)}, r"errors="),
        ((2, 2), {"errors": (0.1, 0)}, r"errors="),
        ((2, 2), {"errors": (math.nan, 0, 0)}, r"errors="),
        ((2, 2), {"errors": (0, 0.1, 0)}, r"ε2 is 0.1"),
        ((2, 2), {"errors": (0, 0, 0.1)}, r"ε3 is 0.1"),
        ((5, 1), {"errors": (0.1, 0, 0)}, r"ε1 is 0.1"),
        ((2, 2), {"n": 0}, r"n=0"),
        ((2, 2), {"n": 2**53}, r"n="),
    ],
)
def test_impossible_tables_are_refused(arguments, options, message):
    with pytest.raises(InputError, match=message):
        make_dom_table(*arguments, **options)


# Table 2


SMALL = table_2.Grid(3, range(2, 5), (0, 1, 2), (0, 100), (0, 66, 133), lossy=False)


def test_grid_equals_the_generator_table_by_table():
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


def test_rates_count_satisfied_steps():
    """Check each property literally, step by step."""
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


def test_all_cells_of_the_grid_are_integral():
    """Otherwise rounding would decide which scores are tied."""
    for k, noise in product(table_2.USEFUL, table_2.NOISE):
        for places in (max(5, k), 5 * k - max(5, k), 5 * noise or 1, k * noise or 1):
            assert table_2.WHOLE % places == 0
    strict = replace(table_2.PAPERS, lossy=False)
    assert np.nansum(strict.exists) == 25_000
    assert np.nansum(table_2.PAPERS.exists) == 31_360


@pytest.mark.slow
def test_differences_from_table_2_are_recorded(made):
    """Our own rates are recorded, so that changes of a measure are noticed."""
    found = made("table-2")
    check(found)
    without = {
        name: [round(rate, 3) for rate in rates.values()]
        for name, rates in found.data["without"].items()
    }
    assert without["rand"] == without["mirkin"] == [1.0, 0.725, 0.0, 1.0, 0.855, 0.0, 0.802]
    assert without["fm"] == [1.0, 1.0, 0.178, 1.0, 1.0, 0.165, 1.0]
    assert without["gamma"] == [1.0, 1.0, 0.08, 1.0, 1.0, 0.046, 1.0]
    assert without["jaccard"] == [1.0, 1.0, 0.227, 1.0, 1.0, 0.23, 1.0]
    assert without["f"] == [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    rates = found.data["rates"]
    assert rates["rand"]["P5"] != rates["mirkin"]["P5"], "n changes in tables that lose items"
    judged = verdicts(found)
    assert judged["satisfy all properties"] == "differs"
    assert judged["satisfy all properties (second rule)"] == "yes"
    assert judged["Rand and Mirkin, P1"] == judged["rand, P1"] == "differs"
    assert judged["v, P2"] == "yes"
    rounded = found.data["rounded"]
    assert rounded["q0, n = 1,000"]["P2"] < 0.8


def test_tables_that_lose_items_may_score_equally():
    """P5 and P7 allow equality only if there is no noise cluster or class."""
    grid = replace(SMALL, lossy=True)
    flat = table_2.count_satisfied(grid, np.zeros(grid.shape))
    assert flat["P5"] == flat["P7"] == pytest.approx(1 / 3)
    assert flat["P3"] == flat["P4"] == 0
    assert not np.isnan(grid.measure("v")).any()


# Figures 4 and 5


@pytest.fixture(scope="module")
def nowhere(tmp_path_factory):
    """A folder without data, named so that the environment's is not looked at."""
    return str(tmp_path_factory.mktemp("nothing"))


@pytest.fixture
def without_data(monkeypatch, nowhere):
    monkeypatch.setenv("ROGET_TEST_DATA", nowhere)


@pytest.mark.slow
def test_documents_of_the_sample_are_clustered(made, nowhere, tmp_path):
    found = made("figure-4", data=nowhere)
    assert "1,885 documents of 5 genres: the bundled sample" in " ".join(check(found).split())
    assert found.data["terms"] == 1697
    save_picture(found.picture(), tmp_path / "four.svg")
    text = (tmp_path / "four.svg").read_text(encoding="utf-8")
    assert "completeness" in text
    assert ">ml<" not in text


@pytest.mark.slow
def test_documents_of_the_bbc_are_clustered(made, shared_data):
    if not (shared_data / "bbc-news" / "bbc.tsv").is_file():
        pytest.skip("no texts of the BBC")
    found = made("figure-4", data=str(shared_data))
    assert "2,225 documents of 5 topics" in check(found)
    q2 = next(one for one in found.data["scores"] if one["measure"] == "q2")
    at = found.data["cuts"].index(35)
    assert q2["values"][at] > 0.95 * q2["best"]["value"], "Q2 is flat around the printed maximum"


def test_simulated_accents_are_reproduced(made):
    found = made("figure-5")
    check(found)
    assert len(found.sheet.rows) == 29 * figure_5.SETS
    assert verdicts(found, "arithmetic") == {"sum of the shares of accent types, %": "misprint"}
    shapes = verdicts(found, "shape")
    assert shapes["v from k = 35 to 1,000"] == shapes["Q2 from k = 10 on"] == "yes"
    legend = found.picture().axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["v", "v (jk)", "ami"]
    explained = made("bias")
    check(explained)
    assert set(verdicts(explained).values()) == {"yes"}
    ends = {name: np.mean(explained.data[name], axis=0)[[-1, 15]] for name in ("v", "ami")}
    assert ends["v"][0] > ends["v"][1]
    assert ends["ami"][0] < ends["ami"][1]
    axes = explained.picture().axes[0]
    assert axes.xaxis.get_major_formatter()(1000) == "1,000"


def write(path, rows):
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def planted(rng, each=20):
    """Three families far apart, a row each: two numbers and a label between them."""
    centres = {"x": (0, 0), "y": (9, 0), "z": (0, 9)}
    return [
        (a + rng.normal(), label, b + rng.normal())
        for label, (a, b) in centres.items()
        for _ in range(each)
    ]


def test_custom_features_are_read(tmp_path):
    rows = planted(np.random.default_rng(0))
    path = write(tmp_path / "items.csv", [("width", "label", "height"), *rows])
    features, labels = figure_5.read_features(path)
    assert features.tolist() == [[a, b] for a, _, b in rows]
    assert labels == [label for _, label, _ in rows]
    found = load("v-measure/figure-5")(ReproduceOptions(features=path))
    assert "60 items of 3 classes" in str(found.as_report())
    best = {one["measure"]: one["best"] for one in found.data["scores"]}
    assert best["vi"] == {"cut": 3, "value": pytest.approx(0, abs=0.2)}
    assert found.data["cuts"][-1] <= 60


def test_features_are_read_from_parquet(tmp_path):
    import duckdb

    path = tmp_path / "items.parquet"
    duckdb.sql(f"COPY (SELECT 1.5 AS a, 'x' AS label, 2 AS b FROM range(3)) TO '{path}'")
    features, labels = figure_5.read_features(path)
    assert features.tolist() == [[1.5, 2.0]] * 3
    assert labels == ["x"] * 3


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", "b"), (1, 2)], r"'label'"),
        ([("a", "label"), (1, "x"), ("tall", "y")], r":3: .*'tall'"),
        ([("a", "label"), (1, "x"), ("nan", "y")], r":3: .*'nan'"),
        ([("a", "label"), (1, "x"), (1, "y", 2)], r":3: "),
        ([("a", "label"), (1, "x")], r"items.csv"),
        ([("label", "a"), ("x", 1), ("", 1)], r":3: "),
        ([("label", "a", "a"), ("x", 1, 2)], r"'a'"),
    ],
)
def test_tables_without_features_are_refused(tmp_path, rows, message):
    with pytest.raises(InputError, match=message):
        figure_5.read_features(write(tmp_path / "items.csv", rows))


def test_features_option_is_refused_for_other_figures():
    with refused("conflicting-options", "--features", "v-measure/figure-5"):
        reproduce("v-measure/figure-2", ReproduceOptions(features="x.csv"))


def test_standardise_scales_columns():
    found = figure_5.standardise(np.array([[1.0, 5.0], [3.0, 5.0]]))
    assert found.tolist() == [[-1, 0], [1, 0]]


def test_sweep_scores_equal_separate_clustering_and_scoring():
    """Compare with separate calls of k-means and of the measures."""
    from sklearn.cluster import KMeans

    rows = planted(np.random.default_rng(1))
    X = np.array([[a, b] for a, _, b in rows], dtype=np.float32)
    labels = [label for _, label, _ in rows]
    scores = sweep.sweep_kmeans(X, labels, (1, 3, 7), seed=5, starts=2)
    assert (scores.items, scores.classes, len(scores)) == (60, 3, 2)
    for start, at in np.ndindex(2, 3):
        model = KMeans(scores.ks[at], init="random", n_init=1, max_iter=100, random_state=5 + start)
        table = contingency(labels, model.fit_predict(X))
        for name in sweep.MEASURES:
            assert scores.values[name][start, at] == pytest.approx(table.measure(name), abs=1e-12)
    again = sweep.sweep_kmeans(X, labels, (1, 3, 7), seed=5, starts=2)
    assert all((again.values[name] == scores.values[name]).all() for name in sweep.MEASURES)


def test_peaks_drops_and_growth_are_found():
    values = np.array([[0.0, 0.4, 0.2], [0.0, 0.2, 0.3]])
    scores = sweep.Scores((1, 10, 100), dict.fromkeys(sweep.MEASURES, values), 200, 5)
    assert scores.find_peaks("q2") == [10, 100]
    assert scores.find_drops("v") == pytest.approx([0.5, 0.0])
    assert sweep.correlate(scores, "vi") == pytest.approx([0.5, 1.0])
    assert sweep.claim_growth(RULES["vi"], scores).verdict == "cannot tell"
    for k, verdict in ((35, "yes"), (5, "differs")):
        peak = sweep.claim_peak(RULES["peak"], scores, "q2", k)
        assert (peak.ours, peak.verdict) == ("k = 10 to 100", verdict)


def test_inconsistent_percentages_are_misprints():
    assert sweep.claim_sum(RULES["shares"], "sum", ("50.1", "49.9")).verdict == "yes"
    assert sweep.claim_sum(RULES["shares"], "sum", ("60.1", "49.9")).verdict == "misprint"


def test_sweep_handles_more_clusters_than_distinct_items():
    last = 2**32 - 1
    scores = sweep.sweep_kmeans(np.zeros((6, 2)), list("aabbcc"), (1, 4), seed=last, starts=2)
    assert scores.values["v"].tolist() == [[0.0, 0.0]] * 2
    assert scores.values[sweep.JK].tolist() == [[0.0, 0.0]] * 2


def test_terms_are_weighted_by_tf_idf():
    counts = Counts([[3, 1, 0], [0, 1, 2], [0, 1, 4]], list("abc"), ["one", "all", "two"])
    weights = documents.weigh_terms(counts).toarray()
    log = math.log
    expected = [[3 * log(3), 0, 0], [0, 0, 2 * log(1.5)], [0, 0, 4 * log(1.5)]]
    np.testing.assert_allclose(weights, expected)
    assert documents.find_top_terms(documents.weigh_terms(counts)).tolist() == [0, 2]


def test_stemmer_equals_porters_examples():
    """Examples printed in Porter (1980)."""
    pairs = {
        "caresses": "caress", "ponies": "poni", "agreed": "agre", "plastered": "plaster",
        "motoring": "motor", "conflated": "conflat", "hopping": "hop", "falling": "fall",
        "relational": "relat", "vietnamization": "vietnam", "triplicate": "triplic",
        "adjustable": "adjust", "controll": "control", "rate": "rate",
    }  # fmt: skip
    counts = documents.count_stems({word: [word] for word in pairs})
    found = {str(word): str(stem) for word, stem, _ in counts.rows()}
    assert found == pairs


def test_texts_are_read_with_label_and_file(tmp_path):
    (tmp_path / "texts.tsv").write_text(
        "sport\t1.txt\tA goal!\\nTwo goals.\ntech\t1.txt\tChips\n", encoding="utf-8"
    )
    texts = documents.read_texts(tmp_path / "texts.tsv")
    assert texts == {"sport/1.txt": "A goal!\nTwo goals.", "tech/1.txt": "Chips"}
    words = {name: documents.split_words(text) for name, text in texts.items()}
    counts = documents.count_stems(words)
    assert counts.count("sport/1.txt", "goal") == 2
    assert documents.name_classes(counts) == ["sport", "tech"]


def test_sample_has_the_top_terms():
    counts = data.sample("documents")
    assert counts.shape == (1885, 1697)
    assert documents.find_top_terms(documents.weigh_terms(counts)).size == 1697
    classes = documents.name_classes(counts)
    assert {name: classes.count(name) for name in classes} == dict.fromkeys(
        ("academic", "bio", "fiction", "news", "voyage"), 377
    )
    assert data.sample_path("documents").stat().st_size < 400_000


def test_figure_is_reproduced_by_name():
    assert "K noise" in str(reproduce("v-measure/figure-3"))
