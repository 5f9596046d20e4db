"""State: a short text by which a thesaurus knows what was exported of it, and after which edits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from roget.core.io.values import whole_number
from roget.errors import InputError
from roget.learn.thesaurus.edits import Edit
from roget.learn.thesaurus.thesaurus import Thesaurus


def state_of(thesaurus: Thesaurus) -> str:
    """How many edits were done, and a hash of them, of the words and of the classes."""
    done = [edit for edit in thesaurus.edits if not edit.waiting]
    return f"{len(done)} {_digest(thesaurus, done)}"


def at_state(thesaurus: Thesaurus, state: str) -> Thesaurus:
    """The thesaurus as it was when that was its state."""
    done = [edit for edit in thesaurus.edits if not edit.waiting]
    told, _, digest = state.partition(" ")
    number = whole_number(told)
    if number is None or number > len(done) or _digest(thesaurus, done[:number]) != digest:
        raise InputError(
            "it was exported from another thesaurus, or from one that has been built, grown or "
            "undone since: export it again, and make the changes there"
        )
    return thesaurus if number == len(done) else thesaurus.undo_to(number)


def _digest(thesaurus: Thesaurus, done: Sequence[Edit]) -> str:
    base = thesaurus.base
    told = [
        base.words.tolist(), base.tree.parent.tolist(), base.ids.tolist(),
        [edit.to_json() for edit in done],
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(told, ensure_ascii=True).encode()).hexdigest()[:16]
