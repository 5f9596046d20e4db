"""German and Dutch heads by patterns: single cases, any words, and gold trees."""

from __future__ import annotations

import gzip
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import roget
from learn.corpus.parsed_twins import pairs, sentences
from learn.corpus.test_treebanks import join_particles, rows
from roget.languages import clauses
from roget.languages.clauses import UPOS, attach
from roget.languages.dutch import Dutch
from roget.languages.german import KINDS, German
from roget.learn.corpus import tagger
from roget.learn.corpus.base import NONE
from roget.learn.corpus.relations import NAMED
from roget.learn.corpus.relations import UPOS as UNIVERSAL

pytest.importorskip("HanTa")

GERMAN = {
    "Am Montag hat der alte Mann seinem Freund das Buch aus dem Regal gegeben, weil er die Arbeit "
    "des Autors sehr schätzt.": "Montag<obl<geben alt<amod<Mann Mann<nsubj<geben Freund<iobj<geben "
    "Buch<obj<geben Regal<obl<geben er<nsubj<schätzen Arbeit<obj<schätzen Autor<nmod<Arbeit",
    "Morgen fängt der Lehrer mit dem Unterricht an.": "Lehrer<nsubj<fangen Unterricht<obl<fangen "
    "an<compound:prt<fangen",
    "Der Lehrer hat, als der Schüler kam, den Brief geschrieben.": "Lehrer<nsubj<schreiben "
    "Schüler<nsubj<kommen Brief<obj<schreiben",
    "Das Buch liest der Mann.": "Buch<obj<lesen Mann<nsubj<lesen",
    "Peters Hund hat den Briefträger gebissen.": "Peters<nmod<Hund Hund<nsubj<beißen "
    "Briefträger<obj<beißen",
    "Der Minister, der das Gesetz verteidigte, bekam viel Kritik.": "Minister<nsubj<bekommen "
    "der<nsubj<verteidigen Gesetz<obj<verteidigen Kritik<obj<bekommen",
    "Der Brief wurde von der Sekretärin geschrieben.": "Brief<nsubj:pass<schreiben "
    "Sekretärin<obl:agent<schreiben",
    "Er hilft der Frau und kauft Brot, Butter und Käse.": "er<nsubj<helfen Frau<iobj<helfen "
    "Brot<obj<kaufen Butter<conj<Brot Käse<conj<Brot",
    "Sie versucht, das Fenster zu öffnen.": "sie<nsubj<versuchen Fenster<obj<öffnen",
    "Die Häuser der Stadt sind alt.": "Stadt<nmod<Haus Haus<nsubj<alt",
    "Herr Müller liest ein Buch.": "Herr<compound<Müller Müller<nsubj<lesen Buch<obj<lesen",
    "Herr Dr. Müller liest ein Buch.": "Herr<compound<Müller Dr.<compound<Müller "
    "Müller<nsubj<lesen Buch<obj<lesen",
    "Er gibt der Frau Blumen.": "er<nsubj<geben Frau<iobj<geben Blume<obj<geben",
    "Den Brief gab Frau Anna Schmidt dem Minister.": "Brief<obj<geben Frau<compound<Anna "
    "Schmidt<flat<Anna Anna<nsubj<geben Minister<iobj<geben",
}
DUTCH = {
    "De oude man heeft zijn vriend gisteren het boek van de schrijver gegeven, omdat hij het werk "
    "erg waardeert.": "oud<amod<man man<nsubj<geven vriend<iobj<geven boek<obj<geven "
    "schrijver<nmod<boek hij<nsubj<waarderen werk<obj<waarderen",
    "Hij belde zijn moeder op en vertelde haar het nieuws.": "hij<nsubj<bellen moeder<obj<bellen "
    "op<compound:prt<bellen haar<iobj<vertellen nieuws<obj<vertellen",
    "De minister die de wet verdedigde, kreeg veel kritiek.": "minister<nsubj<krijgen "
    "die<nsubj<verdedigen wet<obj<verdedigen kritiek<obj<krijgen",
    "Als het regent, drinken de kinderen warme melk in de keuken.": "het<nsubj<regenen "
    "kinder<nsubj<drinken warm<amod<melk melk<obj<drinken keuken<obl<drinken",
    "Zij probeert het raam te openen.": "zij<nsubj<proberen raam<obj<openen",
    "Dat boek heb ik nooit gelezen.": "boek<obj<lezen ik<nsubj<lezen",
    "De brief werd door de secretaresse geschreven.": "brief<nsubj:pass<schrijven "
    "secretaresse<obl:agent<schrijven",
    "Meneer Jansen leest een boek.": "meneer<compound<Jansen Jansen<nsubj<lezen boek<obj<lezen",
    "De boer verkoopt aardappelen, wortels en uien op de markt.": "boer<nsubj<verkopen "
    "aardappel<obj<verkopen wortel<conj<aardappel ui<conj<aardappel markt<obl<verkopen",
}


