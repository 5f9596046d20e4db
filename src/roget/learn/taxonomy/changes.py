"""What somebody changed in an export of ours, in another tool, as edits of the thesaurus."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast
from urllib.parse import unquote

from roget import catalogue
from roget.core.io.values import whole_number
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.taxonomy import skos, triples
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus import edits as editing
from roget.learn.thesaurus.editor import EditRequest, is_within, refuse_all
from roget.learn.thesaurus.edits import Note
from roget.learn.thesaurus.nodes import collapse

_WORD = re.compile("word-([^#/]+)$")


@dataclass
class ConceptRecord:
    """What a file says of one concept."""

    names: tuple[str, ...] = ()
    """The preferred label."""
    others: tuple[str, ...] = ()
    broader: set[int] = field(default_factory=set)
    """Ids of classes."""
    narrower: set[int] = field(default_factory=set)
    """Ids of classes that call it narrower."""
    note: Note = field(default_factory=Note)
    address: str = ""


@dataclass
class Content:
    """What a file says of classes, by id, of words, and of concepts that are neither."""

    classes: dict[int, ConceptRecord] = field(default_factory=dict)
    words: dict[str, ConceptRecord] = field(default_factory=dict)
    new: list[ConceptRecord] = field(default_factory=list)
    told: dict[str, str] = field(default_factory=dict)
    """What our exports tell of the whole: name → text."""


def read_changes(
    thesaurus: Thesaurus, path: PathLike, language: str | None = None
) -> list[EditRequest]:
    """The edits that turn a thesaurus into what a changed export of it says.

    The file is held against the export of the thesaurus as it was then: what differs are renamed
    classes, words in other classes, classes under others or gone (merged into where their words
    are now), words that were added or deleted, and definitions and notes.

    Parameters
    ----------
    thesaurus
        The one that was exported, perhaps edited since.
    path
        SKOS that `roget export` wrote, whole or of some levels, and somebody changed.
    language
        Of labels, where the file has several.

    Returns
    -------
    list of Asked
        For `apply_edits`; classes are named by their ids.

    Raises
    ------
    InputError
        If it is no export of this thesaurus, or if changes are unclear; these are named.
    """
    place = Path(path)
    now = _content(place, language)
    if not now.classes:
        raise InputError(f"{place}: no class has an id: expected a file that roget export wrote")
    try:
        before = thesaurus.editor.at_state(now.told["state"]) if "state" in now.told else thesaurus
        levels = _numbers(now.told, "levels")
        least = _numbers(now.told, "minChildren")
        written = collapse(before, levels, max(least, default=1))
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
    found = _Comparison(place, _exported(written), now, before)
    asked = found.compare()
    refuse_all(found.unclear)
    return [left for one in asked if (left := _left(one, thesaurus, before)) is not None]


def _left(one: EditRequest, now: Thesaurus, before: Thesaurus) -> EditRequest | None:
    """What of an edit is not done yet in a thesaurus that was edited since; None if it is all done.

    What cannot be done any more is left as it is: doing it will tell why.
    """
    gone = isinstance(one.target, int) and one.target not in now.ids
    if one.action == editing.MERGE and gone and one.into in now.ids:
        old, into = before.node(cast(int, one.target)), now.node(cast(int, one.into))
        words = before.words[before.inside(old)].tolist()
        return None if all(into in now.path(word) for word in words if word in now.rows) else one
    if gone:
        return one
    node = None if one.target is None else now.node(cast(int, one.target))
    if one.action == editing.NEST and node:
        return None if now.ids[now.tree.parent[node]] == one.into else one
    kept = one.words
    if one.action == editing.DELETE:
        kept = tuple(word for word in one.words if word in now.rows)
    elif one.action == editing.ADD:
        kept = tuple(w for w in one.words if w not in now.rows or node not in now.path(w))
    elif one.action == editing.MOVE and node is not None:
        kept = tuple(w for w in one.words if w not in now.rows or not is_within(now, w, node))
    elif one.action in (editing.RENAME, editing.NOTE):
        return None if one.is_done(now) else one
    else:
        return one
    return replace(one, words=kept) if kept else None


def _numbers(told: Mapping[str, str], name: str) -> list[int]:
    """The whole numbers that our exports tell of the whole."""
    text = told.get(name, "")
    found = [whole_number(part.strip()) for part in text.split(",")] if text else []
    if not all(found):
        raise InputError(f"roget:{name} is {text!r:.60}: expected whole numbers from 1")
    return [number for number in found if number]


def _exported(thesaurus: Thesaurus) -> Content:
    """What the export of a thesaurus says."""
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        file = Path(folder) / "now.ttl"
        catalogue.load("exporters", "skos")(thesaurus, file)
        return _content(file, None)


def _content(place: Path, language: str | None) -> Content:
    """What a file says."""
    found = skos.gather(triples.read(place, skos.PREDICATES), place, language)
    told = found.told
    # By address where a tool has dropped what it does not know.
    ids = skos.read_ids(found, place, by_address=True)
    content = Content(told={name: next(iter(held.values())) for name, held in told.items()})
    for concept in sorted(found.concepts):
        preferred, others = found.labels.get(concept, ([], []))
        said = ConceptRecord(
            tuple(preferred),
            tuple(others),
            {ids.get(one, -1) for one in found.broader.get(concept, ())},
            {ids.get(one, -1) for one in found.narrower.get(concept, ())},
            found.note(concept),
            concept,
        )
        if concept in ids:
            content.classes[ids[concept]] = said
        elif concept not in found.kinds[skos.SKOS + "Concept"]:
            continue  # a link to something that is not described any more
        elif concept in found.kinds[skos.WORD]:
            spelt = _WORD.search(concept)
            word = unquote(spelt[1]) if spelt else preferred[0] if preferred else concept
            content.words[word] = said
        else:
            content.new.append(said)
    return content


class _Comparison:
    """Two contents, and what is asked for to get from one to the other."""

    def __init__(self, place: Path, before: Content, now: Content, whole: Thesaurus) -> None:
        self.place, self.before, self.now, self.whole = place, before, now, whole
        self.asked: list[EditRequest] = []
        self.unclear: list[str] = []
        self.heirs: dict[int, int] = {}
        """Class that is gone → what it was merged into."""

    def compare(self) -> list[EditRequest]:
        """Everything that is asked for: names first, as a class may give way to its only part."""
        self._write_classes()
        self._merge()
        self._nest()
        self._words()
        self._write_words()
        return self.asked

    def ask(self, action: str, said: ConceptRecord | None, **more: object) -> None:
        """Ask for an edit."""
        place = f"{self.place}: {said.address}" if said else str(self.place)
        self.asked.append(EditRequest(action, place=place, **more))  # type: ignore[arg-type]

    def doubt(self, said: ConceptRecord, why: str) -> None:
        """Name a change that is unclear."""
        text = f"{self.place}: {said.address}: {why}"
        if text not in self.unclear:
            self.unclear.append(text)

    def name(self, id: int) -> str:
        """What a class is called, for messages."""
        said = self.now.classes.get(id) or self.before.classes.get(id)
        return f"{said.names[0]!r} ({id})" if said and said.names else f"class {id}"

    def above(self, was: ConceptRecord | None, said: ConceptRecord | None) -> set[int] | None:
        """The classes above a concept: the side on which it was changed; None if unclear."""
        if said is None:
            return set()
        old = was.broader if was else set()
        broader, narrower = said.broader, said.narrower
        if broader == narrower or not narrower or narrower == old:
            return broader
        if not broader or broader == old or (was is None and broader <= narrower):
            return narrower
        # What is gone may be told of on one side only.
        known = self.now.classes.keys()
        if broader & known == narrower & known:
            return broader & known
        self.doubt(said, "its broader classes and those that call it narrower differ")
        return None

    def _merge(self) -> None:
        """Classes that are gone: merged into the class that has most of what they had."""
        gone = [id for id in self.before.classes if id not in self.now.classes]
        for id in self.now.classes:
            if id not in self.before.classes:
                self.doubt(self.now.classes[id], f"the thesaurus has no class of the id {id}")
        heirs: dict[int, Counter[int]] = {id: Counter() for id in gone}
        pairs = [(was, self.now.words.get(word)) for word, was in self.before.words.items()]
        pairs += [(was, self.now.classes.get(id)) for id, was in self.before.classes.items()]
        for was, said in pairs:
            for id in was.broader & heirs.keys() if said else ():
                new = (self.above(was, said) or set()) - was.broader
                heirs[id].update(new & self.now.classes.keys())
        for id in gone:
            parents = self.before.classes[id].broader
            # Empty by now: into what it was part of, or what was beside it.
            beside = [
                one
                for one, said in self.now.classes.items()
                if one in self.before.classes and self.before.classes[one].broader == parents
            ]
            best = heirs[id].most_common(1)[0][0] if heirs[id] else min(beside, default=None)
            if best is None:
                self.doubt(
                    self.before.classes[id],
                    f"the class {self.name(id)} is gone, and nothing tells where its words are",
                )
                continue
            self.heirs[id] = best
            self.ask(editing.MERGE, self.before.classes[id], target=id, into=best)

    def heir(self, id: int) -> int:
        """A class, or what it was merged into."""
        while id in self.heirs:
            id = self.heirs[id]
        return id

    def _nest(self) -> None:
        """Classes that stand under others now."""
        for id, said in self.now.classes.items():
            was = self.before.classes.get(id)
            above = self.above(was, said) if was else None
            if was is None or above is None:
                continue
            if above == {self.heir(one) for one in was.broader} or above == was.broader:
                continue
            if len(above) != 1 or min(above) not in self.now.classes:
                names = ", ".join(self.name(one) for one in sorted(above) if one >= 0)
                said_of = f"under {names}" if names else "under no class of ours"
                self.doubt(said, f"the class {self.name(id)} is {said_of}: expected one class")
                continue
            self.ask(editing.NEST, said, target=id, into=min(above))

    def _words(self) -> None:
        """Words in other classes, words that are gone, and new ones."""
        gone = [word for word in self.before.words if word not in self.now.words]
        moved: dict[int, list[str]] = {}
        added: dict[int, list[str]] = {}
        for word, said in self.now.words.items():
            was = self.before.words.get(word)
            if was is None:
                self._add(said, word, added)
                continue
            if said.names != was.names:
                self.doubt(said, f"the word {word!r} is called {', '.join(said.names) or 'nothing'}"
                                 " now: delete it and add another one")  # fmt: skip
            for other in said.others:
                self._add(said, other, added)
            above = self.above(was, said)
            if above is None or above in (was.broader, {self.heir(one) for one in was.broader}):
                continue
            if len(above) == 1 and min(above) in self.now.classes:
                moved.setdefault(min(above), []).append(word)
            else:
                names = ", ".join(self.name(one) for one in sorted(above) if one >= 0) or "no class"
                self.doubt(said, f"the word {word!r} is in {names}: expected one class of ours")
        for said in self.now.new:
            if len(said.names) != 1:
                self.doubt(said, "a new concept without a preferred label")
            else:
                self._add(said, said.names[0], added)
        for id, words in sorted(moved.items()):
            self.ask(editing.MOVE, self.now.classes[id], target=id, words=tuple(words))
        for id, words in sorted(added.items()):
            self.ask(editing.ADD, self.now.classes[id], target=id, words=tuple(words))
        if gone:
            self.ask(editing.DELETE, None, words=tuple(gone))

    def _add(self, said: ConceptRecord, word: str, added: dict[int, list[str]]) -> None:
        above = self.above(None, said)
        if above is None:
            return
        if word in self.whole.rows:
            self.doubt(said, f"{word!r} is there already")
        elif len(above) != 1 or min(above) not in self.now.classes:
            self.doubt(said, f"{word!r} is new: expected one broader class of ours, a class itself "
                             "being made by splitting one")  # fmt: skip
        else:
            added.setdefault(min(above), []).append(word)

    def _write_classes(self) -> None:
        """Names of classes, and what was written of them."""
        for id, said in self.now.classes.items():
            was = self.before.classes.get(id)
            if was is None:
                continue
            if said.names != was.names:
                if len(said.names) == 1:
                    self.ask(editing.RENAME, said, target=id, text=said.names[0])
                else:
                    self.doubt(said, f"the class {id} has {len(said.names)} preferred labels")
            elif said.others != was.others:
                new = sorted(set(said.others) - set(was.others))
                if len(new) == 1:
                    self.ask(editing.RENAME, said, target=id, text=new[0])
                elif new:
                    self.doubt(said, f"the class {id} has {len(new)} new alternative labels")
            self._write_note(was.note, said, target=id)

    def _write_words(self) -> None:
        """What was written of words."""
        for word, said in self.now.words.items():
            self._write_note(self.before.words.get(word, ConceptRecord()).note, said, words=(word,))
        for said in self.now.new:
            if len(said.names) == 1:
                self._write_note(Note(), said, words=said.names)

    def _write_note(self, old: Note, said: ConceptRecord, **about: object) -> None:
        """What was written of a class or a word."""
        for name, was, text in zip(Note._fields, old, said.note, strict=True):
            if text != was:
                self.ask(editing.NOTE, said, **about, text=text, field=name)
