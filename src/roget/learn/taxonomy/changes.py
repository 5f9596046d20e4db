"""Convert changes made to a SKOS export by another tool into edits."""

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
from roget.learn.thesaurus.edits import EditRequest, Note, is_within, refuse_all
from roget.learn.thesaurus.thesaurus import collapse, keep_build_levels

_WORD = re.compile("word-([^#/]+)$")


@dataclass
class ConceptRecord:
    """A concept (class or word) in a SKOS file."""

    names: tuple[str, ...] = ()
    """Preferred labels of the concept."""
    others: tuple[str, ...] = ()
    broader: set[int] = field(default_factory=set)
    """Ids of the classes to which the concept has skos:broader links."""
    narrower: set[int] = field(default_factory=set)
    """Ids of the classes that have a skos:narrower link to the concept."""
    note: Note = field(default_factory=Note)
    address: str = ""
    is_top: bool = False
    """True if the file lists the concept as a top concept of the scheme."""


@dataclass
class Content:
    """The content of a SKOS file: its classes by id, its words, and new concepts."""

    classes: dict[int, ConceptRecord] = field(default_factory=dict)
    words: dict[str, ConceptRecord] = field(default_factory=dict)
    new: list[ConceptRecord] = field(default_factory=list)
    own: dict[str, str] = field(default_factory=dict)
    """Values of roget's own predicates, by name."""


def read_changes(
    thesaurus: Thesaurus, path: PathLike, language: str | None = None
) -> list[EditRequest]:
    """Return the edits that turn a thesaurus into a modified export of it.

    The file is compared with the thesaurus at the time of the original export. Classes may be
    renamed, moved below another parent or deleted, and words may be moved, added or deleted.
    Definitions and notes may change. A deleted class is merged into the class that now has its
    words.

    Parameters
    ----------
    thesaurus
        The exported thesaurus, which may have been edited since.
    path
        A SKOS file that was written by `roget export`, with all or some levels, and then changed.
    language
        Language of the labels to read, if the file has labels in several languages.

    Returns
    -------
    list of EditRequest
        Edits for `apply_edits`. Classes are identified by id.

    Raises
    ------
    InputError
        If the file is not an export of this thesaurus, or if changes are ambiguous. The message
        lists them.
    """
    place = Path(path)
    now = _read_content(place, language)
    if not now.classes:
        raise InputError(
            f"{place}: no class has an id; expected a file written by roget export",
            code="edit-refused",
        )
    try:
        before = thesaurus.editor.at_state(now.own["state"]) if "state" in now.own else thesaurus
        levels = _numbers(now.own, "levels")
        least = _numbers(now.own, "minChildren")
        lowest = max(least, default=1)
        by_build = bool(_numbers(now.own, "buildLevels"))
        written = (
            keep_build_levels(before, lowest) if by_build else collapse(before, levels, lowest)
        )
        left_out = _numbers(now.own, "leftOut")
    except InputError as error:
        raise InputError(f"{place}: {error}", code="edit-refused") from None
    found = _Comparison(place, _leave_out(_export(written), left_out), now, before)
    requests = found.compare()
    refuse_all(found.unclear)
    return [left for one in requests if (left := _drop_done(one, thesaurus, before)) is not None]


