"""Ratings: Spearman against scipy, coverage of intervals, neighbours, broken files."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from roget.errors import InputError
from roget.learn.evaluation import ratings
from roget.learn.evaluation.ratings import (
    BASELINE,
    TREE,
    RatedPair,
    correlate,
    judge_ratings,
    read_ratings,
)
from roget.learn.options import WAYS
from roget.learn.thesaurus.neighbours import compare_words
from support.errors import refused
from thesauri import FAMILIES, hard, mixtures, planted

VALUES = st.lists(st.tuples(st.integers(-5, 5), st.floats(-9, 9)), min_size=2, max_size=40)


@given(VALUES)
def test_correlation_equals_scipy_with_ties(pairs):
    one, other = np.array(pairs, dtype=float).T
    if len(set(one)) < 2 or len(set(other)) < 2:
        assert math.isnan(correlate(one, other))
    else:
        assert float(correlate(one, other)) == pytest.approx(stats.spearmanr(one, other)[0])


def test_many_correlations_at_once():
    table = np.random.default_rng(0).integers(6, size=(2, 7, 30)).astype(float)
    found = correlate(*table)
    assert found == pytest.approx([stats.spearmanr(*pair)[0] for pair in zip(*table, strict=True)])


@pytest.fixture(scope="module")
def mixed():
    counts, home, _ = mixtures()
    return hard(counts, home), home


def rate(thesaurus, home, size, seed, noise=1.0):
    """Pairs that people rate by whether they are of one family, more or less."""
    rng = np.random.default_rng(seed)
    left, right = rng.integers(len(thesaurus), size=(2, size))
    same = (home[left] == home[right]) * 4.0 + rng.normal(0, noise, size)
    return [
        RatedPair(str(thesaurus.words[a]), str(thesaurus.words[b]), float(r))
        for a, b, r in zip(left, right, same, strict=True)
    ]


def naive_cosine(counts, word, other):
    """Cosine of max(0, log p(context|word) / p(context)), contexts to the power .75, by loops."""
    table = counts.matrix.toarray().astype(float)
    usual = table.sum(axis=0) ** 0.75
    usual /= usual.sum()
    rows = []
    for name in (word, other):
        row = table[counts.word_id(name)]
        rows.append(
            [
                max(0.0, math.log(n / row.sum() / p)) if n else 0.0
                for n, p in zip(row, usual, strict=True)
            ]
        )
    dot = sum(a * b for a, b in zip(*rows, strict=True))
    return dot / math.sqrt(math.prod(sum(a * a for a in row) for row in rows))


def test_every_row_is_the_correlation_of_its_similarities(mixed):
    t, home = mixed
    pairs = rate(t, home, 80, 1)
    found = judge_ratings(t, pairs, draws=50)
    people = [pair.rating for pair in pairs]
    rows = np.array([[t.row(pair.word), t.row(pair.other)] for pair in pairs]).T
    right = {way: compare_words(t, *rows, way) for way in WAYS}
    right[BASELINE] = [naive_cosine(t.counts, pair.word, pair.other) for pair in pairs]
    sizes = [len(t.inside(t.common_class(pair.word, pair.other))) for pair in pairs]
    right[TREE] = [-math.log(size / len(t)) for size in sizes]
    assert {one.way for one in found.rows} == set(right)
    rho = {way: stats.spearmanr(values, people)[0] for way, values in right.items()}
    for one in found.rows:
        assert one.rho.mean == pytest.approx(rho[one.way])
        assert one.rho.low < one.rho.mean < one.rho.high
        if one.way == BASELINE:
            assert one.above is None
        else:
            assert one.above.mean == pytest.approx(rho[one.way] - rho[BASELINE])
    assert (found.pairs, found.known, found.coverage) == (80, 80, 1.0)


def test_requested_similarity_comes_first_with_its_outliers(mixed):
    t, home = mixed
    pairs = rate(t, home, 60, 2)
    found = judge_ratings(t, pairs, by="counts", n=7, draws=0)
    assert [one.way for one in found.rows] == ["counts", "both", "classes", TREE, BASELINE]
    assert found.rows[0].rho.low is None
    rows = np.array([[t.row(pair.word), t.row(pair.other)] for pair in pairs]).T
    own = compare_words(t, *rows, "counts")
    people = np.array([pair.rating for pair in pairs])
    # Ranks by counting those that are more alike, and half of the others that are level.
    ranks = [
        [1 + (values > x).sum() + ((values == x).sum() - 1) / 2 for x in values]
        for values in (people, own)
    ]
    apart = np.abs(np.subtract(*ranks))
    assert len(found.odd) == 7
    assert [abs(one.rank - one.own_rank) for one in found.odd] == sorted(apart, reverse=True)[:7]
    for one in found.odd:
        at = pairs.index((one.word, one.other, one.rating))
        assert (one.rank, one.own_rank) == (ranks[0][at], ranks[1][at])
        assert one.similarity == own[at]


def test_missing_and_excluded_words_are_listed_separately():
    t = planted()
    t.provenance["unsure"] = {"mead": "few"}
    known = [RatedPair("tea", "ale", 9), RatedPair("Gun", "knife", 8), RatedPair("hut", "poem", 1)]
    lost = [RatedPair("tea", "mead", 7), RatedPair("Mead", "gin", 7), RatedPair("rum", "gin", 9)]
    found = judge_ratings(t, [*lost, *known], draws=0)
    assert (found.pairs, found.known) == (6, 3)
    assert found.missing == ("gin", "rum")
    assert found.unsure == ("mead", "Mead")
    only = judge_ratings(t, known, draws=0)
    assert [one.rho for one in found.rows] == [one.rho for one in only.rows]


def test_too_few_pairs_are_refused():
    with refused("too-little-text", "1 of 2", "'gin', 'rum'"):
        judge_ratings(planted(), [RatedPair("gin", "rum", 1), RatedPair("tea", "ale", 2)])
    with refused("too-little-text", "0 of 0"):
        judge_ratings(planted(), [])


def test_equal_ratings_have_no_correlation():
    pairs = [RatedPair(a, b, 5.0) for a, b in zip(*[iter(FAMILIES["arms"] * 2)] * 2, strict=True)]
    for one in judge_ratings(planted(), pairs, draws=10).rows:
        assert one.rho.mean is None


def test_same_seed_gives_the_same_intervals_in_any_batches(mixed, monkeypatch):
    t, home = mixed
    pairs = rate(t, home, 50, 3)
    first = judge_ratings(t, pairs, draws=40, random_state=5)
    assert judge_ratings(t, pairs, draws=40, random_state=5) == first
    assert judge_ratings(t, pairs, draws=40, random_state=6) != first


def test_intervals_have_their_nominal_coverage():
    """Normal pairs of known correlation: Spearman's ρ of them is 6/π·asin(r/2)."""
    rng, r, size = np.random.default_rng(4), 0.5, 80
    truth, inside = 6 / math.pi * math.asin(r / 2), 0
    for trial in range(200):
        x = rng.normal(size=size)
        y = r * x + math.sqrt(1 - r * r) * rng.normal(size=size)
        drawn = ratings._draw(np.array([x, y]), 300, trial)
        low, high = np.quantile(drawn[:, 0], [0.025, 0.975])
        inside += low <= truth <= high
    assert 0.91 <= inside / 200 <= 0.985


