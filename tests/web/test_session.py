"""The session: every action of the page, alone or in batches, by one or two users."""

from __future__ import annotations

import pytest

from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.files import Changed
from roget.web.session import EDITS, Session
from roget.web.views import find, history, overview, word, word_class
from support.errors import refused


@pytest.fixture
def session(folder):
    return Session(folder)


def do(session, **options):
    return overview.make(session.edit(options, session.revision))


def node(session, word):
    return session.snapshot.thesaurus.path(word)[-1]


def test_every_action_is_applied_and_saved(session, folder):
    do(session, action="rename", node=node(session, "dog"), label="beasts")
    do(session, action="move", words=["owl", "crow"], node=node(session, "dog"))
    do(session, action="nest", node=node(session, "saw"), into=node(session, "car"))
    do(session, action="add", word="tram", node=node(session, "car"))
    do(session, action="delete", words=["goat"])
    do(session, action="split", node=node(session, "dog"), words=["owl", "crow"])
    do(session, action="split", node=node(session, "car"))
    do(session, action="note", word="dog", text="barks", field="definition")
    do(session, action="note", node=0, text="all of them")
    do(session, action="merge", node=node(session, "duck"), into=node(session, "owl"))
    t = Thesaurus.load(folder)
    assert [one.kind for one in t.edits] == [
        "rename", "move", "nest", "add", "delete", "split", "split", "note", "note", "merge"
    ]  # fmt: skip
    assert t.notes == {"dog": ("barks", ""), 0: ("", "all of them")}
    assert t.label(t.common_class("dog", "owl")) == "beasts"
    assert t.path("duck")[-1] == t.path("owl")[-1]
    about = do(session, action="undo_to", n=4)
    assert (about["edits"], about["revision"]) == (4, 11)
    assert about["last"] == "“tram” added to “" + t.edits[3].node.label + "”"
    assert about["next"] == "“goat” deleted"
    states = [one["state"] for one in history.make(session.snapshot)["edits"]]
    assert states == ["done"] * 4 + ["undone"] * 6
    for _ in range(6):
        do(session, action="redo")
    assert Thesaurus.load(folder).edits == t.edits
    assert set(EDITS) >= {one.kind for one in t.edits}


def test_several_edits_are_applied_all_or_none(session, folder):
    dog, owl, saw, car = (node(session, word) for word in ("dog", "owl", "saw", "car"))
    edits = [
        {"action": "merge", "node": dog, "into": owl},
        # By the numbers that the page shows, whatever became of them meanwhile.
        {"action": "rename", "node": car, "label": "vehicles"},
        {"action": "nest", "node": saw, "into": car},
        {"action": "move", "word": "bus", "node": owl},
    ]
    for bad, value in (
        ({"action": "move", "word": "zebra", "node": car}, "zebra"),
        ({"action": "undo"}, "undo"),
        ({"action": "bulk", "edits": []}, "bulk"),
        ({"action": "rename", "node": 99, "label": "x"}, "99"),
        ({"action": "rename", "node": True, "label": "x"}, "True"),
        ({"action": "move", "words": [3], "node": car}, "move"),
        (3, "3"),
    ):
        with pytest.raises((InputError, LookupError)) as caught:
            do(session, action="bulk", edits=[*edits, bad])
        assert value in str(caught.value)
        assert session.revision == 0
        assert Thesaurus.load(folder).edits == ()
    about = do(session, action="bulk", edits=edits)
    assert (about["revision"], about["edits"]) == (1, 4)
    t = Thesaurus.load(folder)
    assert t.path("dog") == t.path("owl") == t.path("bus")
    assert t.label(t.common_class("car", "saw")) == "vehicles"


def test_edits_do_not_overwrite_those_of_another_session(session, folder):
    other = Session(folder)
    do(other, action="delete", word="owl")
    with refused("changed", kind=Changed):
        do(session, action="split", node=node(session, "car"))
    assert "owl" not in session.snapshot.thesaurus.words, "what is there is shown"
    do(session, action="split", node=node(session, "car"))
    with refused("changed", kind=Changed):
        do(other, action="undo")
    with refused("changed", kind=Changed):
        other.edit({"action": "undo"}, 0)
    do(other, action="undo")
    assert [one.kind for one in Thesaurus.load(folder).edits] == ["delete"]
    assert len(Thesaurus.load(folder).undone) == 1


def test_words_without_counts_have_views(session):
    do(session, action="add", words=["tram", "ferry"], node=node(session, "car"))
    t, views = session.snapshot.thesaurus, session.snapshot
    found = word.make(views, t.row("tram"))
    assert found["observations"] == 0
    assert {one["word"] for one in found["neighbours"][:3]} <= {
        "ferry", "car", "boat", "ship", "lorry", "bus", "train", "bicycle"
    }  # fmt: skip
    shown = word_class.make(views, node(session, "car"))
    assert {"tram", "ferry"} <= {one["word"] for one in shown["typical"]}
    assert find.make(views, "tra")["words"][0]["word"] in ("tram", "train")
    do(session, action="delete", words=["tram", "bus"])
    words = {one["word"] for one in find.make(session.snapshot, "tram")["words"]}
    assert words == set()
