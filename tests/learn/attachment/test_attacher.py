"""Attacher: both models end to end, errors, and saved models."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from folders import unseal
from roget.core.counts import Counts
from roget.core.quadruple import Quadruple
from roget.errors import InputError
from roget.learn.attachment import sources
from roget.learn.attachment.attacher import Attacher
from roget.learn.attachment.chain import ASSOCIATION, DEFAULT, MDL, MLE, WORDNET, WORDS, Chain
from roget.learn.attachment.quads import check_quadruples, read
from roget.learn.representation.prior import open_prior
from support.errors import refused

OLD = Path(__file__).parents[2] / "old_folders" / "attachers"

FOODS, TOOLS, VERBS = (
    ("pizza", "pasta", "bread", "rice"),
    ("fork", "spoon", "knife"),
    ("eat", "cut"),
)
PAIRS = Counts(
    np.array([[6, 0, 5, 1]] * 4 + [[0, 6, 1, 5]] * 3),
    [*FOODS, *TOOLS],
    ["obj:eat", "with:eat", "obj:cook", "with:cut"],
)


def corpus(n: int, seed: int = 0) -> list[Quadruple]:
    """Tools are the verb's, foods the noun's, after "with"; "of" is the noun's."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        verb, food = str(rng.choice(VERBS)), str(rng.choice(FOODS))
        if rng.random() < 0.3:
            made.append(Quadruple(verb, food, "of", str(rng.choice(FOODS)), "N"))
        else:
            tool = rng.random() < 0.5
            second = str(rng.choice(TOOLS if tool else FOODS))
            made.append(Quadruple(verb, food, "with", second, "V" if tool else "N"))
    return made


@pytest.fixture(scope="module", params=["best", "chain"])
def fitted(request: pytest.FixtureRequest) -> Attacher:
    with pytest.MonkeyPatch.context() as patch:
        # Quadruples of other text are many, and say nothing of these.
        patch.setattr(sources, "OWN", -1)
        return Attacher(request.param, pairs=PAIRS).fit(corpus(80), dev=corpus(40, seed=1))


def test_planted_preferences_are_learnt(fitted: Attacher) -> None:
    test = corpus(60, seed=2)
    assert fitted.score(test) >= 0.95
    assert fitted.dev_ is not None
    assert fitted.dev_.accuracy >= 0.95
    p = fitted.predict_proba([one[:4] for one in test])
    assert p.shape == (60, 2)
    assert p.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(fitted.predict(test), np.where(p[:, 0] >= 0.5, "N", "V"))
    assert fitted.classes_.tolist() == ["N", "V"]


def test_report_has_accuracy_of_every_stage(fitted: Attacher) -> None:
    test = corpus(60, seed=2)
    found = fitted.test(test)
    assert found.items == 60
    assert 0 <= found.low < found.accuracy <= found.high <= 1
    for stage in found.stages:
        assert 0 <= stage.coverage <= 1
        assert (stage.accuracy is None) == (stage.coverage == 0)
    if fitted.model == "best":
        assert sum(stage.coverage for stage in found.stages) == pytest.approx(1)
        right = sum(stage.coverage * (stage.accuracy or 0) for stage in found.stages)
        assert right == pytest.approx(found.accuracy)
    else:
        names = [stage.stage for stage in found.stages]
        assert names == [WORDS, MDL, MLE, f"+ {ASSOCIATION}", f"+ {DEFAULT}"]
        assert found.stages[-1].coverage == 1
        assert found.stages[-1].accuracy == found.accuracy
    assert json.loads(json.dumps(found.as_dict()))["items"] == 60


def test_saved_model_is_the_same(fitted: Attacher, tmp_path: Path) -> None:
    test = [*corpus(30, seed=3), Quadruple("Zap", "Xs", "beyond", "1989", "V")]
    fitted.save(tmp_path / "model")
    again = Attacher.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(test), fitted.predict_proba(test))
    assert again.test(test) == fitted.test(test)
    assert sorted(path.suffix for path in (tmp_path / "model").iterdir()) == [".json", ".npz"]


