"""Answers: changes made by spreadsheets are tolerated, unreadable lines are named."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget import InputError
from roget.core.intervals import wilson
from roget.errors import FormatError
from roget.learn.evaluation.answers import (
    ALL,
    UNSURE,
    VERDICTS,
    Judgement,
    is_key,
    judge_answers,
    read_answers,
    read_key,
    split_files,
    tabulate_key,
    tabulate_sheet,
)
from roget.learn.evaluation.sheets import INTRUSION, MADE_UP, READING, Question, QuestionSheet
from support.errors import refused

QUESTIONS = (
    Question(1, 7, "drinks", ("tea", "Ale", "hut"), "hut"),
    Question(2, 9, 'arms, "all"', ("gun", "poem", "café"), "poem"),
    Question(3, 4, "", ("inn, old", "milk", "pub"), "milk"),
)
SHEET = QuestionSheet(INTRUSION, QUESTIONS)
READ = QuestionSheet(
    READING,
    (
        Question(1, 7, "drinks", ("tea", "ale", "gin", "rum"), ""),
        Question(2, None, "", ("tea", "hut", "gun"), MADE_UP),
        Question(3, 8, "arms", ("gun", "bow"), ""),
    ),
)


def write(path, table, delimiter=",", encoding="utf-8", end="\n"):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows([table[0], *table[1]])
    path.write_bytes(out.getvalue().encode(encoding))
    return path


def fill(sheet, *answers):
    """The table of a sheet with answers in its last column."""
    names, rows = tabulate_sheet(sheet)
    return names, [[*row[:-1], answer] for row, answer in zip(rows, answers, strict=True)]


@pytest.mark.parametrize("sheet", [SHEET, READ], ids=lambda sheet: sheet.kind)
def test_written_key_is_read_back(tmp_path, sheet):
    key = write(tmp_path / "key.csv", tabulate_key(sheet))
    assert read_key(key) == sheet
    edited = write(tmp_path / "e.csv", tabulate_key(sheet), ";", "utf-8-sig", "\r\n")
    assert read_key(edited) == sheet
    assert is_key(key)
    assert not is_key(write(tmp_path / "s.csv", tabulate_sheet(sheet)))


def test_blank_sheet_has_no_answers(tmp_path):
    for sheet in (SHEET, READ):
        path = write(tmp_path / "s.csv", tabulate_sheet(sheet))
        assert read_answers(path, sheet) == [-1, -1, -1]
        with refused("empty-input", "s.csv"):
            judge_answers(sheet, {"a": path})


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_changes_by_spreadsheets_are_tolerated(tmp_path, delimiter, encoding, end):
    names, rows = fill(SHEET, " HUT ", "2", "?")
    rows = [[f"{row[0]}.0", *map(str.upper, row[1:])] for row in rows]
    blank = [""] * len(names)
    messed = [name.title() for name in names], [blank, rows[2], blank, rows[0], rows[1], blank]
    path = write(tmp_path / "s.csv", messed, delimiter, encoding, end)
    assert read_answers(path, SHEET) == [2, 1, 3]
    with open(path, "ab") as file:
        file.write(end.encode() * 3)
    assert read_answers(path, SHEET) == [2, 1, 3]


@pytest.mark.parametrize(
    ("answer", "code"),
    [("coherent", 0), ("Mixed", 1), ("j", 2), ("3", 2), (" M ", 1), ("?", 3), ("", -1)],
)
def test_verdicts_may_be_short(tmp_path, answer, code):
    path = write(tmp_path / "s.csv", fill(READ, answer, "", ""))
    assert read_answers(path, READ) == [code, -1, -1]


def test_columns_may_be_named_if_the_header_is_lost(tmp_path):
    _, rows = fill(SHEET, "hut", "poem", "pub")
    path = write(tmp_path / "s.csv", (rows[0], rows[1:]))
    with pytest.raises(InputError, match="columns="):
        read_answers(path, SHEET)
    assert read_answers(path, SHEET, "line=1,answer=5") == [2, 1, 2]


HEAD = ["line", "intruder"]
BROKEN = {
    "'sword'": (3, fill(SHEET, "hut", "sword", "")),
    "'4'": (3, fill(SHEET, "hut", "4", "")),
    "'0'": (2, fill(SHEET, "0", "", "")),
    "'9'": (2, (HEAD, [["9", "hut"]])),
    "''": (2, (HEAD, [["", "hut"]])),
    "line 1": (3, (HEAD, [["1", "hut"], ["1", "tea"]])),
    "line 1 has 'inn' where the key has 'hut'": (
        2,
        ([HEAD[0], "word 1", "word 2", "word 3", HEAD[1]], [["1", "tea", "ale", "inn", ""]]),
    ),
    "3 fields": (2, (HEAD, [["1", "hut", ""]])),
}


@pytest.mark.parametrize("named", BROKEN)
def test_broken_sheets_name_file_line_and_value(tmp_path, named):
    line, table = BROKEN[named]
    path = write(tmp_path / "s.csv", table)
    with refused("broken-lines", f"{path}:{line}: ", named):
        read_answers(path, SHEET)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("tea, ALE, gin, rum", ""),
        ("tea, ale, rum, gin", "line 1 has 'rum' where the key has 'gin'"),
        ("tea, ale, gin", "line 1 has '' where the key has 'rum'"),
        ("tea, ale, gin, rum, mead", "line 1 has 'mead' where the key has ''"),
    ],
)
def test_words_of_a_reading_sheet_are_verified(tmp_path, words, named):
    path = write(tmp_path / "s.csv", (["line", "words", "verdict"], [["1", words, "c"]]))
    if named:
        with refused("broken-lines", named):
            read_answers(path, READ)
    else:
        assert read_answers(path, READ) == [0, -1, -1]


def test_all_broken_lines_are_listed_at_once(tmp_path):
    path = write(tmp_path / "s.csv", fill(SHEET, "x", "y", "z"))
    with pytest.raises(FormatError) as raised:
        read_answers(path, SHEET)
    assert len(raised.value.problems) == 3


@pytest.mark.parametrize(
    ("column", "value", "place", "named"),
    [
        ("line", "one", "key.csv:2: ", "'one'"),
        ("line", "2", "key.csv:3: ", "'2'"),
        ("kind", "guess", "key.csv:2: ", "'guess'"),
        ("answer", "mead", "key.csv:2: ", "'mead'"),
    ],
)
def test_broken_keys_are_named(tmp_path, column, value, place, named):
    names, rows = tabulate_key(SHEET)
    rows[0][names.index(column)] = value
    with refused("broken-lines", place, named):
        read_key(write(tmp_path / "key.csv", (names, rows)))


def test_kinds_are_not_mixed(tmp_path):
    names, rows = tabulate_key(SHEET)
    rows[1][names.index("kind")], rows[1][names.index("answer")] = READING, ""
    with refused("invalid-input", "key.csv", 2):
        read_key(write(tmp_path / "key.csv", (names, rows)))


def test_key_is_found_among_files(tmp_path):
    key = write(tmp_path / "k.csv", tabulate_key(SHEET))
    ann, ben = (write(tmp_path / name, fill(SHEET, "hut", "", "")) for name in ("a.csv", "b.csv"))
    files = {"a": ann, "k": key, "b": ben}
    assert split_files(files) == (key, {"a": ann, "b": ben})
    with refused("invalid-input", "0 of 1"):
        split_files({"a": ann})
    with refused("invalid-input", "2 of 2"):
        split_files({"a": key, "b": key})
    with refused("missing-option"):
        judge_answers(key, {})
    with pytest.raises(InputError, match=r"gone\.csv"):
        split_files({"a": tmp_path / "gone.csv"})


CODES = st.lists(st.lists(st.integers(-1, 3), min_size=3, max_size=3), min_size=1, max_size=4)


@given(CODES)
def test_shares_are_counted_line_by_line(codes):
    found = Judgement(INTRUSION, QUESTIONS, tuple("abcd"[: len(codes)]), np.array(codes))
    right = [2, 1, 1]
    shares = {one.who: one for one in found.share_found()}
    for name, own in zip("abcd", codes, strict=False):
        given = [(code, at) for at, code in enumerate(own) if code >= 0]
        if given:
            good = sum(code == right[at] for code, at in given)
            assert shares[name][1:] == (
                good,
                len(given),
                good / len(given),
                *wilson(good, len(given)),
            )
        else:
            assert name not in shares
    means = []
    for at in range(3):
        given = [own[at] for own in codes if own[at] >= 0]
        if given:
            means.append(sum(code == right[at] for code in given) / len(given))
    if len(codes) > 1 and means:
        assert shares[ALL].items == len(means)
        assert shares[ALL].share == pytest.approx(np.mean(means))
        assert (shares[ALL].low, shares[ALL].high) == pytest.approx(wilson(sum(means), len(means)))
    for at, line in enumerate(found.lines()):
        given = [own[at] for own in codes if own[at] >= 0]
        assert (line.answered, line.right) == (len(given), given.count(right[at]))
        words = [*QUESTIONS[at].words, UNSURE]
        assert dict(line.answers) == {words[code]: given.count(code) for code in given}


def test_guessing_finds_intruders_by_chance():
    rng = np.random.default_rng(0)
    questions = tuple(
        Question(line, 0, "", words := tuple("abcdef"), words[int(rng.integers(6))])
        for line in range(1, 3001)
    )
    codes = rng.integers(6, size=(3, 3000))
    found = Judgement(INTRUSION, questions, ("a", "b", "c"), codes)
    assert found.chance == pytest.approx(1 / 6)
    for one in found.share_found():
        assert one.share == pytest.approx(found.chance, abs=0.02)
        assert one.low < found.chance < one.high
    assert found.agreement == pytest.approx(found.chance, abs=0.01)
    assert found.alpha == pytest.approx(0, abs=0.02)


def test_verdicts_are_separate_for_classes_and_made_up_lines():
    codes = np.array([[0, 2, 1], [0, 1, -1]])
    found = Judgement(READING, READ.questions, ("a", "b"), codes)
    shares = {
        (made_up, verdict, one.who): one.share
        for made_up, verdict, some in found.verdicts()
        for one in some
    }
    assert len(shares) == 2 * len(VERDICTS) * 3
    assert shares[False, "coherent", "a"] == 0.5
    assert shares[False, "coherent", ALL] == 0.5
    assert shares[False, "mixed", "b"] == 0
    assert shares[True, "junk", ALL] == 0.5
    assert found.chance is None
    assert [line.right for line in found.lines()] == [2, 0, 0]


def test_single_annotator_has_no_agreement():
    found = Judgement(INTRUSION, QUESTIONS, ("a",), np.array([[2, 1, 0]]))
    assert (found.alpha, found.agreement) == (None, None)
    (one,) = found.share_found()
    assert (one.who, one.right, one.items) == ("a", 2, 3)
