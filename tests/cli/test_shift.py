"""`roget shift` on the command line."""

from __future__ import annotations

import csv
import io
import json
import re
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import roget
from roget.cli import app
from roget.errors import RogetError, code_of
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.thesaurus import keep_spare
from roget.learn.usage.shift import shift


def run(*arguments, columns=100):
    """What a command says; errors as `roget` prints them."""
    done = CliRunner().invoke(app, ["shift", *map(str, arguments)], env={"COLUMNS": str(columns)})
    if isinstance(done.exception, RogetError):
        message = f"{done.exception} [{code_of(done.exception)}]"
        return SimpleNamespace(returncode=1, stdout=done.stdout, stderr=message)
    return SimpleNamespace(returncode=done.exit_code, stdout=done.stdout, stderr=done.stderr)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    place = tmp_path_factory.mktemp("shift")
    old, new = roget.data.sample("nouns").top(300).split(0.5, random_state=0)
    names = new.words.copy()
    at = [new.word_id("disease"), new.word_id("village")]
    names[at] = names[at[::-1]]
    new = roget.Counts(new.matrix, names, new.contexts, slots=new.slots).select(
        [word for word in names if word != "house"]
    )
    for name, one in (("old", old), ("new", new)):
        one.drop_empty().write(place / name)
    return place / "old", place / "new"


def test_words_with_largest_change_come_first(folders):
    done = run(*folders, "-n", 4)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert re.match(r"299 words .* 20 .*: 2 differ", lines[2])
    assert {line.split()[0] for line in lines if "<.001" in line} >= {"disease", "village"}
    assert "only in the old" in done.stdout
    assert "house" in done.stdout
    assert "only in the new" not in done.stdout
    for width in (60, 100):
        output = run(*folders, columns=width).stdout.splitlines()
        assert max(map(len, output)) <= width


def test_json_and_csv_have_all_digits(folders):
    found = json.loads(run(*folders, "-n", 3, "--changes", 2, "--format", "json").stdout)
    right = shift(*map(roget.Counts.read, folders), n=3, changes=2)
    assert [one["word"] for one in found["words"]] == [one.word for one in right.changes]
    for entry, one in zip(found["words"], right.changes, strict=True):
        for name in ("divergence", "expected", "change", "least", "z", "p", "q", "q_usual"):
            assert entry[name] == getattr(one, name)
        assert [c["context"] for c in entry["lost"]] == [c.context for c in one.lost]
        assert {*entry["lost"][0]} == {"context", "counts", "scores", "part"}
    assert [one["word"] for one in found["vanished"]] == ["house"]
    assert found["usual"]["median"] == right.usual[0]
    rows = [*csv.DictReader(io.StringIO(run(*folders, "--format", "csv").stdout))]
    assert rows[0]["word"] in ("disease", "village")
    assert rows[-1]["word"] == "house"
    assert rows[-1]["new"] == "0"


def test_html_page_is_written(folders, tmp_path):
    done = run(*folders, "-n", 5, "-o", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "page.html").read_text()
    assert "<h1>Words whose use changed" in text
    assert text.count('class="card"') == 6
    assert "<bdi>chronic …</bdi>" in text


def test_words_can_be_selected(folders):
    found = json.loads(run(*folders, "time", "disease", "house", "--format", "json").stdout)
    assert [one["word"] for one in found["words"]] == ["time", "disease"]
    assert [one["word"] for one in found["vanished"]] == ["house"]


def test_min_count_is_respected(folders):
    done = run(*folders, "--min-count", 10**6)
    assert "0 words" in done.stdout
    assert "1,000,000" in done.stdout
    assert "--min-count [too-little-text]" in done.stderr


def test_errors_are_explained(folders, tmp_path):
    for arguments, message, code in (
        ((*folders, "diseas"), "no word 'diseas': did you mean 'disease'", "unknown-name"),
        ((folders[0], tmp_path / "none"), f"{tmp_path / 'none'}: ", "file-not-found"),
        ((*folders, "-r", "obj"), "'obj'", "conflicting-options"),
        ((*folders, "--quotes", 1), "--quotes 1: ", "conflicting-options"),
        ((folders[0], "documents"), "", "no-common-contexts"),
    ):
        done = run(*arguments)
        assert done.returncode == 1
        assert message in done.stderr
        assert done.stderr.endswith(f" [{code}]"), done.stderr
        assert done.stdout == ""


def test_contexts_option_shows_lines_of_both_corpora(tmp_path):
    for name, verbs in (("old", ["chase", "see"]), ("new", ["click", "see"])):
        lines = []
        for verb in verbs * 12:
            lines += [f"1\t{verb}\t{verb}\tVERB\t_\t_\t0\troot\t_\t_",
                      "2\tmouse\tmouse\tNOUN\t_\t_\t1\tobj\t_\t_", ""]  # fmt: skip
        (tmp_path / f"{name}.conllu").write_text("\n".join([*lines, ""]))
    given = (tmp_path / "old.conllu", tmp_path / "new.conllu", "--quotes", 1)
    done = run(*given, "--format", "json")
    assert done.returncode == 0, done.stderr
    [mouse] = json.loads(done.stdout)["words"]
    [click], [chase] = mouse["gained"], mouse["lost"]
    assert (click["context"], click["counts"]) == ("obj:click", [0, 12])
    assert [line["text"] for line in click["lines"]["new"]] == ["click mouse"]
    assert click["lines"]["old"] == []
    assert [line["source"] for line in chase["lines"]["old"]] == ["old.conllu"]
    output = run(*given).stdout
    assert ", 24 occurrences" in output.splitlines()[0]
    assert re.search(r"1 word .* 20 .*: 1 differs", output)
    assert "sentences with mouse in the new" in output
    assert re.search(r"chase … +old.conllu:1 +chase +mouse", output)
    assert "sentences with" not in run(*given[:2]).stdout
    assert run(*given, "-o", tmp_path / "page.html").returncode == 0
    text = (tmp_path / "page.html").read_text()
    assert '<b class="context">click</b> <b class="word">mouse</b>' in text


def test_excluded_words_of_a_thesaurus_are_not_new(tmp_path):
    counts = roget.data.sample("nouns").top(60, 300)
    kept, unsure, rare = counts.words[:50], counts.words[50:55], counts.words[55:]
    thesaurus = Thesaurus.from_clustering(
        counts.select(kept.tolist()), roget.MDLTree().fit(counts.select(kept.tolist()))
    )
    counts.provenance["cuts"] = {"min_count": counts.word_totals.min().item()}
    thesaurus.counts.provenance["cuts"] = {"min_count": thesaurus.counts.word_totals.min().item()}
    thesaurus.provenance["unsure"] = dict.fromkeys(unsure.tolist(), "between classes")
    counts.write(tmp_path / "counts")
    thesaurus.save(tmp_path / "bare")
    done = run(tmp_path / "bare", tmp_path / "counts", "--format", "json")
    assert {one["word"] for one in json.loads(done.stdout)["appeared"]} == {*rare}
    assert "5 uncertain words" in done.stderr
    thesaurus = keep_spare(thesaurus, counts)
    thesaurus.save(tmp_path / "whole")
    done = run(tmp_path / "whole", tmp_path / "counts", "--format", "json")
    found = json.loads(done.stdout)
    assert found["appeared"] == []
    assert found["old"]["pairs"] == found["new"]["pairs"] == counts.total
    assert found["tested"] == 60
    assert done.stderr == ""
