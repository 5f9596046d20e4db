"""The desk: every action that the page can ask for, one at a time or several, by two people."""

from __future__ import annotations

import pytest

from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.files import Changed
from roget.web.desk import EDITS, Desk


@pytest.fixture
def desk(folder):
    return Desk(folder)


def do(desk, **asked):
    return desk.edit(asked, desk.revision)


def node(desk, word):
    return desk.views.thesaurus.path(word)[-1]


def test_every_action_is_done_and_saved(desk, folder):
    do(desk, action="rename", node=node(desk, "dog"), label="beasts")
    do(desk, action="move", words=["owl", "crow"], node=node(desk, "dog"))
    do(desk, action="nest", node=node(desk, "saw"), into=node(desk, "car"))
    do(desk, action="add", word="tram", node=node(desk, "car"))
    do(desk, action="delete", words=["goat"])
    do(desk, action="split", node=node(desk, "dog"), words=["owl", "crow"])
    do(desk, action="split", node=node(desk, "car"))
    do(desk, action="note", word="dog", text="barks", field="definition")
    do(desk, action="note", node=0, text="all of them")
    do(desk, action="merge", node=node(desk, "duck"), into=node(desk, "owl"))
    t = Thesaurus.load(folder)
    assert [one.kind for one in t.edits] == [
        "rename", "move", "nest", "add", "delete", "split", "split", "note", "note", "merge"
    ]  # fmt: skip
    assert t.notes == {"dog": ("barks", ""), 0: ("", "all of them")}
    assert t.label(t.common_class("dog", "owl")) == "beasts"
    assert t.path("duck")[-1] == t.path("owl")[-1]
    about = do(desk, action="undo_to", n=4)
    assert (about["edits"], about["revision"]) == (4, 11)
    assert about["last"] == "“tram” added to “" + t.edits[3].node.label + "”"
    assert about["next"] == "“goat” deleted"
    states = [one["state"] for one in desk.now.history()["edits"]]
    assert states == ["done"] * 4 + ["undone"] * 6
    for _ in range(6):
        do(desk, action="redo")
    assert Thesaurus.load(folder).edits == t.edits
    assert set(EDITS) >= {one.kind for one in t.edits}


def test_several_edits_are_done_all_or_none(desk, folder):
    dog, owl, saw, car = (node(desk, word) for word in ("dog", "owl", "saw", "car"))
    edits = [
        {"action": "merge", "node": dog, "into": owl},
        # By the numbers that the page shows, whatever became of them meanwhile.
        {"action": "rename", "node": car, "label": "vehicles"},
        {"action": "nest", "node": saw, "into": car},
        {"action": "move", "word": "bus", "node": owl},
    ]
    for bad, said in (
        ({"action": "move", "word": "zebra", "node": car}, "no word 'zebra'"),
        ({"action": "undo"}, "undo cannot be one of several"),
        ({"action": "bulk", "edits": []}, "bulk cannot be one of several"),
        ({"action": "rename", "node": 99, "label": "x"}, "node 99"),
        ({"action": "rename", "node": True, "label": "x"}, "expected int"),
        ({"action": "move", "words": [3], "node": car}, "texts"),
        (3, "expected an object"),
    ):
        with pytest.raises((InputError, LookupError), match=said):
            do(desk, action="bulk", edits=[*edits, bad])
        assert desk.revision == 0
        assert Thesaurus.load(folder).edits == ()
    about = do(desk, action="bulk", edits=edits)
    assert (about["revision"], about["edits"]) == (1, 4)
    t = Thesaurus.load(folder)
    assert t.path("dog") == t.path("owl") == t.path("bus")
    assert t.label(t.common_class("car", "saw")) == "vehicles"


def test_nobody_overwrites_what_another_did(desk, folder):
    other = Desk(folder)
    do(other, action="delete", word="owl")
    with pytest.raises(Changed, match="changed elsewhere"):
        do(desk, action="split", node=node(desk, "car"))
    assert "owl" not in desk.views.thesaurus.words, "what is there is shown"
    do(desk, action="split", node=node(desk, "car"))
    with pytest.raises(Changed, match="changed elsewhere"):
        do(other, action="undo")
    with pytest.raises(Changed, match="meanwhile"):
        other.edit({"action": "undo"}, 0)
    do(other, action="undo")
    assert [one.kind for one in Thesaurus.load(folder).edits] == ["delete"]
    assert len(Thesaurus.load(folder).undone) == 1


def test_views_of_words_without_counts(desk):
    do(desk, action="add", words=["tram", "ferry"], node=node(desk, "car"))
    t, views = desk.views.thesaurus, desk.views
    found = views.word(t.row("tram"))
    assert found["observations"] == 0
    assert {one["word"] for one in found["neighbours"][:3]} <= {
        "ferry", "car", "boat", "ship", "lorry", "bus", "train", "bicycle"
    }  # fmt: skip
    shown = views.word_class(node(desk, "car"))
    assert {"tram", "ferry"} <= {one["word"] for one in shown["typical"]}
    assert views.find("tra")["words"][0]["word"] in ("tram", "train")
    do(desk, action="delete", words=["tram", "bus"])
    words = {one["word"] for one in desk.views.find("tram")["words"]}
    assert words == set()
