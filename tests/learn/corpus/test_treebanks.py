"""Presets on treebanks of German, French, Spanish and Chinese."""

from __future__ import annotations

import gzip
from collections import Counter

import pytest

import roget
from learn.corpus.parsed_twins import pairs, sentences
from roget.learn.corpus.relations import NAMED

LANGUAGES = ["de", "fr", "es", "zh"]
PRESETS = ["nouns", "verbs", "adjectives", "names"]


def rows(counts):
    return {(word, context): n for word, context, n in counts.rows()}


def join_particles(sentence):
    """The sentence with whole verbs, and nothing where their particles stood."""
    words = [word for word, *_ in sentence]
    joined = set()
    for i, (word, _, head, label) in enumerate(sentence):
        if label == "compound:prt" and word and head and words[head - 1]:
            verb, tag = sentence[head - 1][:2]
            if tag in ("VERB", "AUX"):
                if head not in joined:
                    starts = verb.lower().startswith(word.lower())
                    words[head - 1] = verb if starts else word.lower() + verb
                joined.add(head)
                words[i] = None
    return [(word, *rest) for word, (_, *rest) in zip(words, sentence, strict=True)]


@pytest.fixture(scope="module", params=LANGUAGES)
def treebank(request, shared_data, tmp_path_factory):
    """The code of a language, and the first 300 sentences of its treebank."""
    (path,) = (shared_data / "ud-other").glob(f"{request.param}_*-dev.conllu.gz")
    sentences = gzip.decompress(path.read_bytes()).decode().split("\n\n")[:300]
    part = tmp_path_factory.mktemp("treebank") / f"{request.param}.conllu"
    part.write_text("\n\n".join(sentences) + "\n\n", encoding="utf-8")
    return request.param, part


def test_presets_equal_naive_extraction(treebank):
    code, path = treebank
    text = path.read_text("utf-8")
    found = sentences(text, keep_case=code == "de")
    if code == "de":
        found = list(map(join_particles, found))
    for preset in PRESETS:
        naive = Counter()
        for (word, slot, context), n in pairs(found, NAMED[preset]).items():
            naive[word, f"{slot}:{context}"] += n
        ours = roget.count(path, relation=preset, odd_words=True, repair=False)
        assert rows(ours) == naive


def test_most_nouns_of_treebanks_have_a_context(treebank):
    code, path = treebank
    text = path.read_text("utf-8")
    # Make every token a distinct word, to see which ones are in a pair.
    lines, number = [], 0
    for line in text.split("\n"):
        columns = line.split("\t")
        if columns[0].isdigit():
            number += 1
            columns[2] = f"{number}"
        lines.append(columns)
    numbered = sentences("\n".join("\t".join(columns) for columns in lines))
    having = {word for word, _, _ in pairs(numbered, NAMED["nouns"])}
    nouns = sum(len(columns) == 10 and columns[3] == "NOUN" for columns in lines)
    assert len(having) >= (0.65 if code == "zh" else 0.88) * nouns


# Der Mann hilft dem Kind der Nachbarin und fängt morgen die Arbeit an .
GERMAN = """\
1 Der der DET 2 det
2 Mann Mann NOUN 3 nsubj
3 hilft helfen VERB 0 root
4 dem der DET 5 det
5 Kind Kind NOUN 3 obl:arg
6 der der DET 7 det
7 Nachbarin Nachbarin NOUN 5 nmod
8 und und CCONJ 9 cc
9 fängt fangen VERB 3 conj
10 morgen morgen ADV 9 advmod
11 die der DET 12 det
12 Arbeit Arbeit NOUN 9 obj
13 An an ADP 9 compound:prt
"""


def write(path, text):
    lines = []
    for line in text.splitlines():
        number, form, lemma, tag, head, label = line.split()
        lines.append("\t".join([number, form, lemma, tag, "_", "_", head, label, "_", "_"]))
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return path


def test_german_genitives_datives_and_separable_verbs_are_resolved(tmp_path):
    path = write(tmp_path / "german.conllu", GERMAN)
    german = roget.count(path, language="de")
    assert set(rows(german)) == {
        ("Mann", "subj:helfen"),
        ("Kind", "iobj:helfen"),
        ("Kind", "~nmod:Nachbarin"),
        ("Nachbarin", "nmod:Kind"),
        ("Arbeit", "obj:anfangen"),
    }
    folded = roget.count(path, language="de", keep_case=False)
    assert ("arbeit", "obj:anfangen") in rows(folded)
    assert ("arbeit", "obj:fangen") in rows(roget.count(path))
    verbs = rows(roget.count(path, relation="verbs", language="de-AT"))
    assert ("anfangen", "~advmod:morgen") in verbs
    assert not any(context.startswith("~prt") for _, context in verbs)
    assert ("fangen", "~prt:an") in rows(roget.count(path, relation="verbs"))


def test_label_subtypes_determine_agent_and_object(tmp_path):
    text = """\
1 chef chef NOUN 2 nsubj:caus
2 manger manger VERB 0 root
3 enfant enfant NOUN 2 obj:agent
4 lieu lieu NOUN 2 obj:lvc
5 question question NOUN 2 nsubj:outer
6 书 书 NOUN 2 obl:patient
"""
    found = rows(roget.count(write(tmp_path / "subtypes.conllu", text)))
    assert set(found) == {("enfant", "subj:manger"), ("lieu", "obj:manger"), ("书", "obj:manger")}
