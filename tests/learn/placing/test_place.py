"""Placement of new words: planted ones, SKOS, and WordNet nouns."""

from __future__ import annotations

import itertools
from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.placing.planted import plant
from roget import InputError
from roget.core.counts import Counts
from roget.errors import UnknownName
from roget.learn.options import PlaceOptions
from roget.learn.placing.graph import CROWD, FAR, NEAR, Graph, fold
from roget.learn.placing.holdout import hide, nearest
from roget.learn.placing.place import CalibrationCurve, Placer, ScoreCalibration, place
from roget.learn.placing.votes import ENDING, ENOUGH, SILENCE, SPELT, Endings, NeighbourModel
from roget.learn.taxonomy import taxonomy_of
from roget.learn.taxonomy.taxonomy import Taxonomy
from support.errors import refused


@pytest.fixture(scope="module")
def planted():
    return plant()


@pytest.fixture(scope="module")
def voters(planted):
    taxonomy, counts, _ = planted
    return NeighbourModel(Graph.from_taxonomy(taxonomy), counts)


def walk(parents, start):
    """A twin: breadth first, over links in both directions."""
    links = {at: set() for at in range(len(parents))}
    for low, above in enumerate(parents):
        for high in above:
            links[low].add(high)
            links[high].add(low)
    far, waiting = {start: 0}, deque([start])
    while waiting:
        at = waiting.popleft()
        for other in links[at] - far.keys():
            far[other] = far[at] + 1
            waiting.append(other)
    return far


@st.composite
def taxonomies(draw):
    """Classes with none, one or several parents among those before them, each with a word."""
    n = draw(st.integers(1, 9))
    taxonomy = Taxonomy("drawn")
    for at in range(n):
        taxonomy.labels[str(at)] = f"label {at}"
        above = draw(st.lists(st.sampled_from(range(at)), unique=True, max_size=3)) if at else []
        taxonomy.parents[str(at)] = [str(one) for one in above]
        taxonomy.add(f"word{at}", str(at), draw(st.integers(1, 9)))
        taxonomy.add("shared", str(at), draw(st.integers(1, 9)))
    return taxonomy


@given(taxonomies())
def test_steps_and_nearness_equal_graph_walk(taxonomy):
    graph = Graph.from_taxonomy(taxonomy)
    near = graph.nearness.toarray()
    for start in range(len(graph.names)):
        far = walk(graph.parents, start)
        steps = [min(far.get(at, FAR), FAR) for at in range(len(graph.names))]
        assert graph.steps([start], range(len(graph.names))).tolist() == steps
        assert near[start].tolist() == [NEAR[one] if one < FAR else 0 for one in steps]


def test_nearness_ignores_crowded_parents():
    taxonomy = Taxonomy("flat")
    taxonomy.labels["top"] = "top"
    for at in range(CROWD + 1):
        taxonomy.labels[str(at)] = str(at)
        taxonomy.parents[str(at)] = ["top"]
        taxonomy.add(f"w{at}", str(at))
    graph = Graph.from_taxonomy(taxonomy)
    one, other, top = (graph.names.index(name) for name in ("1", "2", "top"))
    assert graph.nearness[[one]].toarray()[0, [one, other, top]].tolist() == [1, 0, 0.75]
    assert graph.steps([one], [one, other, top]).tolist() == [0, 2, 1]


@given(taxonomies())
def test_weights_of_senses_are_shared_by_square_root(taxonomy):
    graph = Graph.from_taxonomy(taxonomy)
    weights = taxonomy.words["shared"]
    roots = {name: weight**0.5 for name, weight in weights.items()}
    got = graph.shares[[graph.rows["shared"]]].toarray()[0]
    for at, name in enumerate(graph.names):
        assert got[at] == pytest.approx(roots[name] / sum(roots.values()))
    first = max(weights.values())
    assert weights[graph.names[graph.senses("Shared")[0]]] == first


def test_hiding_a_word_hides_compounds_with_it():
    taxonomy = Taxonomy("heads")
    taxonomy.labels |= {"top": "top", "a": "a", "b": "b"}
    taxonomy.parents |= {"a": ["top"], "b": ["a"]}
    for word, name in (("leader", "a"), ("team-leader", "b"), ("Team_Leader of men", "b"),
                       ("leadership", "a"), ("bandleader", "top")):  # fmt: skip
        taxonomy.add(word, name)
    left = Graph.from_taxonomy(taxonomy).without({"leader"})
    assert left.words == ("leadership", "bandleader")
    assert left.parents[left.names.index("b")] == ()  # nothing is left below it
    assert left.parents[left.names.index("a")] == (left.names.index("top"),)
    with refused("too-little-text", "2"):
        left.without({"leadership", "bandleader"})


@given(st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=20, unique=True),
       st.text("abc", min_size=1, max_size=6))  # fmt: skip