@pytest.mark.parametrize(
    ("name", "sentence", "expected"),
    [("german", *one) for one in GERMAN.items()] + [("nl", *one) for one in DUTCH.items()],
)
def test_sentences_give_their_relations(name, sentence, expected):
    language = tagger.load(name)
    (found,) = language.analyse([language.tokenise(sentence)])
    left_out = ("", "det", "case", "advmod", "punct", "nummod")
    relations = {
        f"{found.lemmas[i]}<{label}<{found.lemmas[found.heads[i]]}"
        for i, label in enumerate(found.labels)
        if label not in left_out
    }
    assert relations == set(expected.split())


KNOWN = {
    "lemma",
    "herr",
    "heer",
    "sein",
    "werden",
    "haben",
    "zijn",
    "woche",
    "nach",
    "der",
    "des",
    "zu",
}


@given(
    st.lists(st.tuples(st.sampled_from(sorted(UPOS)), st.sampled_from(sorted(KNOWN))), min_size=1),
    st.sampled_from([German, Dutch]),
)
def test_any_words_have_valid_heads(words, grammar):
    kinds, forms = map(list, zip(*words, strict=True))
    found = attach(forms, list(forms), kinds, grammar.__new__(grammar))
    assert set(found.upos) <= set(UNIVERSAL)
    for i, (head, label) in enumerate(zip(found.heads, found.labels, strict=True)):
        assert (head == NONE) == (label == "")
        assert head == NONE or (0 <= head < len(kinds) and head != i)
        above = head
        for _ in kinds:
            above = found.heads[above] if above != NONE else NONE
        assert above == NONE, "a word is above itself"


def test_every_tag_of_the_models_is_known():
    german, dutch = tagger.load("de"), tagger.load("nl")
    names = german.tagger.names
    assert set(names) <= set(KINDS)
    assert all(kind in clauses.UPOS for kind in map(dutch.kind, dutch.tagger.names))
    others = [tag for tag in dutch.tagger.names if dutch.kind(tag) == "?"]
    assert all(tag.startswith(("SPEC", "LET")) for tag in others)


def test_german_relations_are_accurate_on_gold(tmp_path, shared_data):
    path = shared_data / "ud-other/de_gsd-ud-dev.conllu.gz"
    parts = gzip.decompress(path.read_bytes()).decode().split("\n\n")[200:500]
    texts = [
        line.removeprefix("# text = ")
        for part in parts
        for line in part.split("\n")
        if line.startswith("# text = ")
    ]
    raw = tmp_path / "raw.txt"
    raw.write_text("\n".join(texts), encoding="utf-8")
    trees = map(join_particles, sentences("\n\n".join(parts), keep_case=True))
    gold = Counter()
    for (word, slot, context), n in pairs(list(trees), NAMED["nouns"]).items():
        gold[word, f"{slot}:{context}"] += n
    counts = roget.count(raw, tagger="hanta", model="german", relation="nouns", lines=True)
    assert counts.provenance["language"] == "de"
    found = Counter(rows(counts))
    for slot, precision, recall in [("obj", 0.6, 0.6), ("subj", 0.6, 0.55), ("~amod", 0.75, 0.7)]:
        ours, theirs = (
            Counter({pair: n for pair, n in all_.items() if pair[1].startswith(f"{slot}:")})
            for all_ in (found, gold)
        )
        both = (ours & theirs).total()
        assert both >= precision * ours.total()
        assert both >= recall * theirs.total()