def test_unknown_words_are_decided(fitted: Attacher) -> None:
    asked = [
        ("zzz", "yyy", "with", "xxx"), ("eat", "pizza", "beyond", "fork"),
        ("Zap", "Qux", "beyond", "1,000"), ("EAT", "PIZZA", "WITH", "FORK"),
    ]  # fmt: skip
    p = fitted.predict_proba(asked)
    assert np.isfinite(p).all()
    assert p[3] == pytest.approx(fitted.predict_proba([("eat", "pizza", "with", "fork")])[0])
    assert fitted.predict([]).shape == (0,)
    assert fitted.predict_proba([]).shape == (0, 2)


def test_damaged_model_is_named(fitted: Attacher, tmp_path: Path) -> None:
    fitted.save(tmp_path / "model")
    header = json.loads((tmp_path / "model" / "model.json").read_text())
    wrong = {key: value for key, value in header.items() if not key.startswith("fitted.")}
    (tmp_path / "model" / "model.json").write_text(json.dumps(wrong))
    with pytest.raises(InputError, match=r"model\.json"):
        Attacher.load(tmp_path / "model")
    unseal(tmp_path / "model")
    with pytest.raises(InputError, match="model"):
        Attacher.load(tmp_path / "model")
    with pytest.raises(InputError, match="none"):
        Attacher.load(tmp_path / "none")


@pytest.mark.parametrize(
    ("model", "array", "value"),
    [
        ("best", "fitted.machine.rows", 10**6),
        ("best", "fitted.machine.rows", -1),
        ("best", "fitted.machine.words", 10**6),
        ("best", "fitted.machine.words", -2),
        ("best", "fitted.machine.sizes", 10**6),
        ("best", "fitted.verbs.table", np.nan),
        ("best", "fitted.tally.seen", None),
        ("best", "fitted.tendencies.values", None),
        ("chain", "fitted.preference0.shares_indptr", 3_000_000),
        ("chain", "fitted.preference0.density_indices", -1),
        ("chain", "fitted.preference0.density_data", np.inf),
    ],
)
def test_arrays_with_invalid_indices_are_refused(
    model: str, array: str, value: float | None, tmp_path: Path
) -> None:
    """The folders of early versions have no seal, so only their arrays can be checked."""
    shutil.copytree(OLD / model, tmp_path / "model")
    with np.load(OLD / model / "arrays.npz") as found:
        arrays = {name: found[name] for name in found.files}
    if value is None:
        arrays[array] = arrays[array][:-1]
    else:
        arrays[array].flat[arrays[array].size // 2] = value
    np.savez(tmp_path / "model" / "arrays.npz", **arrays)
    with pytest.raises(InputError, match="model"):
        Attacher.load(tmp_path / "model")


def test_same_seed_gives_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "OWN", -1)
    one, other = (Attacher(pairs=PAIRS, random_state=3).fit(corpus(40)) for _ in range(2))
    test = corpus(20, seed=1)
    assert np.array_equal(one.predict_proba(test), other.predict_proba(test))


def test_unusable_training_data_is_refused() -> None:
    fork, cheese = ("eat", "pizza", "with", "fork"), ("eat", "pizza", "with", "cheese")
    for quads, answers, code, named in (
        ([], [], "empty-input", ""),
        ([fork, cheese], "VV", "too-little-text", "2 quadruples"),
        ([fork, cheese], "VX", "missing-label", "N or V"),
        ([fork], "VN", "length-mismatch", "1 and 2"),
    ):
        with refused(code, named):
            Attacher().fit(quads, answers)
    with refused("unknown-name", "'bset'", "best"):
        Attacher("bset").fit([fork, cheese], "VN")
    with refused("invalid-input", "pairs", "int"):
        Attacher(pairs=3).fit([fork, cheese], "VN")


@pytest.mark.parametrize("model", ["best", "chain"])
def test_two_quadruples_are_enough(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "OWN", -1)
    fork, cheese = ("eat", "pizza", "with", "fork"), ("eat", "pizza", "with", "cheese")
    made = Attacher(model, pairs=PAIRS).fit([fork, cheese, fork], "VNV")
    assert made.predict([fork]).tolist() == ["V"]
    # The same four words may have both answers.
    Attacher(model, pairs=PAIRS).fit([fork, fork], "VN").predict([fork, cheese])


