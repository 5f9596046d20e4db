"""Languages told by their frequent words."""

from __future__ import annotations

import gzip

import pytest

from roget.learn.corpus.tagger import LEAST, detect

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
def test_hand_annotated_texts(name, expected, shared_data):
    with gzip.open(
        shared_data / f"ud-other/{name}-ud-dev.conllu.gz", "rt", encoding="utf-8"
    ) as file:
        texts = [line.removeprefix("# text = ") for line in file if line.startswith("# text = ")]
    for start in range(0, 200, 20):
        assert detect(" ".join(texts[start : start + 20])) == expected


def test_relatives_are_told_apart():
    assert detect(DUTCH * 5) == "dutch"
    assert detect(AFRIKAANS * 5) is None


def test_what_is_too_short_or_no_prose_is_told_as_nothing():
    assert detect("") is None
    assert detect("the of and to in a " * (LEAST // 6)) is None
    assert detect("the of and to in a " * LEAST) == "english"
    assert detect("milk bread cheese butter " * LEAST) is None
