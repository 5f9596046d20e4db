"""English for the tagger: tokens, refined tags, corrected lemmas."""

from __future__ import annotations

import pytest

from learn.corpus.parsed_twins import parsed
from roget.languages.english import English, words


@pytest.fixture(scope="module")
def language():
    pytest.importorskip("HanTa.HanoverTagger")
    return English()


@pytest.mark.parametrize(
    ("given", "tokens"),
    [
        ("I don’t; he'll've can't", "I do n't ; he 'll 've ca n't"),
        ("ISN'T cannot gonna", "IS N'T can not gon na"),
        ("John's dogs' “tails”", "John 's dogs ' \" tails \""),
        ("Mr. J. Smith of Washington D.C. ended it.", "Mr. J. Smith of Washington D.C. ended it ."),
        ("$5.50, 50% of 1990s' 5:30pm 35-year-old", "$5.50 , 50% of 1990s ' 5:30pm 35-year-old"),
        ("see http://a.b/c?d. me@x.org!", "see http://a.b/c?d . me@x.org !"),
        ("well-known AT&T and/or O'Neil", "well-known AT&T and/or O'Neil"),
        ("wait... no!! ------ (x)", "wait ... no !! ------ ( x )"),
        ("na\u0131\u0308ve re\xadsume", "na\u0131\u0308ve resume"),
    ],
)
def test_english_text_is_tokenised(given, tokens):
    assert words.tokenise(given) == tokens.split()


@pytest.mark.parametrize(
    ("sentence", "tags", "refined"),
    [
        ("plans frobbing colleagues", "NN2 AJ0 NN2", "NN2 VVG NN2"),
        ("a growing child", "AT0 AJ0 NN1", "AT0 AJ0 NN1"),
        ("and scared the cat", "CJC AJ0 AT0 NN1", "CJC VVD AT0 NN1"),
        ("she frobbed bloxes", "PNP AJ0 NN2", "PNP VVN NN2"),
        ("they face the music", "PNP NN1 AT0 NN1", "PNP VVB AT0 NN1"),
        ("plans to face the music", "NN2 PRP NN1 AT0 NN1", "NN2 TO0 VVI AT0 NN1"),
        ("the face the artist drew", "AT0 NN1 AT0 NN1 VVD", "AT0 NN1 AT0 NN1 VVD"),
        ("I really like pies", "PNP AV0 PRP NN2", "PNP AV0 VVB NN2"),
        ("please forward it", "AV0 AV0 PNP", "AV0 VVI PNP"),
        ("we used gas", "PNP VM0 NN1", "PNP VVD NN1"),
        ("we used to go", "PNP VM0 TO0 VVI", "PNP VM0 TO0 VVI"),
        ("the US army", "AT0 PNP NN1", "AT0 NP0 NN1"),
        ("AMD was early", "VBN VBD AJ0", "NP0 VBD AJ0"),
    ],
)
def test_tags_are_refined_in_context(sentence, tags, refined, language):
    tags = tags.split()
    words.refine(sentence.split(), tags, language.seen)
    assert tags == refined.split()


@pytest.mark.parametrize(
    ("word", "tag", "lemma", "mended"),
    [
        ("preserving", "VVG", "preserv", "preserve"),
        ("taken", "VVN", "take", "take"),
        ("equalled", "VVD", "equall", "equal"),
        ("businesses", "NN2", "busi", "business"),
        ("thousands", "CRD", "thousands", "thousand"),
        ("frobbles", "NN2", "frobble", "frobble"),
        ("refineries", "NN2", "refinerie", "refinery"),
        ("itunes", "NN2", "itun", "itune"),
        ("zombies", "NN2", "zombie", "zombie"),
        ("stylus", "NN2", "stylu", "stylus"),
        ("ex-boss", "NN2", "ex-bos", "ex-boss"),
        ("player-bosses", "NN2", "player-bosse", "player-boss"),
        ("3", "CRD", "3", "3"),
    ],
)
def test_lemmas_are_corrected(word, tag, lemma, mended, language):
    assert words.correct_lemma(word, tag, lemma, language.seen) == mended


def test_every_english_tag_has_a_kind(language):
    assert set(language.tagger.names) - {"!!!", "IN"} <= set(words.KINDS)


def test_lemmas_agree_with_gold(shared_data, language):
    """Most verbs and nouns of real text get the annotated lemma."""
    right = wrong = 0
    sentences = parsed(shared_data / "ud-english/en_ewt-dev.conllu")
    lines = (shared_data / "ud-english/en_ewt-dev.conllu").read_text("utf-8").splitlines()
    raw = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
    cut = list(map(words.tokenise, raw))
    for gold, analysis in zip(sentences, language.analyse(cut), strict=True):
        if len(gold) == len(analysis.lemmas):
            for (word, upos, *_), lemma in zip(gold, analysis.lemmas, strict=True):
                if upos in ("NOUN", "VERB"):
                    right, wrong = right + (word == lemma.lower()), wrong + (word != lemma.lower())
    assert right > 2000
    assert right / (right + wrong) > 0.93
