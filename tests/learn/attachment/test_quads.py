"""Reading quadruples: formats, counts, broken lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from roget.core.quadruple import Quadruple
from roget.data import sample
from roget.learn.attachment.quads import (
    QuadrupleLine,
    check_answers,
    check_quadruples,
    parse,
    parse_line,
    read,
)
from support.errors import refused

FORK = Quadruple("eat", "pizza", "with", "fork", "V")


@pytest.mark.parametrize(
    "text",
    ["17 eat pizza with fork V", "eat pizza with fork v", "eat\tpizza\twith\tfork\tV\n"],
)
def test_every_line_format_gives_the_same_quadruple(text: str) -> None:
    assert parse_line(text, answered=True) == QuadrupleLine(FORK)


@pytest.mark.parametrize(
    "text", ["eat pizza with fork", "eat\tpizza\twith\tfork", "17 eat pizza with fork"]
)
def test_lines_without_answer_are_read_on_request(text: str) -> None:
    found = parse_line(text, answered=False)
    assert isinstance(found, QuadrupleLine)
    assert found.quadruple == FORK._replace(attachment="")
    assert isinstance(parse_line(text, answered=True), str)


def test_tabs_allow_blanks_in_words_and_counts_repeat_lines(tmp_path: Path) -> None:
    file = tmp_path / "quads.tsv"
    file.write_text("take part\tin\tof\tit\tN\t3\neat\tpizza\twith\tfork\tV\n\n")
    assert read(file) == [Quadruple("take part", "in", "of", "it", "N")] * 3 + [FORK]


def test_gzip_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "quads.tsv.gz"
    file.write_bytes(gzip.compress(b"0 eat pizza with fork V\n"))
    assert read(file) == [FORK]


def test_sample_name_reads_bundled_quadruples() -> None:
    assert read("sample") == sample("pp_quads")


def test_broken_lines_are_reported_after_valid_ones() -> None:
    given = enumerate(["eat pizza with fork", "one two", "7 a b c"], 1)
    lines = parse(given, "<stdin>", answered=False)
    assert next(lines).quadruple[:4] == FORK[:4]
    with refused("broken-lines", "<stdin>:2: 'one two'", "<stdin>:3:"):
        list(lines)


@pytest.mark.parametrize("count", ["0", "-1", "x", "1.5", "99999999999"])
def test_invalid_counts_are_refused(tmp_path: Path, count: str) -> None:
    file = tmp_path / "quads.tsv"
    file.write_text(f"a\tb\tc\td\tN\t{count}\n")
    with refused("broken-lines", "quads.tsv:1:", count):
        read(file)


def test_files_without_quadruples_are_refused(tmp_path: Path) -> None:
    with refused("file-not-found", "none"):
        read(tmp_path / "none")
    (tmp_path / "empty").write_text("\n")
    with refused("empty-input", "empty"):
        read(tmp_path / "empty")


def test_quadruples_passed_in_python_are_checked() -> None:
    assert check_quadruples([FORK[:4]], ["V"]) == [FORK]
    assert check_answers([FORK, FORK._replace(attachment="N")]) == [False, True]
    for wrong, code in (
        (["eat pizza with fork"], "invalid-input"),
        ([("a", "b", "c")], "invalid-input"),
        ([("a", "", "c", "d")], "empty-field"),
        ([(1, "b", "c", "d")], "invalid-input"),
    ):
        with refused(code, "quadruple 0"):
            check_quadruples(wrong)  # type: ignore[arg-type]
    with refused("length-mismatch", 2, 1):
        check_quadruples([FORK], "NV")
    with refused("missing-label", "N or V"):
        check_answers(check_quadruples([FORK[:4]], ["X"]))
