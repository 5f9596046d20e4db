"""Prior vectors: read from several formats, joined to vectors by contexts, recorded, reopened."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import roget
from roget import Counts, data
from roget.learn.build import build
from roget.learn.clustering.spherical.estimator import SphericalTree
from roget.learn.growth.grow import grow
from roget.learn.representation import prior as module
from roget.learn.representation.disagreement import find_disagreements
from roget.learn.representation.prior import Prior, choose_prior, open_prior
from roget.learn.representation.vectors import Representation, infer_prior, join
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.neighbours import neighbour_sources
from roget.report.thesaurus import report
from roget.report.words import neighbours
from support.errors import refused

GROUPS, SIZE, CONTEXTS = 4, 8, 12
WORDS = [f"word{at}" for at in range(GROUPS * SIZE)]


def draw(tokens, seed, words=WORDS):
    """Return counts of words of four groups, each with its own contexts and some common ones."""
    random = np.random.default_rng(seed)
    table = np.zeros((len(words), GROUPS * CONTEXTS), dtype=np.int64)
    for row, word in enumerate(words):
        group = int(word.removeprefix("word")) // SIZE % GROUPS
        weights = np.full(GROUPS * CONTEXTS, 0.5)
        weights[group * CONTEXTS : (group + 1) * CONTEXTS] = 4
        table[row] = random.multinomial(tokens, weights / weights.sum())
    names = [f"obj:c{at}" for at in range(GROUPS * CONTEXTS)]
    return Counts(table, words, names, relations=("nouns",)).drop_empty()


TEXT = draw(6, 0)


def groups(words):
    return [int(str(word).removeprefix("word")) // SIZE % GROUPS for word in words]


def make_vectors(words=WORDS, width=6):
    """Return vectors that are close for words of one group."""
    random = np.random.default_rng(3)
    centres = random.standard_normal((GROUPS, width))
    noise = 0.3 * random.standard_normal((len(words), width))
    return (centres[groups(words)] + noise).astype(np.float32)


def write_array(folder, words=WORDS, name="vectors"):
    np.save(folder / f"{name}.npy", make_vectors(words).astype(np.float16))
    (folder / f"{name}.txt").write_text("\n".join(words) + "\n")
    return folder / f"{name}.npy"


def as_text(words, vectors, header):
    lines = [f"{len(words)} {vectors.shape[1]}"] if header else []
    for word, vector in zip(words, vectors, strict=True):
        lines.append(" ".join([word, *(f"{one:.6f}" for one in vector)]))
    return ("\n".join(lines) + "\n").encode()


def as_binary(words, vectors, end=b""):
    pairs = zip(words, vectors, strict=True)
    rows = (word.encode() + b" " + one.astype("<f4").tobytes() + end for word, one in pairs)
    return f"{len(words)} {vectors.shape[1]}\n".encode() + b"".join(rows)


@pytest.mark.parametrize("kind", ["glove", "word2vec", "binary", "lines", "gzip", "array"])
def test_select_reads_all_formats(tmp_path, kind):
    words, vectors = ["milk", "new york", "tea"], make_vectors(WORDS[:3])
    path = tmp_path / "vectors.vec"
    if kind == "array":
        path = tmp_path / "vectors.npy"
        np.save(path, vectors)
        path.with_suffix(".txt").write_text("\n".join(words))
    elif kind == "gzip":
        path = tmp_path / "vectors.vec.gz"
        path.write_bytes(gzip.compress(as_text(words, vectors, True)))
    elif kind in ("binary", "lines"):
        # word2vec itself writes a line feed after each vector, gensim does not.
        words = ["milk", "new_york", "tea"]
        path.write_bytes(as_binary(words, vectors, b"\n" if kind == "lines" else b""))
    else:
        path.write_bytes(as_text(words, vectors, kind == "word2vec"))
    found, known = open_prior(path).select(["tea", "beer", "New_York"])
    assert known.tolist() == [True, False, True]
    np.testing.assert_allclose(found[[0, 2]], vectors[[2, 1]], atol=1e-6)
    assert not found[1].any()


def test_binary_files_are_read_across_chunks(tmp_path, monkeypatch):
    vectors = make_vectors()
    path = tmp_path / "vectors.bin"
    path.write_bytes(as_binary(WORDS, vectors))
    chunks = module.Source.chunks
    monkeypatch.setattr(module.Source, "chunks", lambda self, size=50: chunks(self, size))
    found, known = open_prior(path).select(WORDS)
    assert known.all()
    assert np.array_equal(found, vectors)


def test_broken_files_are_refused(tmp_path):
    (tmp_path / "a.vec").write_text("milk 1 2 3\ntea 1 x 3\n")
    with refused("broken-lines", "a.vec:2"):
        open_prior(tmp_path / "a.vec").select(["tea"])
    (tmp_path / "b.bin").write_bytes(as_binary(WORDS, make_vectors())[:-9])
    with refused("broken-archive", "b.bin"):
        open_prior(tmp_path / "b.bin").select(["tea"])
    (tmp_path / "c.bin").write_bytes((793712314).to_bytes(4, "little") + b"\0" * 20)
    with refused("unsupported-format", "c.bin"):
        open_prior(tmp_path / "c.bin").select(["tea"])
    (tmp_path / "d.vec").write_text("milk 1 nan 3\n")
    with refused("bad-weight", "d.vec:1"):
        open_prior(tmp_path / "d.vec").select(["milk"])
    np.save(tmp_path / "e.npy", make_vectors())
    with refused("file-not-found", "e.txt"):
        open_prior(tmp_path / "e.npy").select(["milk"])
    (tmp_path / "e.txt").write_text("milk\n")
    with refused("length-mismatch", "e.npy"):
        open_prior(tmp_path / "e.npy").select(["milk"])
    with refused("file-not-found", "nothing.vec"):
        open_prior("nothing.vec")


def test_prior_must_include_a_word_of_the_text(tmp_path):
    path = write_array(tmp_path, [f"word{at}" for at in range(100, 120)])
    with refused("unknown-word", "vectors.npy"):
        choose_prior(path, TEXT)


def test_prepare_centres_and_reduces(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "COMPONENTS", 3)
    found, known = open_prior(write_array(tmp_path)).prepare([*WORDS, "unknown"])
    assert found.shape == (len(WORDS) + 1, 3)
    np.testing.assert_allclose(np.linalg.norm(found[known], axis=1), 1, atol=1e-6)
    assert not known[-1]


def test_join_weighs_the_blocks():
    one, other = np.eye(2, 3, dtype=np.float32), np.eye(2, dtype=np.float32)[[0, 0]]
    found = join(one, other, 0.25)
    np.testing.assert_allclose(found @ found.T, [[1, 0.25], [0.25, 1]], atol=1e-6)


def test_unknown_words_get_the_prior_of_similar_words():
    known, prior = np.eye(3, dtype=np.float32), np.eye(3, dtype=np.float32)
    new = np.array([[0.8, 0.6, 0], [0, 0, 0]], dtype=np.float32)
    found = infer_prior(new, known, prior, nearest=2)
    expected = np.array([0.8**3, 0.6**3, 0])
    np.testing.assert_allclose(found[0], expected / np.linalg.norm(expected), atol=1e-6)
    assert not found[1].any()


def test_prior_block_keeps_the_other_blocks():
    matrix = TEXT.matrix.astype(np.float64)
    bare = Representation.learn(matrix)
    known = np.arange(len(TEXT)) % 4 > 0
    helped = bare.add_prior(make_vectors(TEXT.words), known, 0.4)
    for (a, _), (b, _) in zip(bare._list_blocks(), helped._list_blocks(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-2, atol=1e-2)
    again = Representation.from_arrays(helped.to_arrays())
    assert np.array_equal(again.vectors, helped.vectors)
    assert (again.prior, again.share) == (6, 0.4)
    assert np.array_equal(again.embed(matrix[:3]), helped.embed(matrix[:3]))
    # A single word is embedded like several words at once.
    assert np.array_equal(again.embed(matrix[1:2])[0], helped.embed(matrix[:3])[1])


def test_folder_with_wrong_prior_is_refused():
    arrays = Representation.learn(TEXT.matrix.astype(np.float64)).to_arrays()
    with pytest.raises(ValueError, match="prior"):
        Representation.from_arrays({**arrays, "prior": np.array([2]), "share": np.array([0.5])})


def test_disagreements_are_words_that_both_halves_use_differently():
    counts = draw(400, 2)
    prior = make_vectors(counts.words)
    at = groups(counts.words)
    moved = 5
    prior[moved] = prior[(at[moved] + 2) % GROUPS * SIZE]  # the prior has it in another group
    prior /= np.linalg.norm(prior, axis=1, keepdims=True)
    known = np.ones(len(counts), dtype=bool)
    assert find_disagreements(counts.matrix, prior, known)[moved]
    assert find_disagreements(counts.matrix, prior, known).mean() < 0.3
    assert not find_disagreements(draw(6, 2).matrix, prior, known).any()


def test_prior_improves_the_classes_of_rare_words(tmp_path):
    path = write_array(tmp_path)
    bare = SphericalTree(GROUPS, random_state=0).fit(TEXT)
    helped = SphericalTree(GROUPS, random_state=0, vectors=path).fit(TEXT)
    right = groups(TEXT.words)
    scores = [roget.measure("ari", right, list(one.labels_)) for one in (bare, helped)]
    assert scores[1] > 0.9 > scores[0]


def test_prior_requires_names(tmp_path):
    with refused("invalid-input"):
        SphericalTree(2, vectors=write_array(tmp_path)).fit(TEXT.matrix)


def build_small(folder, prior, **more):
    TEXT.write(folder / "text.tsv")
    return build(
        folder / "text.tsv", vectors=prior, clusters=GROUPS, min_count=1, heldout=False, **more
    )


def test_prior_none_changes_nothing(tmp_path):
    found = build_small(tmp_path, "none")
    model = SphericalTree(GROUPS, random_state=0).fit(found.counts)
    known = found.clustering.representation
    assert known.vectors.tobytes() == model.clustering_.representation.vectors.tobytes()
    assert module.KEY not in found.provenance
    assert {"prior", "share"}.isdisjoint(known.to_arrays())


def test_prior_is_recorded_and_saved(tmp_path):
    path = write_array(tmp_path, WORDS[:-4])
    found = build_small(tmp_path, path, output=tmp_path / "a.thesaurus")
    record = found.provenance[module.KEY]
    assert record["name"] == str(path)
    assert record["sha256"] == open_prior(path).sha256
    assert record["words"] == len(set(found.words) & set(WORDS[:-4]))
    assert report(found).data["prior"] == record
    again = Thesaurus.load(tmp_path / "a.thesaurus")
    word = str(found.words[0])
    assert again.provenance[module.KEY] == record
    assert again.neighbours(word) == found.neighbours(word)
    assert again.senses(word) == found.senses(word)
    new = draw(30, 5, words=["word40", "word41"])
    assert np.array_equal(again.classify(new).toarray(), found.classify(new).toarray())


def test_neighbours_name_their_source(tmp_path):
    found = build_small(tmp_path, write_array(tmp_path))
    text = neighbours(found, str(found.words[0]), 5, "both")
    sources = {one["source"] for one in text.data["neighbours"]}
    assert sources <= {"text", "text + prior", "prior"}
    assert any("prior" in one for one in sources)
    bare = build_small(tmp_path, "none")
    assert neighbour_sources(bare, "word0", ["word1"]) == []


def test_growth_uses_the_prior(tmp_path):
    path = write_array(tmp_path, [*WORDS, "word40", "word48"])
    found = build_small(tmp_path, path)
    grown = grow(found, draw(12, 7, words=["word1", "word40", "word48"])).thesaurus
    assert grown.clustering.representation.prior == found.clustering.representation.prior
    assert grown.provenance[module.KEY]["sha256"] == found.provenance[module.KEY]["sha256"]
    path.rename(tmp_path / "moved.npy")
    with refused("file-not-found", "vectors.npy"):
        grow(found, draw(5, 7))
    path.with_suffix(".txt").rename(tmp_path / "moved.txt")
    grow(found, draw(5, 7), vectors=str(tmp_path / "moved.npy"))
    np.save(tmp_path / "moved.npy", make_vectors([*WORDS, "word40", "word48"]))
    with refused("changed", "moved.npy"):
        grow(found, draw(5, 7), vectors=str(tmp_path / "moved.npy"))


def test_prior_is_refused_by_methods_without_vectors(tmp_path):
    with refused("conflicting-options", "mdl"):
        build_small(tmp_path, write_array(tmp_path), method="mdl")


def test_auto_needs_the_language_and_half_of_the_words(monkeypatch, tmp_path):
    made = Prior("bundled", write_array(tmp_path, WORDS[:17]), "")
    monkeypatch.setattr(module, "_open_bundled", lambda name: made)
    counts = draw(6, 0)
    assert choose_prior("auto", counts) == (None, ())
    counts.provenance = {"language": "de"}
    assert choose_prior("auto", counts) == (None, ())
    counts.provenance = {"language": "en-GB"}
    assert choose_prior("auto", counts) == (made, ())
    few = draw(6, 0, words=[f"word{at}" for at in range(10, 60)])
    few.provenance = {"language": "en"}
    assert choose_prior("auto", few) == (None, ())


def test_bundled_vectors_can_be_opened():
    found = open_prior("bundled")
    words = data.prior_path("english").with_suffix(".txt").read_text(encoding="utf-8").split()
    assert len(words) == len(set(words)) == 20_000
    vectors, known = found.prepare(["river", "lake", "lawyer", "xyzzyx"])
    assert known.tolist() == [True, True, True, False]
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
