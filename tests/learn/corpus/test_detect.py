"""Detection of languages by their frequent words."""

from __future__ import annotations

import gzip

import pytest

import roget
from roget.learn.corpus.language import LEAST, detect_language
from roget.learn.corpus.tagger import detect
from support.errors import refused

AFRIKAANS = (
    "Die kat het op die mat gesit en dit was 'n mooi dag in die stad van die koning, wat met 'n "
    "groot perd na die bos gegaan het. Hy het daar 'n ou man van 'n ander land gesien. "
)
DUTCH = (
    "De kat zat op de mat en het was een mooie dag in de stad van de koning, die met een groot "
    "paard naar het bos ging. Hij zag er een oude man van een ander land. "
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("de_gsd", "german"), ("fr_gsd", None), ("es_gsd", None), ("zh_gsdsimp", None)],
)
def test_languages_of_treebank_texts_are_detected(name, expected, shared_data):
    with gzip.open(
        shared_data / f"ud-other/{name}-ud-dev.conllu.gz", "rt", encoding="utf-8"
    ) as file:
        texts = [line.removeprefix("# text = ") for line in file if line.startswith("# text = ")]
    for start in range(0, 200, 20):
        assert detect(" ".join(texts[start : start + 20])) == expected


def test_related_languages_are_distinguished():
    assert detect(DUTCH * 5) == "dutch"
    assert detect(AFRIKAANS * 5) is None


def test_short_or_non_prose_text_has_no_detected_language():
    assert detect("") is None
    assert detect("the of and to in a " * (LEAST // 6)) is None
    assert detect("the of and to in a " * LEAST) == "english"
    assert detect("milk bread cheese butter " * LEAST) is None


@pytest.mark.parametrize("code", ["de", "fr", "es", "zh"])
def test_counts_record_language_of_real_treebanks(code, shared_data):
    (path,) = (shared_data / "ud-other").glob(f"{code}_*-dev.conllu.gz")
    counts = roget.count(path, relation="obj", limit=3000)
    assert counts.provenance["language"] == code
    with gzip.open(path, "rt", encoding="utf-8") as file:
        texts = [line.removeprefix("# text = ") for line in file if line.startswith("# text = ")]
    text = [detect_language(" ".join(texts[start : start + 40])) for start in range(0, 400, 40)]
    assert set(text) <= {code, None}
    assert text.count(code) >= 9


def test_declared_language_precedes_detection(tmp_path):
    line = "1\tmilk\tmilk\tNOUN\t_\t_\t2\tobj\t_\t_\n2\tdrink\tdrink\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    path = tmp_path / "said.conllu"
    path.write_text(f"# newdoc lang = pt-BR\n{line}", encoding="utf-8")
    assert roget.count(path, relation="obj").provenance["language"] == "pt-BR"
    asked = roget.count(path, relation="obj", language="gl")
    assert asked.provenance["language"] == "gl"
    path.write_text(line, encoding="utf-8")
    assert roget.count(path, relation="obj").provenance["language"] is None
    with refused("invalid-option", "'Deutsch!'"):
        roget.count(path, relation="obj", language="Deutsch!")


def test_scripts_determine_languages():
    assert detect_language("東京は日本の首都であり、世界最大の都市の一つです。" * 9) == "ja"
    assert detect_language("อุณหภูมิของน้ำในทะเล" * 20) == "th"
    assert detect_language("Η γάτα και το σπίτι που είναι στην πόλη για να την του. " * 9) == "el"
    assert detect_language("水") is None