SIMLEX = (
    "word1\tword2\tPOS\tSimLex999\tconc(w1)\tconc(w2)\tconcQ\tAssoc(USF)\tSimAssoc333\tSD(SimLex)\n"
    "old\tnew\tA\t1.58\t2.72\t2.81\t2\t7.25\t1\t0.41\n"
    "tea\tale\tN\t9.2\t1.75\t2.46\t1\t7.11\t1\t0.67\n"
)


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("s.txt", SIMLEX, None),
        ("s.tsv", SIMLEX, "1,2,4"),
        ("s.tsv", SIMLEX, "word=word1,other=word2,rating=SimLex999"),
        ("w.csv", "Word 1,Word 2,Human (mean)\nold,new,1.58\ntea,ale,9.2\n", None),
        ("w.csv", '\ufeffword1;word2;score\r\n\r\n old ;new;1,58\r\n;;\r\ntea;ale;"9,2"\r\n', None),
        ("plain.txt", "old\tnew\t1.58\ntea\tale\t9.2\n", None),
        ("j.jsonl", '{"word1": "old", "word2": "new", "score": 1.58}\n'
                    '{"word1": "tea", "word2": "ale", "score": 9.2}\n', None),
    ],
)  # fmt: skip
def test_every_table_layout_is_read(tmp_path, name, text, columns):
    (tmp_path / name).write_bytes(text.encode())
    right = [("old", "new", 1.58), ("tea", "ale", 9.2)]
    assert read_ratings(tmp_path / name, columns) == right


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a\tb\t1\nc\td\tmany\n", "'many'"),
        ("a\tb\t1\nc\td\tnan\n", "'nan'"),
        ("a\tb\t1\nc\t\t2\n", ""),
        ("a\tb\t1\nc\td\n", "2 fields"),
    ],
)
def test_broken_lines_are_named(tmp_path, text, named):
    (tmp_path / "r.tsv").write_text(text)
    with refused("broken-lines", "r.tsv:2: ", named):
        read_ratings(tmp_path / "r.tsv")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a\tb\nc\td\n", "ambiguous-columns"),
        ("word1\tword2\tscore\n", "empty-input"),
    ],
)
def test_files_without_ratings_are_refused(tmp_path, text, code):
    (tmp_path / "r.tsv").write_text(text)
    with refused(code, "r.tsv"):
        read_ratings(tmp_path / "r.tsv")


def test_empty_file_is_refused(tmp_path):
    (tmp_path / "r.tsv").write_text("")
    with pytest.raises(InputError, match=r"r\.tsv"):
        read_ratings(tmp_path / "r.tsv")


def test_published_sets_are_read(shared_data):
    for name, size in (("SIMLEX-999", 999), ("WS-353-ALL", 353), ("SimVerb-3500", 3500)):
        found = read_ratings(shared_data / f"word-similarity/EN-{name}.txt")
        assert len(found) == size
        assert all(0 <= pair.rating <= 10 for pair in found)


def test_ratings_of_real_counts(shared_data):
    """The nouns of a small corpus compared with WordSim: better than chance."""
    from roget import Thesaurus, count
    from roget.learn.clustering.spherical.estimator import SphericalTree

    counts = count(shared_data / "amalgum/verb_object.tsv", columns="2,1,3").top(1500)
    model = SphericalTree(40, random_state=0, set_aside=False).fit(counts)
    t = Thesaurus.from_clustering(counts, model)
    found = judge_ratings(t, shared_data / "word-similarity/EN-WS-353-SIM.txt", draws=200)
    assert 60 <= found.known < found.pairs == 203
    assert found.rows[0].rho.low > 0.1
    assert found.rows[0].rho.mean > 0.3
