"""Reading quadruples: formats, counts, broken lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from roget.core.quadruple import Quadruple
from roget.data import sample
from roget.errors import FormatError, InputError
from roget.learn.attachment.quads import (
    QuadrupleLine,
    check_answers,
    check_quadruples,
    format_line,
    parse,
    read,
)

FORK = Quadruple("eat", "pizza", "with", "fork", "V")


@pytest.mark.parametrize(
    "text",
    ["17 eat pizza with fork V", "eat pizza with fork v", "eat\tpizza\twith\tfork\tV\n"],
)
def test_every_format_gives_the_same(text: str) -> None:
    assert format_line(text, answered=True) == QuadrupleLine(FORK)


@pytest.mark.parametrize(
    "text", ["eat pizza with fork", "eat\tpizza\twith\tfork", "17 eat pizza with fork"]
)
def test_lines_without_answer(text: str) -> None:
    found = format_line(text, answered=False)
    assert isinstance(found, QuadrupleLine)
    assert found.quadruple == FORK._replace(attachment="")
    assert isinstance(format_line(text, answered=True), str)


def test_a_tab_keeps_blanks_and_a_count_repeats(tmp_path: Path) -> None:
    file = tmp_path / "quads.tsv"
    file.write_text("take part\tin\tof\tit\tN\t3\neat\tpizza\twith\tfork\tV\n\n")
    assert read(file) == [Quadruple("take part", "in", "of", "it", "N")] * 3 + [FORK]


def test_gzip(tmp_path: Path) -> None:
    file = tmp_path / "quads.tsv.gz"
    file.write_bytes(gzip.compress(b"0 eat pizza with fork V\n"))
    assert read(file) == [FORK]


def test_the_bundled_sample() -> None:
    assert read("sample") == sample("pp_quads")


def test_broken_lines_are_named_after_the_good_ones() -> None:
    given = enumerate(["eat pizza with fork", "one two", "7 a b c"], 1)
    lines = parse(given, "<stdin>", answered=False)
    assert next(lines).quadruple[:4] == FORK[:4]
    with pytest.raises(FormatError, match=r"(?s)<stdin>:2: 'one two'; expected verb.*<stdin>:3:"):
        list(lines)


@pytest.mark.parametrize("count", ["0", "-1", "x", "1.5", "99999999999"])
def test_broken_counts(tmp_path: Path, count: str) -> None:
    file = tmp_path / "quads.tsv"
    file.write_text(f"a\tb\tc\td\tN\t{count}\n")
    with pytest.raises(FormatError, match=r"quads.tsv:1: .* expected a whole count"):
        read(file)


def test_files_without_quadruples(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read(tmp_path / "none")
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(InputError, match="there is no quadruple"):
        read(tmp_path / "empty")


def test_quadruples_of_python() -> None:
    assert check_quadruples([FORK[:4]], ["V"]) == [FORK]
    assert check_answers([FORK, FORK._replace(attachment="N")]) == [False, True]
    for wrong, said in (
        (["eat pizza with fork"], "expected verb"),
        ([("a", "b", "c")], "expected verb"),
        ([("a", "", "c", "d")], "not empty"),
        ([(1, "b", "c", "d")], "expected verb"),
    ):
        with pytest.raises(InputError, match=said):
            check_quadruples(wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="2 answers to 1 quadruples"):
        check_quadruples([FORK], "NV")
    with pytest.raises(InputError, match="expected N or V"):
        check_answers(check_quadruples([FORK[:4]], ["X"]))
