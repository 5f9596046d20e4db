"""Tables: columns are assigned to roles, and ambiguous ones are refused."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import duckdb
import pytest

from roget.core.io.problems import Problems
from roget.core.io.table import Columns, Roles, Table, open_table, parse_columns, split_columns
from roget.errors import flags_in_messages
from support.errors import refused


def looked_at(path: Path, columns: Columns = None, transpose: bool | None = None) -> Table:
    with open_table(path, columns, transpose=transpose) as table:
        return table


def written(folder: Path, name: str, *rows: str) -> Path:
    mark = "," if name.endswith(".csv") else "\t"
    path = folder / name
    path.write_text("".join(row.replace(" ", mark) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("suffix", [".tsv", ".csv"])
@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        ("noun verb count", "tea drink 3", {"word": 0, "context": 1, "count": 2}),
        ("verb noun freq", "drink tea 3", {"word": 1, "context": 0, "count": 2}),
        ("Verbs Objects n", "drink tea 3", {"word": 1, "context": 0, "count": 2}),
        ("noun verb hits", "tea drink 3", {"word": 0, "context": 1, "count": 2}),
        ("noun verb", "tea drink", {"word": 0, "context": 1}),
        ("head dependent", "drink tea", {"word": 1, "context": 0}),
        ("user item rating", "u i 5", {"word": 0, "context": 1, "count": 2}),
        ("user item", "u i", {"word": 0, "context": 1}),
        (
            "noun rel verb f mode",
            "tea obj drink 7 written",
            {"word": 0, "slot": 1, "context": 2, "count": 3},
        ),
        (
            "head relation dependent hits",
            "drink obj tea 7",
            {"word": 2, "slot": 1, "context": 0, "count": 3},
        ),
        ("lemma word context count", "go went to 2", {"word": 1, "context": 2, "count": 3}),
        ("word context year", "tea drink 1999", {"word": 0, "context": 1}),
    ],
)
def test_roles_are_inferred_from_header(
    tmp_path: Path, suffix: str, header: str, row: str, expected: dict[str, int]
) -> None:
    table = looked_at(written(tmp_path, f"pairs{suffix}", header, row))
    assert table.header
    assert dict(table.places) == expected


@pytest.mark.parametrize(
    ("name", "row", "expected"),
    [
        ("verb_object.tsv", "drink tea 3", {"word": 1, "context": 0, "count": 2}),
        ("verb-nouns.csv", "drink tea", {"word": 1, "context": 0}),
        ("noun_verb.tsv", "tea drink 3", {"word": 0, "context": 1, "count": 2}),
        (
            "verb_slot_noun.tsv",
            "drink obj tea 3",
            {"word": 2, "slot": 1, "context": 0, "count": 3},
        ),
        ("verb_slot_noun.tsv", "drink obj tea", {"word": 2, "slot": 1, "context": 0}),
        ("pairs.tsv", "drink tea 3", {"word": 0, "context": 1, "count": 2}),
        ("verb_noun_noun.tsv", "tea drink", {"word": 1, "context": 0}),
    ],
)
def test_roles_are_inferred_from_file_name(
    tmp_path: Path, name: str, row: str, expected: dict[str, int]
) -> None:
    table = looked_at(written(tmp_path, name, row, row))
    assert not table.header
    assert dict(table.places) == expected
    assert bool(table.note) == (expected["word"] > expected["context"])


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        (
            "a.tsv",
            ["subject verb object count", "dog eat bone 3"],
            "the word may be subject or object; .*--columns word=subject,context=verb,count=count",
        ),
        ("a.tsv", ["dog eat bone 3"], "has 4 columns: .*--columns word=1,context=2,count=4"),
        ("verb_object.tsv", ["eat obj bone 3"], "--columns word=1,context=2,count=4"),
        ("a.csv", ["subject verb object", "dog eat bone"], "the word may be subject or object"),
        ("a.csv", ["a b c"], "has 3 columns"),
        ("a.csv", ["id n day", "a 3 b"], "columns id, n, day: .*word=id,context=day,count=n"),
    ],
)
def test_ambiguous_columns_are_refused_with_a_working_suggestion(
    tmp_path: Path, name: str, rows: list[str], message: str
) -> None:
    path = written(tmp_path, name, *rows)
    with flags_in_messages(), refused("ambiguous-columns") as caught:
        looked_at(path)
    columns = str(caught.value).rpartition("--columns ")[2]
    with refused("ambiguous-columns") as caught:
        looked_at(path)
    keywords = ast.literal_eval(str(caught.value).rpartition("columns=")[2])
    places = looked_at(path, columns).places  # the suggestion works
    assert places
    assert places == looked_at(path, keywords).places


def test_columns_of_json_and_parquet_are_recognised(tmp_path: Path) -> None:
    record = {"verb": "drink", "slot": "obj", "noun": "tea", "count": 3}
    (tmp_path / "a.jsonl").write_text(json.dumps(record) + "\n")
    duckdb.sql(f"COPY (FROM '{tmp_path}/a.jsonl') TO '{tmp_path}/a.parquet'")
    for name in ("a.jsonl", "a.parquet"):
        assert dict(looked_at(tmp_path / name).places) == {
            "word": 2, "context": 0, "slot": 1, "count": 3
        }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "rows", "plain", "turned"),
    [
        ("verb_object.tsv", ["drink tea 3"], (0, 1), (1, 0)),
        ("a.tsv", ["verb noun n", "drink tea 3"], (0, 1), (1, 0)),
        ("a.tsv", ["context word n", "drink tea 3"], (1, 0), (0, 1)),
        ("a.tsv", ["tea drink 3"], (0, 1), (1, 0)),
    ],
)
def test_transpose_option_swaps_roles(
    tmp_path: Path, name: str, rows: list[str], plain: tuple[int, int], turned: tuple[int, int]
) -> None:
    path = written(tmp_path, name, *rows)
    for transpose, expected in ((False, plain), (True, turned)):
        places = looked_at(path, transpose=transpose).places
        assert (places["word"], places["context"]) == expected
    places = looked_at(path, "word=2,context=1", transpose=True).places
    assert (places["word"], places["context"]) == (0, 1)


def test_columns_option_accepts_every_form() -> None:
    options = {"word": "noun", "context": "verb", "count": "n"}
    for columns in (
        options,
        "word=noun,context=verb,count=n",
        "noun, verb, n",
        ["noun", "verb", "n"],
    ):
        assert parse_columns(columns) == options
        assert parse_columns(split_columns(columns)) == options
    assert parse_columns([2, 1]) == {"word": "2", "context": "1"}
    assert parse_columns(None) is None
    with refused("unknown-name", "'wrod'"):
        parse_columns("wrod=1,context=2")
    with refused("missing-column"):
        parse_columns("word=1,count=2")
    with refused("invalid-option"):
        parse_columns("1,2,3,4")


def test_rows_are_yielded_by_role_and_broken_rows_collected(tmp_path: Path) -> None:
    roles = Roles({"child": (), "parent": ("class",)})
    path = written(tmp_path, "a.csv", "Class child", "animal dog", "plant", "animal cat")
    problems = Problems(str(path))
    with open_table(path, roles=roles) as table:
        rows = list(table.rows(problems))
    assert rows == [
        (2, {"child": "dog", "parent": "animal"}),
        (4, {"child": "cat", "parent": "animal"}),
    ]
    with refused("broken-lines", "a.csv:3", "1", "2"):
        problems.check()


def test_real_table_with_slots_is_recognised(shared_data: Path) -> None:
    table = looked_at(shared_data / "bnc-verb-noun" / "triples.tsv")
    assert dict(table.places) == {"word": 0, "slot": 1, "context": 2, "count": 3}
    assert "noun" in table.note
    assert "rel:verb" in table.note


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("a.jsonl", '{"id": "1", "text": "A cat sat."}\n'),
        ("a.jsonl", f'{{"id": "1", "part": "{"cat " * 60}"}}\n'),
        ("a.csv", "id,content\n1,A cat sat.\n2,A dog ran.\n"),
        ("a.tsv", "source\tSentence\nx\tA cat sat.\ny\tA dog ran.\n"),
        ("a.tsv", "x\t" + "A cat sat. " * 20 + "\n"),
    ],
)
def test_tables_of_texts_are_refused(tmp_path, name, rows):
    (tmp_path / name).write_text(rows)
    with refused("unsupported-format", name, "--reader text"), open_table(tmp_path / name):
        pass
    with open_table(tmp_path / name, "1,2") as table:
        assert table.places == {"word": 0, "context": 1}


def test_words_named_text_are_read_if_the_roles_are_named(tmp_path):
    (tmp_path / "a.csv").write_text("word,context,text\na,b,c\n")
    with open_table(tmp_path / "a.csv") as table:
        assert table.places["context"] == 1


def test_text_may_be_a_word_of_the_first_row(tmp_path):
    (tmp_path / "a.tsv").write_text("text\tread\t4\nbody\twash\t3\n")
    with open_table(tmp_path / "a.tsv") as table:
        assert table.places == {"word": 0, "context": 1, "count": 2}