def test_endings_equal_exhaustive_search(words, word):
    got = Endings(words).find(word)
    common = {}
    for at, other in enumerate(words):
        a, b = f" {word}", f" {other}"
        signs = zip(a[::-1], b[::-1], strict=False)
        same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], signs))
        if same >= ENDING and other != word:
            common[at] = same
    assert len(words) < ENOUGH
    assert got == common


def test_votes_equal_sum_over_known_words(planted, voters):
    _, counts, truth = planted
    word = next(iter(truth))
    rows = np.array([counts.word_id(word)])
    near, ends = voters.by_contexts(rows), voters.by_endings(rows)
    graph = voters.graph
    expected = np.zeros(len(graph.names))
    for table, names, weigh, share, silence in (
        (near, [voters.folded[row] for row in voters.known], lambda z: z**2, 1 - SPELT, "contexts"),
        (ends, graph.words, lambda n: 2**n, SPELT, "ending"),
    ):
        line = table.toarray()[0]
        whole = sum(weigh(value) for value in line if value) + SILENCE[silence]
        for name, value in zip(names, line, strict=True):
            if value:
                spoken = graph.shares[[graph.rows[name]]].toarray()[0]
                expected += share * weigh(value) / whole * spoken
    found = voters.votes(rows)
    assert found.classes.toarray()[0] == pytest.approx(expected, abs=1e-6)
    far = [walk(graph.parents, at) for at in range(len(graph.names))]
    values = [
        sum(expected[s] * NEAR[far[at][s]] for s in far[at] if far[at][s] < FAR)
        for at in range(len(graph.names))
    ]
    assert found.values.toarray()[0] == pytest.approx(values, abs=1e-6)
    (ranked,) = Placer(voters, PlaceOptions()).rank(rows, len(graph.names))
    beyond = np.array(values) - voters.usual * sum(expected)
    best = np.sort(beyond[beyond > 1e-5])[::-1]
    assert ranked.values[: best.size] == pytest.approx(best, abs=2e-6)
    assert (ranked.values[best.size :] <= 1e-5).all()


def test_usual_votes_equal_mean_over_known_words(voters):
    graph = voters.graph
    mean = np.zeros(len(graph.names))
    for row in voters.known:
        mean += graph.shares[[graph.rows[voters.folded[row]]]].toarray()[0] / voters.known.size
    assert voters.usual == pytest.approx(mean @ graph.nearness.toarray(), abs=1e-6)


def test_planted_words_are_placed_correctly(planted):
    taxonomy, counts, truth = planted
    reported = []
    placed = place(taxonomy, counts, steps=0, progress=reported.append)
    best = {some[0].word: some[0] for some in placed.words}
    assert best.keys() == truth.keys()
    right = sum(best[word].id == name for word, name in truth.items())
    assert right >= 0.9 * len(truth)
    some = best[next(iter(truth))]
    assert some.path == ("everything", "area 0", "class 0 0")
    assert some.label == "class 0 0"
    spoken = [one for one in some.reasons if one.by == "contexts"]
    assert spoken
    assert all(taxonomy.words[one.word].keys() & {"c00", "c01", "c02"} for one in spoken)
    assert set(some.contexts) <= {f"obj:v{at}" for at in [*range(8), *range(96, 104)]}
    scores = [some[0].score for some in placed.words]
    assert scores == sorted(scores, reverse=True)
    assert np.mean(scores) == pytest.approx(right / len(truth), abs=0.15)
    assert reported[-1].done == reported[-1].total == len(counts)


def test_less_likely_candidates_are_excluded(planted):
    taxonomy, counts, truth = planted
    whole = place(taxonomy, counts, n=2)
    assert all(len(some) <= 2 for some in whole.words)
    least = float(np.median([one.score for one in whole.candidates]))
    fewer = place(taxonomy, counts, n=2, least=least)
    kept = {(one.word, one.id) for one in whole.candidates if one.score >= least}
    assert {(one.word, one.id) for one in fewer.candidates} == kept
    assert {*fewer.left_out} == truth.keys() - {word for word, _ in kept}


def test_word_without_voters_is_excluded(planted):
    taxonomy, counts, _ = planted
    table = counts.matrix.toarray()
    strange = np.zeros((1, table.shape[1] + 1), dtype=table.dtype)
    strange[0, -1] = 9
    wide = np.vstack([np.pad(table, ((0, 0), (0, 1))), strange])
    more = Counts(wide, [*counts.words, "qqq"], [*counts.contexts, "obj:alone"])
    placed = place(taxonomy, more, spelling=False)
    assert placed.left_out == ("qqq",)


def test_trial_hides_known_words_and_reports_accuracy(planted):
    taxonomy, counts, _ = planted
    trial = hide(taxonomy, counts, 40, seed=3)
    ours, bare, first, every = trial.ways
    assert [one.name for one in trial.ways] == [
        "roget",
        "by contexts only",
        "nearest word, first sense",
        "nearest word, best of all senses",
    ]
    assert len(trial.words) == len(set(trial.words)) == 40
    assert trial.known == sum(len(word) > 0 for word in taxonomy.words) - 40
    for way in trial.ways:
        assert len(way.steps) == 40
        shares = [way.share(steps).mean for steps in range(3)]
        assert shares == sorted(shares)
    assert ours.share(0).mean >= 0.85
    assert bare.share(0).mean >= 0.85
    assert first.steps == every.steps  # each word has one sense
    assert first.reciprocal_rank == pytest.approx(first.share(0).mean)
    assert sum(one.words for one in trial.bins) == 40
    again = hide(taxonomy, counts, 40, seed=3)
    assert again.ways == trial.ways
    assert hide(taxonomy, counts, 40, seed=4).words != trial.words


