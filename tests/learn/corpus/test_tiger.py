"""TIGER's dependencies against the same trees in Universal Dependencies."""

from __future__ import annotations

import gzip
from collections import Counter

import pytest

import roget
from learn.corpus.test_treebanks import rows

spacy = pytest.importorskip("spacy")

# Each token: form, lemma, UPOS, STTS tag, head counted from 1 (0: root), label.
TIGER = [
    # Der Mann hat dem Kind das Buch des Vaters gegeben.
    """Der der DET ART 2 nk; Mann Mann NOUN NN 3 sb; hat haben AUX VAFIN 0 ROOT;
    dem der DET ART 5 nk; Kind Kind NOUN NN 10 da; das der DET ART 7 nk; Buch Buch NOUN NN 10 oa;
    des der DET ART 9 nk; Vaters Vater NOUN NN 7 ag; gegeben geben VERB VVPP 3 oc""",
    # Die Milch wird von der Katze getrunken.
    """Die der DET ART 2 nk; Milch Milch NOUN NN 3 sb; wird werden AUX VAFIN 0 ROOT;
    von von ADP APPR 7 sbp; der der DET ART 6 nk; Katze Katze NOUN NN 4 nk;
    getrunken trinken VERB VVPP 3 oc""",
    # Frauen und Kinder wohnen in kleinen Häusern mit Garten.
    """Frauen Frau NOUN NN 4 sb; und und CCONJ KON 1 cd; Kinder Kind NOUN NN 2 cj;
    wohnen wohnen VERB VVFIN 0 ROOT; in in ADP APPR 4 mo; kleinen klein ADJ ADJA 7 nk;
    Häusern Haus NOUN NN 5 nk; mit mit ADP APPR 7 mnr; Garten Garten NOUN NN 8 nk""",
    # Der Tee ist kalt. / Er fängt die Arbeit an.
    """Der der DET ART 2 nk; Tee Tee NOUN NN 3 sb; ist sein AUX VAFIN 0 ROOT;
    kalt kalt ADJ ADJD 3 pd""",
    """Er er PRON PPER 2 sb; fängt fangen VERB VVFIN 0 ROOT; die der DET ART 4 nk;
    Arbeit Arbeit NOUN NN 2 oa; an an ADP PTKVZ 2 svp""",
]
EXPECTED = {
    ("Mann", "subj:geben"), ("Kind", "iobj:geben"), ("Buch", "obj:geben"),
    ("Vater", "nmod:Buch"), ("Buch", "~nmod:Vater"), ("Milch", "obj:trinken"),
    ("Katze", "subj:trinken"), ("Frau", "subj:wohnen"), ("Kind", "subj:wohnen"),
    ("Frau", "conj:Kind"), ("Kind", "conj:Frau"), ("Haus", "obl:in:wohnen"),
    ("Haus", "~amod:klein"), ("Garten", "nmod:mit:Haus"), ("Haus", "~nmod:mit:Garten"),
    ("Tee", "~amod:kalt"), ("Arbeit", "obj:anfangen"),
}  # fmt: skip


def make_doc(vocab, tokens):
    forms, lemmas, upos, tags, heads, labels = zip(*tokens, strict=True)
    places = [i if head == 0 else head - 1 for i, head in enumerate(map(int, heads))]
    starts = [True] + [False] * (len(forms) - 1)
    return spacy.tokens.Doc(
        vocab, list(forms), lemmas=list(lemmas), pos=list(upos), tags=list(tags), heads=places,
        deps=list(labels), sent_starts=starts,
    )  # fmt: skip


@pytest.mark.slow
def test_tiger_relations_equal_universal_dependencies(tmp_path):
    vocab = spacy.blank("de").vocab
    docs = [make_doc(vocab, [one.split() for one in text.split(";")]) for text in TIGER]
    path = tmp_path / "german.spacy"
    spacy.tokens.DocBin(docs=docs, store_user_data=False).to_disk(path)
    found = roget.count(path, language="de")
    assert set(rows(found)) == EXPECTED
    assert set(rows(found).values()) == {1}


def read_trees(path):
    for part in gzip.decompress(path.read_bytes()).decode().split("\n\n"):
        lines = (line.split("\t") for line in part.split("\n"))
        tokens = [columns for columns in lines if columns[0].isdigit()]
        if tokens:
            yield [[c[1], c[2], c[3], c[4], c[6], c[7]] for c in tokens]


@pytest.mark.parametrize("code", ["de", pytest.param("fr", marks=pytest.mark.slow), "es"])
def test_spacy_documents_and_conllu_give_equal_counts(code, tmp_path, shared_data):
    (path,) = (shared_data / "ud-other").glob(f"{code}_*-dev.conllu.gz")
    vocab = spacy.blank(code).vocab
    trees = [tokens for tokens in read_trees(path) if all(token[1] != "_" for token in tokens)]
    trees = trees[:100]
    docs = [make_doc(vocab, tokens) for tokens in trees]
    binary = tmp_path / f"{code}.spacy"
    spacy.tokens.DocBin(
        attrs=["LEMMA", "POS", "TAG", "DEP", "HEAD", "SENT_START"], docs=docs
    ).to_disk(binary)
    text = "".join(
        "".join(
            "\t".join([f"{i}", *token[:4], "_", *token[4:], "_", "_"]) + "\n"
            for i, token in enumerate(tokens, 1)
        )
        + "\n"
        for tokens in trees
    )
    plain = tmp_path / f"{code}.conllu"
    plain.write_text(text, encoding="utf-8")
    for preset in ("nouns", "all"):
        ours, theirs = (roget.count(one, relation=preset) for one in (binary, plain))
        assert Counter(rows(ours)) == Counter(rows(theirs))
        assert ours.provenance["language"] == theirs.provenance["language"] == code
