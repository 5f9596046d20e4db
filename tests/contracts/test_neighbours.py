"""Page, static page and command show the same neighbours, classes and cuts."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import cache

import numpy as np
import pytest
from typer.testing import CliRunner

import roget
from roget.cli import app
from roget.core.information import bits
from roget.learn.clustering.spherical.estimator import SphericalTree
from roget.report.format import brief
from roget.report.format import brief as short
from roget.web import static
from roget.web.session import Session
from roget.web.views.base import StaticPage
from roget.web.views.word import STATIC_NEIGHBOURS
from web.helpers import asking

pytest.importorskip("starlette.testclient", reason="needs roget[explore]")

SIZE, ASKED, NEAR = 300, 150, STATIC_NEIGHBOURS


def edited(thesaurus):
    """Words moved, classes merged and renamed."""
    for word, to in (("w3", "w200"), ("w77", "w5")):
        thesaurus = thesaurus.editor.move(word, thesaurus.path(to)[-1])
    first, second = (thesaurus.path(word)[-1] for word in ("w0", "w299"))
    if first != second:
        thesaurus = thesaurus.editor.merge(first, second)
    return thesaurus.editor.rename(thesaurus.path("w9")[-1], "renamed")


@cache
def fitted(method):
    """A thesaurus of more words than are ever compared context by context."""
    chance = np.random.default_rng(3)
    topics = chance.dirichlet(np.full(40, 0.1), 5)
    rows = [chance.multinomial(20 + n // 4, topics[n % 5]) for n in range(SIZE)]
    counts = roget.Counts(rows, [f"w{n}" for n in range(SIZE)])
    model = {"soft": roget.SoftAnnealing(5, random_state=0), "mdl": roget.MDLTree(random_state=0)}
    model["spherical"] = SphericalTree(5, random_state=0, set_aside=False)
    return roget.Thesaurus.from_clustering(counts, model[method].fit(counts))


@pytest.fixture(scope="module", params=["soft", "mdl", "spherical", "soft, edited", "mdl, edited"])
def folder(request, tmp_path_factory):
    method, *changed = request.param.split(", ")
    path = tmp_path_factory.mktemp("seam") / "words.thesaurus"
    (edited(fitted(method)) if changed else fitted(method)).save(path)
    return path


@pytest.fixture(scope="module")
def client(folder):
    # Entered, so that requests share one loop.
    with asking(Session(folder)) as entered:
        yield entered


@pytest.fixture(scope="module")
def blocks(folder):
    """The data of the page in one file, by name."""
    found = re.findall(
        r'id="data-([\w-]+)">(.*?)</script>', static.page(Session(folder)), re.DOTALL
    )
    return {name: json.loads(text) for name, text in found}


def test_neighbours_are_equal_everywhere(folder, client, blocks):
    thesaurus = roget.load(folder)
    words = [str(word) for word in thesaurus.words]
    for row in range(0, len(words), len(words) // ASKED):
        right = thesaurus.neighbours(words[row], NEAR)
        page = client.get(f"/api/word/{row}?n={NEAR}").json()["neighbours"]
        assert [(one["word"], one["similarity"]) for one in page] == [
            (word, brief(alike)) for word, alike in right
        ]
        flat = blocks[f"words-{row // StaticPage.SHARD}"][row % StaticPage.SHARD][5]
        assert [(words[at], d) for at, d in zip(flat[::2], flat[1::2], strict=True)] == [
            (word, short(brief(alike), StaticPage.DIGITS)) for word, alike in right
        ]


def test_command_prints_the_neighbours_of_the_page(folder, client):
    done = CliRunner().invoke(
        app, ["neighbours", str(folder), "w17", "-n", "16", "--format", "json"]
    )
    command = json.loads(done.stdout)["neighbours"]
    page = client.get("/api/word?word=w17").json()["neighbours"]
    assert [(one["word"], brief(one["similarity"])) for one in command] == [
        (one["word"], one["similarity"]) for one in page
    ]


@pytest.mark.parametrize("k", [1, 2, 5, 1000])
def test_cuts_are_equal_everywhere(folder, client, k):
    thesaurus = roget.load(folder)
    k = min(k, thesaurus.tree.n_clusters)
    nodes, labels = thesaurus.nodes(k), thesaurus.cut(k).tolist()
    shown = client.get(f"/api/cut/{k}").json()["classes"]
    assert [(one["node"], one["label"]) for one in shown] == [
        (node, thesaurus.label(node)) for node in nodes
    ]
    assert [one["words"] for one in shown] == [labels.count(at) for at in range(len(nodes))]
    # The page cuts the tree itself, by what the server says of each split.
    tree = client.get("/api/tree").json()
    whole = [made is None or made > k for made in tree["made"]]
    cut = [at for at, up in enumerate(tree["parent"]) if whole[at] and (up < 0 or not whole[up])]
    assert cut == sorted(nodes)
    sheet = csv.DictReader(io.StringIO(client.get(f"/api/cut/{k}?format=csv").text))
    assert [(row["item"], int(row["label"])) for row in sheet] == [
        (str(word), label + 1) for word, label in zip(thesaurus.words, labels, strict=True)
    ]


def test_classes_are_equal_everywhere(folder, client, blocks):
    thesaurus = roget.load(folder)
    for node in range(thesaurus.tree.n_nodes):
        right = thesaurus.word_class(node, 30)
        shown = client.get(f"/api/class/{node}?n=30").json()
        assert (shown["label"], shown["words"]) == (right.label, right.size)
        assert shown["share"] == brief(right.mass)
        assert [one["node"] for one in shown["path"]] == list(thesaurus.tree.path(node))
        assert [(one["word"], one["distance_bits"]) for one in shown["typical"]] == [
            (one.word, brief(bits(one.distance))) for one in right.words
        ]
        contexts = [one.context for one in right.contexts]
        assert [one["context"] for one in shown["contexts"]] == contexts[: len(shown["contexts"])]
        words = [str(word) for word in thesaurus.words]
        kept = blocks["classes"][node][0][::3]
        assert [words[at] for at in kept[:30]] == [one.word for one in right.words]