def test_bundled_quadruples_are_not_used_as_other_text_for_themselves() -> None:
    own = read("sample")[:50]
    assert not sources.make_sources(own, PAIRS, (), None).quads
    assert sources.make_sources(corpus(50), PAIRS, (), None).quads


def taxonomy_folder(folder: Path) -> Path:
    """A WordNet of foods and tools, as tables."""
    folder.mkdir()
    rows = [(word, "2") for word in FOODS] + [(word, "3") for word in TOOLS]
    senses = [f"{word}\t1\t0000000{at}\tnoun.x\t0" for word, at in rows]
    (folder / "noun_senses.tsv").write_text("\n".join([*senses, "thing\t1\t00000001\tnoun.x\t0"]))
    (folder / "noun_hypernyms.tsv").write_text("00000002\t@\t00000001\n00000003\t@\t00000001\n")
    (folder / "verb_senses.tsv").write_text(
        "eat\t1\t00000009\tverb.x\t0\ncut\t1\t00000008\tverb.x\t0"
    )
    (folder / "verb_hypernyms.tsv").write_text("00000009\t@\t00000008\n")
    return folder


@pytest.mark.parametrize("model", ["best", "chain"])
def test_wordnet_classes_are_used(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "OWN", -1)
    folder = taxonomy_folder(tmp_path / "wordnet")
    made = Attacher(model, pairs=PAIRS, wordnet=folder).fit(corpus(60))
    test = corpus(40, seed=2)
    found = made.test(test)
    assert found.accuracy >= 0.95
    if model == "chain":
        names = [stage.stage for stage in found.stages]
        assert names[3:5] == [WORDNET, f"{MDL} + {WORDNET}"]
    made.save(tmp_path / "model")
    again = Attacher.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(test), made.predict_proba(test))


def write_vectors(folder: Path) -> Path:
    """Vectors in which foods are similar, and tools are similar."""
    rng = np.random.default_rng(0)
    lines = [
        f"{word} {x + rng.normal(0, 0.1):.4f} {y + rng.normal(0, 0.1):.4f}"
        for words, x, y in ((FOODS, 1, 0), (TOOLS, 0, 1))
        for word in words
    ]
    path = folder / "vectors.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_prior_vectors_supplement_the_similarity(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sources, "OWN", -1)
    path = write_vectors(tmp_path)
    quads = check_quadruples(corpus(60))
    found = {}
    for vectors in ("none", str(path)):
        made = sources.make_sources(quads, PAIRS, (), None, vectors)
        found[vectors] = sources.spaces(quads, made.forms().normal(quads), made, 0)
    (verbs, plain), (same, mixed) = found.values()
    assert np.array_equal(verbs.table, same.table), "the vectors include no verb"
    given, known = open_prior(path).prepare(mixed.words)
    rows = [mixed.words.index(word) for word in ("pizza", "rice", "fork")]
    assert known[rows].all()
    cosines = [table[rows] @ table[rows].T for table in (plain.table, given, mixed.table)]
    half = (1 - sources.PRIOR) * cosines[0] + sources.PRIOR * cosines[1]
    assert cosines[2] == pytest.approx(half, abs=2e-3)

    made = Attacher(pairs=PAIRS, vectors=path).fit(quads)
    other = Attacher(pairs=PAIRS).fit(quads)
    test = corpus(40, seed=2)
    assert not np.array_equal(made.predict_proba(test), other.predict_proba(test))
    made.save(tmp_path / "model")
    path.unlink()
    again = Attacher.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(test), made.predict_proba(test))


def test_prior_vectors_are_for_the_best_model_only() -> None:
    with refused("conflicting-options", "vectors='bundled'", "model='best'"):
        Attacher("chain", vectors="bundled").fit(corpus(20))


class Tied(Chain):
    """A chain whose tree cuts are tied or undefined."""

    def ratio(self, name, quads):
        return np.array([0.0, np.nan, -1.0])


def test_ties_and_undefined_estimates_are_left_to_the_next_stage() -> None:
    forms = SimpleNamespace(normal=lambda quads: quads)
    association = SimpleNamespace(log_ratio=lambda quads: np.array([2.0, 0.0, 2.0]))
    chain = Tied(forms, association, {}, [MDL])
    p, stage = chain.probability([Quadruple("eat", "pizza", "with", "fork", None)] * 3)
    assert [chain.stages[at] for at in stage] == [ASSOCIATION, DEFAULT, MDL]
    assert p == pytest.approx([1 / (1 + np.exp(-2)), 0.5, 1 / (1 + np.exp(1))])


