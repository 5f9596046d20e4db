"""Desk: the thesaurus that is open, what it is compared with, and its edits."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from roget.core.store import locked
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.load import open_thesaurus
from roget.learn.thesaurus import Thesaurus, files
from roget.learn.thesaurus.changes import OPEN
from roget.learn.thesaurus.edit_requests import EditRequest, apply_edits
from roget.learn.thesaurus.edits import REMARK, node_number
from roget.learn.thesaurus.files import Changed
from roget.report.edits import list_edits
from roget.report.format import brief
from roget.report.growth import tell
from roget.web.compare import Side, comparison, offered, opened
from roget.web.views import View, Views

EDITS: dict[str, dict[str, type]] = {
    "rename": {"node": int, "label": str},
    "move": {"words": list, "node": int},
    "merge": {"node": int, "into": int},
    "nest": {"node": int, "into": int},
    "add": {"words": list, "node": int},
    "delete": {"words": list},
    "split": {"node": int},
    "note": {"text": str},
    "undo": {},
    "redo": {},
    "undo_to": {"n": int},
    "accept": {"numbers": list},
    "refuse": {"numbers": list},
    "bulk": {"edits": list},
}
"""What can be done, and what it needs.

A single "word" is as good as "words"; "split" may have them too. "note" needs a "node" or a "word",
and may have a "field". "bulk" is a list of edits, all or none, by the nodes that the page shows.
"""

ALONE = ("undo", "redo", "undo_to", "accept", "refuse")
"""What needs no class and no word, and is none of several edits."""


@dataclass(frozen=True, eq=False)
class Moment:
    """The thesaurus as it is at one moment: whoever holds this sees no edit half done."""

    desk: Desk
    views: Views
    revision: int

    def overview(self) -> View:
        """The overview, with what can be done here."""
        desk, thesaurus = self.desk, self.views.thesaurus
        done = thesaurus.done
        why = desk.locked
        view = self.views.overview() | {
            "revision": self.revision,
            "editable": why is None,
            "locked": why,
            "edits": len(done),
            "last": str(done[-1]) if done else None,
            "next": str(thesaurus.undone[0]) if thesaurus.undone else None,
            "evidence": thesaurus.has_evidence,
            "changes": len(thesaurus.changes),
            "open": sum(one.state == OPEN for one in thesaurus.changes),
            "live": True,
            "compare": None,
        }
        if desk.side is not None:
            ks, usual = offered(self.views, desk.side)
            about = {"name": desk.side.name, "kind": desk.side.kind, "ks": ks, "k": usual}
            view["compare"] = about
        return view

    def tree(self) -> View:
        """The tree, and the revision whose nodes these are: an edit that names them must say it."""
        return {"revision": self.revision, **self.views.tree()}

    def word(self, word: str, n: int) -> View:
        """A word by its name."""
        return self.views.word(self.views.thesaurus.row(word), n)

    def lines(self, word: str, node: int | None, context: str | None, sort: str, n: int) -> View:
        """The lines of a word, or of the words of a class with a context."""
        if node is None:
            return self.views.lines(word, context, n, sort)
        if context is None:
            raise InputError("lines of a class are those with a context: expected context=")
        return self.views.class_lines(node, context, n, sort)

    def history(self) -> View:
        """All edits in their order, done, waiting and undone; "number" is for undo_to."""
        return {"revision": self.revision, "edits": list(list_edits(self.views.thesaurus))}

    def changes(self) -> View:
        """What growing has changed, with the contexts that speak for it in plain words."""
        told = tell(self.views.thesaurus.changes, self.views.thesaurus)
        for one in told:
            one["reasons"] = [self.views.explain(reason) for reason in one["reasons"]]
            one["score"] = brief(one["score"])
        return {"revision": self.revision, "changes": told}

    @cached_property
    def compare(self) -> Callable[..., View]:
        """The comparison at k classes, which keeps the last ones."""
        return lru_cache(maxsize=32)(partial(_compare, self.views, self.desk.side))


def _compare(views: Views, side: Side | None, k: int) -> View:
    if side is None:
        raise InputError("nothing to compare with: roget explore … --compare THESAURUS|GOLD")
    return comparison(views, side, k)


class Desk:
    """One open thesaurus; edits replace what is there now under a lock, and are saved at once."""

    def __init__(
        self,
        path: PathLike | Thesaurus,
        compare: PathLike | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        held = path if isinstance(path, Thesaurus) else None
        self.path = Path("thesaurus" if isinstance(path, Thesaurus) else path)
        views = Views(held or open_thesaurus(self.path), self.path.resolve().name)
        self.now = Moment(self, views, 0)
        self._imported = held is not None or not files.is_thesaurus(self.path)
        self.side: Side | None = None if compare is None else opened(compare, columns)
        self._lock = threading.Lock()
        if self.side is not None:
            self.now.compare(k=offered(views, self.side)[1])

    @property
    def views(self) -> Views:
        """The views of the thesaurus as it is now."""
        return self.now.views

    @property
    def revision(self) -> int:
        """The number of its state."""
        return self.now.revision

    @property
    def locked(self) -> str | None:
        """Why this thesaurus cannot be edited; None if it can."""
        if self._imported:
            into = f"{self.path.stem or 'my'}.thesaurus"
            return f"make a thesaurus of it first, with roget export {self.path} -o {into}"
        if not os.access(self.path, os.W_OK):
            return f"{self.path} cannot be written to"
        return None

    def edit(self, asked: Mapping[str, Any], revision: int) -> View:
        """Do what is asked, save it, and give the overview of what it made."""
        action, values = _check(asked)
        with self._lock:
            now = self.now
            if revision != now.revision:
                raise Changed("the thesaurus has changed meanwhile: load the page again")
            before = now.views.thesaurus
            if action in ALONE:
                edited = getattr(before, action)(**values)
            else:
                several = values["edits"] if action == "bulk" else [asked]
                edited = apply_edits(before, [_ask(before, one) for one in several])
            views = now.views.after(edited).warm()
            try:
                edited.save(self.path)
            except Changed:
                with locked(self.path.resolve()):  # who edits it just now would spoil the reading
                    found = Views(Thesaurus.load(self.path), now.views.name)
                self.now = Moment(self, found.warm(), revision + 1)
                raise Changed("the thesaurus was changed elsewhere: load the page again") from None
            self.now = made = Moment(self, views, revision + 1)
        return made.overview()


def _check(asked: Any) -> tuple[str, dict[str, Any]]:
    """The action and what it needs, each of the kind it should be."""
    if not isinstance(asked, Mapping):
        raise InputError(f"{asked!r}: expected an object with an action")
    action = asked.get("action")
    if not isinstance(action, str) or action not in EDITS:
        raise InputError(f"{action!r}: expected one of {', '.join(EDITS)}")
    given = dict(asked)
    if "words" not in given and "word" in given:
        given["words"] = [given["word"]]
    values: dict[str, Any] = {}
    for name, kind in EDITS[action].items():
        value = given.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InputError(f"{action}: {name} is {value!r}; expected {kind.__name__}")
        values[name] = value
    return action, values


def _ask(thesaurus: Thesaurus, given: Any) -> EditRequest:
    """An edit as it came from the page, with classes by id, which edits before it do not change."""
    action, values = _check(given)
    if action in ALONE or action == "bulk":
        raise InputError(f"{action} cannot be one of several edits")
    words = given.get("words", [given["word"]] if "word" in given else [])
    texts = values.get("label", values.get("text", "")), given.get("field", REMARK)
    if not isinstance(words, list) or not all(isinstance(one, str) for one in (*words, *texts)):
        raise InputError(f"{action}: expected words and field to be texts")
    of, into = (
        None if name not in given else int(thesaurus.ids[_need_node(thesaurus, given[name])])
        for name in ("node", "into")
    )
    return EditRequest(action, of, tuple(words), texts[0], into, texts[1])


def _need_node(thesaurus: Thesaurus, node: Any) -> int:
    number = node_number(node)
    thesaurus.tree.children(number)  # one that is not there is an error
    return number
