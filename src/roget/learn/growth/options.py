"""Options for `roget grow`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roget.core.options import Checked, option
from roget.errors import InputError
from roget.learn.options import CorpusOptions

_MAX_RANGE = 1_000_000
"""Maximum number of changes in a range such as 5-9."""

_MAX_DIGITS = 18
"""Maximum number of digits in the number of a change."""


@dataclass(frozen=True)
class UpdateOptions(Checked):
    """Options for updating the classes of a thesaurus."""

    move: bool = option(
        True, help="Move words to another class if the new counts clearly support it."
    )
    split: bool = option(
        True, help="Split classes and create new ones if the new text clearly supports it."
    )
    min_contexts: int = option(
        3,
        minimum=1,
        help=(
            "Add a new word only if it occurs in at least N contexts that the "
            "thesaurus already has."
        ),
    )
    background: str | None = option(
        None,
        metavar="COUNTS",
        help="New path of the background counts of the thesaurus, if they were moved after "
        "`build`.",
    )
    vectors: str | None = option(
        None,
        metavar="FILE",
        help="New path of the word vectors of the thesaurus, if they were moved after `build`.",
    )


@dataclass(frozen=True)
class GrowOptions(CorpusOptions, UpdateOptions):
    """Options for `roget grow`, with the options for reading text last."""


ALL = "all"


def read_numbers(text: str, known: Sequence[int]) -> list[int]:
    """Parse change numbers such as "4", "3,5-9" or "all".

    >>> read_numbers("3,5-7", []), read_numbers("all", [1, 4])
    ([3, 5, 6, 7], [1, 4])
    """
    if text.strip().lower() == ALL:
        return list(known)
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = (one.strip() for one in part.partition("-"))
        if not first.isdecimal() or not (last.isdecimal() if dash else not last):
            raise InputError(
                f"invalid changes {text!r}; expected numbers, e.g. 3,5-9, or {ALL}",
                code="invalid-option",
            )
        if max(len(first), len(last)) > _MAX_DIGITS:
            raise InputError(
                f"change {max(first, last, key=len)[:_MAX_DIGITS]}…: a change number has at "
                f"most {_MAX_DIGITS} digits",
                code="invalid-option",
            )
        begin, end = int(first), int(last) if dash else int(first)
        if end < begin or end - begin > _MAX_RANGE:
            raise InputError(
                f"invalid range of changes {part.strip()!r}; expected e.g. 5-9",
                code="invalid-option",
            )
        numbers += range(begin, end + 1)
    return list(dict.fromkeys(numbers))
