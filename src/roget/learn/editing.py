"""Editing: a thesaurus folder changed by a file of edits, or taken back to what it was."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from roget.catalogue import suffixes
from roget.core.io.problems import plural
from roget.core.io.source import Source, source_of
from roget.core.io.table import Roles, open_table
from roget.core.options import choose, with_options
from roget.core.progress import Report
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.command_options import EditOptions
from roget.learn.taxonomy.changes import read_changes
from roget.learn.thesaurus import Edit, Thesaurus
from roget.learn.thesaurus.editor import EditRequest, apply_edits
from roget.learn.thesaurus.edits import KINDS, NOTE, REMARK

COLUMNS = Roles(
    {"action": ("edit", "kind")},
    {
        "class": ("id", "node", "of"),
        "word": (),
        "text": ("label", "name"),
        "into": ("under", "to"),
        "field": (),
    },
    by_option=False,
)
"""What the columns of a table of edits are for."""

PARTED = "|"
"""What stands between several words in one cell."""


class EditResult(NamedTuple):
    """What became of a thesaurus."""

    thesaurus: Thesaurus
    done: tuple[Edit, ...]
    """What was done, or done again."""
    undone: tuple[Edit, ...]
    """What was undone, the last first."""


@with_options(EditOptions)
def edit(
    path: PathLike,
    file: PathLike | None = None,
    *,
    progress: Report | None = None,
    **options: Any,
) -> EditResult:
    """Edit the thesaurus of a folder, all that is asked for or nothing, and save it.

    Parameters
    ----------
    path
        The folder.
    file
        Edits to be made: see `read_requests`. Or SKOS that was exported and then changed elsewhere,
        which tells them: see `taxonomy.changes`.
    progress
        Called with how many edits of a file are made.

    Returns
    -------
    Edited
        The thesaurus with its edits; if nothing is asked for, as it is.

    Raises
    ------
    InputError
        If an edit cannot be made, naming its line; or if there is less to undo or redo.
    """
    asked = EditOptions(**choose(EditOptions, options))
    ways = sum((file is not None, asked.undo, asked.redo, asked.undo_to is not None))
    if ways > 1:
        raise InputError("edits from a file, --undo, --redo and --undo-to: one at a time")
    before = Thesaurus.load(path)
    after, known = before, before.editor.done
    if file is not None:
        is_skos = suffixes("taxonomies").get(Source(os.fspath(file)).suffix) == "skos"
        wanted = read_changes(before, file, asked.language) if is_skos else read_requests(file)
        after = apply_edits(before, wanted, progress)
    elif asked.undo:
        _check_number("undo", asked.n, len(known))
        after = before.editor.undo_to(len(known) - asked.n)
    elif asked.redo:
        _check_number("redo", asked.n, len(before.undone))
        for _ in range(asked.n):
            after = after.editor.redo()
    elif asked.undo_to is not None:
        after = before.editor.undo_to(asked.undo_to)
    if ways and not asked.dry_run:
        after.save(path)
    return EditResult(after, after.editor.done[len(known) :], known[len(after.editor.done) :][::-1])


def _check_number(verb: str, n: int, there: int) -> None:
    """Refuse to undo, or do again, more edits than there are."""
    if not there:
        raise InputError(f"there is nothing to {verb}")
    if n > there:
        only = f"there {'is' if there == 1 else 'are'} only {there}"
        raise InputError(f"cannot {verb} {plural(n, 'edit')}: {only}")


def read_requests(path: PathLike) -> list[EditRequest]:
    """The edits that a table asks for, row by row.

    Columns are action (rename, move, merge, nest, add, delete, split or note), class (an id, a
    name, or a word of the class), word (or several, parted by |), text (the new name, or what is
    written), into (a class, for merge and nest) and field (definition or note); only the first
    must be there.

    Raises
    ------
    InputError
        If there is no row.
    FormatError
        If a row makes no sense; it names the lines.
    """
    source = source_of(os.fspath(path))
    found = []
    with open_table(source, roles=COLUMNS, guess=True) as table:
        for given, place, refuse in table.texts(pad=True):
            if given["action"] not in KINDS:
                refuse(f"the action is {given['action']!r}; expected one of {', '.join(KINDS)}")
                continue
            words = [word.strip() for word in given.get("word", "").split(PARTED)]
            one = EditRequest(
                given["action"],
                given.get("class") or None,
                tuple(word for word in words if word),
                given.get("text", ""),
                given.get("into") or None,
                given.get("field") or REMARK,
                place,
            )
            # Of a note on a word, the class is of no matter.
            found.append(replace(one, target=None) if one.action == NOTE and one.words else one)
    if not found:
        raise InputError(f"{Path(source.name)}: no edit in it; expected rows of action, class, …")
    return found
