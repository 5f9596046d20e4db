"""`roget export` on the command line."""

from __future__ import annotations

import json
import sys
from functools import partial

import numpy as np
import pytest

import commands
from roget import Counts, load
from roget.catalogue import EXPORTERS
from roget.cli import app, handle_errors
from roget.core.tree import Tree
from roget.learn.thesaurus import Thesaurus
from thesauri import planted

run = partial(commands.run, "export")


@pytest.fixture
def folder(tmp_path):
    counts = Counts([[9, 1], [8, 2], [0, 7]], ["tea", "crème", "book"], ["drink", "read"])
    belongs = np.array([[1.0, 0], [1, 0], [0, 1]])
    centroids = [[0.9, 0.1], [0, 1]]
    Thesaurus.from_parts(counts, Tree().split(0, 1.0), belongs, centroids, [0.7, 0.3]).save(
        tmp_path / "goods.thesaurus"
    )
    return tmp_path


def test_suffix_determines_the_format(folder):
    done = run("goods.thesaurus", "-o", "goods.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "wrote goods.json: Thesaurus: 3 words in 2 classes" in done.stderr
    assert json.loads((folder / "goods.json").read_text(encoding="utf-8"))["title"] == "goods"
    planted().save(folder / "p")
    done = run("p", "-o", "p.json", "--levels", "2", cwd=folder)
    assert " words in 2 classes," in done.stderr


def test_stdout_is_utf_8_in_any_terminal(folder):
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONPATH": ":".join(sys.path)}
    done = run(
        "goods.thesaurus", "--to", "brown", "-o", "-", text=False, cwd=folder, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode() == "0\tcrème\t10\n0\ttea\t10\n1\tbook\t7\n"


def test_options_reach_skos(folder):
    options = ("--language", "en", "--title", "Goods", "--base", "https://example.org/g#")
    done = run("goods.thesaurus", "-o", "-", "--to", "skos", *options, cwd=folder)
    assert 'skos:prefLabel "Goods"@en' in done.stdout
    assert "<https://example.org/g#word-tea>" in done.stdout


def test_taxonomies_can_be_exported(folder):
    (folder / "zoo.tsv").write_text("dog\tanimal\ncrow\tbird\nbird\tanimal\n")
    done = run("zoo.tsv", "-o", "zoo.thesaurus", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert set(load(folder / "zoo.thesaurus").words) == {"dog", "crow"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["goods.thesaurus", "-o", "x"], "--to"),
        (["goods.thesaurus", "-o", "-"], "--to"),
        (["absent", "-o", "x.json"], ("absent: ", "[file-not-found]")),
        (["goods.thesaurus", "-o", "no/x.json"], ("/no/x.json: ", "/no ", "[not-writable]")),
        (["goods.thesaurus", "-o", "x.ttl", "--language", "e n"], ("'e n'", "[invalid-option]")),
        (["goods.thesaurus", "-o", "-", "--to", "thesaurus"], "[not-writable]"),
        (
            ["goods.thesaurus", "-o", "l.npy", "--to", "linkage"],
            ("l.npy: ", "[unsupported-format]"),
        ),
        (
            ["goods.thesaurus", "-o", "x.json", "--related", "2"],
            ("--related", "json", "[conflicting-options]"),
        ),
        (
            ["goods.thesaurus", "-o", "x.nwk", "--collections", "2"],
            ("--collections", "newick", "[conflicting-options]"),
        ),
        (
            ["goods.thesaurus", "-o", "x.html", "--base", "urn:t#"],
            ("--base", "html", "[conflicting-options]"),
        ),
    ],
)
def test_errors_are_explained(folder, arguments, message, monkeypatch, capsys):
    before = sorted(folder.iterdir())
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["roget", "export", *arguments])
    with pytest.raises(SystemExit) as end, handle_errors():
        app()
    assert end.value.code == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("roget: ")
    for part in (message,) if isinstance(message, str) else message:
        assert part in output.err
    assert sorted(folder.iterdir()) == before


def test_choices_are_the_registered_exporters():
    shown = run("--help").stdout
    assert f"--to <{'|'.join(EXPORTERS)}>" in shown


def inside(monkeypatch, *arguments):
    """The exit code of a command that is run by this process."""
    monkeypatch.setattr(sys, "argv", ["roget", "export", *arguments])
    try:
        with handle_errors():
            app()
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


def test_language_is_requested_or_reported_as_unknown(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)

    def stderr_of(*arguments, code=0):
        assert inside(monkeypatch, *arguments) == code
        return capsys.readouterr().err

    unknown = stderr_of("goods.thesaurus", "-o", "goods.ttl")
    assert "label language: und (" in unknown
    assert "--language" in unknown
    assert '"tea"@und' in (folder / "goods.ttl").read_text(encoding="utf-8")
    assert "label language" not in stderr_of(
        "goods.thesaurus", "-o", "goods.ttl", "--language", "en"
    )
    assert "label language: en (" in stderr_of("goods.ttl", "-o", "a.rdf")
    wrong = stderr_of("goods.thesaurus", "-o", "goods.ttl", "--language", "english", code=1)
    assert "'english'" in wrong
    assert "[invalid-option]" in wrong


def test_levels_are_applied_and_validated(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)

    def levels(given):
        return inside(monkeypatch, "goods.thesaurus", "-o", "t.json", "--levels", given)

    assert levels("2,3") == 1
    output = capsys.readouterr().err
    assert "level 3" in output
    assert "[invalid-option]" in output
    assert "from 1 to 2 [invalid-option]" in output
    assert levels("2") == 0
    assert len(json.loads((folder / "t.json").read_text())["tree"]["children"]) == 2
    assert levels("two") != 0
    assert "expected a whole number" in capsys.readouterr().err


def test_edited_thesaurus_is_not_overwritten(folder):
    place = folder / "goods.thesaurus"
    edited = load(place).editor.rename(1, "drinks")
    edited.save(folder / "edited.thesaurus")
    done = run("goods.thesaurus", "-o", "edited.thesaurus", cwd=folder)
    assert done.returncode == 1
    assert "edited.thesaurus" in done.stderr
    assert "[not-writable]" in done.stderr
    assert load(folder / "edited.thesaurus").label(1) == "drinks"
    done = run("goods.thesaurus", "-o", "./goods.thesaurus", "--levels", "2", cwd=folder)
    assert done.returncode == 1
    assert "[input-is-output]" in done.stderr
    assert load(place).tree.n_clusters == 2
