"""Quadruples of prepositional attachment against naive extraction and published ones."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.corpus.parsed_twins import parsed, sentences
from learn.corpus.parsed_twins import quadruples as naive
from roget.core.io import source as sources
from roget.core.quadruple import Quadruple
from roget.learn.counting.options import CountOptions
from roget.learn.counting.quadruples import read

SAW = [
    "He he PRON 2 nsubj",
    "saw see VERB 0 root",
    "men man NOUN 2 obj",
    "with with ADP 5 case",
    "dogs dog NOUN 3 nmod",
    "in in ADP 7 case",
    "parks park NOUN 2 obl",
]


@pytest.fixture
def quads(tmp_path):
    """A function that gives the quadruples of lines of form, lemma, UPOS, head and label."""

    def run(rows, **reading):
        path = tmp_path / "some.conllu"
        text = ""
        for i, row in enumerate(rows, 1):
            form, lemma, upos, head, label = row.split()
            text += f"{i}\t{form}\t{lemma}\t{upos}\t_\t_\t{head}\t{label}\t_\t_\n"
        path.write_text(text)
        return list(read([path], CountOptions(**reading)))

    return run


def changed(**rows):
    """The example with some rows replaced, by number."""
    return [rows.get(f"row{i}", row) for i, row in enumerate(SAW, 1)]


def test_first_prepositional_phrase_is_used(quads):
    assert quads(SAW) == [Quadruple("see", "man", "with", "dog", "N")]
    assert quads(SAW, form=True, keep_case=True) == [("saw", "men", "with", "dogs", "N")]


def test_phrase_attached_to_verb_is_marked_v(quads):
    assert quads(changed(row5="dogs dog NOUN 2 obl")) == [("see", "man", "with", "dog", "V")]


@pytest.mark.parametrize(
    "rows",
    [
        {"row2": "saw see AUX 0 root"},
        {"row3": "them they PRON 2 obj"},
        {"row3": "men man NOUN 2 iobj"},
        {"row3": "_ _ NOUN 2 obj"},
        {"row4": "_ _ ADP 5 case"},
        {"row4": "with with SCONJ 5 case"},
        {"row6": "in in ADP 5 case"},
        {"row4": "run run VERB 5 acl"},
    ],
)
def test_other_constructions_give_no_quadruple(quads, rows):
    assert quads(changed(**rows)) == []


def test_phrases_of_other_nouns_are_skipped(quads):
    rows = changed(row5="Rex Rex PROPN 3 nmod")
    assert quads(rows) == [("see", "man", "in", "park", "V")]
    rows = changed(row5="dogs dog NOUN 7 nmod")
    assert quads(rows) == [("see", "man", "in", "park", "V")]
    rows = changed(row5="dogs dog NOUN 3 nmod:poss")
    assert quads(rows) == [("see", "man", "in", "park", "V")]


def test_object_before_its_verb_gives_no_quadruple(quads):
    rows = [
        "men man NOUN 2 obj",
        "saw see VERB 0 root",
        "in in ADP 4 case",
        "parks park NOUN 2 obl",
    ]
    assert quads(rows) == []


def test_two_objects_give_two_quadruples(quads):
    rows = ["gave give VERB 0 root", "men man NOUN 1 obj", "dogs dog NOUN 1 obj",
            "in in ADP 5 case", "parks park NOUN 1 obl"]  # fmt: skip
    assert quads(rows) == [("give", "man", "in", "park", "V"), ("give", "dog", "in", "park", "V")]


@st.composite
def treebanks(draw):
    """Sentences in which verbs, objects and phrases are frequent."""
    text = []
    for size in draw(st.lists(st.integers(3, 9), max_size=8)):
        for i in range(1, size + 1):
            word = draw(st.sampled_from(["a", "b", "b", "_"]))
            tag = draw(st.sampled_from(["NOUN", "NOUN", "VERB", "ADP", "ADP", "ADJ"]))
            label = {
                "NOUN": st.sampled_from(["obj", "obj", "obl", "nmod"]),
                "ADP": st.sampled_from(["case", "case", "fixed"]),
            }.get(tag, st.just("dep"))
            head = draw(st.integers(0, size))
            text.append(f"{i}\t{word}\t{word}\t{tag}\t_\t_\t{head}\t{draw(label)}\t_\t_\n")
        text.append("\n")
    return "".join(text)


@given(treebanks(), st.integers(30, 600))
def test_quadruples_equal_naive_extraction(tmp_path_factory, text, block):
    path = tmp_path_factory.getbasetemp() / "random_quadruples.conllu"
    path.write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK", block)
        assert list(read([path])) == naive(sentences(text))


def published(path):
    with open(path, encoding="utf-8") as file:
        return Counter(tuple(line.rstrip("\n").split("\t")[:5]) for line in file)


@pytest.mark.slow
def test_quadruples_of_news_equal_naive_extraction_and_published_ones(shared_data):
    """The published quadruples come from a larger corpus that includes this file."""
    path = shared_data / "amalgum/news.conllu.gz"
    found = list(read([path]))
    assert found == naive(parsed(path))
    plain = Counter(q for q in found if all(w.isascii() and w.isalpha() for w in q))
    assert sum(plain.values()) > 5000
    assert plain <= published(shared_data / "amalgum/pp_quads.tsv")


def test_quadruples_of_treebank_include_published_ones(shared_data):
    """Published quadruples require a phrase right after the object, so some of ours are missing."""
    path = shared_data / "ud-english/en_ewt-dev.conllu"
    found = Counter(read([path]))
    assert found == Counter(naive(parsed(path)))
    theirs = published(shared_data / "ud-english/pp_quads.tsv")
    assert (found & theirs).total() > 0.9 * found.total()
