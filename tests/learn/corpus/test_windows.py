"""Windows: pairs against a loop over all tokens, and tokens that take a position."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roget.learn.corpus.base import NONE, Strings, Tables, Tokens
from roget.learn.corpus.windows import SIDES, Windows
from support.errors import refused

WORDS = st.sampled_from(["cat", "dog", "milk", "the", None])
TAGS = st.sampled_from(["NOUN", "VERB", "PUNCT", None])
SENTENCES = st.lists(st.lists(st.tuples(WORDS, TAGS), min_size=1, max_size=8), max_size=6)


def ids(strings: Strings, texts):
    return np.array([NONE if t is None else strings.id(t) for t in texts], np.int32)


def batch(sentences, tables, tagged=True):
    flat = [token for sentence in sentences for token in sentence]
    starts = np.cumsum([0, *map(len, sentences)])
    upos = ids(tables.upos, [tag for _, tag in flat]) if tagged else None
    return Tokens(starts, ids(tables.words, [word for word, _ in flat]), upos)


def counted(pairs, tables):
    assert {a.dtype for a in (pairs.word, pairs.slot, pairs.context)} == {np.dtype(np.int32)}
    words, slots = tables.words.texts, tables.slots.texts
    columns = (pairs.word.tolist(), pairs.slot.tolist(), pairs.context.tolist())
    return Counter((words[w], slots[s], words[c]) for w, s, c in zip(*columns, strict=True))


def naive(sentences, window, sides, tags=False, tagged=True):
    found = Counter()
    for sentence in sentences:
        kept = [(w, t) for w, t in sentence if not (tagged and t == "PUNCT")]
        for i, (word, tag) in enumerate(kept):
            for j, (other, other_tag) in enumerate(kept):
                place = j - i
                if place == 0 or abs(place) > window or word is None or other is None:
                    continue
                if (sides == "left" and place > 0) or (sides == "right" and place < 0):
                    continue
                slot = {"apart": "left" if place < 0 else "right", "each": f"{place:+d}"}
                pair = [word, other]
                if tags:
                    pair = [f"{w}/{t}" if t else w for w, t in ((word, tag), (other, other_tag))]
                found[pair[0], slot.get(sides, ""), pair[1]] += 1
    return found


@given(SENTENCES, st.integers(1, 10), st.sampled_from(SIDES), st.booleans())
def test_window_pairs_equal_naive_loop(sentences, window, sides, tags):
    tables = Tables()
    pairs = Windows(window, sides, tables, tags)(batch(sentences, tables))
    assert counted(pairs, tables) == naive(sentences, window, sides, tags)


@given(SENTENCES, st.integers(1, 4), st.sampled_from(SIDES))
def test_untagged_tokens_all_take_a_position(sentences, window, sides):
    tables = Tables()
    pairs = Windows(window, sides, tables)(batch(sentences, tables, tagged=False))
    assert counted(pairs, tables) == naive(sentences, window, sides, tagged=False)


@given(SENTENCES, st.integers(1, 4))
def test_left_windows_mirror_right_windows(sentences, window):
    tables = Tables()
    tokens = batch(sentences, tables)
    left = Windows(window, "left", tables)(tokens)
    right = Windows(window, "right", tables)(tokens)
    assert left.word.tolist() == right.context.tolist()
    assert left.context.tolist() == right.word.tolist()


def test_window_pairs_of_an_example():
    tables = Tables()
    tokens = batch([[(word, None) for word in ("the", "cat", "drinks", "milk")]], tables, False)
    pairs = counted(Windows(2, "each", tables)(tokens), tables)
    assert pairs["cat", "-1", "the"] == pairs["cat", "+2", "milk"] == 1
    assert pairs.total() == 2 * (3 + 2)


def test_batches_share_ids():
    tables = Tables()
    draw = Windows(1, "right", tables, tags=True)
    first = draw(batch([[("cat", "NOUN"), ("purr", "VERB")]], tables))
    again = draw(batch([[("cat", "NOUN"), ("purr", "VERB")]], tables))
    assert first.word.tolist() == again.word.tolist()
    assert tables.words.texts.count("cat/NOUN") == 1


def test_invalid_window_options_are_refused():
    with refused("invalid-option", "window", "0"):
        Windows(0, "both", Tables())
    with refused("unknown-name", "lefts", "left?"):
        Windows(1, "lefts", Tables())
    tables = Tables()
    with refused("not-parsed", "--tags"):
        Windows(1, "both", tables, tags=True)(batch([[("cat", None)]], tables, tagged=False))


def test_near_neighbours_weigh_more_and_function_words_take_no_position():
    tables = Tables()
    sentence = [("milk", "NOUN"), ("of", "ADP"), ("the", None), ("cat", "NOUN"), ("so", "ADV")]
    draw = Windows(2, "right", tables, per_one=2, function_words=["the"])
    pairs = draw(batch([sentence], tables))
    words = tables.words.texts
    found = zip(pairs.word.tolist(), pairs.context.tolist(), pairs.times.tolist(), strict=True)
    assert {(words[w], words[c]): n for w, c, n in found} == {
        ("milk", "cat"): 2, ("cat", "so"): 2, ("milk", "so"): 1,
    }  # fmt: skip
    bare = Windows(1, "right", tables, function_words=["the"])
    pairs = bare(batch([sentence], tables, tagged=False))
    assert pairs.times is None
    assert counted(pairs, tables) == {
        ("milk", "", "of"): 1, ("of", "", "cat"): 1, ("cat", "", "so"): 1,
    }  # fmt: skip
