"""The CoNLL-U reader against a naive one, rule by rule, and errors on broken lines."""

from __future__ import annotations

import bz2
import gzip
import lzma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.corpus.parsed_twins import parsed, sentences
from roget.core.io import source as sources
from roget.core.io.paths import find
from roget.errors import MAX_PROBLEMS, FormatError, InputError
from roget.learn.corpus import conllu, conllu_kernel
from roget.learn.corpus.base import NONE, ReadContext, Tables
from support import zstd
from support.errors import codes, mentions

DRINK = """\
# text = The cat drinks milk
1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_
2\tcat\tcat\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3\tdrinks\tdrink\tVERB\tVBZ\t_\t0\troot\t_\t_
4\tmilk\tmilk\tNOUN\tNN\t_\t3\tobj\t_\t_

"""


def line(number, form="x", lemma="x", upos="NOUN", head="0", label="dep"):
    return f"{number}\t{form}\t{lemma}\t{upos}\t_\t_\t{head}\t{label}\t_\t_\n"


@pytest.fixture
def write(tmp_path):
    def writer(content, name="some.conllu"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


def read(path, *, form=False, keep_case=False, encoding="utf-8", piece=sources.PIECE):
    """The sentences of a file as the naive reader spells them, piece by piece."""
    found = []
    for source in find([path], [".conllu"], encoding):
        for part in source.pieces(piece):
            tables = Tables()
            for tokens in conllu.read(part, tables, ReadContext(form=form, keep_case=keep_case)):
                found += spelled(tokens, tables)
    return found


def spelled(tokens, tables):
    def text(strings, number):
        return None if number == NONE else strings.texts[number]

    assert tokens.starts[0] == 0
    assert tokens.starts[-1] == len(tokens) == len(tokens.head)
    result = []
    for a, b in zip(tokens.starts[:-1].tolist(), tokens.starts[1:].tolist(), strict=True):
        heads = [None if h == NONE else h - a + 1 for h in tokens.head[a:b].tolist()]
        assert all(h is None or 1 <= h <= b - a for h in heads)
        result.append(
            [
                (
                    text(tables.words, tokens.word[i]),
                    text(tables.upos, tokens.upos[i]),
                    heads[i - a],
                    text(tables.deprels, tokens.deprel[i]),
                )
                for i in range(a, b)
            ]
        )
    return result


def problems(path, **options):
    with pytest.raises(FormatError) as caught:
        read(path, **options)
    return caught.value.problems


def check_broken(path, *expected, code="broken-lines"):
    """Check the line and the values of each problem, given as (line, value, ...)."""
    found = problems(path)
    assert codes(found) == [code] * len(expected)
    for problem, (number, *values) in zip(found, expected, strict=True):
        assert problem.startswith(f"{path}:{number}: ")
        assert all(mentions(problem, value) for value in values), problem


def test_sentence_is_read(write):
    assert read(write(DRINK)) == [
        [
            ("the", "DET", 2, "det"),
            ("cat", "NOUN", 3, "nsubj"),
            ("drink", "VERB", None, "root"),
            ("milk", "NOUN", 3, "obj"),
        ]
    ]


def test_forms_and_case_options_choose_the_word(write):
    path = write(line(1, "Milk", "MILK"))
    assert [read(path, form=f, keep_case=k)[0][0][0] for f in (0, 1) for k in (0, 1)] == [
        "milk",
        "MILK",
        "milk",
        "Milk",
    ]


def test_missing_words_are_none_or_replaced_by_the_other_column(write):
    text = line(1, "Ab", "_") + line(2, "_", "_") + line(3, "_", "cd") + line(4, "", "")
    assert [token[0] for token in read(write(text))[0]] == ["ab", None, "cd", None]
    assert [token[0] for token in read(write(text), form=True)[0]] == ["ab", None, None, None]


def test_missing_columns_are_none(write):
    assert read(write(line(1, upos="_", head="_", label="_"))) == [[("x", None, None, None)]]


def test_ranges_and_empty_nodes_are_skipped(write):
    text = line("0.1") + line("1-2", "du") + line(1, head=2) + line(2) + line("2.1") + line("3-12")
    assert read(write(text)) == [[("x", "NOUN", 2, "dep"), ("x", "NOUN", None, "dep")]]


def test_sentences_with_comments_only_are_skipped(write):
    assert read(write("# only\n\n\n\n# words\n\n" + DRINK)) == sentences(DRINK)


@pytest.mark.parametrize("content", ["", "\n", "\n\n\n", "# a comment\n", "\r\n"])
def test_empty_files_have_no_sentences(write, content):
    assert read(write(content)) == []


@pytest.mark.parametrize("tail", ["", "\n", "\n\n", "\n\n\n# end"])
def test_last_sentence_needs_no_blank_line(write, tail):
    assert read(write(DRINK.rstrip("\n") + tail)) == sentences(DRINK)


def test_carriage_returns_are_ignored(write):
    text = (DRINK * 2).replace("\n", "\r\n")
    assert read(write(text)) == sentences(DRINK * 2)
    assert read(write(text.rstrip("\r\n"))) == sentences(DRINK * 2)


def test_byte_order_mark_is_ignored(write):
    assert read(write(b"\xef\xbb\xbf" + DRINK[DRINK.index("1\t") :].encode())) == sentences(DRINK)


def test_words_may_contain_spaces(write):
    text = line(1, "10 000", "10 000") + line(2, "New York ", "New\u00a0York")
    assert [token[0] for token in read(write(text))[0]] == ["10 000", "new\xa0york"]


def test_words_are_not_unicode_normalised(write):
    text = line(1, lemma="é") + line(2, lemma="e\u0301") + line(3, lemma="É")
    assert [token[0] for token in read(write(text))[0]] == ["é", "e\u0301", "é"]


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [
        ("", bytes),
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".lzma", lambda data: lzma.compress(data, lzma.FORMAT_ALONE)),
        (".zst", zstd.compress),
    ],
)
def test_compressed_files_are_read(write, suffix, compress):
    text = DRINK * 300
    path = write(compress(text.encode()), f"a.conllu{suffix}")
    assert read(path) == sentences(text)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252"])
