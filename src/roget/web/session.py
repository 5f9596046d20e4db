"""A session: one open thesaurus, its current snapshot and its edits."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roget.core.store import locked
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.load import open_thesaurus
from roget.learn.thesaurus import Thesaurus, files
from roget.learn.thesaurus.edits import REMARK, EditRequest, apply_edits, check_number
from roget.learn.thesaurus.files import Changed
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views import compare, word, word_class

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
"""Edit actions, each with the fields it requires and their types.

"word" may be passed instead of "words". "split" also accepts words. "note" requires a "node" or a
"word" and accepts a "field". "bulk" applies either all edits of a list or none of them. The node
numbers in these edits refer to the state before the first edit.
"""

HISTORY_EDITS = ("undo", "redo", "undo_to", "accept", "refuse")
"""Actions on the history of edits, which cannot be part of a bulk edit."""


class Session:
    """An open thesaurus, whose edits are applied one at a time and saved immediately.

    Each edit is made under a lock and results in a new snapshot.

    Parameters
    ----------
    path : a thesaurus, its folder, or a file that can be imported.
    compare_with : the path of another thesaurus or of a gold standard.
    columns : the columns of the gold standard.
    """

    def __init__(
        self,
        path: PathLike | Thesaurus,
        compare_with: PathLike | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        in_memory = path if isinstance(path, Thesaurus) else None
        self.path = Path("thesaurus" if isinstance(path, Thesaurus) else path)
        self.snapshot = ThesaurusSnapshot(
            in_memory or open_thesaurus(self.path),
            self.path.resolve().name,
            side=None if compare_with is None else compare.open_side(compare_with, columns),
            path=self.path,
            imported=in_memory is not None or not files.is_thesaurus(self.path),
        )
        self._lock = threading.Lock()
        if self.snapshot.side is not None:
            # Compare now, so that an error is raised immediately if there are no words in common.
            compare.make(self.snapshot, compare.class_numbers(self.snapshot)[1])

    @property
    def revision(self) -> int:
        """The number of the current snapshot."""
        return self.snapshot.revision

    def edit(self, request: Mapping[str, Any], revision: int) -> ThesaurusSnapshot:
        """Apply an edit based on the given revision, save it, and return the new snapshot."""
        action, values = _check_edit(request)
        with self._lock:
            before = self.snapshot
            if revision != before.revision:
                raise Changed(
                    "the thesaurus has changed in the meantime; reload the page", code="changed"
                )
            if action in HISTORY_EDITS:
                edited = getattr(before.thesaurus.editor, action)(**values)
            else:
                edits = values["edits"] if action == "bulk" else [request]
                requests = [_make_request(before.thesaurus, one) for one in edits]
                edited = apply_edits(before.thesaurus, requests)
            after = warm(before.after(edited))
            try:
                edited.save(self.path)
            except Changed:
                # Another program has edited the folder. The lock prevents reading a half-written
                # edit.
                with locked(self.path.resolve()):
                    current = Thesaurus.load(self.path)
                self.snapshot = warm(before.after(current))
                raise Changed(
                    "the thesaurus was changed by another program; reload the page", code="changed"
                ) from None
            self.snapshot = after
        return after


def warm(snapshot: ThesaurusSnapshot) -> ThesaurusSnapshot:
    """Compute the data for the first responses in advance, and return the snapshot."""
    _ = snapshot.labels, snapshot.search, snapshot.folded_labels
    _ = snapshot.information, snapshot.sketches
    if snapshot.thesaurus.counts.evidence is not None:
        # Load the sentences now, because the first edit replaces the folder that contains them.
        snapshot.thesaurus.counts.evidence.load()
    word_class.make(snapshot, 0)
    if len(snapshot.thesaurus):
        word.make(snapshot, 0)
    return snapshot


def _check_edit(request: Any) -> tuple[str, dict[str, Any]]:
    """Check an edit's action and the types of its fields, and return them."""
    if not isinstance(request, Mapping):
        raise InputError(f"{request!r}: expected an object with an action", code="edit-refused")
    action = request.get("action")
    if not isinstance(action, str) or action not in EDITS:
        raise InputError(f"{action!r}: expected one of {', '.join(EDITS)}", code="edit-refused")
    fields = dict(request)
    if "words" not in fields and "word" in fields:
        fields["words"] = [fields["word"]]
    values: dict[str, Any] = {}
    for name, kind in EDITS[action].items():
        value = fields.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            expected = kind.__name__
            raise InputError(
                f"{action}: {name} is {value!r}; expected {expected}", code="edit-refused"
            )
        values[name] = value
    return action, values


def _make_request(thesaurus: Thesaurus, fields: Any) -> EditRequest:
    """Convert an edit from the page.

    Node numbers are replaced by class ids, which remain valid after other edits.
    """
    action, values = _check_edit(fields)
    if action in HISTORY_EDITS or action == "bulk":
        raise InputError(f"{action} cannot be part of a bulk edit", code="edit-refused")
    words = fields.get("words", [fields["word"]] if "word" in fields else [])
    text = values.get("label", values.get("text", ""))
    field = fields.get("field", REMARK)
    if not isinstance(words, list) or not all(isinstance(one, str) for one in (*words, field)):
        raise InputError(f"{action}: words and field must be strings", code="edit-refused")
    node, into = (
        int(thesaurus.ids[_check_node(thesaurus, fields[name])]) if name in fields else None
        for name in ("node", "into")
    )
    return EditRequest(action, node, tuple(words), text, into, field)


def _check_node(thesaurus: Thesaurus, node: Any) -> int:
    number = check_number(node)
    thesaurus.tree.children(number)  # This raises an error if the node does not exist.
    return number
