"""Several people at once: two explorers, several windows of each, and commands, on one folder.

Whatever they do, the folder holds the edits that were acknowledged, each once, in an order in which
one person could have made them; and nobody's edit is made to a state that he has not seen.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest

from roget.learn.editing import edit as edit_folder
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.files import Changed
from roget.web.session import Session
from roget.web.views import history, overview, tree
from web.helpers import SESSIONS, known, open_session, served
from web.sitting import same

httpx = pytest.importorskip("httpx2", reason="needs roget[test]")
pytest.importorskip("starlette", reason="needs roget[explore]")

EDITS = 8
"""Acknowledged edits of each person."""


class Person:
    """Somebody with a window: sees a tree, edits it, looks again when told that it has changed."""

    def __init__(self, name, address, token):
        self.name, self.chance = name, random.Random(name)
        self.client = httpx.Client(
            base_url=address, headers={"x-roget-token": token}, timeout=60, trust_env=False
        )
        self.made, self.conflicts, self.wrong = [], 0, []
        self.seen = {}

    def work(self):
        try:
            while len(self.made) < EDITS:
                self.step()
        except Exception as error:
            self.wrong.append(error)
        finally:
            self.client.close()

    def step(self):
        tree = self.client.get("/api/tree").json()
        node = self.chance.randrange(1, len(tree["parent"]))
        number = len(self.made)
        # One that is made twice, or to another class than the one that was seen, shows in the log.
        options = self.chance.choice(
            [
                {"action": "add", "words": [f"{self.name}{number}"], "node": node},
                {"action": "rename", "node": node, "label": f"{self.name} {number}"},
                {"action": "note", "node": node, "text": f"{self.name} {number}"},
            ]
        )
        time.sleep(self.chance.random() * 0.01)
        answer = self.client.post("/api/edit", json={**options, "revision": tree["revision"]})
        if answer.status_code == 409:
            self.conflicts += 1
            assert answer.json()["revision"] > tree["revision"]
            return
        assert answer.status_code == 200, answer.text
        assert answer.json()["revision"] == tree["revision"] + 1
        self.made.append((options["action"], f"{self.name} {number}", node))
        self.seen[self.made[-1]] = tree["label"][node]


class Command:
    """Somebody who edits with `roget edit`, in a program of his own."""

    def __init__(self, name, folder):
        self.name, self.folder, self.made, self.wrong = name, folder, [], []
        self.conflicts, self.seen = 0, {}

    def work(self):
        table = self.folder.parent / f"{self.name}.tsv"
        try:
            while len(self.made) < EDITS // 2:
                number = len(self.made)
                table.write_text(f"action\tclass\ttext\nrename\t3\t{self.name} {number}\n")
                try:
                    edit_folder(self.folder, table)
                except Changed:
                    self.conflicts += 1
                else:
                    self.made.append(("rename", f"{self.name} {number}", 3))
        except Exception as error:
            self.wrong.append(error)


def told(edit):
    """An edit of the log as those who made it tell it: what, whose, at which class."""
    text = edit.text or f"{edit.words[0][:-1]} {edit.words[0][-1]}"
    return edit.kind, text, edit.node.node


def test_acknowledged_edits_are_saved_exactly_once(folder, tmp_path):
    before = tmp_path / "before"
    shutil.copytree(folder, before)
    with served(Session(folder)) as one, served(Session(folder)) as other:
        people = [
            Person(f"{'ab'[at % 2]}{at}-", home, open_session(SESSIONS[home]))
            for at, home in enumerate((one, other, one, other))
        ]
        people.append(Command("c-", folder))
        threads = [threading.Thread(target=person.work) for person in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
    assert [person.wrong for person in people] == [[]] * len(people)
    assert sum(person.conflicts for person in people) > 0
    kept = Thesaurus.load(folder)
    log = [told(edit) for edit in kept.edits]
    made = [one for person in people for one in person.made]
    assert Counter(log) == Counter(made), "each once, and to the class that was seen"
    labels = {told(edit): edit.node.label for edit in kept.edits}
    for person in people:
        assert {one: labels[one] for one in person.seen} == person.seen, "as it was seen"
        assert [one for one in log if one in person.made] == person.made, "in everybody's order"
    same(Thesaurus.load(before).editor.with_edits(kept.edits, kept.undone), kept)


def test_undo_applies_only_to_the_revision_shown(folder):
    """If two users undo at once, one undoes the last edit and the other gets an error."""
    session = Session(folder)
    for number in range(6):
        session.edit({"action": "rename", "node": 3, "label": f"name {number}"}, number)
    done, told = [], []

    def undo(revision):
        try:
            done.append(len(session.edit({"action": "undo"}, revision).thesaurus.editor.done))
        except Changed:
            told.append(revision)

    for revision in range(6, 9):
        threads = [threading.Thread(target=undo, args=(revision,)) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert done == [5, 4, 3]
    assert len(told) == 12
    assert Thesaurus.load(folder).label(3) == "name 2"


def test_snapshots_are_consistent_during_edits(folder):
    """Revision, tree and edits of a response belong to the same state."""
    session, stop, wrong = Session(folder), threading.Event(), []

    def look():
        while not stop.is_set():
            now = session.snapshot
            seen = overview.make(now), tree.make(now), history.make(now)
            labels = {seen[0]["edits"], len(seen[2]["edits"])}
            if {one["revision"] for one in seen} != labels:
                wrong.append(seen)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for revision in range(12):
        label = f"name {revision}"
        assert session.edit(
            {"action": "rename", "node": 3, "label": label}, revision
        ).thesaurus.editor.done
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.slow
def test_page_never_mixes_two_revisions(browser, folder):
    """After an edit between its two requests, the page asks again and edits what it shows."""
    with served(Session(folder)) as address:
        context = known(browser, address)
        # The tree is answered, then somebody edits, then the overview is asked for.
        context.add_init_script(
            """const real = window.fetch;
            let edited, wait = new Promise((then) => { edited = then; }), first = true;
            window.fetch = async (place, given) => {
              if (place === "/api/overview") await wait;
              const answer = await real(place, given);
              if (place !== "/api/tree" || !first) return answer;
              first = false;
              const asked = { action: "merge", node: 4, into: 3, revision: 0 };
              await real("/api/edit", { ...given, method: "POST", body: JSON.stringify(asked) });
              edited();
              return answer;
            };"""
        )
        page = context.new_page()
        page.goto(f"{address}#/class/5")
        page.wait_for_selector("main:not([aria-busy]) .actions")
        page.keyboard.press("e")
        page.fill("#new-label", "what cuts")
        page.keyboard.press("Enter")
        page.wait_for_selector("#undo[title*='renamed']")
        context.close()
    kept = Thesaurus.load(folder)
    assert kept.label(kept.node(5)) == "what cuts"


def test_page_shows_edits_made_by_a_command(folder, tmp_path):
    """Edits made by `roget edit` in another process are reported with the next edit, and shown."""
    table = tmp_path / "edits.tsv"
    table.write_text("action\tclass\ttext\nrename\t3\tbeasts\n")
    with served(Session(folder)) as address:
        token = open_session(SESSIONS[address])
        client = httpx.Client(base_url=address, headers={"x-roget-token": token}, trust_env=False)
        command = [sys.executable, "-m", "roget", "edit", str(folder), str(table)]
        subprocess.run(command, check=True, capture_output=True)
        options = {"action": "rename", "node": 4, "label": "fowl", "revision": 0}
        refused = client.post("/api/edit", content=json.dumps(options))
        assert refused.status_code == 409
        assert refused.json()["revision"] == 1
        assert client.get("/api/tree").json()["label"][3] == "beasts"
        assert client.post("/api/edit", json={**options, "revision": 1}).status_code == 200
        client.close()
    assert [Thesaurus.load(folder).label(node) for node in (3, 4)] == ["beasts", "fowl"]
