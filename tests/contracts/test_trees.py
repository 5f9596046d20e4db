"""The scorer sees the same tree in a thesaurus folder and in every export."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import roget
from commands import run
from roget import load, score
from roget.report.exports import export
from thesauri import random_thesaurus

WORDS = [f"w{number}" for number in range(12)]
GOLD = dict(zip(WORDS, "aaaabbbbcccc", strict=True))


@pytest.fixture(scope="module", params=[0, 1])
def thesaurus(request):
    """Any tree and memberships; those below a tenth, which tables do not list, change no place."""
    return random_thesaurus(request.param, clusters=6)


def scores(system, **options):
    return [row.value for row in score(GOLD, system, "dendrogram-purity,v,ari", **options).rows]


def test_only_core_tree_traverses_trees() -> None:
    """Other classes hold a `Tree`; none has arrays of parents, layout or sums."""
    own = {"walk", "leaves", "sum_up", "share_up", "layout", "depths", "cut_nodes", "cluster_nodes"}
    source = Path(roget.__file__).parent
    found = []
    for file in source.rglob("*.py"):
        if file == source / "core" / "tree.py":
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                methods = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
                arrays = {
                    ast.unparse(one.target)
                    for one in node.body
                    if isinstance(one, ast.AnnAssign) and ast.unparse(one.annotation) == "Ints"
                }
                if methods & own or arrays & {"parent", "parents", "children"}:
                    found.append(f"{file.relative_to(source)}: {node.name}")
    assert found == []


def test_folder_and_exports_have_equal_scores(thesaurus, tmp_path):
    folder = tmp_path / "t.thesaurus"
    thesaurus.save(folder)
    files = {"tsv": "t.tsv", "json": "t.json", "newick": "t.nwk", "brown": "t.paths"}
    for form, name in files.items():
        export(thesaurus, tmp_path / name, form)
    expected = scores(folder)
    assert scores(tmp_path / "t.tsv") == expected
    assert scores(tmp_path / "t.json") == expected
    assert scores(thesaurus) == expected
    # These have no order of splits and leaves of one word, but the same tree.
    for name in ("t.nwk", "t.paths"):
        assert scores(tmp_path / name)[0] == pytest.approx(expected[0])


def test_cuts_equal_those_of_the_thesaurus(thesaurus, tmp_path):
    folder = tmp_path / "t.thesaurus"
    thesaurus.save(folder)
    for k in range(1, thesaurus.tree.n_clusters + 1):
        labels = thesaurus.tree.cut(k)[thesaurus.tree.cluster[thesaurus.places]]
        flat = score(GOLD, dict(zip(WORDS, labels.tolist(), strict=True)), "v,ari")
        assert [row.value for row in flat.rows] == scores(folder, cut=k)[1:]


def test_scores_include_edits(thesaurus, tmp_path):
    folder = tmp_path / "t.thesaurus"
    edited = thesaurus.editor.move("w9", int(thesaurus.places[0]))
    edited.save(folder)
    assert load(folder).edits
    tree = score(GOLD, folder, "v", "ml", cut=thesaurus.tree.n_clusters)
    labels = dict(zip(WORDS, edited.places.tolist(), strict=True))
    assert tree["v"] == score(GOLD, labels, "v", "ml")["v"]
    assert "tree:thesaurus(places)" in tree.signature


@pytest.mark.slow
def test_score_command_sweeps_a_thesaurus(tmp_path):
    random_thesaurus(0).save(tmp_path / "t.thesaurus")
    gold, picture = tmp_path / "gold.tsv", tmp_path / "sweep.svg"
    gold.write_text("".join(f"{word}\t{label}\n" for word, label in GOLD.items()))
    command = ["score", gold, tmp_path / "t.thesaurus"]
    done = run(*command, "--set", "cuts=1..500", "--save", f"figure={picture}", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["sweep"]["cuts"][0] == 1
    assert found["rows"][0]["measure"] == "dendrogram-purity"
    text = picture.read_text("utf-8")
    assert "clusters" in text
    assert "vi, nats" in text
    failed = run(*command, "--save", "figure=x.svg")
    assert failed.returncode
    assert "[missing-option]" in failed.stderr
    failed = run(*command, "--set", "cuts=all", "--save", "figure=x.gif")
    assert ".svg, .pdf, .png" in failed.stderr
