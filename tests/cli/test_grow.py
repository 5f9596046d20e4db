"""`roget grow`: in place or elsewhere, its report, and changes accepted and refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from roget import Counts, build, load
from roget.cli import app
from roget.core.store import Partial
from roget.learn.growth.grow import grow

OLD = Path(__file__).resolve().parents[1] / "old_folders" / "thesauri"


def run(*given):
    return CliRunner().invoke(app, ["grow", *map(str, given)])


@pytest.fixture
def place(tmp_path):
    rows = [[9, 1, 0, 4], [8, 2, 0, 5], [7, 1, 1, 6], [0, 1, 7, 0], [1, 0, 9, 0], [0, 2, 8, 1]]
    words = ["tea", "ale", "milk", "book", "page", "map"]
    names = ["obj:drink", "obj:see", "obj:read", "obj:pour"]
    Counts(rows, words, names).write(tmp_path / "old")
    Counts([[6, 0, 1, 7], [1, 1, 9, 0]], ["rum", "novel"], names).write(tmp_path / "new")
    build(tmp_path / "old", output=tmp_path / "t", clusters=2, min_count=1, method="mdl")
    return tmp_path


def test_grow_writes_elsewhere_or_in_place(place):
    before = (place / "t" / "thesaurus.json").read_bytes()
    done = run(place / "t", place / "new", "-o", place / "u", "--format", "json")
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    assert (record["new"], record["moved"], record["stay"]) == (2, 0, 6)
    assert [one["words"] for one in record["changes"]] == [["rum"], ["novel"]]
    assert all(one["state"] == "open" for one in record["changes"])
    assert (place / "t" / "thesaurus.json").read_bytes() == before
    grown = load(place / "u")
    assert grown.path("rum")[-1] == grown.path("tea")[-1]
    assert grown.path("novel")[-1] == grown.path("book")[-1]
    done = run(place / "t", place / "new")
    assert done.exit_code == 0, done.output
    assert "2 words new; 6 words unchanged" in done.stdout
    for message in ("--review", "--accept", "--refuse", "roget explore"):
        assert message in done.stderr.partition("next:")[2]
    assert load(place / "t").counts == grown.counts


def test_changes_are_reviewed_and_decided(place):
    assert run(place / "t", place / "new").exit_code == 0
    assert "2 changes open" in run(place / "t", "--review").stdout
    done = run(place / "t", "--accept", "1", "--refuse", "2", "--format", "json")
    assert json.loads(done.stdout) == {"open": 0, "closed": 2, "changes": []}
    assert "novel" not in load(place / "t").rows
    for code, *arguments in (
        ("edit-refused", "--refuse", "all"),
        ("invalid-option", "--accept", "x"),
        ("invalid-option", "--refuse", "9" * 5000),
        ("invalid-option", "--accept", f"1-{'9' * 5000}"),
        ("conflicting-options", place / "new", "--review"),
        ("missing-option",),
    ):
        assert run(place / "t", *arguments).exception.code == code, arguments


def test_decisions_are_reported_in_one_line(place):
    assert run(place / "t", place / "new", "-o", place / "u").exit_code == 0
    both = ("--accept", "1", "--accept", "1,2")
    shutil.copytree(place / "u", place / "v")
    assert run(place / "v", *both).stdout == "2 changes accepted, 0 open\n"
    assert run(place / "u", "--accept", "1").stdout == "1 change accepted, 1 open\n"
    assert run(place / "u", "--refuse", "all").stdout == "1 change refused, 0 open\n"
    assert run(place / "t", place / "new").exit_code == 0
    done = run(place / "t", "--accept", "2", "--review")
    assert "1 change open, 1 accepted or refused" in done.stdout
    assert "rum" in done.stdout


def test_changes_to_a_class_are_listed_together_with_numbers(place):
    names = ["obj:drink", "obj:see", "obj:read", "obj:pour"]
    more = [[6, 0, 1, 7], [1, 1, 9, 0], [5, 1, 0, 8]]
    Counts(more, ["rum", "novel", "mead"], names).write(place / "more")
    done = run(place / "t", place / "more")
    assert done.exit_code == 0, done.output
    found = load(place / "t")
    numbers = {one.words[0]: one.number for one in found.changes}
    (row,) = (line for line in done.stdout.splitlines() if "2 words new" in line)
    assert row.startswith(f"{found.ids[found.path('rum')[-1]]} ")
    assert f"{numbers['rum']} rum (" in row
    assert f"{numbers['mead']} mead (" in row


def test_only_one_growth_runs_at_a_time(place):
    with Partial(place / "t", "a growth", lambda names: not names):
        done = run(place / "t", place / "new")
    assert done.exit_code
    assert "t.partial" in str(done.exception)
    assert run(place / "t", place / "new").exit_code == 0


def test_concurrent_edits_are_not_lost(place, monkeypatch):
    from roget.learn.growth import grow as module

    def edit(*given, **more):
        load(place / "t").editor.rename(0, "all").save(place / "t")
        return learn(*given, **more)

    learn = module.update_clustering
    monkeypatch.setattr(module, "update_clustering", edit)
    done = run(place / "t", place / "new")
    assert done.exception.code == "changed"
    assert load(place / "t").labels == {0: "all"}


@pytest.mark.parametrize("folder", sorted(OLD.iterdir()), ids=lambda folder: folder.name)
def test_thesauri_of_older_versions_can_grow(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "t")
    before = load(tmp_path / "t")
    names = before.contexts[:4].tolist()
    new = Counts([[9, 5, 5, 9], [3, 0, 0, 3]], ["quite-new", str(before.words[0])], names)
    grown = grow(tmp_path / "t", new, output=tmp_path / "t", min_contexts=1)
    after = load(tmp_path / "t")
    assert set(after.words.tolist()) == {*before.words.tolist(), "quite-new"}
    assert after.counts.total == before.counts.total + new.total
    assert [str(edit) for edit in after.edits] == [str(edit) for edit in before.edits]
    assert grown.thesaurus.changes == after.changes
