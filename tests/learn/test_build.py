"""Building a thesaurus: counting, clustering, edits, and resuming after an interruption."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import sys

import duckdb
import numpy as np
import pytest

from roget import Counts, InputError
from roget.errors import UnknownName
from roget.learn import build as module
from roget.learn.build import Plan, build, run
from roget.learn.counting.options import CountOptions
from roget.learn.options import BuildOptions
from roget.learn.thesaurus import Thesaurus
from support.errors import codes, notice, refused

DRINKS = ("tea", "ale", "milk", "wine")
TEXTS = ("book", "poem", "play", "essay")


def planted(seed=0, tokens=60):
    """Return counts of two families of words that share almost no context."""
    random = np.random.default_rng(seed)
    drink = random.multinomial(tokens, [0.5, 0.3, 0.15, 0.02, 0.02, 0.01], len(DRINKS))
    read = random.multinomial(tokens, [0.01, 0.02, 0.02, 0.15, 0.3, 0.5], len(TEXTS))
    contexts = ["drink", "pour", "sip", "print", "write", "read"]
    return Counts(np.vstack([drink, read]), [*DRINKS, *TEXTS], contexts)


def split_in_two(thesaurus):
    labels = dict(zip(thesaurus.words, thesaurus.cut(2), strict=True))
    return {frozenset(w for w in labels if labels[w] == k) for k in (0, 1)}


FAMILIES = {frozenset(DRINKS), frozenset(TEXTS)}


@pytest.fixture
def table(tmp_path):
    planted().write(tmp_path / "pairs.tsv")
    return tmp_path / "pairs.tsv"


def same(one, other):
    return (
        one.counts == other.counts
        and one.tree == other.tree
        and one.memberships.toarray().tolist() == other.memberships.toarray().tolist()
        and one.centroids.tolist() == other.centroids.tolist()
    )


def test_build_makes_thesaurus_of_a_table(table, tmp_path):
    out = tmp_path / "t"
    made = build(table, output=out, clusters=2)
    assert split_in_two(made) == FAMILIES
    assert same(Thesaurus.load(out), made)
    assert made.provenance["clusterer"] == "SphericalTree"
    assert made.counts.provenance["inputs"][0]["path"] == str(table)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pairs.tsv", "t"]
    assert same(build(table, clusters=2), made), "with no output too, and with the same seed"


@pytest.mark.parametrize("method", ["mdl", "comdl"])
@pytest.mark.parametrize("clusters", ["auto", 2])
def test_build_supports_description_length_methods(table, tmp_path, method, clusters):
    out = tmp_path / "t"
    made = build(table, output=out, method=method, clusters=clusters)
    assert split_in_two(made) == FAMILIES
    assert same(Thesaurus.load(out), made)
    saved = np.nansum(made.tree.value)
    assert 0 < saved < made.provenance["description_length"]
    assert Thesaurus.load(out).provenance == made.provenance
    with refused("conflicting-options", "beta 3", method):
        build(table, method=method, beta=3)


def test_counts_folders_are_merged(tmp_path):
    whole = planted(tokens=90)
    one, other = whole.split(0.5, random_state=0)
    one.drop_empty().write(tmp_path / "a")
    other.drop_empty().write(tmp_path / "b")
    made = build([tmp_path / "a", tmp_path / "b"], clusters=2)
    assert split_in_two(made) == FAMILIES
    assert made.counts.total == whole.total
    turned = build(tmp_path / "a", clusters=2, transpose=True)
    assert set(turned.words) <= set(whole.contexts)
    with refused("conflicting-options", "relation obj", tmp_path / "a"):
        build(tmp_path / "a", relation="obj")


def test_text_is_counted_with_the_options_of_count(tmp_path):
    lines = [f"{verb} the {word}." for word in DRINKS for verb in ("drink", "pour", "sip")]
    lines += [f"{verb} the {word}." for word in TEXTS for verb in ("read", "write", "print")]
    (tmp_path / "a.txt").write_text("\n".join(lines * 5))
    expected = [*DRINKS, *TEXTS]
    made = build(tmp_path / "a.txt", clusters=2, window=2, lines=True, vocabulary=iter(expected))
    assert split_in_two(made) == FAMILIES


def test_top_and_min_count_choose_the_words(table):
    counts = planted()
    made = run(table, None, CountOptions(min_count=5), Plan(clusters=2, top=3))
    assert set(made.thesaurus.words) == set(counts.top(3).words)
    notice(made.notes, "dropped-words", "3", "8", "--top")
    with refused("too-little-text", "1000", "--min-count"):
        build(counts_folder(table), min_count=1000, clusters=2)


def counts_folder(table):
    folder = table.with_suffix(".counts")
    Counts.read(table).write(folder)
    return folder


def test_unlinked_words_are_left_out(tmp_path):
    counts = planted()
    island = Counts([[9]], ["island"], ["reach"])
    counts.merge(island).write(tmp_path / "c")
    made = run(tmp_path / "c", None, CountOptions(min_count=5), Plan(clusters=2))
    assert set(made.thesaurus.words) == set(counts.words)
    assert codes(made.notes) == ["dropped-words"]
    notice(made.notes, "dropped-words", "1 word")


def test_number_of_clusters_can_be_automatic(table):
    made = build(table, clusters="auto")
    assert 1 <= made.tree.n_clusters <= 8
    assert build(table, clusters="3").tree.n_clusters == 3


def test_edits_are_replayed(table, tmp_path):
    out = tmp_path / "t"
    made = build(table, output=out, clusters=2)
    made.editor.rename(made.path("tea")[-1], "drinks").editor.move(
        "poem", made.path("tea")[-1]
    ).save(out)
    built = run(table, out, CountOptions(min_count=5), Plan(method="mdl", clusters=2))
    again = Thesaurus.load(out)
    for one in (again, built.thesaurus):
        assert one.provenance["clusterer"] == "MDLTree"
        assert one.label(one.common_class(*DRINKS, "poem")) == "drinks"
    notice(built.notes, "replayed-edits", "2 of 2")
    built = run(table, out, CountOptions(min_count=5), Plan(clusters=2, top=2))
    assert "1 of 2" in " ".join(built.notes)
    assert "“poem”" in " ".join(built.notes)
    build(table, output=out, clusters=2)
    assert Thesaurus.load(out).label(Thesaurus.load(out).path("poem")[-1]) == "drinks"


def test_unreadable_edits_are_not_overwritten(table, tmp_path, monkeypatch):
    out = tmp_path / "t"
    made = build(table, output=out, clusters=2)
    made.editor.rename(1, "drinks").save(out)
    (out / "edits.json").write_text("{")
    monkeypatch.setattr(module, "_build", None)  # nothing may be begun
    with pytest.raises(InputError, match=r"edits\.json"):
        build(table, output=out, clusters=2)


@pytest.mark.parametrize(
    ("options", "error", "values"),
    [
        ({"method": "sof"}, UnknownName, ["sof", "soft"]),
        ({"clusters": "many"}, InputError, ["many", "auto"]),
        ({"clusters": 0}, InputError, ["0", "auto"]),
        ({"top": 0}, InputError, ["top", "0"]),
        ({"min_counts": 3}, UnknownName, ["min_counts", "min_count"]),
    ],
)
def test_invalid_options_are_refused(table, options, error, values):
    with pytest.raises(error) as caught:
        build(table, **options)
    assert all(value in str(caught.value) for value in values)


def test_invalid_outputs_are_refused_before_any_work(table, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_build", None)  # nothing may be begun
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match="mine"):
        build(table, output=tmp_path / "mine")
    with pytest.raises(InputError, match=r"pairs\.tsv"):
        build(table, output=table)
    with pytest.raises(InputError, match="no"):
        build(table, output=tmp_path / "no" / "t")


def test_invalid_input_leaves_nothing(tmp_path):
    (tmp_path / "bad.tsv").write_text("word\tcontext\tcount\na\tb\tmany\n")
    with pytest.raises(InputError, match=r"bad\.tsv"):
        build(tmp_path / "bad.tsv", output=tmp_path / "t")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.tsv"]
    with pytest.raises(InputError, match="pp_quads"):
        build("pp_quads", output=tmp_path / "t")
    with refused("mixed-inputs"):
        build(["sample", str(tmp_path / "bad.tsv")], output=tmp_path / "t")


class Stop(Exception):
    pass


def test_interrupted_build_resumes_without_counting_again(table, tmp_path, monkeypatch):
    out = tmp_path / "t"
    seen = []

    def stop(state):
        seen.append(state)
        if len(seen) == 2:
            raise Stop

    with pytest.raises(Stop) as stopped:
        build(table, output=out, clusters=4, progress=stop)
    assert "t.partial" in stopped.value.__notes__[0]
    assert not out.exists()
    assert (tmp_path / "t.partial").is_dir()
    # No task may be counted again.
    monkeypatch.setattr("roget.learn.counting.scheduler.Extract", None)
    built = run(table, out, BuildOptions(), Plan(clusters=4))
    notice(built.notes, "resumed", "1 of 1")
    assert same(built.thesaurus, build_fresh(table))
    assert not (tmp_path / "t.partial").exists()


def build_fresh(table):
    return build(counts_folder(table), clusters=4)


def test_other_options_or_a_changed_file_start_again(table, tmp_path):
    out = tmp_path / "t"

    def stop(state):
        raise Stop

    with pytest.raises(Stop):
        build(table, output=out, method="soft", clusters=4, progress=stop)
    with pytest.raises(Stop):
        build(table, output=out, method="soft", clusters=3, progress=stop)
    kept = {path.name.partition("-")[0] for path in (tmp_path / "t.partial").iterdir()}
    assert kept == {"counts.partial", "soft", "lock", "partial.json"}
    planted(seed=5, tokens=80).write(table)
    assert build(table, output=out, clusters=3).counts.total == planted(seed=5, tokens=80).total


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_keeps_the_classes_found_so_far(table, tmp_path):
    assert signal.getsignal(signal.SIGINT)
    out = tmp_path / "t"

    def interrupt(state):
        if state["n_clusters"] == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.warns(UserWarning, match="interrupted"):
        built = run(table, out, CountOptions(), Plan("soft", clusters=6), clustering=interrupt)
    assert built.interrupted
    found = built.thesaurus.tree.n_clusters
    assert Thesaurus.load(out).tree.n_clusters == found < 6
    assert (tmp_path / "t.partial").is_dir(), "so that the next run can go on"
    whole = build(table, output=out, method="soft", min_count=1, clusters=6)
    assert whole.tree.n_clusters == 6
    assert json.loads((out / "thesaurus.json").read_text())["shape"][2] == 6


@pytest.mark.parametrize("method", ["soft", "mdl"])
def test_ctrl_c_leaves_an_existing_thesaurus_unchanged(table, tmp_path, method):
    out = tmp_path / "t"
    made = build(table, output=out, clusters=2)
    made.editor.rename(made.path("tea")[-1], "drinks").save(out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    def stop(state):
        if state["fraction"] < 1:
            raise KeyboardInterrupt

    plan = Plan(method, clusters=6)
    kept = re.escape(f"{out}.partial")
    with pytest.warns(UserWarning, match="interrupted"), pytest.warns(UserWarning, match=kept):
        built = run(table, out, CountOptions(min_count=5), plan, clustering=stop)
    assert built.interrupted
    assert not built.saved
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert (tmp_path / "t.partial").is_dir(), "so that the next run can go on"
    whole = run(table, out, CountOptions(min_count=5), plan)
    assert whole.saved
    assert Thesaurus.load(out).tree.n_clusters == 6
    assert not (tmp_path / "t.partial").exists()


def test_unwritable_folder_is_refused(table, tmp_path, monkeypatch):
    def closed(folder, *_):
        raise OSError(errno.EROFS, "Read-only file system", str(folder))

    monkeypatch.setattr(os, "mkdir", closed)
    with pytest.raises(OSError, match=r"/t\.partial: Read-only file system$"):
        build(table, output=tmp_path / "t")


def test_second_build_of_the_same_output_is_refused(table, tmp_path):
    out, seen = tmp_path / "t", []

    def meanwhile(state):
        if not seen:
            with pytest.raises(InputError) as error:
                build(table, output=out, clusters=2)
            seen.append(str(error.value))

    made = build(table, output=out, clusters=4, progress=meanwhile)
    assert f"{out}.partial" in seen[0]
    assert str(os.getpid()) in seen[0]
    assert same(made, build_fresh(table))
    assert same(Thesaurus.load(out), made)
    assert not (tmp_path / "t.partial").exists()


def test_doubtful_edits_are_reported(tmp_path):
    words = [f"w{n}" for n in range(12)]

    def learnt(first):
        table = np.zeros((12, 4), dtype=np.int64)
        table[:first, :2], table[first:, 2:] = 30, 30
        table[0, 3] = 1  # so that all are linked
        Counts(table, words, list("abcd")).write(tmp_path / "c")
        return run(
            tmp_path / "c", tmp_path / "t", CountOptions(min_count=5), Plan("mdl", heldout=False)
        )

    made = learnt(5).thesaurus
    few, many = made.path("w4")[-1], made.path("w11")[-1]
    made.editor.rename(few, "few").editor.rename(many, "many").save(tmp_path / "t")
    notice(learnt(5).notes, "replayed-edits", "2 of 2")
    notes = learnt(8).notes
    again = Thesaurus.load(tmp_path / "t")
    assert again.label(again.path("w0")[-1]) == "few"
    assert codes(notes) == ["replayed-edits"] * 3
    assert "2 of 2" in notes[0]
    assert "5 of 5" in notes[1]
    assert "4 of 7" in notes[2]


def test_invalid_input_keeps_the_work_of_an_earlier_run(table, tmp_path):
    partial = tmp_path / "t.partial"
    partial.mkdir()
    (partial / "soft-0").mkdir()
    with pytest.raises(InputError):
        build(tmp_path / "absent.tsv", output=tmp_path / "t")
    assert (partial / "soft-0").is_dir()


@pytest.mark.parametrize(
    ("name", "header", "swapped"),
    [
        ("verb_object.tsv", "", True),
        ("verb-nouns.tsv", "", True),
        ("pairs.tsv", "verb\tnoun\tcount\n", True),
        ("pairs.tsv", "", False),
        ("noun_verb.tsv", "", False),
        ("verb_object.tsv", "noun\tverb\tcount\n", False),
        ("verb_object.tsv", "word\tcontext\tcount\n", False),
        ("verbs.tsv", "", False),
    ],
)
def test_words_of_a_verb_noun_table_are_the_nouns(tmp_path, name, header, swapped):
    rows = [f"{one}{i}\t{two}{j}\t{1 + (i + j) % 3}" for one, two in ("vn", "wm")
            for i in range(4) for j in range(5)]  # fmt: skip
    rows.append("v0\tm0\t1")
    (tmp_path / name).write_text(header + "\n".join(rows))
    built = run([tmp_path / name], None, CountOptions(min_count=1), Plan(clusters=2))
    assert len(built.thesaurus.words) == (10 if swapped else 8)
    assert ("columns" in codes(built.notes)) == swapped
    kept = run(
        [tmp_path / name], None, CountOptions(min_count=1, transpose=False), Plan(clusters=2)
    )
    assert len(kept.thesaurus.words) == 8


def test_columns_named_word_and_context_are_used(tmp_path):
    table = [
        ["context", "word", "n"],
        *([f"v{i}", f"n{i + j}", 3] for i in range(4) for j in (0, 1)),
    ]
    (tmp_path / "verb_object.csv").write_text("\n".join(",".join(map(str, row)) for row in table))
    with duckdb.connect() as connection:
        source = f"read_csv('{tmp_path / 'verb_object.csv'}')"
        connection.execute(f"COPY (FROM {source}) TO '{tmp_path / 'verb_object.parquet'}'")
    for name in ("verb_object.csv", "verb_object.parquet"):
        built = run([tmp_path / name], None, CountOptions(min_count=1), Plan(clusters=1))
        assert set(built.thesaurus.words) == {f"n{i}" for i in range(5)}
