"""`roget why`: contexts, counts and lines in every format; none of them in exports."""

from __future__ import annotations

import json
import lzma
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import roget
from roget import catalogue
from roget.cli import app
from roget.core.counts import evidence
from roget.errors import InputError
from roget.learn.options import ORDERS
from roget.learn.thesaurus import Thesaurus, lookup
from roget.learn.thesaurus.neighbours import compare_words
from roget.report.exports import booklet, export
from roget.report.why import report
from support.errors import mentions, refused

FICTION = Path(__file__).parents[2] / "docs/examples/fiction.conllu.xz"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thesaurus of real text, with sentences."""
    folder = tmp_path_factory.mktemp("why")
    with lzma.open(FICTION, "rt", encoding="utf-8") as packed:
        text = packed.read()
    file = folder / "fiction.conllu"
    file.write_text(text[: text.index("\n\n", 3 << 20) + 2], encoding="utf-8")
    roget.build(file, output=folder / "t", heldout=False, clusters=8, method="mdl", top=400)
    return folder / "t"


def why(*arguments: object, columns: int = 100) -> str:
    done = CliRunner().invoke(app, ["why", *map(str, arguments)], env={"COLUMNS": str(columns)})
    assert done.exit_code == 0, done.output
    return str(done.stdout)


def test_why_explains_two_words(built: Path) -> None:
    found = json.loads(why(built, "man", "woman", "-n", 3, "--lines", 2, "--format", "json"))
    thesaurus = roget.load(built)
    assert [one["word"] for one in found["words"]] == ["man", "woman"]
    shared = lookup.shared_evidence(thesaurus, "man", "woman", 3)
    assert [one["context"] for one in found["contexts"]] == [one.context for one in shared]
    for one in found["contexts"]:
        for word, n in one["counts"].items():
            assert n == thesaurus.counts.count(word, one["context"]) > 0
            lines = one["lines"][word]
            assert len(lines) == min(n, 2)
            for line in lines:
                begin, end = line["word"]
                assert line["text"][begin:end] == line["keyword"]
                assert line["left"] + line["keyword"] + line["right"] == line["text"]
    rows = [[thesaurus.row(word)] for word in ("man", "woman")]
    assert found["similarity"] == compare_words(thesaurus, *map(np.array, rows))[0]


@pytest.mark.parametrize("columns", [80, 120])
def test_keywords_are_aligned(built: Path, columns: int) -> None:
    shown = why(built, "man", "--context", "~amod:old", "--sort", "left", columns=columns)
    lines = [line for line in shown.splitlines() if "fiction.conllu:" in line]
    places = {line.index("  man  " if "  man  " in line else "  men  ") for line in lines}
    assert len(lines) > 2
    assert len(places) == 1
    assert max(map(len, shown.splitlines())) <= columns


def test_every_format_is_supported(built: Path, tmp_path: Path) -> None:
    for name in catalogue.names("renderers"):
        text = why(built, "man", "--context", "~amod:old", "--format", name)
        # People read the context in words, programs its code.
        assert ("~amod:old" if name in ("json", "csv", "tsv") else "old ") in text, name
    why(built, "man", "-o", tmp_path / "why.html")
    assert "<html" in (tmp_path / "why.html").read_text(encoding="utf-8")


def test_one_word_twice_is_refused(built: Path) -> None:
    with refused("conflicting-options", "man"):
        report(roget.load(built), "man", "man")
    with pytest.raises(InputError, match="'999"):
        report(roget.load(built), "man", into="9" * 5000)


def test_why_explains_a_class(built: Path) -> None:
    thesaurus = roget.load(built)
    node = int(thesaurus.places[thesaurus.row("man")])
    found = json.loads(why(built, "man", "--class", node, "--format", "json"))
    assert found == json.loads(why(built, "man", "--class", "man", "--format", "json"))
    assert found == json.loads(
        why(built, "man", "--class", thesaurus.label(node), "--format", "json")
    )
    assert found["class"]["node"] == node != found["against"]["node"]
    weights = [one["weight"] for one in found["contexts"]]
    assert weights == sorted(weights, reverse=True)


def test_weights_sum_to_the_log_odds() -> None:
    counts = roget.Counts([[4, 2, 0, 1], [3, 3, 1, 0], [0, 1, 5, 2]], list("abc"), list("vwxy"))
    centroids = np.array([[0.5, 0.3, 0.1, 0.1], [0.1, 0.2, 0.5, 0.2]])
    mass = np.array([0.7, 0.3])
    belongs = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    tree = roget.core.tree.Tree().split(0, 1.0)
    thesaurus = Thesaurus.from_parts(counts, tree, belongs, centroids, mass)
    left, right = tree.leaves(0)
    found = lookup.reasons(thesaurus, "a", int(left))
    (one, other) = (int(tree.cluster[node]) for node in (left, right))
    before = np.log(mass[one] / mass[other])
    naive = {
        context: counts.count("a", context) * np.log(centroids[one, at] / centroids[other, at])
        for at, context in enumerate("vwxy")
        if counts.count("a", context)
    }
    assert found.against == right
    assert {reason.context: reason.weight for reason in found.contexts} == pytest.approx(naive)
    assert found.odds == pytest.approx(before + sum(naive.values()))
    assert found.odds == pytest.approx(np.log(found.probability / found.other))


def test_thesaurus_without_sentences_shows_contexts() -> None:
    counts = roget.Counts([[9, 1, 0], [8, 2, 0], [0, 1, 7]], ["tea", "ale", "book"], list("abc"))
    model = roget.SoftAnnealing(2, random_state=0).fit(counts)
    thesaurus = Thesaurus.from_clustering(counts, model)
    from roget.report.why import report

    made = report(thesaurus, "tea", "ale")
    assert not thesaurus.counts.evidence is not None
    assert lookup.find_lines(thesaurus, "tea") == []
    assert made.data["contexts"][0]["counts"] == {"tea": 9, "ale": 8}
    assert mentions(made.talk[0], "--evidence 3")
    with refused("conflicting-options", "--class"):
        report(thesaurus, "tea", "ale", "book")
    with pytest.raises(InputError, match="'cider'"):
        report(thesaurus, "tea", into="cider")


def test_edits_and_saving_keep_sentences(built: Path, tmp_path: Path) -> None:
    thesaurus = roget.load(built)
    lines = lookup.find_lines(thesaurus, "man", n=50)
    assert lines
    edited = thesaurus.editor.move("man", int(thesaurus.places[0])).editor.rename(1, "people")
    assert lookup.find_lines(edited, "man", n=50) == lines
    edited.save(tmp_path / "edited")
    assert lookup.find_lines(roget.load(tmp_path / "edited"), "man", n=50) == lines


def test_tables_are_read_lazily(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from roget.core.folder import Folder

    tables = Folder.tables

    def read(self: Folder, *names: str) -> Any:
        assert not names, "one was read that nobody asked for"
        return tables(self)

    monkeypatch.setattr(Folder, "tables", read)
    thesaurus = roget.load(built)
    assert thesaurus.counts.evidence is not None
    thesaurus.neighbours("man", 3)


def test_exports_contain_no_sentence(built: Path, tmp_path: Path) -> None:
    thesaurus = roget.load(built)
    kept = thesaurus.counts.evidence
    assert kept is not None
    texts = {line.text for word in thesaurus.words[:100] for line in kept.lines(word, n=20)}
    needles = {text[:40].encode() for text in texts if len(text) > 60}
    assert len(needles) > 100
    for name in catalogue.names("exporters"):
        if name == "pdf" and not any(map(shutil.which, booklet.BROWSERS)):
            continue  # printed by a browser, which this machine lacks
        target = tmp_path / f"out.{name}"
        export(thesaurus, target, name)
        files = [target] if target.is_file() else [*target.iterdir()]
        assert files
        for file in files:
            data = file.read_bytes()
            assert not any(needle in data for needle in needles), (name, file.name)
            assert file.name not in evidence.TABLES, name


def test_sort_orders_equal_those_of_evidence() -> None:
    assert evidence.SORTS == ORDERS


def test_taxonomy_without_contexts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("child\tparent\ntea\tdrink\nmilk\tdrink\n")
    done = CliRunner().invoke(app, ["why", str(tmp_path / "t.tsv"), "tea"])
    assert isinstance(done.exception, InputError)
    assert done.exception.code == "unsupported-format"
    assert "t.tsv" in str(done.exception)
