"""Multiword terms: which are found, and batches after joining them."""

from __future__ import annotations

import numpy as np
import pytest

from learn.corpus.test_relations import conllu_text
from roget.core.io.paths import find
from roget.learn.corpus import conllu
from roget.learn.corpus.base import NONE, ReadContext, Tables, Tokens
from roget.learn.corpus.terms import Joiner, find_terms
from roget.learn.counting.count import count


def batch(tables, *sentences, tags=None):
    """Sentences written as words with blanks between, "-" for a token without a word."""
    words = [word for sentence in sentences for word in sentence.split()]
    ids = np.array([NONE if word == "-" else tables.words.id(word) for word in words], np.int32)
    starts = np.cumsum([0, *(len(sentence.split()) for sentence in sentences)])
    upos = tags and np.array([tables.upos.id(tag) for tag in tags.split()], np.int32)
    return Tokens(starts, ids, upos)


def texts(tokens, tables):
    words = [None if i == NONE else tables.words.texts[i] for i in tokens.word.tolist()]
    pairs = zip(tokens.starts[:-1].tolist(), tokens.starts[1:].tolist(), strict=True)
    return [words[a:b] for a, b in pairs]


@pytest.fixture
def text():
    """Words at random, between which "hot dog" stands, and "dog" and "7 up" and "of us" as well."""
    generator = np.random.default_rng(0)
    some = [f"w{i}" for i in generator.integers(0, 300, 4000)]
    for i in range(0, 4000, 100):
        some[i] += " the hot dog" if i % 200 else " the dog 7 up of us"
    return " ".join(some)


def test_words_that_mostly_occur_together_are_terms(text):
    tables = Tables()
    read = batch(tables, text)
    assert find_terms([read], tables, ("the", "of")) == ("hot dog",)
    assert set(find_terms([read], tables, ())) > {"hot dog", "of us"}
    assert find_terms([batch(tables, *text.split(" "))], tables, ()) == ()
    assert find_terms([], tables, ()) == ()


def test_terms_are_joined_within_sentences_only():
    tables = Tables()
    join = Joiner(["world trade", "trade union", "union -"], tables)
    read = batch(tables, "a world trade union", "world trade", "trade a world", "trade - union")
    assert texts(join(read), tables) == [
        ["a", "world_trade_union"], ["world_trade"], ["trade", "a", "world"],
        ["trade", None, "union"],
    ]  # fmt: skip
    assert texts(join(batch(tables, "world")), tables) == [["world"]]


def test_tags_restrict_terms_to_noun_phrases():
    tables = Tables()
    join = Joiner(["hot dog", "dog runs"], tables)
    read = batch(tables, "hot dog runs", tags="ADJ NOUN VERB")
    joined = join(read)
    assert texts(joined, tables) == [["hot_dog", "runs"]]
    assert [tables.upos.texts[i] for i in joined.upos.tolist()] == ["NOUN", "VERB"]
    found = find_terms(
        [batch(tables, "x hot dog runs " * 20, tags="X ADJ NOUN VERB " * 20)], tables, ()
    )
    assert found == ("hot dog",)


def test_parsed_terms_take_the_position_of_their_heads(tmp_path):
    # Prime ministers met New York bankers.
    rows = ["1 prime prime NOUN 2 compound", "2 minister minister NOUN 3 nsubj",
            "3 met meet VERB 0 root", "4 New new PROPN 6 compound", "5 York york PROPN 6 compound",
            "6 bankers banker NOUN 3 obj"]  # fmt: skip
    other = ["1 prime prime NOUN 2 nsubj", "2 minister minister VERB 0 root"]
    path = tmp_path / "a.conllu"
    path.write_text(
        (conllu_text("\n".join(rows)) + "\n") * 9 + conllu_text("\n".join(other)) + "\n"
    )
    tables = Tables()
    (read,) = conllu.read(find([path], [])[0], tables, ReadContext())
    assert set(find_terms([read], tables, chained=True)) == {
        "prime minister",
        "new york",
        "york banker",
    }
    join = Joiner(["prime minister", "new york"], tables)
    joined = join.join_chains(read)
    texts = [*tables.words.texts, None]
    found = [None, "prime_minister", "meet", None, "new_york", "banker"]
    assert [texts[i] for i in joined.word[:6]] == found
    assert [texts[i] for i in joined.word[-2:]] == ["prime", "minister"], "no part of the other"
    assert join.join_chains(read.first(0)).word.size == 0
    counts = count(path, terms=True)
    assert counts.count("prime_minister", "subj:meet") == 9
    assert counts.count("new_york_banker", "obj:meet") == 9
    assert "minister" not in counts.words


def test_terms_of_tagged_text_are_compounds(tmp_path):
    text = (
        "The health ministry bought tea. A health ministry met the other health ministry. "
        "The dog saw a house. The ministry was old. Good health is important. "
    )
    (tmp_path / "a.txt").write_text(text * 30)
    words = {"tagger": "hanta", "model": "english", "relation": "nouns"}
    counts = count(tmp_path / "a.txt", **words, terms=True)
    assert counts.count("health_ministry", "obj:meet") == 30
    assert "health_ministry" not in count(tmp_path / "a.txt", **words)
