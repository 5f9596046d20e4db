"""Files are opened, decompressed and read as tables in one place, for all commands."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import roget
from roget import Counts, InputError, build, count, score
from roget.cli import app
from roget.core.tree import Tree
from roget.data import sample
from roget.learn.load import open_counts
from roget.learn.thesaurus import Thesaurus
from support import zstd
from support.errors import refused

SOURCE = Path(roget.__file__).parent
PACK = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}
SUFFIXES = ["", *PACK]


def roget_does(*arguments: object) -> str:
    done = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def packed(folder: Path, name: str, text: str, suffix: str) -> Path:
    path = folder / f"{name}{suffix}"
    path.write_bytes(PACK.get(suffix, bytes)(text.encode()))
    return path


def pairs() -> str:
    random = np.random.default_rng(0)
    rows = [
        f"{verb}{j}\t{noun}{i}\t{1 + random.integers(5)}"
        for verb, noun in (("drink", "tea"), ("read", "book"))
        for i in range(6)
        for j in range(4)
    ]
    return "\n".join([*rows, "have\ttea0\t2500", "have\tbook0\t2500\n"])


@pytest.fixture(scope="module")
def thesaurus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seams")
    (folder / "verb_object.tsv").write_text(pairs())
    build(folder / "verb_object.tsv", output=folder / "t", method="mdl", heldout=False)
    return folder / "t"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_command_reads_every_compression(
    tmp_path: Path, suffix: str, thesaurus: Path
) -> None:
    table = packed(tmp_path, "verb_object.tsv", pairs(), suffix)
    nouns = {f"{noun}{i}" for noun in ("tea", "book") for i in range(6)}
    roget_does("count", table, "-o", tmp_path / "c")
    assert set(Counts.read(tmp_path / "c").words) == set(Counts.read(table).words) == nouns
    shown = json.loads(roget_does("count", "--show", table, "--format", "json"))
    assert shown["shape"] == [12, 9]
    found = json.loads(roget_does("classify", thesaurus, table, "--format", "json"))
    assert {one["word"] for one in found["words"]} == nouns
    for command in ("heldout", "decide"):
        arguments = ["-m", "unigram", "--format", "json", "--top", "10"]
        number = ["--splits", "1"] if command == "heldout" else ["--draws", "1", "--pairs", "3"]
        assert json.loads(roget_does(command, table, *arguments, *number))
    links = packed(tmp_path, "taxonomy.tsv", "".join(f"{one}\tthing\n" for one in nouns), suffix)
    preferred = roget_does("prefer", table, "drink0", "--thesaurus", links, "--format", "json")
    assert json.loads(preferred)["classes"]
    roget_does("export", links, "-o", tmp_path / "taxonomy.json")
    text = "1\tDrink\tdrink\tVERB\t_\t_\t0\troot\t_\t_\n2\ttea\ttea\tNOUN\t_\t_\t1\tobj\t_\t_\n\n"
    parsed = packed(tmp_path, "text.conllu", text, suffix)
    roget_does("count", parsed, "-o", tmp_path / "p.tsv")
    assert (tmp_path / "p.tsv").read_text().splitlines()[1] == "tea\tobj:drink\t1"
    gold = packed(tmp_path, "gold.tsv", "item\tlabel\na\tx\nb\ty\n", suffix)
    assert "homogeneity" in roget_does("score", gold, gold)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_quadruples_are_read_from_every_compression(tmp_path: Path, suffix: str) -> None:
    from roget.learn.attachment.quads import read

    lines = packed(tmp_path, "a.txt", "0 eat pizza with fork V\n", suffix)
    headed = "attachment,verb,noun1,preposition,noun2\nV,eat,pizza,with,fork\n"
    assert (
        read(lines)
        == read(packed(tmp_path, "a.csv", headed, suffix))
        == [("eat", "pizza", "with", "fork", "V")]
    )


def test_builds_from_counts_and_from_table_are_equal(tmp_path: Path) -> None:
    rows = [line.replace("\t", "\tobj\t", 1) for line in pairs().splitlines()]
    headed = "\n".join(["verb\tslot\tnoun\tfreq", *rows])
    for name, text in (("verb_object.tsv", pairs()), ("t.tsv", headed)):
        (tmp_path / name).write_text(text)
        options = {"method": "mdl", "heldout": False, "min_count": 1}
        straight = build(tmp_path / name, **options)
        counts = count(tmp_path / name, output=tmp_path / f"{name}.counts")
        again = build(tmp_path / f"{name}.counts", **options)
        assert straight.counts == again.counts == counts == Counts.read(tmp_path / name)
        assert counts == open_counts(tmp_path / name)[0]
        assert (straight.counts.slots == again.counts.slots).all()
        assert straight.tree == again.tree


def test_sample_name_is_accepted_by_every_command(thesaurus: Path) -> None:
    name = "verb_object"
    assert open_counts(name)[0] == sample(name)
    assert open_counts("sample")[0] == open_counts("nouns")[0] == sample()
    shown = json.loads(roget_does("count", "--show", name, "--format", "json"))
    assert shown["shape"] == [9994, 3609]
    found = json.loads(roget_does("classify", thesaurus, name, "--format", "json"))
    assert len(found["words"]) == 9994
    arguments = ("-m", "unigram", "--top", "20", "--format", "json")
    assert json.loads(roget_does("heldout", name, "--splits", "1", *arguments))
    assert json.loads(roget_does("decide", name, "--draws", "1", "--pairs", "3", *arguments))


def test_real_tables_equal_bundled_samples(shared_data: Path) -> None:
    for name in ("verb_object", "verb_slot_noun"):
        assert Counts.read(shared_data / "amalgum" / f"{name}.tsv") == sample(name)


def test_only_core_io_connects_to_duckdb() -> None:
    found = [
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.py")
        if re.search(r"\bduckdb\.(connect|sql|execute|query|read_\w+)\(", file.read_text())
    ]
    assert found == ["core/io/duck.py"]


def test_json_is_parsed_in_one_place() -> None:
    """Deeply nested values are reported as errors there instead of ending the program."""
    found = [
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.py")
        if re.search(r"\bjson\.loads?\(", file.read_text())
    ]
    # The database quotes its own messages as JSON; core/io/values.py has a decoder.
    assert found == ["core/io/duck.py"]


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_deeply_nested_values_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("[" * 100_000)
    (tmp_path / "g.tsv").write_text("a\tx\nb\ty\n")
    for options in ({}, {"levels": "lists"}, {"labels": "jsonl"}):
        with pytest.raises(InputError) as caught:
            score(tmp_path / name, tmp_path / "g.tsv", **options)
        assert name in str(caught.value)
    with refused("broken-lines", "x.json"):
        count(tmp_path / name, output=tmp_path / "c")


def test_counts_of_a_thesaurus_equal_its_source(tmp_path):
    counts = Counts([[3, 1], [0, 2]], ["tea", "gin"], ["drink", "sip"])
    made = Thesaurus.from_parts(counts, Tree(), [[1.0]] * 2, [[0.5, 0.5]], [1.0])
    made.save(tmp_path / "t")
    assert open_counts(tmp_path / "t") == (counts, ())
    with pytest.raises(InputError):
        open_counts(tmp_path / "t", "1,2")