def test_baseline_is_the_largest_cosine(voters):
    weights = voters.counts.ppmi().toarray()
    rows = np.array([3, 30])
    for row, found in zip(rows, nearest(voters, np.setdiff1d(rows, [])), strict=True):
        cosines = [
            weights[row]
            @ weights[other]
            / np.linalg.norm(weights[row])
            / np.linalg.norm(weights[other])
            for other in voters.known
        ]
        assert found == voters.known[int(np.argmax(cosines))]


def test_calibration_curve_recovers_probabilities_and_never_decreases():
    rng = np.random.default_rng(0)
    votes = rng.random(4000)
    right = rng.random(4000) < votes**2
    got = CalibrationCurve.learn(votes, right)
    some = np.linspace(0.05, 0.95, 20)
    assert got.predict(some) == pytest.approx(some**2, abs=0.08)
    assert (np.diff(got.predict(np.linspace(-1, 2, 200))) >= 0).all()
    backwards = CalibrationCurve.learn(votes, ~right)
    assert np.ptp(backwards.shares) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("n", "right", "share"), [(10, 10, 10.5 / 11), (39, 0, 0.5 / 40)])
def test_calibration_of_few_candidates_is_their_share(n, right, share):
    got = CalibrationCurve.learn(np.arange(n) / n, np.arange(n) < right)
    assert got.predict(np.array([0.0, 1.0])).tolist() == [pytest.approx(share)] * 2


def test_scores_of_a_word_never_increase():
    first = CalibrationCurve(np.array([0.0, 1.0]), np.array([0.1, 0.5]))
    other = CalibrationCurve(np.array([0.0]), np.array([0.3]))
    got = ScoreCalibration(first, other).predict(np.array([1.0, 0.5, 0.2]))
    assert got.tolist() == [0.5, 0.3, 0.3]
    got = ScoreCalibration(first, other).predict(np.array([0.0, 0.0]))
    assert got.tolist() == [0.1, 0.1]


@pytest.mark.parametrize("top", [True, False])
def test_small_flat_taxonomy_is_no_worse_than_nearest_word(top):
    """Votes for siblings, two steps away, must not hide the votes for a class."""
    deep, counts, _ = plant(seed=1, tokens=25)
    flat = Taxonomy("flat")
    for name in [name for name in deep.parents if name.startswith("c")][:6]:
        flat.labels[name] = name
        if top:
            flat.parents[name] = ["top"]
    flat.labels |= {"top": "everything"} if top else {}
    for word, classes in deep.words.items():
        for name in classes.keys() & flat.labels.keys():
            flat.add(word, name)
    trial = hide(flat, counts, 40, background="none")
    ours, _, first, _ = (way.share(0).mean for way in trial.ways)
    assert ours >= first
    assert ours >= 0.8
    assert trial.steps == (1 if top else 2)
    votes = place(flat, counts, background="none")
    best = [some[0].votes for some in votes.words]
    assert best == sorted(best, reverse=True)


def test_unusable_inputs_are_refused(planted):
    taxonomy, counts, _ = planted
    strange = Counts(counts.matrix, [f"x{at}" for at in range(len(counts))], counts.contexts)
    with refused("too-little-text", "planted", "168"):
        place(taxonomy, strange)
    with refused("invalid-option", "1,000"):
        hide(taxonomy, counts, 1000)
    with pytest.raises(InputError, match="least 2"):
        place(taxonomy, counts, least=2)
    with pytest.raises(UnknownName, match="neighbors"):
        place(taxonomy, counts, neighbors=3)
    empty = Taxonomy("empty")
    with refused("empty-input", "empty"):
        place(empty, counts)


def test_fold_splits_words_at_non_letters():
    assert fold("Team_leader-ship (of  men)") == "team leader ship of men"


@pytest.mark.slow
def test_wordnet_nouns_are_placed_better_than_by_nearest_neighbour(shared_data):
    place = shared_data / "wordnet30"
    triples = shared_data / "bnc-verb-noun/verb_object.tsv"
    if not place.is_dir() or not triples.is_file():
        pytest.skip("no WordNet, or no counts of the BNC")
    counts = Counts.read(triples, "word=2,context=1,count=3").top(2000)
    trial = hide(taxonomy_of(place, part="noun"), counts, 150)
    ours, bare, first, every = (one.share(2).mean for one in trial.ways)
    assert ours >= 1.3 * max(first, 0.05)
    assert bare >= 1.3 * first
    assert ours > every