def test_printed_rule_compares_one_probability(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only p(noun2|head, prep) is compared, by cuts without smoothing."""
    monkeypatch.setattr(sources, "OWN", -1)
    tree = tmp_path / "tree.tsv"
    tree.write_text("".join(f"{w}\tfood\n" for w in FOODS) + "".join(f"{w}\ttool\n" for w in TOOLS))
    learnt = corpus(60)
    made = Attacher(pairs=PAIRS, thesauri=[tree], rule="printed").fit(learnt)
    chain = made.fitted_
    asked = chain.forms.normal(corpus(40, seed=2))
    for name in (WORDS, "thesaurus"):
        own = chain.preferences[name]
        for quad, ratio in zip(asked, chain.ratio(name, asked), strict=True):
            ours, its = (
                float(own.probability([quad.noun2], [f"{kind}\t{head}\t{quad.preposition}"])[0])
                for kind, head in (("N", quad.noun1), ("V", quad.verb))
            )
            if not ours and not its:
                assert np.isnan(ratio)
            elif ours == pytest.approx(its, rel=1e-9):
                assert ratio == 0
            else:
                assert (ratio > 0) == (ours > its)
    # Words are shares of what was seen with the head.
    seen = [one.noun2 for one in learnt if (one.verb, one.preposition) == ("eat", "with")
            and one.attachment == "V"]  # fmt: skip
    p = chain.preferences[WORDS].probability(["fork"], ["V\teat\twith"])
    assert p == pytest.approx([seen.count("fork") / len(seen)])
    made.save(tmp_path / "model")
    again = Attacher.load(tmp_path / "model")
    assert again.rule == "printed"
    assert again.test(corpus(40, 2)) == made.test(corpus(40, 2))
    smooth = Attacher("chain", pairs=PAIRS, thesauri=[tree]).fit(learnt)
    assert (
        smooth.test(corpus(40, 2)).stages[1].coverage >= made.test(corpus(40, 2)).stages[1].coverage
    )


def test_rules_apply_to_the_chain_only() -> None:
    with refused("conflicting-options", "rule='printed'", "chain"):
        Attacher("best", rule="printed").fit(corpus(10))
    with refused("unknown-name", "'prnted'", "printed"):
        Attacher(rule="prnted").fit(corpus(10))


def test_passed_thesaurus_replaces_learnt_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "OWN", -1)
    tree = tmp_path / "tree.tsv"
    tree.write_text("".join(f"{w}\tfood\n" for w in FOODS) + "".join(f"{w}\ttool\n" for w in TOOLS))
    found = Attacher("chain", pairs=PAIRS, thesauri=[tree]).fit(corpus(60)).test(corpus(40, 2))
    assert [one.stage for one in found.stages][:2] == [WORDS, "thesaurus"]
    best = Attacher(pairs=PAIRS, thesauri=[tree]).fit(corpus(60))
    assert best.score(corpus(40, seed=2)) >= 0.95


def test_chain_equals_explicit_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "OWN", -1)
    quads = [
        ("eat", "pizza", "with", "fork"), ("eat", "bread", "with", "fork"),
        ("eat", "pizza", "with", "rice"), ("cut", "bread", "of", "rice"),
    ]  # fmt: skip
    chain = Attacher("chain", pairs=PAIRS).fit(quads, "VVNN").fitted_
    normal = chain.forms.normal([Quadruple("eat", "pizza", "with", "fork", "V")])
    # fork never stands behind "pizza with": 0 against something is the verb's.
    assert chain.ratio(WORDS, normal).tolist() == [-np.inf]
    normal = chain.forms.normal([Quadruple("eat", "pizza", "of", "spoon", "V")])
    assert np.isnan(chain.ratio(WORDS, normal)).all()
    monkeypatch.setattr(chain.association, "share", lambda quads, noun: np.ones(len(quads)))
    asked = chain.forms.normal([Quadruple("cut", "bread", "of", "rice", "N")])
    assert chain.ratio(WORDS, asked).tolist() == [np.inf]