def _drop_done(one: EditRequest, now: Thesaurus, before: Thesaurus) -> EditRequest | None:
    """Return the part of an edit that is still to be made, or None.

    Edits that no longer apply are returned unchanged. Applying them raises an error.
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


def _numbers(values: Mapping[str, str], name: str) -> list[int]:
    """Parse a comma-separated list of positive integers."""
    text = values.get(name, "")
    found = [whole_number(part.strip()) for part in text.split(",")] if text else []
    if not all(found):
        raise InputError(
            f"roget:{name} is {text!r:.60}; expected positive integers", code="edit-refused"
        )
    return [number for number in found if number]


def _export(thesaurus: Thesaurus) -> Content:
    """Return the content that a new export of the thesaurus would have."""
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        file = Path(folder) / "now.ttl"
        catalogue.load("exporters", "skos")(thesaurus, file)
        return _read_content(file, None)


def _leave_out(content: Content, ids: list[int]) -> Content:
    """Remove some leaf classes, their words, and all classes that have no subclass left.

    A word that also belongs to another class stays there.
    """
    gone, parents = set(ids), {id: one.broader for id, one in content.classes.items()}
    while True:
        # Leave out an inner class if all its subclasses are left out.
        inner = {id for above in parents.values() for id in above}
        kept = {id for one, above in parents.items() if one not in gone for id in above}
        if not (more := inner - kept - gone):
            break
        gone |= more
    words = {
        word: replace(one, broader=one.broader - gone, narrower=one.narrower - gone)
        for word, one in content.words.items()
        if one.broader - gone or not one.broader
    }
    classes = {id: one for id, one in content.classes.items() if id not in gone}
    return replace(content, classes=classes, words=words)


def _read_content(place: Path, language: str | None) -> Content:
    """Read the content of a SKOS file."""
    found = skos.gather(triples.read(place, skos.PREDICATES), place, language)
    # If another tool has removed roget's predicates, read the ids from the URIs.
    ids = skos.read_ids(found, place, by_address=True)
    content = Content(own={name: next(iter(held.values())) for name, held in found.own.items()})
    for concept in sorted(found.concepts):
        preferred, others = found.labels.get(concept, ([], []))
        record = ConceptRecord(
            tuple(preferred),
            tuple(others),
            {ids.get(one, -1) for one in found.broader.get(concept, ())},
            {ids.get(one, -1) for one in found.narrower.get(concept, ())},
            found.note(concept),
            concept,
            concept in found.tops,
        )
        if concept in ids:
            content.classes[ids[concept]] = record
        elif concept not in found.kinds[skos.SKOS + "Concept"]:
            continue  # Skip links to deleted concepts.
        elif concept in found.kinds[skos.WORD]:
            spelt = _WORD.search(concept)
            word = unquote(spelt[1]) if spelt else preferred[0] if preferred else concept
            content.words[word] = record
        else:
            content.new.append(record)
    return content


class _Comparison:
    """Compare the content before and after the changes, and collect edits."""

    def __init__(self, place: Path, before: Content, now: Content, whole: Thesaurus) -> None:
        self.place, self.before, self.now, self.whole = place, before, now, whole
        self.requests: list[EditRequest] = []
        self.unclear: list[str] = []
        self.heirs: dict[int, int] = {}
        """For each deleted class, the class into which it was merged."""

    def compare(self) -> list[EditRequest]:
        """Return all edits.

        Renamed classes come first, because a later edit may replace a class by its only subclass.
        """
        self._write_classes()
        self._merge()
        self._nest()
        self._compare_words()
        self._write_words()
        return self.requests

    def request(self, action: str, record: ConceptRecord | None, **more: object) -> None:
        """Add an edit request, with the position of the concept in the file."""
        place = f"{self.place}: {record.address}" if record else str(self.place)
        self.requests.append(EditRequest(action, place=place, **more))  # type: ignore[arg-type]

    def report(self, record: ConceptRecord, why: str) -> None:
        """Record an ambiguous change, to be reported as an error later."""
        text = f"{self.place}: {record.address}: {why}"
        if text not in self.unclear:
            self.unclear.append(text)

    def name(self, id: int) -> str:
        """Return the name of a class for messages."""
        record = self.now.classes.get(id) or self.before.classes.get(id)
        return f"{record.names[0]!r} ({id})" if record and record.names else f"class {id}"

    def above(self, was: ConceptRecord | None, record: ConceptRecord | None) -> set[int] | None:
        """Return the broader classes of a concept, or None if they are ambiguous.

        A file may state a link as skos:broader, as skos:narrower or as both. If the two disagree,
        use the one that was edited after roget wrote the file.
        """
        if record is None:
            return set()
        old = was.broader if was else set()
        broader, narrower = record.broader, record.narrower
        if broader == narrower or not narrower or narrower == old:
            return broader
        if not broader or broader == old or (was is None and broader <= narrower):
            return narrower
        # Ignore links to deleted classes, which may remain in one direction.
        known = self.now.classes.keys()
        if broader & known == narrower & known:
            return broader & known
        self.report(record, "its broader classes differ from the classes that list it as narrower")
        return None

    def _merge(self) -> None:
        """Merge each deleted class into the class that now has most of its words and subclasses."""
        gone = [id for id in self.before.classes if id not in self.now.classes]
        for id in self.now.classes:
            if id not in self.before.classes:
                self.report(self.now.classes[id], f"the thesaurus has no class with the id {id}")
        heirs: dict[int, Counter[int]] = {id: Counter() for id in gone}
        pairs = [(was, self.now.words.get(word)) for word, was in self.before.words.items()]
        pairs += [(was, self.now.classes.get(id)) for id, was in self.before.classes.items()]
        for was, record in pairs:
            for id in was.broader & heirs.keys() if record else ():
                new = (self.above(was, record) or set()) - was.broader
                heirs[id].update(new & self.now.classes.keys())
        for id in gone:
            parents = self.before.classes[id].broader
            # Merge a class without words or subclasses into a sibling.
            siblings = [
                one
                for one, record in self.now.classes.items()
                if one in self.before.classes and self.before.classes[one].broader == parents
            ]
            best = heirs[id].most_common(1)[0][0] if heirs[id] else min(siblings, default=None)
            if best is None:
                self.report(
                    self.before.classes[id],
                    f"the class {self.name(id)} is missing, and its words are not in any other "
                    "class",
                )
                continue
            self.heirs[id] = best
            self.request(editing.MERGE, self.before.classes[id], target=id, into=best)

    def heir(self, id: int) -> int:
        """Return the class into which a class was merged, or its own id."""
        while id in self.heirs:
            id = self.heirs[id]
        return id

    def _nest(self) -> None:
        """Add edits for classes whose parent has changed."""
        for id, record in self.now.classes.items():
            was = self.before.classes.get(id)
            above = self.above(was, record) if was else None
            if was is None or above is None:
                continue
            if above == {self.heir(one) for one in was.broader} or above == was.broader:
                continue
            # A class without a broader class is a top concept, below the root.
            root = int(self.whole.ids[0])
            if not above and root not in self.before.classes and record.is_top:
                self.request(editing.NEST, record, target=id, into=root)
                continue
            if len(above) != 1 or min(above) not in self.now.classes:
                names = ", ".join(self.name(one) for one in sorted(above) if one >= 0)
                where = f"under {names}" if names else "not below any class of the thesaurus"
                self.report(
                    record, f"the class {self.name(id)} is {where}; expected exactly one parent"
                )
                continue
            self.request(editing.NEST, record, target=id, into=min(above))

    def _compare_words(self) -> None:
        """Add edits for words that were moved, deleted or added."""
        gone = [word for word in self.before.words if word not in self.now.words]
        moved: dict[int, list[str]] = {}
        added: dict[int, list[str]] = {}
        for word, record in self.now.words.items():
            was = self.before.words.get(word)
            if was is None:
                self._add(record, word, added)
                continue
            if record.names != was.names:
                label = ", ".join(record.names) or "nothing"
                self.report(
                    record,
                    f"the word {word!r} now has the label {label}, but words cannot be renamed; "
                    "delete the word and add a new one",
                )
            for other in record.others:
                self._add(record, other, added)
            above = self.above(was, record)
            if above is None or above in (was.broader, {self.heir(one) for one in was.broader}):
                continue
            if len(above) == 1 and min(above) in self.now.classes:
                moved.setdefault(min(above), []).append(word)
            else:
                names = ", ".join(self.name(one) for one in sorted(above) if one >= 0) or "no class"
                self.report(
                    record,
                    f"the word {word!r} is in {names}; expected exactly one class of the thesaurus",
                )
        for record in self.now.new:
            if len(record.names) != 1:
                self.report(record, "a new concept needs exactly one preferred label")
            else:
                self._add(record, record.names[0], added)
        for id, words in sorted(moved.items()):
            self.request(editing.MOVE, self.now.classes[id], target=id, words=tuple(words))
        for id, words in sorted(added.items()):
            self.request(editing.ADD, self.now.classes[id], target=id, words=tuple(words))
        if gone:
            self.request(editing.DELETE, None, words=tuple(gone))

    def _add(self, record: ConceptRecord, word: str, added: dict[int, list[str]]) -> None:
        above = self.above(None, record)
        if above is None:
            return
        if word in self.whole.rows:
            self.report(record, f"{word!r} is already in the thesaurus")
        elif len(above) != 1 or min(above) not in self.now.classes:
            self.report(record, f"{word!r} is new; expected exactly one broader class from the "
            "thesaurus (to create a class, split an existing one)")  # fmt: skip
        else:
            added.setdefault(min(above), []).append(word)

    def _write_classes(self) -> None:
        """Add edits for changed names and notes of classes."""
        for id, record in self.now.classes.items():
            was = self.before.classes.get(id)
            if was is None:
                continue
            if record.names != was.names:
                if len(record.names) == 1:
                    self.request(editing.RENAME, record, target=id, text=record.names[0])
                else:
                    self.report(record, f"the class {id} has {len(record.names)} preferred labels")
            elif record.others != was.others:
                new = sorted(set(record.others) - set(was.others))
                if len(new) == 1:
                    self.request(editing.RENAME, record, target=id, text=new[0])
                elif new:
                    self.report(record, f"the class {id} has {len(new)} new alternative labels")
            self._write_note(was.note, record, target=id)

    def _write_words(self) -> None:
        """Add edits for changed notes of words."""
        for word, record in self.now.words.items():
            self._write_note(
                self.before.words.get(word, ConceptRecord()).note, record, words=(word,)
            )
        for record in self.now.new:
            if len(record.names) == 1:
                self._write_note(Note(), record, words=record.names)

    def _write_note(self, old: Note, record: ConceptRecord, **about: object) -> None:
        """Add an edit for the note of a class or a word, if it changed."""
        for name, was, text in zip(Note._fields, old, record.note, strict=True):
            if text != was:
                self.request(editing.NOTE, record, **about, text=text, field=name)