def test_other_encodings_are_read(write, encoding):
    text = line(1, "Café", "café") + "\n" + DRINK
    assert read(write(text.encode(encoding)), encoding=encoding) == sentences(text)


def test_latin_1_read_as_utf_8_is_refused(write):
    text = DRINK + line(1) + line(2, "Café", "caf\xe9")
    path = write(text.encode("latin-1"))
    check_broken(path, (8, "0xE9", "encoding='latin-1'"), code="not-text")


def test_nine_columns_are_refused(write):
    text = DRINK + line(1) + line(2).rstrip().removesuffix("\t_") + "\n" + line(3, head=2)
    path = write(text)
    check_broken(path, (8, "9 columns"))
    path = write(text.replace("\n", "\r\n"))
    check_broken(path, (8, "9 columns"))


def test_eleven_columns_of_a_range_are_refused(write):
    path = write(line("1-2").rstrip() + "\t_\n" + line(1) + line(2))
    check_broken(path, (1, "11 columns"))


def test_head_out_of_range_is_refused(write):
    path = write(DRINK + line(1, head=2) + line(2, head=3) + line("2.1") + "\n" + DRINK)
    check_broken(path, (8, "head 3", "2 tokens"))


@pytest.mark.parametrize("head", ["x", "-1", "1.1", "", "2 ", "__"])
def test_head_that_is_not_a_number_is_refused(write, head):
    path = write(line(1, head=head) + line(2))
    check_broken(path, (1, f"head {head!r}"))


def test_huge_head_is_refused(write):
    path = write(line(1, head="9" * 40))
    check_broken(path, (1, f"head {'9' * 40}", "1 token"))


@pytest.mark.parametrize("number", ["x", "", "1-", "1-2-3", "1.", "-2", "1a", " 1"])
def test_id_that_is_not_a_number_is_refused(write, number):
    path = write(line(number) + line(2))
    check_broken(path, (1, f"id {number!r}"))


def test_ids_out_of_order_are_refused(write):
    path = write(line(1) + line(3) + line(4) + "\n" + line(2) + "\n" + line(1) + line(1))
    check_broken(path, (2, "id 3", " 2"), (5, "id 2", " 1"), (8, "id 1", " 2", "blank line"))


def test_problems_are_ordered_and_limited_in_number(write):
    path = write((line(1, head=7) + line("x")) * 30 + "\n" + DRINK)
    found = problems(path)
    assert len(found) == MAX_PROBLEMS
    places = [int(text.split(":")[1]) for text in found]
    assert places == sorted(places)
    with pytest.raises(FormatError) as caught:
        read(path)
    assert "…" in str(caught.value)


def test_problems_of_later_blocks_are_located(write, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 200)
    path = write(DRINK * 9 + line(1, head=5) + "\n" + DRINK * 9 + line(1, head=6))
    assert [text.split(":")[1] for text in problems(path)] == ["55", "111"]


def test_problems_of_later_pieces_are_located(write):
    path = write(DRINK * 50 + line(1, head=5) + "\n" + DRINK * 50)
    assert [text.split(":")[1] for text in problems(path, piece=1000)] == ["301"]


