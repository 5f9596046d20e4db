"""spaCy: small trained pipelines, documents made by hand or saved, and a real pipeline."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import pairwise

import pytest

from roget.core.io.paths import find
from roget.learn.corpus import spacy_reader
from roget.learn.corpus.base import NONE, ReadContext, Tables
from roget.learn.corpus.pair_extraction import Extractor
from roget.learn.corpus.relations import parse
from support.errors import refused

spacy = pytest.importorskip("spacy")
from spacy.tokens import Doc, DocBin  # noqa: E402
from spacy.training import Example  # noqa: E402
from spacy.vocab import Vocab  # noqa: E402

CAT = """\
The the DET 2 det
cat cat NOUN 3 nsubj
drinks drink VERB 3 ROOT
milk milk NOUN 3 obj
in in ADP 6 case
town town NOUN 3 obl
. . PUNCT 3 punct"""

# The same with ClearNLP's labels, twice the preposition and a passive.
OLD = """\
Milk milk NOUN 3 nsubjpass
was be AUX 3 auxpass
drunk drink VERB 3 ROOT
by by ADP 3 agent
cats cat NOUN 4 pobj
out out ADP 3 prep
of of ADP 6 prep
bowls bowl NOUN 7 pobj
with with ADP 8 prep
holes hole NOUN 9 pobj
; ; PUNCT 3 punct
dogs dog NOUN 13 nsubj
ate eat VERB 3 conj
fish fish NOUN 13 dobj"""


def doc(vocab, table, lemmas=True):
    rows = [line.split() for line in table.splitlines()]
    return Doc(
        vocab,
        words=[row[0] for row in rows],
        lemmas=[row[1] for row in rows] if lemmas else None,
        pos=[row[2] for row in rows],
        heads=[int(row[3]) - 1 for row in rows],
        deps=[row[4] for row in rows],
    )


def collect(batches, tables):
    """Sentences of (word, UPOS, label, head's place counted from 1 or 0)."""
    found = []
    for tokens in batches:
        starts = tokens.starts.tolist()
        for a, b in pairwise(starts):
            found.append(
                [
                    (
                        tables.words.texts[tokens.word[i]],
                        tables.upos.texts[tokens.upos[i]],
                        tables.deprels.texts[tokens.deprel[i]],
                        0 if tokens.head[i] == NONE else int(tokens.head[i]) - a + 1,
                    )
                    for i in range(a, b)
                ]
            )
    return found


def read(path, reading, reader=spacy_reader.read):
    tables = Tables()
    return collect(reader(find([path], [])[0], tables, reading), tables)


def expected(table, form=False):
    rows = [line.split() for line in table.splitlines()]
    return [
        (
            (row[0] if form else row[1]).lower(),
            row[2],
            {"ROOT": "root"}.get(row[4], row[4]),
            0 if row[4] == "ROOT" else int(row[3]),
        )
        for row in rows
    ]


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    """A pipeline that has learnt one sentence by heart."""
    nlp = spacy.blank("en")
    nlp.add_pipe("morphologizer")
    nlp.add_pipe("trainable_lemmatizer", config={"min_tree_freq": 1})
    nlp.add_pipe("parser", config={"min_action_freq": 1})
    examples = [Example(nlp.make_doc("The cat drinks milk in town."), doc(nlp.vocab, CAT))]
    nlp.initialize(lambda: examples)
    for _ in range(25):
        nlp.update(examples)
    nlp.add_pipe("ner")
    folder = tmp_path_factory.mktemp("pipeline") / "tiny"
    nlp.to_disk(folder)
    return str(folder)


@pytest.fixture
def saved(tmp_path):
    def save(docs, **options):
        path = tmp_path / "some.spacy"
        DocBin(docs=docs, **options).to_disk(path)
        return path

    return save


def test_text_is_parsed_by_pipeline(pipeline, tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("The cat  drinks milk\nin town.\n\n\n \nThe cat drinks milk in town.\n")
    assert read(path, ReadContext(model=pipeline)) == [expected(CAT)] * 2
    assert read(path, ReadContext(model=pipeline, form=True)) == [expected(CAT, form=True)] * 2
    assert read(path, ReadContext(model=pipeline, keep_case=True, form=True))[0][0][0] == "The"
    assert "ner" not in spacy_reader.load(pipeline).pipe_names


def test_lines_option_makes_each_line_a_sentence(pipeline, tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("The cat drinks milk in town. The cat drinks milk in town.\n\nThe cat\n")
    assert [len(rows) for rows in read(path, ReadContext(model=pipeline, lines=True))] == [14, 2]


def test_long_paragraphs_are_split_at_blanks(pipeline, tmp_path, monkeypatch):
    monkeypatch.setattr(spacy_reader, "LONGEST", 30)
    path = tmp_path / "some.txt"
    path.write_text("The cat drinks milk in town. " * 3 + "x" * 70)
    words = [row[0] for rows in read(path, ReadContext(model=pipeline, form=True)) for row in rows]
    assert words[:21] == [line.split()[0].lower() for line in CAT.splitlines()] * 3
    assert "".join(words[21:]) == "x" * 70


def test_batch_size_does_not_matter(saved, monkeypatch):
    path = saved([doc(Vocab(), CAT) for _ in range(20)])
    whole = read(path, ReadContext(), spacy_reader.read_docbin)
    monkeypatch.setattr(spacy_reader, "BATCH", 10)
    assert read(path, ReadContext(), spacy_reader.read_docbin) == whole == [expected(CAT)] * 20


def test_documents_with_several_sentences_and_blanks_are_read(saved):
    vocab = Vocab()
    one = Doc(
        vocab,
        words=["Cats", " ", "sleep", "Dogs", "\n", "bark"],
        lemmas=["cat", " ", "sleep", "dog", "\n", "bark"],
        pos=["NOUN", "SPACE", "VERB", "NOUN", "SPACE", "VERB"],
        heads=[2, 0, 2, 4, 5, 5],
        deps=["nsubj", "dep", "ROOT", "dep", "dep", "ROOT"],
    )
    assert read(saved([one]), ReadContext(), spacy_reader.read_docbin) == [
        [("cat", "NOUN", "nsubj", 2), ("sleep", "VERB", "root", 0)],
        [("dog", "NOUN", "dep", 0), ("bark", "VERB", "root", 0)],
    ]


def test_forms_replace_missing_lemmas(saved):
    path = saved([doc(Vocab(), CAT, lemmas=False)])
    assert read(path, ReadContext(), spacy_reader.read_docbin) == [expected(CAT, form=True)]


def test_older_labels_are_mapped_to_universal_ones(saved):
    (rows,) = read(saved([doc(Vocab(), OLD)]), ReadContext(), spacy_reader.read_docbin)
    assert [(word, label, head) for word, _, label, head in rows] == [
        ("milk", "nsubj:pass", 3),
        ("be", "aux:pass", 3),
        ("drink", "root", 0),
        ("by", "case", 5),
        ("cat", "obl:agent", 3),
        ("out", "case", 8),
        ("of", "case", 8),
        ("bowl", "obl", 3),
        ("with", "case", 10),
        ("hole", "nmod", 8),
        (";", "punct", 3),
        ("dog", "nsubj", 13),
        ("eat", "conj", 3),
        ("fish", "obj", 13),
    ]


def test_relations_are_extracted_from_documents(saved):
    tables, found = Tables(), Counter()
    draw = Extractor(parse(["obj", "subj", "obl:prep", "nmod:prep"]), tables)
    for tokens in spacy_reader.read_docbin(
        find([saved([doc(Vocab(), OLD)])], [])[0], tables, ReadContext()
    ):
        pairs = draw(tokens)
        for w, s, c in zip(pairs.word, pairs.slot, pairs.context, strict=True):
            found[tables.words.texts[w], tables.slots.texts[s], tables.words.texts[c]] += 1
    assert found == {
        ("fish", "obj", "eat"): 1,
        ("dog", "subj", "eat"): 1,
        ("bowl", "obl:out_of", "drink"): 1,
        ("hole", "nmod:with", "bowl"): 1,
    }


def test_incomplete_pipelines_are_refused(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("The cat drinks.")
    with refused("missing-option", "--model"):
        read(path, ReadContext())
    with refused("missing-extra", "'no_such'", "spacy download no_such"):
        read(path, ReadContext(model="no_such"))
    spacy.blank("en").to_disk(tmp_path / "blank")
    with refused("not-parsed", "blank", "dependency labels", "parts of speech"):
        read(path, ReadContext(model=str(tmp_path / "blank")))


def test_incomplete_documents_are_refused(saved, tmp_path):
    vocab = Vocab()
    tagged = Doc(vocab, words=["Cats"], pos=["NOUN"])
    with refused("not-parsed", "some.spacy", "dependency labels"):
        read(saved([doc(vocab, CAT), tagged]), ReadContext(), spacy_reader.read_docbin)
    (tmp_path / "bad.spacy").write_bytes(b"not zlib")
    with refused("broken-archive", "bad.spacy"):
        read(tmp_path / "bad.spacy", ReadContext(), spacy_reader.read_docbin)


def test_empty_input_has_no_sentences(saved, pipeline, tmp_path):
    (tmp_path / "empty.txt").write_text(" \n\n")
    assert read(tmp_path / "empty.txt", ReadContext(model=pipeline)) == []
    assert read(saved([Doc(Vocab(), words=[])]), ReadContext(), spacy_reader.read_docbin) == []


def test_missing_spacy_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "spacy", None)
    (tmp_path / "some.spacy").write_bytes(b"")
    with refused("missing-extra", "pip install 'roget[spacy]'"):
        read(tmp_path / "some.spacy", ReadContext(), spacy_reader.read_docbin)


def test_real_pipeline_equals_spacy(shared_data, tmp_path):
    """Batches equal spaCy's own documents, token by token."""
    model = str(shared_data / "en_ud_sm")
    lines = (shared_data / "ud-english/en_ewt-dev.conllu").read_text("utf-8").splitlines()
    raw = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")][:20]
    path = tmp_path / "raw.txt"
    path.write_text("\n".join(raw), encoding="utf-8")
    nlp = spacy.load(model)
    naive = [
        [
            (
                token.lemma_.lower(),
                token.pos_,
                "root" if token.dep_ == "ROOT" else token.dep_,
                0 if token.head.i == token.i else token.head.i + 1,
            )
            for token in nlp(" ".join(line.split()))
        ]
        for line in raw
    ]
    assert read(path, ReadContext(model=model, lines=True)) == naive
