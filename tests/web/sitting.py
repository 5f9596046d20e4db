"""Simulated editing sessions: each edit is made in the page and with the library."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roget.learn.thesaurus import Thesaurus

READY = "main:not([aria-busy]) h1"


def same(one: Thesaurus, other: Thesaurus) -> None:
    """Two thesauri have the same words, classes, names, notes and edits."""
    assert one.words.tolist() == other.words.tolist()
    assert one.tree.parent.tolist() == other.tree.parent.tolist()
    assert one.ids.tolist() == other.ids.tolist()
    assert one.labels == other.labels
    assert one.notes == other.notes
    assert one.places.tolist() == other.places.tolist()
    assert list(map(str, one.edits)) == list(map(str, other.edits))
    assert list(map(str, one.undone)) == list(map(str, other.undone))
    difference = abs(one.memberships - other.memberships)
    assert not difference.nnz or float(difference.max()) < 1e-9


@dataclass
class Sitting:
    """A person at a page, who does what chance says, and the library, which does the same."""

    page: Any
    home: str
    mirror: Thesaurus
    seed: int = 0
    pace: int = 0
    """Milliseconds of thought before each edit."""
    done: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.kinds: dict[str, tuple[int, Callable[[], bool]]] = {
            "rename": (4, self.rename),
            "move": (5, self.move),
            "move several": (4, self.move_several),
            "merge": (2, self.merge),
            "nest": (2, self.nest),
            "split": (3, self.split),
            "split off": (2, self.split_off),
            "add": (3, self.add),
            "delete": (2, self.delete),
            "define": (3, self.define),
            "define a word": (2, self.define_word),
            "undo": (4, self.undo),
            "redo": (2, self.redo),
            "undo to": (1, self.undo_to),
            "reload": (1, self.reload),
        }

    def work(self, edits: int) -> None:
        """So many edits, none of which fails."""
        names = list(self.kinds)
        weights = [self.kinds[name][0] for name in names]
        while sum(self.done.values()) < edits:
            name = self.chance.choices(names, weights)[0]
            if self.pace:
                self.page.wait_for_timeout(self.pace)
            if self.kinds[name][1]():
                self.done[name] = self.done.get(name, 0) + 1

    # What a person sees and does.

    def look(self, link: str) -> None:
        self.page.evaluate("link => { location.hash = link; }", link)
        wanted = link.removeprefix("#")
        self.page.wait_for_function(
            "link => decodeURIComponent(location.hash) === decodeURIComponent('#' + link)",
            arg=wanted,
        )
        self.page.wait_for_selector(READY)

    def open_class(self, node: int) -> None:
        self.look("#/" if node == 0 else f"#/class/{self.mirror.ids[node]}")

    def submit(self) -> None:
        """Send what the dialog has; it closes once that is done."""
        self.page.click("#dialog button[type=submit]")
        self.page.wait_for_selector("#dialog:not([open])", state="attached")
        self.page.wait_for_selector(READY)

    def choose_class(self, node: int) -> None:
        label = self.mirror.label(node) if node or 0 in self.mirror.labels else "All words"
        self.page.fill("#filter", label)
        self.page.select_option("#target", str(self.mirror.ids[node]))

    # Whom it is done to.

    def some_class(self, fits: Callable[[int], bool] = lambda _: True) -> int | None:
        nodes = [node for node in range(1, self.mirror.tree.n_nodes) if fits(node)]
        return self.chance.choice(nodes) if nodes else None

    def some_word(self) -> str:
        return str(self.chance.choice(self.mirror.words.tolist()))

    def leaf(self, least: int) -> int | None:
        tree, sizes = self.mirror.tree, self.mirror.index.places.sizes
        return self.some_class(lambda node: not tree.children(node) and sizes[node] >= least)

    def shown_words(self) -> list[str]:
        return self.page.eval_on_selector_all(
            ".choice", "boxes => boxes.map(one => one.dataset.word)"
        )

    def tick(self, words: list[str]) -> None:
        self.page.eval_on_selector_all(
            ".choice",
            "(boxes, words) => boxes.forEach(one => words.includes(one.dataset.word) "
            "&& one.click())",
            words,
        )

    # What is done.

    def rename(self) -> bool:
        node = self.some_class()
        if node is None:
            return False
        label = f"{self.chance.choice(['things', 'people', 'ways of', 'kinds of'])} {self.seed}"
        label += f" {sum(self.done.values())}"
        self.open_class(node)
        self.page.keyboard.press("e")
        self.page.fill("#new-label", label)
        self.submit()
        self.mirror = self.mirror.editor.rename(node, label)
        return True

    def move(self) -> bool:
        word, node = self.some_word(), self.some_class()
        if node is None:
            return False
        self.look(f"#/row/{self.mirror.row(word)}")
        self.page.keyboard.press("m")
        self.choose_class(node)
        self.submit()
        self.mirror = self.mirror.editor.move([word], node)
        return True

    def move_several(self) -> bool:
        node = self.some_class()
        to = self.some_class(lambda other: other != node)
        if node is None or to is None:
            return False
        self.open_class(node)
        shown = self.shown_words()
        if len(shown) < 3:
            return False
        words = [word for word in shown if self.chance.random() < 0.3][:6] or shown[:2]
        self.tick(words)
        self.page.keyboard.press("m")
        self.choose_class(to)
        self.submit()
        self.mirror = self.mirror.editor.move(words, to)
        return True

    def _join(self, key: str, fits: Callable[[int, int], bool]) -> tuple[int, int] | None:
        node = self.some_class()
        if node is None or self.mirror.tree.n_clusters < 4:
            return None
        into = self.some_class(lambda other: fits(node, other))
        if into is None:
            return None
        self.open_class(node)
        self.page.keyboard.press(key)
        self.choose_class(into)
        self.submit()
        return node, into

    def merge(self) -> bool:
        path = self.mirror.tree.path
        found = self._join("m", lambda a, b: a not in path(b) and b not in path(a))
        if found:
            self.mirror = self.mirror.editor.merge(*found)
        return bool(found)

    def nest(self) -> bool:
        tree = self.mirror.tree
        found = self._join("n", lambda a, b: a not in tree.path(b) and tree.parent[a] != b)
        if found:
            self.mirror = self.mirror.editor.nest(*found)
        return bool(found)

    def split(self) -> bool:
        node = self.leaf(12)
        if node is None:
            return False
        self.open_class(node)
        self.page.keyboard.press("s")
        self.submit()
        self.mirror = self.mirror.editor.split(node)
        return True

    def split_off(self) -> bool:
        node = self.leaf(5)
        if node is None:
            return False
        self.open_class(node)
        words = self.shown_words()[1:3]
        self.tick(words)
        self.page.keyboard.press("s")
        self.submit()
        self.mirror = self.mirror.editor.split(node, words)
        return True

    def add(self) -> bool:
        node = self.some_class()
        if node is None:
            return False
        words = [f"neologism{sum(self.done.values())}{end}" for end in ("", "s")]
        if any(word in self.mirror.rows for word in words):
            return False
        self.open_class(node)
        self.page.keyboard.press("a")
        self.page.fill("#new-words", "\n".join(words))
        self.submit()
        self.mirror = self.mirror.editor.add(words, node)
        return True

    def delete(self) -> bool:
        word = self.some_word()
        self.look(f"#/row/{self.mirror.row(word)}")
        self.page.keyboard.press("Delete")
        self.submit()
        self.mirror = self.mirror.editor.delete([word])
        return True

    def define(self) -> bool:
        node = self.some_class()
        if node is None:
            return False
        text = f"What <b>number {sum(self.done.values())}</b> means"
        self.open_class(node)
        self.page.keyboard.press("d")
        self.page.fill("#definition", text)
        self.page.fill("#note", "to be looked at")
        held = self.mirror.notes.get(node)
        self.submit()
        self.mirror = self.mirror.editor.note(node, text, "definition")
        if held is None or held.note != "to be looked at":
            self.mirror = self.mirror.editor.note(node, "to be looked at", "note")
        return True

    def define_word(self) -> bool:
        word, text = self.some_word(), f"see {self.some_word()} {sum(self.done.values())}"
        self.look(f"#/row/{self.mirror.row(word)}")
        self.page.keyboard.press("d")
        self.page.fill("#note", text)
        self.submit()
        self.mirror = self.mirror.editor.note(word, text, "note")
        return True

    def _told(self, text: str) -> None:
        self.page.wait_for_function(
            "text => document.getElementById('status').textContent.startsWith(text)", arg=text
        )
        self.page.wait_for_selector(READY)

    def undo(self) -> bool:
        if self.mirror.editor.undoable is None:
            return False
        self.look("#/")
        self.page.keyboard.press("u")
        self._told(f"Undone: {self.mirror.editor.undoable}"[:200])
        self.mirror = self.mirror.editor.undo()
        return True

    def redo(self) -> bool:
        if not self.mirror.undone:
            return False
        self.look("#/")
        self.page.keyboard.press("r")
        self._told(f"Redone: {self.mirror.undone[0]}"[:200])
        self.mirror = self.mirror.editor.redo()
        return True

    def undo_to(self) -> bool:
        done = [one for one in self.mirror.edits if not one.waiting]
        if len(done) < 4:
            return False
        back = self.chance.randint(2, min(4, len(done)))
        self.look("#/history")
        self.page.locator(".log.done button").nth(back - 1).click()
        self._told(f"{back} edits undone")
        self.mirror = self.mirror.editor.undo_to(len(done) - back)
        return True

    def reload(self) -> bool:
        self.page.reload()
        self.page.wait_for_selector(READY)
        return True


def spread(sizes: dict[str, int]) -> str:
    """What was done how often, for people."""
    total = int(np.sum(list(sizes.values())))
    return f"{total} steps: " + ", ".join(f"{n} {name}" for name, n in sorted(sizes.items()))