def test_nothing_is_yielded_after_a_broken_line(write, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", len(DRINK))
    path = write(DRINK + line(1, head=5) + "\n" + DRINK * 5)
    batches = conllu.read(find([path], [])[0], Tables(), ReadContext())
    assert len(next(batches)) == 4
    with pytest.raises(FormatError):
        next(batches)


@pytest.mark.parametrize("content", ["It was a dark night.\n" * 3, "x " * 100, "1 a b c\n" * 99])
def test_files_that_are_not_conllu_are_refused(write, content):
    path = write(content)
    check_broken(path, (1, "tab"))


def test_truncated_gzip_is_refused(write):
    path = write(gzip.compress((DRINK * 1000).encode())[:-200], "a.conllu.gz")
    with pytest.raises(InputError, match=r"a\.conllu\.gz"):
        read(path)


WORDS = st.text(
    st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1, max_size=6
)


@st.composite
def corpora(draw):
    """A CoNLL-U file of some sentences, with all that may stand between and inside them."""
    words = [*draw(st.lists(WORDS, min_size=1, max_size=8)), "_"]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = []
    for size in draw(st.lists(st.integers(0, 7), max_size=12)):
        text += draw(st.lists(st.sampled_from(["# x", "#", "# a\tb"]), max_size=2))
        for i in range(1, size + 1):
            form, lemma = draw(st.sampled_from(words)), draw(st.sampled_from(words))
            tag, label = (draw(st.sampled_from(s)) for s in (["NOUN", "X", "_"], ["a", "b:c"]))
            head = draw(st.sampled_from(["_", *range(size + 1)]))
            text.append(line(i, form, lemma, tag, head, label).rstrip("\n"))
            text += draw(st.sampled_from([[], [line(f"{i}.1").rstrip()]]))
        text += [""] * draw(st.integers(1, 3))
    return end.join(text) + draw(st.sampled_from(["", end]))


@given(corpora(), st.integers(3, 400), st.integers(20, 400), st.booleans(), st.booleans())
def test_reader_equals_naive_reader_for_any_split(
    tmp_path_factory, text, block, piece, form, keep_case
):
    path = tmp_path_factory.getbasetemp() / "random.conllu"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK", block)
        found = read(path, form=form, keep_case=keep_case, piece=piece)
    assert found == sentences(text, form, keep_case)


@given(st.binary(max_size=90), st.integers(0, 70), st.text(max_size=90))
def test_utf_8_validation_equals_python(noise, shift, text):
    data = b"a" * shift + text.encode(errors="surrogatepass") + noise
    array = np.frombuffer(data, np.uint8)
    try:
        data.decode()
        expected = len(data)
    except UnicodeDecodeError as error:
        expected = error.start
    assert conllu_kernel.find_invalid_utf8(array, 0) == expected


@pytest.mark.parametrize("lead", range(0x80, 0x100))
def test_every_utf_8_lead_byte_is_validated(lead):
    for second in (0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0):
        for rest in (b"", b"\x80", b"\x80\xbf", b"\xbf\x80\x80"):
            data = bytes([lead, second]) + rest
            try:
                data.decode()
                expected = len(data)
            except UnicodeDecodeError as error:
                expected = error.start
            assert conllu_kernel.find_invalid_utf8(np.frombuffer(data, np.uint8), 0) == expected


def test_string_table_grows_for_many_distinct_strings(write):
    """The table grows several times, within one block and between blocks."""
    text = "".join(line(1, f"w{i}" * (i % 50), f"L{i % 7001}") + "\n" for i in range(30_000))
    path = write(text)
    assert read(path) == sentences(text)
    assert read(path, form=True) == sentences(text, form=True)


def test_strings_with_equal_hashes_are_distinguished(write):
    """FNV-1a maps these two to the same 31 bits."""
    first, second = colliding()
    text = line(1, lemma=first) + line(2, lemma=second) + line(3, lemma=first)
    assert [token[0] for token in read(write(text))[0]] == [first, second, first]


def colliding():
    seen = {}
    for i in range(1 << 20):
        text, hashed = f"{i:06d}", 0xCBF29CE484222325
        for byte in text.encode():
            hashed = (hashed ^ byte) * 0x100000001B3 % 2**64
        hashed = (hashed ^ hashed >> 32) % 2**31
        if hashed in seen:
            return seen[hashed], text
        seen[hashed] = text
    raise AssertionError("no two of a million hashes are equal")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("amalgum/news.conllu.gz", marks=pytest.mark.slow),
        "ud-english/en_ewt-dev.conllu",
    ],
)
def test_real_files_equal_naive_reader(shared_data, name):
    assert read(shared_data / name) == parsed(shared_data / name)


def test_real_file_in_small_blocks_equals_naive_reader(shared_data, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 5000)
    path = shared_data / "ud-english/en_ewt-dev.conllu"
    assert read(path, piece=100_000) == parsed(path)
