"""HanTa: the same tags and lemmas as HanTa alone, and batches with columns."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest

from roget.core.io.paths import find
from roget.errors import UnknownName
from roget.learn.corpus import hanta, tagger
from roget.learn.corpus.base import NONE, ReadContext, Tables
from support.errors import refused

SENTENCES = [
    "The old man gave the boy a book that he did n't want to read .",
    "I 've been picking up the phone , but nobody 's there !",
    "She was elected president of the company by its unhappy shareholders in 1995 .",
    "Blorfing the snarkle , they frobnicated quuxly .",
    "U.S. troops left ; 3.5 % of them -- mostly doctors -- stayed .",
    "Can",
    "HOWEVER YOU LOOK AT IT , IT 'S OVER .",
    "` Yes ' , said the well-known re-enactor ... \u0428\u0442\u043e \u6771\u4eac ?",
]


@pytest.fixture(scope="module")
def alone():
    return pytest.importorskip("HanTa.HanoverTagger").HanoverTagger("morphmodel_en.pgz")


@pytest.fixture(scope="module")
def language(alone):
    return tagger.load("en")


def same(language, alone, sentences):
    """Compare tags and lemmas with what HanTa says by itself."""
    for words, tags in zip(sentences, language.tagger.tags(sentences), strict=True):
        expected = alone.tag_sent(list(words))
        assert tags == [tag for _, _, tag in expected]
        lemmas = [language.tagger.lemma(*pair) for pair in zip(words, tags, strict=True)]
        assert lemmas == [lemma for _, lemma, _ in expected]


def test_tags_and_lemmas_equal_hanta(language, alone):
    same(language, alone, [sentence.split() for sentence in SENTENCES])
    same(language, alone, [sentence.lower().split() for sentence in SENTENCES * 2])


def test_tags_and_lemmas_of_real_text_equal_hanta(language, alone, shared_data):
    lines = (shared_data / "ud-english/en_ewt-dev.conllu").read_text("utf-8").splitlines()
    raw = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
    same(language, alone, [language.tokenise(sentence) for sentence in raw[:200]])


def test_limited_cache_changes_no_tag(alone, monkeypatch):
    monkeypatch.setattr(hanta, "_KEPT", 5)
    small = hanta.Tagger("morphmodel_en.pgz")
    sentences = [sentence.split() for sentence in SENTENCES]
    for sentence in sentences:
        assert small.tags([sentence]) == [[tag for *_, tag in alone.tag_sent(sentence)]]
        assert [small.lemma(word, "NN1") for word in sentence]
    assert small.lemma.cache_info().currsize <= 5


def read(path, reading=None):
    """Sentences of (word, UPOS, label, head's word)."""
    tables, found = Tables(), []
    for tokens in tagger.read(find([path], [])[0], tables, reading or ReadContext()):
        words = [tables.words.texts[i] for i in tokens.word.tolist()]
        upos = [tables.upos.texts[i] for i in tokens.upos.tolist()]
        labels = heads = [None] * len(words)
        if tokens.head is not None:
            labels = [
                None if i == NONE else tables.deprels.texts[i] for i in tokens.deprel.tolist()
            ]
            heads = [None if i == NONE else words[i] for i in tokens.head.tolist()]
        rows = list(zip(words, upos, labels, heads, strict=True))
        starts = tokens.starts.tolist()
        found += [rows[a:b] for a, b in pairwise(starts)]
    return found


@pytest.fixture
def cats(tmp_path):
    path = tmp_path / "cats.txt"
    path.write_text("The Cat drank\nfresh milk. She\n\nslept!\n", encoding="utf-8")
    return path


def test_read_returns_tagged_sentences(cats, alone):
    first, *others = read(cats)
    assert first == [
        ("the", "DET", "det", "cat"),
        ("cat", "PROPN", "nsubj", "drink"),
        ("drink", "VERB", None, None),
        ("fresh", "ADJ", "amod", "milk"),
        ("milk", "NOUN", "obj", "drink"),
        (".", "PUNCT", None, None),
    ]
    assert [[row[0] for row in rows] for rows in others] == [["she"], ["sleep", "!"]]


def test_form_case_and_line_options_are_respected(cats, alone):
    rows = read(cats, ReadContext(form=True, keep_case=True, lines=True))
    assert [[row[0] for row in sentence] for sentence in rows] == [
        ["The", "Cat", "drank"],
        ["fresh", "milk", ".", "She"],
        ["slept", "!"],
    ]
    assert read(cats, ReadContext(form=True))[0][2][0] == "drank"


def test_long_sentences_are_split_and_long_words_kept(tmp_path, alone, monkeypatch):
    path = tmp_path / "long.txt"
    path.write_text(f"{'x' * 500} eats {'fish ' * 30}", encoding="utf-8")
    monkeypatch.setattr(tagger, "LONGEST", 10)
    rows = read(path, ReadContext(lines=True))
    assert [len(sentence) for sentence in rows] == [10, 10, 10, 2]
    assert rows[0][0][0] == "x" * 500


def test_unknown_language_is_refused():
    with refused("unknown-name", "english?"):
        tagger.load("englisch")
    # A model of one's own would be unpickled, which runs code.
    with pytest.raises(UnknownName):
        tagger.load("my_model.pgz")


def test_model_in_working_directory_is_not_loaded(alone, tmp_path, monkeypatch):
    (tmp_path / "morphmodel_en.pgz").write_bytes(b"harm")
    monkeypatch.chdir(tmp_path)
    assert hanta.Tagger("morphmodel_en.pgz").tags([["Yes"]]) == [["ITJ"]]


def test_missing_hanta_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "HanTa.HanoverTagger", None)
    with refused("missing-extra", "pip install 'roget[learn]'"):
        hanta.Tagger("morphmodel_en.pgz")
