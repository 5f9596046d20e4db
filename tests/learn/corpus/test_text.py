"""Plain text: sentences and words by rule, against a naive character-by-character reader."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.core.io.paths import find
from roget.errors import MAX_PROBLEMS, FormatError
from roget.learn.corpus import text
from roget.learn.corpus.base import ReadContext, Tables
from support.errors import codes, mentions, refused

PLAIN = st.text(st.sampled_from("abzAZéßЖλ019 .,'-_·!?…\"()[]’“”\n\t€&"), max_size=60)


def read(path, reading=None, encoding="utf-8"):
    """The sentences of a file, as lists of words."""
    tables, found = Tables(), []
    for tokens in text.read(find([path], [], encoding)[0], tables, reading or ReadContext()):
        assert tokens.upos is tokens.head is tokens.deprel is None
        words = [tables.words.texts[i] for i in tokens.word.tolist()]
        starts = tokens.starts.tolist()
        assert starts[0] == 0
        assert starts[-1] == len(tokens)
        found += [words[a:b] for a, b in pairwise(starts)]
    return found


@pytest.fixture
def write(tmp_path):
    def make(content):
        path = tmp_path / "some.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@pytest.mark.parametrize(
    ("given", "sentences"),
    [
        ("He came. She left.", ["He came.", "She left."]),
        ("He came! Did she? Yes.", ["He came!", "Did she?", "Yes."]),
        ("Prices rose to 3.5 points. well", ["Prices rose to 3.5 points. well"]),
        ('"Come." "Why?" (No.) So', ['"Come."', '"Why?"', "(No.)", "So"]),
        ("He left. “Why?” she asked.", ["He left.", "“Why?” she asked."]),
        ("Mr. Hu met Dr. No. He left.", ["Mr. Hu met Dr. No.", "He left."]),
        ("J. R. Smith of the U.S. Army came.", ["J. R. Smith of the U.S. Army came."]),
        ("Some, e.g. Ann, left. So did I. Then?", ["Some, e.g. Ann, left.", "So did I.", "Then?"]),
        (
            "See No. 5 and Fig. 3 on Jan. 7. No. It",
            ["See No. 5 and Fig. 3 on Jan. 7.", "No.", "It"],
        ),
        ("Wait... Then he went... and fell", ["Wait...", "Then he went... and fell"]),
        ("one\ntwo. Three\n\nfour\n \nfive", ["one two.", "Three", "four", "five"]),
        ("page\fnext\u2029last", ["page", "next", "last"]),
        ("東京です。大阪！「はい。」次", ["東京です。", "大阪！", "「はい。」", "次"]),
        ("यह है। वह था।", ["यह है।", "वह था।"]),
        ("ends here. ", ["ends here. "]),
        ("", [""]),
    ],
)
def test_sentences_are_split(given, sentences):
    assert text.sentences(given).split("\n") == sentences


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("The cat’s can't 'tis dogs'", ["the", "cat's", "can't", "tis", "dogs"]),
        ("3.14 1,000 5:30 3. x", ["3.14", "1,000", "5", "30", "3", "x"]),
        ("co-operate covid-19 5-year -x-", ["co-operate", "covid-19", "5-year", "x"]),
        ("1990-95 1-x-2", ["1990", "95", "1-x-2"]),
        ("well\u2010known soft\xadhyphen", ["well-known", "softhyphen"]),
        ("U.S. e.g. a.b x.1", ["u.s", "e.g", "a.b", "x", "1"]),
        ("snake_case _x_ ___ A4", ["snake_case", "x", "a4"]),
        ("e\u0301te\u0301 İ", ["e\u0301te\u0301", "i̇"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("東京タワーです", ["東", "京", "タワー", "で", "す"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("😀 :-) ½ x² m² … — $5", ["x", "m", "5"]),
        ("col·lega it's. a", ["col·lega", "it's", "a"]),
    ],
)  # fmt: skip
def test_words_are_tokenised(given, words):
    assert text.words(given) == words


def test_keep_case_keeps_capitals():
    assert text.words("McDonald’s ΣΑΣ", keep_case=True) == ["McDonald's", "ΣΑΣ"]
    assert text.words("McDonald’s ΣΑΣ") == ["mcdonald's", "σας"]


def naive_words(line):
    """The words of a line without marks or Han, character by character."""
    line = line.lower().replace("’", "'")

    def letter(i):
        return 0 <= i < len(line) and line[i].isalpha()

    def digit(i):
        return 0 <= i < len(line) and line[i].isdecimal()

    def joins(i):
        sign, both = line[i], (letter(i - 1) or digit(i - 1)) and (letter(i + 1) or digit(i + 1))
        if sign in "'.·" and letter(i - 1) and letter(i + 1):
            return True
        if sign in "'.," and digit(i - 1) and digit(i + 1):
            return True
        return both and (sign == "_" or (sign == "-" and not (digit(i - 1) and digit(i + 1))))

    found = [""]
    for i in range(len(line)):
        if letter(i) or digit(i) or joins(i):
            found[-1] += line[i]
        elif found[-1]:
            found.append("")
    return [word for word in found if word]


@given(PLAIN)
def test_words_equal_naive_tokeniser(some):
    some = some.replace("\n", " ")
    assert text.words(some) == naive_words(some)


@given(PLAIN)
def test_both_word_patterns_agree(some):
    some = some.replace("’", "'")
    assert not text._NOT_PLAIN.search(some)
    assert text._PLAIN_WORD.findall(some) == text._ANY_WORD.findall(some)
    ends = [[m.span() for m in end.finditer(some)] for end in (text._PLAIN_END, text._ANY_END)]
    assert ends[0] == ends[1]


@given(st.text(max_size=80))
def test_sentence_splitting_preserves_words(some):
    cut = text.sentences(some)
    assert [w for w in text.words(cut) if w != "\n"] == [
        w for w in text.words(some.replace("\f", "\n")) if w != "\n"
    ]


@given(PLAIN, PLAIN)
def test_paragraphs_are_split_independently(first, second):
    def apart(some):
        return [line.strip() for line in text.sentences(some).split("\n") if line.strip()]

    assert apart(f"{first}\n\n{second}") == apart(first) + apart(second)


def test_read_returns_sentences_of_words(write):
    path = write("The cat drinks\nmilk. The dog\r\n\r\nDrinks water :-)\n...\n")
    assert read(path) == [["the", "cat", "drinks", "milk"], ["the", "dog"], ["drinks", "water"]]
    assert read(path, ReadContext(lines=True, keep_case=True)) == [
        ["The", "cat", "drinks"],
        ["milk", "The", "dog"],
        ["Drinks", "water"],
    ]


def test_empty_text_has_no_sentences(write):
    assert read(write("")) == read(write(" \n\n ... \n")) == []


def test_batch_size_does_not_matter(write, monkeypatch):
    path = write("".join(f"Word{i} goes. It\nstays!\n\n" for i in range(50)))
    whole = read(path)
    monkeypatch.setattr(text, "BATCH", 64)
    assert read(path) == whole
    assert len(whole) == 100


def test_bytes_that_are_not_utf_8_are_located(write):
    path = write("fine\ncafé\n".encode() + "café\n".encode("latin-1") + b"ok\n\xff\n")
    with pytest.raises(FormatError) as caught:
        read(path)
    assert codes(caught.value.problems) == ["not-text", "not-text"]
    for problem, place in zip(caught.value.problems, ("3: byte 0xE9", "5: byte 0xFF"), strict=True):
        assert problem.startswith(f"{path}:{place}")
        assert mentions(problem, "--encoding latin-1")
    with refused("not-text", "--encoding utf-16"):
        read(write("a\nb\n".encode("utf-16")))
    with pytest.raises(FormatError) as caught:
        read(write(b"\xe9\n" * 100))
    assert len(caught.value.problems) == MAX_PROBLEMS


def test_other_encodings_are_read(write):
    assert read(write("café.\nDéjà".encode("latin-1")), encoding="latin-1") == [["café"], ["déjà"]]
    assert read(write("\ufeffcafé".encode())) == [["café"]]


def test_same_word_has_one_id(write):
    tables = Tables()
    path = write("a b a\n\nb c")
    batches = text.read(find([path], [])[0], tables, ReadContext())
    assert [i for tokens in batches for i in tokens.word.tolist()] == [0, 1, 0, 1, 2]
    assert tables.words.texts == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("code", "content", "expected"),
    [
        ("fr", "Aujourd’hui, l’homme dit qu'il vient", "aujourd'hui l' homme dit qu' il vient"),
        ("fr", "D'UN jusqu’à l'", "d' un jusqu' à l"),
        ("fr", "rock'n'roll presqu'île d'l'eau", "rock'n'roll presqu'île d' l' eau"),
        ("it", "l’arte dell'uomo", "l' arte dell' uomo"),
        ("ca", "l'home d'una", "l' home d' una"),
        (None, "l'homme", "l'homme"),
    ],
)
def test_elided_words_are_separate_words(write, code, content, expected):
    assert text.words(content, elisions=code) == expected.split()
    spans = text.find_words(content, code)
    found = [content[begin:end].lower().replace("’", "'") for begin, end in spans]
    assert found == expected.split()
    assert read(write(content), ReadContext(elisions=code)) == [expected.split()]
